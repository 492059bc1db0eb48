// SPDX-License-Identifier: Apache-2.0
// Contexts of a client push by the host library, into the one queue that they share.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_PUSH_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_PUSH_PLAY_H_

#include "sim/play/stage.h"

namespace torusmu {

// Every node is set up anew, with one client of as many contexts as there is room for. Reports
// checks "producers.library_...".
void play_pushes(Stage& stage);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_PUSH_PLAY_H_
