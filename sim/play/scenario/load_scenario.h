// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_PLAY_SCENARIO_LOAD_SCENARIO_H_
#define TORUSMU_SIM_PLAY_SCENARIO_LOAD_SCENARIO_H_

#include <string>

#include "sim/play/scenario/scenario.h"

namespace torusmu {

// The interface of this program: a version, and a sum over the headers that are installed. A
// scenario outside the tree must have been compiled with the same.
extern const char* const kInterface;

// Is it the name of a file, and not of a scenario of the tree?
bool names_a_file(const std::string& scenario);

// The scenario of that name, or that in a shared library (sim/play/scenario/outside.h), which stays
// loaded until the process ends. Throws UsageError, which says what there is, if there is none, or
// one that this program cannot play.
Scenario scenario_called(const std::string& name);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_LOAD_SCENARIO_H_
