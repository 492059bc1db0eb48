// SPDX-License-Identifier: Apache-2.0
// Boot buffers of the reference node: what comes for a client that is not there yet
// (US 8,528,004). docs/boot_buffers.md has the rules.
#include <algorithm>
#include <cstring>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint64_t kMostRefused = 0xFFFFFFFF;
constexpr Bytes kWordBytes = 8;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

// What a write of the FIFO's config does to the buffers, before it is taken: it closes the one that
// was open for the FIFO, and opens the new owner's.
Status ReferenceNode::configure_boot_buffers(std::uint32_t fifo, std::uint64_t config) {
  namespace field = registers::reception_fifo::config_field;
  const bool boots = extract(config, field::boot) != 0;
  BootBuffer& own = boots_[low(extract(config, field::owner))];
  if (boots) {
    const bool takes =
        extract(config, field::enable) != 0 || extract(config, field::reply_only) != 0;
    if (takes || (own.open && own.fifo != fifo)) return Status::kRegisterValue;
  }
  if (fifos_[fifo].boots()) boots_[fifos_[fifo].owner()].open = false;
  if (boots) {
    own.open = true;
    own.fifo = fifo;
    own.head = own.tail = own.refused = 0;
    own.refusing = false;
  }
  return Status::kOk;
}

Status ReferenceNode::receive_boot_packet(const Packet& packet, const Fifo& fifo) {
  if (packet.reply()) return Status::kFifoInvalid;
  // Counters of a process that is not there cannot be meant.
  if (packet.trailer.get<t::counter_valid>() != 0 || packet.trailer.get<t::event_valid>() != 0) {
    return Status::kFifoInvalid;
  }
  if (packet.header.get<h::on_behalf>() != 0 && fifo.owner() != packet.header.get<h::client>()) {
    return Status::kPermission;
  }
  BootBuffer& buffer = boots_[fifo.owner()];
  const std::vector<std::uint8_t> entry = ring_entry(packet, sizes_.fifo_slot_bytes);
  const std::uint64_t slots = entry.size() / sizes_.fifo_slot_bytes;
  if (buffer.refusing || slots > sizes_.boot_slots - (buffer.tail - buffer.head)) {
    buffer.refusing = true;
    buffer.refused = std::min(buffer.refused + 1, kMostRefused);
    return Status::kFifoFull;
  }
  for (std::size_t i = 0; i < entry.size(); ++i) {
    buffer.bytes[(buffer.tail * sizes_.fifo_slot_bytes + i) % buffer.bytes.size()] = entry[i];
  }
  buffer.tail += slots;
  return Status::kOk;
}

Status ReferenceNode::move_boot_head(std::uint32_t client, std::uint64_t head) {
  BootBuffer& buffer = boots_[client];
  if (head >> 32 != 0) return Status::kRegisterValue;
  const std::uint32_t ahead = low(head) - low(buffer.head);
  if (ahead > buffer.tail - buffer.head) return Status::kDoorbellRange;
  buffer.head += ahead;
  return Status::kOk;
}

// Only what has come and is not freed is shown.
std::uint64_t ReferenceNode::boot_word(std::uint32_t client, std::uint32_t word) const {
  const BootBuffer& buffer = boots_[client];
  const std::uint64_t slot = word * kWordBytes / sizes_.fifo_slot_bytes;
  const std::uint64_t behind_head = (slot - buffer.head) % sizes_.boot_slots;
  if (behind_head >= buffer.tail - buffer.head) return 0;
  std::uint64_t value = 0;
  std::memcpy(&value, buffer.bytes.data() + word * kWordBytes, kWordBytes);
  return value;
}

ReferenceNode::Answer ReferenceNode::read_boot_buffer(const Decoded& where) const {
  namespace field = registers::boot_buffer::tail_field;
  const BootBuffer& buffer = boots_[where.block];
  switch (where.name) {
    case RegisterName::boot_buffer__data:
      return {Status::kOk, boot_word(where.block, where.copy)};
    case RegisterName::boot_buffer__head:
      return {Status::kOk, low(buffer.head)};
    case RegisterName::boot_buffer__tail:
      return {Status::kOk,
              insert(insert(0, field::tail, low(buffer.tail)), field::open, buffer.open)};
    default:
      return {Status::kOk, buffer.refused};
  }
}

}  // namespace torusmu::model
