// SPDX-License-Identifier: Apache-2.0
// What this process was asked to do, for every file that it writes: command, options and build.
#ifndef TORUSMU_SIM_CLI_WHAT_RAN_H_
#define TORUSMU_SIM_CLI_WHAT_RAN_H_

#include <nlohmann/json.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace torusmu {

// Keeps the words of the command line and the options of the subcommand that they name, those that
// were not given with their defaults. Once in a process, when the words have been parsed.
void remember_command(int argc, const char* const* argv, const CLI::App& app);

// {"version", "commit", "build", "profile", "command": [...], "options": {...}}. An option is named
// without its dashes; one that was not given and has no default is null.
nlohmann::json what_ran();

}  // namespace torusmu

#endif  // TORUSMU_SIM_CLI_WHAT_RAN_H_
