// SPDX-License-Identifier: Apache-2.0
#include "tests/support/injection_oracle.h"

#include <algorithm>
#include <cstring>

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace r = layout::region_entry;
namespace o = layout::counter_operation;

constexpr std::uint64_t kOffsetEnd = std::uint64_t{1} << 37;
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 40;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

bool moves(const Descriptor& x) { return kind_of(x.get<d::opcode>()) != Kind::kNone; }
bool fences(const Descriptor& x) { return x.get<d::opcode>() == Opcode::kFence; }
bool receives(const Descriptor& x) { return x.get<d::opcode>() == Opcode::kReceive; }
bool pipes(const Descriptor& x) { return x.get<d::opcode>() == Opcode::kPipe; }
PipeOperation pipe_operation(const Descriptor& x) {
  return PipeOperation::from_bytes(x.get<d::immediate>());
}
bool at_origin(const Descriptor& x) {
  return pipes(x) && pipe_operation(x).get<layout::pipe_operation::origin>() != 0;
}
bool at_target(const Descriptor& x) {
  return pipes(x) && pipe_operation(x).get<layout::pipe_operation::target>() != 0;
}
bool is_listed(const Descriptor& x) {
  return pipes(x) && pipe_operation(x).get<layout::pipe_operation::listed>() != 0;
}
bool enables(const Descriptor& x) {
  return x.get<d::opcode>() == Opcode::kSendEn || x.get<d::opcode>() == Opcode::kRecvEn;
}
bool counts(const Descriptor& x) {
  return x.get<d::opcode>() == Opcode::kCtrAdd || x.get<d::opcode>() == Opcode::kCtrSet;
}
bool from_network(const Origin& origin) {
  return origin.mode == QueueMode::kRemoteGet || origin.mode == QueueMode::kReflection;
}
// In a notice to a getter: what is a SEND or a FENCE there would be taken for one of its own.
Kind kind_told(const Descriptor& x) {
  const Kind kind = kind_of(x.get<d::opcode>());
  return kind == Kind::kSend || kind == Kind::kFence ? Kind::kNone : kind;
}
Coordinates target_of(const PacketHeader& x) {
  return {low(x.get<h::dst_x>()), low(x.get<h::dst_y>()), low(x.get<h::dst_z>())};
}
Coordinates source_of(const PacketHeader& x) {
  return {low(x.get<h::src_x>()), low(x.get<h::src_y>()), low(x.get<h::src_z>())};
}
bool exists(const Surroundings& around, Coordinates c) {
  return c.x <= around.last.x && c.y <= around.last.y && c.z <= around.last.z;
}
void stamp(const Surroundings& around, PacketHeader& x) {
  x.set<h::src_x>(around.place.x).set<h::src_y>(around.place.y).set<h::src_z>(around.place.z);
}

bool bits_are_legal(const Descriptor& x, const Origin& origin, bool dynamic) {
  const PacketHeader image = x.get<d::header>();
  bool legal = reserved_bits_are_zero(x) && reserved_bits_are_zero(image) &&
               image.get<h::kind>() == Kind::kNone && image.get<h::reply>() == 0 &&
               image.get<h::on_behalf>() == 0 && image.get<h::bytes>() == 0;
  if (from_network(origin)) {
    legal = legal && x.get<d::injection_counter_valid>() == 0 &&
            x.get<d::done_event_valid>() == 0 && x.get<d::interrupt_done>() == 0 &&
            x.get<d::signal>() == 0;
  } else {
    legal = legal && source_of(image) == Coordinates{} && image.get<h::client>() == 0;
  }
  if (origin.mode != QueueMode::kReflection) legal = legal && x.get<d::reflection_number>() == 0;
  if (!moves(x) || fences(x) || x.get<d::opcode>() == Opcode::kSend) {
    legal = legal && x.get<d::injection_counter_valid>() == 0;
  }
  if (x.get<d::opcode>() != Opcode::kGet) legal = legal && x.get<d::reflect>() == 0;
  const Opcode opcode = x.get<d::opcode>();
  const bool waits = opcode == Opcode::kWait;
  if (!waits) legal = legal && x.get<d::on_queue>() == 0;
  if (!waits && !enables(x)) legal = legal && x.get<d::relative>() == 0;
  if (opcode == Opcode::kSend || pipes(x)) legal = legal && image.get<h::offset>() == 0;
  if ((opcode == Opcode::kSend && !dynamic) || pipes(x)) {
    legal = legal && target_of(image) == Coordinates{} && image.get<h::target>() == 0;
  }
  if (receives(x) || fences(x) || at_target(x)) {
    legal = legal && x.get<d::immediate_valid>() == 0 && x.get<d::counter_valid>() == 0 &&
            x.get<d::event_valid>() == 0 && x.get<d::interrupt_target>() == 0;
  }
  if (pipes(x)) {
    const PipeOperation operation = pipe_operation(x);
    legal = legal && x.get<d::immediate_valid>() == 0 && reserved_bits_are_zero(operation);
    if (at_origin(x)) {
      legal = legal && !at_target(x) && operation.get<layout::pipe_operation::receive_queue>() == 0;
    }
    if (at_origin(x) || at_target(x)) {
      legal = legal && operation.get<layout::pipe_operation::messages>() == 0 && !is_listed(x);
    }
    if (is_listed(x)) {
      legal = legal && operation.get<layout::pipe_operation::buffer_bytes>() == 0;
    }
  }
  if (opcode != Opcode::kCalc) {
    legal = legal && x.get<d::operands>() == 0 && x.get<d::targets>() == 0 &&
            static_cast<int>(x.get<d::reduction>()) == 0 &&
            static_cast<int>(x.get<d::element>()) == 0;
  }
  if (waits || enables(x)) {
    // The upper half is reserved, and an enable has no step.
    const auto immediate = x.get<d::immediate>();
    const auto zero = [](std::uint8_t byte) { return byte == 0; };
    legal = legal && std::all_of(immediate.begin() + (waits ? 8 : 4), immediate.end(), zero);
  }
  return legal;
}

