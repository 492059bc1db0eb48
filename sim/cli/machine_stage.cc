// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/machine_stage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "torusmu/registers.h"

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

void MachineStage::check_network() {
  const EngineCounts counts = machine_.counts();
  report_.check(
      "network.flits_arrived", counts.flits == counts.flits_taken,
      fmt::format("{} flits put on links, {} taken from them", counts.flits, counts.flits_taken));
  if (machine_.config().engine.fault.kind != Fault::Kind::kNone) {
    report_.check("inject", counts.faults == 1,
                  counts.faults == 1 ? "the fault was put on the links"
                                     : "the run had fewer packets than --inject counts to");
  }
  std::vector<std::array<std::uint64_t, 3>> dropped(shape().nodes());
  for (std::uint32_t n = 0; n < shape().nodes(); ++n) {
    add_core({n}, [&seen = dropped[n]](Device& device) {
      seen = {device.read64(registers::node::bad_packets()),
              device.read64(registers::node::dropped_replies()),
              device.read64(registers::node::memory_errors())};
    });
  }
  constexpr Cycles kReadBound = 10'000;
  if (!run(kReadBound)) return;
  std::array<std::uint64_t, 3> sum{};
  for (const auto& node : dropped) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += node[i];
  }
  report_.check("network.no_bad_packets", sum[0] == 0, fmt::format("{} packets dropped", sum[0]));
  report_.check("network.no_lost_replies", sum[1] == 0, fmt::format("{} replies dropped", sum[1]));
  report_.check("network.no_memory_errors", sum[2] == 0, fmt::format("{} errors", sum[2]));
}

}  // namespace torusmu
