// SPDX-License-Identifier: Apache-2.0
// What the reference node judges of a descriptor before it runs.
#include "tb/reference_model/node_model.h"
#include "tb/reference_model/opcodes.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace p = layout::pipe_operation;

constexpr std::uint64_t kImmediateBytes = 16;
constexpr Bytes kMostMessageBytes = 0xFFFFFFFF;
constexpr std::uint32_t kAnyDirection = 7;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// Takes its target from the peer of its queue.
bool sends_to_peer(Opcode opcode) { return opcode == Opcode::kSend || opcode == Opcode::kPipe; }
bool is_transfer(Opcode opcode) {
  return opcode == Opcode::kPut || opcode == Opcode::kFifo || opcode == Opcode::kGet ||
         opcode == Opcode::kSend;
}
PipeOperation pipe_of(const Descriptor& descriptor) {
  return PipeOperation::from_bytes(descriptor.get<d::immediate>());
}
// What only its own kind of PIPE uses: messages without origin and target, a receive queue without
// origin, bytes of a buffer without a list.
bool pipe_uses_its_own(const PipeOperation& operation) {
  const bool origin = operation.get<p::origin>() != 0, target = operation.get<p::target>() != 0;
  if (!reserved_bits_are_zero(operation) || (origin && target)) return false;
  if (operation.get<p::listed>() != 0 &&
      (origin || target || operation.get<p::buffer_bytes>() != 0)) {
    return false;
  }
  return (!(origin || target) || operation.get<p::messages>() == 0) &&
         (!origin || operation.get<p::receive_queue>() == 0);
}
// Fields that belong to WAIT, SEND_EN, RECV_EN and CALC are zero in all others.
bool fields_of_others_are_zero(const Descriptor& descriptor) {
  const auto opcode = descriptor.get<d::opcode>();
  const bool wait = opcode == Opcode::kWait;
  const bool enable = is_enable(opcode);
  if (descriptor.get<d::on_queue>() != 0 && !wait) return false;
  if (descriptor.get<d::relative>() != 0 && !wait && !enable) return false;
  if (opcode != Opcode::kCalc &&
      (descriptor.get<d::operands>() != 0 || descriptor.get<d::targets>() != 0 ||
       static_cast<int>(descriptor.get<d::reduction>()) != 0 ||
       static_cast<int>(descriptor.get<d::element>()) != 0)) {
    return false;
  }
  if ((opcode == Opcode::kReceive || opcode == Opcode::kFence || only_receives(descriptor)) &&
      (descriptor.get<d::immediate_valid>() != 0 || descriptor.get<d::counter_valid>() != 0 ||
       descriptor.get<d::event_valid>() != 0 || descriptor.get<d::interrupt_target>() != 0)) {
    return false;
  }
  if (opcode == Opcode::kPipe) {
    return descriptor.get<d::immediate_valid>() == 0 && pipe_uses_its_own(pipe_of(descriptor));
  }
  if (!wait && !enable) return true;
  const auto operation = WaitOperation::from_bytes(descriptor.get<d::immediate>());
  return reserved_bits_are_zero(operation) &&
         (wait || operation.get<layout::wait_operation::step>() == 0);
}
// A message that carries nothing but an increment of an event counter.
bool is_increment(const Descriptor& descriptor) {
  return descriptor.get<d::opcode>() == Opcode::kPut && descriptor.get<d::immediate_valid>() != 0 &&
         descriptor.get<d::length>() == 0 && descriptor.get<d::event_valid>() != 0;
}
// Where it goes comes from the peer.
bool names_no_target(const PacketHeader& image) {
  return image.get<h::dst_x>() == 0 && image.get<h::dst_y>() == 0 && image.get<h::dst_z>() == 0 &&
         image.get<h::target>() == 0;
}
Coordinates destination_of(const PacketHeader& header) {
  return {low(header.get<h::dst_x>()), low(header.get<h::dst_y>()), low(header.get<h::dst_z>())};
}
bool exists(Coordinates node, const Shape& shape) {
  return node.x < shape.x && node.y < shape.y && node.z < shape.z;
}
Coordinates source_of(const PacketHeader& header) {
  return {low(header.get<h::src_x>()), low(header.get<h::src_y>()), low(header.get<h::src_z>())};
}

}  // namespace

