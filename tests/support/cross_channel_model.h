// SPDX-License-Identifier: Apache-2.0
// What mu_cross_channel has to show in a cycle, and what it knows after it.

#ifndef TESTS_SUPPORT_CROSS_CHANNEL_MODEL_H_
#define TESTS_SUPPORT_CROSS_CHANNEL_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/engine_turns_model.h"
#include "tests/support/held_queues_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/wait_table_model.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing::cross_channel {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
using Fetched = HeldQueuesModel::Fetched;
using Place = HeldQueuesModel::Place;
using Buffer = Record<layout::receive_buffer::Layout>;
using Operation = Record<layout::counter_operation::Layout>;
using Count = WaitTableModel::Count;

inline constexpr unsigned kQueues = kProfile.injection_queues;
inline constexpr unsigned kEntries = 128;  // a WAIT names completion queues from here on

// As it is told, and the lowest bits of that, which say which queue it is.
inline unsigned name_of(const Fetched& fetched) {
  return static_cast<unsigned>(fetched.get<f::queue>());
}
inline unsigned number_of(unsigned name) { return name % kQueues; }
inline Opcode opcode_of(const Fetched& fetched) { return HeldQueuesModel::opcode_of(fetched); }
inline bool sends(Opcode opcode) { return opcode == Opcode::kSend || opcode == Opcode::kFence; }

struct End {
  unsigned queue = 0;  // its name
  Status status = Status::kOk;
};
// What the queue that is asked for has to say.
struct Answer {
  std::uint32_t head = 0, tail = 0;
  unsigned setup = 0;  // owner, mode
  bool enable = false;
  unsigned owner = 0;
};
struct Cycle {
  std::optional<Fetched> in, held;
  std::uint64_t held_address = 0;
  bool out_ready = false, resume_ready = false, hold_ready = false, operation_ready = false;
  bool calc_ready = false, configured = false;
  std::optional<unsigned> configure;
  std::optional<Count> done, event, entries;
  Answer answer;
  PortBits may_ahead, fence_ahead, under_way;
  std::optional<End> send_end, receive_end, pipe_end;
  std::optional<unsigned> again;
  std::optional<Status> calc_done;
};
struct Begin {
  unsigned queue;
  bool sent;
};
struct Due {
  unsigned queue;
  std::uint64_t address;
};
struct Outputs {
  HeldQueuesModel::Outputs queues;
  bool busy = false, waiting = false, held_ready = false, entries_ready = false;
  bool send_end_ready = false, receive_end_ready = false, pipe_end_ready = false;
  bool calc_done_ready = false, flush_pair = false;
  std::optional<Place> hold;
  std::optional<Operation> operation;
  std::optional<Begin> send_begin;
  std::optional<Buffer> buffer;
  std::optional<Due> pipe_due;
};

// The descriptor that is attached: one at a time.
struct Attached {
  Attached() = default;
  Attached(const Fetched& held, std::uint64_t at)
      : fetched(held), descriptor(held.get<f::descriptor>()), address(at) {
    namespace w = layout::wait_operation;
    opcode = opcode_of(held);
    name = name_of(held);
    owner = static_cast<unsigned>(held.get<f::owner>());
    again = held.get<f::again>() != 0;
    went_ahead = held.get<f::ahead>() != 0 && !again;
    on_queue = opcode == Opcode::kCalc || descriptor.get<d::on_queue>() != 0;
    relative = opcode == Opcode::kWait && descriptor.get<d::relative>() != 0;
    const auto wait = Record<w::Layout>::from_bytes(descriptor.get<d::immediate>());
    const auto lap = static_cast<std::uint32_t>(held.get<f::lap>());
    threshold = static_cast<std::uint32_t>(wait.get<w::value>() + wait.get<w::step>() * lap);
    if (is_calc()) threshold = static_cast<std::uint32_t>(held.get<f::index>());
    source = source_of();
  }
  bool is_calc() const { return opcode == Opcode::kCalc; }
  bool is_pipe() const { return opcode == Opcode::kPipe; }
  bool waits() const { return opcode == Opcode::kWait || is_calc(); }
  bool on_entries() const { return waits() && on_queue && source >= kEntries; }
  // Whose owner and mode matter.
  bool asks() const { return (waits() && on_queue) || (is_pipe() && !is_origin()); }
  bool is_origin() const {
    const auto pipe = PipeOperation::from_bytes(descriptor.get<d::immediate>());
    return pipe.get<layout::pipe_operation::origin>() != 0;
  }
  unsigned number() const { return number_of(name); }
  // The queue or counter that it needs.
  unsigned source_of() const {
    namespace p = layout::pipe_operation;
    namespace h = layout::packet_header;
    const auto pipe = Record<p::Layout>::from_bytes(descriptor.get<d::immediate>());
    if (is_calc()) return name;
    if (is_pipe()) return static_cast<unsigned>(pipe.get<p::receive_queue>());
    if (on_queue) return static_cast<unsigned>(descriptor.get<d::header>().get<h::target>());
    return static_cast<unsigned>(descriptor.get<d::event_counter>());
  }

