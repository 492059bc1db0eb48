// SPDX-License-Identifier: Apache-2.0
#include "sim/play/bench/run_or_throw.h"

#include "sim/play/machine_waits.h"

namespace torusmu {

RunResult run_or_throw(Machine& machine, Cycles cycles) {
  RunResult result = machine.run(machine.now() + cycles);
  if (!result.failure.empty()) throw RunFailure(result.failure, waits_in(machine));
  return result;
}

}  // namespace torusmu