Status ReferenceNode::check(const Descriptor& descriptor, const Queue& queue) const {
  const auto opcode = descriptor.get<d::opcode>();
  const QueueMode mode = queue.mode();
  if (opcode > Opcode::kFence) return Status::kUnknownOpcode;
  if (!reserved_bits_are_zero(descriptor)) return Status::kReservedBits;
  if (const Status status = check_header(descriptor, queue); status != Status::kOk) return status;
  const bool receives = opcode == Opcode::kReceive;
  const bool pipes = opcode == Opcode::kPipe;
  if ((receives || pipes) && descriptor.get<d::length>() == 0) return Status::kLengthZero;
  if (pipes) {
    const PipeOperation operation = pipe_of(descriptor);
    const bool counts = operation.get<p::origin>() == 0 && operation.get<p::target>() == 0;
    const bool listed = operation.get<p::listed>() != 0;
    const Bytes length = descriptor.get<d::length>();
    if ((counts && operation.get<p::messages>() == 0) ||
        (!listed && operation.get<p::buffer_bytes>() == 0)) {
      return Status::kLengthZero;
    }
    if (listed &&
        (length % PipeBuffer::kBytes != 0 || length > Pipe::kMostBuffers * PipeBuffer::kBytes)) {
      return Status::kLengthTooLong;
    }
    if (operation.get<p::buffer_bytes>() > length) return Status::kLengthTooLong;
  }
  if (is_transfer(opcode)) {
    const Bytes length = descriptor.get<d::length>();
    if (length == 0 && (!is_increment(descriptor) || filled_by_network(mode))) {
      return Status::kLengthZero;
    }
    if (opcode == Opcode::kSend && length > kMostMessageBytes) return Status::kLengthTooLong;
    if (descriptor.get<d::immediate_valid>() != 0 && length > kImmediateBytes) {
      return Status::kLengthTooLong;
    }
    const bool get = opcode == Opcode::kGet;
    if (get && (length % sizes_.descriptor_bytes != 0 || length > sizes_.payload_bytes)) {
      return Status::kLengthTooLong;
    }
    if (descriptor.get<d::reflect>() != 0 && length != sizes_.descriptor_bytes) {
      return Status::kLengthTooLong;
    }
  }
  if (opcode == Opcode::kFence && descriptor.get<d::length>() != 0) return Status::kLengthTooLong;
  if (mode == QueueMode::kRemoteGet && opcode != Opcode::kNop && opcode != Opcode::kPut &&
      opcode != Opcode::kFifo) {
    return Status::kOpcodeForbidden;
  }
  if (mode == QueueMode::kReflection && opcode != Opcode::kNop &&
      ((opcode != Opcode::kPut && opcode != Opcode::kFifo) ||
       descriptor.get<d::immediate_valid>() == 0)) {
    return Status::kOpcodeForbidden;
  }
  if (receives != (mode == QueueMode::kReceive)) return Status::kOpcodeForbidden;
  if (receives || sends_to_peer(opcode)) {
    if (const Status status = check_pair(descriptor, queue); status != Status::kOk) return status;
  } else if (is_transfer(opcode)) {
    const PacketHeader image = descriptor.get<d::header>();
    const Coordinates to = destination_of(image);
    if (filled_by_network(mode) && !(to == source_of(image))) return Status::kTargetForbidden;
    if (descriptor.get<d::reflect>() == 0 && !exists(to, shape_)) return Status::kUnreachable;
    // Offsets in packets would wrap.
    if (image.get<h::offset>() + descriptor.get<d::length>() > std::uint64_t{1}
                                                                   << h::offset.width) {
      return Status::kRegionBounds;
    }
    const Bytes target_end = image.get<h::offset>() + descriptor.get<d::length>();
    if (target_end > Bytes{1} << h::offset.width) return Status::kRegionBounds;
    if (descriptor.get<d::immediate_valid>() == 0) {
      if (const Status status = check_source(descriptor, queue); status != Status::kOk) {
        return status;
      }
    }
  }
  if (opcode == Opcode::kFence && !exists(destination_of(descriptor.get<d::header>()), shape_)) {
    return Status::kUnreachable;
  }
  if (const Status status = check_own_counters(descriptor, queue); status != Status::kOk) {
    return status;
  }
  const bool reflect = descriptor.get<d::reflect>() != 0;
  return reflect && descriptor.get<d::header>().get<h::target>() > kAnyDirection
             ? Status::kNoReflector
             : Status::kOk;
}

