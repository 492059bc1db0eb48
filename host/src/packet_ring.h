// SPDX-License-Identifier: Apache-2.0
// The reading side of a ring in node memory that the MU fills with packets: a reception FIFO or a
// notice ring.
//
// Looking into memory is cheap and reading the tail register dear, so an empty ring is recognised
// by memory alone:
//  1. A slot that has been read is set to zero before the head that frees it is written; the header
//     flit that may land there next is never zero. So a zero at the head means: nothing yet.
//  2. Anything else is a hint only, for the payload may still be on its way into memory. What lies
//     before the tail register may be read: that moves after the memory has accepted it.
//  3. An entry that is held, because the MU still reads its payload, stays as it is, and so does
//     what came behind it: slots are freed in the order in which the MU has filled them.
#ifndef TORUSMU_HOST_SRC_PACKET_RING_H_
#define TORUSMU_HOST_SRC_PACKET_RING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "torusmu/device.h"
#include "torusmu/layout.h"
#include "torusmu/plan.h"
#include "torusmu/registers.h"

namespace torusmu {

class PacketRing {
 public:
  struct Entry {
    PacketHeader header;
    PacketTrailer trailer;
    std::uint32_t slots = 0;
  };
  struct Registers {
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
    bool wide = false;  // 8 bytes each
  };

  PacketRing(Device& device, Range memory, Registers registers);
  // A copy of a ring, `filled` slots of it, into which nothing more comes; the MU is told what has
  // been read if there are registers.
  PacketRing(Device& device, Range memory, std::optional<Registers> registers,
             std::uint32_t filled);
  // The core that reads from now on: of a ring that several threads read in turn.
  void read_by(Device& device) { device_ = &device; }

  // True if there may be something past the known tail.
  bool hint();
  // Reads the tail register. False: its value cannot be, the device may be gone.
  bool read_tail();
  // Bits of the tail register above the index (notice_tail.overflow), as of the last read_tail().
  [[nodiscard]] bool overflow() const { return overflow_; }
  // All of it, as read then.
  [[nodiscard]] std::uint64_t tail_register() const { return tail_register_; }
  // True if the MU found no more room at the last read_tail(): what came then is lost, and only
  // another read_tail() says so.
  [[nodiscard]] bool was_full() const { return tail_ - released_ == slots_; }
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  // The oldest entry; not empty.
  Entry front();
  // Its payload, from byte 0 of it; data.size() at most header.bytes.
  void read_payload(std::span<std::byte> data);
  // Where so many bytes of it lie: the second piece is not empty if the ring ends between them.
  [[nodiscard]] std::array<Range, 2> payload(Bytes bytes) const;
  // The oldest entry keeps its slots when it is popped, until end_hold().
  void hold() { is_front_held_ = true; }
  // Done with the oldest entry.
  void pop(const Entry& entry);
  // Done with the oldest of those that are held; it has been popped.
  void end_hold();
  // Tells the MU what has been read and is not held; pop() and end_hold() do it after every quarter
  // of the ring.
  void release();

 private:
  static constexpr std::uint32_t kSlotBytes = 32;
  [[nodiscard]] std::uint32_t wrapped(std::uint32_t position) const {
    return position >= slots_ ? position - slots_ : position;
  }
  [[nodiscard]] Address address(std::uint32_t position) const {
    return base_ + Address{position} * kSlotBytes;
  }
  void free(std::uint32_t slots);

  Device* device_;
  std::optional<Registers> registers_;
  Address base_;
  std::uint32_t slots_;
  std::uint32_t position_ = 0;  // slot of head_
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t free_position_ = 0;  // slot of freed_
  std::uint32_t freed_ = 0;          // all before it are zero
  std::uint32_t released_ = 0;
  bool is_front_held_ = false;
  struct Popped {
    std::uint32_t slots = 0;
    bool is_held = false;
  };
  std::deque<Popped> popped_;  // from freed_ to head_; the first is held
  bool overflow_ = false;
  std::uint64_t tail_register_ = 0;
};

// Those of a reception FIFO.
inline PacketRing::Registers fifo_registers(ClientId client, FifoId fifo) {
  const std::uint32_t address = registers::client_page::fifo_index(client.value, fifo.value);
  return {.tail = address, .head = address, .wide = false};
}

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_PACKET_RING_H_
