// SPDX-License-Identifier: Apache-2.0
// Public headers that most sources of sim/app/ and sim/play/bench/ include, parsed
// once as those of sim/parsed_once.h are.

#ifndef TORUSMU_SIM_PARSED_ONCE_JSON_H_
#define TORUSMU_SIM_PARSED_ONCE_JSON_H_

#include <nlohmann/json.hpp>

#include "sim/parsed_once.h"

#endif  // TORUSMU_SIM_PARSED_ONCE_JSON_H_
