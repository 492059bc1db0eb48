// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "Vmu_byte_counters.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/counter_operation.h"
#include "tests/support/few_numbers.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kMost = (1ULL << 38) - 1;
constexpr std::uint64_t kUnderflow = 1ULL << 38;
constexpr std::uint64_t kHitZero = 1ULL << 39;
constexpr std::uint32_t kZeroCause = 1U << static_cast<unsigned>(Cause::kCounterZero);
constexpr std::uint32_t kErrorCause = 1U << static_cast<unsigned>(Cause::kError);

class ByteCounters : public ::testing::Test {
 protected:
  std::uint64_t read(unsigned index) { return software_access(counters_, false, index); }
  void preload(unsigned index, std::uint64_t bytes) {
    software_access(counters_, true, index, bytes);
  }
  // Applies the operation; the causes that pulse within the next four cycles.
  PortBits causes_of(const CounterOperation& operation, bool completion = true) {
    apply(counters_, operation, completion);
    PortBits causes = bits_of(counters_->causes_o);
    for (int i = 0; i < 4; ++i) {
      counters_.tick();
      EXPECT_EQ(causes & bits_of(counters_->causes_o), 0U) << "a cause lasts one cycle";
      causes |= bits_of(counters_->causes_o);
    }
    return causes;
  }

  Random random_;
  Clocked<Vmu_byte_counters> counters_{random_.seed()};
};

TEST_F(ByteCounters, CountsDownAndHitsZeroOnce) {
  counters_->interrupt_i = 1;
  preload(3, 1000);
  EXPECT_EQ(causes_of(subtract(3, 512)), 0U);
  EXPECT_EQ(read(3), 488U);
  EXPECT_EQ(causes_of(subtract(3, 488)), kZeroCause);
  EXPECT_EQ(read(3), kHitZero);
}

TEST_F(ByteCounters, PulsesTheCauseTwoCyclesAfterTheOperationWasTaken) {
  counters_->interrupt_i = 1;
  preload(3, 8);
  apply(counters_, subtract(3, 8));
  EXPECT_EQ(bits_of(counters_->causes_o), 0U);
  counters_.tick();
  EXPECT_EQ(bits_of(counters_->causes_o), kZeroCause);
  counters_.tick();
  EXPECT_EQ(bits_of(counters_->causes_o), 0U);
}

TEST_F(ByteCounters, TellsWhichOfThemHasHitZero) {
  for (unsigned index = 0; index < kProfile.byte_counters; ++index) {
    const unsigned client = index % kProfile.clients;
    counters_->interrupt_i = index % 3 != 0;
    preload(index, 8);
    apply(counters_, subtract(index, 8, client));
    EXPECT_EQ(counters_->part_o >> 8, 0U);
    counters_.tick();
    if (counters_->interrupt_i) {
      EXPECT_EQ(counters_->part_o, 1U << 8 | client << 4 | index % 16);
    } else {
      EXPECT_EQ(counters_->part_o >> 8, 0U);
    }
    counters_.tick();
    EXPECT_EQ(counters_->part_o >> 8, 0U);
  }
}

TEST_F(ByteCounters, HitsZeroSilentlyWithoutItsInterruptBit) {
  preload(3, 8);
  EXPECT_EQ(causes_of(subtract(3, 8)), 0U);
  EXPECT_EQ(read(3), kHitZero);
}

TEST_F(ByteCounters, AsksForTheInterruptBitOfTheCounterItChanges) {
  preload(42, 8);
  apply(counters_, subtract(42, 8));
  EXPECT_EQ(counters_->interrupt_index_o, 42U);
}

TEST_F(ByteCounters, StopsAtZeroAndSaysUnderflow) {
  counters_->interrupt_i = 1;
  preload(7, 10);
  EXPECT_EQ(causes_of(subtract(7, 11)), kZeroCause | kErrorCause) << "a waiter wakes too";
  EXPECT_EQ(read(7), kHitZero | kUnderflow);
  preload(7, 0);
  EXPECT_EQ(causes_of(subtract(7, 1)), kErrorCause) << "it was at zero before";
  EXPECT_EQ(read(7), kUnderflow);
}