Status length_status(const Descriptor& x, const Origin& origin) {
  const std::uint64_t length = x.get<d::length>();
  if (fences(x)) return length == 0 ? Status::kOk : Status::kLengthTooLong;
  const bool increments = x.get<d::opcode>() == Opcode::kPut && x.get<d::immediate_valid>() != 0 &&
                          x.get<d::event_valid>() != 0 && !from_network(origin);
  if (length == 0) return increments ? Status::kOk : Status::kLengthZero;
  if (pipes(x)) {
    const PipeOperation operation = pipe_operation(x);
    const std::uint64_t buffer = operation.get<layout::pipe_operation::buffer_bytes>();
    const bool counts = !at_origin(x) && !at_target(x);
    if (counts && operation.get<layout::pipe_operation::messages>() == 0) {
      return Status::kLengthZero;
    }
    if (is_listed(x)) {
      return length % 16 != 0 || length > 256 ? Status::kLengthTooLong : Status::kOk;
    }
    if (buffer == 0) return Status::kLengthZero;
    return buffer > length ? Status::kLengthTooLong : Status::kOk;
  }
  if (x.get<d::immediate_valid>() != 0 && length > 16) return Status::kLengthTooLong;
  if (x.get<d::opcode>() == Opcode::kSend && length > 0xFFFFFFFF) return Status::kLengthTooLong;
  if (x.get<d::opcode>() == Opcode::kGet) {
    const std::uint64_t most = x.get<d::reflect>() != 0 ? 64 : 512;
    if (length % 64 != 0 || length > most) return Status::kLengthTooLong;
  }
  return Status::kOk;
}

Status source_status(const Surroundings& around, const Descriptor& x, const Origin& origin) {
  const RegionEntry& region = around.regions[x.get<d::source_region>()];
  if (region.get<r::enable>() == 0) return Status::kRegionInvalid;
  const bool allowed = origin.mode == QueueMode::kRemoteGet
                           ? region.get<r::remote_read>() != 0
                           : region.get<r::owner>() == origin.owner;
  if (!allowed) return Status::kPermission;
  const std::uint64_t end = x.get<d::source_offset>() + x.get<d::length>();
  if (end > region.get<r::length>() || region.get<r::base>() + end > kAddressEnd) {
    return Status::kRegionBounds;
  }
  return Status::kOk;
}

bool owns(const CounterOwner& counter, const Origin& origin) {
  return counter.enable && counter.client == origin.owner;
}

