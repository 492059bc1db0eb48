// SPDX-License-Identifier: Apache-2.0
// verilator: -GSLICES=1
// model: Vmu_reduction_order_2 mu_reduction_order -GSLICES=2
// model: Vmu_reduction_order_4 mu_reduction_order -GSLICES=4

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_reduction_order.h"
#include "Vmu_reduction_order_2.h"
#include "Vmu_reduction_order_4.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLatencies[] = {2, 6, 10, 2};  // by ReductionPath

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
  EXPECT_EQ(enter(ReductionPath::kSum), 4U);
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
  cycles_to_result();
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
    }
    order_.tick();
  }
  EXPECT_GT(left, 2000U);
}

struct Pass {
  bool valid = false;
  unsigned share = 0;
  ReductionPath path = ReductionPath::kSimple;
  unsigned number = 0;  // of its beat
};

// What is offered stands until all its passes have entered.
template <typename Model, unsigned kSlices>
void move_every_pass_a_place_a_cycle() {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> order(random.seed());
  std::vector<Pass> line(11);  // the last one stays empty
  Pass offered;
  const auto last = [](const Pass& pass) { return pass.number + 1 == kSlices << pass.share; };
  unsigned taken = 0;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random.chance(1)) {
      order->in_valid_i = 0;
      order.reset(1);
      line.assign(11, {});
      offered = {};
    }
    if (offered.number == 0) {
      offered.path = static_cast<ReductionPath>(random.below(4));
      offered.share = random.chance(60) ? 0 : static_cast<unsigned>(random.below(4));
      offered.valid = random.chance(cycle / 300 % 2 == 0 ? 90 : 30);
    }
    const bool product = offered.path == ReductionPath::kProduct;
    const unsigned latency = kLatencies[static_cast<unsigned>(offered.path)];
    order->out_ready_i = random.chance(cycle / 100 % 2 == 0 ? 90 : 40);
    order->in_valid_i = offered.valid;
    order->in_path_i = static_cast<std::uint8_t>(offered.path);
    order->in_share_i = static_cast<std::uint8_t>(offered.share);
    order.settle();
    bool free = true, active = false;
    for (unsigned i = 0; i < 10; ++i) {
      active |= line[i].valid;
      if (i >= latency && line[i].valid) free = false;  // would be overtaken
      if (product && i >= 7 && line[i].valid && line[i].path == ReductionPath::kProduct) {
        free = false;  // too early
      }
    }
    const bool out = line[0].valid && last(line[0]);
    const bool advance = !out || order->out_ready_i;
    ASSERT_EQ(order->advance_o, advance) << "cycle " << cycle;
    ASSERT_EQ(order->in_ready_o, advance && free && last(offered)) << "cycle " << cycle;
    const bool start = advance && free && offered.valid;
    ASSERT_EQ(order->start_o, start);
    ASSERT_EQ(order->active_o, active);
    ASSERT_EQ(order->out_valid_o, out) << "cycle " << cycle;
    ASSERT_EQ(order->finish_o, line[1].valid);
    if (start) {
      ASSERT_EQ(order->pass_o, offered.number) << "cycle " << cycle;
    }
    if (line[1].valid) {
      ASSERT_EQ(order->finish_share_o, line[1].share) << "cycle " << cycle;
      ASSERT_EQ(static_cast<ReductionPath>(order->finish_path_o), line[1].path);
      ASSERT_EQ(order->finish_pass_o, line[1].number) << "cycle " << cycle;
    }
    order.tick();
    if (!advance) continue;
    line.erase(line.begin());
    line.emplace_back();
    if (!start) continue;
    line[latency - 1] = offered;
    taken += last(offered);
    offered.number = last(offered) ? 0 : offered.number + 1;
  }
  EXPECT_GT(taken, 1000U);
}

TEST(ReductionOrderOfPasses, MoveAPlaceACycle) {
  move_every_pass_a_place_a_cycle<Vmu_reduction_order, 1>();
  move_every_pass_a_place_a_cycle<Vmu_reduction_order_2, 2>();
  move_every_pass_a_place_a_cycle<Vmu_reduction_order_4, 4>();
}

}  // namespace
}  // namespace torusmu::testing
