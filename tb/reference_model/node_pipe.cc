// SPDX-License-Identifier: Apache-2.0
// PIPE of the reference node: what a receive queue in mode PIPED receives goes on to the peer of
// the queue that holds the PIPE, or stays, or a buffer goes there in pieces (US 9,344,490).
// docs/queue_pairs.md has the rules.
#include <algorithm>
#include <utility>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace p = layout::pipe_operation;
namespace b = layout::pipe_buffer;

}  // namespace

void ReferenceNode::begin_pipe(std::uint32_t queue, const Descriptor& descriptor) {
  Queue& entry = queues_[queue];
  const auto operation = PipeOperation::from_bytes(descriptor.get<d::immediate>());
  const bool origin = operation.get<p::origin>() != 0, target = operation.get<p::target>() != 0;
  const auto from = static_cast<std::uint32_t>(operation.get<p::receive_queue>());
  if (!origin && (!is_own_queue(from, entry.owner()) || queues_[from].mode() != QueueMode::kPiped ||
                  queues_[from].dynamic())) {
    fail(queue, descriptor, Status::kQueueInvalid);
    return;
  }
  if (!may_begin_pipe(descriptor)) {
    entry.waits_for_pipe = true;
    entry.waiting_descriptor = descriptor;
    return;
  }
  std::vector<Pipe::Place> places;
  if (operation.get<p::listed>() != 0) {
    const Status status = read_places(queue, descriptor, places);
    if (status != Status::kOk) {
      fail(queue, descriptor, status);
      return;
    }
  }
  // Of a list, each entry counts for one.
  const Bytes buffer_bytes =
      places.empty() ? operation.get<p::buffer_bytes>() : Bytes{PipeBuffer::kBytes};
  const Bytes length = descriptor.get<d::length>();
  const std::uint64_t pieces = (length + buffer_bytes - 1) / buffer_bytes;
  const bool whole = origin || target;
  entry.piping = true;
  *std::ranges::find(pipes_, false, &Pipe::runs) = {
      .runs = true,
      .queue = queue,
      .receive_queue = origin ? std::nullopt : std::optional(from),
      .sends = !target,
      .descriptor = descriptor,
      .messages = whole ? pieces : operation.get<p::messages>(),
      .buffer_bytes = buffer_bytes,
      .buffers =
          whole ? pieces : std::min<std::uint64_t>(length / buffer_bytes, Pipe::kMostBuffers),
      .places = places};
}

// The list of its buffers, or the first that is wrong with it. The region of the list itself has
// been looked at.
Status ReferenceNode::read_places(std::uint32_t queue, const Descriptor& descriptor,
                                  std::vector<Pipe::Place>& places) {
  std::vector<std::uint8_t> list(descriptor.get<d::length>());
  if (!read_memory(
          regions_[descriptor.get<d::source_region>()].base + descriptor.get<d::source_offset>(),
          list)) {
    return Status::kMemoryError;
  }
  for (std::size_t at = 0; at < list.size(); at += PipeBuffer::kBytes) {
    const auto entry = PipeBuffer::from_bytes(
        std::span<const std::uint8_t>(list).subspan(at).first<PipeBuffer::kBytes>());
    if (!reserved_bits_are_zero(entry)) return Status::kReservedBits;
    const auto region = static_cast<std::uint32_t>(entry.get<b::region>());
    const Bytes offset = entry.get<b::offset>(), bytes = entry.get<b::bytes>();
    if (bytes == 0) return Status::kLengthZero;
    const Status status =
        check_region(region, offset, bytes, Access::kLocalRead, queues_[queue].owner());
    if (status != Status::kOk) return status;
    places.push_back({region, offset, bytes, regions_[region].base + offset});
  }
  return Status::kOk;
}

// One is free, and no other receives from its queue.
bool ReferenceNode::may_begin_pipe(const Descriptor& descriptor) const {
  const auto operation = PipeOperation::from_bytes(descriptor.get<d::immediate>());
  const auto from = static_cast<std::uint32_t>(operation.get<p::receive_queue>());
  const bool receives = operation.get<p::origin>() == 0;
  return std::ranges::any_of(pipes_, [](const Pipe& pipe) { return !pipe.runs; }) &&
         !(receives && pipe_from(from) != nullptr);
}

// Of the queue that it holds, and of the one that it receives from.
const Pipe& ReferenceNode::pipe_in(std::uint32_t queue) const {
  return *std::ranges::find_if(pipes_,
                               [&](const Pipe& pipe) { return pipe.runs && pipe.queue == queue; });
}
Pipe& ReferenceNode::pipe_in(std::uint32_t queue) {
  return const_cast<Pipe&>(std::as_const(*this).pipe_in(queue));
}
const Pipe* ReferenceNode::pipe_from(std::uint32_t receive_queue) const {
  const auto pipe = std::ranges::find_if(pipes_, [&](const Pipe& candidate) {
    return candidate.runs && candidate.receive_queue == receive_queue;
  });
  return pipe == pipes_.end() ? nullptr : &*pipe;
}

