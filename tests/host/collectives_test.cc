// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, reduce and allreduce of 1 to 27 tasks on the reference model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/host/job.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kPatience = 100'000'000;

class Tasks : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static JobOptions options(std::uint32_t tasks) {
    JobOptions options;
    // No dimension has more than 16 nodes: 17, 19 and 23 tasks have a machine to themselves that is
    // one larger.
    options.machine.shape = shape_of(tasks);
    if (options.machine.shape.x > 16) options.machine.shape = shape_of(tasks + 1);
    options.machine.memory_size = Bytes{8} << 20;
    options.machine.seed = tasks;
    return options;
  }
  static Group world(Context& context) {
    std::vector<Task> members;
    for (std::uint32_t t = 0; t < GetParam(); ++t) members.push_back({t});
    return Group(context, members, 1);
  }
  // Runs `program` as each of the GetParam() first tasks.
  static std::string run(Job& job, const Job::Program& program) {
    return job.run([&program](Context& context) {
      if (context.task().value < GetParam()) program(context);
    });
  }
};

std::vector<std::byte> doubles(std::uint64_t seed, std::size_t count) {
  std::vector<std::byte> data(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    // Of very different size, so that another order of addition gives other bits.
    const double value = static_cast<double>(mix(seed * 77 + i)) / static_cast<double>(1 + i * 3);
    std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
  }
  return data;
}

TEST_P(Tasks, LeaveABarrierOnlyAfterAllHaveCome) {
  Job job(options(GetParam()));
  constexpr int kRounds = 4;
  std::vector<std::array<Cycles, kRounds>> in(GetParam());
  std::vector<std::array<Cycles, kRounds>> out(GetParam());
  EXPECT_EQ(
      run(job,
          [&](Context& context) {
            Group group = world(context);
            const std::uint32_t own = context.task().value;
            for (int round = 0; round < kRounds; ++round) {
              context.device().compute(mix(own * 10 + static_cast<std::uint64_t>(round)) % 20'000);
              in[own][static_cast<std::size_t>(round)] = context.now();
              require(group.barrier(context.now() + kPatience), "barrier");
              out[own][static_cast<std::size_t>(round)] = context.now();
            }
          }),
      "");
  for (std::size_t round = 0; round < kRounds; ++round) {
    Cycles last_in = 0;
    Cycles first_out = kNever;
    for (std::size_t t = 0; t < GetParam(); ++t) {
      last_in = std::max(last_in, in[t][round]);
      first_out = std::min(first_out, out[t][round]);
    }
    EXPECT_LE(last_in, first_out) << "round " << round;
  }
}

TEST_P(Tasks, AllGetWhatAnyRootBroadcasts) {
  Job job(options(GetParam()));
  EXPECT_EQ(run(job,
                [](Context& context) {
                  Group group = world(context);
                  for (std::uint32_t root = 0; root < group.size(); root += 3) {
                    for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{3000}}) {
                      const auto data = pattern(root * 7 + bytes, bytes);
                      const bool is_root = group.rank() == root;
                      const Address buffer =
                          put_into_heap(context, is_root ? data : pattern(1234, bytes));
                      require(group.broadcast(root, buffer, bytes, context.now() + kPatience),
                              "broadcast");
                      check(get_from(context, buffer, bytes) == data, "bytes");
                    }
                  }
                  check(group.broadcast(group.size(), 0, 0, 0) == Errc::kBadArgument, "root");
                }),
            "");
}

TEST_P(Tasks, ReduceInTheDocumentedOrder) {
  Job job(options(GetParam()));
  EXPECT_EQ(run(job,
                [](Context& context) {
                  Group group = world(context);
                  constexpr std::size_t kCount = 5;
                  for (std::uint32_t root = 0; root < group.size(); root += 4) {
                    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax}) {
                      std::vector<std::vector<std::byte>> operands;
                      for (std::uint32_t t = 0; t < group.size(); ++t)
                        operands.push_back(doubles(t + 1, kCount));
                      const Address in = put_into_heap(context, operands[group.rank()]);
                      const Address out = put_into_heap(context, pattern(5, kCount * 8));
                      require(group.reduce(root, op, DataType::kF64, kCount, in, out,
                                           context.now() + kPatience),
                              "reduce");
                      const auto result = get_from(context, out, kCount * 8);
                      const auto expected =
                          group.rank() == root ? reduce_in_order(op, DataType::kF64, root, operands)
                                               : pattern(5, kCount * 8);
                      check(result == expected, "result");
                    }
                  }
                }),
            "");
}

