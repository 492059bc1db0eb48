// SPDX-License-Identifier: Apache-2.0
// Tasks that start at random times while others SEND to their dynamic queue pairs: what comes
// before a task is there is kept in the unit's own memory of its node, and acknowledged.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_BOOT_SENDS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_BOOT_SENDS_H_

#include "sim/play/stage.h"

namespace torusmu {

// Checks have "boot.sends." in front.
void play_boot_sends(Stage& stage, std::uint32_t tasks_per_node);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_BOOT_SENDS_H_
