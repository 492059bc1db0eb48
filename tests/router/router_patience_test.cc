// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_patience.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kInterval = 256;

// Heads come to an input that has none in one of `come` cycles, and are granted in one of `go`.
void compare_with_counts_of_marks(unsigned come, unsigned go, unsigned mark_percent) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_patience> patience(random.seed());
  std::array<bool, 7> there{};
  std::array<unsigned, 7> marks{};
  unsigned starved_seen = 0;
  std::uint64_t now = 1000;
  for (int cycle = 0; cycle < 59000; ++cycle) {
    now = random.chance(mark_percent) ? (now / kInterval + 1) * kInterval : now + 1;
    unsigned there_bits = 0;
    unsigned take = 0;
    for (unsigned i = 0; i < 7; ++i) {
      if (!there[i] && random.below(come) == 0) there[i] = true;
      there_bits |= (there[i] ? 1U : 0U) << i;
      if (there[i] && random.below(go) == 0) take |= 1U << i;
    }
    patience->now_i = now;
    patience->there_i = static_cast<CData>(there_bits);
    patience->take_i = static_cast<CData>(take);
    patience.tick();
    unsigned starved = 0;
    for (unsigned i = 0; i < 7; ++i) {
      if ((take >> i & 1) != 0) {
        there[i] = false;
        marks[i] = 0;
      } else if (there[i] && now % kInterval == 0) {
        ++marks[i];
      }
      starved |= (marks[i] >= 2 ? 1U : 0U) << i;
    }
    ASSERT_EQ(patience->starved_o, starved) << "time " << now;
    starved_seen += starved != 0;
  }
  EXPECT_GT(starved_seen, 1000U);
}

TEST(RouterPatience, FindsEveryHeadThatHasSeenTwoMarksAndNoOther) {
  compare_with_counts_of_marks(100, 400, 0);
}

TEST(RouterPatience, FindsThemAmongGrantsInCyclesOfMarks) {
  compare_with_counts_of_marks(3, 4, 50);
}

TEST(RouterPatience, FindsALoneHeadThatHasSeenTwoMarks) {
  compare_with_counts_of_marks(100, 6, 50);
}

TEST(RouterPatience, DoesNotLookAtTheTimeWhileNothingWaits) {
  Clocked<Vmu_router_patience> patience;
  for (std::uint64_t now = 0; now < 10 * kInterval; ++now) {
    patience->now_i = now;
    patience.tick();
    ASSERT_EQ(patience->starved_o, 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
