// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_OBSERVE_PROGRESS_H_
#define TORUSMU_SIM_OBSERVE_PROGRESS_H_

#include <functional>

#include "sim/machine/machine.h"

namespace torusmu {

// For MachineConfig::progress: one line that says how far the machine is, from two seconds of
// running on. Nothing if the reader wants quiet or does not sit at a terminal.
std::function<void(const Machine&, bool stopped)> terminal_progress(bool quiet);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_PROGRESS_H_
