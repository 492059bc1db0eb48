// SPDX-License-Identifier: Apache-2.0
// CRC-32C, as in the trailer of a packet.
#ifndef TORUSMU_HOST_INCLUDE_TORUSMU_CRC32C_H_
#define TORUSMU_HOST_INCLUDE_TORUSMU_CRC32C_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "torusmu/standard.h"

namespace torusmu {

namespace detail {

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  constexpr std::uint32_t kPolynomialReflected = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomialReflected : 0);
    }
    table[byte] = value;
  }
  return table;
}

inline constexpr std::array<std::uint32_t, 256> kCrc32cTable = crc32c_table();

}  // namespace detail

/// CRC-32C (Castagnoli) of the bytes: reflected, starts with all ones, inverted at the end
/// (RFC 3720, appendix B.4). Pass the result of one call as `previous` to go on with more bytes.
constexpr std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t previous = 0) {
  std::uint32_t value = ~previous;
  for (const std::uint8_t byte : bytes) {
    value = (value >> 8) ^ detail::kCrc32cTable[(value ^ byte) & 0xFF];
  }
  return ~value;
}

inline constexpr std::size_t kFlitBytes = 16;
inline constexpr std::size_t kCrcBytes = 4;

/// The CRC of a packet given as the bytes of all its flits, byte 0 = bits 7..0 of the header flit:
/// everything but the last four bytes, which hold the CRC itself. Needs at least four bytes.
constexpr std::uint32_t packet_crc(std::span<const std::uint8_t> flits) {
  return crc32c(flits.first(flits.size() - kCrcBytes));
}

}  // namespace torusmu

#endif  // TORUSMU_HOST_INCLUDE_TORUSMU_CRC32C_H_
