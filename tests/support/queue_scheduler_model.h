// SPDX-License-Identifier: Apache-2.0
// Which queue mu_queue_scheduler chooses, cycle by cycle.

#ifndef TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_
#define TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

namespace torusmu::testing {

class QueueSchedulerModel {
 public:
  struct Choice {
    unsigned queue;
    bool reply;
    bool operator==(const Choice&) const = default;
  };
  struct Update {
    unsigned queue = 0;
    bool work = false, reflection = false, park = false, afresh = false, stop = false;
    bool one_more = false;
  };
  struct Cycle {
    std::bitset<128> hold{}, release{};
    bool room_request = false, room_reply = false;
    bool taken = false;  // what it chose
    bool unpark = false;
    const Update* update = nullptr;
  };

  explicit QueueSchedulerModel(unsigned queues) : queues_(queues) {}
  bool works(unsigned queue) const { return queues_[queue].work; }

  std::optional<Choice> choice(const Cycle& in) const {
    if (in.room_reply) {
      if (const auto queue = first_behind(true, in)) return Choice{*queue, true};
    }
    if (in.room_request) {
      if (const auto queue = first_behind(false, in)) return Choice{*queue, false};
    }
    return std::nullopt;
  }
  void clock(const Cycle& in) {
    const auto chosen = choice(in);
    if (in.unpark) {
      for (Queue& queue : queues_) queue.parked = false;
    }
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (in.release[i]) queues_[i].stopped = false;
    if (chosen && in.taken) {
      queues_[chosen->queue].one_more = false;
      next_[chosen->reply] = chosen->queue + 1;
    }
    if (in.update == nullptr) return;
    const Update& update = *in.update;
    Queue& queue = queues_[update.queue];
    queue.work = update.work;
    queue.reflection = update.reflection;
    if (update.park || update.afresh) queue.parked = update.park;
    if (update.stop || update.afresh) {
      queue.stopped = update.stop;
      queue.one_more = update.one_more;
    }
  }

 private:
  struct Queue {
    bool work = false, reflection = false, parked = false, stopped = false, one_more = false;
    bool ready() const { return work && !parked && (!stopped || one_more); }
  };

  std::optional<unsigned> first_behind(bool reply, const Cycle& in) const {
    const auto count = static_cast<unsigned>(queues_.size());
    for (unsigned i = 0; i < count; ++i) {
      const unsigned at = (next_[reply] + i) % count;
      if (queues_[at].ready() && queues_[at].reflection == reply && !in.hold[at]) return at;
    }
    return std::nullopt;
  }

  std::vector<Queue> queues_;
  std::array<unsigned, 2> next_{};  // of requests, of replies: these come first
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_SCHEDULER_MODEL_H_
