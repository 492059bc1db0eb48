// SPDX-License-Identifier: Apache-2.0
// The only door through which the host library reaches a node: registers, node memory, time.
#ifndef TORUSMU_DEVICE_H_
#define TORUSMU_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "torusmu/types.h"

namespace torusmu {

// Library work that a core pays for; the cost of each is a table of the machine.
enum class Work { kMatch, kCopyLine, kHandlePacket, kBuildDescriptor };

// What one core of one node can do. Each call costs simulated time and may suspend the caller.
//
// Promises that every implementation keeps (each has a test of its number):
//  1. A store is in memory before any later register write reaches the MU.
//  2. Register writes reach the MU in the order in which they were made.
//  3. A load sees everything that the MU's ordering point made visible before a register read
//     or an interrupt that the core has already seen.
//  4. A register read that finds no device returns all ones.
//  5. All cores of a node see loads and stores in one order, in which those of each core are in
//     the order in which it made them.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual NodeId node() const = 0;
  [[nodiscard]] virtual Bytes memory_size() const = 0;

  // Registers, by byte address of the register map. Writes are posted.
  virtual void write32(std::uint32_t address, std::uint32_t value) = 0;
  virtual void write64(std::uint32_t address, std::uint64_t value) = 0;
  virtual std::uint32_t read32(std::uint32_t address) = 0;
  virtual std::uint64_t read64(std::uint32_t address) = 0;

  // Node memory. Addresses past memory_size() throw std::out_of_range.
  virtual void store(Address address, std::span<const std::byte> data) = 0;
  virtual void load(Address address, std::span<std::byte> data) = 0;

  // Time passes: `units` pieces of library work, or plain cycles of the application.
  virtual void work(Work kind, std::uint64_t units) = 0;
  virtual void compute(Cycles cycles) = 0;
  [[nodiscard]] virtual Cycles now() const = 0;

  // Sleeps until the interrupt line of `client` is high or `deadline` has come; true if it is high.
  virtual bool wait_interrupt(ClientId client, Cycles deadline) = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_DEVICE_H_
