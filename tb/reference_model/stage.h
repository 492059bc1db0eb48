// SPDX-License-Identifier: Apache-2.0
// The reference machine as a stage for scenarios and replays.
#ifndef TORUSMU_TB_REFERENCE_MODEL_STAGE_H_
#define TORUSMU_TB_REFERENCE_MODEL_STAGE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/play/stage.h"
#include "tb/reference_model/machine.h"

namespace torusmu::model {

class ReferenceStage final : public Stage {
 public:
  explicit ReferenceStage(const MachineOptions& options) : options_(options), machine_(options) {}

  [[nodiscard]] Shape shape() const override { return options_.shape; }
  [[nodiscard]] std::uint64_t seed() const override { return options_.seed; }
  [[nodiscard]] Cycles now() const override { return machine_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return 1; }
  NodeMemory& memory(NodeId node) override { return machine_.node(node).memory(); }
  const Core& add_core(NodeId node, Core::Program program) override {
    return machine_.add_core(node, std::move(program), machine_.now());
  }
  bool run(Cycles cycles) override {
    const bool done = machine_.run(machine_.now() + cycles);
    const std::string problems = machine_.problems();
    if (!done || !problems.empty()) {
      check("run", false, problems.empty() ? "packets still move" : problems);
    }
    return done && problems.empty();
  }
  std::vector<Event> take_events() override { return {}; }
  [[nodiscard]] bool has_pins() const override { return false; }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    if (!passed) failures_ += name + ": " + detail + "\n";
    ++checks_;
  }
  void figure(const std::string& name, double value) override { figures_[name] = value; }
  void say(const std::string& text) override { said_ += text + "\n"; }
  void message(const ProgramMessage& message) override { messages_.push_back(message); }

  ReferenceMachine& machine() { return machine_; }
  // Failed checks, a line each; empty if none failed.
  [[nodiscard]] const std::string& failures() const { return failures_; }
  // Its lines for the reader.
  [[nodiscard]] const std::string& said() const { return said_; }
  [[nodiscard]] unsigned checks() const { return checks_; }
  // What has arrived.
  [[nodiscard]] const std::vector<ProgramMessage>& messages() const { return messages_; }
  [[nodiscard]] double figure(const std::string& name) const { return figures_.at(name); }

 private:
  std::string said_;
  MachineOptions options_;
  ReferenceMachine machine_;
  std::string failures_;
  unsigned checks_ = 0;
  std::map<std::string, double> figures_;
  std::vector<ProgramMessage> messages_;
};

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_STAGE_H_
