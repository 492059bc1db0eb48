// SPDX-License-Identifier: Apache-2.0
// Boot buffers of the reference node: what comes for a client that is not there yet
// (US 8,528,004). docs/boot_buffers.md has the rules.
#include <algorithm>
#include <array>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

// What a write of a FIFO's config means for boot buffers, once it has been taken.
void ReferenceNode::configure_boot_buffers(std::uint32_t fifo) {
  fifos_[fifo].draining = false;
  for (Fifo& each : fifos_) each.stuck = false;
  if (fifos_[fifo].enabled() && fifos_[fifo].boots()) fifos_[fifos_[fifo].keeper()].draining = true;
}

// A boot buffer for each client that is expected, in the unit's own memory.
Status ReferenceNode::open_boot_buffers(std::uint64_t expected) {
  namespace field = registers::boot::expected_field;
  namespace config = registers::reception_fifo::config_field;
  const std::uint64_t clients = extract(expected, field::clients);
  const std::uint32_t fifos = low(extract(expected, field::fifos));
  const std::uint64_t slots = extract(expected, field::slots);
  const std::uint32_t first = sizes_.reception_fifos - sizes_.clients;
  const std::uint64_t known =
      insert(insert(insert(0, field::clients, clients), field::fifos, fifos), field::slots, slots);
  if (expected != known || clients >> sizes_.clients != 0 || (slots & (slots - 1)) != 0) {
    return Status::kRegisterValue;
  }
  const auto is_expected = [clients](std::uint32_t client) { return (clients >> client & 1) != 0; };
  for (std::uint32_t c = 0; c < sizes_.clients; ++c) {
    if (!is_expected(c)) continue;
    if (fifos == 0 || (c + 1) * fifos > first || slots < kFewestFifoSlots ||
        (c + 1) * slots * sizes_.fifo_slot_bytes > unit_memory_.size()) {
      return Status::kRegisterValue;
    }
  }
  expected_ = expected;
  for (std::uint32_t c = 0; c < sizes_.clients; ++c) {
    if (!is_expected(c)) continue;
    const std::uint32_t keeper = first + c;
    const std::uint64_t owner = insert(0, config::owner, c);
    (void)configure_fifo(keeper, 0);
    fifos_[keeper].base = (Address{1} << sizes_.address_bits) - unit_memory_.size() +
                          c * slots * sizes_.fifo_slot_bytes;
    fifos_[keeper].size = slots;
    (void)configure_fifo(keeper, insert(insert(owner, config::enable, 1), config::keeps, 1));
    for (std::uint32_t i = 0; i < fifos; ++i) {
      (void)configure_fifo(c * fifos + i,
                           insert(insert(owner, config::boot, 1), config::keeper, keeper));
    }
  }
  return Status::kOk;
}

// Requests for a FIFO whose process is not there yet, or whose boot buffer still holds some.
bool ReferenceNode::is_kept(const Packet& packet, const Fifo& fifo) const {
  return fifo.boots() && !packet.reply() && (!fifo.enabled() || fifos_[fifo.keeper()].draining);
}

Status ReferenceNode::keep_packet(const Packet& packet, const Fifo& fifo) {
  const bool counted =
      packet.trailer.get<t::counter_valid>() != 0 || packet.trailer.get<t::event_valid>() != 0;
  // Counters of a process that is not there cannot be meant.
  if (counted && !fifo.enabled()) return Status::kFifoInvalid;
  if (packet.header.get<h::on_behalf>() != 0 && fifo.owner() != packet.header.get<h::client>()) {
    return Status::kPermission;
  }
  Fifo& keeper = fifos_[fifo.keeper()];
  if (!keeper.enabled() || !keeper.keeps() || keeper.owner() != fifo.owner()) {
    return Status::kFifoInvalid;
  }
  const Status counters = check_target_counters(target_of(packet), fifo.owner());
  if (counters != Status::kOk) return counters;
  const std::vector<std::uint8_t> entry = ring_entry(packet, sizes_.fifo_slot_bytes);
  const std::uint64_t slots = entry.size() / sizes_.fifo_slot_bytes;
  if (keeper.refusing || slots > keeper.size - (keeper.tail - keeper.head)) {
    if (!keeper.refusing) keeper.head_at_refusal = keeper.head;
    keeper.refusing = true;
    keeper.refused = std::min<std::uint64_t>(keeper.refused + 1, 0xFFFFFFFF);
    return Status::kFifoFull;
  }
  if (!store_entry(keeper, entry)) raise(keeper.owner(), Cause::kError);
  // It counts, bumps and interrupts when it comes to its own FIFO.
  if (fifo.enabled()) keeper.draining = true;
  return Status::kOk;
}

