// SPDX-License-Identifier: Apache-2.0
// Plays a scenario on a machine of RTL nodes and keeps what came of it.
#ifndef TESTS_SUPPORT_MACHINE_PLAYER_H_
#define TESTS_SUPPORT_MACHINE_PLAYER_H_

#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu::testing {

class MachinePlayer final : public Stage {
 public:
  explicit MachinePlayer(const MachineConfig& config) : machine_(config) {}

  [[nodiscard]] Shape shape() const override { return machine_.shape(); }
  [[nodiscard]] std::uint64_t seed() const override { return machine_.config().seed; }
  [[nodiscard]] Cycles now() const override { return machine_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return machine_.config().engine.latency; }
  NodeMemory& memory(NodeId node) override { return machine_.memory(node); }
  const Core& add_core(NodeId node, Core::Program program) override {
    return machine_.add_core(node, std::move(program));
  }
  bool run(Cycles cycles) override {
    const RunResult result = machine_.run(machine_.now() + cycles);
    if (!result.failure.empty()) check("run", false, result.failure);
    return result.done;
  }
  std::vector<Event> take_events() override { return machine_.take_events(); }
  [[nodiscard]] bool has_pins() const override { return machine_.config().engine.record; }
  [[nodiscard]] bool is_brief() const override { return true; }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    ++checks;
    if (!passed) failures += name + ": " + detail + "\n";
  }
  void figure(const std::string& /*name*/, double /*value*/) override {}
  void say(const std::string& /*text*/) override {}

  [[nodiscard]] Machine& machine() { return machine_; }

  int checks = 0;
  std::string failures;

 private:
  Machine machine_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MACHINE_PLAYER_H_
