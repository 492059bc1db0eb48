// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_wait_threshold.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;

class WaitThreshold : public ::testing::Test {
 protected:
  void clear(unsigned queue) {
    threshold_->clear_i = 1;
    threshold_->clear_queue_i = static_cast<std::uint8_t>(queue);
    threshold_.tick();
    threshold_->clear_i = 0;
  }
  std::uint32_t take(unsigned queue, std::uint32_t value, std::uint32_t step, std::uint32_t lap,
                     bool relative) {
    threshold_->take_i = 1;
    threshold_->queue_i = static_cast<std::uint8_t>(queue);
    threshold_->value_i = value;
    threshold_->step_i = step;
    threshold_->lap_i = lap;
    threshold_->relative_i = relative;
    threshold_.tick();
    threshold_->take_i = 0;
    threshold_.tick();
    return threshold_->threshold_o;
  }
  void keep() {
    threshold_->keep_i = 1;
    threshold_.tick();
    threshold_->keep_i = 0;
  }

  Random random_;
  Clocked<Vmu_wait_threshold> threshold_{random_.seed()};
};

TEST_F(WaitThreshold, IsTheValueAndAStepForEachLap) {
  SCOPED_TRACE(random_.replay());
  for (int run = 0; run < 20000; ++run) {
    const Operands operands = integer_operands(random_, 32);
    const auto step = static_cast<std::uint32_t>(operands.first);
    const auto lap = static_cast<std::uint32_t>(operands.second);
    const auto value = static_cast<std::uint32_t>(random_.bits64());
    ASSERT_EQ(take(0, value, step, lap, false), value + step * lap) << step << " " << lap;
  }
}

TEST_F(WaitThreshold, StandsUntilTheNextIsTaken) {
  for (const std::uint32_t value : {100U, 0U, ~0U}) {
    ASSERT_EQ(take(3, value, 0, 0, false), value);
    threshold_->value_i = 7;
    threshold_->queue_i = 5;
    threshold_.tick();
    EXPECT_EQ(threshold_->threshold_o, value);
  }
}

TEST_F(WaitThreshold, IsRelativeToTheLastOneKept) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint32_t, kQueues> last{};
  for (int run = 0; run < 20000; ++run) {
    const auto queue = static_cast<unsigned>(random_.below(kQueues));
    const bool relative = random_.chance(50);
    const auto value = static_cast<std::uint32_t>(random_.bits64());
    const std::uint32_t taken = take(queue, value, 0, 0, relative);
    ASSERT_EQ(taken, value + (relative ? last[queue] : 0U)) << queue;
    if (random_.chance(50)) {
      keep();
      last[queue] = taken;
    }
    if (random_.chance(10)) {
      const auto cleared = static_cast<unsigned>(random_.below(kQueues));
      clear(cleared);
      last[cleared] = 0;
    }
  }
}

TEST_F(WaitThreshold, KeepsWhileAnotherQueueIsCleared) {
  take(1, 40, 0, 0, false);
  threshold_->keep_i = 1;
  clear(2);
  threshold_->keep_i = 0;
  EXPECT_EQ(take(1, 2, 0, 0, true), 42U);
}

TEST_F(WaitThreshold, ForgetsWhatIsKeptAndClearedAtOnce) {
  take(1, 40, 0, 0, false);
  threshold_->keep_i = 1;
  clear(1);
  threshold_->keep_i = 0;
  EXPECT_EQ(take(1, 2, 0, 0, true), 2U);
}

TEST_F(WaitThreshold, IsZeroForEveryQueueAfterAReset) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    take(queue, 1000 + queue, 0, 0, false);
    keep();
  }
  threshold_.reset(1);
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    EXPECT_EQ(take(queue, queue, 0, 0, true), queue);
  }
}

TEST_F(WaitThreshold, KeepsOneForEachQueue) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint32_t, kQueues> last{};
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    last[queue] = take(queue, static_cast<std::uint32_t>(random_.bits64()), 0, 0, false);
    keep();
  }
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    EXPECT_EQ(take(queue, 1, 0, 0, true), last[queue] + 1);
    clear(queue);
    for (unsigned other = 0; other < kQueues; ++other) {
      ASSERT_EQ(take(other, 1, 0, 0, true), (other <= queue ? 0 : last[other]) + 1);
    }
  }
}

TEST_F(WaitThreshold, TakesOneEachCycle) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint32_t, 3> wanted{};
  for (std::uint32_t run = 0; run < 2000; ++run) {
    const auto value = static_cast<std::uint32_t>(random_.bits64());
    const auto step = static_cast<std::uint32_t>(random_.bits64());
    const auto lap = static_cast<std::uint32_t>(random_.bits64());
    threshold_->take_i = 1;
    threshold_->queue_i = static_cast<std::uint8_t>(random_.below(kQueues));
    threshold_->relative_i = random_.chance(50);  // nothing was kept
    threshold_->value_i = value;
    threshold_->step_i = step;
    threshold_->lap_i = lap;
    wanted[run % 3] = value + step * lap;
    threshold_.tick();
    if (run >= 2) {
      ASSERT_EQ(threshold_->threshold_o, wanted[(run + 2) % 3]);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
