// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "Vmu_retry_clock.h"
#include "tests/support/clocked.h"
#include "tests/support/old_count.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kNever = (1ULL << 48) - 1;

class RetryClock : public ::testing::Test {
 protected:
  // The cycle after the edge that takes this time.
  void at(std::uint64_t now) {
    dut_->now_i = now;
    dut_.tick();
    dut_.settle();
  }

  Random random_;
  Clocked<Vmu_retry_clock> dut_{random_.seed()};
};

TEST_F(RetryClock, StandsUntilSomethingWaits) {
  at(1000);
  EXPECT_EQ(dut_->wake_at_o, kNever);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(RetryClock, TicksOnceAfterItsTimeWhateverTimeItIs) {
  dut_->retry_cycles_i = 100;
  for (unsigned bit = 0; bit < 48; ++bit) {
    const std::uint64_t start = (1ULL << bit) - 1;
    dut_->run_i = 1;
    dut_.settle();
    EXPECT_TRUE(dut_->busy_o) << "it is to be set";
    at(start);
    EXPECT_FALSE(dut_->busy_o);
    dut_->run_i = 0;
    for (const std::uint64_t now : {start, start + 1, start + 99}) {
      at(now);
      EXPECT_EQ(dut_->wake_at_o, start + 100) << "bit " << bit;
      EXPECT_FALSE(dut_->tick_o);
    }
    at(start + 100);
    EXPECT_TRUE(dut_->tick_o);
    EXPECT_TRUE(dut_->busy_o);
    EXPECT_EQ(dut_->wake_at_o, kNever);
    at(start + 101);
    EXPECT_FALSE(dut_->tick_o);
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(RetryClock, TicksIfItsTimeIsOver) {
  dut_->run_i = 1;
  dut_->retry_cycles_i = 5;
  at(20);
  at(1000);
  EXPECT_TRUE(dut_->tick_o);
}

TEST_F(RetryClock, StartsAgainWhenAllHaveBeenLookedAt) {
  dut_->run_i = 1;
  at(0);
  at(0);
  EXPECT_TRUE(dut_->tick_o);
  dut_->hold_i = 1;
  dut_->retry_cycles_i = 50;
  at(1);
  at(2);
  EXPECT_EQ(dut_->wake_at_o, kNever);
  dut_->hold_i = 0;
  at(3);
  EXPECT_EQ(dut_->wake_at_o, 53U);
}

TEST_F(RetryClock, KeepsItsContractAtRandom) {
  SCOPED_TRACE(random_.replay());
  std::optional<std::uint64_t> tick_at;
  bool tick = false;
  for (int i = 0; i < 20000; ++i) {
    dut_->run_i = random_.chance(60);
    dut_->hold_i = random_.chance(30);
    dut_->retry_cycles_i = old_count(random_, random_.chance(80) ? 4 : 25);
    const std::uint64_t aim = tick_at ? *tick_at - 1 : kNever;
    dut_->now_i = (random_.chance(30) && tick_at ? aim : dut_->now_i) + random_.below(3);
    if (random_.chance(1)) dut_->now_i = random_.bits64() % (kNever - (1U << 26));
    dut_.settle();
    const bool starts = dut_->run_i && !dut_->hold_i && !tick_at && !tick;
    ASSERT_EQ(dut_->wake_at_o, tick_at.value_or(kNever));
    ASSERT_EQ(dut_->tick_o, tick);
    ASSERT_EQ(dut_->busy_o, starts || tick);
    tick = tick_at && dut_->now_i >= *tick_at;
    if (tick) tick_at.reset();
    if (starts) tick_at = dut_->now_i + dut_->retry_cycles_i;
    dut_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
