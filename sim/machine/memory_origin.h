// SPDX-License-Identifier: Apache-2.0
// Where in the MU's addresses a node's memory begins. Whoever simulates counts from the beginning
// of the memory; on the pins of the node, and in its registers that hold addresses, it lies
// elsewhere.
#ifndef TORUSMU_SIM_MACHINE_MEMORY_ORIGIN_H_
#define TORUSMU_SIM_MACHINE_MEMORY_ORIGIN_H_

#include <cstdint>

#include "torusmu/registers.h"
#include "torusmu/types.h"

namespace torusmu {

// What lies less than 1 GiB behind the beginning of the memory moves with it; other addresses are
// the same on both sides. Addresses wrap at 2^40.
class MemoryOrigin {
 public:
  static constexpr Bytes kSpan = Bytes{1} << 30;

  MemoryOrigin() = default;
  // A multiple of 4 KiB, which no burst crosses.
  explicit MemoryOrigin(Address origin) : origin_(origin) {}

  [[nodiscard]] Address from_pins(Address address) const {
    const Address moved = (address - origin_) & kLargest;
    if (moved < kSpan) return moved;
    return address < kSpan ? address + kSpan : address;  // there is no memory
  }
  [[nodiscard]] Address to_pins(Address address) const {
    return address < kSpan ? address + origin_ : address;
  }
  // What a write of `value` to the register puts on the pins.
  [[nodiscard]] std::uint64_t to_register(std::uint32_t reg, std::uint64_t value) const {
    return origin_ != 0 && holds_address(reg) ? to_pins(value) : value;
  }
  // What a read of it says; a register that was never written holds zero.
  [[nodiscard]] std::uint64_t from_register(std::uint32_t reg, std::uint64_t value) const {
    if (origin_ == 0 || value == 0 || !holds_address(reg)) return value;
    return from_pins(value);
  }

 private:
  static constexpr Address kLargest = (Address{1} << 40) - 1;

  static bool holds_address(std::uint32_t reg) {
    for (const registers::Register& base :
         {registers::injection_queue::base, registers::reception_fifo::base,
          registers::completion_queue::base, registers::region::base, registers::touch_range::base,
          registers::notice_ring::base}) {
      const std::uint32_t in_blocks = reg - base.block_base;
      if (reg >= base.block_base && in_blocks / base.block_stride < base.block_copies &&
          in_blocks % base.block_stride == base.offset) {
        return true;
      }
    }
    return false;
  }

  Address origin_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_MEMORY_ORIGIN_H_
