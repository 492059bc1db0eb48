// SPDX-License-Identifier: Apache-2.0
// reflection.*: completions from a neighbour, and from the target, over the distance of the target.
#include <fmt/format.h>

#include <algorithm>

#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/scenario/reflection_play.h"

namespace torusmu {
namespace {

constexpr const char* kMesh = "4x4x4";
constexpr std::uint32_t kMostHops = 6;

std::vector<Cycles> measure(ReflectionPlay& play, Stage& stage, Report& report,
                            ReflectionPlay::Reflector reflector, const char* name) {
  std::vector<Cycles> cycles;
  for (std::uint32_t wanted = 1; wanted <= kMostHops; ++wanted) {
    std::uint32_t node = 0;
    while (hops(stage.shape(), ReflectionPlay::kOrigin, {node}) != wanted) ++node;
    const bool ended = play.send({node}, reflector);
    report.check(fmt::format("{}_{}_hops", name, wanted), ended && play.target_has_bytes({node}),
                 fmt::format("{} cycles", play.journey().completion_cycles()));
    cycles.push_back(play.journey().completion_cycles());
  }
  return cycles;
}

}  // namespace

void bench_reflection(const Options& options, Report& report) {
  MachineConfig config;
  config.engine.shape = parse_shape(kMesh);
  config.engine.latency = options.latency;
  config.engine.record = true;
  config.seed = options.seed;
  MachineStage stage(config, report);
  ReflectionPlay play(stage);
  if (!play.set_up()) return;
  report.figure(
      "reflection.cycles",
      measure(play, stage, report, ReflectionPlay::Reflector::kNeighbour, "reflection.neighbour"));
  report.figure(
      "reflection.far_ack_cycles",
      measure(play, stage, report, ReflectionPlay::Reflector::kTarget, "reflection.target"));
  report.figure("reflection.reflector_core_accesses", play.other_core_accesses());
  report.add_machine(stage.machine());
}

}  // namespace torusmu
