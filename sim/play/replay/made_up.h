// SPDX-License-Identifier: Apache-2.0
// What a replay makes up for the data that a trace does not hold.
#ifndef TORUSMU_SIM_PLAY_REPLAY_MADE_UP_H_
#define TORUSMU_SIM_PLAY_REPLAY_MADE_UP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/play/replay/trace.h"

namespace torusmu::replay {

// Names a piece of data: no two pieces of a trace have the same name.
struct DataName {
  std::uint32_t from = 0;
  std::uint32_t to = 0;     // kAnyRank: all of them
  std::uint64_t which = 0;  // of those
};

// Message `number` with that tag. Traces have less than 2^32 lines.
inline DataName name_of_message(std::uint32_t from, std::uint32_t to, Tag tag,
                                std::uint64_t number) {
  return {from, to, static_cast<std::uint64_t>(tag) << 32 | number};
}
// A piece of a collective, numbered as all ranks number them. No tag reaches bit 31.
inline DataName name_of_piece(std::uint32_t from, std::uint32_t to, std::uint64_t collective) {
  return {from, to, std::uint64_t{1} << 63 | collective};
}

// The same bytes for the same name, and others for another: the first byte counts with `which`, so
// that a message of one byte differs from the 255 next to it; the 16 bytes behind it are an
// invertible function of the name, and of the first 8 those of one pair are.
inline void make_up(const DataName& name, std::span<std::byte> data) {
  if (data.empty()) return;
  const std::uint64_t pair = static_cast<std::uint64_t>(name.from) << 32 | name.to;
  const std::uint64_t series = mix(mix(pair) + (name.which >> 32));
  data[0] = static_cast<std::byte>(series + name.which);
  const std::span<std::byte> rest = data.subspan(1);
  const std::uint64_t first = mix(name.which ^ mix(pair));
  const std::uint64_t second = mix(pair ^ mix(first));
  for (std::size_t at = 0; at < rest.size(); at += 8) {
    const std::uint64_t word = at == 0 ? first : at == 8 ? second : mix(second + at);
    std::memcpy(rest.data() + at, &word, std::min<std::size_t>(8, rest.size() - at));
  }
}

inline std::vector<std::byte> made_up(const DataName& name, Bytes bytes) {
  std::vector<std::byte> data(bytes);
  make_up(name, data);
  return data;
}

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_MADE_UP_H_
