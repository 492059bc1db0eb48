// SPDX-License-Identifier: Apache-2.0
// A number for everything that crossed the links of a run.
#ifndef TORUSMU_SIM_MACHINE_FLIT_HASH_H_
#define TORUSMU_SIM_MACHINE_FLIT_HASH_H_

#include <cstdint>

#include "sim/machine/events.h"
#include "sim/machine/mix.h"

namespace torusmu {

// What one flit adds to the hash of a run: the sum over all flits modulo 2^64 does not depend on
// the order in which nodes were evaluated. `cycle` is that after whose edge the flit is on the
// output pins; bits of `sideband`: 0 head, 1 tail, 2 reply.
inline std::uint64_t flit_hash(Cycles cycle, NodeId node, unsigned direction,
                               std::uint64_t sideband, const std::uint32_t* data) {
  const std::uint64_t where = cycle ^ static_cast<std::uint64_t>(node.value) << 48 ^
                              static_cast<std::uint64_t>(direction) << 60 ^ sideband << 45;
  const std::uint64_t low = data[0] | static_cast<std::uint64_t>(data[1]) << 32;
  const std::uint64_t high = data[2] | static_cast<std::uint64_t>(data[3]) << 32;
  return mix(mix(mix(where) ^ low) ^ high);
}
inline std::uint64_t flit_hash(Cycles cycle, NodeId node, unsigned direction, const Flit& flit) {
  const std::uint64_t sideband =
      (flit.head ? 1U : 0U) | (flit.tail ? 2U : 0U) | (flit.reply ? 4U : 0U);
  return flit_hash(cycle, node, direction, sideband, flit.data.data());
}

// What the signals of the tree add that a node gives on a cable in a cycle: 0 that of its parent, 1
// of its left child, 2 of its right child.
inline std::uint64_t signal_hash(Cycles cycle, NodeId node, unsigned cable, std::uint64_t signals) {
  const std::uint64_t where = cycle ^ static_cast<std::uint64_t>(node.value) << 48 ^
                              static_cast<std::uint64_t>(8 + cable) << 60;
  return mix(mix(where) ^ signals);
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_FLIT_HASH_H_
