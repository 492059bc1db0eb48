// SPDX-License-Identifier: Apache-2.0
// Queue pairs of the reference node: SENDs that wait for their acknowledgement, and what becomes of
// those of others (US 9,344,490). docs/queue_pairs.md has the rules.
#include <algorithm>
#include <limits>

#include "tb/reference_model/node_model.h"
#include "tb/reference_model/opcodes.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace peer = registers::injection_queue::peer_field;

constexpr Cycles kTimeoutFactor = 8;  // of a SEND without an answer

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

bool is_first(const Packet& packet) { return packet.header.get<h::offset>() == 0; }
QueueOfNode sender_of(const Packet& packet) {
  const PacketHeader& header = packet.header;
  return {{low(header.get<h::src_x>()), low(header.get<h::src_y>()), low(header.get<h::src_z>())},
          low(packet.trailer.get<t::queue>())};
}
QueueOfNode target_of_send(const Queue& queue, const Descriptor& descriptor) {
  if (!queue.dynamic()) return queue.peer_queue();
  const PacketHeader image = descriptor.get<d::header>();
  return {{low(image.get<h::dst_x>()), low(image.get<h::dst_y>()), low(image.get<h::dst_z>())},
          low(image.get<h::target>())};
}

// The counter of the peer register tells of a descriptor that names none itself.
Descriptor with_event_of_peer(const Queue& queue, Descriptor descriptor) {
  if (descriptor.get<d::done_event_valid>() == 0 && extract(queue.peer, peer::event_valid) != 0) {
    descriptor.set<d::done_event_valid>(1).set<d::done_event>(
        extract(queue.peer, peer::event_counter));
  }
  return descriptor;
}

Status ReferenceNode::check_pair(const Descriptor& descriptor, const Queue& queue) const {
  const auto opcode = descriptor.get<d::opcode>();
  const bool sends = opcode != Opcode::kReceive && !only_receives(descriptor);
  const Bytes length = descriptor.get<d::length>();
  if (sends && !queue.connected()) return Status::kQueueInvalid;
  if (queue.dynamic() && opcode == Opcode::kPipe) return Status::kQueueInvalid;
  if (sends && queue.broken) return Status::kRetryExceeded;
  if (sends && queue.dynamic()) {
    const Status status = check_dynamic_target(descriptor);
    if (status != Status::kOk) return status;
  }
  if (descriptor.get<d::immediate_valid>() == 0) {
    const Status status =
        check_region(low(descriptor.get<d::source_region>()), descriptor.get<d::source_offset>(),
                     length, Access::kLocalRead, queue.owner());
    if (status != Status::kOk) return status;
  }
  const Descriptor told = with_event_of_peer(queue, descriptor);
  if (told.get<d::done_event_valid>() == 0) return Status::kOk;
  const auto event = told.get<d::done_event>();
  const bool is_own =
      event < events_.size() && events_[event].enabled() && events_[event].owner() == queue.owner();
  return is_own ? Status::kOk : Status::kCounterInvalid;
}

// --- SEND ---------------------------------------------------------------------------------------

void ReferenceNode::address_send(Packet& packet, const Running& running) const {
  const Queue& queue = queues_[running.queue];
  const QueueOfNode to = target_of_send(queue, running.descriptor);
  packet.header.set<h::dst_x>(to.node.x)
      .set<h::dst_y>(to.node.y)
      .set<h::dst_z>(to.node.z)
      .set<h::target>(to.queue);
  packet.trailer.set<t::index>(low(running.descriptor.get<d::length>()))
      .set<t::sequence_number>(queue.number + (running.ahead ? 1 : 0))
      .set<t::dynamic>(queue.dynamic())
      .set<t::doubtful>(queue.dynamic() && queue.sending.doubtful);
}

