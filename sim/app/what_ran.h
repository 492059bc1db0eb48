// SPDX-License-Identifier: Apache-2.0
// What this process was asked to do, for every file that it writes: command, options and build.
#ifndef TORUSMU_SIM_APP_WHAT_RAN_H_
#define TORUSMU_SIM_APP_WHAT_RAN_H_

#include <nlohmann/json.hpp>

namespace torusmu {

// Keeps the words of the command line and what options_said() makes of them. Once in a process,
// when the words have been parsed.
void remember_command(int argc, const char* const* argv, nlohmann::json options);

// {"version", "commit", "build", "profile", "command": [...], "options": {...}}, both as
// remember_command() got them.
nlohmann::json what_ran();

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_WHAT_RAN_H_
