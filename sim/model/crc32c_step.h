// SPDX-License-Identifier: Apache-2.0
// One step of a packet's CRC-32C for the node model: what rtl/common/mu_crc32c.sv computes, by the
// instruction that x86 processors have for it.
#ifndef TORUSMU_SIM_MODEL_CRC32C_STEP_H_
#define TORUSMU_SIM_MODEL_CRC32C_STEP_H_

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#include <cstdint>

namespace torusmu {

// The state after the bytes of `data`, from `crc`. For processors without the instruction.
template <typename Word>
std::uint32_t crc32c_by_bits(std::uint32_t crc, Word data) {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  for (unsigned bit = 0; bit < 8 * sizeof(Word); ++bit) {
    const bool odd = ((crc ^ static_cast<std::uint32_t>(data >> bit)) & 1U) != 0;
    crc = crc >> 1U ^ (odd ? kPolynomial : 0);
  }
  return crc;
}

inline std::uint32_t crc32c_of(std::uint32_t crc, std::uint64_t data) {
#ifdef __SSE4_2__
  return static_cast<std::uint32_t>(_mm_crc32_u64(crc, data));
#else
  return crc32c_by_bits(crc, data);
#endif
}
inline std::uint32_t crc32c_of(std::uint32_t crc, std::uint32_t data) {
#ifdef __SSE4_2__
  return _mm_crc32_u32(crc, data);
#else
  return crc32c_by_bits(crc, data);
#endif
}

// The state after a flit of which `low` is the first half; of a trailer 96 bits count.
inline std::uint32_t crc32c_step(bool trailer, std::uint32_t crc, std::uint64_t low,
                                 std::uint64_t high) {
  const std::uint32_t half = crc32c_of(crc, low);
  return trailer ? crc32c_of(half, static_cast<std::uint32_t>(high)) : crc32c_of(half, high);
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_MODEL_CRC32C_STEP_H_
