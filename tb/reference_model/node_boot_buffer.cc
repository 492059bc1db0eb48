// SPDX-License-Identifier: Apache-2.0
// Boot buffers of the reference node: what comes for a client that is not there yet
// (US 8,528,004). docs/boot_buffers.md has the rules.
#include <algorithm>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint64_t kMostRefused = 0xFFFFFFFF;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

// What a write of the FIFO's config does to the buffers, before it is taken: it closes the one that
// was open for the FIFO, whose packets go into the FIFO if it stays its owner's and takes requests
// from now on, and are dropped if not; and it opens the new owner's.
Status ReferenceNode::configure_boot_buffers(std::uint32_t fifo, std::uint64_t config) {
  namespace field = registers::reception_fifo::config_field;
  const std::uint32_t owner = low(extract(config, field::owner));
  const bool enables = extract(config, field::enable) != 0;
  const bool reply_only = extract(config, field::reply_only) != 0;
  const bool boots = extract(config, field::boot) != 0;
  BootBuffer& own = boots_[owner];
  if (boots) {
    if (enables || reply_only || (own.open && own.fifo != fifo)) return Status::kRegisterValue;
  }
  for (BootBuffer& buffer : boots_) {
    if (!(buffer.open || buffer.draining) || buffer.fifo != fifo) continue;
    buffer.draining = enables && !reply_only && &buffer == &own;
    buffer.open = false;
    if (!buffer.draining) buffer.packets.clear();
  }
  if (boots) own = {.packets = {}, .open = true, .fifo = fifo};
  drain_waits_ = false;
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
  const std::uint64_t slots =
      ring_entry(packet, sizes_.fifo_slot_bytes).size() / sizes_.fifo_slot_bytes;
  if (buffer.refusing || slots > sizes_.boot_slots - (buffer.tail - buffer.head)) {
    buffer.refusing = true;
    buffer.refused = std::min(buffer.refused + 1, kMostRefused);
    return Status::kFifoFull;
  }
  buffer.packets.push_back(packet);
  buffer.tail += slots;
  return Status::kOk;
}

bool ReferenceNode::has_drain() const {
  return !drain_waits_ && std::any_of(boots_.begin(), boots_.end(),
                                      [](const BootBuffer& buffer) { return buffer.draining; });
}

// False: a packet waits at its FIFO.
bool ReferenceNode::drain_boot_buffers(Cycles now) {
  drain_waits_ = !std::all_of(boots_.begin(), boots_.end(), [this, now](BootBuffer& buffer) {
    return drain_boot_buffer(buffer, now);
  });
  return !drain_waits_;
}

bool ReferenceNode::drain_boot_buffer(BootBuffer& buffer, Cycles now) {
  for (; buffer.draining && !buffer.packets.empty(); buffer.packets.pop_front()) {
    const Packet& packet = buffer.packets.front();
    const std::optional<Status> outcome = receive_fifo(packet, now);
    if (!outcome) return false;
    if (*outcome != Status::kOk) refuse(packet, *outcome);
    buffer.head += ring_entry(packet, sizes_.fifo_slot_bytes).size() / sizes_.fifo_slot_bytes;
  }
  buffer.draining = false;
  return true;
}

ReferenceNode::Answer ReferenceNode::read_boot_buffer(const Decoded& where) const {
  namespace field = registers::boot_buffer::tail_field;
  const BootBuffer& buffer = boots_[where.block];
  switch (where.name) {
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
