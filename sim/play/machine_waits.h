// SPDX-License-Identifier: Apache-2.0
// A machine that does not go on, looked at as a whole.
#ifndef TORUSMU_SIM_PLAY_MACHINE_WAITS_H_
#define TORUSMU_SIM_PLAY_MACHINE_WAITS_H_

#include <optional>

#include "sim/machine/machine.h"
#include "torusmu/waits.h"

namespace torusmu {

// Who waits for whom in a machine that did not end, of all nodes. Nothing if it cannot be looked at
// any more.
std::optional<WaitReport> waits_in(Machine& machine);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_MACHINE_WAITS_H_
