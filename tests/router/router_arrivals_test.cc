// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "Vmu_router_arrivals.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(RouterArrivals, RepeatFlitsAndHeadersOneCycleLaterByClass) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_arrivals> arrivals(random.seed());
  auto& m = *arrivals.operator->();
  for (int cycle = 0; cycle < 3000; ++cycle) {
    std::array<unsigned, 2> wrote{}, arrived{};
    const bool quiet = random.chance(30);
    for (unsigned d = 0; d < 6; ++d) {
      const bool valid = !quiet && random.chance(40);
      const bool head = random.chance(40);
      const bool reply = random.chance(40);
      set_port_bit(m.valid_i, d, valid);
      set_port_bit(m.head_i, d, head);
      set_port_bit(m.reply_i, d, reply);
      wrote[reply] |= (valid ? 1U : 0U) << d;
      arrived[reply] |= (valid && head ? 1U : 0U) << d;
    }
    m.inject_request_i = !quiet && random.chance(40);
    m.inject_request_head_i = random.chance(40);
    m.inject_reply_i = !quiet && random.chance(40);
    m.inject_reply_head_i = random.chance(40);
    wrote[0] |= static_cast<unsigned>(m.inject_request_i) << 6;
    wrote[1] |= static_cast<unsigned>(m.inject_reply_i) << 6;
    arrived[0] |= static_cast<unsigned>(m.inject_request_i && m.inject_request_head_i) << 6;
    arrived[1] |= static_cast<unsigned>(m.inject_reply_i && m.inject_reply_head_i) << 6;
    arrivals.tick();
    ASSERT_EQ(m.request_wrote_o, wrote[0]);
    ASSERT_EQ(m.reply_wrote_o, wrote[1]);
    ASSERT_EQ(m.request_arrived_o, arrived[0]);
    ASSERT_EQ(m.reply_arrived_o, arrived[1]);
    ASSERT_EQ(m.arrived_o, (arrived[0] | arrived[1]) & 0x3f);
    ASSERT_EQ(m.busy_o, wrote[0] != 0);
    ASSERT_EQ(m.reply_busy_o, wrote[1] != 0);
  }
}

TEST(RouterArrivals, TellOneCycleCreditsFromTwoCycleOnes) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_arrivals> arrivals(random.seed());
  auto& m = *arrivals.operator->();
  // The pulses of each link and class as words of bits, one for each cycle; credits begin two
  // cycles apart at least. Behind them what must come out.
  constexpr std::size_t kCycles = 3000;
  std::array<std::vector<unsigned>, 2> pins, single, reserved;
  for (unsigned c = 0; c < 2; ++c) {
    pins[c].assign(kCycles + 4, 0);
    single[c] = reserved[c] = pins[c];
    for (unsigned d = 0; d < 6; ++d) {
      std::size_t at = random.below(4);
      while (at < kCycles) {
        const bool twice = random.chance(40);
        pins[c][at] |= 1U << d;
        single[c][at] |= 1U << d;
        if (twice) {
          pins[c][at + 1] |= 1U << d;
          reserved[c][at] |= 1U << d;
        }
        at += 2 + (random.chance(50) ? 0 : random.below(9));
      }
    }
  }
  for (std::size_t cycle = 0; cycle < kCycles; ++cycle) {
    m.credit_request_i = static_cast<CData>(pins[0][cycle]);
    m.credit_reply_i = static_cast<CData>(pins[1][cycle]);
    arrivals.tick();
    if (cycle == 0) continue;
    ASSERT_EQ(m.request_credit_o, single[0][cycle - 1]) << "cycle " << cycle;
    ASSERT_EQ(m.request_reserve_o, reserved[0][cycle - 1]) << "cycle " << cycle;
    ASSERT_EQ(m.reply_credit_o, single[1][cycle - 1]) << "cycle " << cycle;
    ASSERT_EQ(m.reply_reserve_o, reserved[1][cycle - 1]) << "cycle " << cycle;
    ASSERT_TRUE(m.busy_o || single[0][cycle - 1] == 0);
    ASSERT_TRUE(m.reply_busy_o || single[1][cycle - 1] == 0);
  }
}

TEST(RouterArrivals, CountALoneCreditOfEachLinkAndClassOnce) {
  Clocked<Vmu_router_arrivals> arrivals;
  auto& m = *arrivals.operator->();
  for (unsigned link = 0; link < 6; ++link) {
    for (unsigned credits = 1; credits < 4; ++credits) {
      for (const int length : {1, 2}) {
        for (int cycle = 0; cycle < 6; ++cycle) {
          const unsigned bit = 1U << link;
          m.credit_request_i = static_cast<CData>(cycle < length && (credits & 1) != 0 ? bit : 0);
          m.credit_reply_i = static_cast<CData>(cycle < length && (credits & 2) != 0 ? bit : 0);
          arrivals.settle();
          const bool now = cycle == 2;
          const bool reserved = now && length == 2;
          ASSERT_EQ(m.request_credit_o, now && (credits & 1) != 0 ? bit : 0) << "cycle " << cycle;
          ASSERT_EQ(m.reply_credit_o, now && (credits & 2) != 0 ? bit : 0) << "cycle " << cycle;
          ASSERT_EQ(m.request_reserve_o, reserved && (credits & 1) != 0 ? bit : 0);
          ASSERT_EQ(m.reply_reserve_o, reserved && (credits & 2) != 0 ? bit : 0);
          arrivals.tick();
        }
        ASSERT_FALSE(m.busy_o || m.reply_busy_o) << "link " << link;
      }
    }
  }
}

TEST(RouterArrivals, NoteNothingThatComesInAReset) {
  Clocked<Vmu_router_arrivals> arrivals;
  auto& m = *arrivals.operator->();
  m.valid_i = 0b111111;
  m.reply_i = 0b101010;
  m.inject_request_i = m.inject_reply_i = 1;
  m.credit_request_i = m.credit_reply_i = 0b111111;
  arrivals.tick();
  EXPECT_EQ(m.request_wrote_o, 0b1010101);
  EXPECT_EQ(m.reply_wrote_o, 0b1101010);
  arrivals.reset(1);
  EXPECT_EQ(m.request_wrote_o | m.reply_wrote_o, 0);
  EXPECT_EQ(m.request_credit_o | m.reply_credit_o, 0);
  EXPECT_FALSE(m.busy_o || m.reply_busy_o);
}

}  // namespace
}  // namespace torusmu::testing
