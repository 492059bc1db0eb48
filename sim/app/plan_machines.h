// SPDX-License-Identifier: Apache-2.0
// What torusmu tells the runner of plans: its scenarios, replays and benches, and what their
// commands come to, judged before any of them runs.
#ifndef TORUSMU_SIM_APP_PLAN_MACHINES_H_
#define TORUSMU_SIM_APP_PLAN_MACHINES_H_

#include "tb/lab/surroundings.h"

namespace torusmu {

// Of this program; lives as long as it.
const lab::MachineTests& plan_machines();

// All that the runner is told by this program.
lab::Surroundings plan_surroundings();

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_PLAN_MACHINES_H_
