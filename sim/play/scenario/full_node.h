// SPDX-License-Identifier: Apache-2.0
// Every process that a node has room for, each in four groups whose collectives the MU runs.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_FULL_NODE_H_
#define TORUSMU_SIM_PLAY_SCENARIO_FULL_NODE_H_

#include <cstdint>

#include "sim/play/stage.h"

namespace torusmu {

struct FullNodeResult {
  bool ended = false;
  std::uint32_t tasks_per_node = 0;  // of those all of whose calls were right and run by the MU, on
                                     // the node where there are fewest
  std::uint32_t groups_per_node = 0;
  std::uint64_t calls = 0;  // of all members
  std::uint64_t by_mu = 0;  // of these
};

// All nine collectives in every group, four groups at a time. Checks are named `full-node.x`.
FullNodeResult play_full_nodes(Stage& stage);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_FULL_NODE_H_