TEST_F(ByteCounters, RaisesCausesForTheClientOfTheOperation) {
  counters_->interrupt_i = 1;
  preload(0, 5);
  EXPECT_EQ(causes_of(subtract(0, 5, 3)), causes_of_client(3, kZeroCause));
  EXPECT_EQ(causes_of(subtract(0, 5, 2)), causes_of_client(2, kErrorCause));
}

TEST_F(ByteCounters, ClearsBothFlagsOnPreloadAndOnSet) {
  preload(1, 1);
  causes_of(subtract(1, 2));
  preload(1, 50);
  EXPECT_EQ(read(1), 50U);
  causes_of(subtract(1, 60));
  EXPECT_EQ(causes_of(preset(1, kMost)), 0U);
  EXPECT_EQ(read(1), kMost);
}

TEST_F(ByteCounters, DoesNotHitZeroByPreloadingOrSubtractingNothing) {
  counters_->interrupt_i = 1;
  preload(1, 0);
  EXPECT_EQ(read(1), 0U);
  EXPECT_EQ(causes_of(preset(1, 0)), 0U);
  EXPECT_EQ(causes_of(subtract(1, 0)), 0U);
  EXPECT_EQ(read(1), 0U);
  preload(1, 4);
  EXPECT_EQ(causes_of(subtract(1, 0)), 0U);
  EXPECT_EQ(read(1), 4U);
}

TEST_F(ByteCounters, AddsBytesThatAreExpectedAndKeepsFlags) {
  preload(2, 8);
  causes_of(subtract(2, 8));
  EXPECT_EQ(causes_of(add(2, 100), false), 0U);
  EXPECT_EQ(read(2), kHitZero | 100U);
}

TEST_F(ByteCounters, StopsAtTheLargestValueAndSaysSo) {
  preload(2, kMost - 5);
  EXPECT_EQ(causes_of(add(2, 5)), 0U);
  EXPECT_EQ(read(2), kMost);
  EXPECT_EQ(causes_of(add(2, 1)), kErrorCause);
  EXPECT_EQ(read(2), kUnderflow | kMost);
  preload(2, kMost);
  EXPECT_EQ(causes_of(add(2, kMost)), kErrorCause);
  EXPECT_EQ(read(2), kUnderflow | kMost);
}

TEST_F(ByteCounters, KeepsAPreloadAndASubtractThatMeetInAnyCycle) {
  // Hardware goes first when both ask, so the later of the two decides what is left.
  for (int late = 0; late < 6; ++late) {
    preload(5, 1000);
    counters_->access_valid_i = 1;
    counters_->access_write_i = 1;
    counters_->access_index_i = 5;
    counters_->access_data_i = 500;
    bool done = false;
    std::uint64_t taken_cycle = 0;
    std::uint64_t written_cycle = 0;
    for (int cycle = 0; cycle < 10; ++cycle) {
      drive(counters_->completion_operation_i, subtract(5, 7));
      counters_->completion_valid_i = cycle >= late && taken_cycle == 0;
      counters_.settle();
      if (counters_->completion_valid_i && counters_->completion_ready_o) {
        taken_cycle = counters_.cycle();
      }
      done = counters_->access_done_o;
      if (done) written_cycle = counters_.cycle() - 2;
      counters_.tick();
      if (done) counters_->access_valid_i = 0;
    }
    ASSERT_NE(taken_cycle, 0U);
    ASSERT_NE(written_cycle, 0U);
    EXPECT_EQ(read(5), taken_cycle < written_cycle ? 500U : 493U) << late;
    if (late == 0) {
      EXPECT_LT(taken_cycle, written_cycle) << "hardware first";
    }
  }
}

