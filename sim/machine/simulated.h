// SPDX-License-Identifier: Apache-2.0
// How much this process has simulated: cycles of modules and of nodes, those slept through
// included. Test programs report it; nothing else depends on it.
#ifndef TORUSMU_SIM_MACHINE_SIMULATED_H_
#define TORUSMU_SIM_MACHINE_SIMULATED_H_

#include <atomic>
#include <cstdint>

namespace torusmu {

// What machines and test benches that are gone have added.
inline std::atomic<std::uint64_t> simulated_cycles{0};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_SIMULATED_H_
