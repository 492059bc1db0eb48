// SPDX-License-Identifier: Apache-2.0
// What the runs of a soak draw from their seeds.
#include "tb/lab/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/machine/shape.h"

namespace torusmu::lab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kRuns = 2000;

std::string value_of(const Drawn& run, const std::string& option) {
  const auto found = std::find(run.words.begin(), run.words.end(), option);
  return found == run.words.end() ? "" : *(found + 1);
}

TEST(Shapes, AreAllThatHaveSoManyNodes) {
  EXPECT_THAT(shapes_with(1), ElementsAre("1x1x1"));
  EXPECT_THAT(shapes_with(4), ElementsAre("1x1x4", "1x2x2", "1x4x1", "2x1x2", "2x2x1", "4x1x1"));
  EXPECT_THAT(shapes_with(17), IsEmpty());
  EXPECT_THAT(shapes_with(4096), ElementsAre("16x16x16"));
}

TEST(Draw, IsTheSameForTheSameSeedAlone) {
  const Draw draw{.nodes = {1, 64}, .latency = {1, 32}, .timings = {}, .inject = 50};
  EXPECT_EQ(drawn(draw, 7).words, drawn(draw, 7).words);
  std::set<std::vector<std::string>> different;
  for (std::uint64_t seed = 0; seed < 100; ++seed) different.insert(drawn(draw, seed).words);
  EXPECT_GT(different.size(), 95U);
}

TEST(Draw, ReachesEverySizeRingAndLatencyInItsRangesAndNoOther) {
  const Draw draw{
      .nodes = {2, 20}, .latency = {1, 4}, .threads = {2, 3}, .timings = {}, .packet = {5, 6}};
  std::set<std::uint32_t> nodes;
  std::set<std::string> meshes, latencies, threads;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const Drawn run = drawn(draw, seed);
    meshes.insert(value_of(run, "--mesh"));
    nodes.insert(parse_shape(value_of(run, "--mesh")).nodes());
    latencies.insert(value_of(run, "--latency"));
    threads.insert(value_of(run, "--threads"));
  }
  // 17 and 19 are no products of three dimensions of at most 16.
  EXPECT_EQ(nodes.size(), 19U - 2);
  EXPECT_EQ(*nodes.begin(), 2U);
  EXPECT_EQ(*nodes.rbegin(), 20U);
  EXPECT_THAT(meshes, Contains("2x1x1"));
  EXPECT_THAT(meshes, Contains("1x13x1"));
  EXPECT_THAT(meshes, Contains("2x2x2"));
  EXPECT_THAT(latencies, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(threads, ElementsAre("2", "3"));
}

TEST(Draw, GivesFaultsSleepAndPagesTheirShares) {
  const Draw draw{.timings = {}, .packet = {3, 3}, .no_sleep = 25, .inject = 50, .page = 0};
  unsigned faults = 0, drops = 0, awake = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const Drawn run = drawn(draw, seed);
    const std::string fault = value_of(run, "--inject");
    EXPECT_EQ(run.has_fault, !fault.empty());
    EXPECT_FALSE(run.has_page);
    faults += run.has_fault ? 1 : 0;
    drops += fault == "drop-packet:3" ? 1 : 0;
    if (run.has_fault) {
      EXPECT_TRUE(fault == "drop-packet:3" || fault == "flip-payload-bit:3") << fault;
    }
    awake += std::count(run.words.begin(), run.words.end(), "--no-sleep") == 1 ? 1 : 0;
  }
  constexpr unsigned kMargin = 100;  // more than four standard deviations
  EXPECT_NEAR(faults, kRuns / 2, kMargin);
  EXPECT_NEAR(drops, kRuns / 4, kMargin);
  EXPECT_NEAR(awake, kRuns / 4, kMargin);
}

TEST(Draw, TakesEachTimingThatIsNamedAndNoneWithoutAny) {
  const Draw draw{.timings = {"fixed", "random"}};
  std::set<std::string> timings;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    timings.insert(value_of(drawn(draw, seed), "--timing"));
    EXPECT_EQ(value_of(drawn({}, seed), "--timing"), "");
  }
  EXPECT_THAT(timings, ElementsAre("fixed", "random"));
}

TEST(Draw, OfOneThingIsTheSameWhateverTheShareOfAnother) {
  const Draw none{.nodes = {1, 64}, .latency = {1, 32}, .timings = {}};
  Draw all = none;
  all.inject = 100;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(value_of(drawn(none, seed), "--mesh"), value_of(drawn(all, seed), "--mesh"));
    EXPECT_EQ(value_of(drawn(none, seed), "--latency"), value_of(drawn(all, seed), "--latency"));
  }
}

}  // namespace
}  // namespace torusmu::lab
