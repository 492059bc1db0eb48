// SPDX-License-Identifier: Apache-2.0
// What all parts of the reference node share: memory with touch ranges, causes, regions, counters.
#include "tb/reference_model/node_model.h"

#include <algorithm>
#include <cstring>

namespace torusmu::model {

ReferenceNode::ReferenceNode(const Shape& shape, NodeId node, Bytes memory_size, const Sizes& sizes)
    : shape_(shape),
      id_(node),
      place_(shape.coordinates(node)),
      sizes_(sizes),
      memory_(memory_size),
      unit_memory_(Bytes{8} * sizes.unit_memory_words),
      queues_(sizes.injection_queues),
      completions_(sizes.completion_queues),
      fifos_(sizes.reception_fifos),
      bytes_(sizes.byte_counters),
      events_(sizes.event_counters),
      classes_(sizes.tree_classes),
      regions_(sizes.regions),
      touches_(sizes.touch_ranges),
      notices_(sizes.clients),
      pages_(sizes.clients),
      credits_(sizes.reflection_queues),
      contexts_(sizes.reassembly_contexts),
      last_context_(contexts_.size() - 1),
      pipes_(sizes.pipes) {}

bool ReferenceNode::interrupt(ClientId client) const {
  const Page& page = pages_.at(client.value);
  return (page.causes & page.enables) != 0;
}

void ReferenceNode::raise(std::uint32_t client, Cause cause) {
  // A client number that does not exist (an entry that was never set up) has nobody to tell.
  if (client < pages_.size()) pages_[client].causes |= std::uint64_t{1} << static_cast<int>(cause);
}

void ReferenceNode::raise_by_part(std::uint32_t client, Cause cause, unsigned parts,
                                  std::size_t number) {
  raise(client, cause);
  if (client < pages_.size()) {
    pages_[client].causes |= std::uint64_t{1} << (parts + number % 16);
  }
}

NodeMemory& ReferenceNode::memory_at(Address& address) {
  const Address base = (Address{1} << sizes_.address_bits) - unit_memory_.size();
  if (address < base) return memory_;
  address -= base;
  return unit_memory_;
}

bool ReferenceNode::read_memory(Address address, std::span<std::uint8_t> data) {
  touch(address, data.size(), false);
  NodeMemory& memory = memory_at(address);
  if (!memory.holds(address, data.size())) {
    ++memory_errors_;
    return false;
  }
  memory.read(address, std::as_writable_bytes(data));
  return true;
}

bool ReferenceNode::write_memory(Address address, std::span<const std::uint8_t> data) {
  constexpr Bytes kBeat = 32;
  if (data.empty()) return true;  // nothing is written
  touch(address, data.size(), true);
  bool fits = true;
  for (std::size_t done = 0; done < data.size();) {
    const Bytes in_beat = (address + done) % kBeat;
    const std::size_t count = std::min<std::size_t>(data.size() - done, kBeat - in_beat);
    std::array<std::byte, kBeat> beat{};
    std::memcpy(beat.data() + in_beat, data.data() + done, count);
    const std::uint32_t ones =
        count == kBeat ? 0xFFFFFFFFU : ((std::uint32_t{1} << count) - 1) << in_beat;
    // What the memory does not hold is lost, and nothing else.
    Address place = address + done - in_beat;
    NodeMemory& memory = memory_at(place);
    if (memory.holds(place, kBeat)) {
      memory.write_beat(place, beat.data(), ones);
    } else {
      fits = false;
    }
    done += count;
  }
  if (!fits) ++memory_errors_;
  return fits;
}

bool ReferenceNode::write_ring(Address base, std::uint64_t size, std::uint64_t index,
                               std::uint32_t slot_bytes, std::span<const std::uint8_t> data) {
  const std::uint64_t position = index % size;
  const std::size_t before_wrap =
      std::min<std::size_t>(data.size(), static_cast<std::size_t>((size - position) * slot_bytes));
  bool ok = write_memory(base + position * slot_bytes, data.first(before_wrap));
  if (before_wrap < data.size()) ok = write_memory(base, data.subspan(before_wrap)) && ok;
  return ok;
}

void ReferenceNode::touch(Address address, Bytes bytes, bool write, bool by_core) {
  for (std::size_t n = 0; n < touches_.size(); ++n) {
    const TouchRange& range = touches_[n];
    // Addresses have 40 bits and lengths at most 41, so that these sums cannot wrap.
    if (range.fires(write, by_core) && range.length != 0 && address < range.base + range.length &&
        range.base < address + bytes) {
      touch_hits_ |= std::uint64_t{1} << n;
      raise(range.owner(), Cause::kTouch);
    }
  }
}

Status ReferenceNode::check_region(std::uint32_t region, Address offset, Bytes bytes, Access access,
                                   std::uint32_t client) const {
  if (region >= regions_.size() || !regions_[region].enabled()) return Status::kRegionInvalid;
  const Region& entry = regions_[region];
  const bool allowed = access == Access::kRemoteWrite  ? entry.remote_write()
                       : access == Access::kRemoteRead ? entry.remote_read()
                                                       : entry.owner() == client;
  if (!allowed) return Status::kPermission;
  const bool in_memory = entry.base + offset + bytes <= std::uint64_t{1} << sizes_.address_bits;
  if (offset + bytes > entry.length || !in_memory) return Status::kRegionBounds;
  return Status::kOk;
}

void ReferenceNode::subtract(std::uint32_t counter, std::uint64_t value) {
  ByteCounter& entry = bytes_[counter];
  if (value > entry.remaining) {
    entry.underflow = true;
    // Whoever waits for zero must wake, and then sees the underflow.
    if (entry.remaining != 0) {
      entry.hit_zero = true;
      if (entry.interrupts()) {
        raise_by_part(entry.owner(), Cause::kCounterZero,
                      registers::client_page::interrupt_cause_field::byte_counters.lsb, counter);
      }
    }
    entry.remaining = 0;
    raise(entry.owner(), Cause::kError);
    return;
  }
  entry.remaining -= value;
  if (entry.remaining == 0 && value != 0) {
    entry.hit_zero = true;
    if (entry.interrupts()) {
      raise_by_part(entry.owner(), Cause::kCounterZero,
                    registers::client_page::interrupt_cause_field::byte_counters.lsb, counter);
    }
  }
}

}  // namespace torusmu::model
