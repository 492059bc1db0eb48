// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_router_patience.h"
#include "tests/support/clocked.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kSlotCycles = 512;
constexpr std::uint64_t kRound = 16 * kSlotCycles;

std::uint64_t wish(unsigned output, unsigned input) {
  return std::uint64_t{1} << (7 * output + input);
}

class RouterPatience : public ::testing::Test {
 protected:
  void SetUp() override {
    patience_->strap_x_i = 3;
    patience_->strap_y_i = 5;
    patience_->strap_z_i = 7;
  }
  // One head at input `input` waits for `output` from `from` on, for `cycles`; how long it was held
  // for.
  std::uint64_t held_cycles(unsigned output, unsigned input, std::uint64_t from,
                            std::uint64_t cycles) {
    std::uint64_t held = 0;
    patience_->there_i = static_cast<CData>(1U << input);
    patience_->want_i = wish(output, input);
    for (std::uint64_t now = from; now < from + cycles; ++now) {
      patience_->now_i = now;
      patience_.tick();
      if (patience_->hold_o != 0) {
        EXPECT_EQ(patience_->hold_o, 1U << output);
        EXPECT_EQ(now / kSlotCycles % 16, output < 2 ? 3U : output < 4 ? 5U : 7U);
        ++held;
      }
    }
    return held;
  }

  // The head at `input` is granted, and nothing waits any more.
  void grant(unsigned input) {
    patience_->take_i = static_cast<CData>(1U << input);
    patience_.tick();
    patience_->take_i = 0;
    patience_->there_i = 0;
    patience_.tick();
  }

  Clocked<Vmu_router_patience> patience_;
};

TEST_F(RouterPatience, HoldsTheRingInTheSlotOfTheNodesOwnCoordinate) {
  EXPECT_EQ(held_cycles(0, 6, 100, 2 * kRound), 2 * kSlotCycles);
  grant(6);
  EXPECT_EQ(held_cycles(4, 2, 100, 2 * kRound), 2 * kSlotCycles);
}

TEST_F(RouterPatience, DoesNotHoldForAPacketThatWaitsLessThanOneInterval) {
  for (std::uint64_t now = 0; now < 2 * kRound; ++now) {
    patience_->there_i = 1U << 6;
    patience_->want_i = wish(2, 6);
    patience_->take_i = now % 250 == 249 ? 1U << 6 : 0;
    patience_->now_i = now;
    patience_.tick();
    ASSERT_EQ(patience_->hold_o, 0U);
  }
}

TEST_F(RouterPatience, DoesNotHoldForAPacketThatGoesOnOrEndsHere) {
  EXPECT_EQ(held_cycles(0, 1, 0, 2 * kRound), 0U);
  grant(1);
  EXPECT_EQ(held_cycles(5, 4, 0, 2 * kRound), 0U);
  grant(4);
  EXPECT_EQ(held_cycles(6, 2, 0, 2 * kRound), 0U);
}

TEST_F(RouterPatience, LetsGoWhenTheStarvedPacketHasEntered) {
  EXPECT_GT(held_cycles(1, 6, 0, 3 * kSlotCycles + 10), 0U);
  ASSERT_NE(patience_->hold_o, 0U);
  grant(6);
  EXPECT_EQ(patience_->hold_o, 0U);
}

TEST_F(RouterPatience, DoesNotLookAtTheTimeWhileNothingWaits) {
  for (std::uint64_t now = 0; now < kRound; now += 37) {
    patience_->now_i = now;
    patience_.tick();
    ASSERT_EQ(patience_->hold_o, 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
