// SPDX-License-Identifier: Apache-2.0
#include "sim/replay/replay.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/machine_stage.h"
#include "sim/cli/report.h"
#include "sim/errors.h"
#include "sim/replay/play.h"
#include "sim/shape.h"

namespace torusmu {

int run_replay(const std::string& file, const Options& options, std::uint64_t eager_limit) {
  constexpr std::uint64_t kMostEager = 65536;
  if (eager_limit > kMostEager) {
    throw UsageError(fmt::format("--eager-limit {}: 0 to {} bytes", eager_limit, kMostEager));
  }
  const replay::Trace trace = replay::read_trace_file(file);
  const std::string shape =
      options.mesh.empty() ? shape_name(replay::shape_for(trace)) : options.mesh;
  const MachineConfig config = machine_config(options, shape);
  Report report("replay " + std::filesystem::path(file).stem().string(), options);
  report.say(fmt::format("replay: {}, on {}", file, shape_name(config.engine.shape)));
  MachineStage stage(config, report, options.quiet);
  replay::play(stage, trace, {.eager_limit = eager_limit});
  report.add_machine(stage.machine());
  return report.finish(fmt::format("torusmu replay {} --eager-limit {}", file, eager_limit));
}

}  // namespace torusmu
