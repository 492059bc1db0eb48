// SPDX-License-Identifier: Apache-2.0
// The SENDs and FENCEs that hold their queues, as mu_outstanding_requests of so many queues has to
// know them: what each event means for the queue that it is of, and which event goes first.

#ifndef TESTS_SUPPORT_OUTSTANDING_REQUESTS_MODEL_H_
#define TESTS_SUPPORT_OUTSTANDING_REQUESTS_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/port_bits.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

// What became of a SEND or a FENCE, if that is `valid`.
inline Record<layout::send_outcome::Layout> outcome(
    const Record<layout::send_answer::Layout>& answer, bool valid) {
  return Record<layout::send_outcome::Layout>{}
      .set<layout::send_outcome::answer>(answer)
      .set<layout::send_outcome::valid>(valid);
}

class OutstandingRequestsModel {
 public:
  using Answer = Record<layout::send_answer::Layout>;

  // What is reported in one cycle. Of begin, ahead and left there is one at most.
  struct Begin {
    unsigned queue;
    bool sent, fence;
    std::uint32_t node, index;
  };
  struct Cycle {
    std::uint64_t now = 0;
    std::uint32_t retry_cycles = 1, retries = 0;
    PortBits dynamic;
    std::uint32_t peer = 0;
    std::optional<Begin> begin = std::nullopt;
    bool cancel = false, configured = false;
    unsigned configure_queue = 0;
    bool end_ready = false, again_ready = false;
    unsigned number_queue = 0;
    bool number_ahead = false, ahead_fence = false, ahead = false, left = false;
    std::uint32_t node = 0, index = 0;  // of a FENCE that goes ahead
    std::optional<Answer> answer, failure;
  };
  struct End {
    unsigned queue;
    Status status;
  };
  // The one that holds its queue.
  struct First {
    enum class Phase { kLeaving, kAwaiting, kDue, kEnded };
    bool fence = false;
    Phase phase = Phase::kAwaiting;
    bool refused = false;  // goes out again at the tick after all of it has left
    bool doubtful = false, unknown = false;
    unsigned ticks = 0, retries = 0;
    Status status = Status::kOk;
  };
  // The one behind it, which has gone out.
  struct Second {
    bool fence = false, refused = false, due = false, ended = false, used = false;
    bool doubtful = false, due_doubtful = false;
    Status status = Status::kOk;
  };
  struct Queue {
    std::optional<First> first;
    std::optional<Second> second;
    bool ticked = false;  // a tick is to be counted
    unsigned copies = 0;  // of the SEND that began last, that were not refused
    bool copy_doubtful = false, broken = false;
    bool begun = false;                   // ever: its number is known
    bool numbered = false, used = false;  // the next number is not zero, nor that of the last SEND
    std::uint32_t sent = 0, node = 0;
    std::uint32_t fence_node = 0, fence_index = 0;

    bool has(First::Phase phase) const { return first && first->phase == phase; }
    bool fence_ahead() const {
      return has(First::Phase::kAwaiting) && !first->fence && !first->refused &&
             !(second && !second->fence && second->ended);
    }
    bool second_send() const { return second && !second->fence; }
  };

  explicit OutstandingRequestsModel(unsigned queues) : queues_(queues) {}
  const Queue& queue(unsigned at) const { return queues_[at]; }
  Queue& queue(unsigned at) { return queues_[at]; }
  std::optional<End> end() const { return end_ && !configures(end_->queue) ? end_ : std::nullopt; }
  std::optional<unsigned> again() const {
    return again_ && !configures(*again_) ? again_ : std::nullopt;
  }
  // Begins nothing until its cancellation has been served.
  bool configures(unsigned at) const {
    return (configure_ && configure_->queue == at) || makes(Event::Kind::kConfigure, at);
  }
  bool may_configure(unsigned at) const { return !configure_ || configure_->queue == at; }
  bool begin_ready() const { return !configure_ && !answer_ && !failure_; }
  bool answer_waits() const { return answer_.has_value(); }
  bool takes_answer(const Cycle& in) const {
    return !answer_ || event_of(in).kind == Event::Kind::kResponse;
  }
  bool ahead_good(const Cycle& in) const {
    const unsigned at = in.number_queue % count();
    return queues_[at].fence_ahead() && (in.ahead_fence || !in.dynamic[at]) && !configures(at) &&
           !steps(at);
  }
  bool busy() const {
    return step_ || end_ || again_ || pick_ || wanted() || configure_ || answer_ || failure_ ||
           starts() || tick_;
  }
  // Whether one begins in this cycle: what is known of it shows already.
  bool steps(unsigned at) const { return step_ && step_->event.queue == at; }
  bool begins(unsigned at) const { return makes(Event::Kind::kBegin, at); }
  bool begins_send(unsigned at) const { return begins(at) && !step_->begin.fence; }
  // Of the SEND that began last, if one ever did.
  std::optional<std::uint32_t> number(unsigned at, const Cycle& in) const {
    const Queue& queue = queues_[at];
    if (begins_send(at)) return begin_number(queue, in.dynamic[at]);
    return queue.begun ? std::optional(queue.sent) : std::nullopt;
  }
  // Until then nothing changes by itself.
  std::optional<std::uint64_t> wake_at() const { return tick_at_; }

