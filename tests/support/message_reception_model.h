// SPDX-License-Identifier: Apache-2.0
// What mu_message_reception has to know of SENDs: receive queues, the messages of dynamically
// connected ones that have a context, and the message that a PIPE is told of.

#ifndef TESTS_SUPPORT_MESSAGE_RECEPTION_MODEL_H_
#define TESTS_SUPPORT_MESSAGE_RECEPTION_MODEL_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "sim/machine/profile.h"
#include "tests/support/told_next.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class MessageReceptionModel {
 public:
  static constexpr unsigned kQueues = kProfile.injection_queues, kContexts = 8, kPayload = 512;
  using Header = Record<layout::packet_header::Layout>;
  using Trailer = Record<layout::packet_trailer::Layout>;
  using Peer = Record<layout::queue_peer::Layout>;
  using Buffer = Record<layout::receive_buffer::Layout>;
  using Stored = Record<layout::message_stored::Layout>;
  using Answer = Record<layout::send_answer::Layout>;
  using End = Record<layout::queue_end::Layout>;
  using Message = Record<layout::received_message::Layout>;

  struct Sender {
    unsigned queue = 0;  // that receives
    unsigned peer_queue = 0, node = 0;
    bool operator==(const Sender&) const = default;
  };
  struct Packet {
    Header header;
    Trailer trailer;
    Peer peer;  // of the queue that it names
    bool counters_good = true;

    unsigned to() const { return as<unsigned>(header.get<layout::packet_header::target>()); }
    std::uint64_t offset() const { return header.get<layout::packet_header::offset>(); }
    std::uint64_t behind() const { return offset() + header.get<layout::packet_header::bytes>(); }
    bool first() const { return offset() == 0; }
    bool empty() const { return behind() == offset(); }
    bool last() const { return trailer.get<layout::packet_trailer::last>() != 0; }
    bool dynamic() const { return trailer.get<layout::packet_trailer::dynamic>() != 0; }
    bool doubtful() const { return trailer.get<layout::packet_trailer::doubtful>() != 0; }
    std::uint32_t number() const {
      return as<std::uint32_t>(trailer.get<layout::packet_trailer::sequence_number>());
    }
    std::uint32_t word() const {
      return as<std::uint32_t>(header.get<layout::packet_header::word>());
    }
    Sender sender() const {
      namespace h = layout::packet_header;
      const auto node = header.get<h::src_z>() << 8U | header.get<h::src_y>() << 4U;
      return {to(), as<unsigned>(trailer.get<layout::packet_trailer::queue>()),
              as<unsigned>(node | header.get<h::src_x>())};
    }
    bool of_peer() const {
      namespace p = layout::queue_peer;
      const auto node = peer.get<p::z>() << 8U | peer.get<p::y>() << 4U | peer.get<p::x>();
      return sender() == Sender{to(), as<unsigned>(peer.get<p::queue>()), as<unsigned>(node)};
    }
    bool fits(const Buffer& buffer) const {
      const auto message = trailer.get<layout::packet_trailer::index>();
      return message <= buffer.get<layout::receive_buffer::length>() && behind() <= message;
    }
  };
  struct Verdict {
    bool take = false, acknowledge = false;
    Status status = Status::kOk;
    std::optional<Buffer> entry;  // that it would go to
    unsigned context = 0, epoch = 0;
  };

  struct Slot {
    bool buffer = false, completing = false, failed = false, end = false, answer = false;
    bool taken = false;  // a packet, since there was a buffer: bytes and word are known
    Buffer entry;
    std::uint32_t bytes = 0, word = 0;
  };
  struct Queue {
    bool exists = false, begun = false;
    std::uint32_t expected = 0;
    unsigned epoch = 0;
    std::array<Slot, 2> slots;
    std::optional<std::uint64_t> result;

    unsigned now() const { return expected % 2; }
    const Slot& slot() const { return slots[now()]; }
    bool offers() const { return slot().buffer && !slot().answer; }
    // The slot that a new buffer goes to.
    unsigned next_buffer() const { return slot().buffer ? 1 - now() : now(); }
    bool room() const {
      const Slot& next = slots[next_buffer()];
      return !next.buffer && !next.completing && !next.end;
    }
    bool untold() const { return slots[0].end || slots[1].end; }
    // The older of two ends first: it has the slot of the number expected.
    unsigned first_end() const { return slots[0].end && slots[1].end ? now() : slots[1].end; }
    bool under_way() const { return begun || slots[0].completing || slots[1].completing; }
  };
  struct Context {
    bool known = false, open = false, completing = false, end = false, answer = false;
    bool failed = false;
    unsigned epoch = 0;
    Sender sender;
    std::uint32_t number = 0, received = 0, word = 0;
    Buffer entry;

    bool waits() const { return completing || end || answer; }
  };
  enum class Reset { kNone, kReset, kStop, kConfigure };
  struct Cycle {
    std::optional<Buffer> buffer;
    Reset reset = Reset::kNone;
    unsigned reset_queue = 0;
    bool receives = false;  // the mode that it is configured for
    bool end_ready = false, message_ready = false, answer_ready = false;
    bool watch = false;
    unsigned watch_queue = 0;
    std::optional<Packet> job;
    Verdict verdict;  // of it, as judged when it was looked up
    std::optional<Stored> stored;
  };

  Queue& queue(unsigned at) { return queues_.at(at); }
  const Queue& queue(unsigned at) const { return queues_.at(at); }
  Context& context(unsigned at) { return contexts_.at(at); }
  const Context& context(unsigned at) const { return contexts_.at(at); }
  // The bytes of a message whose last packet alone is on its way to the memory.
  std::optional<std::uint32_t> arriving() const { return arriving_; }

  std::optional<End> end() const {
    const auto at = ended();
    if (!at) return std::nullopt;
    return End{}.set<layout::queue_end::queue>(*at).set<layout::queue_end::status>(
        status_of(queues_[*at].slots[queues_[*at].first_end()].failed));
  }
  std::optional<std::uint64_t> end_result() const {
    const auto at = ended();
    if (!at) return std::nullopt;
    return result_of(queues_[*at].slots[queues_[*at].first_end()]);
  }
  // Of several the one that ended first.
  std::optional<Message> message() const {
    namespace m = layout::received_message;
    namespace b = layout::receive_buffer;
    if (ends_.empty()) return std::nullopt;
    const Context& context = contexts_[ends_.front()];
    return Message{}
        .set<m::status>(status_of(context.failed))
        .set<m::bytes>(context.received)
        .set<m::word>(context.word)
        .set<m::node>(context.sender.node)
        .set<m::peer_queue>(context.sender.peer_queue)
        .set<m::queue>(context.entry.get<b::queue>())
        .set<m::owner>(context.entry.get<b::owner>())
        .set<m::index>(context.entry.get<b::index>())
        .set<m::sequence_number>(context.entry.get<b::sequence_number>())
        .set<m::done_event>(context.entry.get<b::done_event>())
        .set<m::done_event_valid>(context.entry.get<b::done_event_valid>())
        .set<m::interrupt_done>(context.entry.get<b::interrupt_done>())
        .set<m::signal>(context.entry.get<b::signal>());
  }
  // Those of contexts go first.
  std::optional<Answer> answer() const {
    namespace a = layout::send_answer;
    if (const auto at = context_answer()) {
      const Context& context = contexts_[*at];
      return Answer{}
          .set<a::queue>(context.sender.queue)
          .set<a::number>(context.number)
          .set<a::status>(status_of(context.failed));
    }
    const auto at = queue_answer();
    if (!at) return std::nullopt;
    const Queue& queue = queues_[*at / 2];
    return Answer{}
        .set<a::queue>(*at / 2)
        .set<a::number>(queue.expected - (queue.now() == *at % 2 ? 2 : 1))
        .set<a::status>(status_of(queue.slots[*at % 2].failed));
  }
  // The sender of a message that had a context; else who is told is the peer of the queue.
  std::optional<Peer> answer_sender() const {
    namespace p = layout::queue_peer;
    const auto at = context_answer();
    if (!at) return std::nullopt;
    const Sender& sender = contexts_[*at].sender;
    return Peer{}
        .set<p::x>(sender.node & 15U)
        .set<p::y>(sender.node >> 4U & 15U)
        .set<p::z>(sender.node >> 8U)
        .set<p::queue>(sender.peer_queue)
        .set<p::connected>(1);
  }
  bool busy() const {
    return !ends().empty() || !answers().empty() || !ends_.empty() || answer() || arriving_ ||
           watched_ != 0;
  }

  Verdict judge(const Packet& packet) const {
    namespace p = layout::queue_peer;
    if (packet.to() >= kQueues || !queues_[packet.to()].exists || !packet.peer.get<p::connected>())
      return refuse(packet, Status::kQueueInvalid);
    const bool any_peer = packet.peer.get<p::dynamic>() != 0;
    if (packet.dynamic() != any_peer || (!any_peer && !packet.of_peer()))
      return refuse(packet, Status::kPermission);
    return any_peer ? judge_dynamic(packet) : judge_paired(packet);
  }
  // A context is given when the packet is judged.
  Verdict with_context(const Packet& packet, Verdict verdict) const {
    if (!verdict.take || !packet.dynamic()) return verdict;
    const auto found = context_of(packet.sender());
    verdict.context = found ? *found : *given();
    verdict.epoch = (contexts_[verdict.context].epoch + (packet.first() ? 1 : 0)) % 4;
    return verdict;
  }
  // It is of a message that no reset has taken away, nor a copy that began anew.
  bool counts(const Stored& stored) const {
    namespace s = layout::message_stored;
    if (!stored.get<s::dynamic>())
      return queues_[stored.get<s::queue>()].epoch == stored.get<s::epoch>();
    const Context& context = contexts_[stored.get<s::reassembly>()];
    return context.epoch == stored.get<s::epoch>() && (context.open || context.completing);
  }

  // What the coming edge does. Where two things happen at once, the later here counts.
  void clock(const Cycle& in) {
    const Verdict verdict = in.job ? in.verdict : Verdict{};
    const bool takes_paired = verdict.take && !in.job->dynamic();
    const auto end = ended(), answer = queue_answer();
    choose(in, verdict);
    const bool under_way =
        queues_[in.reset_queue].under_way() || (takes_paired && in.job->to() == in.reset_queue);
    const bool stored = in.stored && counts(*in.stored);
    const unsigned slot = in.buffer ? queues_[queue_of(*in.buffer)].next_buffer() : 0;
    step_arriving(in, takes_paired, stored);
    if (in.end_ready) tell_end(end);
    if (in.answer_ready) tell_answer(answer);
    if (in.message_ready) tell_message();
    if (stored) store(*in.stored);
    if (takes_paired) take_paired(*in.job);
    if (verdict.take && !takes_paired) take_dynamic(*in.job, verdict);
    if (in.buffer) {
      Slot& next = queues_[queue_of(*in.buffer)].slots[slot];
      next.buffer = true;
      next.taken = false;
      next.entry = *in.buffer;
    }
    if (in.reset == Reset::kNone) return;
    reset_queue(in, under_way);
    if (in.reset != Reset::kStop) reset_contexts(in.reset_queue);
  }
  // Results that were told stay.
  void reset() {
    for (Queue& queue : queues_) {
      const auto result = queue.result;
      queue = {};
      queue.result = result;
    }
    end_.reset();
    answer_.reset();
    contexts_ = {};
    ends_.clear();
    forgot_ = false;
    turn_ = 0;
    arriving_.reset();
    watched_ = 0;
  }

 private:
  template <typename Number>
  static Number as(std::uint64_t value) {
    return static_cast<Number>(value);
  }
  static std::optional<std::uint64_t> result_of(const Slot& slot) {
    if (!slot.taken) return std::nullopt;
    return std::uint64_t{slot.word} << 32U | slot.bytes;
  }
  static Status status_of(bool failed) { return failed ? Status::kMemoryError : Status::kOk; }
  static unsigned queue_of(const Buffer& buffer) {
    return as<unsigned>(buffer.get<layout::receive_buffer::queue>());
  }
  // Later packets of a message that is refused are dropped.
  static Verdict refuse(const Packet& packet, Status status) {
    return refuse(packet, status, Verdict{});
  }
  static Verdict refuse(const Packet& packet, Status status, Verdict verdict) {
    if (packet.first()) verdict.status = status;
    return verdict;
  }
  static Verdict place(const Packet& packet, Verdict verdict) {
    if (!packet.fits(*verdict.entry)) return refuse(packet, Status::kLengthTooLong, verdict);
    if (!packet.counters_good) return refuse(packet, Status::kCounterInvalid, verdict);
    verdict.take = !packet.empty();
    return verdict;
  }
  Verdict judge_paired(const Packet& packet) const {
    const Queue& queue = queues_[packet.to()];
    const auto ahead = static_cast<std::int32_t>(packet.number() - queue.expected);
    if (ahead < 0) return judge_older(packet, queue, ahead >= -2);
    if (ahead > 0) return {};
    if (!queue.offers()) return refuse(packet, Status::kReceiveDisabled);
    const Verdict verdict{.entry = queue.slot().entry, .epoch = queue.epoch};
    const bool follows = queue.begun && packet.offset() == queue.slot().bytes;
    Verdict placed = place(packet, verdict);
    placed.take = placed.take && (packet.first() || follows);
    return placed;
  }
  static Verdict judge_older(const Packet& packet, const Queue& queue, bool recent) {
    Verdict verdict;
    if (!packet.last()) return verdict;
    const Slot& slot = queue.slots[packet.number() % 2];
    const bool reused = queue.begun && packet.number() % 2 == queue.now();
    if (recent && slot.completing) return verdict;
    if (recent && slot.failed && !reused)
      verdict.status = Status::kMemoryError;
    else
      verdict.acknowledge = true;
    return verdict;
  }
  Verdict judge_dynamic(const Packet& packet) const {
    const Queue& queue = queues_[packet.to()];
    const auto found = context_of(packet.sender());
    const Context context = found ? contexts_[*found] : Context{};
    const bool same = found && context.number == packet.number();
    const bool may_be_old = found ? same : forgot_;
    const bool fresh = packet.first() && !(packet.doubtful() && may_be_old);
    Verdict verdict;
    if (context.open || queue.offers())
      verdict.entry = context.open ? context.entry : queue.slot().entry;
    if (packet.first() && !fresh && !found)
      return refuse(packet, Status::kDeliveryUnknown, verdict);
    if (fresh && (context.waits() || !verdict.entry || !(found || given())))
      return refuse(packet, Status::kReceiveDisabled, verdict);
    if (fresh ||
        (same && context.open && (packet.first() || packet.offset() == context.received))) {
      verdict.context = found ? *found : *given();
      verdict.epoch = (contexts_[verdict.context].epoch + (packet.first() ? 1 : 0)) % 4;
      return place(packet, verdict);
    }
    const bool answered = same && !context.open && !context.waits();
    if (!answered || !packet.last() || !packet.doubtful()) return verdict;
    verdict.acknowledge = !context.failed;
    verdict.status = status_of(context.failed);
    return verdict;
  }
  std::optional<unsigned> context_of(const Sender& sender) const {
    for (unsigned i = 0; i < kContexts; ++i)
      if (contexts_[i].known && contexts_[i].sender == sender) return i;
    return std::nullopt;
  }
  // One that knows nothing, else one that is kept, in turn.
  std::optional<unsigned> given() const {
    for (unsigned i = 0; i < kContexts; ++i)
      if (!contexts_[i].known) return i;
    for (unsigned i = 0; i < kContexts; ++i) {
      const unsigned at = (turn_ + i) % kContexts;
      if (!contexts_[at].open && !contexts_[at].waits()) return at;
    }
    return std::nullopt;
  }
  std::optional<unsigned> ended() const { return end_.shown(); }
  std::set<unsigned> ends() const {
    std::set<unsigned> ends;
    for (unsigned i = 0; i < kQueues; ++i)
      if (queues_[i].untold()) ends.insert(i);
    return ends;
  }
  std::optional<unsigned> context_answer() const {
    for (unsigned i = 0; i < kContexts; ++i)
      if (contexts_[i].answer) return i;
    return std::nullopt;
  }
  std::optional<unsigned> queue_answer() const { return answer_.shown(); }
  std::set<unsigned> answers() const {
    std::set<unsigned> answers;
    for (unsigned i = 0; i < 2 * kQueues; ++i)
      if (queues_[i / 2].slots[i % 2].answer) answers.insert(i);
    return answers;
  }
  // What is told next of the queues.
  void choose(const Cycle& in, const Verdict& verdict) {
    namespace s = layout::message_stored;
    const bool resets = in.reset != Reset::kNone;
    ToldNext::Cycle end{.waiting = ends(), .told = ended() && in.end_ready, .resets = resets};
    end.twice = ended() && queues_[*ended()].slots[0].end && queues_[*ended()].slots[1].end;
    ToldNext::Cycle answer{.waiting = answers(),
                           .told = queue_answer() && in.answer_ready && !context_answer(),
                           .resets = resets};
    end.forgets = resets && ended() == in.reset_queue;
    answer.forgets = resets && in.reset != Reset::kStop && queue_answer() &&
                     *queue_answer() / 2 == in.reset_queue;
    const bool claims = verdict.take && in.job->dynamic() && in.job->first();
    if (claims && !contexts_[verdict.context].open) end.due = in.job->to();
    if (in.stored && counts(*in.stored) && !in.stored->get<s::dynamic>() &&
        in.stored->get<s::message_end>()) {
      end.due = as<unsigned>(in.stored->get<s::queue>());
      answer.due = 2 * *end.due + as<unsigned>(in.stored->get<s::slot>());
    }
    end_.clock(end);
    answer_.clock(answer);
  }

  // Of the queue that is watched: packets under way to the memory, and the message among them.
  void step_arriving(const Cycle& in, bool takes_paired, bool counted) {
    namespace s = layout::message_stored;
    if (!in.watch || (in.reset != Reset::kNone && in.reset_queue == in.watch_queue)) {
      arriving_.reset();
      watched_ = 0;
      return;
    }
    const bool takes = takes_paired && in.job->to() == in.watch_queue;
    const bool stores =
        counted && !in.stored->get<s::dynamic>() && in.stored->get<s::queue>() == in.watch_queue;
    if (stores && in.stored->get<s::message_end>()) arriving_.reset();
    if (takes && in.job->last() && watched_ == 0 && !queues_[in.job->to()].untold() &&
        in.job->offset() >= kPayload)
      arriving_ = as<std::uint32_t>(in.job->behind());
    watched_ += (takes ? 1 : 0) - (stores ? 1 : 0);
  }
  void tell_end(const std::optional<unsigned>& at) {
    if (!at) return;
    Queue& queue = queues_[*at];
    queue.result = result_of(queue.slots[queue.first_end()]);
    queue.slots[queue.first_end()].end = false;
  }
  void tell_answer(const std::optional<unsigned>& slot) {
    if (const auto at = context_answer()) {
      contexts_[*at].answer = false;
    } else if (slot) {
      queues_[*slot / 2].slots[*slot % 2].answer = false;
    }
  }
  // Its answer comes once it is told.
  void tell_message() {
    if (ends_.empty()) return;
    Context& context = contexts_[ends_.front()];
    context.end = false;
    context.answer = true;
    ends_.pop_front();
  }
  void store(const Stored& stored) {
    namespace s = layout::message_stored;
    const bool failed = stored.get<s::failed>() != 0, last = stored.get<s::message_end>() != 0;
    if (!stored.get<s::dynamic>()) {
      Slot& slot = queues_[stored.get<s::queue>()].slots[stored.get<s::slot>()];
      slot.failed = slot.failed || failed;
      if (!last) return;
      slot.completing = false;
      slot.end = slot.answer = true;
      return;
    }
    const auto at = as<unsigned>(stored.get<s::reassembly>());
    contexts_[at].failed = contexts_[at].failed || failed;
    if (!last) return;
    contexts_[at].completing = false;
    contexts_[at].end = true;
    ends_.push_back(at);
  }
  void take_paired(const Packet& packet) {
    Queue& queue = queues_[packet.to()];
    Slot& slot = queue.slots[queue.now()];
    slot.failed = slot.failed && queue.begun;
    slot.taken = true;
    slot.bytes = as<std::uint32_t>(packet.behind());
    slot.word = packet.word();
    queue.begun = !packet.last();
    if (queue.begun) return;
    slot.buffer = false;
    slot.completing = true;
    ++queue.expected;
  }
  void take_dynamic(const Packet& packet, const Verdict& verdict) {
    Context& context = contexts_[verdict.context];
    if (packet.first()) {
      if (!context.open) claim(queues_[packet.to()]);
      if (!context_of(packet.sender())) {
        forgot_ = forgot_ || context.known;
        turn_ = verdict.context + 1;
      }
      context.known = true;
      context.sender = packet.sender();
      context.number = packet.number();
      context.epoch = verdict.epoch;
      context.entry = *verdict.entry;
      context.failed = false;
    }
    context.open = !packet.last();
    context.completing = packet.last();
    context.received = as<std::uint32_t>(packet.behind());
    context.word = packet.word();
  }
  static void claim(Queue& queue) {
    Slot& slot = queue.slots[queue.now()];
    slot.buffer = slot.failed = false;
    slot.end = true;
    ++queue.expected;
  }
  void reset_queue(const Cycle& in, bool under_way) {
    Queue& queue = queues_[in.reset_queue];
    if (under_way) queue.epoch = (queue.epoch + 1) % 4;
    queue.begun = false;
    for (Slot& slot : queue.slots) {
      slot.buffer = slot.completing = slot.end = false;
      if (in.reset != Reset::kStop) slot.failed = slot.answer = false;
    }
    if (in.reset != Reset::kConfigure) return;
    queue.exists = in.receives;
    queue.expected = 0;
  }
  void reset_contexts(unsigned queue) {
    for (unsigned i = 0; i < kContexts; ++i) {
      Context& context = contexts_[i];
      if (!context.known || context.sender.queue != queue) continue;
      context.known = context.open = context.completing = context.end = context.answer = false;
      std::erase(ends_, i);
      forgot_ = true;
    }
  }

  std::array<Queue, kQueues> queues_;
  ToldNext end_, answer_;  // a queue, a slot
  std::array<Context, kContexts> contexts_;
  std::deque<unsigned> ends_;  // contexts whose message is in memory, which is to be told
  bool forgot_ = false;        // a sender that was known
  unsigned turn_ = 0;          // the context behind the one given last
  std::optional<std::uint32_t> arriving_;
  int watched_ = 0;  // packets of the queue that is watched, under way to the memory
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MESSAGE_RECEPTION_MODEL_H_