bool counters_are_legal(const Surroundings& around, const Descriptor& x, const Origin& origin) {
  if (x.get<d::injection_counter_valid>() != 0 &&
      !owns(around.counters[x.get<d::injection_counter>()], origin)) {
    return false;
  }
  const bool of_pair = x.get<d::opcode>() == Opcode::kSend || receives(x) || pipes(x);
  if (x.get<d::done_event_valid>() != 0) {
    if (!owns(around.events[x.get<d::done_event>()], origin)) return false;
  } else if (of_pair && around.peer.event && !owns(around.events[*around.peer.event], origin)) {
    return false;
  }
  if (x.get<d::opcode>() == Opcode::kWait) {
    if (x.get<d::counter_valid>() != 0 || x.get<d::event_valid>() == x.get<d::on_queue>()) {
      return false;
    }
    return x.get<d::on_queue>() != 0 || owns(around.events[x.get<d::event_counter>()], origin);
  }
  if (!counts(x)) return true;
  if (x.get<d::counter_valid>() == x.get<d::event_valid>()) return false;
  return x.get<d::event_valid>() != 0 ? owns(around.events[x.get<d::event_counter>()], origin)
                                      : owns(around.counters[x.get<d::counter>()], origin);
}

CounterOperation operation(const Origin& origin, std::uint64_t counter, std::uint64_t value) {
  return CounterOperation()
      .set<o::client>(origin.owner)
      .set<o::counter>(counter)
      .set<o::value>(value);
}

model::Packet packet_of(const Surroundings& around, const Descriptor& x, const Origin& origin,
                        std::uint64_t sent, std::uint64_t bytes) {
  const bool reply = origin.mode == QueueMode::kReflection;
  model::Packet packet;
  packet.header = x.get<d::header>();
  const std::uint64_t client = from_network(origin) ? packet.header.get<h::client>() : origin.owner;
  const std::uint64_t offset = packet.header.get<h::offset>() + sent;
  stamp(around, packet.header);
  packet.header.set<h::client>(client)
      .set<h::kind>(kind_of(x.get<d::opcode>()))
      .set<h::reply>(reply)
      .set<h::on_behalf>(from_network(origin))
      .set<h::bytes>(bytes)
      .set<h::offset>(offset);
  packet.trailer.set<t::counter>(x.get<d::counter>())
      .set<t::counter_valid>(x.get<d::counter_valid>())
      .set<t::event_counter>(x.get<d::event_counter>())
      .set<t::event_valid>(x.get<d::event_valid>())
      .set<t::interrupt>(x.get<d::interrupt_target>())
      .set<t::last>(sent + bytes == x.get<d::length>())
      .set<t::queue>(origin.queue)
      .set<t::index>(reply ? x.get<d::reflection_number>() : low(origin.index))
      .set<t::sequence_number>(x.get<d::sequence_number>())
      .set<t::reflected>(reply);
  packet.payload.resize(bytes);
  if (x.get<d::immediate_valid>() != 0) {
    const auto immediate = x.get<d::immediate>();
    std::copy_n(immediate.begin(), bytes, packet.payload.begin());
  } else {
    const std::uint64_t address =
        around.regions[x.get<d::source_region>()].get<r::base>() + x.get<d::source_offset>() + sent;
    const std::uint64_t at =
        address < MemoryOrigin::kSpan ? address : around.origin.from_pins(address);
    std::copy_n(around.memory.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                packet.payload.begin());
  }
  packet.seal();
  return packet;
}

}  // namespace

Kind kind_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kPut:
      return Kind::kPut;
    case Opcode::kFifo:
      return Kind::kFifo;
    case Opcode::kGet:
      return Kind::kGet;
    case Opcode::kSend:
      return Kind::kSend;
    case Opcode::kFence:
      return Kind::kFence;
    default:
      return Kind::kNone;
  }
}
Status expected_status(const Surroundings& around, const Descriptor& x, const Origin& origin) {
  const Opcode opcode = x.get<d::opcode>();
  if (opcode > Opcode::kFence) return Status::kUnknownOpcode;
  if (!bits_are_legal(x, origin, around.peer.dynamic)) return Status::kReservedBits;
  if (moves(x) || receives(x) || pipes(x)) {
    if (const Status status = length_status(x, origin); status != Status::kOk) return status;
  }
  if (receives(x) != (origin.mode == QueueMode::kReceive)) return Status::kOpcodeForbidden;
  const bool put = opcode == Opcode::kPut || opcode == Opcode::kFifo;
  if (from_network(origin) && opcode != Opcode::kNop && !put) return Status::kOpcodeForbidden;
  if (origin.mode == QueueMode::kReflection && put && x.get<d::immediate_valid>() == 0) {
    return Status::kOpcodeForbidden;
  }
  const bool to_peer = opcode == Opcode::kSend || (pipes(x) && !at_target(x));
  if (to_peer && !around.peer.connected) return Status::kQueueInvalid;
  if (pipes(x) && around.peer.dynamic) return Status::kQueueInvalid;
  if (to_peer && around.peer.broken) return Status::kRetryExceeded;
  if (receives(x) || pipes(x)) {
    const Status status = source_status(around, x, origin);
    if (status != Status::kOk) return status;
  }
  if (moves(x)) {
    const PacketHeader image = x.get<d::header>();
    const bool reflect = x.get<d::reflect>() != 0;
    if (from_network(origin) && target_of(image) != source_of(image)) {
      return Status::kTargetForbidden;
    }
    if (!reflect && !exists(around, target_of(image))) return Status::kUnreachable;
    if (image.get<h::offset>() + x.get<d::length>() > kOffsetEnd) return Status::kRegionBounds;
    if (x.get<d::immediate_valid>() == 0 && !fences(x)) {
      const Status status = source_status(around, x, origin);
      if (status != Status::kOk) return status;
    }
  }
  if (!counters_are_legal(around, x, origin)) return Status::kCounterInvalid;
  if (opcode == Opcode::kCtrSet && x.get<d::event_valid>() != 0 &&
      around.waited.contains(static_cast<unsigned>(x.get<d::event_counter>()))) {
    return Status::kCounterWaited;
  }
  if (x.get<d::reflect>() != 0 && x.get<d::header>().get<h::target>() > 7) {
    return Status::kNoReflector;
  }
  return Status::kOk;
}

