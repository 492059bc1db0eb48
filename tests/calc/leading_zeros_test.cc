// SPDX-License-Identifier: Apache-2.0
// model: Vmu_leading_zeros_54 mu_leading_zeros -GWIDTH=54
// model: Vmu_leading_zeros_16 mu_leading_zeros -GWIDTH=16

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vmu_leading_zeros.h"
#include "Vmu_leading_zeros_16.h"
#include "Vmu_leading_zeros_54.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename Model>
unsigned zeros_of(Model& counter, std::uint64_t number) {
  counter.valid_i = 1;
  set(counter.number_i, number);
  counter.eval();
  return counter.zeros_o;
}

template <typename Model>
void count_above_the_leading_one(unsigned width) {
  Random random;
  SCOPED_TRACE(random.replay());
  Model counter;
  for (unsigned zeros = 0; zeros < width; ++zeros) {
    const std::uint64_t one = 1ULL << (width - 1 - zeros);
    EXPECT_EQ(zeros_of(counter, one), zeros);
    EXPECT_EQ(zeros_of(counter, one | (one - 1)), zeros);
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(zeros_of(counter, one | (random.bits64() & (one - 1))), zeros);
    }
  }
}

TEST(LeadingZeros, CountsThoseAboveTheLeadingOneWhateverIsBelow) {
  count_above_the_leading_one<Vmu_leading_zeros>(57);
  count_above_the_leading_one<Vmu_leading_zeros_54>(54);
}

TEST(LeadingZeros, CountsTheWidthOfZeroAsFarAsItsBitsGo) {
  Vmu_leading_zeros counter;
  EXPECT_EQ(zeros_of(counter, 0), 57U);
  Vmu_leading_zeros_54 other;
  EXPECT_EQ(zeros_of(other, 0), 54U);
  Vmu_leading_zeros_16 small;
  EXPECT_EQ(zeros_of(small, 0), 15U);
}

TEST(LeadingZeros, CountsInEveryNumberOf16Bits) {
  Vmu_leading_zeros_16 counter;
  for (std::uint32_t number = 1; number < 65536; ++number) {
    ASSERT_EQ(zeros_of(counter, number), std::countl_zero(static_cast<std::uint16_t>(number)));
  }
}

TEST(LeadingZeros, SaysNothingWhileNothingIsCounted) {
  Vmu_leading_zeros counter;
  zeros_of(counter, 1);
  counter.valid_i = 0;
  counter.eval();
  EXPECT_EQ(counter.zeros_o, 0U);
}

}  // namespace
}  // namespace torusmu::testing
