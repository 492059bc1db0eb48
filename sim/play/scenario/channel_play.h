// SPDX-License-Identifier: Apache-2.0
// Messages and fences between the endpoints of each node that the MU moves, without a core of the
// receiver: LocalChannels.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_CHANNEL_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_CHANNEL_PLAY_H_

#include "sim/play/stage.h"
#include "torusmu/plan.h"

namespace torusmu {

/// Sets the nodes up. Every endpoint has a channel to every endpoint of its node, itself among
/// them, and sends and fences on each. Checks order, every byte, and that each fence ends. The plan
/// has as many dynamic pairs as contexts. False if the stage did not come to an end.
bool play_channels_of_endpoints(Stage& stage, const NodePlan& plan);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_CHANNEL_PLAY_H_
