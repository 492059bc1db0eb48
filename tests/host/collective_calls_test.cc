// SPDX-License-Identifier: Apache-2.0
// Every collective as a program calls it, on the reference model: sizes around every threshold,
// all roots, in place and not, in groups of all tasks and of some in any order; several at once;
// errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/host/collective_cases.h"

namespace torusmu::testing {
namespace {

class Collectives : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Collectives, AreRightForEveryRoot) {
  const auto cases = short_cases(GetParam());
  Job job(options_for(GetParam()));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(GetParam()), 1);
    make_all(context, group, cases);
  }),
            "");
}

TEST_P(Collectives, AreRightAroundTheThresholds) {
  const auto cases = threshold_cases(GetParam(), Bytes{1} << 20);
  Job job(options_for(GetParam()));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(GetParam()), 1);
    make_all(context, group, cases);
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Of, Collectives,
                         ::testing::Values(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 16U, 27U));

TEST(Collectives, OfSomeTasksInAnyOrderAreRight) {
  const std::vector<Task> members{{7}, {2}, {8}, {0}, {5}};
  std::vector<Case> cases = short_cases(5);
  for (Case& made : threshold_cases(5, Bytes{1} << 20)) cases.push_back(std::move(made));
  Job job(options_for(9));
  EXPECT_EQ(job.run([&](Context& context) {
    if (std::find(members.begin(), members.end(), context.task()) == members.end()) return;
    Group group(context, members, 1);
    make_all(context, group, cases);
  }),
            "");
}

TEST(Collectives, GiveAllTheirMemoryBack) {
  const auto cases = short_cases(5);
  JobOptions options = options_for(5);
  options.plan.heap_bytes = Bytes{64} << 10;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(5), 1);
    make_all(context, group, cases);
    require(context.take_heap(Bytes{64} << 10), "the whole heap");
  }),
            "");
}

// All kinds at once, finished by each member in another order, some by looking at them.
TEST(Collectives, OverlapInOneGroup) {
  for (const std::uint32_t members : {2U, 5U, 8U}) {
    std::vector<Case> cases;
    for (const Bytes bytes : {8, 600, 3000}) {
      for (const Collective what : kCollectives) {
        const std::uint32_t root = has_root(what) ? static_cast<std::uint32_t>(bytes) % members : 0;
        cases.push_back(make_case(what, root, bytes, false, true, members));
      }
    }
    Job job(options_for(members));
    EXPECT_EQ(job.run([&](Context& context) {
      Group group(context, first_tasks(members), 1);
      std::vector<std::unique_ptr<Buffers>> buffers;
      std::vector<std::pair<std::size_t, CollectiveRequest>> open;
      Rng random(context.task().value);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        buffers.push_back(std::make_unique<Buffers>(context, group, cases[i]));
        open.emplace_back(
            i, require(start(group, cases[i], buffers[i]->in(), buffers[i]->out()), "start"));
        if (random.chance(300)) context.device().compute(random.below(20'000));
      }
      while (!open.empty()) {
        const auto which = static_cast<std::ptrdiff_t>(random.below(open.size()));
        const auto [i, request] = open[static_cast<std::size_t>(which)];
        const std::string what = text_of(cases[i], members);
        if (random.chance(500)) {
          require(group.wait(request, context.now() + kPatience), what);
        } else {
          std::error_code error;
          if (!group.test(request, &error)) continue;
          require(error, what);
        }
        buffers[i]->check_result(what);
        open.erase(open.begin() + which);
      }
    }),
              "");
  }
}

// A wait for one group's collective also looks after that of the other group: a barrier of four has
// a second round, which task 0 has to begin while it waits for something else.
TEST(Collectives, OfTwoGroupsGoOnInAnyWait) {
  Job job(options_for(4));
  EXPECT_EQ(job.run([&](Context& context) {
    Group first(context, first_tasks(4), 1);
    Group second(context, first_tasks(4), 2);
    const auto under_way = require(first.ibarrier(), "start");
    if (context.task().value == 0) {
      require(second.barrier(context.now() + kPatience), "second");
      require(first.wait(under_way, context.now() + kPatience), "first");
    } else {
      require(first.wait(under_way, context.now() + kPatience), "first");
      require(second.barrier(context.now() + kPatience), "second");
    }
  }),
            "");
}

TEST(Collectives, GoOnAfterADeadlineOfTheirWait) {
  Job job(options_for(3));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(3), 1);
    if (context.task().value == 2) context.device().compute(100'000);
    const auto request = require(group.ibarrier(), "start");
    if (context.task().value != 2) {
      check(group.wait(request, context.now() + 20'000) == Errc::kDeadline, "no deadline");
      check(!group.test(request), "over");
    }
    require(group.wait(request, context.now() + kPatience), "wait");
    std::error_code error;
    check(group.test(request, &error) && error == Errc::kBadArgument, "test of what is over");
    check(group.wait(request, context.now()) == Errc::kBadArgument, "wait for what is over");
  }),
            "");
}

