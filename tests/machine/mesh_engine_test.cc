// SPDX-License-Identifier: Apache-2.0
// The mesh engine, one netlist of the whole machine, and the fast engine: the same flits in the
// same cycles.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/machine/errors.h"
#include "sim/machine/mix.h"
#include "sim/play/bench/traffic.h"
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

// Bursts of puts of any length, and nothing at all between them: whole machines fall asleep.
Outcome bursts_with_idle_stretches(const MachineConfig& config) {
  constexpr std::uint32_t kBursts = 4;
  constexpr Cycles kPeriod = 6000;
  Machine machine(config);
  open_nodes(machine);
  const Shape shape = machine.shape();
  const Cycles start = machine.now();
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    Rng random(mix(config.seed) + n);
    std::vector<std::uint32_t> tails;
    std::uint32_t tail = 0;
    for (std::uint32_t burst = 0; burst < kBursts; ++burst) {
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        const NodeId to{static_cast<std::uint32_t>(random.below(shape.nodes()))};
        preload(
            machine, {n}, tail++,
            put_descriptor(shape.coordinates(to),
                           {BenchLayout::kSourceRegion, random.below(100), 1 + random.below(1200)},
                           BenchLayout::kTargetRegion, random.below(100'000), {}));
      }
      tails.push_back(tail);
    }
    machine.add_core({n}, [=](Device& device) mutable {
      for (std::uint32_t burst = 0; burst < kBursts; ++burst) {
        const Cycles at = start + 100 + burst * kPeriod + random.below(300);
        device.compute(at - device.now());
        if (tails[burst] != 0) RawNode(device).ring_doorbell(BenchLayout::kQueue, tails[burst]);
      }
    });
  }
  const RunResult result = machine.run(start + 2 * kBursts * kPeriod);
  EXPECT_EQ(result.failure, "");
  return outcome_of(machine);
}

// Both engines in each way that must not matter, against the mesh engine with all nodes awake.
template <typename Traffic>
void expect_agreement(const MachineConfig& config, Traffic traffic, const std::string& what) {
  MachineConfig awake = on_engine(config, EngineKind::kMesh);
  awake.engine.sleeping = false;
  const Outcome mesh = traffic(awake);
  EXPECT_GT(mesh.flits, 100U) << what;
  EXPECT_EQ(traffic(on_engine(config, EngineKind::kMesh)), mesh) << what << ", mesh, sleeping";
  for (const bool sleeping : {true, false}) {
    for (const unsigned threads : {1U, 2U}) {
      MachineConfig fast = on_engine(config, EngineKind::kFast);
      fast.engine.sleeping = sleeping;
      fast.engine.threads = threads;
      const Outcome outcome = traffic(fast);
      const std::string which =
          what + (sleeping ? ", sleeping, " : ", awake, ") + std::to_string(threads) + " threads";
      EXPECT_EQ(outcome.flit_hash, mesh.flit_hash) << which;
      EXPECT_EQ(outcome, mesh) << which;
    }
  }
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
    expect_agreement(
        config, [load](const MachineConfig& c) { return random_traffic(c, load, 2000); },
        "latency " + std::to_string(latency) + ", load " + std::to_string(load));
  }
}

TEST_P(BothEngines, AgreeOnTrafficWithIdleStretches) {
  testing::Random random(12);
  SCOPED_TRACE(random.replay());
  for (const unsigned latency : {1U, 8U}) {
    for (int round = 0; round < 3; ++round) {
      MachineConfig config = bench_config(GetParam(), latency, random.bits64() % 100000);
      config.memory_timing.random_extra = random.below(30);
      config.memory_timing.reorder = random.chance(50);
      expect_agreement(
          config, bursts_with_idle_stretches,
          "latency " + std::to_string(latency) + ", seed " + std::to_string(config.seed));
    }
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
