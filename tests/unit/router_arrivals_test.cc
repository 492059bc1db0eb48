// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>

#include "Vmu_router_arrivals.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(RouterArrivals, RepeatFlitsHeadersAndCreditsOneCycleLaterByClass) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_arrivals> arrivals(random.seed());
  auto& m = *arrivals.operator->();
  const std::array<CData*, 6> valid{&m.valid_0_i, &m.valid_1_i, &m.valid_2_i,
                                    &m.valid_3_i, &m.valid_4_i, &m.valid_5_i};
  const std::array<CData*, 6> head{&m.head_0_i, &m.head_1_i, &m.head_2_i,
                                   &m.head_3_i, &m.head_4_i, &m.head_5_i};
  const std::array<CData*, 6> reply{&m.reply_0_i, &m.reply_1_i, &m.reply_2_i,
                                    &m.reply_3_i, &m.reply_4_i, &m.reply_5_i};
  const std::array<CData*, 6> credit{&m.credit_0_i, &m.credit_1_i, &m.credit_2_i,
                                     &m.credit_3_i, &m.credit_4_i, &m.credit_5_i};
  for (int cycle = 0; cycle < 3000; ++cycle) {
    std::array<unsigned, 2> wrote{}, arrived{}, credits{};
    const bool quiet = random.chance(30);
    for (unsigned d = 0; d < 6; ++d) {
      *valid[d] = !quiet && random.chance(40);
      *head[d] = random.chance(40);
      *reply[d] = random.chance(40);
      *credit[d] = static_cast<CData>(quiet ? 0 : random.below(4));
      wrote[*reply[d]] |= static_cast<unsigned>(*valid[d]) << d;
      arrived[*reply[d]] |= static_cast<unsigned>(*valid[d] && *head[d]) << d;
      for (unsigned c = 0; c < 2; ++c) credits[c] |= (*credit[d] >> c & 1U) << d;
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
    ASSERT_EQ(m.request_credit_o, credits[0]);
    ASSERT_EQ(m.reply_credit_o, credits[1]);
    ASSERT_EQ(m.busy_o, (wrote[0] | wrote[1] | credits[0] | credits[1]) != 0);
  }
}

}  // namespace
}  // namespace torusmu::testing
