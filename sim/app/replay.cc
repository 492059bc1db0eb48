// SPDX-License-Identifier: Apache-2.0
#include "sim/app/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/app/report.h"
#include "sim/app/wave_build.h"
#include "sim/app/wave_on_fail.h"
#include "sim/machine/errors.h"
#include "sim/machine/profile.h"
#include "sim/machine/shape.h"
#include "sim/observe/note.h"
#include "sim/observe/output_file.h"
#include "sim/play/machine_stage.h"
#include "sim/play/replay/play.h"

namespace torusmu {
namespace {

// The links that carried most flits, and how much of the program's time they were busy.
void report_busiest_links(const Machine& machine, Report& report) {
  constexpr std::size_t kShown = 3;
  constexpr std::array kNames{"x+", "x-", "y+", "y-", "z+", "z-"};
  struct Carried {
    std::uint64_t flits;
    std::uint32_t node, direction;
  };
  std::vector<Carried> links;
  const EngineCounts counts = machine.counts();
  for (std::uint32_t n = 0; n < counts.link_flits.size(); ++n) {
    for (std::uint32_t d = 0; d < kDirections; ++d) {
      links.push_back({counts.link_flits[n][d], n, d});
    }
  }
  const std::size_t shown = std::min(kShown, links.size());
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), links.end(),
                    [](const Carried& a, const Carried& b) { return a.flits > b.flits; });
  const auto time = report.program_time();
  // A program that never began has no time.
  const bool began = time && time->cycles() > 0;
  const Cycles cycles = std::max<Cycles>(began ? time->cycles() : machine.now(), 1);
  std::string text = "busiest links:";
  for (std::size_t i = 0; i < shown; ++i) {
    const Coordinates at = machine.shape().coordinates({links[i].node});
    text += fmt::format("{} ({},{},{}) {} {} flits, {:.2f} % of the time", i == 0 ? "" : ";", at.x,
                        at.y, at.z, kNames[links[i].direction], links[i].flits,
                        100.0 * static_cast<double>(links[i].flits) / static_cast<double>(cycles));
  }
  report.say(text);
}

}  // namespace

replay::PlayOptions play_options(const ReplayOptions& options) {
  const auto policy = polling_of(options.polling);
  if (!policy) {
    throw UsageError(fmt::format("--polling \"{}\": must be {}", options.polling, kPollingNames));
  }
  return {.eager_limit = options.eager_limit,
          .send_end = options.send_end == "reflected" ? SendEnd::kReflected : SendEnd::kReceived,
          .store_by = options.store_by == "mu" ? StoreBy::kMu : StoreBy::kCore,
          .run_by = options.collectives == "offload" ? RunBy::kMu : RunBy::kSoftware,
          .polling = policy.value(),
          .tasks_per_node = options.tasks_per_node,
          .start_skew = options.start_skew,
          .stall_after = options.stall_after};
}

int run_replay(const std::string& file, const Options& options, const ReplayOptions& wanted) {
  const replay::PlayOptions played = play_options(wanted);
  require_files_apart(options, file);
  if (!options.wave.empty()) require_second_reading("--wave", file);
  if (!options.wave_on_fail.empty()) require_second_reading("--wave-on-fail", file);
  const replay::Trace trace = replay::read_trace_file(file);
  for (const std::string& warning : trace.warnings) {
    note(fmt::format("torusmu: warning: {}\n", warning));
  }
  const std::string shape = options.mesh.empty()
                                ? shape_name(replay::shape_for(trace, wanted.tasks_per_node))
                                : options.mesh;
  const MachineConfig config = machine_config(options, shape);
  require_wave_on_fail(options, config);
  become_wave_build_if_needed(config);
  Report report("replay " + std::filesystem::path(file).stem().string(), options);
  report.title(fmt::format("messages of the program {}, {} ranks", trace.app, trace.ranks.size()));
  report.input(file);
  report.say(fmt::format("replay: {}, on {}", file, shape_name(config.engine.shape)));
  MachineStage stage(config, report);
  stage.perform([&] {
    replay::play(stage, trace, played);
    report_busiest_links(stage.machine(), report);
  });
  stage.finish_waves();
  report.add_machine(stage.machine());
  const int status = report.finish(
      {options.program, "replay", file, "--eager-limit", std::to_string(wanted.eager_limit),
       "--send-end", wanted.send_end, "--store-by", wanted.store_by, "--collectives",
       wanted.collectives, "--polling", wanted.polling, "--tasks-per-node",
       std::to_string(wanted.tasks_per_node), "--start-skew", std::to_string(wanted.start_skew),
       "--stall-after", std::to_string(wanted.stall_after)});
  wave_the_failure(options, stage.waves_of_failure(options.wave_cycles));
  return status;
}

}  // namespace torusmu
