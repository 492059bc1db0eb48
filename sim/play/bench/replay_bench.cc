// SPDX-License-Identifier: Apache-2.0
// replay.*.offload_cycles, replay.*.software_cycles: real programs, their collectives run by the MU
// and by the cores; replay.*.reflected_cycles: by the cores, and long sends end by reflection.
#include <fmt/format.h>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/replay_stage.h"

namespace torusmu {

void bench_replay(const BenchOptions& options, Sink& sink) {
  for (const ReplayProgram& program : kReplayPrograms) {
    const replay::Trace trace = replay::read_trace_file(program.trace);
    const auto play = [&](const char* form, const replay::PlayOptions& how) {
      const std::string name = fmt::format("replay.{}.{}_cycles", program.name, form);
      const auto played = ReplayStage::play(options, sink, name, trace, how);
      sink.figure(name, played.figures.at("replay.cycles"));
    };
    play("offload", {.run_by = RunBy::kMu});
    play("software", {.run_by = RunBy::kSoftware});
    play("reflected", {.send_end = SendEnd::kReflected, .run_by = RunBy::kSoftware});
  }
}

}  // namespace torusmu