  Fetched fetched;
  Descriptor descriptor;
  std::uint64_t address = 0;
  Opcode opcode = Opcode::kNop;
  unsigned name = 0, owner = 0, source = 0;
  bool again = false, went_ahead = false, on_queue = false, relative = false;
  std::uint32_t threshold = 0;  // without the last one
};

class Model {
 public:
  enum class Phase { kIdle, kStop, kSet, kProbe };

  const HeldQueuesModel& queues() const { return queues_; }
  const EngineTurnsModel& turns() const { return turns_; }
  const WaitTableModel& table() const { return table_; }
  Phase phase() const { return phase_; }
  const Attached& attached() const { return attached_; }
  std::uint32_t threshold() const {
    return attached_.threshold + (attached_.relative ? last_.at(attached_.number()) : 0);
  }
  // Whether nothing of the queue is here.
  bool is_free(unsigned queue) const {
    return !queues_.queue(queue).held && !queues_.queue(queue).kept && !attaches(queue);
  }

  Outputs outputs(const Cycle& in) const {
    const Inside now = look(in);
    Outputs out;
    out.queues = queues_.outputs(now.queues);
    out.busy = phase_ != Phase::kIdle || out.queues.busy || turns_.busy() || event_ || count_;
    out.waiting = table_.waiting().any();
    out.held_ready = phase_ == Phase::kIdle;
    out.entries_ready = !in.done && !now.probes;
    out.send_end_ready = now.cause == Cause::kSend;
    out.receive_end_ready = now.cause == Cause::kReceive;
    out.pipe_end_ready = now.cause == Cause::kPipe;
    out.calc_done_ready = now.cause == Cause::kCalc;
    out.flush_pair = now.flushes_pair;
    if (phase_ == Phase::kStop) out.hold = place_of(attached_.fetched);
    if (phase_ == Phase::kIdle && in.held && in.held->get<f::again>() == 0)
      out.hold = place_of(*in.held);
    if (phase_ == Phase::kProbe && !attached_.on_queue) out.operation = operation();
    if (now.queues.take && sends(opcode_of(*in.held)))
      out.send_begin = Begin{name_of(*in.held), in.held->get<f::ahead>() != 0};
    if (gives_buffer()) out.buffer = buffer();
    if (phase_ == Phase::kSet && attached_.is_pipe() && !now.refuses)
      out.pipe_due = Due{attached_.name, attached_.address};
    return out;
  }

  // The coming edge.
  void clock(const Cycle& in) {
    const Inside now = look(in);
    const unsigned queue = attached_.number();
    if (gives_buffer() && attached_.again) receive_ahead_ |= bit(queue);
    turns_.clock({.due = now.met & held_by(Opcode::kCalc),
                  .flush = now.refuses ? std::nullopt : in.configure,
                  .start_ready = in.calc_ready,
                  .done = now.cause == Cause::kCalc});
    table_.clock({.set_queue = queue,
                  .set = now.sets ? std::optional(entry()) : std::nullopt,
                  .cancel = now.flushes_wait ? in.configure : std::nullopt,
                  .event = event_,
                  .done = count_});
    event_ = now.counts ? in.event : std::nullopt;
    count_ = now.counts ? now.count : std::nullopt;
    if (now.sets && !attached_.is_calc()) last_.at(queue) = threshold();
    if (in.configured) last_.at(*in.configure) = 0;
    queues_.clock(now.queues);
    step(in, now);
  }
  void reset(const Cycle& in) {
    const Inside now = look(in);
    queues_.reset(now.queues);
    turns_.clock({.flush = now.refuses ? std::nullopt : in.configure});
    turns_.reset();
    table_.reset();
    last_.fill(0);
    phase_ = Phase::kIdle;
    event_.reset();
    count_.reset();
  }

