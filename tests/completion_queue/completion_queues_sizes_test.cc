// SPDX-License-Identifier: Apache-2.0
// model: Vmu_completion_queues mu_completion_queues
// Completion queues with rings of every size up to the largest.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_completion_queues.h"
#include "Vmu_completion_queues/Vmu_completion_queues___024root.h"
#include "tests/support/completion_bench.h"

namespace torusmu::testing::completion {
namespace {

constexpr std::uint64_t kMostEntries = 1U << 24;

class CompletionQueuesOfAnySize : public ::testing::Test {
 protected:
  void put_and_drain() {
    bench.put(6, 1);
    bench.drain();
  }

  Random random;
  Bench<Vmu_completion_queues> bench{&random, 0xFFFFFFFF, kMostEntries};
};

// The bench knows where the entries go and which are lost.
TEST_F(CompletionQueuesOfAnySize, FillRingsOfEachSizeToTheirEndAndBeginAnew) {
  SCOPED_TRACE(random.replay());
  for (const bool overwrite : {false, true}) {
    bench.configure(6, {.base = 0x20, .size = 1, .owner = 1, .overwrite = overwrite});
    for (std::uint64_t size = 1; size <= kMostEntries; size *= 2) {
      for (const std::uint64_t held : {std::uint64_t{0}, size / 2, size - 1, size}) {
        const std::uint64_t laps = random.chance(50) ? 5 : (1ULL << 32U) / size - random.below(2);
        bench.make_old(6, size, laps * size - 1, held, 0);  // the next slot is the last
        for (int i = 0; i < 3; ++i) put_and_drain();
        bench.read(queue_registers::head(6));
      }
    }
  }
}

TEST_F(CompletionQueuesOfAnySize, GoOnWhereTheSlotDiffersFromTheLastInOneBit) {
  SCOPED_TRACE(random.replay());
  bench.configure(6, {.base = 0x20, .size = 1, .owner = 1});
  for (std::uint64_t size = 2; size <= kMostEntries; size *= 2) {
    for (std::uint64_t bit = 1; bit < size; bit *= 2) {
      bench.make_old(6, size, random.below(100) * size + (size - 1 - bit), 0, 0);
      for (int i = 0; i < 2; ++i) put_and_drain();
    }
  }
}

TEST_F(CompletionQueuesOfAnySize, RefuseOneThatIsNoPowerOfTwo) {
  const auto size = queue_registers::size(3);
  for (unsigned high = 1; high <= 24; ++high) {
    for (unsigned low = 0; low < high; ++low) {
      EXPECT_EQ(bench.write(size, 1ULL << high | 1ULL << low), Status::kRegisterValue) << high;
    }
    EXPECT_EQ(bench.write(size, (2ULL << high) - 1), Status::kRegisterValue) << high;
    EXPECT_EQ(bench.write(size, 1ULL << high), Status::kOk) << high;
  }
}

TEST_F(CompletionQueuesOfAnySize, AreNotConfiguredHoweverManyEntriesAreOnTheirWay) {
  for (std::uint64_t coming = 1; coming <= kMostEntries; coming *= 2) {
    Bench<Vmu_completion_queues> one{&random, 0xFFFFFFFF, kMostEntries};
    one.configure(3, {.base = 0, .size = kMostEntries, .owner = 1});
    one.make_old(3, kMostEntries, 7, 0, 0, coming);
    one.begin(decltype(one)::write_request(queue_registers::config(3), 0));
    for (int i = 0; i < 10; ++i) one.step();
    EXPECT_TRUE(one.accessing()) << coming;
  }
}

}  // namespace
}  // namespace torusmu::testing::completion
