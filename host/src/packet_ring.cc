// SPDX-License-Identifier: Apache-2.0
#include "host/src/packet_ring.h"

#include <algorithm>
#include <array>
#include <utility>

namespace torusmu {
namespace {

constexpr std::uint32_t kMostSlots = 17;  // of one entry: header, trailer and 512 bytes

}  // namespace

PacketRing::PacketRing(Device& device, Range memory, Registers registers)
    : device_(&device),
      registers_(registers),
      base_(memory.address),
      slots_(static_cast<std::uint32_t>(memory.bytes / kSlotBytes)) {}

PacketRing::PacketRing(Device& device, Range memory, std::optional<Registers> registers,
                       std::uint32_t filled)
    : device_(&device),
      registers_(registers),
      base_(memory.address),
      slots_(static_cast<std::uint32_t>(memory.bytes / kSlotBytes)),
      tail_(filled) {}

bool PacketRing::hint() {
  if (head_ - freed_ == slots_) return false;  // all of it is held: nothing new has room
  std::array<std::byte, 4> word{};
  device_->load(address(position_), word);
  return word != std::array<std::byte, 4>{};
}

bool PacketRing::read_tail() {
  const std::uint64_t value =
      registers_->wide ? device_->read64(registers_->tail) : device_->read32(registers_->tail);
  const auto tail = static_cast<std::uint32_t>(value);
  // The MU never fills more than the ring, and never takes back.
  if (tail - released_ > slots_ || tail - head_ > slots_) return false;
  tail_ = tail;
  tail_register_ = value;
  overflow_ = (value >> 32 & 1) != 0;
  return true;
}

PacketRing::Entry PacketRing::front() {
  constexpr std::size_t kFlits = PacketHeader::kBytes + PacketTrailer::kBytes;
  std::array<std::uint8_t, kFlits> flits{};
  device_->load(address(position_), std::as_writable_bytes(std::span(flits)));
  Entry entry;
  entry.header = PacketHeader::from_bytes(flits);
  entry.trailer = PacketTrailer::from_bytes(std::span(flits).subspan(PacketHeader::kBytes));
  const std::uint64_t bytes = entry.header.get<layout::packet_header::bytes>();
  const auto slots = static_cast<std::uint32_t>(1 + (bytes + kSlotBytes - 1) / kSlotBytes);
  if (entry.header.get<layout::packet_header::kind>() == Kind::kNotice) {
    entry.slots = 1;
  } else if (slots > std::min(tail_ - head_, kMostSlots)) {
    // Slots that a failed memory write left behind may hold anything: step over them one by one.
    entry.header = PacketHeader{};
    entry.slots = 1;
  } else {
    entry.slots = slots;
  }
  return entry;
}

void PacketRing::read_payload(std::span<std::byte> data) {
  const auto [first, second] = payload(data.size());
  if (first.bytes != 0) device_->load(first.address, data.first(first.bytes));
  if (second.bytes != 0) device_->load(second.address, data.subspan(first.bytes));
}

std::array<Range, 2> PacketRing::payload(Bytes bytes) const {
  const std::uint32_t first = wrapped(position_ + 1);
  const Bytes before_wrap = std::min(bytes, Bytes{slots_ - first} * kSlotBytes);
  return {Range{address(first), before_wrap}, Range{base_, bytes - before_wrap}};
}

void PacketRing::pop(const Entry& entry) {
  position_ = wrapped(position_ + entry.slots);
  head_ += entry.slots;
  const bool is_held = std::exchange(is_front_held_, false);
  if (popped_.empty() && !is_held) {
    free(entry.slots);
  } else {
    popped_.push_back({entry.slots, is_held});
  }
}

void PacketRing::end_hold() {
  popped_.front().is_held = false;
  while (!popped_.empty() && !popped_.front().is_held) {
    free(popped_.front().slots);
    popped_.pop_front();
  }
}

void PacketRing::free(std::uint32_t slots) {
  static constexpr std::array<std::byte, std::size_t{kMostSlots} * kSlotBytes> kZeros{};
  const std::uint32_t before_wrap = std::min(slots, slots_ - free_position_);
  const std::span zeros(kZeros);
  device_->store(address(free_position_), zeros.first(std::size_t{before_wrap} * kSlotBytes));
  if (before_wrap < slots) {
    device_->store(base_, zeros.first(std::size_t{slots - before_wrap} * kSlotBytes));
  }
  free_position_ = wrapped(free_position_ + slots);
  freed_ += slots;
  if (freed_ - released_ >= std::max(slots_ / 4, 1U)) release();
}

void PacketRing::release() {
  if (released_ == freed_ || !registers_) return;
  if (registers_->wide) {
    device_->write64(registers_->head, freed_);
  } else {
    device_->write32(registers_->head, freed_);
  }
  released_ = freed_;
}

}  // namespace torusmu
