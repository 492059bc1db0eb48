// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: the reference model knows core, memory and stage alone.

#include "sim/machine/core.h"
#include "sim/machine/machine.h"     // expect: floor
#include "sim/play/machine_stage.h"  // expect: floor
#include "sim/play/stage.h"
#include "tests/support/seed.h"  // expect: floor
