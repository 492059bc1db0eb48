// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_switch.h"
#include "tests/support/clocked.h"
#include "tests/support/router_switch_model.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

void compare_under_random_traffic(unsigned head_percent, unsigned place_percent,
                                  unsigned starved_percent) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_switch> dut(random.seed());
  RouterSwitchModel reference;
  unsigned grants = 0;
  const auto some_bits = [&](unsigned percent) {
    unsigned bits = 0;
    for (unsigned i = 0; i < kPorts; ++i) bits |= (random.chance(percent) ? 1U : 0U) << i;
    return bits;
  };
  for (int cycle = 0; cycle < 20000; ++cycle) {
    for (unsigned i = 0; i < kPorts; ++i) {
      if (!reference.wish[i] && random.chance(head_percent)) {
        reference.wish[i] = static_cast<unsigned>(random.below(kPorts));
      }
    }
    reference.valid = some_bits(70);
    reference.tail = some_bits(30);
    reference.open = some_bits(80);
    reference.any = some_bits(place_percent) & 63;
    reference.spare = some_bits(place_percent) & reference.any;
    reference.two = some_bits(place_percent) & reference.spare;
    reference.starved = some_bits(starved_percent);
    std::uint64_t want = 0;
    unsigned there = 0;
    for (unsigned i = 0; i < kPorts; ++i) {
      if (!reference.wish[i]) continue;
      there |= 1U << i;
      want |= std::uint64_t{1} << (7 * *reference.wish[i] + i);
    }
    dut->there_i = static_cast<CData>(there);
    dut->want_i = want;
    dut->valid_i = static_cast<CData>(reference.valid);
    dut->tail_i = static_cast<CData>(reference.tail);
    dut->open_i = static_cast<CData>(reference.open);
    dut->any_i = static_cast<CData>(reference.any);
    dut->spare_i = static_cast<CData>(reference.spare);
    dut->two_i = static_cast<CData>(reference.two);
    dut->starved_i = static_cast<CData>(reference.starved);
    dut.settle();
    reference.settle();
    std::uint64_t grant = 0;
    std::uint64_t owner = 0;
    unsigned granted = 0;  // outputs of links
    unsigned go_on = 0;
    unsigned take = 0;
    for (unsigned o = 0; o < kPorts; ++o) {
      if (reference.owner[o]) owner |= std::uint64_t{1} << (7 * o + *reference.owner[o]);
      if (!reference.granted[o]) continue;
      grant |= std::uint64_t{1} << (7 * o + *reference.granted[o]);
      take |= 1U << *reference.granted[o];
      if (o != kLocal) granted |= 1U << o;
      if (o != kLocal && *reference.granted[o] == (o ^ 1)) go_on |= 1U << o;
      ++grants;
    }
    ASSERT_EQ(dut->owner_o, owner) << "cycle " << cycle;
    ASSERT_EQ(dut->send_o, reference.send) << "cycle " << cycle;
    ASSERT_EQ(dut->pop_o, reference.pop) << "cycle " << cycle;
    ASSERT_EQ(dut->last_o, reference.last) << "cycle " << cycle;
    ASSERT_EQ(dut->done_o, reference.pop & reference.tail & 63) << "cycle " << cycle;
    ASSERT_EQ(dut->first_o, reference.first) << "cycle " << cycle;
    ASSERT_EQ(dut->grant_o, grant) << "cycle " << cycle;
    ASSERT_EQ(dut->take_o, take) << "cycle " << cycle;
    ASSERT_EQ(dut->granted_o, granted) << "cycle " << cycle;
    ASSERT_EQ(dut->go_on_o, go_on) << "cycle " << cycle;
    ASSERT_EQ(dut->stall_o, reference.stall) << "cycle " << cycle;
    dut.tick();
    reference.tick();
    for (unsigned i = 0; i < kPorts; ++i) {
      if (bit(take, i)) reference.wish[i].reset();
    }
  }
  EXPECT_GT(grants, 2000U);
}

TEST(RouterSwitch, GrantsInTurnAndSendsWholePackets) { compare_under_random_traffic(40, 100, 0); }

TEST(RouterSwitch, GrantsALoneHeadAndNothingToNobody) { compare_under_random_traffic(2, 100, 0); }

TEST(RouterSwitch, LetsPacketsGoOnWithOnePlaceAndEnterWithTwo) {
  compare_under_random_traffic(40, 60, 0);
}

TEST(RouterSwitch, LetsStarvedPacketsEnterWithOnePlaceToSpare) {
  compare_under_random_traffic(40, 60, 50);
}

}  // namespace
}  // namespace torusmu::testing
