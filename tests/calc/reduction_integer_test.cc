// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
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
  std::uint64_t reduce(Reduction operation, bool wide, std::uint64_t left, std::uint64_t right) {
    integer_.operation_i = static_cast<std::uint8_t>(operation);
    integer_.wide_i = wide;
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
    const auto element = static_cast<Element>(random.below(4));
    const auto [left, right] = beats(random, operation, element);
    model::Beat expected{};
    ASSERT_EQ(model::reduce(operation, element, left, right, &expected), Status::kOk);
    ASSERT_EQ(reduce(operation, model::bits_of_element(element) == 64, left[0], right[0]),
              expected[0])
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
      ASSERT_EQ(reduce(operation, random.chance(50), left, right), left ^ right) << number;
    }
  }
}

TEST_F(ReductionInteger, CarriesBetweenHalvesOnlyOfWideElements) {
  EXPECT_EQ(reduce(Reduction::kSum, true, 0xFFFFFFFF, 1), 0x100000000U);
  EXPECT_EQ(reduce(Reduction::kSum, false, 0xFFFFFFFF, 1), 0U);
}

TEST_F(ReductionInteger, TakesAnyBitForTrue) {
  EXPECT_EQ(reduce(Reduction::kLand, true, 1ULL << 63, 1), 1U);
  EXPECT_EQ(reduce(Reduction::kLand, false, 1ULL << 63, 1), 0U);
  EXPECT_EQ(reduce(Reduction::kLxor, false, 0x0000000200000002, 0x0000000400000000), 1U);
  EXPECT_EQ(reduce(Reduction::kLor, false, 0x8000000000000000, 0), 0x0000000100000000U);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = 1ULL << bit, half = bit < 32 ? 1 : 1ULL << 32;
    EXPECT_EQ(reduce(Reduction::kLor, true, one, 0), 1U) << bit;
    EXPECT_EQ(reduce(Reduction::kLor, true, 0, one), 1U) << bit;
    EXPECT_EQ(reduce(Reduction::kLor, false, one, 0), half) << bit;
    EXPECT_EQ(reduce(Reduction::kLor, false, 0, one), half) << bit;
  }
}

}  // namespace
}  // namespace torusmu::testing