void ReferenceNode::begin_send(std::uint32_t queue, const Descriptor& descriptor) {
  Queue& entry = queues_[queue];
  Sending& sending = entry.sending;
  const bool again = sending.phase == Sending::Phase::kDue;
  const std::uint64_t copies = again ? sending.copies : 0;
  sending = {.phase = Sending::Phase::kLeaving,
             .doubtful = entry.dynamic() ? copies != 0 : again && sending.doubtful,
             .unknown = again && sending.unknown,
             .descriptor = descriptor,
             .retries = again ? sending.retries : 0,
             .copies = copies + 1};
  entry.stays_behind = false;
  entry.fencing.follows = again;
  Sending& ahead = entry.ahead;
  if (ahead.phase == Sending::Phase::kNone || ahead.ended) return;
  // It follows again. If no refusal tells that its copy is gone, that may still be taken.
  const bool is_refused = ahead.phase == Sending::Phase::kRefused;
  ahead.doubtful = ahead.doubtful || (sending.doubtful && !is_refused);
  ahead.phase = Sending::Phase::kDue;
}

// What stands directly behind a SEND, if it may go out too: a FENCE, or but for dynamic queues a
// SEND, that passes its check. Anything else is judged when it stands first.
ReferenceNode::Step ReferenceNode::start_ahead(std::uint32_t queue, Cycles now) {
  Queue& entry = queues_[queue];
  const auto descriptor = read_descriptor(entry, entry.head + 1);
  if (descriptor && check(*descriptor, entry) == Status::kOk) {
    const auto opcode = descriptor->get<d::opcode>();
    if (opcode == Opcode::kFence) return fence_ahead(queue, *descriptor);
    if (opcode == Opcode::kSend && !entry.dynamic()) return send_ahead(queue, *descriptor, now);
  }
  entry.stays_behind = true;
  return {true, std::nullopt};
}

ReferenceNode::Step ReferenceNode::send_ahead(std::uint32_t queue, const Descriptor& descriptor,
                                              Cycles now) {
  Sending& ahead = queues_[queue].ahead;
  ahead = {.phase = Sending::Phase::kLeaving, .doubtful = ahead.doubtful, .descriptor = descriptor};
  return send_first({.queue = queue, .descriptor = descriptor, .ahead = true}, false, now);
}

// A SEND is done only when it has been acknowledged.
void ReferenceNode::last_has_left(const Running& running, Cycles now) {
  if (running.descriptor.get<d::opcode>() != Opcode::kSend) {
    finish(running.queue, running.descriptor);
    return;
  }
  Queue& entry = queues_[running.queue];
  Sending& sending = running.ahead ? entry.ahead : entry.sending;
  sending.phase = sending.refused ? Sending::Phase::kRefused : Sending::Phase::kAwaiting;
  sending.due = now + (sending.refused ? 1 : kTimeoutFactor) * send_retry_cycles_;
}

// The memory here has failed.
void ReferenceNode::fail_send(const Running& running, Cycles now) {
  Queue& entry = queues_[running.queue];
  Sending& sending = running.ahead ? entry.ahead : entry.sending;
  sending.doubtful = sending.doubtful || running.sent != 0;
  if (!running.ahead) {
    end_send(running.queue, {Status::kMemoryError, false}, now);
    return;
  }
  sending.phase = Sending::Phase::kAwaiting;
  sending.ended = true;
  sending.status = Status::kMemoryError;
}

// The end of the SEND that stands first.
void ReferenceNode::end_send(std::uint32_t queue, SendEnd end, Cycles now) {
  Queue& entry = queues_[queue];
  // What has not left does not leave any more, but for the one ahead if its number stays right.
  if (running_ && running_->queue == queue && !(running_->ahead && end.uses_number())) {
    running_.reset();
  }
  if (entry.piping) {
    end_piped_send(queue, end, now);
    return;
  }
  if (entry.dynamic()) {
    end_dynamic_send(queue, end.status);
    return;
  }
  const Descriptor descriptor = entry.sending.descriptor;
  const Sending ahead = entry.ahead;
  if (end.uses_number()) entry.sending.doubtful = false;
  if (end.status == Status::kOk) {
    entry.sending = entry.ahead = {};
    finish(queue, with_event_of_peer(entry, descriptor));
  } else {
    fail(queue, descriptor, end.status);
  }
  if (!end.uses_number()) return;
  entry.ahead = ahead;
  advance_to_ahead(queue, now);
}

