// SPDX-License-Identifier: Apache-2.0
// Ports of a Verilated model as bytes, byte 0 = bits 7..0, whatever type Verilator gives them.

#ifndef TESTS_SUPPORT_WIDE_H_
#define TESTS_SUPPORT_WIDE_H_

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/seed.h"
#include "torusmu/bit_record.h"

namespace torusmu::testing {

using Bytes = std::vector<std::uint8_t>;

// The other bits of a wide port keep their value; those of a narrow one become zero.
template <std::size_t Words>
void drive(VlWide<Words>& port, std::span<const std::uint8_t> bytes, std::size_t lsb_byte = 0) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t at = lsb_byte + i;
    const unsigned shift = static_cast<unsigned>(at % 4 * 8);
    port[at / 4] = (port[at / 4] & ~(0xFFU << shift)) | static_cast<std::uint32_t>(bytes[i])
                                                            << shift;
  }
}
template <typename Port>
requires std::is_integral_v<Port>
void drive(Port& port, std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<std::uint64_t>(bytes[i]) << (i * 8);
  }
  port = static_cast<Port>(value);
}
template <typename Port, typename Layout>
void drive(Port& port, const Record<Layout>& record) {
  if constexpr (!std::is_integral_v<Port>) {
    for (std::size_t i = 0; i < sizeof(Port) / sizeof(std::uint32_t); ++i) port[i] = 0;
  }
  drive(port, record.bytes());
}

template <std::size_t Words>
Bytes sample(const VlWide<Words>& port, std::size_t count, std::size_t lsb_byte = 0) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = lsb_byte + i;
    bytes[i] = static_cast<std::uint8_t>(port[at / 4] >> (at % 4 * 8));
  }
  return bytes;
}
template <typename Port>
requires std::is_integral_v<Port> Bytes sample(const Port& port, std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(port) >> (i * 8));
  }
  return bytes;
}
// sample_record<PacketHeader>(model->header_o)
template <typename RecordType, typename Port>
RecordType sample_record(const Port& port) {
  return RecordType::from_bytes(sample(port, RecordType::kBytes));
}

// A field of a record that is all zero yet.
inline void put_bits(Bytes& record, unsigned at, unsigned bits, std::uint64_t value) {
  for (unsigned i = 0; i < bits; ++i) {
    const auto bit = static_cast<unsigned>(value >> i & 1U);
    record[(at + i) / 8] = static_cast<std::uint8_t>(record[(at + i) / 8] | bit << (at + i) % 8);
  }
}

inline Bytes random_bytes(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.bits64());
  return bytes;
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_WIDE_H_
