// SPDX-License-Identifier: Apache-2.0
// Collectives that the MU runs by itself, on the reference model: the same calls and results as in
// collective_calls_test.cc, and what the host does meanwhile, which is nothing.
#include "host/src/offload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "host/src/translation.h"
#include "tests/host/collective_cases.h"

namespace torusmu::testing {
namespace {

Group mu_group(Context& context, const std::vector<Task>& members) {
  return Group(context, members, 0, RunBy::kMu);
}

class Offloaded : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Offloaded, AreRightForEveryRoot) {
  const auto cases = short_cases(GetParam());
  Job job(options_for(GetParam()));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(GetParam()));
    make_all(context, group, cases);
  }),
            "");
}

TEST_P(Offloaded, AreRightAroundTheThresholds) {
  const auto cases = threshold_cases(GetParam(), Bytes{4} << 20);
  Job job(options_for(GetParam()));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(GetParam()));
    make_all(context, group, cases);
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Of, Offloaded,
                         ::testing::Values(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 16U, 27U));

TEST(Offload, OfSomeTasksInAnyOrderIsRight) {
  const std::vector<Task> members{{7}, {2}, {8}, {0}, {5}};
  const std::vector<Case> cases = short_cases(5);
  Job job(options_for(9));
  EXPECT_EQ(job.run([&](Context& context) {
    if (std::find(members.begin(), members.end(), context.task()) == members.end()) return;
    Group group = mu_group(context, members);
    make_all(context, group, cases);
  }),
            "");
}

// Many under way at once, over both windows many times, members far apart in time.
TEST(Offload, OverlapsInOneGroup) {
  for (const std::uint32_t members : {2U, 5U, 8U}) {
    std::vector<Case> cases;
    for (const Bytes bytes : {8, 600, 40, 400}) {
      for (const Collective what : kCollectives) {
        const std::uint32_t root = has_root(what) ? static_cast<std::uint32_t>(bytes) % members : 0;
        cases.push_back(make_case(what, root, bytes, false, true, members));
      }
    }
    Job job(options_for(members));
    EXPECT_EQ(job.run([&](Context& context) {
      Group group = mu_group(context, first_tasks(members));
      std::vector<std::unique_ptr<Buffers>> buffers;
      std::vector<CollectiveRequest> open;
      Rng random(context.task().value);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (random.chance(500)) context.device().compute(random.below(20'000));
        buffers.push_back(std::make_unique<Buffers>(context, group, cases[i]));
        open.push_back(
            require(start(group, cases[i], buffers[i]->in(), buffers[i]->out()), "start"));
      }
      for (std::size_t i = cases.size(); i-- > 0;) {
        require(group.wait(open[i], context.now() + kPatience), text_of(cases[i], members));
        buffers[i]->check_result(text_of(cases[i], members));
      }
    }),
              "");
  }
}

// Every call of the usual kinds is one that the MU runs, or this file tests nothing.
TEST(Offload, RunsAllCollectivesOfWholeWords) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  for (const std::uint32_t members : {2U, 5U, 8U, 27U, 64U}) {
    const auto plan = NodePlan::make(shape_of(members), kSim, Bytes{16} << 20).value();
    for (const Collective what : kCollectives) {
      const Bytes element = reduces(what) ? 8 : 1;
      const Call call{.what = what, .count = 64 / element, .element = element};
      bool any = false;
      for (const AlgorithmRule& rule : algorithm_rules()) {
        if (rule.what != what) continue;
        any = is_translatable(call, sum, rule.shorter, members, plan) ||
              is_translatable(call, sum, rule.longer, members, plan);
      }
      EXPECT_TRUE(any) << name_of(what) << " of " << members;
    }
  }
}

TEST(Offload, LeavesToSoftwareWhatTheMuCannotRun) {
  const auto plan = NodePlan::make(Shape{4, 1, 1}, kSim, Bytes{16} << 20).value();
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  const auto runs = [&](const Call& call, const Operator& op, std::uint32_t members) {
    return is_translatable(call, op, choose(call, members), members, plan);
  };
  const Call vector{.what = Collective::kAllreduce, .count = 8, .element = 8};
  EXPECT_TRUE(runs(vector, sum, 4));
  EXPECT_FALSE(runs(vector, sum, 1)) << "a group of one";
  EXPECT_FALSE(runs(vector, composition(), 4)) << "a user's function";
  EXPECT_FALSE(runs({.what = Collective::kAllreduce, .count = 8, .element = 1},
                    Operator(ReduceOp::kBor, DataType::kU8), 4))
      << "elements of a byte";
  EXPECT_FALSE(runs({.what = Collective::kBroadcast, .count = 7}, sum, 4)) << "parts of words";
  EXPECT_FALSE(runs({.what = Collective::kBroadcast, .count = 1U << 20}, sum, 4)) << "long";
  EXPECT_FALSE(runs({.what = Collective::kBroadcast, .count = 0}, sum, 4)) << "nothing";
}