  // What the coming edge does.
  void clock(const Cycle& in) {
    const Event event = event_of(in);
    const auto was_pick = pick_, picks = wanted();
    const bool starts_clock = starts(), ticks = tick_, end_free = !end_, again_free = !again_;
    std::vector<bool> were_open(count());
    for (unsigned i = 0; i < count(); ++i) were_open[i] = queues_[i].first.has_value();
    // What was asked for is not any more.
    if (in.end_ready || (end_ && configures(end_->queue))) end_.reset();
    if (in.again_ready || (again_ && configures(*again_))) again_.reset();
    const bool served = step_ && step_->event.kind == Event::Kind::kServe;
    std::optional<Step> next;
    if (event.kind != Event::Kind::kNone) next = step_of(event, in);
    if (step_) {
      make(*step_, in, again_free);
      complete(step_->event.queue, end_free);
    }
    step_ = next;
    wait(event, in);
    for (unsigned i = 0; ticks && i < count(); ++i) queues_[i].ticked = were_open[i];
    if (was_pick) {
      pick_ = event.kind == Event::Kind::kServe ? std::nullopt : was_pick;
    } else {
      pick_ = served ? std::nullopt : picks;
    }
    tick_ = tick_at_ && in.now >= *tick_at_;
    if (tick_) tick_at_.reset();
    if (starts_clock) tick_at_ = (in.now + in.retry_cycles) & ((1ULL << 48U) - 1);
  }
  // Numbers of the SENDs that went out last stay, for late copies of them; not what a reset writes.
  void reset() {
    if (step_ && step_->event.kind == Event::Kind::kBegin && !step_->begin.fence)
      queues_[step_->event.queue].begun = false;
    for (Queue& queue : queues_) {
      const Queue was = queue;
      queue = {};
      queue.begun = was.begun;
      queue.sent = was.sent;
    }
    step_.reset();
    end_.reset();
    again_.reset();
    pick_.reset();
    configure_.reset();
    answer_.reset();
    failure_.reset();
    tick_ = false;
    tick_at_.reset();
  }

 private:
  using Phase = First::Phase;
  struct Event {
    enum class Kind { kNone, kBegin, kAhead, kLeft, kConfigure, kResponse, kServe };
    Kind kind = Kind::kNone;
    unsigned queue = 0;
  };
  struct Configure {
    unsigned queue;
    bool configured;
  };
  // An event that was chosen makes its step in the next cycle, with what came then.
  struct Step {
    Event event;
    Begin begin;                 // of a FENCE that goes ahead, too
    std::optional<Answer> said;  // of whom and what, for a response
    bool answers = false;
    std::uint32_t peer = 0;
    bool configured = false;
  };
  bool makes(Event::Kind kind, unsigned at) const {
    return step_ && step_->event.kind == kind && step_->event.queue == at;
  }
  Step step_of(const Event& event, const Cycle& in) const {
    Step step{
        .event = event,
        .begin = in.begin.value_or(Begin{event.queue, false, in.ahead_fence, in.node, in.index}),
        .said = answer_of(in) ? answer_of(in) : failure_,
        .answers = answer_of(in).has_value(),
        .peer = answer_ ? answer_peer_ : in.peer,
        .configured = configure_ && configure_->configured};
    return step;
  }

