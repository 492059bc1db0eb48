// SPDX-License-Identifier: Apache-2.0
// mu_wait_table as the list of all that wait.

#ifndef TESTS_SUPPORT_WAIT_TABLE_MODEL_H_
#define TESTS_SUPPORT_WAIT_TABLE_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/port_bits.h"

namespace torusmu::testing {

class WaitTableModel {
 public:
  struct Entry {
    bool waiting = false, on_queue = false;
    unsigned index = 0;
    std::uint32_t threshold = 0;
  };
  struct Count {
    unsigned index;
    std::uint32_t value;
  };
  struct Cycle {
    unsigned set_queue = 0;
    std::optional<Entry> set;
    std::optional<unsigned> cancel;
    std::optional<Count> event, done;
  };

  explicit WaitTableModel(unsigned queues) : entries_(queues) {}
  const Entry& entry(unsigned queue) const { return entries_[queue]; }
  bool waits(unsigned queue) const { return entries_[queue].waiting; }
  PortBits waiting() const {
    PortBits set;
    for (unsigned q = 0; q < entries_.size(); ++q) set[q] = waits(q);
    return set;
  }
  // Queues that the counts of this cycle wake.
  // Not one that is taken away in it.
  PortBits met(const std::optional<Count>& event, const std::optional<Count>& done,
               const std::optional<unsigned>& cancel) const {
    PortBits set;
    for (unsigned q = 0; q < entries_.size(); ++q) {
      const Entry& entry = entries_[q];
      const auto& count = entry.on_queue ? done : event;
      const bool reached = entry.waiting && count && count->index == entry.index && cancel != q &&
                           count->value - entry.threshold < 1U << 31;
      set[q] = reached;
    }
    return set;
  }
  bool is_event_waited(unsigned index) const {
    for (const Entry& entry : entries_) {
      if (entry.waiting && !entry.on_queue && entry.index == index) return true;
    }
    return false;
  }
  void clock(const Cycle& in) {
    const PortBits woken = met(in.event, in.done, in.cancel);
    for (unsigned q = 0; q < entries_.size(); ++q) {
      if (woken[q] || in.cancel == q) entries_[q].waiting = false;
    }
    if (in.set) entries_[in.set_queue] = *in.set;
  }
  void reset() { entries_.assign(entries_.size(), {}); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_WAIT_TABLE_MODEL_H_
