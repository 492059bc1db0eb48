// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>

#include "Vmu_router_credits.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(RouterCredits, LetAPacketGoOnWithOnePlaceAndEnterWithTwo) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_credits> credits(random.seed());
  std::array<unsigned, 6> free;
  free.fill(6);
  for (int cycle = 0; cycle < 4000; ++cycle) {
    for (unsigned d = 0; d < 6; ++d) {
      ASSERT_EQ(credits->go_on_o >> d & 1, free[d] >= 1) << "cycle " << cycle;
      ASSERT_EQ(credits->enter_o >> d & 1, free[d] >= 2) << "cycle " << cycle;
    }
    unsigned take = 0;
    unsigned back = 0;
    const unsigned percent = cycle / 50 % 2 == 0 ? 70 : 30;
    for (unsigned d = 0; d < 6; ++d) {
      const bool takes = free[d] > 0 && random.chance(percent);
      const bool returns = free[d] < 6 && random.chance(100 - percent);
      take |= (takes ? 1U : 0U) << d;
      back |= (returns ? 1U : 0U) << d;
      free[d] = free[d] + returns - takes;
    }
    credits->take_i = static_cast<CData>(take);
    credits->return_i = static_cast<CData>(back);
    credits.tick();
  }
}

TEST(RouterCredits, SeeATakeWithoutCreditAsAnError) {
  Clocked<Vmu_router_credits> credits;
  credits->take_i = 4;
  for (int i = 0; i < 6; ++i) credits.tick();
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

TEST(RouterCredits, SeeAReturnOfWhatWasNotTakenAsAnError) {
  Clocked<Vmu_router_credits> credits;
  credits->return_i = 1;
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
