// SPDX-License-Identifier: Apache-2.0
// What sim/parsed_once.h has, compiled for shared libraries as all of tb/ is.

#ifndef TORUSMU_TB_PARSED_ONCE_H_
#define TORUSMU_TB_PARSED_ONCE_H_

#include "sim/parsed_once.h"

#endif  // TORUSMU_TB_PARSED_ONCE_H_