TEST_P(Tasks, AllreduceInTheDocumentedOrderEverywhere) {
  Job job(options(GetParam()));
  EXPECT_EQ(run(job,
                [](Context& context) {
                  Group group = world(context);
                  for (const std::size_t count : {std::size_t{1}, std::size_t{100}}) {
                    for (const ReduceOp op :
                         {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax}) {
                      std::vector<std::vector<std::byte>> operands;
                      for (std::uint32_t t = 0; t < group.size(); ++t)
                        operands.push_back(doubles(t + 1, count));
                      const Address buffer = put_into_heap(context, operands[group.rank()]);
                      require(group.allreduce(op, DataType::kF64, count, buffer, buffer,
                                              context.now() + kPatience),
                              "allreduce");
                      check(get_from(context, buffer, count * 8) ==
                                allreduce_in_order(op, DataType::kF64, operands),
                            "result");
                    }
                  }
                }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Of, Tasks, ::testing::Range(1U, 28U));

TEST(Reductions, OfEveryTypeAndOperationAreRight) {
  const auto as_bytes = [](auto value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  };
  const auto result = [](ReduceOp op, DataType type, std::vector<std::byte> a,
                         const std::vector<std::byte>& b) {
    combine(op, type, a, b);
    return a;
  };
  using enum ReduceOp;
  using enum DataType;
  EXPECT_EQ(result(kSum, kF64, as_bytes(1.5), as_bytes(2.25)), as_bytes(3.75));
  EXPECT_EQ(result(kProd, kF32, as_bytes(1.5F), as_bytes(4.0F)), as_bytes(6.0F));
  EXPECT_EQ(result(kMin, kF64, as_bytes(-1.0), as_bytes(2.0)), as_bytes(-1.0));
  EXPECT_EQ(result(kMax, kF32, as_bytes(-1.0F), as_bytes(2.0F)), as_bytes(2.0F));
  EXPECT_EQ(result(kSum, kI64, as_bytes(INT64_MAX), as_bytes(INT64_C(1))), as_bytes(INT64_MIN));
  EXPECT_EQ(result(kProd, kI64, as_bytes(INT64_C(-3)), as_bytes(INT64_C(5))),
            as_bytes(INT64_C(-15)));
  EXPECT_EQ(result(kMin, kI32, as_bytes(INT32_C(-3)), as_bytes(INT32_C(5))), as_bytes(INT32_C(-3)));
  EXPECT_EQ(result(kProd, kI32, as_bytes(INT32_MIN), as_bytes(INT32_C(-1))), as_bytes(INT32_MIN));
  EXPECT_EQ(result(kMax, kU8, as_bytes(std::uint8_t{200}), as_bytes(std::uint8_t{3})),
            as_bytes(std::uint8_t{200}));
  EXPECT_EQ(result(kSum, kU8, as_bytes(std::uint8_t{200}), as_bytes(std::uint8_t{100})),
            as_bytes(std::uint8_t{44}));
}

TEST(Groups, OfSomeTasksWorkBesideEachOther) {
  JobOptions options;
  options.machine.shape = {3, 3, 1};
  options.context.eager_limit = 0;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    // Odd and even tasks, backwards, and then all.
    std::vector<Task> half;
    std::vector<Task> all;
    for (std::uint32_t t = context.tasks(); t-- > 0;) {
      all.push_back({t});
      if (t % 2 == context.task().value % 2) half.push_back({t});
    }
    Group mine(context, half, 1 + context.task().value % 2);
    Group everyone(context, all, 3);
    for (int round = 0; round < 3; ++round) {
      for (Group* group : {&mine, &everyone}) {
        const std::int64_t one = context.task().value;
        std::vector<std::byte> data(8);
        std::memcpy(data.data(), &one, 8);
        const Address in = put_into_heap(context, data);
        require(
            group->allreduce(ReduceOp::kSum, DataType::kI64, 1, in, in, context.now() + kPatience),
            "allreduce");
        std::int64_t sum = 0;
        const auto result = get_from(context, in, 8);
        std::memcpy(&sum, result.data(), 8);
        const std::int64_t expected = group == &everyone ? 36 : one % 2 == 0 ? 20 : 16;
        check(sum == expected, "sum " + std::to_string(sum));
      }
    }
  }),
            "");
}

TEST(Groups, AreNotHeardByReceivesOfAnyTag) {
  JobOptions options;
  options.machine.shape = {3, 1, 1};
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    Group group(context, {{0}, {1}, {2}}, 1);
    const Address buffer = require(context.take_heap(64), "heap");
    const auto any = require(context.receive(kAnyTask, kAnyTag, buffer, 64), "receive");
    require(group.barrier(context.now() + kPatience), "barrier");
    const Address data = put_into_heap(context, pattern(context.task().value, 8));
    require(group.broadcast(1, data, 8, context.now() + kPatience), "broadcast");
    check(context.cancel(any), "matched a message of the library's own");
  }),
            "");
}

TEST(Groups, EndAtTheDeadlineWhenAMemberStaysAway) {
  JobOptions options;
  options.machine.shape = {3, 1, 1};
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    Group group(context, {{0}, {1}, {2}}, 1);
    if (context.task().value == 2) return;
    check(group.barrier(context.now() + 50'000) == Errc::kDeadline, "no deadline");
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing
