// SPDX-License-Identifier: Apache-2.0
// polling.*: real programs whose messages the library polls for by the default policy of replays,
// which goes by the history of each component, against polling at every request. Both go to sleep
// after the same time.
//
//   empty_share_saved     empty polls that are not made, of those that polling always makes
//   latency_*_added       of messages, from the later of the two calls to the completion: by what
//                         share half of them, and 99 of 100, are later; below zero: earlier
//   core_cycles_saved     cycles of cores in empty polls and in requests that do not poll, the
//   share
//                         that is saved
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/replay_stage.h"

namespace torusmu {
namespace {

using Figures = std::map<std::string, double>;

Figures play(const BenchOptions& options, Sink& sink, const ReplayProgram& program,
             const std::string& policy, const std::string& suffix, Cycles mmio_halves) {
  const replay::Trace trace = replay::read_trace_file(program.trace);
  return ReplayStage::play(options, sink,
                           fmt::format("polling.{}.{}{}", program.name, policy, suffix), trace,
                           {.polling = polling_of(policy).value()}, mmio_halves)
      .figures;
}

// By how much the figure of the second play is larger, as a share of the first's.
double added(const Figures& always, const Figures& heuristic, const std::string& figure) {
  return heuristic.at(figure) / always.at(figure) - 1;
}

}  // namespace

void bench_polling(const BenchOptions& options, Sink& sink) {
  struct Cost {
    const char* suffix;
    Cycles mmio_halves;
  };
  for (const Cost& cost : {Cost{"", 2}, Cost{".mmio_half", 1}, Cost{".mmio_double", 4}}) {
    nlohmann::json empty, median, p99, cycles;
    for (const ReplayProgram& program : kReplayPrograms) {
      const auto by = [&](const std::string& policy) {
        return play(options, sink, program, policy, cost.suffix, cost.mmio_halves);
      };
      const Figures always = by("always");
      const Figures heuristic = by(name_of(replay::PlayOptions{}.polling));
      empty.push_back(-added(always, heuristic, "replay.status_polls_empty"));
      median.push_back(added(always, heuristic, "replay.latency_p50_cycles"));
      p99.push_back(added(always, heuristic, "replay.latency_p99_cycles"));
      cycles.push_back(-added(always, heuristic, "replay.polling_cycles"));
    }
    const std::string suffix = cost.suffix;
    sink.figure("polling.empty_share_saved" + suffix, empty);
    sink.figure("polling.latency_median_added" + suffix, median);
    sink.figure("polling.latency_p99_added" + suffix, p99);
    sink.figure("polling.core_cycles_saved" + suffix, cycles);
  }
}

}  // namespace torusmu
