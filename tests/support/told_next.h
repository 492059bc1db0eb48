// SPDX-License-Identifier: Apache-2.0
// Which of several numbers is told next, as mu_receive_queues chooses it a cycle ahead.

#ifndef TESTS_SUPPORT_TOLD_NEXT_H_
#define TESTS_SUPPORT_TOLD_NEXT_H_

#include <optional>
#include <set>

namespace torusmu::testing {

class ToldNext {
 public:
  struct Cycle {
    std::set<unsigned> waiting;        // before the edge, with the one that is shown
    bool told = false;                 // the one that is shown
    bool twice = false;                // and once more
    bool resets = false;               // of a queue
    bool forgets = false;              // the one that is shown is of that queue
    std::optional<unsigned> due = {};  // begins to wait at the edge
  };
  const std::optional<unsigned>& shown() const { return shown_; }
  // A reset chooses nothing. What becomes due while nothing else waits is shown at once.
  void clock(Cycle in) {
    const bool gone = in.told && !in.twice;
    if (gone || in.forgets) {
      in.waiting.erase(*shown_);
      shown_.reset();
    }
    if (shown_ || in.resets) return;
    shown_ = in.waiting.empty() ? in.due : *in.waiting.begin();
  }
  void reset() { shown_.reset(); }

 private:
  std::optional<unsigned> shown_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_TOLD_NEXT_H_