 private:
  // Why a descriptor ends in this cycle.
  enum class Cause { kNone, kRefused, kFlushed, kSend, kReceive, kPipe, kCalc };
  struct Inside {
    bool refuses = false, sets = false, probes = false, flushes_wait = false, flushes_pair = false;
    bool counts = false;  // there is a WAIT that what changes may matter to
    std::optional<Count> count;
    PortBits met;
    Cause cause = Cause::kNone;
    HeldQueuesModel::Cycle queues;
  };

  bool attaches(unsigned queue) const {
    return phase_ != Phase::kIdle && attached_.number() == queue;
  }
  bool holds(unsigned queue) const { return queues_.queue(queue).waits(); }
  PortBits held_by(Opcode opcode) const {
    PortBits set;
    for (unsigned i = 0; i < kQueues; ++i) set[i] = holder_.at(i) == opcode;
    return set;
  }
  // SEND, RECEIVE, FENCE or PIPE: a queue pair knows of it, too.
  bool is_of_pair(unsigned queue) const {
    const Opcode opcode = holder_.at(queue);
    return sends(opcode) || opcode == Opcode::kReceive || opcode == Opcode::kPipe;
  }
  // A queue of another client, or one that is not there.
  bool is_foreign(const Answer& answer) const {
    const unsigned mine = attached_.owner << 3;
    const auto mode = static_cast<QueueMode>(answer.setup % 8);
    if (!attached_.asks()) return false;
    if (attached_.is_pipe())
      return answer.setup != (mine | static_cast<unsigned>(QueueMode::kPiped));
    if (attached_.on_entries()) return !answer.enable || answer.owner != attached_.owner;
    return mode == QueueMode::kOff || (answer.setup & ~7U) != mine;
  }
  // A RECEIVE offers its buffer once, ahead only while the one before it holds the queue.
  bool gives_buffer() const {
    return phase_ == Phase::kSet && attached_.opcode == Opcode::kReceive && !attached_.went_ahead &&
           (!attached_.again || holds(attached_.number()));
  }
  // Whose end waits until it is attached.
  bool may_end(const std::optional<End>& end) const {
    const bool attached = phase_ != Phase::kIdle && end && attached_.name == end->queue;
    return end && holds(number_of(end->queue)) && !attached;
  }
  std::optional<Count> count(const Cycle& in, bool probes) const {
    if (in.done) return in.done;
    if (probes) {
      return Count{attached_.source, attached_.on_entries() ? in.answer.tail : in.answer.head};
    }
    if (in.entries) return Count{kEntries + in.entries->index, in.entries->value};
    return std::nullopt;
  }
  // The first that there is.
  void end_one(const Cycle& in, bool flushes, Inside& now) const {
    const auto ends = [&now](Cause cause, unsigned name, Status status) {
      now.cause = cause;
      now.queues.finish_one = HeldQueuesModel::End{number_of(name), status};
    };
    if (now.refuses) return ends(Cause::kRefused, attached_.name, Status::kQueueInvalid);
    if (flushes) return ends(Cause::kFlushed, *in.configure, Status::kFlushed);
    if (may_end(in.send_end)) return ends(Cause::kSend, in.send_end->queue, in.send_end->status);
    if (may_end(in.receive_end))
      return ends(Cause::kReceive, in.receive_end->queue, in.receive_end->status);
    if (in.pipe_end) return ends(Cause::kPipe, in.pipe_end->queue, in.pipe_end->status);
    if (in.calc_done) return ends(Cause::kCalc, *turns_.queue(), *in.calc_done);
  }
  Inside look(const Cycle& in) const {
    Inside now;
    now.refuses = phase_ == Phase::kSet && foreign_;
    now.sets = phase_ == Phase::kSet && attached_.waits() && !now.refuses;
    now.probes = phase_ == Phase::kProbe && attached_.on_queue && !in.done;
    now.counts = now.sets || table_.waiting().any();
    now.count = count(in, now.probes);
    std::optional<unsigned> cancel;
    if (in.configure && !now.refuses && table_.waits(*in.configure)) cancel = in.configure;
    now.met = table_.met(event_, count_, cancel);
    bool flushes = false;
    if (in.configure && !now.refuses) {
      const unsigned queue = *in.configure;
      now.flushes_wait = cancel.has_value();
      now.flushes_pair = is_of_pair(queue) && holds(queue) && !attaches(queue);
      flushes = now.flushes_wait || now.flushes_pair || turns_.flushes({.flush = queue});
    }
    if (in.held && phase_ == Phase::kIdle && in.held->get<f::again>() == 0)
      now.queues.take = in.held;
    end_one(in, flushes, now);
    look_at_queues(in, now);
    return now;
  }
  void look_at_queues(const Cycle& in, Inside& now) const {
    now.queues.in = in.in;
    now.queues.out_ready = in.out_ready;
    now.queues.resume_ready = in.resume_ready;
    now.queues.flush = in.configure.has_value();
    now.queues.flush_queue = in.configure.value_or(0);
    now.queues.may_ahead = in.may_ahead | held_by(Opcode::kReceive);
    now.queues.fence_ahead = in.fence_ahead;
    now.queues.under_way = in.under_way | receive_ahead_;
    now.queues.finish = now.met & ~held_by(Opcode::kCalc);
    now.queues.again = in.again;
  }
  void step(const Cycle& in, const Inside& now) {
    switch (phase_) {
      case Phase::kIdle:
        foreign_ = false;
        if (in.held) attach(*in.held, in.held_address);
        break;
      case Phase::kStop:
        foreign_ = is_foreign(in.answer);
        if (in.hold_ready) phase_ = Phase::kSet;
        break;
      case Phase::kSet:
        phase_ = now.sets ? Phase::kProbe : Phase::kIdle;
        break;
      case Phase::kProbe:
        if (attached_.on_queue ? now.probes : in.operation_ready) phase_ = Phase::kIdle;
        break;
    }
  }
  void attach(const Fetched& held, std::uint64_t address) {
    attached_ = Attached(held, address);
    phase_ = attached_.again ? Phase::kSet : Phase::kStop;
    if (attached_.again) return;
    holder_.at(attached_.number()) = attached_.opcode;
    receive_ahead_ &= ~bit(attached_.number());
  }

