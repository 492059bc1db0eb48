// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_APP_WAVE_BUILD_H_
#define TORUSMU_SIM_APP_WAVE_BUILD_H_

#include <string>

#include "sim/machine/machine.h"

namespace torusmu {

// Waves come from a build of their own, torusmu-wave beside this program: replaces this process by
// it, with the same arguments, if `config` wants waves. Throws UsageError if it is not there. Call
// once the arguments are known to be good and before anything is printed.
void become_wave_build_if_needed(const MachineConfig& config);

// The file of that build; this program's, if it is one.
std::string wave_program();

// Of the path of a program for waves: why there is none; empty if there is.
std::string why_no_waves(const std::string& program);

// Throws UsageError, which begins with `option`, if it is not there or of another RTL.
void require_wave_program(const std::string& option);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_WAVE_BUILD_H_