bool ReferenceNode::has_drain() const {
  return std::any_of(fifos_.begin(), fifos_.end(),
                     [](const Fifo& fifo) { return fifo.draining && !fifo.stuck; });
}

void ReferenceNode::drain_boot_buffers() {
  for (Fifo& fifo : fifos_) {
    if (fifo.draining) drain_boot_buffer(fifo);
  }
}

// Until it is empty, or a packet finds no room.
void ReferenceNode::drain_boot_buffer(Fifo& keeper) {
  keeper.stuck = false;
  while (keeper.draining) {
    if (!keeper.enabled() || !keeper.keeps() || keeper.head == keeper.tail) {
      keeper.draining = false;
      return;
    }
    const std::optional<Packet> packet = oldest_of(keeper);
    if (!packet) {
      ++bad_packets_;
      free_slots(keeper, keeper.tail - keeper.head);
      continue;
    }
    const std::optional<Status> outcome = move_packet(*packet, keeper);
    if (!outcome) {
      keeper.stuck = true;
      return;
    }
    if (*outcome != Status::kOk) refuse(*packet, *outcome);
    free_slots(keeper, ring_entry(*packet, sizes_.fifo_slot_bytes).size() / sizes_.fifo_slot_bytes);
  }
}

// None if what lies there is no packet for a FIFO, or cannot be read.
std::optional<Packet> ReferenceNode::oldest_of(const Fifo& keeper) {
  const std::uint64_t bytes = sizes_.fifo_slot_bytes;
  std::vector<std::uint8_t> slots(bytes);
  if (!read_memory(keeper.base + keeper.head % keeper.size * bytes, slots)) return std::nullopt;
  Packet packet;
  packet.header = PacketHeader::from_bytes(std::span(slots).first<PacketHeader::kBytes>());
  packet.trailer =
      PacketTrailer::from_bytes(std::span(slots).subspan<kFlitBytes, PacketTrailer::kBytes>());
  const std::uint64_t length = packet.header.get<h::bytes>();
  const std::uint64_t behind = (length + bytes - 1) / bytes;
  if (packet.header.get<h::kind>() != Kind::kFifo || packet.reply() ||
      length > sizes_.payload_bytes || 1 + behind > keeper.tail - keeper.head) {
    return std::nullopt;
  }
  packet.payload.resize(behind * bytes);
  const std::uint64_t position = (keeper.head + 1) % keeper.size;
  const std::uint64_t before_wrap = std::min(behind, keeper.size - position) * bytes;
  const std::span<std::uint8_t> payload(packet.payload);
  if (before_wrap != 0 &&
      !read_memory(keeper.base + position * bytes, payload.first(before_wrap))) {
    return std::nullopt;
  }
  if (before_wrap < payload.size() && !read_memory(keeper.base, payload.subspan(before_wrap))) {
    return std::nullopt;
  }
  packet.payload.resize(length);
  return packet;
}

void ReferenceNode::free_slots(Fifo& fifo, std::uint64_t slots) {
  fifo.head += slots;
  if (4 * (fifo.head - fifo.head_at_refusal) >= fifo.size) fifo.refusing = false;
}

// None: its FIFO has no room for it, or is not there yet.
std::optional<Status> ReferenceNode::move_packet(const Packet& packet, const Fifo& keeper) {
  const std::uint32_t number = low(packet.header.get<h::target>());
  if (number >= fifos_.size()) return Status::kFifoInvalid;
  Fifo& fifo = fifos_[number];
  const bool counted =
      packet.trailer.get<t::counter_valid>() != 0 || packet.trailer.get<t::event_valid>() != 0;
  if (fifo.keeps() || fifo.reply_only() || fifo.owner() != keeper.owner() ||
      (!fifo.enabled() && (!fifo.boots() || counted))) {
    return Status::kFifoInvalid;
  }
  if (packet.header.get<h::on_behalf>() != 0 && fifo.owner() != packet.header.get<h::client>()) {
    return Status::kPermission;
  }
  const Status counters = check_target_counters(target_of(packet), fifo.owner());
  if (counters != Status::kOk) return counters;
  const std::vector<std::uint8_t> entry = ring_entry(packet, sizes_.fifo_slot_bytes);
  if (!fifo.enabled() ||
      entry.size() / sizes_.fifo_slot_bytes > fifo.size - (fifo.tail - fifo.head)) {
    return std::nullopt;
  }
  if (store_entry(fifo, entry)) {
    complete(packet, fifo.owner());
  } else {
    raise(fifo.owner(), Cause::kError);
  }
  return Status::kOk;
}

}  // namespace torusmu::model
