// SPDX-License-Identifier: Apache-2.0
// FST waves of the fast engine. Only the traced build, torusmu-wave, can write them.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_H_
#define TORUSMU_SIM_OBSERVE_WAVE_H_

#include <memory>

#include "sim/machine/wave_writer.h"

namespace torusmu {

// For WaveConfig::open; nullptr in a build without traces.
std::unique_ptr<WaveWriter> open_fst_wave(VerilatedContext& context);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_H_
