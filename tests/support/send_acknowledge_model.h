// SPDX-License-Identifier: Apache-2.0
// The SENDs that hold their queues, as mu_send_acknowledge of so many queues has to know them.

#ifndef TESTS_SUPPORT_SEND_ACKNOWLEDGE_MODEL_H_
#define TESTS_SUPPORT_SEND_ACKNOWLEDGE_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/port_bits.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class SendAcknowledgeModel {
 public:
  using Answer = Record<layout::send_answer::Layout>;

  // What is asked of a queue in one cycle.
  struct Begin {
    unsigned queue;
    bool sent;  // it is the second, and went ahead
    std::uint32_t node;
  };
  struct Cycle {
    std::uint64_t now = 0;
    std::uint32_t retry_cycles = 1, retries = 0;
    PortBits dynamic;
    std::uint32_t peer = 0;
    std::optional<Begin> begin;
    bool cancel = false, configured = false;
    unsigned configure_queue = 0;
    bool end_ready = false, again_ready = false;
    unsigned number_queue = 0;
    bool number_ahead = false, ahead_fence = false, ahead = false, left = false;
    std::optional<Answer> answer, failure;
  };
  struct Queue {
    bool open = false, ended = false, used = false, refused = false, again = false;
    bool leaving = false, doubtful = false, copy_doubtful = false, unknown = false;
    unsigned ticks = 0, retries = 0, copies = 0;
    Status status = Status::kOk;
    // The one behind it, which has gone out.
    struct Second {
      bool out = false, ended = false, used = false, refused = false, doubtful = false;
      bool due = false, due_doubtful = false;
      Status status = Status::kOk;
    } second;
    bool begun = false;  // ever: its number is known
    bool broken = false, numbered = false;
    std::uint32_t next = 0, sent = 0, node = 0;

    bool fence_ahead() const {
      return open && !ended && !again && !refused && !leaving && !second.ended;
    }
    std::uint32_t number() const { return numbered ? next : 0; }
  };

  explicit SendAcknowledgeModel(unsigned queues) : queues_(queues) {}
  const Queue& queue(unsigned at) const { return queues_[at]; }
  Queue& queue(unsigned at) { return queues_[at]; }
  std::optional<unsigned> ended() const { return lowest(&Queue::ended); }
  std::optional<unsigned> to_go_again() const { return lowest(&Queue::again); }
  bool goes_again(const Cycle& in) const {
    const auto at = to_go_again();
    return at && queues_[*at].retries < in.retries && !queues_[*at].ended;
  }
  bool ahead_good(const Cycle& in) const {
    const Queue& queue = queues_[in.number_queue % count()];
    const bool dynamic = in.dynamic[in.number_queue % count()];
    const auto told = who_is_told(in);
    return queue.fence_ahead() && (in.ahead_fence || !dynamic) &&
           !(told && told->queue == in.number_queue % count());
  }
  bool busy() const { return ended() || to_go_again() || (lowest(&Queue::open) && !tick_at_); }
  // Until then nothing changes by itself.
  std::optional<std::uint64_t> wake_at() const { return tick_at_; }

  // What the coming edge does. Where two things happen to a queue at once, the later here counts.
  void clock(const Cycle& in) {
    was_ = queues_;
    told_ = who_is_told(in);
    const bool any_open = lowest(&Queue::open).has_value();
    const bool tick = tick_at_ && in.now >= *tick_at_;
    const auto gone = in.end_ready ? ended() : std::nullopt;
    const auto again = to_go_again();
    const bool goes = goes_again(in) && in.again_ready;
    if (tick) {
      for (Queue& queue : queues_) count_tick(queue);
    }
    if (again) give_up(*again, in);
    if (told_) tell(in);
    if (in.number_queue < count()) leave(in);
    if (goes) go_again(*again);
    if (in.begin) begin(*in.begin, in);
    if (gone) end(*gone);
    if (in.cancel || in.configured) forget(in);
    if (tick) {
      tick_at_.reset();
    } else if (any_open && !tick_at_) {
      tick_at_ = (in.now + in.retry_cycles) & ((1ULL << 48U) - 1);
    }
  }
  // Numbers of the SENDs that went out last stay, for late copies of them.
  void reset() {
    for (Queue& queue : queues_) {
      const Queue was = queue;
      queue = {};
      queue.begun = was.begun;
      queue.sent = was.sent;
      queue.node = was.node;
    }
    tick_at_.reset();
  }

 private:
  struct Told {
    unsigned queue;
    Status status;
    bool of_first, of_second, refuses, unknown, uses, half_sent;
  };

  unsigned count() const { return static_cast<unsigned>(queues_.size()); }
  static bool dynamic(const Cycle& in, unsigned at) { return in.dynamic[at]; }
  std::optional<unsigned> lowest(bool Queue::*what) const {
    for (unsigned i = 0; i < count(); ++i)
      if (queues_[i].*what) return i;
    return std::nullopt;
  }
  // An answer goes first, even one that is not of the peer.
  std::optional<Told> who_is_told(const Cycle& in) const {
    namespace a = layout::send_answer;
    const auto& what = in.answer ? in.answer : in.failure;
    if (!what || what->get<a::queue>() >= count()) return std::nullopt;
    const auto at = static_cast<unsigned>(what->get<a::queue>());
    const Queue& queue = queues_[at];
    if (in.answer && what->get<a::node>() != (dynamic(in, at) ? queue.node : in.peer))
      return std::nullopt;
    const auto status = static_cast<Status>(what->get<a::status>());
    const auto number = static_cast<std::uint32_t>(what->get<a::number>());
    const bool unknown = dynamic(in, at) && status == Status::kDeliveryUnknown;
    return Told{
        .queue = at,
        .status = status,
        .of_first = queue.open && !queue.ended && number == queue.sent,
        .of_second = queue.second.out && !queue.second.ended && number == queue.sent + 1,
        .refuses = status == Status::kReceiveDisabled || unknown,
        .unknown = unknown,
        .uses = in.answer && (status == Status::kOk || status == Status::kMemoryError),
        .half_sent = !in.answer && what->get<a::node>() != 0,
    };
  }
  // A SEND that was refused goes out again at a tick, one without an answer at the eighth.
  static void count_tick(Queue& queue) {
    if (queue.leaving) return;
    if (queue.open && !queue.ended && (queue.refused || queue.ticks == 7)) {
      queue.again = true;
      queue.doubtful = queue.doubtful || !queue.refused;
      queue.refused = false;
    }
    queue.ticks = (queue.ticks + 1) % 8;
  }
  // Of one that would go out again: it does, or may not so often, or has ended meanwhile.
  void give_up(unsigned at, const Cycle& in) {
    const Queue& was = was_[at];
    const bool answered = told_ && told_->queue == at && told_->of_first;
    const bool exceeded = !was.ended && was.retries >= in.retries && !answered;
    Queue& queue = queues_[at];
    if (in.again_ready || exceeded || was.ended) queue.again = false;
    if (!exceeded) return;
    queue.ended = true;
    queue.broken = !dynamic(in, at);
    queue.status = was.unknown ? Status::kDeliveryUnknown : Status::kRetryExceeded;
  }
  void tell(const Cycle& in) {
    const Told& told = *told_;
    const Queue& was = was_[told.queue];
    Queue& queue = queues_[told.queue];
    if (told.of_first && told.refuses) {
      queue.refused = true;
      queue.unknown = told.unknown;
      if (was.copies != 0) --queue.copies;
    } else if (told.of_first) {
      queue.ended = true;
      queue.used = told.uses;
      queue.status = told.status;
      if (!told.uses && (was.doubtful || told.half_sent) && !dynamic(in, told.queue))
        queue.broken = true;
    }
    if (told.of_second && told.refuses) {
      queue.second.refused = true;
    } else if (told.of_second) {
      queue.second.ended = true;
      queue.second.used = told.uses;
      queue.second.status = told.status;
      queue.second.doubtful = queue.second.doubtful || told.half_sent;
    }
  }
  void leave(const Cycle& in) {
    Queue& queue = queues_[in.number_queue];
    if (in.left && !in.number_ahead) queue.leaving = false;
    if (!in.ahead) return;
    const auto& was = was_[in.number_queue].second;
    queue.second.doubtful = was.out && (was.doubtful || (was.due && was.due_doubtful));
    queue.second.out = true;
    queue.second.refused = queue.second.due = false;
  }
  void go_again(unsigned at) {
    const Queue& was = was_[at];
    Queue& queue = queues_[at];
    queue.leaving = true;
    queue.ticks = 0;
    ++queue.retries;
    ++queue.copies;
    queue.copy_doubtful = was.copies != 0;
    queue.second.due = was.second.out;
    // For want of an answer to the first, though the second was not refused.
    queue.second.due_doubtful = was.doubtful && !was.second.refused;
    queue.second.refused = false;
  }
  // What is known of the second counts for the first that it becomes.
  void begin(const Begin& begin, const Cycle& in) {
    const auto& was = was_[begin.queue];
    const auto second = queues_[begin.queue].second;
    Queue& queue = queues_[begin.queue];
    queue.open = true;
    queue.leaving = !begin.sent;
    queue.ended = queue.used = queue.doubtful = queue.refused = queue.again = false;
    queue.copy_doubtful = queue.unknown = false;
    queue.ticks = queue.retries = 0;
    queue.copies = 1;
    if (begin.sent) {
      const bool due = second.due && !second.ended;
      queue.ended = second.ended;
      queue.used = second.ended && second.used;
      queue.status = second.status;
      queue.doubtful = second.doubtful || (due && second.due_doubtful);
      queue.again = due;
      queue.refused = second.refused && !second.ended && !due;
      if (second.ended && !second.used && second.doubtful) queue.broken = true;
    }
    queue.second = {};
    queue.begun = true;
    queue.node = begin.node;
    // Of a dynamically connected queue each has a number of its own, whatever became of the last.
    if (!dynamic(in, begin.queue)) {
      queue.sent = was.number();
    } else {
      queue.sent = was.numbered ? was.sent + 1 : 0;
      queue.numbered = true;
    }
  }
  // A number that is not used up is for the next SEND: the second had the wrong one.
  void end(unsigned at) {
    Queue& queue = queues_[at];
    queue.open = queue.ended = queue.refused = queue.again = false;
    queue.next = was_[at].number() + (was_[at].used ? 1 : 0);
    queue.numbered = true;
    if (!was_[at].used) queue.second.out = queue.second.ended = queue.second.due = false;
  }
  void forget(const Cycle& in) {
    Queue& queue = queues_[in.configure_queue];
    queue.open = queue.ended = queue.refused = queue.again = false;
    queue.second.out = queue.second.ended = queue.second.due = false;
    if (!in.configured) return;
    queue.broken = false;
    queue.numbered = was_[in.configure_queue].numbered && dynamic(in, in.configure_queue);
  }

  std::vector<Queue> queues_, was_;
  std::optional<Told> told_;  // in the cycle of clock()
  std::optional<std::uint64_t> tick_at_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_SEND_ACKNOWLEDGE_MODEL_H_
