// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_router_eject.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(RouterEject, HoldsEachFlitUntilItIsTaken) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_eject> eject(random.seed());
  auto& m = *eject.operator->();
  const std::array flits{&m.data_xp_i, &m.data_xm_i, &m.data_yp_i,   &m.data_ym_i,
                         &m.data_zp_i, &m.data_zm_i, &m.data_local_i};
  std::deque<std::uint32_t> inside;
  unsigned taken = 0;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    for (auto* flit : flits)
      put_flit(*flit, 0, flit_from(static_cast<std::uint32_t>(random.bits64())));
    const auto source = static_cast<unsigned>(random.below(7));
    m.owner_i = static_cast<CData>(1U << source);
    m.eject_ready_i = random.chance(50);
    m.send_i = 0;
    eject.settle();
    ASSERT_EQ(m.open_o, inside.empty() || m.eject_ready_i);
    ASSERT_EQ(m.eject_valid_o, !inside.empty());
    m.send_i = m.open_o && random.chance(70);
    if (!inside.empty()) {
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(m.eject_data_o[i], inside.front() + i);
      ASSERT_EQ(m.eject_head_o, inside.front() % 2);
      ASSERT_EQ(m.eject_tail_o, inside.front() / 2 % 2);
      if (m.eject_ready_i) {
        inside.pop_front();
        ++taken;
      }
    }
    const std::uint32_t word = get_flit(*flits[source])[0];
    m.first_i = word % 2;
    m.last_i = word / 2 % 2;
    if (m.send_i) inside.push_back(word);
    eject.tick();
  }
  EXPECT_GT(taken, 1000U);
}

TEST(RouterEject, ForgetsItsFlitInAReset) {
  Clocked<Vmu_router_eject> eject;
  eject->owner_i = 1;
  eject->send_i = 1;
  eject.tick();
  EXPECT_TRUE(eject->eject_valid_o);
  eject.reset(1);
  EXPECT_FALSE(eject->eject_valid_o);
  EXPECT_TRUE(eject->open_o);
}

}  // namespace
}  // namespace torusmu::testing
