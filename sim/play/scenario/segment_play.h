// SPDX-License-Identifier: Apache-2.0
// Active messages and fences between the endpoints of each node, through the segment that they
// share.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_SEGMENT_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_SEGMENT_PLAY_H_

#include "sim/play/stage.h"
#include "torusmu/plan.h"

namespace torusmu {

/// Sets the nodes up. Every endpoint sends to every endpoint of its node, itself among them, and
/// fences each, for some rounds; then it sends messages of which some are too long for the segment.
/// Checks order, every byte, and that whoever sees a fence has all that stood before it. False if
/// the stage did not come to an end.
bool play_segment(Stage& stage, const NodePlan& plan);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_SEGMENT_PLAY_H_
