// SPDX-License-Identifier: Apache-2.0
// model: Vmu_router_credits_twelve mu_router_credits -GCREDITS=12

#include <gtest/gtest.h>

#include <array>

#include "Vmu_router_credits.h"
#include "Vmu_router_credits_twelve.h"
#include "sim/machine/assertion.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned credits>
struct Size {
  using Model = M;
  static constexpr unsigned kCredits = credits;
};
using Sizes = ::testing::Types<Size<Vmu_router_credits, 6>, Size<Vmu_router_credits_twelve, 12>>;

template <typename S>
class RouterCredits : public ::testing::Test {};
TYPED_TEST_SUITE(RouterCredits, Sizes);

TYPED_TEST(RouterCredits, CountPlacesAndKeepTheReservedOneForPacketsThatGoOn) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> credits(random.seed());
  credits->home_i = 5;  // coordinate 0 in x and z
  credits.reset();
  std::array<unsigned, 6> free;
  free.fill(TypeParam::kCredits);
  std::array<bool, 6> reserved{true, true, false, false, true, true};
  for (int cycle = 0; cycle < 6000; ++cycle) {
    unsigned take = 0;
    unsigned go_on = 0;
    unsigned back = 0;
    unsigned reserve = 0;
    unsigned moved = 0;
    const unsigned percent = cycle / 50 % 2 == 0 ? 70 : 30;
    for (unsigned d = 0; d < 6; ++d) {
      ASSERT_EQ(credits->any_o >> d & 1, free[d] >= 1) << "cycle " << cycle;
      ASSERT_EQ(credits->two_o >> d & 1, free[d] >= 2) << "cycle " << cycle;
      ASSERT_EQ(credits->spare_o >> d & 1, free[d] > reserved[d]) << "cycle " << cycle;
      const bool goes_on = random.chance(50);
      const bool takes = free[d] > (goes_on ? 0 : reserved[d]) && random.chance(percent);
      const bool returns = free[d] < TypeParam::kCredits && random.chance(100 - percent);
      const bool moves = takes && goes_on && reserved[d];
      const bool comes = returns && !reserved[d] && random.chance(30);
      take |= (takes ? 1U : 0U) << d;
      go_on |= (takes && goes_on ? 1U : 0U) << d;
      back |= (returns ? 1U : 0U) << d;
      reserve |= (comes ? 1U : 0U) << d;
      moved |= (moves ? 1U : 0U) << d;
      free[d] = free[d] + returns - takes;
      reserved[d] = (reserved[d] && !moves) || comes;
    }
    credits->take_i = static_cast<CData>(take);
    credits->go_on_i = static_cast<CData>(go_on);
    credits->return_i = static_cast<CData>(back);
    credits->reserve_i = static_cast<CData>(reserve);
    credits.settle();
    ASSERT_EQ(credits->moved_o, moved) << "cycle " << cycle;
    credits.tick();
  }
}

// What every failed assertion of the RTL is reported by.
TYPED_TEST(RouterCredits, NameTheAssertionThatFailsAndItsInstance) {
  Clocked<typename TypeParam::Model> credits;
  credits->return_i = 1;  // of what was not taken
  try {
    credits.tick();
    FAIL() << "no assertion failed";
  } catch (const AssertionFailure& failure) {
    // A netlist with mutants in it has no names of assertions.
    if (failure.assertion().file.ends_with(".v")) return;
    EXPECT_EQ(failure.assertion().name, "returns_only_what_was_taken");
    EXPECT_EQ(failure.assertion().file, "rtl/router/mu_router_credits.sv");
    EXPECT_EQ(failure.assertion().instance, "");
    EXPECT_GT(failure.assertion().line, 0);
    EXPECT_NE(std::string(failure.what()).find("assertion failed: returns_only_what_was_taken"),
              std::string::npos)
        << failure.what();
  }
}

TYPED_TEST(RouterCredits, SeeATakeWithoutCreditAsAnError) {
  Clocked<typename TypeParam::Model> credits;
  credits->take_i = 4;
  credits->go_on_i = 4;
  for (unsigned i = 0; i < TypeParam::kCredits; ++i) credits.tick();
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

TYPED_TEST(RouterCredits, SeeAPacketThatEntersOnTheReservedPlaceAsAnError) {
  Clocked<typename TypeParam::Model> credits;
  credits->home_i = 7;
  credits.reset();
  credits->take_i = 1;
  for (unsigned i = 1; i < TypeParam::kCredits; ++i) credits.tick();
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

TYPED_TEST(RouterCredits, SeeAReturnOfWhatWasNotTakenAsAnError) {
  Clocked<typename TypeParam::Model> credits;
  credits->return_i = 1;
  EXPECT_THROW(credits.tick(), std::runtime_error);
}

TYPED_TEST(RouterCredits, HaveAllPlacesAndTheReservedOnesOfTheirNodeAfterAReset) {
  Clocked<typename TypeParam::Model> credits;
  for (unsigned home = 0; home < 8; ++home) {
    credits->home_i = static_cast<CData>(home);
    credits.reset(1);
    credits->home_i = static_cast<CData>(~home & 7);  // looked at during reset only
    const unsigned reserved =
        (home & 1 ? 0x03U : 0U) | (home & 2 ? 0x0CU : 0U) | (home & 4 ? 0x30U : 0U);
    credits.tick();
    credits->go_on_i = 0x3F;
    credits.settle();
    ASSERT_EQ(credits->moved_o, reserved) << "home " << home;
    credits->go_on_i = 0;
    for (unsigned taken = 0; taken + 1 < TypeParam::kCredits; ++taken) {
      credits.settle();
      ASSERT_EQ(credits->two_o, 0x3F) << "home " << home << ", " << taken << " taken";
      ASSERT_EQ(credits->spare_o, 0x3F);
      credits->take_i = 0x3F;
      credits.tick();
      credits->take_i = 0;
    }
    credits.settle();
    ASSERT_EQ(credits->any_o, 0x3F);
    ASSERT_EQ(credits->two_o, 0);
    ASSERT_EQ(credits->spare_o, ~reserved & 0x3F) << "home " << home;
  }
}

}  // namespace
}  // namespace torusmu::testing
