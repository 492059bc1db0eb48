// SPDX-License-Identifier: Apache-2.0
// The receiving half of the reference node: what a packet that arrives does.
#include <algorithm>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint32_t kReflectionQueues = 7;
constexpr std::size_t kMostReplyBytes = 32;
constexpr std::uint64_t kDiscardsWrap = std::uint64_t{1} << 31;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// The packet turned round: from this node back to where it came from.
void turn_round(PacketHeader& header, const PacketHeader& from, Coordinates here) {
  header.set<h::dst_x>(from.get<h::src_x>())
      .set<h::dst_y>(from.get<h::src_y>())
      .set<h::dst_z>(from.get<h::src_z>())
      .set<h::src_x>(here.x)
      .set<h::src_y>(here.y)
      .set<h::src_z>(here.z)
      .set<h::client>(from.get<h::client>())
      .set<h::reply>(1);
}

}  // namespace

bool ReferenceNode::is_sound(const Packet& packet) const {
  const bool reply = packet.reply();
  const Kind kind = packet.header.get<h::kind>();
  const bool for_reply = kind == Kind::kPut || kind == Kind::kFifo || kind == Kind::kNotice ||
                         kind == Kind::kCredit || kind == Kind::kAck || kind == Kind::kFence;
  const bool for_request = kind == Kind::kPut || kind == Kind::kFifo || kind == Kind::kGet ||
                           kind == Kind::kCreditQuery || kind == Kind::kSend ||
                           kind == Kind::kFence;
  return packet.crc_is_good() && (reply ? for_reply : for_request) &&
         packet.payload.size() == packet.header.get<h::bytes>() &&
         packet.payload.size() <= (reply ? kMostReplyBytes : sizes_.payload_bytes) &&
         reserved_bits_are_zero(packet.header) && reserved_bits_are_zero(packet.trailer);
}

bool ReferenceNode::receive(const Packet& packet, Cycles now) {
  if (!is_sound(packet)) {
    ++bad_packets_;
    return true;
  }
  if (!packet.reply()) drain_boot_buffers();
  Status status = Status::kOk;
  switch (packet.header.get<h::kind>()) {
    case Kind::kPut:
      status = receive_put(packet);
      break;
    case Kind::kFifo: {
      const auto outcome = receive_fifo(packet, now);
      if (!outcome) return false;
      status = *outcome;
      break;
    }
    case Kind::kGet:
      status = receive_get(packet);
      break;
    case Kind::kNotice:
      receive_notice(packet, now);
      break;
    case Kind::kCreditQuery:
      answer_credit_query(packet);
      break;
    case Kind::kCredit:
      return_credit(low(packet.header.get<h::target>()),
                    static_cast<std::uint16_t>(packet.header.get<h::word>()));
      break;
    case Kind::kSend:
      status = receive_send(packet, now);
      break;
    case Kind::kAck:
      take_answer(packet, low(packet.header.get<h::target>()), low(packet.header.get<h::word>()),
                  Status::kOk, now);
      break;
    case Kind::kFence:
      if (packet.reply()) {
        take_fence_answer(packet, low(packet.header.get<h::target>()),
                          low(packet.header.get<h::word>()), Status::kOk);
      } else {
        status = receive_fence(packet);
      }
      break;
    case Kind::kNone:
      break;
  }
  if (packet.reply() && packet.trailer.get<t::reflected>() != 0) {
    return_credit(low(packet.trailer.get<t::queue>()),
                  static_cast<std::uint16_t>(packet.trailer.get<t::index>()));
  }
  if (status != Status::kOk) refuse(packet, status);
  return true;
}

ReferenceNode::Target ReferenceNode::target_of(const Packet& packet) const {
  // The event counter is meant by the last packet of a message alone.
  return {packet.trailer.get<t::counter_valid>() != 0, low(packet.trailer.get<t::counter>()),
          packet.trailer.get<t::event_valid>() != 0, low(packet.trailer.get<t::event_counter>())};
}

Status ReferenceNode::check_target_counters(const Target& target, std::uint32_t owner) const {
  if (target.counter_valid &&
      (target.counter >= bytes_.size() || !bytes_[target.counter].enabled() ||
       bytes_[target.counter].owner() != owner)) {
    return Status::kCounterInvalid;
  }
  if (target.event_valid && (target.event >= events_.size() || !events_[target.event].enabled() ||
                             events_[target.event].owner() != owner)) {
    return Status::kCounterInvalid;
  }
  return Status::kOk;
}

// What the packet stands for, after its bytes are in memory.
void ReferenceNode::complete(const Packet& packet, std::uint32_t owner) {
  const Target target = target_of(packet);
  const bool last = packet.trailer.get<t::last>() != 0;
  if (target.counter_valid) subtract(target.counter, packet.payload.size());
  if (target.event_valid && last) count_event(target.event);
  if (packet.trailer.get<t::interrupt>() != 0 && last) raise(owner, Cause::kArrived);
}

