// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_reduction_extreme.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using Pair = std::array<std::uint64_t, 2>;

torusmu::FloatFormat format_number(Element element) {
  switch (element) {
    case Element::kF32:
      return torusmu::FloatFormat::kBinary32;
    case Element::kF16:
      return torusmu::FloatFormat::kBinary16;
    case Element::kBf16:
      return torusmu::FloatFormat::kBfloat16;
    default:
      return torusmu::FloatFormat::kBinary64;
  }
}

class ReductionExtreme : public ::testing::Test {
 protected:
  std::uint64_t lane(Reduction operation, Element element, std::uint64_t left,
                     std::uint64_t right) {
    extreme_.operation_i = static_cast<std::uint8_t>(operation);
    extreme_.valid_i = 1;
    extreme_.size_log2_i =
        static_cast<std::uint8_t>(std::countr_zero(model::bits_of_element(element) / 8));
    extreme_.float_i = model::is_float(element);
    extreme_.format_i = static_cast<std::uint8_t>(format_number(element));
    extreme_.signed_i = name_of(element).starts_with('I');
    extreme_.left_i = left;
    extreme_.right_i = right;
    extreme_.eval();
    return extreme_.result_o;
  }
  // Two lanes from this one on, of which the second is told what the first says.
  Pair reduce(Reduction operation, Element element, const Pair& left, const Pair& right,
              std::uint8_t first = 0) {
    extreme_.word_i = first;
    const std::uint64_t value = lane(operation, element, left[0], right[0]);
    extreme_.value_right_wins_i = extreme_.right_wins_o;
    extreme_.value_tie_i = extreme_.tie_o;
    extreme_.word_i = static_cast<std::uint8_t>(first + 1);
    return {value, lane(operation, element, left[1], right[1])};
  }

  Vmu_reduction_extreme extreme_;
};

constexpr std::uint64_t kOne = 0x3FF0000000000000;
constexpr std::uint64_t kNan = 0x7FF8000000000000;

TEST_F(ReductionExtreme, AgreesWithTheReferenceModel) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 200000; ++i) {
    constexpr Reduction kOperations[] = {Reduction::kMax, Reduction::kMin, Reduction::kMaxloc,
                                         Reduction::kMinloc, Reduction::kMinmaxloc};
    const Reduction operation = kOperations[random.below(5)];
    const auto element = static_cast<Element>(random.below(kElements));
    const std::uint8_t first = random.chance(50) ? 2 : 0;
    const auto [left, right] = beats(random, operation, element);
    model::Beat expected{};
    ASSERT_EQ(model::reduce(operation, element, left, right, &expected), Status::kOk);
    const Pair result = reduce(operation, element, {left[first], left[first + 1]},
                               {right[first], right[first + 1]}, first);
    ASSERT_EQ(result, (Pair{expected[first], expected[first + 1]}))
        << name_of(operation) << " " << name_of(element) << " " << +first << std::hex << " "
        << left[first] << "," << left[first + 1] << " " << right[first] << "," << right[first + 1];
  }
}

TEST_F(ReductionExtreme, TakesTheLowerIndexOnATie) {
  for (const Reduction operation : {Reduction::kMaxloc, Reduction::kMinloc}) {
    EXPECT_EQ(reduce(operation, Element::kF64, {kOne, 7}, {kOne, 5}), (Pair{kOne, 5}));
    EXPECT_EQ(reduce(operation, Element::kI64, {9, 5}, {9, 7}), (Pair{9, 5}));
    EXPECT_EQ(reduce(operation, Element::kU32, {0x0000000700000001, 0x0000000300000001},
                     {0x0000000500000001, 0x0000000400000001}),
              (Pair{0x0000000500000001, 0x0000000300000001}));
  }
}

TEST_F(ReductionExtreme, TakesIndexesForUnsigned) {
  EXPECT_EQ(reduce(Reduction::kMaxloc, Element::kI64, {9, ~0ULL}, {9, 1}), (Pair{9, 1}));
}

TEST_F(ReductionExtreme, TakesTheIndexOfTheValueThatWins) {
  EXPECT_EQ(reduce(Reduction::kMaxloc, Element::kI64, {9, 3}, {10, 8}), (Pair{10, 8}));
  EXPECT_EQ(reduce(Reduction::kMinloc, Element::kI64, {9, 8}, {10, 3}), (Pair{9, 8}));
}

TEST_F(ReductionExtreme, TakesTheSmallerAndTheLargerInTurn) {
  EXPECT_EQ(reduce(Reduction::kMinmaxloc, Element::kI64, {9, 3}, {10, 8}, 0), (Pair{9, 3}));
  EXPECT_EQ(reduce(Reduction::kMinmaxloc, Element::kI64, {9, 3}, {10, 8}, 2), (Pair{10, 8}));
  // Indexes 1 and 2 behind values 7 and 5: smaller, larger, smaller, larger.
  EXPECT_EQ(lane(Reduction::kMinmaxloc, Element::kU8, 0x01'07'01'07'01'07'01'07,
                 0x02'05'02'05'02'05'02'05),
            0x01'07'02'05'01'07'02'05U);
}

TEST_F(ReductionExtreme, MakesEveryNanTheSame) {
  EXPECT_EQ(reduce(Reduction::kMin, Element::kF64, {0xFFF0000000000001, kOne}, {kOne, ~0ULL}),
            (Pair{kNan, kNan}));
  EXPECT_EQ(reduce(Reduction::kMinloc, Element::kF64, {~0ULL, 9}, {0x7FF0000000000001, 4}),
            (Pair{kNan, 4}));
}

TEST_F(ReductionExtreme, LeavesIndexesThatLookLikeNanAlone) {
  EXPECT_EQ(reduce(Reduction::kMinloc, Element::kF64, {kOne, ~0ULL}, {kNan - 1, ~0ULL - 1}),
            (Pair{kNan, ~0ULL - 1}));
}

TEST_F(ReductionExtreme, GivesZeroWhileNothingIsAsked) {
  for (unsigned element = 0; element < 12; ++element) {
    lane(Reduction::kMax, static_cast<Element>(element), ~0ULL, kNan);
    extreme_.valid_i = 0;
    extreme_.eval();
    EXPECT_EQ(extreme_.result_o, 0U) << element;
    EXPECT_FALSE(extreme_.right_wins_o || extreme_.tie_o) << element;
  }
}

}  // namespace
}  // namespace torusmu::testing
