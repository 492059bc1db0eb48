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

std::vector<Cycles> measure(ReflectionPlay& play, Stage& stage, Sink& sink,
                            ReflectionPlay::Reflector reflector, const char* name) {
  std::vector<Cycles> cycles;
  for (std::uint32_t wanted = 1; wanted <= kMostHops; ++wanted) {
    std::uint32_t node = 0;
    while (hops(stage.shape(), ReflectionPlay::kOrigin, {node}) != wanted) ++node;
    const bool ended = play.send({node}, reflector);
    sink.check(fmt::format("{}_{}_hops", name, wanted), ended && play.target_has_bytes({node}),
               fmt::format("{} cycles", play.journey().completion_cycles()));
    cycles.push_back(play.journey().completion_cycles());
  }
  return cycles;
}

}  // namespace

void bench_reflection(const BenchOptions& options, Sink& sink) {
  MachineConfig config = options.machine(parse_shape(kMesh));
  config.engine.record = true;
  MachineStage stage(config, sink);
  ReflectionPlay play(stage);
  if (!play.set_up()) return;
  sink.figure("reflection.cycles", measure(play, stage, sink, ReflectionPlay::Reflector::kNeighbour,
                                           "reflection.neighbour"));
  sink.figure("reflection.far_ack_cycles",
              measure(play, stage, sink, ReflectionPlay::Reflector::kTarget, "reflection.target"));
  sink.figure("reflection.reflector_core_accesses", play.other_core_accesses());
  sink.add_machine(stage.machine());
}

}  // namespace torusmu
