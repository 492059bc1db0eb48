// SPDX-License-Identifier: Apache-2.0
// Runs the node model through typical traffic, so that the compiler learns which of its branches
// are taken: make compiles the model once to count and once with what was counted.
#include "sim/play/bench/traffic.h"

namespace {

// Uniform puts with assertions on or off: a run of the program has them on, `torusmu bench` off.
void run(double load, torusmu::Cycles cycles, bool assertions) {
  constexpr torusmu::Cycles kLatency = 8;
  torusmu::MachineConfig config = torusmu::bench_config("2x2x2", kLatency, 1);
  config.engine.assertions = assertions;
  torusmu::Machine machine(config);
  torusmu::open_nodes(machine);
  torusmu::start_uniform_puts(machine, load, cycles, config.seed);
  machine.run_to(machine.now() + cycles);
}

}  // namespace

int main() {
  run(1.0, 20'000, false);
  run(0.1, 20'000, false);
  run(1.0, 1'000, true);
  run(0.1, 1'000, true);
  return 0;
}