// Bits of the header image that only the MU may fill in.
Status ReferenceNode::check_header(const Descriptor& descriptor, const Queue& queue) const {
  const PacketHeader image = descriptor.get<d::header>();
  const bool network = filled_by_network(queue.mode());
  bool zero = reserved_bits_are_zero(image) && image.get<h::kind>() == Kind::kNone &&
              image.get<h::reply>() == 0 && image.get<h::on_behalf>() == 0 &&
              image.get<h::bytes>() == 0;
  if (!network) {
    zero = zero && source_of(image) == Coordinates{} && image.get<h::client>() == 0;
  }
  if (queue.mode() != QueueMode::kReflection) {
    zero = zero && descriptor.get<d::reflection_number>() == 0;
  }
  if (network) {
    zero = zero && descriptor.get<d::injection_counter_valid>() == 0 &&
           descriptor.get<d::done_event_valid>() == 0 && descriptor.get<d::interrupt_done>() == 0 &&
           descriptor.get<d::signal>() == 0;
  }
  const auto opcode = descriptor.get<d::opcode>();
  if (opcode != Opcode::kGet) zero = zero && descriptor.get<d::reflect>() == 0;
  if (sends_to_peer(opcode)) {
    const bool names_target = opcode == Opcode::kSend && queue.dynamic();
    zero = zero && image.get<h::offset>() == 0 && (names_target || names_no_target(image));
  }
  if (!is_transfer(opcode) || opcode == Opcode::kSend) {
    // A SEND may read its source more than once.
    zero = zero && descriptor.get<d::injection_counter_valid>() == 0;
  }
  zero = zero && fields_of_others_are_zero(descriptor);
  return zero ? Status::kOk : Status::kReservedBits;
}

Status ReferenceNode::check_source(const Descriptor& descriptor, const Queue& queue) const {
  const bool remote = queue.mode() == QueueMode::kRemoteGet;
  return check_region(low(descriptor.get<d::source_region>()), descriptor.get<d::source_offset>(),
                      descriptor.get<d::length>(),
                      remote ? Access::kRemoteRead : Access::kLocalRead, queue.owner());
}

Status ReferenceNode::check_own_counters(const Descriptor& descriptor, const Queue& queue) const {
  const auto byte_ok = [&](std::uint64_t n) {
    return n < bytes_.size() && bytes_[n].enabled() && bytes_[n].owner() == queue.owner();
  };
  const auto event_ok = [&](std::uint64_t n) {
    return n < events_.size() && events_[n].enabled() && events_[n].owner() == queue.owner();
  };
  if (descriptor.get<d::injection_counter_valid>() != 0 &&
      !byte_ok(descriptor.get<d::injection_counter>())) {
    return Status::kCounterInvalid;
  }
  if (descriptor.get<d::done_event_valid>() != 0 && !event_ok(descriptor.get<d::done_event>())) {
    return Status::kCounterInvalid;
  }
  if (is_counter_operation(descriptor.get<d::opcode>())) {
    const bool byte = descriptor.get<d::counter_valid>() != 0;
    const bool event = descriptor.get<d::event_valid>() != 0;
    if (byte == event) return Status::kCounterInvalid;
    if (byte && !byte_ok(descriptor.get<d::counter>())) return Status::kCounterInvalid;
    if (event && !event_ok(descriptor.get<d::event_counter>())) return Status::kCounterInvalid;
    if (event && descriptor.get<d::opcode>() == Opcode::kCtrSet &&
        is_waited_for(low(descriptor.get<d::event_counter>()))) {
      return Status::kCounterWaited;
    }
  }
  if (descriptor.get<d::opcode>() == Opcode::kWait) {
    const bool on_queue = descriptor.get<d::on_queue>() != 0;
    const bool event = descriptor.get<d::event_valid>() != 0;
    if (descriptor.get<d::counter_valid>() != 0 || event == on_queue ||
        (event && !event_ok(descriptor.get<d::event_counter>()))) {
      return Status::kCounterInvalid;
    }
  }
  return Status::kOk;
}

}  // namespace torusmu::model
