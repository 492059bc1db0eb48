// SPDX-License-Identifier: Apache-2.0
// Schedules of collectives without a machine: what schedule.h promises of every schedule, and that
// any order of steps that it allows gives the right bytes.
#include "host/src/schedule.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <tuple>

#include "tests/host/schedule_runner.h"

namespace torusmu::testing {
namespace {

class Schedules : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  // Calls check(call, operator, algorithm) for every root, in place and not.
  template <typename Check>
  static void for_each(const std::vector<std::uint64_t>& counts, Check check) {
    for (const Collective what : kCollectives) {
      for (const bool commutes : {true, false}) {
        if (!commutes && !reduces(what)) continue;
        const Operator op = commutes ? Operator(ReduceOp::kSum, DataType::kF64) : composition();
        for (const std::uint64_t count : counts) {
          for (const std::uint32_t root : roots_of(what, GetParam())) {
            for (const bool in_place : {false, true}) {
              const Call call{.what = what,
                              .root = root,
                              .count = count,
                              .element = reduces(what) ? Bytes{8} : Bytes{1},
                              .commutative = commutes,
                              .in_place = in_place};
              for (const Algorithm algorithm : algorithms_of(call)) {
                SCOPED_TRACE(describe(call, algorithm, GetParam()));
                check(call, op, algorithm);
                if (::testing::Test::HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
};

TEST_P(Schedules, GiveTheRightBytesInAnyOrderOfSteps) {
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t n = GetParam();
  for_each({0, 1, 7, n - 1, n, 3 * n + 2},
           [&](const Call& call, const Operator& op, Algorithm algorithm) {
             expect_right(call, op, algorithm, GetParam(), random);
           });
}

TEST_P(Schedules, NeverTouchBytesThatAnotherStepMayBeWriting) {
  for_each({2 * GetParam() + 1}, [](const Call& call, const Operator&, Algorithm algorithm) {
    const auto schedules = compile_all(call, algorithm, GetParam());
    const Steps steps(schedules);
    if (!::testing::Test::HasFailure()) expect_no_races(steps);
  });
}

TEST_P(Schedules, EndABarrierOnlyWhenAllMembersHaveBegun) {
  const std::uint32_t n = GetParam();
  for (const Algorithm algorithm : algorithms_of({.what = Collective::kBarrier})) {
    expect_all_heard_from(compile_all({.what = Collective::kBarrier}, algorithm, n));
  }
}

// By the collective itself, or by what follows it. Of a vector of one element most blocks are
// empty.
TEST_P(Schedules, LeaveNoMemberBehindWhenTheMuRunsThem) {
  for_each({1, GetParam()}, [](const Call& call, const Operator&, Algorithm algorithm) {
    for (const bool in_turn : {false, true}) {
      const auto schedules = run_by_mu(call, algorithm, GetParam(), in_turn);
      if (!schedules.empty()) expect_all_heard_from(schedules);
    }
  });
}

// So that one counter can count them all. Messages of one member come in their order anyway.
TEST_P(Schedules, SendNothingOfABatchBeforeThoseBelowHaveComeIfTakenInTurn) {
  for_each({1, GetParam()}, [](const Call& call, const Operator&, Algorithm algorithm) {
    const auto schedules = run_by_mu(call, algorithm, GetParam(), true);
    if (schedules.empty()) return;
    const Steps steps(schedules);
    const auto before = all_before(steps);
    for (std::size_t late = 0; late < steps.size(); ++late) {
      if (steps.step(late).kind != Step::Kind::kReceive) continue;
      for (std::size_t early = 0; early < steps.size(); ++early) {
        if (steps.member(early) != steps.member(late) ||
            steps.step(early).kind != Step::Kind::kReceive ||
            steps.step(early).batch >= steps.step(late).batch ||
            (steps.step(early).member == steps.step(late).member &&
             steps.step(early).number < steps.step(late).number)) {
          continue;
        }
        ASSERT_TRUE(before[steps.send_of(late)].test(early))
            << "at member " << steps.member(late) << ", batches " << steps.step(early).batch
            << " and " << steps.step(late).batch;
      }
    }
  });
}

TEST_P(Schedules, TakeNoMoreScratchThanCollectivesPromise) {
  constexpr Bytes kLine = 64;
  const std::uint64_t n = GetParam();
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(n - 1));
  for_each({1, 63, 20'000}, [&](const Call& call, const Operator&, Algorithm) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Schedule schedule =
          compile(as_made_by(call, rank), choose(call, GetParam()), GetParam(), rank);
      const Bytes piece = (call.count * call.element + kLine - 1) / kLine * kLine;
      const bool whole = call.what == Collective::kReduce || call.what == Collective::kAllreduce;
      const std::uint64_t pieces = whole ? 1 + rounds
                                   : call.what == Collective::kAlltoall
                                       ? n * std::max<std::uint64_t>(rounds, 1)
                                       : n;
      ASSERT_LE(schedule.scratch_bytes, pieces * piece);
    }
  });
}

// The same messages, whoever of the members has its input in its output.
TEST_P(Schedules, HaveTheSameMessagesInPlace) {
  for_each({5}, [](const Call& call, const Operator&, Algorithm algorithm) {
    Call other = call;
    other.in_place = !call.in_place;
    for (std::uint32_t rank = 0; rank < GetParam(); ++rank) {
      const auto messages = [&](const Call& made) {
        std::vector<std::tuple<Step::Kind, std::uint32_t, std::uint32_t, Bytes>> list;
        for (const Step& step :
             compile(as_made_by(made, rank), algorithm, GetParam(), rank).steps) {
          if (step.kind == Step::Kind::kSend || step.kind == Step::Kind::kReceive) {
            list.emplace_back(step.kind, step.member, step.number,
                              std::max(step.first.bytes, step.to.bytes));
          }
        }
        return list;
      };
      ASSERT_EQ(messages(call), messages(other));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Schedules,
                         ::testing::Values(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 16U, 27U));

TEST(Chains, PassSegmentsOn) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const Bytes bytes :
       {kChainSegment - 1, kChainSegment, kChainSegment + 1, 3 * kChainSegment}) {
    const Call call{.what = Collective::kBroadcast, .root = 2, .count = bytes};
    expect_right(call, {ReduceOp::kBor, DataType::kU8}, Algorithm::kChain, 5, random);
    const Schedule last = compile(call, Algorithm::kChain, 5, 1);
    EXPECT_EQ(last.steps.size(), (bytes + kChainSegment - 1) / kChainSegment);
  }
}

TEST(LargeGroups, OfSixtyFourAndMoreAreRight) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const std::uint32_t members : {64U, 100U}) {
    for (const Collective what : kCollectives) {
      const Call call{.what = what,
                      .root = has_root(what) ? 37U : 0U,
                      .count = 130,
                      .element = reduces(what) ? Bytes{8} : Bytes{1}};
      for (const Algorithm algorithm : algorithms_of(call)) {
        SCOPED_TRACE(describe(call, algorithm, members));
        expect_right(call, {ReduceOp::kSum, DataType::kF64}, algorithm, members, random);
      }
    }
  }
}

// Sums of integers do not depend on any order: all orders are sums of all operands.
TEST(Orders, OfIntegerSumsAreAllTheSum) {
  const Operator sum(ReduceOp::kSum, DataType::kI64);
  for (std::uint32_t n = 1; n <= 17; ++n) {
    Operands operands;
    std::vector<std::uint64_t> expected(n + 3);
    for (std::uint32_t member = 0; member < n; ++member) {
      operands.push_back(noise(member, expected.size() * 8));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, &operands.back()[8 * i], 8);
        expected[i] += value;
      }
    }
    Data result(expected.size() * 8);
    std::memcpy(result.data(), expected.data(), result.size());
    EXPECT_EQ(tree_order(sum, n / 2, operands), result);
    EXPECT_EQ(doubling_order(sum, operands), result);
    EXPECT_EQ(ring_order(sum, operands), result);
    EXPECT_EQ(rising_order(sum, operands), result);
  }
}

// Else a test with doubles could not tell one order from another.
TEST(Orders, DifferInTheBitsOfDoubles) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  Operands operands;
  for (std::uint32_t member = 0; member < 7; ++member) operands.push_back(doubles(member, 40));
  const std::vector<Data> results{tree_order(sum, 5, operands), tree_order(sum, 3, operands),
                                  doubling_order(sum, operands), ring_order(sum, operands),
                                  rising_order(sum, operands)};
  for (std::size_t a = 0; a < results.size(); ++a) {
    for (std::size_t b = a + 1; b < results.size(); ++b) EXPECT_NE(results[a], results[b]);
  }
}

TEST(Choice, ChangesExactlyAtTheRulesOfTheTable) {
  for (const AlgorithmRule& rule : algorithm_rules()) {
    if (rule.longer == rule.shorter) continue;
    for (const std::uint32_t members : {1U, 2U, 3U, 8U, 27U, 32U, 33U, 64U}) {
      const bool few = members <= rule.few;
      const Bytes least = std::max(rule.least_bytes, rule.least_share * members);
      Call call{.what = rule.what, .count = least - 1};
      EXPECT_EQ(choose(call, members), few ? rule.longer : rule.shorter) << name_of(rule.what);
      call.count = least;
      EXPECT_EQ(choose(call, members), rule.longer) << name_of(rule.what);
      call.commutative = false;
      EXPECT_EQ(choose(call, members), rule.longer_commutes ? rule.shorter : rule.longer)
          << name_of(rule.what);
    }
  }
}

TEST(Calls, AreRefusedIfTheirRootOrLengthIsOutOfRange) {
  EXPECT_TRUE(is_sound({.what = Collective::kReduce, .root = 4, .count = 1}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kReduce, .root = 5, .count = 1}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kAllreduce, .count = 1, .element = 0}, 5));
  // Sums of bytes that would wrap around.
  const std::uint64_t huge = ~std::uint64_t{0} / 8 + 2;
  EXPECT_FALSE(is_sound({.what = Collective::kAllreduce, .count = huge, .element = 8}, 5));
  EXPECT_TRUE(is_sound({.what = Collective::kAllreduce, .count = kMostCallBytes}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kAlltoall, .count = kMostCallBytes}, 5));
  EXPECT_TRUE(is_sound({.what = Collective::kAlltoall, .count = kMostCallBytes / 5}, 5));
}

}  // namespace
}  // namespace torusmu::testing