TEST(Collectives, RefuseBadArgumentsAndCarryOn) {
  Job job(options_for(3));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(3), 1);
    const Address in = require(context.take_heap(64), "heap");
    const Address out = require(context.take_heap(64), "heap");
    const Operator sum(ReduceOp::kSum, DataType::kI64);
    const auto refused = [&](const Result<CollectiveRequest>& request, Errc error,
                             const std::string& what) { check(request.error() == error, what); };
    refused(group.ibroadcast(3, out, 8), Errc::kBadArgument, "broadcast root");
    refused(group.ireduce(3, sum, 1, in, out), Errc::kBadArgument, "reduce root");
    refused(group.iscatter(3, 8, in, out), Errc::kBadArgument, "scatter root");
    refused(group.igather(~0U, 8, in, out), Errc::kBadArgument, "gather root");
    refused(group.iallreduce(sum, ~std::uint64_t{0} / 8, in, out), Errc::kBadArgument, "count");
    refused(group.ialltoall(Bytes{1} << 36, in, out), Errc::kBadArgument, "bytes of all");
    refused(group.iallreduce({ReduceOp::kBand, DataType::kF64}, 1, in, out), Errc::kBadArgument,
            "undefined");
    refused(group.iallreduce({ReduceOp{99}, DataType{99}}, 1, in, out), Errc::kBadArgument,
            "unknown");
    refused(group.iallreduce(UserReduction{}, 1, in, out), Errc::kBadArgument, "no function");
    const ReduceStep step{ReduceOp::kMin, DataType::kU32, 7};
    refused(
        group.iallreduce(LoadedReduction{ReduceOp::kSum, DataType::kU32, {9, step}}, 1, in, out),
        Errc::kBadArgument, "nine steps");
    refused(group.iallreduce(sum, 4, in, in + 8), Errc::kBadArgument, "overlap");
    refused(group.iallgather(8, out + 8 * ((group.rank() + 1) % 3), out), Errc::kBadArgument,
            "another's place");
    check(group.barrier(context.now() + kPatience) == std::error_code(), "after bad arguments");
  }),
            "");
}

TEST(Collectives, SayWhatIsWrongWithTheMemory) {
  JobOptions options = options_for(2);
  options.plan.heap_bytes = Bytes{8} << 10;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(2), 1);
    const Operator sum(ReduceOp::kSum, DataType::kI64);
    const Address in = require(context.take_heap(2048), "heap");
    const Address nowhere = context.device().memory_size();
    check(group.iallreduce(sum, 4, in, nowhere).error() == Errc::kNotRegistered, "output");
    check(group.iallgather(8, nowhere - 4, in).error() == Errc::kNotRegistered, "input");
    const Address out = require(context.take_heap(6144), "heap");
    check(group.iallreduce(sum, 256, in, out).error() == Errc::kOutOfResources, "heap");
  }),
            "");
}

TEST(Collectives, NoticeThatMembersCallWithDifferentLengths) {
  for (const bool longer : {true, false}) {
    Job job(options_for(2));
    EXPECT_EQ(job.run([&](Context& context) {
      Group group(context, first_tasks(2), 1);
      const Address data = require(context.take_heap(64), "heap");
      const Bytes bytes = context.task().value == 0 ? 32 : longer ? 16 : 48;
      const std::error_code error = group.broadcast(0, data, bytes, context.now() + kPatience);
      if (context.task().value == 0) return;
      check(error == (longer ? Errc::kTruncated : Errc::kBadArgument), error.message());
    }),
              "");
  }
}

// What is under way when its group ends is given up, and nobody looks after it any more.
TEST(Collectives, MayBeUnderWayWhenTheirGroupEnds) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    {
      Group group(context, first_tasks(2), 1);
      if (context.task().value == 0) require(group.ibarrier(), "start");
    }
    Group next(context, first_tasks(2), 2);
    require(next.barrier(context.now() + kPatience), "barrier");
  }),
            "");
}

TEST(Collectives, TakeOperationsOfTheProgram) {
  // The longest operand, of which no two are as long.
  const UserReduction longest{.function =
                                  [](std::span<std::byte> a, std::span<const std::byte> b) {
                                    for (std::size_t at = 0; at < a.size(); at += 4) {
                                      if (b[at] > a[at]) std::copy_n(&b[at], 4, &a[at]);
                                    }
                                  },
                              .element = 4};
  constexpr std::uint32_t kMembers = 6;
  Job job(options_for(kMembers));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(kMembers), 1);
    for (const std::size_t count : {std::size_t{1}, std::size_t{600}}) {
      Data expected(4 * count);
      std::vector<Data> operands;
      for (std::uint32_t member = 0; member < kMembers; ++member) {
        operands.emplace_back(4 * count);
        for (std::size_t i = 0; i < count; ++i) {
          operands[member][4 * i] = static_cast<std::byte>((member * 7 + i) % 11 + 1);
          operands[member][4 * i + 3] = static_cast<std::byte>(member);
          if (operands[member][4 * i] > expected[4 * i]) {
            std::copy_n(&operands[member][4 * i], 4, &expected[4 * i]);
          }
        }
      }
      const Address in = put_into_heap(context, operands[group.rank()]);
      const Address out = put_into_heap(context, Data(4 * count));
      require(group.allreduce(longest, count, in, out, context.now() + kPatience), "allreduce");
      check(get_from(context, out, 4 * count) == expected, "longest");
    }
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing
