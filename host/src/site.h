// SPDX-License-Identifier: Apache-2.0
// What every part of a context has to know of where it is: its device, who it is to others, and
// the options that it was made with.
#ifndef TORUSMU_HOST_SRC_SITE_H_
#define TORUSMU_HOST_SRC_SITE_H_

#include <cstddef>
#include <span>

#include "torusmu/context.h"

namespace torusmu {

struct Site {
  Device& device;
  const NodePlan& plan;
  ClientId client;
  ContextId context;
  Task task;
  ContextOptions options;  // all within their range
  ContextCounts& counts;   // of what the context does
};

// Longest time that may be added to now: such a sum has 64 bits, the clock of the MU 48.
inline constexpr Cycles kMostCycles = Cycles{1} << 48;
inline constexpr Cycles kNever = ~Cycles{0};

// Longest message, put or get.
inline constexpr Bytes kMostLength = (Bytes{1} << 37) - 1;

// Tags of the library's own messages have this bit, or more.
inline constexpr std::uint32_t kInternalTag = std::uint32_t{1} << 31;

// The options, each brought to the nearest value that is allowed.
ContextOptions within_range(ContextOptions options);

// The header of a packet to that place, without target and offset.
PacketHeader header_to(const NodePlan& plan, Place place);

std::uint64_t lines_of(Bytes bytes);
// Stores bytes into node memory, at the cost of a copy.
void copy_out(Device& device, Address to, std::span<const std::byte> data);

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SITE_H_
