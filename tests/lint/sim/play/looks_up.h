// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: a source of a floor in the middle.

#include "sim/app/options.h"  // expect: floor
#include "sim/machine/machine.h"
#include "sim/observe/pin_watch.h"
#include "tb/lab/plan.h"
