// SPDX-License-Identifier: Apache-2.0
// Queue pairs of the reference node: SENDs that wait for their acknowledgement, and what becomes of
// those of others (US 9,344,490). docs/queue_pairs.md has the rules.
#include <algorithm>
#include <limits>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace peer = registers::injection_queue::peer_field;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

bool is_first(const Packet& packet) { return packet.header.get<h::offset>() == 0; }
bool comes_from(const Packet& packet, const Coordinates& place) {
  return packet.header.get<h::src_x>() == place.x && packet.header.get<h::src_y>() == place.y &&
         packet.header.get<h::src_z>() == place.z;
}

// The counter that tells of a descriptor that names none itself.
Descriptor with_event_of_peer(const Queue& queue, Descriptor descriptor) {
  if (descriptor.get<d::done_event_valid>() == 0 && extract(queue.peer, peer::event_valid) != 0) {
    descriptor.set<d::done_event_valid>(1).set<d::done_event>(
        extract(queue.peer, peer::event_counter));
  }
  return descriptor;
}

}  // namespace

Status ReferenceNode::check_pair(const Descriptor& descriptor, const Queue& queue) const {
  const bool sends = descriptor.get<d::opcode>() == Opcode::kSend;
  const Bytes length = descriptor.get<d::length>();
  if (sends && !queue.connected()) return Status::kQueueInvalid;
  if (!sends || descriptor.get<d::immediate_valid>() == 0) {
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
  const Coordinates to = queue.peer_place();
  packet.header.set<h::dst_x>(to.x).set<h::dst_y>(to.y).set<h::dst_z>(to.z).set<h::target>(
      queue.peer_queue());
  packet.trailer.set<t::index>(low(running.descriptor.get<d::length>()))
      .set<t::sequence_number>(queue.number);
}

void ReferenceNode::begin_send(std::uint32_t queue, const Descriptor& descriptor) {
  Sending& sending = queues_[queue].sending;
  const bool again = sending.phase == Sending::Phase::kDue;
  sending = {.phase = Sending::Phase::kLeaving,
             .doubtful = again && sending.doubtful,
             .descriptor = descriptor,
             .retries = again ? sending.retries + 1 : 0};
}

void ReferenceNode::end_send(std::uint32_t queue, Status status) {
  Queue& entry = queues_[queue];
  // What has not left does not leave any more.
  if (running_ && running_->queue == queue) running_.reset();
  const Descriptor descriptor = entry.sending.descriptor;
  if (status != Status::kOk) {
    fail(queue, descriptor, status);
    return;
  }
  entry.sending = {};
  ++entry.number;
  finish(queue, with_event_of_peer(entry, descriptor));
}

void ReferenceNode::take_answer(const Packet& packet, std::uint32_t queue, std::uint32_t number,
                                Status status, Cycles now) {
  if (queue >= queues_.size()) return;
  Queue& entry = queues_[queue];
  Sending& sending = entry.sending;
  const bool is_meant = sending.phase != Sending::Phase::kNone && number == entry.number &&
                        comes_from(packet, entry.peer_place());
  if (!is_meant) return;
  if (status != Status::kReceiveDisabled) {
    end_send(queue, status);
  } else if (sending.phase == Sending::Phase::kAwaiting) {
    sending.phase = Sending::Phase::kRefused;
    sending.due = now + send_retry_cycles_;
  } else if (sending.phase == Sending::Phase::kLeaving) {
    sending.refused = true;
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
      sending.phase = Sending::Phase::kDue;
    } else {
      queues_[n].broken = true;  // doubtful or not
      end_send(n, Status::kRetryExceeded);
    }
  }
}

// --- RECEIVE ------------------------------------------------------------------------------------

void ReferenceNode::begin_receive(std::uint32_t queue, const Descriptor& descriptor) {
  queues_[queue].receiving = {.waiting = true, .descriptor = descriptor};
}

