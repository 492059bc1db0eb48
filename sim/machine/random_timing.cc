// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/random_timing.h"

#include <fmt/format.h>

#include "sim/machine/errors.h"
#include "sim/machine/mix.h"

namespace torusmu {
namespace {

// 1 to 256, each power of two as often as another.
Cycles range_of_delays(Rng& random) { return Cycles{1} << random.below(9); }

AxiTiming random_memory(Rng& random) {
  constexpr Cycles kMostLatency = 32;
  constexpr unsigned kMostStalls = 300;
  AxiTiming timing;
  timing.read_latency = 1 + random.below(kMostLatency);
  timing.write_latency = 1 + random.below(kMostLatency);
  timing.random_extra = range_of_delays(random);
  timing.stall_permille = static_cast<unsigned>(random.below(kMostStalls + 1));
  timing.reorder = random.chance(500);
  return timing;
}

}  // namespace

bool is_timing(const std::string& timing) {
  return timing == "fixed" || timing == "random-memory" || timing == "random-cores" ||
         timing == "random";
}

bool is_fixed_timing(const MachineConfig& config) {
  const AxiTiming& memory = config.memory_timing;
  return memory.random_extra == 0 && memory.stall_permille == 0 && !memory.reorder &&
         config.costs.random_extra == 0;
}

void set_timing(MachineConfig& config, const std::string& timing) {
  if (!is_timing(timing)) {
    throw UsageError(fmt::format("--timing \"{}\": must be {}", timing, kTimings));
  }
  Rng random(mix(config.seed) ^ 0x74696d696e67);  // another stream than those of the nodes
  // Both are drawn always, so that random-memory has the memories of random.
  const AxiTiming memory = random_memory(random);
  const Cycles cores = range_of_delays(random);
  if (timing == "random" || timing == "random-memory") config.memory_timing = memory;
  if (timing == "random" || timing == "random-cores") config.costs.random_extra = cores;
}

}  // namespace torusmu
