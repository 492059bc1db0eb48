// SPDX-License-Identifier: Apache-2.0
// The memory of one node: sparse, in pages of 4 KiB, zero where nothing was written.
#ifndef TORUSMU_SIM_MACHINE_MEMORY_H_
#define TORUSMU_SIM_MACHINE_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "torusmu/types.h"

namespace torusmu {

// Bytes by address, and for each 64-byte line whether the MU wrote it after a core last read it
// (the core's cached copy is then stale, and its next read is dear).
class NodeMemory {
 public:
  static constexpr Bytes kPageBytes = 4096;
  static constexpr Bytes kLineBytes = 64;

  // `size` in bytes, a multiple of the page; at most 2^40. Throws std::invalid_argument otherwise.
  explicit NodeMemory(Bytes size);

  [[nodiscard]] Bytes size() const { return size_; }
  // True if [address, address + bytes) lies inside; written so that no sum can wrap.
  [[nodiscard]] bool holds(Address address, Bytes bytes) const {
    return bytes <= size_ && address <= size_ - bytes;
  }

  // Both throw std::out_of_range for a range that does not lie inside.
  void read(Address address, std::span<std::byte> data) const;
  void write(Address address, std::span<const std::byte> data);

  // One beat of the MU's write port: the bytes of `data` whose bit is set in `strobe`, at a 32-byte
  // aligned address that holds() has accepted; marks the line as written by the MU.
  void write_beat(Address address, const std::byte* data, std::uint32_t strobe);

  // How many lines of the range the MU wrote since they were last counted; forgets them.
  std::uint64_t take_mu_lines(Address address, Bytes bytes);

  // The same for the same contents, whatever was touched in which order.
  [[nodiscard]] std::uint64_t hash() const;
  // Pages that hold anything, for statistics.
  [[nodiscard]] std::uint64_t pages() const { return pages_; }

 private:
  struct Page {
    std::array<std::byte, kPageBytes> bytes{};
    std::uint64_t mu_lines = 0;  // bit l: line l
  };
  static constexpr std::uint64_t kPagesPerTable = 512;
  using Table = std::array<std::unique_ptr<Page>, kPagesPerTable>;

  [[nodiscard]] Page* find(std::uint64_t page) const;
  Page& touch(std::uint64_t page);

  Bytes size_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::uint64_t pages_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_MEMORY_H_
