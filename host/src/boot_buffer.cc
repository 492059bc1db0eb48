// SPDX-License-Identifier: Apache-2.0
#include "host/src/boot_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace buffer = registers::boot_buffer;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint32_t kSlotBytes = 32;
constexpr std::uint32_t kWordBytes = 8;
constexpr std::uint32_t kSlotWords = kSlotBytes / kWordBytes;

}  // namespace

// Counted from the head.
std::uint64_t BootBuffer::word(std::uint32_t number) const {
  const std::uint32_t place = (head_ % slots_ * kSlotWords + number) % (slots_ * kSlotWords);
  return device_.read64(buffer::data(client_, place));
}

BootBuffer::Look BootBuffer::look() {
  first_ = word(0);
  if (first_ == kAllOnes) return Look::kGone;
  if (first_ != 0) return Look::kPacket;
  const std::uint64_t tail = device_.read64(buffer::tail(client_));
  if (tail == kAllOnes) return Look::kGone;
  const bool open = extract(tail, buffer::tail_field::open) != 0;
  const bool empty = extract(tail, buffer::tail_field::tail) == head_;
  // Not empty: a packet has come between the two reads.
  return open || !empty ? Look::kNothing : Look::kOver;
}

PacketRing::Entry BootBuffer::front() {
  std::array<std::uint8_t, kSlotBytes> slot{};
  for (std::uint32_t i = 0; i < kSlotWords; ++i) {
    const std::uint64_t value = i == 0 ? first_ : word(i);
    std::memcpy(slot.data() + i * kWordBytes, &value, kWordBytes);
  }
  PacketRing::Entry entry;
  entry.header = PacketHeader::from_bytes(slot);
  entry.trailer = PacketTrailer::from_bytes(std::span(slot).subspan(PacketHeader::kBytes));
  const std::uint64_t bytes = entry.header.get<layout::packet_header::bytes>();
  entry.slots = static_cast<std::uint32_t>(1 + (bytes + kSlotBytes - 1) / kSlotBytes);
  return entry;
}

void BootBuffer::read_payload(std::span<std::byte> data) {
  for (std::size_t at = 0; at < data.size(); at += kWordBytes) {
    const std::uint64_t value = word(kSlotWords + static_cast<std::uint32_t>(at / kWordBytes));
    std::memcpy(data.data() + at, &value, std::min<std::size_t>(kWordBytes, data.size() - at));
  }
}

void BootBuffer::pop(const PacketRing::Entry& entry) {
  head_ += entry.slots;
  device_.write64(buffer::head(client_), head_);
}

}  // namespace torusmu
