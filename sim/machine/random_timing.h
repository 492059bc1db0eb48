// SPDX-License-Identifier: Apache-2.0
// Timing by seed: what stands around the nodes answers earlier or later, within the rules, so that
// each seed brings events into another order.
#ifndef TORUSMU_SIM_MACHINE_RANDOM_TIMING_H_
#define TORUSMU_SIM_MACHINE_RANDOM_TIMING_H_

#include <string>

#include "sim/machine/machine.h"

namespace torusmu {

// What set_timing() takes, for texts.
inline constexpr const char* kTimings = "fixed, random-memory, random-cores or random";
bool is_timing(const std::string& timing);

// Sets `memory_timing` and `costs` of `config`. How late memories and cores may be is drawn from
// config.seed: some seeds give nearly fixed timing, some slow memories, some slow cores. Throws
// UsageError for another word than those of kTimings.
void set_timing(MachineConfig& config, const std::string& timing);
// Nothing in it is random.
bool is_fixed_timing(const MachineConfig& config);

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_RANDOM_TIMING_H_
