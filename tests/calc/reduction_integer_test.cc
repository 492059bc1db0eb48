// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "Vmu_reduction_integer.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr Reduction kOperations[] = {Reduction::kSum, Reduction::kLand, Reduction::kBand,
                                     Reduction::kLor, Reduction::kBor,  Reduction::kLxor,
                                     Reduction::kBxor};

class ReductionInteger : public ::testing::Test {
 protected:
  std::uint64_t reduce(Reduction operation, unsigned bits, std::uint64_t left,
                       std::uint64_t right) {
    integer_.operation_i = static_cast<std::uint8_t>(operation);
    integer_.size_log2_i = static_cast<std::uint8_t>(std::countr_zero(bits / 8));
    integer_.left_i = left;
    integer_.right_i = right;
    integer_.eval();
    return integer_.result_o;
  }

  Vmu_reduction_integer integer_;
};

TEST_F(ReductionInteger, AgreesWithTheReferenceModel) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 200000; ++i) {
    const Reduction operation = kOperations[random.below(7)];
    constexpr Element kIntegers[] = {Element::kI8,  Element::kU8,  Element::kI16, Element::kU16,
                                     Element::kI32, Element::kU32, Element::kI64, Element::kU64};
    const Element element = kIntegers[random.below(8)];
    const auto [left, right] = beats(random, operation, element);
    model::Beat expected{};
    ASSERT_EQ(model::reduce(operation, element, left, right, &expected), Status::kOk);
    ASSERT_EQ(reduce(operation, model::bits_of_element(element), left[0], right[0]), expected[0])
        << name_of(operation) << " " << name_of(element) << std::hex << " " << left[0] << " "
        << right[0];
  }
}

TEST_F(ReductionInteger, TakesAnyOtherOperationForABitWiseExclusiveOr) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (unsigned number = 0; number < 16; ++number) {
    const auto operation = static_cast<Reduction>(number);
    if (std::ranges::find(kOperations, operation) != std::end(kOperations)) continue;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t left = random.bits64(), right = random.bits64();
      ASSERT_EQ(reduce(operation, 8U << random.below(4), left, right), left ^ right) << number;
    }
  }
}

TEST_F(ReductionInteger, CarriesWithinAnElementAndNoFurther) {
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (unsigned at = 0; at < 64; at += bits) {
      for (unsigned from = at; from < at + bits; ++from) {
        const std::uint64_t ones = ~0ULL >> (64 - bits) << at;
        EXPECT_EQ(reduce(Reduction::kSum, bits, ones, 1ULL << from), ones & ~(~0ULL << from))
            << bits << " " << from;
      }
    }
  }
}

TEST_F(ReductionInteger, TakesAnyBitForTrue) {
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const std::uint64_t one = 1ULL << bit, yes = 1ULL << bit / bits * bits;
      EXPECT_EQ(reduce(Reduction::kLor, bits, one, 0), yes) << bits << " " << bit;
      EXPECT_EQ(reduce(Reduction::kLor, bits, 0, one), yes) << bits << " " << bit;
      EXPECT_EQ(reduce(Reduction::kLand, bits, one, 1), bit < bits ? 1U : 0U) << bits << " " << bit;
      EXPECT_EQ(reduce(Reduction::kLxor, bits, one, 1), bit < bits ? 0U : yes | 1) << bit;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
