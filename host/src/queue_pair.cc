// SPDX-License-Identifier: Apache-2.0
#include "torusmu/queue_pair.h"

#include <span>
#include <vector>

#include "host/src/pair_queues.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;

constexpr Bytes kMostBytes = 0xFFFFFFFF;  // of a message
constexpr std::uint32_t kMostPipeBuffers = 16;
// Tags of the library's messages by which two ends meet: no group has this number.
constexpr std::uint32_t kMeetingTags = 32767U << 16;

std::uint32_t meeting_tag(std::uint32_t from, std::uint32_t to) {
  return kMeetingTags | from << 8 | to;
}

}  // namespace

struct QueuePair::State {
  State(Context& context, std::uint32_t own_number, Task other)
      : number(own_number), peer(other), queues(context, own_number) {}

  std::uint32_t number;
  Task peer;
  PairQueues queues;
  std::optional<Request> hello;  // of the peer, until it has come
};

QueuePair::QueuePair(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueuePair::QueuePair(QueuePair&&) noexcept = default;
QueuePair& QueuePair::operator=(QueuePair&&) noexcept = default;
QueuePair::~QueuePair() = default;

Result<QueuePair> QueuePair::open(Context& context, std::uint32_t number, Task peer,
                                  std::uint32_t peer_number) {
  const std::uint32_t pairs = context.plan().options().queue_pairs;
  if (number >= pairs || peer_number >= pairs || peer.value >= context.tasks() ||
      context.plan().context_of_pair(number) != context.id() ||
      context.plan().context_of_pair(peer_number) != context.id()) {
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
  const auto met = state_->queues.context().wait(*state_->hello, deadline);
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

std::error_code QueuePair::enable_receives(std::uint32_t count) {
  return state_->queues.enable_receives(count);
}

std::error_code QueuePair::post(std::span<const Descriptor> list) {
  if (state_->hello) {
    if (!state_->queues.context().test(*state_->hello)) return Errc::kAgain;
    state_->hello.reset();
  }
  return state_->queues.post(list);
}
std::error_code QueuePair::post_receives(std::span<const Descriptor> list) {
  return state_->queues.post_receives(list);
}

Result<Descriptor> QueuePair::receive(Address buffer, Bytes capacity,
                                      const WorkOptions& options) const {
  return state_->queues.work(Opcode::kReceive, buffer, capacity, options);
}
Result<Descriptor> QueuePair::send(Address data, Bytes bytes, const WorkOptions& options) const {
  return state_->queues.work(Opcode::kSend, data, bytes, options);
}

Result<Descriptor> QueuePair::pipe(const QueuePair& from, std::uint32_t messages,
                                   const PipeBuffers& buffers, const WorkOptions& options) const {
  namespace p = layout::pipe_operation;
  if (messages == 0 || buffers.count == 0 || buffers.count > kMostPipeBuffers ||
      buffers.bytes == 0 || buffers.bytes > kMostBytes) {
    return Errc::kBadArgument;
  }
  auto descriptor =
      state_->queues.work(Opcode::kPipe, buffers.address, buffers.count * buffers.bytes, options);
  if (!descriptor) return descriptor;
  const QueueId receives = from.state_->queues.queue(NodePlan::End::kReceive);
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

Result<Descriptor> QueuePair::pipe_through(const QueuePair& from, std::uint32_t messages,
                                           Address list, std::span<const BufferPlace> buffers,
                                           const WorkOptions& options) const {
  namespace b = layout::pipe_buffer;
  namespace p = layout::pipe_operation;
  if (messages == 0 || buffers.empty() || buffers.size() > kMostPipeBuffers) {
    return Errc::kBadArgument;
  }
  Context& context = state_->queues.context();
  std::vector<std::byte> entries;
  for (const BufferPlace& buffer : buffers) {
    if (buffer.bytes == 0 || buffer.bytes > kMostBytes) return Errc::kBadArgument;
    const auto place = context.name_memory(buffer.address, buffer.bytes);
    if (!place) return place.error();
    const auto entry = PipeBuffer()
                           .set<b::region>(place.value().region.value)
                           .set<b::offset>(place.value().offset)
                           .set<b::bytes>(buffer.bytes)
                           .bytes();
    const auto view = std::as_bytes(std::span(entry));
    entries.insert(entries.end(), view.begin(), view.end());
  }
  auto descriptor = state_->queues.work(Opcode::kPipe, list, entries.size(), options);
  if (!descriptor) return descriptor;
  context.device().store(list, entries);
  const QueueId receives = from.state_->queues.queue(NodePlan::End::kReceive);
  return descriptor.value().set<d::immediate>(PipeOperation()
                                                  .set<p::messages>(messages)
                                                  .set<p::receive_queue>(receives.value)
                                                  .set<p::listed>(1)
                                                  .bytes());
}
std::error_code QueuePair::post_pipe_through(const QueuePair& from, std::uint32_t messages,
                                             Address list, std::span<const BufferPlace> buffers,
                                             const WorkOptions& options) {
  const auto descriptor = pipe_through(from, messages, list, buffers, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}

Result<Descriptor> QueuePair::pipe_pieces(Address buffer, Bytes bytes, Bytes piece_bytes,
                                          PipeOperation operation,
                                          const WorkOptions& options) const {
  if (piece_bytes == 0 || piece_bytes > bytes || piece_bytes > kMostBytes) {
    return Errc::kBadArgument;
  }
  auto descriptor = state_->queues.work(Opcode::kPipe, buffer, bytes, options);
  if (!descriptor) return descriptor;
  operation.set<layout::pipe_operation::buffer_bytes>(piece_bytes);
  return descriptor.value().set<d::immediate>(operation.bytes());
}
Result<Descriptor> QueuePair::pipe_from(Address data, Bytes bytes, Bytes piece_bytes,
                                        const WorkOptions& options) const {
  return pipe_pieces(data, bytes, piece_bytes,
                     PipeOperation().set<layout::pipe_operation::origin>(1), options);
}
std::error_code QueuePair::post_pipe_from(Address data, Bytes bytes, Bytes piece_bytes,
                                          const WorkOptions& options) {
  const auto descriptor = pipe_from(data, bytes, piece_bytes, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}
Result<Descriptor> QueuePair::pipe_into(const QueuePair& from, Address buffer, Bytes bytes,
                                        Bytes piece_bytes, const WorkOptions& options) const {
  const QueueId receives = from.state_->queues.queue(NodePlan::End::kReceive);
  return pipe_pieces(buffer, bytes, piece_bytes,
                     PipeOperation()
                         .set<layout::pipe_operation::target>(1)
                         .set<layout::pipe_operation::receive_queue>(receives.value),
                     options);
}
std::error_code QueuePair::post_pipe_into(const QueuePair& from, Address buffer, Bytes bytes,
                                          Bytes piece_bytes, const WorkOptions& options) {
  const auto descriptor = pipe_into(from, buffer, bytes, piece_bytes, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}

Result<Descriptor> QueuePair::fence(Task task, const WorkOptions& options) const {
  return state_->queues.fence(task, options);
}
Descriptor QueuePair::wait_for_receives(std::uint32_t messages) const {
  return state_->queues.wait_for_receives(messages);
}
Descriptor QueuePair::enable(std::uint32_t count) const { return state_->queues.enable(count); }

}  // namespace torusmu