// The number of the first is used up: the one ahead, if any, stands first, with all that is known
// of it.
void ReferenceNode::advance_to_ahead(std::uint32_t queue, Cycles now) {
  Queue& entry = queues_[queue];
  ++entry.number;
  entry.sending = entry.ahead;
  entry.ahead = {};
  entry.stays_behind = false;
  Sending& sending = entry.sending;
  if (running_ && running_->queue == queue) running_->ahead = false;
  if (sending.ended) {
    end_send(queue, {sending.status, sending.of_peer}, now);
    return;
  }
  const bool is_refused = sending.phase == Sending::Phase::kRefused;
  sending.due = now + (is_refused ? 1 : kTimeoutFactor) * send_retry_cycles_;
}

void ReferenceNode::forget_sends(std::uint32_t queue) {
  Queue& entry = queues_[queue];
  const bool under_way = entry.sending.phase != Sending::Phase::kNone;
  // Another copy may still be taken, under the number that the next one would have.
  if (entry.dynamic()) {
    entry.number += under_way ? 1 : 0;
  } else if (entry.sending.doubtful) {
    entry.broken = true;
  }
  entry.sending = entry.ahead = {};
}

void ReferenceNode::take_answer(const Packet& packet, std::uint32_t queue, std::uint32_t number,
                                Status status, Cycles now) {
  if (queue >= queues_.size()) return;
  Queue& entry = queues_[queue];
  Sending& sending = entry.sending;
  if (sending.phase == Sending::Phase::kNone) return;
  if (sender_of(packet).node != target_of_send(entry, sending.descriptor).node) return;
  if (number == entry.number + 1) {
    take_answer_ahead(queue, status);
    return;
  }
  if (number != entry.number) return;
  const bool unknown = entry.dynamic() && status == Status::kDeliveryUnknown;
  if (status != Status::kReceiveDisabled && !unknown) {
    end_send(queue, {status, true}, now);
    return;
  }
  sending.copies -= std::min<std::uint64_t>(sending.copies, 1);
  sending.unknown = unknown;
  if (sending.phase == Sending::Phase::kAwaiting) {
    sending.phase = Sending::Phase::kRefused;
    sending.due = now + send_retry_cycles_;
  } else if (sending.phase == Sending::Phase::kLeaving) {
    sending.refused = true;
  }
}

// It is kept until the SEND stands first.
void ReferenceNode::take_answer_ahead(std::uint32_t queue, Status status) {
  Sending& ahead = queues_[queue].ahead;
  if (ahead.phase == Sending::Phase::kNone || ahead.ended) return;
  if (status != Status::kReceiveDisabled) {
    if (running_ && running_->queue == queue && running_->ahead) running_.reset();
    ahead.phase = Sending::Phase::kAwaiting;
    ahead.ended = true;
    ahead.of_peer = true;
    ahead.status = status;
  } else if (ahead.phase == Sending::Phase::kAwaiting) {
    ahead.phase = Sending::Phase::kRefused;
  } else if (ahead.phase == Sending::Phase::kLeaving) {
    ahead.refused = true;
  }
}

Cycles ReferenceNode::next_send_timer() const {
  Cycles next = std::numeric_limits<Cycles>::max();
  for (const Queue& queue : queues_) {
    const auto phase = queue.sending.phase;
    if (phase == Sending::Phase::kAwaiting || phase == Sending::Phase::kRefused) {
      next = std::min(next, queue.sending.due);
    }
  }
  return next;
}

void ReferenceNode::run_send_timers(Cycles now) {
  for (std::uint32_t n = 0; n < queues_.size(); ++n) {
    Sending& sending = queues_[n].sending;
    const bool timed =
        sending.phase == Sending::Phase::kAwaiting || sending.phase == Sending::Phase::kRefused;
    if (!timed || sending.due > now) continue;
    sending.doubtful = sending.doubtful || sending.phase == Sending::Phase::kAwaiting;
    if (sending.retries < send_retries_) {
      ++sending.retries;
      sending.phase = Sending::Phase::kDue;
    } else {
      queues_[n].broken = !queues_[n].dynamic();  // doubtful or not
      const bool unknown = sending.unknown;
      end_send(n, {unknown ? Status::kDeliveryUnknown : Status::kRetryExceeded, false}, now);
    }
  }
}

