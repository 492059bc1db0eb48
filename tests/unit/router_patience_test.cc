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

TEST(RouterPatience, FindsEveryHeadThatHasSeenTwoMarksAndNoOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_patience> patience(random.seed());
  std::array<bool, 7> there{};
  std::array<unsigned, 7> marks{};
  unsigned starved_seen = 0;
  for (std::uint64_t now = 1000; now < 60000; ++now) {
    unsigned there_bits = 0;
    unsigned take = 0;
    for (unsigned i = 0; i < 7; ++i) {
      if (!there[i] && random.below(100) == 0) there[i] = true;
      there_bits |= (there[i] ? 1U : 0U) << i;
      if (there[i] && random.below(400) == 0) take |= 1U << i;
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
