// SPDX-License-Identifier: Apache-2.0
// replay.*.offload_cycles, replay.*.software_cycles: real programs, their collectives run by the MU
// and by the cores.
#include <fmt/format.h>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/replay_stage.h"

namespace torusmu {

void bench_replay(const BenchOptions& options, Sink& sink) {
  for (const ReplayProgram& program : kReplayPrograms) {
    const replay::Trace trace = replay::read_trace_file(program.trace);
    for (const RunBy run_by : {RunBy::kMu, RunBy::kSoftware}) {
      const std::string name = fmt::format("replay.{}.{}_cycles", program.name,
                                           run_by == RunBy::kMu ? "offload" : "software");
      const auto played = ReplayStage::play(options, sink, name, trace, {.run_by = run_by});
      sink.figure(name, played.figures.at("replay.cycles"));
    }
  }
}

}  // namespace torusmu
