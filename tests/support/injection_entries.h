// SPDX-License-Identifier: Apache-2.0
// The memory behind the completion queues in the tests of the send engine: takes each entry,
// and publishes it some cycles later.

#ifndef TESTS_SUPPORT_INJECTION_ENTRIES_H_
#define TESTS_SUPPORT_INJECTION_ENTRIES_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

using CompletionEntry = Record<layout::completion_entry::Layout>;
using WriteCommand = Record<layout::write_command::Layout>;

class EntryMemory {
 public:
  std::vector<CompletionEntry> entries;  // in the order in which they were written
  unsigned chance = 50;                  // that memory gets on, each cycle

  bool busy() const { return writing_ || !in_memory_.empty(); }
  template <typename Model>
  void drive(Model& dut, Random& random) {
    namespace r = layout::write_response;
    put<layout::send_ready::entry, r::command_ready>(dut.ready_i, random.chance(chance));
    put<layout::send_ready::entry, r::beat_ready>(dut.ready_i, random.chance(chance));
    namespace p = layout::publish;
    using layout::ring_publishes::entry;
    const bool valid = !in_memory_.empty() && random.chance(chance);
    put<entry, p::valid>(dut.publishes_i, valid);
    if (valid) put<entry, p::target>(dut.publishes_i, in_memory_.front());
  }
  template <typename Model>
  void sample(Model& dut) {
    if (get<layout::ring_publishes::entry, layout::publish::valid>(dut.publishes_i) &&
        get<layout::send_accepts::entry_publish>(dut.accepts_o))
      in_memory_.pop_front();
    namespace q = layout::write_request;
    namespace r = layout::write_response;
    const auto ready = get<layout::send_ready::entry>(dut.ready_i);
    if (get<q::command_valid>(dut.entry_write_o) && ready.template get<r::command_ready>()) {
      namespace w = layout::write_command;
      const WriteCommand command = get<q::command>(dut.entry_write_o);
      queue_ =
          static_cast<std::uint8_t>(command.get<w::action>().get<layout::write_action::target>());
      writing_ = true;
    }
    if (get<q::beat_valid>(dut.entry_write_o) && ready.template get<r::beat_ready>()) {
      entries.push_back(CompletionEntry::from_bytes(get<q::beat>(dut.entry_write_o)));
      in_memory_.push_back(queue_);
      writing_ = false;
    }
  }

 private:
  std::uint8_t queue_ = 0;  // of the entry that is being written
  bool writing_ = false;
  std::deque<std::uint8_t> in_memory_;  // entries that are not published yet
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_ENTRIES_H_
