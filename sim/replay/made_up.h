// SPDX-License-Identifier: Apache-2.0
// What a replay makes up for the data that a trace does not hold, and how exactly it compares.
#ifndef TORUSMU_SIM_REPLAY_MADE_UP_H_
#define TORUSMU_SIM_REPLAY_MADE_UP_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "sim/mix.h"
#include "sim/replay/trace.h"

namespace torusmu::replay {

// The same bytes for the same key.
inline std::vector<std::byte> made_up(std::uint64_t key, Bytes bytes) {
  std::vector<std::byte> data(bytes);
  for (Bytes at = 0; at < bytes; at += 8) {
    const std::uint64_t word = mix(key + at);
    std::memcpy(data.data() + at, &word, std::min<Bytes>(8, bytes - at));
  }
  return data;
}

// Of message `number` with that tag from one rank to another.
inline std::uint64_t key_of(std::uint64_t from, std::uint64_t to, Tag tag, std::uint64_t number) {
  return mix(mix(from << 32 | to) ^ mix(static_cast<std::uint64_t>(tag) << 32 | number));
}

// True if a sum in another order may give `got` instead of `expected`: n operands, each addition
// rounded to the nearest. `size` is the sum of the operands' absolute values.
template <typename T>
bool differs_by_rounding(T got, T expected, double size, std::size_t n) {
  const double unit = std::numeric_limits<T>::epsilon() / 2;
  return std::abs(static_cast<double>(got) - static_cast<double>(expected)) <=
         2 * static_cast<double>(n) * unit * size;
}

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_REPLAY_MADE_UP_H_
