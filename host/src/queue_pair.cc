// SPDX-License-Identifier: Apache-2.0
#include "torusmu/queue_pair.h"

#include "host/src/send_queue.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

constexpr Bytes kMostBytes = 0xFFFFFFFF;  // of a SEND
constexpr std::uint32_t kMostPipeBuffers = 16;
// Tags of the library's messages by which two ends meet: no group has this number.
constexpr std::uint32_t kMeetingTags = 32767U << 16;

std::uint32_t meeting_tag(std::uint32_t from, std::uint32_t to) {
  return kMeetingTags | from << 8 | to;
}

}  // namespace

struct QueuePair::State {
  State(Context& owner, std::uint32_t own_number, Task other)
      : context(owner),
        client(owner.plan().endpoint(owner.task()).client),
        number(own_number),
        peer(other),
        sends(queue_of(NodePlan::End::kSend)),
        receives(queue_of(NodePlan::End::kReceive)) {}

  [[nodiscard]] SendQueue queue_of(NodePlan::End end) const {
    const NodePlan& plan = context.plan();
    return {context.device(), client, plan.pair_queue(client, number, end),
            plan.pair_ring(client, number, end).address, plan.options().queue_pair_slots};
  }

  static std::error_code post(SendQueue& queue, std::span<const Descriptor> list) {
    if (list.size() > queue.slots()) return Errc::kBadArgument;
    if (!queue.has_room(static_cast<std::uint32_t>(list.size()))) {
      return queue.device_gone() ? Errc::kDeviceGone : Errc::kAgain;
    }
    for (const Descriptor& descriptor : list) queue.post(descriptor);
    queue.ring();
    return {};
  }

  [[nodiscard]] Result<Descriptor> work(Opcode opcode, Address at, Bytes bytes,
                                        const WorkOptions& options) const {
    if (bytes == 0 || (opcode == Opcode::kSend && bytes > kMostBytes)) return Errc::kBadArgument;
    const auto place = context.name_memory(at, bytes);
    if (!place) return place.error();
    Descriptor descriptor = Descriptor()
                                .set<d::opcode>(opcode)
                                .set<d::source_region>(place.value().region.value)
                                .set<d::source_offset>(place.value().offset)
                                .set<d::length>(bytes)
                                .set<d::signal>(options.signal ? 1 : 0)
                                .set<d::interrupt_done>(options.interrupt ? 1 : 0)
                                .set<d::sequence_number>(options.id);
    if (opcode != Opcode::kReceive) {
      descriptor.set<d::header>(PacketHeader().set<h::word>(options.word));
    }
    if (options.event) {
      descriptor.set<d::done_event_valid>(1).set<d::done_event>(options.event->value);
    }
    return descriptor;
  }

  // An operation on the receive queue of this pair.
  [[nodiscard]] Descriptor on_receives(Opcode opcode, std::uint32_t value) const {
    const QueueId queue = context.plan().pair_queue(client, number, NodePlan::End::kReceive);
    return Descriptor()
        .set<d::opcode>(opcode)
        .set<d::immediate>(WaitOperation().set<w::value>(value).bytes())
        .set<d::header>(PacketHeader().set<h::target>(queue.value));
  }

  Context& context;
  ClientId client;
  std::uint32_t number;
  Task peer;
  SendQueue sends;
  SendQueue receives;
  std::optional<Request> hello;  // of the peer, until it has come
};

