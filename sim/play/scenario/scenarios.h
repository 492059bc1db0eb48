// SPDX-License-Identifier: Apache-2.0
// The scenarios: small stories of the MU, each with checks of every byte, counter and interrupt.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_SCENARIOS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_SCENARIOS_H_

#include <span>
#include <string>

#include "sim/play/scenario/scenario.h"

namespace torusmu {

// Of `get`, where each node keeps a counter and room for descriptors for every other.
inline constexpr unsigned kMostPeersOfGet = 32;
// Of `channels`, where each node keeps a message of every other: 3 GB of the computer's memory.
inline constexpr unsigned kMostNodesOfChannels = 512;
// Of `collectives`, where each member gives each other 64 KiB at once.
inline constexpr unsigned kMostMembersOfCollectives = 16;
// Of `endpoints`, where four endpoints a node have a buffer for a message of every other.
inline constexpr unsigned kMostNodesOfEndpoints = 64;
// Of `full-node`, where each of all tasks has a piece for each other.
inline constexpr unsigned kMostFullNodes = 16;

std::span<const Scenario> scenarios();
// Throws UsageError if the scenario cannot be played on that machine.
void require_nodes(const Scenario& scenario, const Shape& shape);
// nullptr if there is none of that name.
const Scenario* find_scenario(const std::string& name);

// In `stuck` the cores do what is missing in this cycle after the start.
inline constexpr Cycles kStuckHelped = 200'000;

void play_put(Stage& stage);
void play_fifo(Stage& stage);
void play_get(Stage& stage);
void play_reflection(Stage& stage);
void play_barrier(Stage& stage);
void play_allreduce(Stage& stage);
void play_collectives(Stage& stage);
void play_discard(Stage& stage);
void play_reduce_tree(Stage& stage);
void play_fan(Stage& stage);
void play_pipeline(Stage& stage);
void play_channels(Stage& stage);
void play_stuck(Stage& stage);
void play_fence(Stage& stage);
void play_polling(Stage& stage);
void play_poll_parts(Stage& stage);
void play_boot(Stage& stage);
void play_refusals(Stage& stage);
void play_endpoints(Stage& stage);
void play_full_node(Stage& stage);
void play_producers(Stage& stage);
void play_loop(Stage& stage);
void play_shapes(Stage& stage);
void play_unit_memory(Stage& stage);
void play_tree(Stage& stage);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_SCENARIOS_H_