model::Packet expected_notice(const Surroundings& around, const Descriptor& x, const Origin& origin,
                              Status status) {
  const PacketHeader image = x.get<d::header>();
  model::Packet notice;
  notice.header.set<h::dst_x>(image.get<h::src_x>())
      .set<h::dst_y>(image.get<h::src_y>())
      .set<h::dst_z>(image.get<h::src_z>())
      .set<h::client>(image.get<h::client>())
      .set<h::kind>(Kind::kNotice)
      .set<h::reply>(1)
      .set<h::target>(origin.queue)
      .set<h::word>(static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(kind_told(x))
                                                             << 8);
  stamp(around, notice.header);
  notice.trailer.set<t::queue>(origin.queue)
      .set<t::index>(low(origin.index))
      .set<t::sequence_number>(x.get<d::sequence_number>());
  notice.seal();
  return notice;
}

Outcome expected_outcome(const Surroundings& around, const Descriptor& x, const Origin& origin) {
  Outcome outcome;
  outcome.status = expected_status(around, x, origin);
  if (outcome.status != Status::kOk) {
    if (origin.mode == QueueMode::kRemoteGet && exists(around, source_of(x.get<d::header>()))) {
      outcome.notice = expected_notice(around, x, origin, outcome.status);
    }
    return outcome;
  }
  if (x.get<d::opcode>() == Opcode::kWait || x.get<d::opcode>() == Opcode::kCalc || receives(x) ||
      pipes(x)) {
    outcome.held = true;
    return outcome;
  }
  if (enables(x)) {
    std::uint64_t value = 0;
    const auto immediate = x.get<d::immediate>();
    std::memcpy(&value, immediate.data(), 4);
    outcome.enable = operation(origin, x.get<d::header>().get<h::target>(), value)
                         .set<o::add>(x.get<d::relative>())
                         .set<o::is_event>(x.get<d::opcode>() == Opcode::kRecvEn);
  }
  if (moves(x)) {
    const std::uint64_t length = x.get<d::length>();
    for (std::uint64_t sent = 0; sent < std::max<std::uint64_t>(length, 1); sent += 512) {
      const std::uint64_t bytes = std::min<std::uint64_t>(512, length - sent);
      outcome.packets.push_back(packet_of(around, x, origin, sent, bytes));
      if (x.get<d::injection_counter_valid>() != 0) {
        outcome.operations.push_back(operation(origin, x.get<d::injection_counter>(), bytes));
      }
    }
  } else if (counts(x)) {
    const bool event = x.get<d::event_valid>() != 0;
    const bool set = x.get<d::opcode>() == Opcode::kCtrSet;
    std::uint64_t value = 0;
    const auto immediate = x.get<d::immediate>();
    std::memcpy(&value, immediate.data(), sizeof value);
    value &= event ? 0xFFFFFFFFULL : (1ULL << o::value.width) - 1;
    const std::uint64_t counter = event ? x.get<d::event_counter>() : x.get<d::counter>();
    outcome.operations.push_back(operation(origin, counter, value)
                                     .set<o::is_event>(event)
                                     .set<o::set>(set)
                                     .set<o::add>(!set));
  }
  if (x.get<d::done_event_valid>() != 0) {
    outcome.operations.push_back(
        operation(origin, x.get<d::done_event>(), 1).set<o::is_event>(1).set<o::add>(1));
  }
  return outcome;
}

}  // namespace torusmu::testing
