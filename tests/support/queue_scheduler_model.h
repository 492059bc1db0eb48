// SPDX-License-Identifier: Apache-2.0
// Which queue mu_queue_scheduler chooses, cycle by cycle.

#ifndef TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_
#define TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "torusmu/layout.h"

namespace torusmu::testing {

class QueueSchedulerModel {
 public:
  using Change = Record<layout::queue_change::Layout>;
  struct Choice {
    unsigned queue;
    bool reply;
    bool operator==(const Choice&) const = default;
  };
  struct Cycle {
    Change change{};
    std::optional<unsigned> hold{}, release{}, busy{};  // queues
    bool room_request = false, room_reply = false;
    bool taken = false;  // what it chose
    bool unpark = false;
  };

  explicit QueueSchedulerModel(unsigned queues) : queues_(queues) {}
  bool works(unsigned queue) const { return queues_[queue].work; }
  // Chosen already, though it may not be offered.
  const std::optional<Choice>& choice() const { return choice_; }

  std::optional<Choice> offered(const Cycle& in) const {
    if (choice_ && !changes(choice_->queue, in) && in.hold != choice_->queue &&
        in.busy != choice_->queue)
      return choice_;
    return std::nullopt;
  }
  bool active(const Cycle& in) const {
    return choice_ || may_choose(in) || in.change.get<layout::queue_change::valid>() != 0;
  }
  void clock(const Cycle& in) {
    const auto chosen = choose(in);
    if (in.taken) {
      queues_[choice_->queue].one_more = false;
      next_[choice_->reply] = choice_->queue + 1;
    }
    if (choice_ && (in.taken || changes(choice_->queue, in) ||
                    (in.hold == choice_->queue && in.busy != choice_->queue)))
      choice_.reset();
    if (chosen) choice_ = chosen;
    change(in.change);
    if (in.unpark) {
      for (Queue& queue : queues_) queue.parked = false;
    }
    if (in.release) queues_[*in.release].stopped = false;
  }

 private:
  struct Queue {
    bool work = false, reflection = false, parked = false, stopped = false, one_more = false;
    bool ready() const { return work && !parked && (!stopped || one_more); }
  };

  static bool changes(unsigned queue, const Cycle& in) {
    namespace c = layout::queue_change;
    return in.change.get<c::valid>() != 0 && in.change.get<c::queue>() == queue;
  }
  void change(const Change& change) {
    namespace c = layout::queue_change;
    if (change.get<c::valid>() == 0) return;
    Queue& queue = queues_[change.get<c::queue>()];
    const bool restart = change.get<c::restart>() != 0;
    const bool park = change.get<c::park>() != 0, stop = change.get<c::stop>() != 0;
    queue.work = change.get<c::work>() != 0;
    queue.reflection = change.get<c::reflection>() != 0;
    if (park || restart) queue.parked = park;
    if (stop || restart) {
      queue.stopped = stop;
      queue.one_more = change.get<c::one_more>() != 0;
    }
  }
  // But for a queue that is held, or changes.
  bool may_choose(Cycle in) const {
    in.hold.reset();
    return !choice_ && ((in.room_reply && first_behind(true, in)) ||
                        (in.room_request && first_behind(false, in)));
  }
  // None if the queue whose turn it is changes.
  std::optional<Choice> choose(const Cycle& in) const {
    if (choice_) return std::nullopt;
    for (const bool reply : {true, false}) {
      if (!(reply ? in.room_reply : in.room_request)) continue;
      if (const auto queue = first_behind(reply, in))
        return changes(*queue, in) ? std::nullopt : std::optional(Choice{*queue, reply});
    }
    return std::nullopt;
  }
  std::optional<unsigned> first_behind(bool reply, const Cycle& in) const {
    const auto count = static_cast<unsigned>(queues_.size());
    for (unsigned i = 0; i < count; ++i) {
      const unsigned at = (next_[reply] + i) % count;
      if (queues_[at].ready() && queues_[at].reflection == reply && in.hold != at) return at;
    }
    return std::nullopt;
  }

  std::vector<Queue> queues_;
  std::optional<Choice> choice_;
  std::array<unsigned, 2> next_{};  // of requests, of replies: these come first
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_