TEST_F(ByteCounters, AgreesWithTheRulesOnRandomOperations) {
  SCOPED_TRACE(random_.replay());
  struct Counter {
    std::uint64_t remaining = 0;
    std::uint64_t flags = 0;
  };
  std::array<Counter, kProfile.byte_counters> model{};
  FewNumbers few(kProfile.byte_counters);
  unsigned zeros = 0;
  unsigned errors = 0;
  for (int i = 0; i < 20000; ++i) {
    if (i % 50 == 0) few.choose(random_, 3);
    const unsigned index = few.any(random_);
    Counter& counter = model[index];
    const std::uint64_t operand =
        random_.chance(40) ? counter.remaining : random_.bits64() >> 26 >> random_.below(38);
    const bool completion = random_.chance(50);
    const auto client = static_cast<unsigned>(random_.below(kProfile.clients));
    std::uint32_t expected = 0;
    counters_->interrupt_i = random_.chance(50);
    PortBits causes;
    switch (random_.below(5)) {
      case 0:
        preload(index, operand);
        counter = {operand, 0};
        break;
      case 1:
        causes = causes_of(preset(index, operand, client), completion);
        counter = {operand, 0};
        break;
      case 2:
        causes = causes_of(add(index, operand, client), completion);
        counter.remaining += operand;
        if (counter.remaining > kMost) {
          counter.remaining = kMost;
          counter.flags |= kUnderflow;
          expected |= kErrorCause;
        }
        break;
      case 3:
        causes = causes_of(subtract(index, operand, client), completion);
        if (operand > counter.remaining) {
          counter.flags |= kUnderflow;
          expected |= kErrorCause;
        }
        if (counter.remaining > 0 && operand >= counter.remaining) {
          counter.flags |= kHitZero;
          if (counters_->interrupt_i) expected |= kZeroCause;
          ++zeros;
        }
        counter.remaining -= std::min(operand, counter.remaining);
        break;
      default:
        ASSERT_EQ(read(index), counter.remaining | counter.flags) << "step " << i;
    }
    ASSERT_EQ(causes, causes_of_client(client, expected)) << "step " << i;
    if (expected != 0) ++errors;
  }
  EXPECT_GT(zeros, 500U);
  EXPECT_GT(errors, 500U);
}

TEST_F(ByteCounters, HitsZeroFromEachPowerOfTwo) {
  counters_->interrupt_i = 1;
  for (unsigned bit = 0; bit < 38; ++bit) {
    preload(3, 1ULL << bit);
    EXPECT_EQ(causes_of(subtract(3, 1ULL << bit)), kZeroCause) << "bit " << bit;
    EXPECT_EQ(read(3), kHitZero) << "bit " << bit;
  }
}

TEST_F(ByteCounters, DoesNotHitZeroWhileAnythingIsLeft) {
  SCOPED_TRACE(random_.replay());
  counters_->interrupt_i = 1;
  for (unsigned bit = 0; bit < 38; ++bit) {
    const std::uint64_t left = 1ULL << bit;
    const std::uint64_t taken = random_.bits64() & kMost & ~left;
    preload(3, taken + left);
    EXPECT_EQ(causes_of(subtract(3, taken)), 0U) << "bit " << bit;
    EXPECT_EQ(read(3), left) << "bit " << bit;
  }
}

TEST_F(ByteCounters, RaisesTheCausesOfOperationsThatFollowEachOther) {
  constexpr unsigned kClients = kProfile.clients;
  preload(1, 0);
  counters_->completion_valid_i = 1;
  for (unsigned i = 0; i < 4 * kClients; ++i) {
    drive(counters_->completion_operation_i, subtract(1, 1, i % kClients));
    counters_.settle();
    EXPECT_TRUE(counters_->completion_ready_o);
    EXPECT_EQ(bits_of(counters_->causes_o),
              i < 2 ? 0U : causes_of_client((i - 2) % kClients, kErrorCause))
        << i;
    counters_.tick();
  }
}

TEST_F(ByteCounters, RaisesNoCauseInOrAfterReset) {
  EXPECT_EQ(bits_of(counters_->causes_o), 0U);
  for (unsigned round = 0; round < 3 * kProfile.clients; ++round) {
    const unsigned cycles = round % 3;
    const unsigned client = round / 3;
    counters_->interrupt_i = 1;
    preload(1, 1);
    apply(counters_, subtract(1, 2, client));
    for (unsigned i = 0; i < cycles; ++i) counters_.tick();
    counters_->rst_ni = 0;
    counters_.tick();
    EXPECT_EQ(bits_of(counters_->causes_o), 0U) << cycles << " client " << client;
    counters_.reset();
    EXPECT_EQ(bits_of(counters_->causes_o), 0U) << cycles << " client " << client;
  }
}

TEST_F(ByteCounters, IsBusyUntilItsCausesHavePulsed) {
  preload(1, 1);
  apply(counters_, subtract(1, 2));
  EXPECT_TRUE(counters_->busy_o);
  counters_.tick();
  EXPECT_TRUE(counters_->busy_o);
  counters_.tick();
  EXPECT_FALSE(counters_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