  unsigned count() const { return static_cast<unsigned>(queues_.size()); }
  bool starts() const {
    bool open = false, ticked = false;
    for (const Queue& queue : queues_) {
      open = open || queue.first;
      ticked = ticked || queue.ticked;
    }
    return open && !ticked && !tick_at_ && !tick_;
  }
  std::optional<unsigned> wanted() const {
    for (unsigned i = 0; i < count(); ++i) {
      const Queue& queue = queues_[i];
      if (queue.ticked || (queue.has(Phase::kDue) && !again_) ||
          (queue.has(Phase::kEnded) && !end_))
        return i;
    }
    return std::nullopt;
  }
  // An answer goes before a failure, one that waits before one that comes. A failure always waits.
  const std::optional<Answer>& answer_of(const Cycle& in) const {
    return answer_ ? answer_ : in.answer;
  }
  Event event_of(const Cycle& in) const {
    using Kind = Event::Kind;
    if (in.begin) return {Kind::kBegin, in.begin->queue};
    if (in.ahead) return {Kind::kAhead, in.number_queue};
    if (in.left && !in.number_ahead) return {Kind::kLeft, in.number_queue % count()};
    const auto& said = answer_of(in) ? answer_of(in) : failure_;
    if (said)
      return {Kind::kResponse,
              static_cast<unsigned>(said->get<layout::send_answer::queue>()) % count()};
    if (configure_) return {Kind::kConfigure, configure_->queue};
    if (pick_) return {Kind::kServe, *pick_};
    return {};
  }
  // What comes while another is served waits, one of a kind.
  void wait(const Event& event, const Cycle& in) {
    const bool serves = event.kind == Event::Kind::kResponse;
    const bool serves_answer = serves && answer_of(in), serves_failure = serves && !answer_of(in);
    const auto keep = [](std::optional<Answer>& waits, const std::optional<Answer>& comes,
                         bool served) {
      if (waits.has_value() == served) {
        waits = comes;
      } else if (served) {
        waits.reset();
      }
    };
    if (in.answer && answer_.has_value() == serves_answer) answer_peer_ = in.peer;
    keep(failure_, in.failure, serves_failure);
    keep(answer_, in.answer, serves_answer);
    const bool is_served = event.kind == Event::Kind::kConfigure;
    if (in.cancel || in.configured) {
      const bool adds = configure_ && !is_served;
      configure_ = {in.configure_queue, in.configured || (adds && configure_->configured)};
    } else if (is_served) {
      configure_.reset();
    }
  }
  void make(const Step& step, const Cycle& in, bool again_free) {
    const Event& event = step.event;
    Queue& queue = queues_[event.queue];
    const bool dynamic = in.dynamic[event.queue];
    switch (event.kind) {
      case Event::Kind::kBegin:
        queue.ticked = false;
        begin(queue, step.begin, dynamic);
        break;
      case Event::Kind::kAhead:
        go_ahead(queue, step.begin);
        break;
      case Event::Kind::kLeft:
        if (queue.has(Phase::kLeaving)) queue.first->phase = Phase::kAwaiting;
        break;
      case Event::Kind::kConfigure:
        queue.first.reset();
        queue.second.reset();
        if (!step.configured) break;
        queue.broken = false;
        queue.numbered = queue.numbered && dynamic;
        break;
      case Event::Kind::kResponse:
        respond(queue, step, dynamic);
        break;
      case Event::Kind::kServe:
        if (queue.has(Phase::kDue)) {
          retry(event.queue, in, again_free);
        } else if (queue.ticked && queue.has(Phase::kAwaiting)) {
          count_tick(*queue.first);
        }
        queue.ticked = false;
        break;
      case Event::Kind::kNone:
        break;
    }
  }
  static std::uint32_t begin_number(const Queue& queue, bool dynamic) {
    return queue.numbered ? queue.sent + (dynamic || queue.used ? 1 : 0) : 0;
  }
  // What is known of the second counts for the first that it becomes.
  static void begin(Queue& queue, const Begin& begin, bool dynamic) {
    const Second second = queue.second.value_or(Second());
    queue.first = First{.fence = begin.fence};
    First& first = *queue.first;
    queue.second.reset();
    queue.copies = 1;
    queue.copy_doubtful = false;
    if (second.ended && second.fence == begin.fence) {
      first.phase = Phase::kEnded;
      first.status = second.status;
    }
    if (begin.fence) {
      queue.fence_node = begin.node;
      queue.fence_index = begin.index;
      return;
    }
    // Of a dynamically connected queue each has a number of its own, whatever became of the last.
    queue.sent = begin_number(queue, dynamic);
    queue.node = begin.node;
    queue.begun = queue.numbered = true;
    queue.used = begin.sent && second.ended && second.used;
    if (!begin.sent) {
      first.phase = Phase::kLeaving;
      return;
    }
    first.doubtful = second.doubtful || (second.due && second.due_doubtful);
    first.refused = second.refused;
    if (second.due) first.phase = Phase::kDue;
    if (second.ended && !second.used && second.doubtful) queue.broken = true;
  }
  static void go_ahead(Queue& queue, const Begin& begin) {
    const auto was = queue.second;
    if (!begin.fence) {
      queue.second = Second{};
      queue.second->doubtful =
          was && !was->fence && (was->doubtful || (was->due && was->due_doubtful));
      return;
    }
    queue.fence_node = begin.node;
    queue.fence_index = begin.index;
    if (!was || !was->fence) queue.second = Second{.fence = true};
  }
  void respond(Queue& queue, const Step& step, bool dynamic) {
    namespace a = layout::send_answer;
    const bool answers = step.answers;
    const Answer said = *step.said;
    const auto number = static_cast<std::uint32_t>(said.get<a::number>());
    const auto status = static_cast<Status>(said.get<a::status>());
    if (said.get<a::queue>() >= count()) return;
    const std::uint32_t dynamic_or_peer = dynamic ? queue.node : step.peer;
    if (answers &&
        said.get<a::node>() != (said.get<a::fence>() ? queue.fence_node : dynamic_or_peer))
      return;
    if (said.get<a::fence>()) {
      if (number == queue.fence_index) answer_fence(queue, status);
      return;
    }
    const bool unknown = dynamic && status == Status::kDeliveryUnknown;
    const bool refuses = status == Status::kReceiveDisabled || unknown;
    const bool uses = answers && (status == Status::kOk || status == Status::kMemoryError);
    const bool half_sent = !answers && said.get<a::node>() != 0;
    if (queue.first && !queue.first->fence && !queue.has(Phase::kEnded) && number == queue.sent) {
      First& first = *queue.first;
      if (refuses) {
        first.unknown = unknown;
        // The copy that is due says what becomes of it.
        first.refused = first.refused || first.phase != Phase::kDue;
        if (queue.copies != 0) --queue.copies;
      } else {
        first.phase = Phase::kEnded;
        first.status = status;
        queue.used = uses;
        if (!uses && (first.doubtful || half_sent) && !dynamic) queue.broken = true;
      }
    }
    if (queue.second_send() && !queue.second->ended && number == queue.sent + 1) {
      Second& second = *queue.second;
      if (refuses) {
        second.refused = !second.due;
      } else {
        second = {.ended = true,
                  .used = uses,
                  .doubtful = second.doubtful || half_sent,
                  .status = status};
      }
    }
  }
  static void answer_fence(Queue& queue, Status status) {
    if (queue.first && queue.first->fence && !queue.has(Phase::kEnded)) {
      queue.first->phase = Phase::kEnded;
      queue.first->status = status;
    }
    if (queue.second && queue.second->fence && !queue.second->ended) {
      queue.second->ended = true;
      queue.second->status = status;
    }
  }
  // A SEND that was refused goes out again at a tick, one without an answer at the eighth.
  static void count_tick(First& first) {
    if (!first.refused && ++first.ticks != 8) return;
    first.phase = Phase::kDue;
    first.doubtful = first.doubtful || !first.refused;
    first.refused = false;
  }
  // It goes out again, or may not so often.
  void retry(unsigned at, const Cycle& in, bool again_free) {
    Queue& queue = queues_[at];
    First& first = *queue.first;
    if (first.retries >= in.retries) {
      first.phase = Phase::kEnded;
      first.status = first.unknown ? Status::kDeliveryUnknown : Status::kRetryExceeded;
      if (!first.fence && !in.dynamic[at]) queue.broken = true;
      return;
    }
    if (!again_free) return;
    again_ = at;
    first.phase = first.fence ? Phase::kAwaiting : Phase::kLeaving;
    first.ticks = 0;
    ++first.retries;
    queue.copy_doubtful = queue.copies != 0;
    ++queue.copies;
    if (!queue.second_send() || queue.second->ended) return;
    // For want of an answer to the first, though the second was not refused.
    queue.second->due_doubtful = first.doubtful && !queue.second->refused;
    queue.second->due = true;
    queue.second->refused = false;
  }
  // Reported once no other end is. A number that is not used up is for the next SEND: the second
  // had the wrong one.
  void complete(unsigned at, bool end_free) {
    Queue& queue = queues_[at];
    if (!queue.has(Phase::kEnded)) return;
    if (again_ == at) again_.reset();
    if (!end_free) return;
    end_ = {at, queue.first->status};
    if (!queue.first->fence && !queue.used && queue.second_send()) queue.second.reset();
    queue.first.reset();
  }

  std::vector<Queue> queues_;
  std::optional<Step> step_;
  std::optional<End> end_;
  std::optional<unsigned> again_, pick_;
  std::optional<Configure> configure_;
  std::optional<Answer> answer_, failure_;
  std::uint32_t answer_peer_ = 0;  // of the queue that answer_ names, as it came
  bool tick_ = false;
  std::optional<std::uint64_t> tick_at_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_OUTSTANDING_REQUESTS_MODEL_H_
