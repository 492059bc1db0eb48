// SPDX-License-Identifier: Apache-2.0
// The scenarios played on the reference model: what they expect is what the specification says,
// whatever the RTL does.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/scenario/scenarios.h"
#include "tb/reference_model/machine.h"

namespace torusmu {
namespace {

class ModelStage final : public Stage {
 public:
  explicit ModelStage(const Shape& shape, std::uint64_t seed)
      : shape_(shape), seed_(seed), machine_({.shape = shape, .seed = seed}) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::uint64_t seed() const override { return seed_; }
  [[nodiscard]] Cycles now() const override { return machine_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return 8; }
  NodeMemory& memory(NodeId node) override { return machine_.node(node).memory(); }
  const Core& add_core(NodeId node, Core::Program program) override {
    return machine_.add_core(node, std::move(program), machine_.now());
  }
  bool run(Cycles cycles) override {
    const bool done = machine_.run(machine_.now() + cycles);
    if (!done || !machine_.problems().empty()) {
      check("run", false, machine_.problems());
      return false;
    }
    return true;
  }
  std::vector<Event> take_events() override { return {}; }
  [[nodiscard]] bool has_pins() const override { return false; }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    ++checks;
    EXPECT_TRUE(passed) << name << ": " << detail;
  }
  void figure(const std::string& /*name*/, double /*value*/) override {}
  void say(const std::string& /*text*/) override {}

  int checks = 0;

 private:
  Shape shape_;
  std::uint64_t seed_;
  model::ReferenceMachine machine_;
};

class ScenariosOnModel : public ::testing::TestWithParam<const char*> {};

TEST_P(ScenariosOnModel, PassAllChecks) {
  const Scenario* scenario = find_scenario(GetParam());
  ASSERT_NE(scenario, nullptr);
  ModelStage stage({2, 2, 2}, 7);
  scenario->play(stage);
  EXPECT_GE(stage.checks, 2);
}

// A test's name has no dashes.
std::string name_of_scenario(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, ScenariosOnModel,
                         ::testing::Values("put", "fifo", "get", "reflection", "barrier",
                                           "allreduce", "discard", "reduce-tree", "fan", "pipeline",
                                           "channels", "stuck", "fence", "polling", "boot"),
                         name_of_scenario);

// Of the queue pairs: trees and groups of every size, a node alone among them.
class QueuePairScenarios : public ::testing::TestWithParam<const char*> {};

TEST_P(QueuePairScenarios, PassOnEveryShape) {
  constexpr Cycles kMost = 150'000;
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{3, 1, 1}, Shape{3, 3, 1},
                             Shape{3, 3, 3}, Shape{4, 4, 4}}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(::testing::Message() << shape.nodes() << " nodes, seed " << seed);
      ModelStage stage(shape, seed);
      find_scenario(GetParam())->play(stage);
      EXPECT_GE(stage.checks, 2);
      EXPECT_LT(stage.now(), kMost);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, QueuePairScenarios,
                         ::testing::Values("discard", "reduce-tree", "fan", "channels"),
                         name_of_scenario);

}  // namespace
}  // namespace torusmu