// --- RECEIVE ------------------------------------------------------------------------------------

void ReferenceNode::begin_receive(std::uint32_t queue, const Descriptor& descriptor) {
  queues_[queue].receiving = {.waiting = true, .descriptor = descriptor};
}

std::optional<ReferenceNode::Buffer> ReferenceNode::buffer_of(std::uint32_t number) const {
  const Receiving& receiving = queues_[number].receiving;
  if (receiving.waiting) return buffer_of(receiving.descriptor);
  const Pipe* pipe = pipe_from(number);
  if (pipe != nullptr && pipe->has_buffer()) {
    return Buffer{buffer_address(*pipe, pipe->received), pipe->most_bytes(pipe->received)};
  }
  return std::nullopt;
}

ReferenceNode::Buffer ReferenceNode::buffer_of(const Descriptor& receive) const {
  const Region& region = regions_[receive.get<d::source_region>()];
  return {region.base + receive.get<d::source_offset>(), receive.get<d::length>()};
}

// OK for what was taken or dropped.
Status ReferenceNode::receive_send(const Packet& packet, Cycles now) {
  if (packet.trailer.get<t::dynamic>() != 0) return receive_dynamic(packet, now);
  const auto number = low(packet.header.get<h::target>());
  const bool exists =
      number < queues_.size() && queues_[number].receives() && queues_[number].connected();
  // Only a first packet is refused, so that a message is refused once.
  const auto refused = [&](Status status) { return is_first(packet) ? status : Status::kOk; };
  if (!exists) return refused(Status::kQueueInvalid);
  Queue& queue = queues_[number];
  if (queue.dynamic() || sender_of(packet) != queue.peer_queue()) {
    return refused(Status::kPermission);
  }
  const std::uint32_t message = low(packet.trailer.get<t::sequence_number>());
  const auto ahead = static_cast<std::int32_t>(message - queue.number);
  if (ahead < 0) {
    if (packet.trailer.get<t::last>() == 0) return Status::kOk;
    // The answer is given again.
    const bool is_recent = ahead >= -static_cast<std::int32_t>(queue.failed.size());
    if (is_recent && queue.failed.at(message % 2)) return Status::kMemoryError;
    acknowledge(packet);
    return Status::kOk;
  }
  if (ahead != 0) return Status::kOk;
  const auto buffer = buffer_of(number);
  if (!buffer) return refused(Status::kReceiveDisabled);
  const Status status = check_message(packet, *buffer, queue.owner());
  return status == Status::kOk ? store_send(packet, *buffer, now) : refused(status);
}

// Whether a message that has a buffer may be taken.
Status ReferenceNode::check_message(const Packet& packet, const Buffer& buffer,
                                    std::uint32_t owner) const {
  const Bytes end = packet.header.get<h::offset>() + packet.payload.size();
  const Bytes length = packet.trailer.get<t::index>();
  if (length > buffer.bytes || end > length) return Status::kLengthTooLong;
  return check_target_counters(target_of(packet), owner);
}

Status ReferenceNode::store_send(const Packet& packet, const Buffer& buffer, Cycles now) {
  const auto number = low(packet.header.get<h::target>());
  Queue& queue = queues_[number];
  Receiving& receiving = queue.receiving;
  bool& failed = queue.failed.at(queue.number % 2);
  const Bytes offset = packet.header.get<h::offset>();
  const bool follows = is_first(packet) || (receiving.arrived != 0 && offset == receiving.arrived);
  if (packet.payload.empty() || !follows) return Status::kOk;
  if (is_first(packet)) failed = false;
  if (!write_memory(buffer.address + offset, packet.payload)) {
    failed = true;
    raise(queue.owner(), Cause::kError);
  }
  receiving.arrived = offset + packet.payload.size();
  if (receiving.arrived < packet.trailer.get<t::index>()) return Status::kOk;
  ++queue.number;
  if (failed) refuse_unstored(packet);
  if (queue.mode() == QueueMode::kPiped) {
    end_piped_receive(number, packet);
    return Status::kOk;
  }
  end_receive(number, packet);
  // The RECEIVE behind it has its buffer there for the next message.
  if (may_run(queue)) start(number, now);
  return Status::kOk;
}

