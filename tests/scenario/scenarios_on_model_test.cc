// SPDX-License-Identifier: Apache-2.0
// The scenarios played on the reference model: what they expect is what the specification says,
// whatever the RTL does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "sim/play/scenario/scenarios.h"
#include "tb/reference_model/stage.h"

namespace torusmu {
namespace {

class ScenariosOnModel : public ::testing::TestWithParam<Scenario> {};

TEST_P(ScenariosOnModel, PassAllChecks) {
  model::ReferenceStage stage({.shape = {2, 2, 2}, .seed = 7});
  GetParam().play(stage);
  EXPECT_EQ(stage.failures(), "");
  EXPECT_GE(stage.checks(), 2U);
}

// A test's name has no dashes.
std::string without_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, ScenariosOnModel, ::testing::ValuesIn(scenarios()),
                         [](const auto& chosen) { return without_dashes(chosen.param.name); });

TEST(ScenariosOnNetlist, AreAllThatThereAre) {
  std::ifstream plan("tests/plans/night.json");
  const std::string begin = "scenario in ";
  std::string line;
  while (std::getline(plan, line) && line.find(begin) == std::string::npos) {
  }
  ASSERT_NE(line.find(begin), std::string::npos);
  line = line.substr(line.find(begin) + begin.size());
  std::istringstream words(line.substr(0, line.find('"')));
  std::multiset<std::string> played{std::istream_iterator<std::string>(words), {}};
  for (const Scenario& scenario : scenarios()) {
    EXPECT_EQ(played.erase(scenario.name), 1U)
        << scenario.name << ": add it, once, to the jobs netlist/... in tests/plans/night.json";
  }
  EXPECT_THAT(played, ::testing::IsEmpty())
      << "no scenario of that name: take it out of tests/plans/night.json";
}

// Of the queue pairs: trees and groups of every size, a node alone among them.
class QueuePairScenarios : public ::testing::TestWithParam<const char*> {};

TEST_P(QueuePairScenarios, PassOnEveryShape) {
  constexpr Cycles kMost = 150'000;
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{3, 1, 1}, Shape{3, 3, 1},
                             Shape{3, 3, 3}, Shape{4, 4, 4}}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(::testing::Message() << shape.nodes() << " nodes, seed " << seed);
      model::ReferenceStage stage({.shape = shape, .seed = seed});
      find_scenario(GetParam())->play(stage);
      EXPECT_EQ(stage.failures(), "");
      EXPECT_GE(stage.checks(), 2U);
      EXPECT_LT(stage.now(), kMost);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, QueuePairScenarios,
                         ::testing::Values("discard", "reduce-tree", "fan", "channels"),
                         [](const auto& chosen) { return without_dashes(chosen.param); });

}  // namespace
}  // namespace torusmu
