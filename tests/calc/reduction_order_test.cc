// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_reduction_order.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLatencies[] = {1, 5, 8, 1};  // by ReductionPath

class ReductionOrder : public ::testing::Test {
 protected:
  void offer(ReductionPath path) {
    order_->in_valid_i = 1;
    order_->in_path_i = static_cast<std::uint8_t>(path);
    order_.settle();
  }
  // Cycles until a beat enters; the cycle it enters in has passed.
  unsigned enter(ReductionPath path) {
    order_->out_ready_i = 1;
    offer(path);
    unsigned waited = 0;
    for (; !order_->start_o && waited < 100; ++waited) order_.tick();
    order_.tick();
    order_->in_valid_i = 0;
    order_.settle();
    return waited;
  }
  unsigned cycles_to_result() {
    unsigned cycles = 0;
    for (; !order_->out_valid_o && cycles < 100; ++cycles) order_.tick();
    return cycles;
  }

  Clocked<Vmu_reduction_order> order_;
};

TEST_F(ReductionOrder, GivesEachPathItsLatency) {
  for (const auto path : {ReductionPath::kSimple, ReductionPath::kSum, ReductionPath::kProduct,
                          ReductionPath::kUndefined}) {
    EXPECT_EQ(enter(path), 0U);
    EXPECT_EQ(cycles_to_result() + 1, kLatencies[static_cast<unsigned>(path)]);
    order_.tick();
    EXPECT_FALSE(order_->active_o);
  }
}

TEST_F(ReductionOrder, LetsShortPathsWaitUntilTheyDoNotOvertake) {
  enter(ReductionPath::kProduct);
  EXPECT_EQ(enter(ReductionPath::kSum), 3U);
  EXPECT_EQ(enter(ReductionPath::kSimple), 4U);
}

TEST_F(ReductionOrder, LetsLongerPathsFollowAtOnce) {
  EXPECT_EQ(enter(ReductionPath::kSimple), 0U);
  EXPECT_EQ(enter(ReductionPath::kSum), 0U);
  EXPECT_EQ(enter(ReductionPath::kProduct), 0U);
}

TEST_F(ReductionOrder, KeepsProductsFourCyclesApart) {
  EXPECT_EQ(enter(ReductionPath::kProduct), 0U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(enter(ReductionPath::kProduct), 3U);
}

TEST_F(ReductionOrder, TakesABeatACycleOfTheSamePath) {
  for (const auto path : {ReductionPath::kSimple, ReductionPath::kSum}) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(enter(path), 0U);
  }
}

TEST_F(ReductionOrder, HoldsAResultUntilItIsTaken) {
  enter(ReductionPath::kSimple);
  order_->out_ready_i = 0;
  offer(ReductionPath::kSimple);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(order_->out_valid_o);
    EXPECT_FALSE(order_->in_ready_o);
    EXPECT_FALSE(order_->advance_o);
    order_.tick();
  }
}

TEST_F(ReductionOrder, KeepsTheOrderOfRandomTraffic) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::deque<ReductionPath> inside;
  ReductionPath result = ReductionPath::kSimple;  // what the result register holds
  unsigned left = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const auto path = static_cast<ReductionPath>(random.below(4));
    order_->out_ready_i = random.chance(80);
    offer(path);
    order_->in_valid_i = random.chance(80);
    order_.settle();
    ASSERT_EQ(order_->active_o, !inside.empty()) << "cycle " << cycle;
    if (order_->out_valid_o && order_->out_ready_i) {
      ASSERT_FALSE(inside.empty());
      ASSERT_EQ(result, inside.front()) << "cycle " << cycle;
      inside.pop_front();
      ++left;
    }
    if (order_->start_o) inside.push_back(path);
    if (order_->advance_o && order_->finish_o) {
      result = static_cast<ReductionPath>(order_->finish_path_o);
    } else if (order_->start_o && kLatencies[static_cast<unsigned>(path)] == 1) {
      result = path;
    }
    order_.tick();
  }
  EXPECT_GT(left, 2000U);
}

struct Beat {
  bool valid = false, product = false, wide = false;
};

TEST_F(ReductionOrder, MovesEveryBeatAPlaceACycle) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::vector<Beat> line(9);  // the last one stays empty
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random.chance(1)) {
      order_->in_valid_i = 0;
      order_.reset(1);
      line.assign(9, {});
    }
    const auto path = static_cast<ReductionPath>(random.below(4));
    const bool product = path == ReductionPath::kProduct;
    const unsigned latency = kLatencies[static_cast<unsigned>(path)];
    order_->out_ready_i = random.chance(cycle / 100 % 2 == 0 ? 90 : 40);
    offer(path);
    order_->in_valid_i = random.chance(cycle / 300 % 2 == 0 ? 90 : 30);
    order_->in_wide_i = random.chance(50);
    order_.settle();
    bool free = true, active = false;
    for (unsigned i = 0; i < 8; ++i) {
      active |= line[i].valid;
      if (i >= latency && line[i].valid) free = false;  // would be overtaken
      if (product && i >= 5 && line[i].valid && line[i].product) free = false;  // too early
    }
    const bool advance = !line[0].valid || order_->out_ready_i;
    ASSERT_EQ(order_->advance_o, advance) << "cycle " << cycle;
    ASSERT_EQ(order_->in_ready_o, advance && free) << "cycle " << cycle;
    const bool start = advance && free && order_->in_valid_i;
    ASSERT_EQ(order_->start_o, start);
    ASSERT_EQ(order_->active_o, active);
    ASSERT_EQ(order_->out_valid_o, line[0].valid);
    ASSERT_EQ(order_->finish_o, line[1].valid);
    if (line[1].valid) {
      ASSERT_EQ(order_->finish_wide_o, line[1].wide) << "cycle " << cycle;
      ASSERT_EQ(static_cast<ReductionPath>(order_->finish_path_o),
                line[1].product ? ReductionPath::kProduct : ReductionPath::kSum);
    }
    const Beat entering{true, product, order_->in_wide_i != 0};
    order_.tick();
    if (!advance) continue;
    line.erase(line.begin());
    line.emplace_back();
    if (start) line[latency - 1] = entering;
  }
}

}  // namespace
}  // namespace torusmu::testing