// OK for what was taken or dropped.
Status ReferenceNode::receive_send(const Packet& packet) {
  const auto number = low(packet.header.get<h::target>());
  const bool exists = number < queues_.size() && queues_[number].mode() == QueueMode::kReceive &&
                      queues_[number].connected();
  // Only a first packet is refused, so that a message is refused once.
  const auto refused = [&](Status status) { return is_first(packet) ? status : Status::kOk; };
  if (!exists) return refused(Status::kQueueInvalid);
  Queue& queue = queues_[number];
  if (!comes_from(packet, queue.peer_place()) ||
      packet.trailer.get<t::queue>() != queue.peer_queue()) {
    return refused(Status::kPermission);
  }
  const std::uint32_t ahead = low(packet.trailer.get<t::sequence_number>()) - queue.number;
  if (static_cast<std::int32_t>(ahead) < 0) {
    if (packet.trailer.get<t::last>() != 0) acknowledge(packet);
    return Status::kOk;
  }
  if (ahead != 0) return Status::kOk;
  if (!queue.receiving.waiting) return refused(Status::kReceiveDisabled);
  const Bytes end = packet.header.get<h::offset>() + packet.payload.size();
  const Bytes length = packet.trailer.get<t::index>();
  if (length > queue.receiving.descriptor.get<d::length>() || end > length) {
    return refused(Status::kLengthTooLong);
  }
  const Status counters = check_target_counters(target_of(packet), queue.owner());
  if (counters != Status::kOk) return refused(counters);
  return store_send(packet, queue);
}

Status ReferenceNode::store_send(const Packet& packet, Queue& queue) {
  Receiving& receiving = queue.receiving;
  const Bytes offset = packet.header.get<h::offset>();
  const bool follows = is_first(packet) || (receiving.arrived != 0 && offset == receiving.arrived);
  if (packet.payload.empty() || !follows) return Status::kOk;
  if (is_first(packet)) receiving.failed = false;
  const Region& region = regions_[receiving.descriptor.get<d::source_region>()];
  const Address at = region.base + receiving.descriptor.get<d::source_offset>() + offset;
  if (!write_memory(at, packet.payload)) receiving.failed = true;
  receiving.arrived = offset + packet.payload.size();
  if (receiving.arrived < packet.trailer.get<t::index>()) return Status::kOk;
  const auto number = low(packet.header.get<h::target>());
  if (!receiving.failed) {
    end_receive(number, packet);
    return Status::kOk;
  }
  signal(number, receiving.descriptor, Status::kMemoryError,
         Received{receiving.arrived, packet.header.get<h::word>()});
  receiving = {};
  retire(number, Status::kMemoryError);
  // The packet is gone by the time the memory has answered: the notice names the message alone.
  Packet message = packet;
  message.header.set<h::client>(0).set<h::offset>(0);
  message.trailer.set<t::index>(0);
  refuse(message, Status::kMemoryError);
  return Status::kOk;
}

// The message is in memory.
void ReferenceNode::end_receive(std::uint32_t number, const Packet& packet) {
  Queue& queue = queues_[number];
  const Descriptor descriptor = with_event_of_peer(queue, queue.receiving.descriptor);
  const Target target = target_of(packet);
  if (target.counter_valid) subtract(target.counter, queue.receiving.arrived);
  if (target.event_valid) ++events_[target.event].value;
  if (packet.trailer.get<t::interrupt>() != 0) raise(queue.owner(), Cause::kArrived);
  if (descriptor.get<d::done_event_valid>() != 0) ++events_[descriptor.get<d::done_event>()].value;
  if (descriptor.get<d::interrupt_done>() != 0) raise(queue.owner(), Cause::kDone);
  signal(number, descriptor, Status::kOk,
         Received{queue.receiving.arrived, packet.header.get<h::word>()});
  queue.receiving = {};
  ++queue.number;
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

// A descriptor that is held when its queue is configured ends with FLUSHED.
void ReferenceNode::flush(std::uint32_t queue) {
  Queue& entry = queues_[queue];
  if (running_ && running_->queue == queue) running_.reset();
  std::optional<Descriptor> held;
  if (entry.sending.phase != Sending::Phase::kNone) held = entry.sending.descriptor;
  if (entry.receiving.waiting) held = entry.receiving.descriptor;
  if (entry.waiting) held = entry.waiting_descriptor;
  if (!held) return;
  signal(queue, *held, Status::kFlushed);
  raise(entry.owner(), Cause::kError);
}

}  // namespace torusmu::model
