// SPDX-License-Identifier: Apache-2.0
// Which calls the MU leaves to the cores, why, and who is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/src/offload.h"
#include "host/src/translation.h"
#include "tests/host/collective_cases.h"
#include "tests/host/schedule_runner.h"

namespace torusmu::testing {
namespace {

constexpr std::uint32_t kManyGroups = 22;  // with one counter of each window

TEST(Offload, SaysWhyItLeavesACallToSoftware) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  PlanOptions options;
  const auto why = [&](const Call& call, const Operator& op, std::uint32_t members) {
    const auto plan = NodePlan::make(Shape{4, 4, 4}, kSim, Bytes{64} << 20, options).value();
    return obstacle(call, op, choose(call, members), members, plan);
  };
  const Call vector{.what = Collective::kAllreduce, .count = 8, .element = 8};
  EXPECT_EQ(why(vector, sum, 4), std::nullopt);
  EXPECT_EQ(why(vector, sum, 1), ByCores::kOneMember);
  EXPECT_EQ(why(vector, composition(), 4), ByCores::kOperation) << "a user's function";
  EXPECT_EQ(why({.what = Collective::kAllreduce, .count = 7, .element = 1},
                Operator(ReduceOp::kBor, DataType::kU8), 4),
            std::nullopt)
      << "any number of bytes";
  EXPECT_EQ(why({.what = Collective::kBroadcast, .count = 1U << 20}, sum, 4), ByCores::kWindow);
  EXPECT_EQ(why({.what = Collective::kBroadcast, .count = 0}, sum, 4), ByCores::kNothing);
  options.offload_groups = kManyGroups;
  EXPECT_EQ(why({.what = Collective::kBarrier}, sum, 4), ByCores::kCounters);
  options = {.offload_slots = 4};
  EXPECT_EQ(why({.what = Collective::kBarrier}, sum, 4), ByCores::kSlots);
}

TEST(Offload, TellsWhoRunsACallAndWhy) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    Group mu(context, first_tasks(2), 0, RunBy::kMu);
    Group cores(context, first_tasks(2), 1, RunBy::kSoftware);
    const Address out = require(context.take_heap(64), "heap");
    const auto by_mu = require(mu.ibroadcast(0, out, 8), "8 bytes");
    check(mu.is_run_by_mu(by_mu), "of a word");
    require(mu.wait(by_mu, context.now() + kPatience), "wait");
    const auto odd = require(mu.ibroadcast(0, out, 7), "7 bytes");
    check(mu.is_run_by_mu(odd), "of no whole words");
    require(mu.wait(odd, context.now() + kPatience), "wait");
    const auto none = require(mu.ibroadcast(0, out, 0), "no bytes");
    check(!mu.is_run_by_mu(none) && mu.why_by_cores(none) == ByCores::kNothing, "no bytes");
    require(mu.wait(none, context.now() + kPatience), "wait");
    const auto message = require(cores.ibroadcast(0, out, 8), "8 bytes");
    check(cores.why_by_cores(message) == ByCores::kGroup, "a group of the cores");
    require(cores.wait(message, context.now() + kPatience), "wait");
    check(text_of(ByCores::kNothing) == "vectors of no bytes", "its text");
  }),
            "");
}

// An algorithm that needs more counters than there are is not the reason if another does with them.
TEST(Offload, BlamesCountersOnlyIfNoAlgorithmDoesWithThem) {
  JobOptions options = options_for(5);
  options.plan.offload_groups = kManyGroups;
  options.plan.offload_window = Bytes{64} << 10;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    constexpr Bytes kLong = Bytes{256} << 10;  // software takes the chain
    Group group(context, first_tasks(5), 0, RunBy::kMu);
    const Address out = require(context.take_heap(kLong), "heap");
    const auto request = require(group.ibroadcast(0, out, kLong), "broadcast");
    check(group.why_by_cores(request) == ByCores::kWindow, "a window would do for the tree");
    require(group.wait(request, context.now() + kPatience), "wait");
  }),
            "");
}

// Queue pairs have left one queue and eight counters.
TEST(Offload, SumsInTheQueueThatSendsIfThereIsNoOther) {
  JobOptions options = options_for(4);
  options.plan.queue_pairs = 11;
  Job job(options);
  ASSERT_EQ(job.plan().offload_counters(), NodePlan::kMostOffloadCounters);
  ASSERT_FALSE(job.plan().offload_sums_beside());
  const Case made = make_case(Collective::kAllreduce, 0, 16'384, false, true, 4);
  EXPECT_EQ(obstacle(made.call, made.op, Algorithm::kDirect, 4, job.plan()), ByCores::kCounters);
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(4), 0, RunBy::kMu);
    Buffers buffers(context, group, made);
    const auto request = require(start(group, made, buffers.in(), buffers.out()), "start");
    check(group.is_run_by_mu(request), "by the ring");
    require(group.wait(request, context.now() + kPatience), "wait");
    buffers.check_result(text_of(made, 4));
  }),
            "");
}

// Doubling by four at once has a batch of each two rounds: nine if there are so many members.
TEST(Offload, TakesNoMoreBatchesThanAWindowCanHaveCounters) {
  constexpr std::uint32_t kMembers = (1U << 13) + 1;
  const auto plan =
      NodePlan::make(Shape{16, 16, 16}, kBgp, Bytes{64} << 20, {.clients = 4}).value();
  const Call call{.what = Collective::kAllreduce, .count = 1, .element = 8};
  EXPECT_EQ(
      obstacle(call, Operator(ReduceOp::kSum, DataType::kF64), Algorithm::kFours, kMembers, plan),
      ByCores::kCounters);
  const MemberView view = view_of(call, Algorithm::kFours, kMembers, 0, plan.offload_counters());
  EXPECT_EQ(view.schedule.batches, NodePlan::kMostOffloadCounters + 1);
  EXPECT_EQ(view.arrivals, SourceCounts{}) << "the only message is of the last batch";
}

}  // namespace
}  // namespace torusmu::testing
