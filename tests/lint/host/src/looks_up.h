// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: the host library knows nothing of the simulator.

#include "host/src/engine.h"
#include "sim/machine/mix.h"  // expect: floor
