// SPDX-License-Identifier: Apache-2.0
// replay.*.offload_cycles, replay.*.software_cycles: real programs, their collectives run by the MU
// and by the cores.
#include <fmt/format.h>

#include <array>

#include "sim/bench/benches.h"
#include "sim/cli/machine_stage.h"
#include "sim/replay/play.h"

namespace torusmu {
namespace {

struct Program {
  const char* name;
  const char* trace;
};
constexpr std::array kPrograms{Program{"lulesh27", "tests/traces/lulesh-27.trace"},
                               Program{"hpcg8", "tests/traces/hpcg-8.trace"}};

// A stage whose checks have a prefix and whose figures are kept from the report, but for the
// cycles.
class PlayStage final : public Stage {
 public:
  PlayStage(MachineStage& stage, std::string name) : stage_(stage), name_(std::move(name)) {}

  [[nodiscard]] Shape shape() const override { return stage_.shape(); }
  [[nodiscard]] std::uint64_t seed() const override { return stage_.seed(); }
  [[nodiscard]] Cycles now() const override { return stage_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return stage_.link_latency(); }
  NodeMemory& memory(NodeId node) override { return stage_.memory(node); }
  const Core& add_core(NodeId node, Core::Program program) override {
    return stage_.add_core(node, std::move(program));
  }
  bool run(Cycles cycles) override { return stage_.run(cycles); }
  std::vector<Event> take_events() override { return stage_.take_events(); }
  [[nodiscard]] bool has_pins() const override { return stage_.has_pins(); }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    stage_.check(name_ + "." + name, passed, detail);
  }
  void figure(const std::string& name, double value) override {
    if (name == "replay.cycles") stage_.figure(name_, value);
  }
  void say(const std::string& /*text*/) override {}

 private:
  MachineStage& stage_;
  std::string name_;
};

}  // namespace

void bench_replay(const Options& options, Report& report) {
  for (const Program& program : kPrograms) {
    const replay::Trace trace = replay::read_trace_file(program.trace);
    for (const RunBy run_by : {RunBy::kMu, RunBy::kSoftware}) {
      MachineConfig config;
      config.engine.shape = replay::shape_for(trace);
      config.engine.latency = options.latency;
      config.engine.threads = options.threads;
      config.seed = options.seed;
      MachineStage stage(config, report);
      PlayStage play_stage(stage, fmt::format("replay.{}.{}_cycles", program.name,
                                              run_by == RunBy::kMu ? "offload" : "software"));
      replay::play(play_stage, trace, {.run_by = run_by});
      report.add_machine(stage.machine());
    }
  }
}

}  // namespace torusmu
