// SPDX-License-Identifier: Apache-2.0
// The fast engine: everything that makes it fast leaves every flit in its cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/machine_player.h"

namespace torusmu {
namespace {

struct Variant {
  const char* name;
  bool sleeping = true;
  bool gating = true;
  bool two_evaluations = false;
  unsigned threads = 1;
  friend std::ostream& operator<<(std::ostream& out, const Variant& v) { return out << v.name; }
};

MachineConfig config_of(const Variant& variant, const Scenario& scenario) {
  MachineConfig config;
  config.engine.shape = {2, 2, 2};
  config.engine.latency = 5;
  config.engine.sleeping = variant.sleeping;
  config.engine.gating = variant.gating;
  config.engine.two_evaluations = variant.two_evaluations;
  config.engine.threads = variant.threads;
  config.engine.record = scenario.wants_events;
  config.seed = 3;
  return config;
}

struct Outcome {
  std::uint64_t flit_hash, flits, memory_hash;
  Cycles end;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& o) {
    return out << "flit hash " << o.flit_hash << ", " << o.flits << " flits, memory hash "
               << o.memory_hash << ", end " << o.end;
  }
};

Outcome play(const Variant& variant, const Scenario& scenario) {
  testing::MachinePlayer player(config_of(variant, scenario));
  scenario.play(player);
  EXPECT_EQ(player.failures, "") << variant.name << " " << scenario.name;
  const EngineCounts counts = player.machine().counts();
  return {counts.flit_hash, counts.flits, player.machine().memory_hash(), player.machine().now()};
}

constexpr std::array kVariants{Variant{.name = "batches", .sleeping = false, .gating = false},
                               Variant{.name = "gating", .sleeping = false},
                               Variant{.name = "sleeping", .gating = false},
                               Variant{.name = "everything"},
                               Variant{.name = "two threads", .threads = 2},
                               Variant{.name = "seven threads", .threads = 7}};

class FastEngine : public ::testing::TestWithParam<const Scenario*> {};

TEST_P(FastEngine, GivesTheSameFlitsInTheSameCycles) {
  const Outcome plain = play(
      {.name = "plain", .sleeping = false, .gating = false, .two_evaluations = true}, *GetParam());
  EXPECT_NE(plain.flit_hash, 0U) << "nothing has crossed a link or a cable";
  for (const Variant& variant : kVariants) {
    EXPECT_EQ(play(variant, *GetParam()), plain) << variant.name;
  }
}

std::vector<const Scenario*> each_scenario() {
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : scenarios()) all.push_back(&scenario);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, FastEngine, ::testing::ValuesIn(each_scenario()),
                         [](const auto& scenario) {
                           std::string name = scenario.param->name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FastEngineHash, DependsOnTheLinkLatency) {
  const Scenario& put = *find_scenario("put");
  const Variant variant{.name = "plain"};
  MachineConfig config = config_of(variant, put);
  config.engine.latency = 6;
  testing::MachinePlayer player(config);
  put.play(player);
  EXPECT_NE(player.machine().counts().flit_hash, play(variant, put).flit_hash);
}

// Each fault must be seen by a check of the scenario: a run that passes would be a check that
// cannot fail.
class Faults : public ::testing::TestWithParam<Fault::Kind> {};

TEST_P(Faults, FailTheRun) {
  const Scenario& put = *find_scenario("put");
  for (const std::uint64_t number : {1U, 17U, 60U}) {
    MachineConfig config = config_of({.name = "plain"}, put);
    config.engine.fault = {.kind = GetParam(), .number = number};
    testing::MachinePlayer player(config);
    put.play(player);
    EXPECT_TRUE(player.machine().counts().fault);
    EXPECT_NE(player.failures, "") << "packet " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Faults,
                         ::testing::Values(Fault::Kind::kFlipPayloadBit, Fault::Kind::kDropPacket),
                         [](const auto& kind) {
                           return kind.param == Fault::Kind::kDropPacket ? "DropPacket"
                                                                         : "FlipPayloadBit";
                         });

TEST(FaultsAreNamed, SameFaultAtTheSamePacketWhateverTheThreads) {
  const Scenario& put = *find_scenario("put");
  std::uint64_t hash = 0;
  for (const unsigned threads : {1U, 3U}) {
    MachineConfig config = config_of({.name = "threads", .threads = threads}, put);
    config.engine.fault = {.kind = Fault::Kind::kDropPacket, .number = 40};
    testing::MachinePlayer player(config);
    put.play(player);
    if (threads == 1) hash = player.machine().counts().flit_hash;
    EXPECT_EQ(player.machine().counts().flit_hash, hash);
  }
}

}  // namespace
}  // namespace torusmu
