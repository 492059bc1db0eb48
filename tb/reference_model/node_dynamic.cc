// SPDX-License-Identifier: Apache-2.0
// Dynamically connected queues of the reference node: SENDs to any receive queue, and messages of
// any sender, put together side by side (US 9,344,490). docs/queue_pairs.md has the rules.
#include <algorithm>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t queue_of(const Packet& packet) { return low(packet.header.get<h::target>()); }
std::uint32_t number_of(const Packet& packet) {
  return low(packet.trailer.get<t::sequence_number>());
}

}  // namespace

// --- SEND ---------------------------------------------------------------------------------------

// What of it is in the header image; whether there is such a queue, its node says.
Status ReferenceNode::check_dynamic_target(const Descriptor& descriptor) const {
  const PacketHeader image = descriptor.get<d::header>();
  const bool exists = image.get<h::dst_x>() < shape_.x && image.get<h::dst_y>() < shape_.y &&
                      image.get<h::dst_z>() < shape_.z;
  return exists ? Status::kOk : Status::kUnreachable;
}

// However it ends, its number is used up, and the next SEND may go elsewhere.
void ReferenceNode::end_dynamic_send(std::uint32_t queue, Status status) {
  const Descriptor descriptor = queues_[queue].sending.descriptor;
  if (status != Status::kOk) {
    fail(queue, descriptor, status);
    return;
  }
  forget_sends(queue);
  finish(queue, with_event_of_peer(queues_[queue], descriptor));
}

// --- RECEIVE ------------------------------------------------------------------------------------

// OK for what was taken or dropped.
Status ReferenceNode::receive_dynamic(const Packet& packet, Cycles now) {
  // Only a first packet is refused, so that a message is refused once.
  const auto refused = [&](Status status) { return is_first(packet) ? status : Status::kOk; };
  const std::uint32_t number = queue_of(packet);
  const bool exists =
      number < queues_.size() && queues_[number].receives() && queues_[number].connected();
  if (!exists) return refused(Status::kQueueInvalid);
  if (!queues_[number].dynamic()) return refused(Status::kPermission);
  Reassembly* const message = message_of_sender(packet);
  const bool has_number = message != nullptr && message->number == number_of(packet);
  const bool doubtful = packet.trailer.get<t::doubtful>() != 0;
  if (is_first(packet) && (!doubtful || !has_number)) {
    // A copy before this one may be what a context knew that is given up.
    const bool may_be_known = doubtful && message == nullptr && given_up_;
    return may_be_known ? Status::kDeliveryUnknown : begin_message(packet, message, now);
  }
  if (!has_number) return Status::kOk;
  if (message->whole) {
    if (packet.trailer.get<t::last>() == 0 || !doubtful) return Status::kOk;
    if (message->failed) return Status::kMemoryError;
    acknowledge(packet);
    return Status::kOk;
  }
  const bool follows = is_first(packet) || packet.header.get<h::offset>() == message->arrived;
  if (!follows) return Status::kOk;
  const Status status =
      check_message(packet, buffer_of(message->descriptor), queues_[number].owner());
  if (status == Status::kOk) store_message(*message, packet);
  return refused(status);
}

// The context with the last message of the sender to the queue.
Reassembly* ReferenceNode::message_of_sender(const Packet& packet) {
  const auto found = std::find_if(contexts_.begin(), contexts_.end(), [&](const Reassembly& c) {
    return c.known && c.sender == sender_of(packet) && c.queue == queue_of(packet);
  });
  return found == contexts_.end() ? nullptr : &*found;
}

// The first without a message, or in turn one whose message nobody needs but for copies of it.
Reassembly* ReferenceNode::free_context() {
  const auto is_free = [](const Reassembly& context) { return !context.known; };
  const auto found = std::find_if(contexts_.begin(), contexts_.end(), is_free);
  if (found != contexts_.end()) return &*found;
  for (std::size_t i = 1; i <= contexts_.size(); ++i) {
    Reassembly& context = contexts_[(last_context_ + i) % contexts_.size()];
    if (context.whole) return &context;
  }
  return nullptr;
}

// A new message; `last` is the one before it of its sender, if that is known.
Status ReferenceNode::begin_message(const Packet& packet, Reassembly* last, Cycles now) {
  const std::uint32_t number = queue_of(packet);
  Queue& queue = queues_[number];
  // What its sender has given up leaves it its buffer.
  const bool takes_over = last != nullptr && !last->whole;
  const auto buffer = takes_over ? buffer_of(last->descriptor) : buffer_of(number);
  Reassembly* const message = last != nullptr ? last : free_context();
  if (!buffer || message == nullptr) return Status::kReceiveDisabled;
  const Status status = check_message(packet, *buffer, queue.owner());
  if (status != Status::kOk || packet.payload.empty()) return status;
  if (!takes_over) take_receive(*message, packet);
  message->number = number_of(packet);
  store_message(*message, packet);
  // The RECEIVE behind the one that was taken has its buffer there for the next message.
  if (may_run(queue)) start(number, now);
  return Status::kOk;
}

// The RECEIVE at the head of the queue leaves it, and belongs to the message.
void ReferenceNode::take_receive(Reassembly& message, const Packet& packet) {
  const std::uint32_t number = queue_of(packet);
  Queue& queue = queues_[number];
  if (message_of_sender(packet) != &message) {
    given_up_ = given_up_ || message.known;
    last_context_ = static_cast<std::size_t>(&message - contexts_.data());
  }
  message = {.known = true,
             .sender = sender_of(packet),
             .queue = number,
             .descriptor = with_event_of_peer(queue, queue.receiving.descriptor),
             .index = low(queue.head)};
  queue.receiving = {};
  retire(number, Status::kOk);
}

void ReferenceNode::store_message(Reassembly& message, const Packet& packet) {
  if (packet.payload.empty()) return;
  const Bytes offset = packet.header.get<h::offset>();
  if (is_first(packet)) message.failed = false;
  if (!write_memory(buffer_of(message.descriptor).address + offset, packet.payload)) {
    message.failed = true;
    raise(queues_[message.queue].owner(), Cause::kError);
  }
  message.arrived = offset + packet.payload.size();
  if (message.arrived == packet.trailer.get<t::index>()) end_message(message, packet);
}

// All of it has been taken: it is in memory, or could not be stored.
void ReferenceNode::end_message(Reassembly& message, const Packet& packet) {
  message.whole = true;
  if (!message.failed) tell_received(queues_[message.queue], packet, message.descriptor);
  append_entry(message.queue, message.descriptor,
               message.failed ? Status::kMemoryError : Status::kOk,
               {.index = message.index,
                .received = {message.arrived, packet.header.get<h::word>()},
                .peer = message.sender});
  answer(message, packet);
}

void ReferenceNode::answer(const Reassembly& message, const Packet& packet) {
  if (message.failed) {
    refuse_unstored(packet);
  } else {
    acknowledge(packet);
  }
}

// A write of `config` leaves nothing of them, and no entry.
void ReferenceNode::forget_messages(std::uint32_t queue) {
  for (Reassembly& message : contexts_) {
    if (!message.known || message.queue != queue) continue;
    message = {};
    given_up_ = true;
  }
}

}  // namespace torusmu::model