QueuePair::QueuePair(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueuePair::QueuePair(QueuePair&&) noexcept = default;
QueuePair& QueuePair::operator=(QueuePair&&) noexcept = default;
QueuePair::~QueuePair() = default;

Result<QueuePair> QueuePair::open(Context& context, std::uint32_t number, Task peer,
                                  std::uint32_t peer_number) {
  const std::uint32_t pairs = context.plan().options().queue_pairs;
  if (number >= pairs || peer_number >= pairs || peer.value >= context.tasks()) {
    return Errc::kBadArgument;
  }
  auto state = std::make_unique<State>(context, number, peer);
  if (peer != context.task()) {
    // A message of no bytes each way: who has sent it has been connected before.
    const auto sent = context.send_internal(peer, meeting_tag(number, peer_number), 0, 0);
    if (!sent) return sent.error();
    const auto here = context.receive_internal(peer, meeting_tag(peer_number, number), 0, 0);
    if (!here) return here.error();
    state->hello = here.value();
  }
  return QueuePair(std::move(state));
}

std::error_code QueuePair::meet(Cycles deadline) {
  if (!state_->hello) return {};
  const auto met = state_->context.wait(*state_->hello, deadline);
  if (!met) return met.error();
  state_->hello.reset();
  return met.value().error;
}

std::uint32_t QueuePair::number() const { return state_->number; }
Task QueuePair::peer() const { return state_->peer; }

std::error_code QueuePair::post_receive(Address buffer, Bytes capacity,
                                        const WorkOptions& options) {
  const auto descriptor = receive(buffer, capacity, options);
  return descriptor ? post_receives({&descriptor.value(), 1}) : descriptor.error();
}

std::error_code QueuePair::post_send(Address data, Bytes bytes, const WorkOptions& options) {
  const auto descriptor = send(data, bytes, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}

// Not through the send queue of the pair: there it might stand behind a SEND that waits for the
// same of its peer.
std::error_code QueuePair::enable_receives(std::uint32_t count) {
  return state_->context.run_internal(enable(count));
}

std::error_code QueuePair::post(std::span<const Descriptor> list) {
  if (state_->hello) {
    if (!state_->context.test(*state_->hello)) return Errc::kAgain;
    state_->hello.reset();
  }
  return State::post(state_->sends, list);
}
std::error_code QueuePair::post_receives(std::span<const Descriptor> list) {
  return State::post(state_->receives, list);
}

Result<Descriptor> QueuePair::receive(Address buffer, Bytes capacity,
                                      const WorkOptions& options) const {
  return state_->work(Opcode::kReceive, buffer, capacity, options);
}
Result<Descriptor> QueuePair::send(Address data, Bytes bytes, const WorkOptions& options) const {
  return state_->work(Opcode::kSend, data, bytes, options);
}

Result<Descriptor> QueuePair::pipe(const QueuePair& from, std::uint32_t messages,
                                   const PipeBuffers& buffers, const WorkOptions& options) const {
  namespace p = layout::pipe_operation;
  if (messages == 0 || buffers.count == 0 || buffers.count > kMostPipeBuffers ||
      buffers.bytes == 0 || buffers.bytes > kMostBytes) {
    return Errc::kBadArgument;
  }
  auto descriptor =
      state_->work(Opcode::kPipe, buffers.address, buffers.count * buffers.bytes, options);
  if (!descriptor) return descriptor;
  const QueueId receives = state_->context.plan().pair_queue(state_->client, from.number(),
                                                             NodePlan::End::kReceive);
  return descriptor.value().set<d::immediate>(PipeOperation()
                                                  .set<p::messages>(messages)
                                                  .set<p::buffer_bytes>(buffers.bytes)
                                                  .set<p::receive_queue>(receives.value)
                                                  .bytes());
}
std::error_code QueuePair::post_pipe(const QueuePair& from, std::uint32_t messages,
                                     const PipeBuffers& buffers, const WorkOptions& options) {
  const auto descriptor = pipe(from, messages, buffers, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}

Descriptor QueuePair::wait_for_receives(std::uint32_t messages) const {
  return state_->on_receives(Opcode::kWait, messages).set<d::on_queue>(1);
}
Descriptor QueuePair::enable(std::uint32_t count) const {
  return state_->on_receives(Opcode::kRecvEn, count).set<d::relative>(1);
}

}  // namespace torusmu
