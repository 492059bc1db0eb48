// SPDX-License-Identifier: Apache-2.0
// The one bit mixer of the simulator: hashes of memory and links, and cheap random numbers.
#ifndef TORUSMU_SIM_MACHINE_MIX_H_
#define TORUSMU_SIM_MACHINE_MIX_H_

#include <cstdint>

namespace torusmu {

// A permutation of 64-bit numbers in which every input bit reaches every output bit (splitmix64).
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

// A stream of random numbers that is the same for the same seed on every machine.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(mix(seed)) {}
  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    return mix(state_);
  }
  // Uniform in [0, bound) for bounds far below 2^64; bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // True `parts` times in a thousand.
  constexpr bool chance(unsigned parts) { return below(1000) < parts; }

 private:
  std::uint64_t state_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_MIX_H_
