// SPDX-License-Identifier: Apache-2.0
// --wave-on-fail: a run that failed is played once more, with waves of what came before.
#ifndef TORUSMU_SIM_APP_WAVE_ON_FAIL_H_
#define TORUSMU_SIM_APP_WAVE_ON_FAIL_H_

#include <optional>
#include <string>

#include "sim/app/options.h"
#include "sim/machine/machine.h"
#include "sim/observe/failure_view.h"

namespace torusmu {

// Throws UsageError if the options ask for waves of a failure that could not be written: call
// before the run.
void require_wave_on_fail(const Options& options, const MachineConfig& config);

// Plays the same run again as a process of its own, with waves of `window`
// (MachineStage::waves_of_failure()), and prints how to look at them. Nothing if they are not asked
// for, or if no check failed.
void wave_the_failure(const Options& options, const std::optional<CycleWindow>& window);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_WAVE_ON_FAIL_H_
