// SPDX-License-Identifier: Apache-2.0
// The mesh engine, one netlist of the whole machine, and the fast engine: the same flits in the
// same cycles.
#include <gtest/gtest.h>

#include "sim/bench/traffic.h"
#include "sim/errors.h"
#include "tests/support/machine_player.h"
#include "tests/support/seed.h"

namespace torusmu {
namespace {

MachineConfig on_engine(MachineConfig config, EngineKind kind) {
  config.kind = kind;
  config.mesh_folder = TORUSMU_BUILD "/mesh";
  return config;
}

struct Outcome {
  std::uint64_t flit_hash = 0, flits = 0, memory_hash = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(const Machine& machine) {
  return {machine.counts().flit_hash, machine.counts().flits, machine.memory_hash()};
}

// Random puts at a random load, cut off in the middle of the traffic.
Outcome random_traffic(const MachineConfig& config, double load, Cycles cycles) {
  Machine machine(config);
  open_nodes(machine);
  start_uniform_puts(machine, load, cycles, config.seed);
  const RunResult result = machine.run_to(machine.now() + cycles);
  EXPECT_EQ(result.failure, "");
  return outcome_of(machine);
}

class BothEngines : public ::testing::TestWithParam<const char*> {};

TEST_P(BothEngines, AgreeOnRandomTraffic) {
  testing::Random random(11);
  SCOPED_TRACE(random.replay());
  for (const unsigned latency : {1U, 2U, 8U, 32U}) {
    MachineConfig config = bench_config(GetParam(), latency, random.bits64() % 1000);
    config.memory_timing.random_extra = random.below(30);
    config.memory_timing.stall_permille = static_cast<unsigned>(random.below(200));
    config.memory_timing.reorder = random.chance(50);
    const double load = static_cast<double>(1 + random.below(10)) / 10;
    const Outcome fast = random_traffic(on_engine(config, EngineKind::kFast), load, 2000);
    const Outcome mesh = random_traffic(on_engine(config, EngineKind::kMesh), load, 2000);
    EXPECT_EQ(fast.flit_hash, mesh.flit_hash) << "latency " << latency << ", load " << load;
    EXPECT_EQ(fast, mesh);
    EXPECT_GT(fast.flits, 500U);
  }
}

TEST_P(BothEngines, AgreeOnTheScenarios) {
  for (const Scenario& scenario : scenarios()) {
    MachineConfig config;
    config.engine.shape = parse_shape(GetParam());
    config.engine.record = scenario.wants_events;
    Outcome outcomes[2];
    for (const EngineKind kind : {EngineKind::kFast, EngineKind::kMesh}) {
      testing::MachinePlayer player(on_engine(config, kind));
      scenario.play(player);
      EXPECT_EQ(player.failures, "") << scenario.name;
      outcomes[kind == EngineKind::kMesh ? 1 : 0] = outcome_of(player.machine());
    }
    EXPECT_EQ(outcomes[0], outcomes[1]) << scenario.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BothEngines, ::testing::Values("2x2x2", "3x1x2"),
                         [](const auto& shape) { return std::string("Of") + shape.param; });

TEST(MeshEngine, NamesTheShapesThatAreBuilt) {
  MachineConfig config;
  config.engine.shape = parse_shape("7x5x3");
  try {
    const Machine machine(on_engine(config, EngineKind::kMesh));
    ADD_FAILURE() << "there is a library for 7x5x3";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("7x5x3"), std::string::npos) << text;
    EXPECT_NE(text.find(" 2x2x2"), std::string::npos) << text;
    EXPECT_NE(text.find("make mesh SHAPE=7x5x3"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace torusmu
