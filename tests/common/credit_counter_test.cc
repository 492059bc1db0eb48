// SPDX-License-Identifier: Apache-2.0
// verilator: -GMAX=6

#include <gtest/gtest.h>

#include "Vmu_credit_counter.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kMax = 6;

TEST(CreditCounter, StartsWithAllPlacesFree) {
  Clocked<Vmu_credit_counter> credits;
  EXPECT_EQ(credits->count_o, kMax);
  EXPECT_TRUE(credits->available_o);
}

TEST(CreditCounter, PlacesTakenAndCreditsSumToMaxUnderRandomTraffic) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_credit_counter> credits(random.seed());
  unsigned taken = 0;
  unsigned empty_cycles = 0;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    credits->take_i = taken < kMax && random.chance(60);
    credits->return_i = (taken > 0 || credits->take_i) && random.chance(50);
    taken = taken + credits->take_i - credits->return_i;
    credits.tick();
    ASSERT_EQ(credits->count_o + taken, kMax) << "cycle " << cycle;
    ASSERT_EQ(credits->available_o, taken < kMax) << "cycle " << cycle;
    empty_cycles += taken == kMax ? 1 : 0;
  }
  EXPECT_GT(empty_cycles, 100U);
}

TEST(CreditCounter, ReportsATakeWithoutCredit) {
  Clocked<Vmu_credit_counter> credits;
  credits->take_i = 1;
  for (unsigned i = 0; i < kMax; ++i) credits.tick();
  EXPECT_FALSE(credits->available_o);
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

TEST(CreditCounter, ReportsAReturnThatWasNotTaken) {
  Clocked<Vmu_credit_counter> credits;
  credits->return_i = 1;
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