Status ReferenceNode::receive_put(const Packet& packet) {
  // Without bytes it may still carry an increment.
  if (packet.payload.empty() && packet.trailer.get<t::event_valid>() == 0) {
    return Status::kPacketKind;
  }
  const auto region = low(packet.header.get<h::target>());
  const bool on_behalf = packet.header.get<h::on_behalf>() != 0;
  const Address offset = packet.header.get<h::offset>();
  const Status status = check_region(region, offset, packet.payload.size(),
                                     on_behalf ? Access::kOnBehalf : Access::kRemoteWrite,
                                     low(packet.header.get<h::client>()));
  if (status != Status::kOk) return status;
  const std::uint32_t owner = regions_[region].owner();
  const Status counters = check_target_counters(target_of(packet), owner);
  if (counters != Status::kOk) return counters;
  if (write_memory(regions_[region].base + offset, packet.payload)) {
    complete(packet, owner);
  } else {
    raise(owner, Cause::kError);
  }
  return Status::kOk;
}

std::optional<Status> ReferenceNode::receive_fifo(const Packet& packet, Cycles now) {
  const auto number = low(packet.header.get<h::target>());
  if (number < fifos_.size() && is_kept(packet, fifos_[number])) {
    return keep_packet(packet, fifos_[number]);
  }
  if (number >= fifos_.size() || !fifos_[number].enabled() || fifos_[number].keeps()) {
    return Status::kFifoInvalid;
  }
  Fifo& fifo = fifos_[number];
  if (fifo.reply_only() && !packet.reply()) return Status::kFifoInvalid;
  if (packet.header.get<h::on_behalf>() != 0 && fifo.owner() != packet.header.get<h::client>()) {
    return Status::kPermission;
  }
  const Status counters = check_target_counters(target_of(packet), fifo.owner());
  if (counters != Status::kOk) return counters;
  const std::vector<std::uint8_t> entry = ring_entry(packet, sizes_.fifo_slot_bytes);
  const std::uint64_t slots = entry.size() / sizes_.fifo_slot_bytes;
  const bool full = slots > fifo.size - (fifo.tail - fifo.head);
  if (full || (fifo.refusing && !packet.reply())) {
    if (!packet.reply()) {
      if (!fifo.refusing && fifo_hold_cycles_ != 0) {
        if (!fifo.holding) {
          fifo.holding = true;
          fifo.held_since = now;
        }
        hold_deadline_ = fifo.held_since + fifo_hold_cycles_;
        if (now < hold_deadline_) return std::nullopt;
      }
      // Later refusals do not move the mark, or a busy sender could keep an empty FIFO closed.
      if (!fifo.refusing) fifo.head_at_refusal = fifo.head;
      fifo.refusing = true;
      fifo.holding = false;
    }
    fifo.refused = std::min<std::uint64_t>(fifo.refused + 1, 0xFFFFFFFF);
    return Status::kFifoFull;
  }
  fifo.holding = false;
  if (store_entry(fifo, entry)) {
    complete(packet, fifo.owner());
  } else {
    raise(fifo.owner(), Cause::kError);
  }
  return Status::kOk;
}

// The slots were reserved, so the tail moves even if the memory refuses them, and whoever sleeps
// until it moves wakes; but nothing is counted.
bool ReferenceNode::store_entry(Fifo& fifo, const std::vector<std::uint8_t>& entry) {
  const bool stored = write_ring(fifo.base, fifo.size, fifo.tail, sizes_.fifo_slot_bytes, entry);
  fifo.tail += entry.size() / sizes_.fifo_slot_bytes;
  if (fifo.interrupts()) {
    raise_by_part(fifo.owner(), Cause::kArrived,
                  registers::client_page::interrupt_cause_field::fifos.lsb,
                  static_cast<std::size_t>(&fifo - fifos_.data()));
  }
  if (fifo.threshold != 0 && fifo.tail - fifo.head > fifo.threshold) {
    raise(fifo.owner(), Cause::kFifoThreshold);
  }
  return stored;
}

