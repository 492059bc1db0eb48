// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/machine_stage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace torusmu {

RunResult run_with_progress(Machine& machine, Cycles deadline, bool quiet) {
  if (quiet || isatty(STDERR_FILENO) == 0) return machine.run(deadline);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Cycles slice = 1000;
  bool shown = false;
  RunResult result;
  while (true) {
    const auto before = Clock::now();
    const Cycles limit = std::min(deadline, machine.now() + slice);
    result = machine.run(limit);
    const auto after = Clock::now();
    if (result.done || result.broken || machine.now() >= deadline) break;
    // Slices of about a fifth of a second.
    const double seconds = std::chrono::duration<double>(after - before).count();
    if (seconds < 0.1) slice *= 2;
    if (seconds > 0.4) slice = std::max<Cycles>(slice / 2, 100);
    if (after - begin > std::chrono::seconds(2)) {
      shown = true;
      fmt::print(stderr, "\rcycle {}, {:.1f} million node-cycles a second ", machine.now(),
                 static_cast<double>(machine.elapsed_node_cycles()) / machine.wall_seconds() / 1e6);
      (void)std::fflush(stderr);
    }
  }
  if (shown) fmt::print(stderr, "\r\033[K");
  return result;
}

bool MachineStage::run(Cycles cycles) {
  const RunResult result = run_with_progress(machine_, machine_.now() + cycles, quiet_);
  if (!result.failure.empty()) report_.check("run", false, result.failure);
  return result.failure.empty() && result.done;
}

}  // namespace torusmu
