// SPDX-License-Identifier: Apache-2.0
// What a bench plays a trace on: a machine whose checks are reported under a name, and whose
// figures are kept for the bench.
#ifndef TORUSMU_SIM_PLAY_BENCH_REPLAY_STAGE_H_
#define TORUSMU_SIM_PLAY_BENCH_REPLAY_STAGE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/random_timing.h"
#include "sim/play/bench/bench_options.h"
#include "sim/play/machine_stage.h"
#include "sim/play/replay/play.h"

namespace torusmu {

// The traces that benches play.
struct ReplayProgram {
  const char* name;
  const char* trace;
};
inline constexpr std::array kReplayPrograms{
    ReplayProgram{"lulesh27", "tests/traces/lulesh-27.trace"},
    ReplayProgram{"hpcg8", "tests/traces/hpcg-8.trace"}};

class ReplayStage final : public Stage {
 public:
  ReplayStage(MachineStage& stage, std::string name) : stage_(stage), name_(std::move(name)) {}

  struct Played {
    std::map<std::string, double> figures;  // all of the play
    std::uint64_t flit_hash;
  };
  // Plays on a machine of the most cubic shape, of the options' latency, threads, seed and timing.
  static Played play(const BenchOptions& options, Sink& sink, const std::string& name,
                     const replay::Trace& trace, const replay::PlayOptions& how,
                     Cycles mmio_halves = 2) {
    MachineConfig config = options.machine(replay::shape_for(trace));
    config.costs = config.costs.with_mmio_halves(mmio_halves);
    set_timing(config, options.timing);
    MachineStage machine(config, sink);
    ReplayStage stage(machine, name);
    replay::play(stage, trace, how);
    sink.add_machine(machine.machine());
    return {stage.figures_, machine.machine().counts().flit_hash};
  }

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
  void figure(const std::string& name, double value) override { figures_[name] = value; }
  void message(const ProgramMessage& message) override { stage_.message(message); }
  void program_time(Cycles from, Cycles to) override { stage_.program_time(from, to); }
  void say(const std::string& /*text*/) override {}

 private:
  MachineStage& stage_;
  std::string name_;
  std::map<std::string, double> figures_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_REPLAY_STAGE_H_
