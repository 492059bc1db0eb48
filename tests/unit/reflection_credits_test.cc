// SPDX-License-Identifier: Apache-2.0
//
// Which neighbour is chosen in whole machines is in injection_reflection_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "Vmu_reflection_credits.h"
#include "tests/support/clocked.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class ReflectionCredits : public ::testing::Test {
 protected:
  ReflectionCredits() : bus_(dut_) {
    dut_->strap_last_x_i = dut_->strap_last_y_i = dut_->strap_last_z_i = 2;
    dut_->strap_torus_i = 7;
    dut_->timeout_cycles_i = 0;
  }
  void give(unsigned direction, unsigned slots) {
    ASSERT_EQ(bus_.status(register_write(registers::reflection::credit(0) + 8 * direction, slots)),
              Status::kOk);
  }
  // Asks and takes; -1 without a credit.
  int take(unsigned preferred) {
    dut_->ask_i = 1;
    dut_->preferred_i = static_cast<std::uint8_t>(preferred);
    dut_.settle();
    const int direction = dut_->available_o ? dut_->direction_o : -1;
    dut_->take_i = dut_->available_o;
    dut_.tick();
    dut_->take_i = dut_->ask_i = 0;
    dut_.settle();
    return direction;
  }
  void give_back(unsigned queue, unsigned number) {
    dut_->credit_return_valid_i = 1;
    dut_->credit_return_queue_i = static_cast<std::uint8_t>(queue);
    dut_->credit_return_number_i = static_cast<std::uint16_t>(number);
    dut_.tick();
    dut_->credit_return_valid_i = 0;
    dut_.settle();
  }

  Clocked<Vmu_reflection_credits> dut_;
  RegisterBus<Vmu_reflection_credits> bus_;
};

TEST_F(ReflectionCredits, HoldsTheWindowThroughRandomUse) {
  Random random;
  SCOPED_TRACE(random.replay());
  struct Model {
    std::uint16_t slots = 0, sent = 0, returned = 0;
  };
  std::array<Model, 7> models;
  unsigned taken = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random.chance(1)) {
      const auto direction = static_cast<unsigned>(random.below(7));
      const auto slots = static_cast<std::uint16_t>(random.below(5));
      give(direction, slots);
      models[direction] = {slots, 0, 0};
    }
    const auto preferred = static_cast<unsigned>(random.below(8));
    const bool neighbours = std::any_of(models.begin(), models.begin() + 6,
                                        [](const Model& m) { return m.slots != 0; });
    const auto free = [&models](unsigned n) {
      return static_cast<std::uint16_t>(models[n].sent - models[n].returned) < models[n].slots;
    };
    int wanted = -1;
    if (free(6) && (preferred == 6 || !neighbours)) wanted = 6;
    for (unsigned k = 0; k < 6 && wanted < 0 && preferred < 6; ++k) {
      if (free((preferred + k) % 6)) wanted = static_cast<int>((preferred + k) % 6);
    }
    const int chosen = take(preferred);
    if (preferred < 6 || wanted == 6) {
      ASSERT_EQ(chosen, wanted) << "step " << step;
    } else {
      bool any = false;
      for (unsigned n = 0; n < 6; ++n) any = any || free(n);
      ASSERT_EQ(chosen >= 0, any);
    }
    if (chosen >= 0) ++models[static_cast<unsigned>(chosen)].sent;
    taken += chosen >= 0;
    if (random.chance(60)) {
      const auto n = static_cast<unsigned>(random.below(7));
      Model& model = models[n];
      const auto number = static_cast<std::uint16_t>(model.returned + random.below(6) - 2);
      const auto ahead = static_cast<std::uint16_t>(number - model.returned);
      give_back(n == 6 ? 6 : n ^ 1U, number);
      const bool inside = ahead < static_cast<std::uint16_t>(model.sent - model.returned);
      ASSERT_EQ(dut_->credit_returned_o != 0, inside);
      if (inside) model.returned = static_cast<std::uint16_t>(number + 1);
    }
    if (step % 500 == 0) {
      for (unsigned n = 0; n < 7; ++n) {
        EXPECT_EQ(bus_.read(register_read(registers::reflection::credit(0) + 8 * n)),
                  models[n].slots | std::uint64_t{models[n].sent} << 16 |
                      std::uint64_t{models[n].returned} << 32);
      }
    }
  }
  EXPECT_GT(taken, 2000U);
}

TEST_F(ReflectionCredits, IgnoresReturnsOfQueuesThatDoNotExist) {
  give(6, 2);
  EXPECT_EQ(take(6), 6);
  for (const unsigned queue : {7U, 14U, 255U}) {
    give_back(queue, 0);
    EXPECT_FALSE(dut_->credit_returned_o);
  }
  give_back(6, 0);
  EXPECT_TRUE(dut_->credit_returned_o);
}

TEST_F(ReflectionCredits, AsksForTheOldestSilenceOnly) {
  dut_->timeout_cycles_i = 100;
  give(0, 4);
  give(2, 4);
  dut_->now_i = 1000;
  take(0);
  dut_->now_i = 1050;
  take(2);
  EXPECT_EQ(dut_->wake_at_o, 1100U);
  dut_->now_i = 1099;
  dut_.tick();
  EXPECT_FALSE(dut_->query_valid_o);
  EXPECT_FALSE(dut_->busy_o);
  dut_->now_i = 1100;
  dut_.tick();
  ASSERT_TRUE(dut_->query_valid_o);
  EXPECT_TRUE(dut_->busy_o);
  EXPECT_EQ(dut_->direction_o, 0);
  EXPECT_EQ(dut_->number_o, 0);
  dut_->query_taken_i = 1;
  dut_.tick();
  dut_->query_taken_i = 0;
  dut_.settle();
  EXPECT_FALSE(dut_->query_valid_o);
  EXPECT_EQ(dut_->wake_at_o, 1150U) << "now the other direction";
  give_back(2 ^ 1U, 0);
  EXPECT_EQ(dut_->wake_at_o, 1200U);
  give_back(0 ^ 1U, 0);
  EXPECT_EQ(dut_->wake_at_o, (1ULL << 48) - 1);
}

TEST_F(ReflectionCredits, TakesBackAQuestionThatWasAnsweredInTheMeantime) {
  dut_->timeout_cycles_i = 100;
  give(3, 4);
  dut_->now_i = 10;
  take(3);
  dut_->now_i = 110;
  dut_.tick();
  EXPECT_TRUE(dut_->query_valid_o);
  give_back(2, 0);
  EXPECT_FALSE(dut_->query_valid_o);
}

}  // namespace
}  // namespace torusmu::testing