// What the SEND asks for at its target, when it is in memory.
void ReferenceNode::bump_target(const Packet& packet, std::uint32_t owner) {
  const Target target = target_of(packet);
  if (target.counter_valid) subtract(target.counter, packet.trailer.get<t::index>());
  if (target.event_valid) count_event(target.event);
  if (packet.trailer.get<t::interrupt>() != 0) raise(owner, Cause::kArrived);
}

// The message of the RECEIVE is in memory; the entry is another matter.
void ReferenceNode::tell_received(const Queue& queue, const Packet& packet,
                                  const Descriptor& descriptor) {
  bump_target(packet, queue.owner());
  if (descriptor.get<d::done_event_valid>() != 0) count_event(low(descriptor.get<d::done_event>()));
  if (descriptor.get<d::interrupt_done>() != 0) raise(queue.owner(), Cause::kDone);
}

// The message is in memory, or could not be stored.
void ReferenceNode::end_receive(std::uint32_t number, const Packet& packet) {
  Queue& queue = queues_[number];
  const Received received{queue.receiving.arrived, packet.header.get<h::word>()};
  const Descriptor descriptor = with_event_of_peer(queue, queue.receiving.descriptor);
  if (queue.failed.at((queue.number - 1) % 2)) {
    signal(number, descriptor, Status::kMemoryError, received);
    queue.receiving = {};
    retire(number, Status::kMemoryError);
    return;
  }
  tell_received(queue, packet, descriptor);
  signal(number, descriptor, Status::kOk, received);
  queue.receiving = {};
  retire(number, Status::kOk);
  acknowledge(packet);
}

void ReferenceNode::acknowledge(const Packet& packet) {
  Packet ack;
  ack.header.set<h::dst_x>(packet.header.get<h::src_x>())
      .set<h::dst_y>(packet.header.get<h::src_y>())
      .set<h::dst_z>(packet.header.get<h::src_z>())
      .set<h::src_x>(place_.x)
      .set<h::src_y>(place_.y)
      .set<h::src_z>(place_.z)
      .set<h::kind>(Kind::kAck)
      .set<h::reply>(1)
      .set<h::target>(packet.trailer.get<t::queue>())
      .set<h::word>(packet.trailer.get<t::sequence_number>());
  ack.seal();
  replies_.push_back(std::move(ack));
}

// The packet is gone by the time the memory has answered: the notice names the message alone.
void ReferenceNode::refuse_unstored(const Packet& packet) {
  Packet message = packet;
  message.header.set<h::client>(0).set<h::offset>(0);
  message.trailer.set<t::index>(0);
  refuse(message, Status::kMemoryError);
}

// A descriptor that is held when its queue is configured ends with FLUSHED; so does the PIPE that
// gives the queue its buffers.
void ReferenceNode::flush(std::uint32_t queue) {
  Queue& entry = queues_[queue];
  forget_messages(queue);
  if (running_ && running_->queue == queue) running_.reset();
  if (const Pipe* pipe = pipe_from(queue)) fail_pipe(pipe_in(pipe->queue), Status::kFlushed);
  std::optional<Descriptor> held;
  if (entry.sending.phase != Sending::Phase::kNone) held = entry.sending.descriptor;
  if (entry.fencing.holds()) held = entry.fencing.descriptor;
  if (entry.receiving.waiting) held = entry.receiving.descriptor;
  if (entry.waiting || entry.waits_for_pipe) held = entry.waiting_descriptor;
  if (entry.piping) {
    Pipe& pipe = pipe_in(queue);
    held = pipe.descriptor;
    forget_piped(pipe);
    pipe = {};
  }
  if (!held) return;
  signal(queue, *held, Status::kFlushed);
  raise(entry.owner(), Cause::kError);
}

}  // namespace torusmu::model
