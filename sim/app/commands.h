// SPDX-License-Identifier: Apache-2.0
// What the subcommands do. Each returns the exit status of the program and throws UsageError for
// bad usage.
#ifndef TORUSMU_SIM_APP_COMMANDS_H_
#define TORUSMU_SIM_APP_COMMANDS_H_

#include <string>

#include "sim/app/options.h"

namespace torusmu {

int run_list(bool figures, const std::string& json);
int run_scenario(const std::string& name, const Options& options);
int run_bench(const std::string& name, const Options& options);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_COMMANDS_H_
