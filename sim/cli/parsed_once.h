// SPDX-License-Identifier: Apache-2.0
// Public headers that most sources of sim/cli/ and sim/bench/ include, parsed once as
// those of sim/parsed_once.h are.

#ifndef TORUSMU_SIM_CLI_PARSED_ONCE_H_
#define TORUSMU_SIM_CLI_PARSED_ONCE_H_

#include <nlohmann/json.hpp>

#include "sim/parsed_once.h"

#endif  // TORUSMU_SIM_CLI_PARSED_ONCE_H_