Status ReferenceNode::receive_get(const Packet& packet) {
  const std::size_t bytes = packet.payload.size();
  if (bytes == 0 || bytes % sizes_.descriptor_bytes != 0) return Status::kPacketKind;
  if (packet.header.get<h::on_behalf>() != 0) return Status::kOpcodeForbidden;
  const auto number = low(packet.header.get<h::target>());
  const bool reflected = packet.trailer.get<t::reflected>() != 0;
  const QueueMode wanted = reflected ? QueueMode::kReflection : QueueMode::kRemoteGet;
  if (number >= queues_.size() || queues_[number].mode() != wanted) return Status::kQueueInvalid;
  Queue& queue = queues_[number];
  const std::size_t count = bytes / sizes_.descriptor_bytes;
  if (count > queue.size - (queue.tail - queue.head)) return Status::kQueueFull;
  std::vector<std::uint8_t> ring;
  for (std::size_t i = 0; i < count; ++i) {
    auto descriptor = Descriptor::from_bytes(
        std::span(packet.payload).subspan(i * sizes_.descriptor_bytes, Descriptor::kBytes));
    PacketHeader image = descriptor.get<d::header>();
    image.set<h::src_x>(packet.header.get<h::src_x>())
        .set<h::src_y>(packet.header.get<h::src_y>())
        .set<h::src_z>(packet.header.get<h::src_z>())
        .set<h::client>(packet.header.get<h::client>());
    descriptor.set<d::header>(image);
    if (reflected) {
      descriptor.set<d::reflection_number>(packet.trailer.get<t::sequence_number>() & 0xFFFF);
    }
    const auto stamped = descriptor.bytes();
    ring.insert(ring.end(), stamped.begin(), stamped.end());
  }
  if (!write_ring(queue.base, queue.size, queue.tail, sizes_.descriptor_bytes, ring)) {
    raise(queue.owner(), Cause::kError);
  }
  queue.tail += count;
  return Status::kOk;
}

void ReferenceNode::receive_notice(const Packet& packet, Cycles now) {
  const auto word = packet.header.get<h::word>();
  const auto refused = static_cast<Kind>(word >> 8 & 0xF);
  const auto status = static_cast<Status>(word & 0xFF);
  const std::uint32_t queue = low(packet.trailer.get<t::queue>());
  // What the MU itself sends again, or waits for.
  if (refused == Kind::kSend) {
    take_answer(packet, queue, low(packet.trailer.get<t::sequence_number>()), status, now);
    if (status == Status::kReceiveDisabled) count_discard(packet);
    return;
  }
  if (refused == Kind::kFence) {
    take_fence_answer(packet, queue, low(packet.trailer.get<t::index>()), status);
    return;
  }
  const auto client = low(packet.header.get<h::client>());
  if (client >= notices_.size()) {
    ++dropped_replies_;
    return;
  }
  NoticeRing& ring = notices_[client];
  if (ring.tail - ring.head >= ring.size) {
    ring.overflow = true;
    ring.shown = false;
    ++dropped_replies_;
    return;
  }
  store_notice(packet, client);
}

void ReferenceNode::count_discard(const Packet& notice) {
  const auto client = low(notice.header.get<h::client>());
  if (client >= notices_.size()) return;
  NoticeRing& ring = notices_[client];
  ring.discards = (ring.discards + 1) % kDiscardsWrap;
  if (ring.tells_discards && ring.tail - ring.head < ring.size / 2) store_notice(notice, client);
}

void ReferenceNode::store_notice(const Packet& packet, std::uint32_t client) {
  NoticeRing& ring = notices_[client];
  Packet entry = packet;
  entry.payload.clear();
  if (!write_ring(ring.base, ring.size, ring.tail, sizes_.fifo_slot_bytes,
                  ring_entry(entry, sizes_.fifo_slot_bytes))) {
    raise(client, Cause::kError);
  }
  ++ring.tail;
  raise(client, Cause::kNotice);
}

void ReferenceNode::answer_credit_query(const Packet& packet) {
  const auto number = low(packet.header.get<h::target>());
  if (number >= kReflectionQueues || queues_[number].mode() != QueueMode::kReflection ||
      queues_[number].head != queues_[number].tail) {
    return;
  }
  Packet credit;
  turn_round(credit.header, packet.header, place_);
  credit.header.set<h::kind>(Kind::kCredit)
      .set<h::target>(number)
      .set<h::word>(packet.header.get<h::word>());
  credit.seal();
  replies_.push_back(std::move(credit));
}

void ReferenceNode::refuse(const Packet& packet, Status status) {
  if (packet.reply()) {
    ++dropped_replies_;
    return;
  }
  Packet notice;
  turn_round(notice.header, packet.header, place_);
  if (packet.header.get<h::on_behalf>() != 0) {
    // The getter is a client of this very node.
    notice.header.set<h::dst_x>(place_.x).set<h::dst_y>(place_.y).set<h::dst_z>(place_.z);
  }
  notice.header.set<h::kind>(Kind::kNotice)
      .set<h::target>(packet.header.get<h::target>())
      .set<h::offset>(packet.header.get<h::offset>())
      .set<h::word>(static_cast<std::uint64_t>(status) |
                    static_cast<std::uint64_t>(packet.header.get<h::kind>()) << 8);
  notice.trailer.set<t::queue>(packet.trailer.get<t::queue>())
      .set<t::index>(packet.trailer.get<t::index>())
      .set<t::sequence_number>(packet.trailer.get<t::sequence_number>());
  notice.seal();
  replies_.push_back(std::move(notice));
}

}  // namespace torusmu::model