  WaitTableModel::Entry entry() const {
    return {true, attached_.on_queue, attached_.source, threshold()};
  }
  static Place place_of(const Fetched& fetched) {
    namespace p = layout::queue_place;
    return Place{}
        .set<p::queue>(name_of(fetched))
        .set<p::index>(fetched.get<f::index>())
        .set<p::lap>(fetched.get<f::lap>());
  }
  // Shows the count by adding nothing to it.
  Operation operation() const {
    namespace o = layout::counter_operation;
    return Operation{}.set<o::counter>(attached_.source).set<o::is_event>(1).set<o::add>(1);
  }
  Buffer buffer() const {
    namespace b = layout::receive_buffer;
    const Descriptor& from = attached_.descriptor;
    return Buffer{}
        .set<b::queue>(attached_.name)
        .set<b::owner>(attached_.owner)
        .set<b::address>(attached_.address)
        .set<b::length>(from.get<d::length>())
        .set<b::index>(attached_.fetched.get<f::index>())
        .set<b::sequence_number>(from.get<d::sequence_number>())
        .set<b::done_event>(from.get<d::done_event>())
        .set<b::done_event_valid>(from.get<d::done_event_valid>())
        .set<b::interrupt_done>(from.get<d::interrupt_done>())
        .set<b::signal>(from.get<d::signal>());
  }

  HeldQueuesModel queues_{kQueues};
  EngineTurnsModel turns_{kQueues};
  WaitTableModel table_{kQueues};
  Phase phase_ = Phase::kIdle;
  bool foreign_ = false;  // what it looks at was not its own when its queue was stopped
  Attached attached_;
  std::array<Opcode, kQueues> holder_{};       // what holds the queue, or held it last
  std::array<std::uint32_t, kQueues> last_{};  // threshold of the last WAIT
  std::optional<Count> event_, count_;         // of the cycle before, for the table
  PortBits receive_ahead_;                     // the buffer of the kept RECEIVE is offered
};

}  // namespace torusmu::testing::cross_channel

#endif  // TESTS_SUPPORT_CROSS_CHANNEL_MODEL_H_
