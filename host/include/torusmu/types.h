// SPDX-License-Identifier: Apache-2.0
// Units and identities as types, so that a queue number is never passed where a counter is meant.
#ifndef TORUSMU_TYPES_H_
#define TORUSMU_TYPES_H_

#include <compare>
#include <cstdint>

#include "torusmu/standard.h"

namespace torusmu {

// A number with a meaning. Tag makes each use a type of its own.
template <typename Tag, typename Representation = std::uint32_t>
struct Identity {
  Representation value{};
  friend constexpr auto operator<=>(const Identity&, const Identity&) = default;
};

using NodeId = Identity<struct NodeTag>;        // x + size_x * (y + size_y * z)
using ClientId = Identity<struct ClientTag>;    // process of a node
using ContextId = Identity<struct ContextTag>;  // thread of a process, of those of its client
using QueueId = Identity<struct QueueTag>;      // injection FIFO
using FifoId = Identity<struct FifoTag>;        // reception FIFO
using CounterId = Identity<struct CounterTag>;  // byte counter
using EventId = Identity<struct EventTag>;      // event counter
using RegionId = Identity<struct RegionTag>;    // registered memory
using TouchId = Identity<struct TouchTag>;      // interrupt-on-touch range
using CompletionQueueId = Identity<struct CompletionQueueTag>;
using TreeClassId = Identity<struct TreeClassTag>;  // class of the signals of the combining tree

using Cycles = std::uint64_t;   // simulated clock cycles; 1 cycle = 1 ns
using Address = std::uint64_t;  // byte address in the memory of one node
using Bytes = std::uint64_t;

struct Coordinates {
  std::uint32_t x{}, y{}, z{};
  friend constexpr bool operator==(const Coordinates&, const Coordinates&) = default;
};

// Sizes of the machine, and which dimensions wrap around.
struct Shape {
  std::uint32_t x{1}, y{1}, z{1};
  bool torus_x{true}, torus_y{true}, torus_z{true};

  [[nodiscard]] constexpr std::uint32_t nodes() const { return x * y * z; }
  [[nodiscard]] constexpr bool has(Coordinates c) const { return c.x < x && c.y < y && c.z < z; }
  [[nodiscard]] constexpr NodeId node(Coordinates c) const { return {c.x + x * (c.y + y * c.z)}; }
  [[nodiscard]] constexpr Coordinates coordinates(NodeId n) const {
    return {n.value % x, n.value / x % y, n.value / (x * y)};
  }
};

}  // namespace torusmu

#endif  // TORUSMU_TYPES_H_
