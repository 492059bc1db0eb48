// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vmu_calc_span.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kStrideMask = (1ULL << 40) - 1;
constexpr std::uint64_t kLimit = 1ULL << 38;

class CalcSpan : public ::testing::Test {
 protected:
  // Runs one product and compares it with that of the processor.
  void judge(std::uint64_t steps, std::int64_t stride) {
    span_->steps_i = steps;
    span_->stride_i = static_cast<std::uint64_t>(stride) & kStrideMask;
    span_->start_i = 1;
    span_.tick();
    span_->start_i = 0;
    span_->steps_i = random_.bits64() >> 29;
    span_->stride_i = random_.bits64() & kStrideMask;
    int cycles = 0;
    for (span_.settle(); span_->busy_o && cycles < 99; span_.tick()) ++cycles;
    EXPECT_EQ(cycles, std::bit_width(steps));
    const __int128 product = static_cast<__int128>(steps) * (stride < 0 ? -stride : stride);
    ASSERT_EQ(span_->over_o, product >= kLimit) << steps << " " << stride;
    if (product < kLimit) {
      ASSERT_EQ(span_->span_o, static_cast<std::uint64_t>(product));
    }
  }

  void judge_any() {
    const std::uint64_t steps = (random_.bits64() >> 27) >> random_.below(37);
    const auto magnitude = static_cast<std::int64_t>((random_.bits64() >> 25) >> random_.below(40));
    judge(steps, random_.chance(50) ? magnitude : -magnitude);
  }

  Random random_;
  Clocked<Vmu_calc_span> span_{random_.seed()};
};

TEST_F(CalcSpan, MultipliesBothSigns) {
  judge(0, 0);
  judge(0, -1);
  judge(1, 0);
  judge(1, 8);
  judge(1, -8);
  judge(1023, -8);
  judge((1ULL << 37) - 1, 8);
  judge((1ULL << 37) - 1, 7);
}

TEST_F(CalcSpan, SeesEveryProductThatIsTooLarge) {
  judge(1, static_cast<std::int64_t>(kLimit) - 1);
  judge(1, static_cast<std::int64_t>(kLimit));
  judge(1, -static_cast<std::int64_t>(kLimit));
  judge(1, -(1LL << 39));
  judge(2, 1LL << 37);
  judge((1ULL << 37) - 1, (1LL << 39) - 1);
  judge(1ULL << 36, 1LL << 39 >> 1);
}

TEST_F(CalcSpan, AgreesWithTheProcessor) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 5000 && !HasFatalFailure(); ++i) judge_any();
}

TEST_F(CalcSpan, KeepsTheProductUntilTheNextStart) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 200 && !HasFatalFailure(); ++i) {
    judge_any();
    const std::uint64_t product = span_->span_o;
    const bool over = span_->over_o;
    for (int cycle = 0; cycle < 5; ++cycle) {
      span_.tick();
      ASSERT_FALSE(span_->busy_o);
      ASSERT_EQ(span_->span_o, product);
      ASSERT_EQ(span_->over_o, over);
    }
  }
}

TEST_F(CalcSpan, SeesThatALaterAddendIsTooLarge) {
  // The first addend fits, the second does not, the third adds nothing to it that is seen.
  judge(0b111, 1LL << 37);
  judge(0b1001, 1LL << 37);
  judge(0b10001, 1LL << 38);
}

TEST_F(CalcSpan, IsNotBusyAfterAReset) {
  for (unsigned bit = 0; bit < 37; ++bit) {
    span_->steps_i = 1ULL << bit;
    span_->start_i = 1;
    span_.tick();
    span_->start_i = 0;
    span_.settle();
    ASSERT_TRUE(span_->busy_o);
    span_.reset(1);
    ASSERT_FALSE(span_->busy_o) << "bit " << bit;
  }
}

TEST_F(CalcSpan, BeginsAnewWhenStartedWhileBusy) {
  span_->steps_i = (1ULL << 37) - 1;
  span_->stride_i = kStrideMask >> 1;
  span_->start_i = 1;
  span_.tick();
  span_->start_i = 0;
  for (int cycle = 0; cycle < 10; ++cycle) span_.tick();
  judge(5, 8);
}

}  // namespace
}  // namespace torusmu::testing
