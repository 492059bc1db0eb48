// SPDX-License-Identifier: Apache-2.0
// Public headers that most sources of tb/lab/ include, parsed once as those of sim/parsed_once.h
// are.

#ifndef TORUSMU_TB_LAB_PARSED_ONCE_H_
#define TORUSMU_TB_LAB_PARSED_ONCE_H_

#include <nlohmann/json.hpp>

#include "sim/parsed_once.h"

#endif  // TORUSMU_TB_LAB_PARSED_ONCE_H_