TEST(Offload, NeedsAQueueOfThePlan) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    bool thrown = false;
    try {
      Group group(context, first_tasks(2), 1, RunBy::kMu);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    check(thrown, "a group without a queue");
  }),
            "");
}

TEST(Offload, FirstCallReturnsBeforeOthersHaveMadeIt) {
  Job job(options_for(3));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(3));
    if (context.task() != Task{0}) context.device().compute(200'000);
    const Cycles before = context.now();
    const CollectiveRequest request = require(group.ibarrier(), "ibarrier");
    check(context.now() - before < 20'000, "ibarrier waits for nobody");
    require(group.wait(request, context.now() + kPatience), "wait");
    check(context.now() >= 200'000, "the barrier is over when all have come");
  }),
            "");
}

// The call that was given up is still made, so that its member stays in step with the others.
TEST(Offload, BlockingCallEndsAtItsDeadline) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(2));
    if (context.task() == Task{0}) {
      const Cycles deadline = context.now() + 50'000;
      check(group.barrier(deadline) == Errc::kDeadline, "nobody else has come");
      check(context.now() < deadline + 20'000, "the call ends at its deadline");
    } else {
      context.device().compute(200'000);
      require(group.barrier(context.now() + kPatience), "the first barrier");
    }
    require(group.barrier(context.now() + kPatience), "the second barrier");
  }),
            "");
}

// Lists of all members run one descriptor at a time, in any order of members: nobody waits for
// ever.
TEST(Offload, HasNoListThatWaitsForEver) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  for (std::uint32_t members = 2; members <= 17; ++members) {
    const auto plan = NodePlan::make(shape_of(members < 17 ? members : 18), kSim, Bytes{16} << 20);
    const std::vector<Task> tasks = first_tasks(members);
    for (const AlgorithmRule& rule : algorithm_rules()) {
      for (const Algorithm algorithm : {rule.shorter, rule.longer}) {
        const Bytes element = reduces(rule.what) ? 8 : 4;
        const Call call{.what = rule.what,
                        .root = has_root(rule.what) ? members / 2 : 0,
                        .count = 40,
                        .element = element};
        if (!is_translatable(call, sum, algorithm, members, plan.value())) continue;
        std::vector<std::vector<Descriptor>> lists;
        for (std::uint32_t rank = 0; rank < members; ++rank) {
          lists.push_back(translate(call, sum, algorithm, rank,
                                    {.plan = plan.value(), .members = tasks, .completion = 1})
                              .descriptors);
        }
        namespace d = layout::descriptor;
        namespace h = layout::packet_header;
        std::vector<std::size_t> next(members);
        std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> counts;
        bool moved = true;
        while (moved) {
          moved = false;
          for (std::uint32_t rank = 0; rank < members; ++rank) {
            while (next[rank] < lists[rank].size()) {
              const Descriptor& descriptor = lists[rank][next[rank]];
              const auto event = descriptor.get<d::event_counter>();
              if (descriptor.get<d::opcode>() == Opcode::kWait) {
                const auto value = WaitOperation::from_bytes(descriptor.get<d::immediate>())
                                       .get<layout::wait_operation::value>();
                if (counts[{rank, event}] < value) break;
              } else if (descriptor.get<d::event_valid>() != 0) {
                const PacketHeader image = descriptor.get<d::header>();
                const Coordinates to{static_cast<std::uint32_t>(image.get<h::dst_x>()),
                                     static_cast<std::uint32_t>(image.get<h::dst_y>()),
                                     static_cast<std::uint32_t>(image.get<h::dst_z>())};
                ++counts[{plan.value().shape().node(to).value, event}];
              }
              ++next[rank];
              moved = true;
            }
          }
        }
        for (std::uint32_t rank = 0; rank < members; ++rank) {
          ASSERT_EQ(next[rank], lists[rank].size())
              << name_of(rule.what) << " by " << name_of(algorithm) << ", member " << rank << " of "
              << members;
        }
      }
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