Address ReferenceNode::buffer_address(const Pipe& pipe, std::uint64_t message) const {
  if (!pipe.places.empty()) return pipe.places.at(message % pipe.buffers).address;
  const Descriptor& descriptor = pipe.descriptor;
  return regions_[descriptor.get<d::source_region>()].base + descriptor.get<d::source_offset>() +
         message % pipe.buffers * pipe.buffer_bytes;
}

bool ReferenceNode::may_send_on(std::uint32_t number) const {
  const Pipe& pipe = pipe_in(number);
  const Queue& queue = queues_[number];
  const auto phase = queue.sending.phase;
  if (phase == Sending::Phase::kNone) return pipe.has_message(0);
  return phase == Sending::Phase::kDue || (queue.has_room_ahead() && pipe.has_message(1));
}

// The message to be acknowledged next, or the one behind it.
ReferenceNode::Step ReferenceNode::send_on(std::uint32_t queue, Cycles now) {
  const auto phase = queues_[queue].sending.phase;
  const bool first = phase == Sending::Phase::kNone || phase == Sending::Phase::kDue;
  const Pipe& pipe = pipe_in(queue);
  const std::uint64_t message = pipe.acknowledged + (first ? 0 : 1);
  const std::uint64_t buffer = message % pipe.buffers;
  const Bytes bytes = pipe.receive_queue ? pipe.bytes.at(buffer) : pipe.most_bytes(message);
  Descriptor send = pipe.descriptor;
  send.set<d::opcode>(Opcode::kSend)
      .set<d::source_offset>(send.get<d::source_offset>() + buffer * pipe.buffer_bytes)
      .set<d::length>(bytes);
  if (!pipe.places.empty()) {
    const Pipe::Place& place = pipe.places.at(buffer);
    send.set<d::source_region>(place.region).set<d::source_offset>(place.offset);
  }
  if (!first) return send_ahead(queue, send, now);
  begin_send(queue, send);
  return send_first({queue, send}, false, now);
}

void ReferenceNode::end_piped_send(std::uint32_t queue, SendEnd end, Cycles now) {
  Pipe& pipe = pipe_in(queue);
  if (end.status == Status::kOk) {
    ++pipe.acknowledged;
  } else {
    stop_pipe(pipe, end.status);
  }
  if (end.uses_number()) {
    advance_to_ahead(queue, now);
  } else {
    forget_sends(queue);
  }
  end_pipe_if_done(queue);
}

// The last packet of a message has been taken.
void ReferenceNode::end_piped_receive(std::uint32_t number, const Packet& packet) {
  Queue& queue = queues_[number];
  Pipe& pipe = pipe_in(pipe_from(number)->queue);
  if (queue.failed.at((queue.number - 1) % 2)) {
    raise(queue.owner(), Cause::kError);
    fail_pipe(pipe, Status::kMemoryError);
    return;
  }
  bump_target(packet, queue.owner());
  if (pipe.sends) {
    pipe.bytes.at(pipe.received % pipe.buffers) = queue.receiving.arrived;
  } else {
    ++pipe.acknowledged;
  }
  ++pipe.received;
  queue.receiving = {};
  acknowledge(packet);
  end_pipe_if_done(pipe.queue);
}

// Nothing is received or sent on any more; the first failure counts.
void ReferenceNode::stop_pipe(Pipe& pipe, Status status) {
  if (pipe.failed == Status::kOk) pipe.failed = status;
  forget_piped(pipe);
}

// Of a message that has begun to come nothing counts.
void ReferenceNode::forget_piped(const Pipe& pipe) {
  if (pipe.receive_queue) queues_[*pipe.receive_queue].receiving = {};
}

void ReferenceNode::fail_pipe(Pipe& pipe, Status status) {
  stop_pipe(pipe, status);
  end_pipe_if_done(pipe.queue);
}

// What is under way may still be taken: its end is waited for.
void ReferenceNode::end_pipe_if_done(std::uint32_t queue) {
  const Queue& entry = queues_[queue];
  if (!entry.piping || entry.sending.phase != Sending::Phase::kNone) return;
  Pipe& pipe = pipe_in(queue);
  if (pipe.failed != Status::kOk || pipe.acknowledged == pipe.messages) end_pipe(pipe);
}

void ReferenceNode::end_pipe(Pipe& pipe) {
  const Pipe ended = pipe;
  Queue& entry = queues_[ended.queue];
  if (running_ && running_->queue == ended.queue) running_.reset();
  entry.piping = false;
  forget_piped(ended);
  pipe = {};
  if (ended.failed == Status::kOk) {
    finish(ended.queue, with_event_of_peer(entry, ended.descriptor));
  } else {
    fail(ended.queue, ended.descriptor, ended.failed);
  }
}

}  // namespace torusmu::model
