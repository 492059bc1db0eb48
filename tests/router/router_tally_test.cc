// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_tally.h"
#include "Vmu_router_tally/Vmu_router_tally___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/old_count.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_router_tally)

namespace torusmu::testing {
namespace {

constexpr unsigned kCounters = 7;

TEST(RouterTally, CountsEveryEventWhileItIsRead) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_tally> tally(random.seed());
  std::array<std::uint32_t, kCounters> expected{};
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const unsigned events = random.chance(60) ? 0x7f : static_cast<unsigned>(random.below(128));
    const auto index = static_cast<unsigned>(random.below(kCounters + 1));
    tally->event_i = static_cast<CData>(events);
    tally->read_i = random.chance(50);
    tally->read_index_i = static_cast<CData>(index);
    tally.settle();
    const std::uint32_t value = tally->read_i && index < kCounters ? expected[index] : 0;
    ASSERT_EQ(tally->value_o, value) << "counter " << index << " cycle " << cycle;
    tally.tick();
    for (unsigned i = 0; i < kCounters; ++i) expected[i] += events >> i & 1;
  }
}

TEST(RouterTally, IsNotBusySoonAfterTheLastEvent) {
  Clocked<Vmu_router_tally> tally;
  tally->event_i = 0x7f;
  for (int i = 0; i < 128; ++i) tally.tick();
  tally->event_i = 0;
  tally.settle();
  EXPECT_TRUE(tally->busy_o);
  for (int i = 0; i < 7; ++i) tally.tick();
  EXPECT_FALSE(tally->busy_o);
}

TEST(RouterTally, CarriesFarIntoTheHighParts) {
  Clocked<Vmu_router_tally> tally;
  tally->event_i = 0x7f;
  for (std::uint32_t count = 0; count <= 1U << 14; ++count) {
    if ((count & (count + 1)) == 0 || (count & (count - 1)) == 0) {
      for (unsigned index = 0; index < kCounters; ++index) {
        tally->read_i = 1;
        tally->read_index_i = static_cast<CData>(index);
        tally.settle();
        ASSERT_EQ(tally->value_o, count) << "counter " << index;
      }
      tally->read_i = 0;
    }
    tally.tick();
  }
}

TEST(RouterTally, CountsFromZeroAfterAReset) {
  Clocked<Vmu_router_tally> tally;
  tally->event_i = 0x7f;
  for (int cycle = 0; cycle < 5000; ++cycle) tally.tick();
  tally.reset(1);
  EXPECT_FALSE(tally->busy_o);
  for (unsigned index = 0; index < 8; ++index) {
    tally->read_i = 1;
    tally->read_index_i = static_cast<CData>(index);
    tally.settle();
    EXPECT_EQ(tally->value_o, 0U) << index;
  }
}

// As if it had counted for long: the high parts are any, or about to carry far.
TEST(RouterTally, GoesOnFromAnyCount) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_tally> tally(random.seed());
  std::array<std::uint32_t, kCounters> expected{};
  for (int round = 0; round < 120; ++round) {
    tally->event_i = 0;
    for (unsigned i = 0; i < kCounters; ++i) tally.tick();
    ASSERT_FALSE(tally->busy_o);
    for (unsigned i = 0; i < kCounters; ++i) {
      expected[i] = old_count(random, 25) << 7U | expected[i] % 128;
      tally->rootp->mu_router_tally__DOT__high[i] = expected[i] >> 7U;
    }
    settle_inside(tally->rootp);
    tally.tick();
    for (int cycle = 0; cycle < 400; ++cycle) {
      const unsigned events = random.chance(60) ? 0x7f : static_cast<unsigned>(random.below(128));
      const auto index = static_cast<unsigned>(random.below(kCounters + 1));
      tally->event_i = static_cast<CData>(events);
      tally->read_i = 1;
      tally->read_index_i = static_cast<CData>(index);
      tally.settle();
      ASSERT_EQ(tally->value_o, index < kCounters ? expected[index] : 0) << "counter " << index;
      tally.tick();
      for (unsigned i = 0; i < kCounters; ++i) expected[i] += events >> i & 1U;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
