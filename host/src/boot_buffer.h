// SPDX-License-Identifier: Apache-2.0
// The reading side of the boot buffer of a client: packets that came for it before it was there
// (docs/boot_buffers.md). Every word is a register read, which is dear, so nothing is read twice
// and only what is asked for.
//
// Words that hold nothing unread are zero, and a packet shows only once it is there as a whole. So
// the first word at the head tells whether there is one; the tail is read only when there is none,
// and tells whether one may still come.
#ifndef TORUSMU_HOST_SRC_BOOT_BUFFER_H_
#define TORUSMU_HOST_SRC_BOOT_BUFFER_H_

#include <cstdint>
#include <span>

#include "host/src/packet_ring.h"

namespace torusmu {

class BootBuffer {
 public:
  // Opened by NodeSetup::boot(), and not read since.
  BootBuffer(Device& device, const Sizes& sizes, ClientId client)
      : device_(device), client_(client.value), slots_(sizes.boot_slots) {}

  enum class Look {
    kPacket,   // front() has it
    kNothing,  // but there may be one at the next look
    kOver,     // closed and empty: nothing comes any more
    kGone,     // the register reads as all ones: the device may be gone
  };
  Look look();
  // The oldest packet, after a look that found it.
  PacketRing::Entry front();
  // Its payload, from byte 0 of it; data.size() at most header.bytes.
  void read_payload(std::span<std::byte> data);
  // Done with the oldest packet: frees its slots.
  void pop(const PacketRing::Entry& entry);

 private:
  [[nodiscard]] std::uint64_t word(std::uint32_t number) const;

  Device& device_;
  std::uint32_t client_;
  std::uint32_t slots_;
  std::uint32_t head_ = 0;
  std::uint64_t first_ = 0;  // word at the head, as of the last look()
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_BOOT_BUFFER_H_
