// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_event_counters.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/counter_operation.h"
#include "tests/support/few_numbers.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kCounters = kProfile.event_counters;

class EventCounters : public ::testing::Test {
 protected:
  std::uint64_t read(unsigned index) { return software_access(counters_, false, index); }
  void write(unsigned index, std::uint32_t value) {
    software_access(counters_, true, index, value);
  }

  Random random_;
  Clocked<Vmu_event_counters> counters_{random_.seed()};
};

TEST_F(EventCounters, CountsBumpsOfBothStreams) {
  apply(counters_, event(add(kCounters - 1, 1)), true);
  apply(counters_, event(add(kCounters - 1, 1)), false);
  apply(counters_, event(add(kCounters - 2, 5)), true);
  EXPECT_EQ(read(kCounters - 1), 2U);
  EXPECT_EQ(read(kCounters - 2), 5U);
  EXPECT_EQ(read(kCounters - 3), 0U);
}

TEST_F(EventCounters, WrapsAtTwoToTheThirtyTwo) {
  write(4, 0xffff'ffff);
  apply(counters_, event(add(4, 1)));
  EXPECT_EQ(read(4), 0U);
  write(4, 0xffff'fff0);
  apply(counters_, event(add(4, 0xffff'ffff)));
  EXPECT_EQ(read(4), 0xffff'ffefU);
}

TEST_F(EventCounters, IgnoresOperandBitsAboveThirtyOne) {
  apply(counters_, event(add(4, 0x3f'0000'0001)));
  EXPECT_EQ(read(4), 1U);
  apply(counters_, event(preset(4, 0x3f'0000'0007)));
  EXPECT_EQ(read(4), 7U);
}

TEST_F(EventCounters, TakesTheValueOfASet) {
  apply(counters_, event(add(9, 100)));
  apply(counters_, event(preset(9, 3)), false);
  EXPECT_EQ(read(9), 3U);
}

TEST_F(EventCounters, TellsAdditionsOfZeroFromOtherChanges) {
  const auto moves = [&](const CounterOperation& operation) {
    apply(counters_, event(operation));
    EXPECT_TRUE(counters_->change_valid_o);
    EXPECT_EQ(counters_->change_index_o, 3);
    return counters_->change_moves_o != 0;
  };
  EXPECT_FALSE(moves(add(3, 0)));
  EXPECT_FALSE(moves(add(3, 0x3f'0000'0000))) << "bits that are ignored";
  EXPECT_TRUE(moves(add(3, 1)));
  EXPECT_TRUE(moves(add(3, 0x8000'0000)));
  EXPECT_TRUE(moves(preset(3, 0)));
  apply(counters_, event(add(3, 0)));
  counters_.tick();
  counters_->access_valid_i = counters_->access_write_i = 1;
  counters_->access_index_i = 3;
  while (!counters_->change_valid_o) counters_.tick();
  EXPECT_TRUE(counters_->change_moves_o) << "software writes";
}

TEST_F(EventCounters, ReadsAnOperationThreeCyclesAfterItWasTaken) {
  apply(counters_, event(add(1, 8)));
  const std::uint64_t start = counters_.cycle();
  EXPECT_EQ(read(1), 8U);
  EXPECT_LE(counters_.cycle() - start, 3U);
}

TEST_F(EventCounters, AgreesWithModuloArithmeticOnRandomOperations) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint32_t, kCounters> values{};
  FewNumbers few(kCounters);
  for (int i = 0; i < 5000; ++i) {
    if (i % 50 == 0) few.choose(random_, 3);
    const unsigned index = few.any(random_);
    const auto operand = static_cast<std::uint32_t>(random_.bits64() >> random_.below(60));
    switch (random_.below(4)) {
      case 0:
        write(index, operand);
        values[index] = operand;
        break;
      case 1:
        apply(counters_, event(preset(index, operand)), random_.chance(50));
        values[index] = operand;
        break;
      case 2:
        apply(counters_, event(add(index, operand)), random_.chance(50));
        values[index] += operand;
        break;
      default:
        ASSERT_EQ(read(index), values[index]) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
