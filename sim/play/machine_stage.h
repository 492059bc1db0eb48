// SPDX-License-Identifier: Apache-2.0
// A machine in simulation as a stage for scenarios.
#ifndef TORUSMU_SIM_PLAY_MACHINE_STAGE_H_
#define TORUSMU_SIM_PLAY_MACHINE_STAGE_H_

#include <functional>
#include <optional>

#include "sim/machine/machine.h"
#include "sim/machine/random_timing.h"
#include "sim/observe/failure_view.h"
#include "sim/play/sink.h"
#include "sim/play/stage.h"

namespace torusmu {

class MachineStage final : public Stage {
 public:
  MachineStage(const MachineConfig& config, Sink& sink) : machine_(config), sink_(sink) {}

  [[nodiscard]] Shape shape() const override { return machine_.shape(); }
  [[nodiscard]] std::uint64_t seed() const override { return machine_.config().seed; }
  [[nodiscard]] Cycles now() const override { return machine_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return machine_.config().engine.latency; }
  NodeMemory& memory(NodeId node) override { return machine_.memory(node); }
  const Core& add_core(NodeId node, Core::Program program) override {
    return machine_.add_core(node, std::move(program));
  }
  bool run(Cycles cycles) override;
  std::vector<Event> take_events() override { return machine_.take_events(); }
  [[nodiscard]] bool has_pins() const override { return machine_.config().engine.record; }
  [[nodiscard]] bool has_fixed_timing() const override {
    return is_fixed_timing(machine_.config());
  }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    conclude(name, passed, detail, std::nullopt);
  }
  // What waves of the first check that failed show; nothing if none did. Needs a machine that is
  // watched.
  [[nodiscard]] std::optional<CycleWindow> waves_of_failure(Cycles cycles) const;
  void figure(const std::string& name, double value) override;
  void message(const ProgramMessage& message) override { sink_.message(message); }
  void program_time(Cycles from, Cycles to) override { sink_.program_time(from, to); }
  void say(const std::string& text) override { sink_.say(text); }
  void show(const Act& act) override {
    if (!act_) act_ = act;
  }

  // Plays, and checks at the end, whatever was played: every flit that was put on a link was taken
  // from it, and no node dropped a packet for a bad CRC or shape, lost a reply or met a memory
  // error. A run that fails is the last: nothing runs on what `play` has left behind. After a
  // failed assertion of the RTL, which is a check of its name, there are no others. Of a machine
  // that was stopped the check "stopped" fails instead.
  void perform(const std::function<void()>& play);
  // The checks at the end alone.
  void say_where_packets_stand();
  void check_network();
  // Writes the view of the waves, if there are any, and says how to look at them.
  void finish_waves();

  [[nodiscard]] Machine& machine() { return machine_; }

 private:
  bool look(const Core::Program& program);
  void check_fault();
  void conclude(const std::string& name, bool passed, const std::string& detail,
                const std::optional<FailedAssertion>& assertion);
  // The act, if the waves have its begin.
  void show_act(WaveView& view) const;

  Machine machine_;
  Sink& sink_;
  bool has_failed_ = false;  // a run of the machine
  std::optional<Act> act_;
  std::optional<CheckFailure> failure_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_MACHINE_STAGE_H_
