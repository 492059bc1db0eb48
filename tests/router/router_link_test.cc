// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_router_link.h"
#include "tests/support/clocked.h"
#include "tests/support/router_ways.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(RouterLink, StoresRequestsAndRepliesApart) {
  Clocked<Vmu_router_link> link;
  link->link_valid_i = 1;
  link->link_data_i[1] = 10;
  link.tick();
  link->link_reply_i = 1;
  link->link_tail_i = 1;
  link->link_data_i[1] = 20;
  link.tick();
  link->link_valid_i = 0;
  link->request_load_i = link->reply_load_i = 1;
  link.tick();
  EXPECT_EQ(link->request_data_o[1], 10U);
  EXPECT_EQ(link->request_tail_o, 0);
  EXPECT_EQ(link->reply_data_o[1], 20U);
  EXPECT_EQ(link->reply_tail_o, 1);
}

TEST(RouterLink, NamesTheOutputThatAHeaderWants) {
  Clocked<Vmu_router_link> link;
  link->straps_i = Straps{.last_y = 3, .torus = 7}.word();
  link->link_valid_i = link->link_head_i = 1;
  link->link_data_i[0] = 3 << 4;  // to (0, 3, 0): one step in y-
  link.tick();
  link->link_valid_i = 0;
  link->arrived_i = 1;
  link.settle();
  EXPECT_EQ(link->port_o, 1 << 3);
}

TEST(RouterLink, NamesTheOutputThatAHeaderWantsInAnyMachine) {
  expect_output_of_any_header<Vmu_router_link>([](auto& link, bool comes, std::uint32_t word) {
    link.link_valid_i = link.link_head_i = comes;
    link.link_data_i[0] = word;
    link.arrived_i = link.request_load_i = !comes;
  });
}

TEST(RouterLink, StoresEachFlitOfALinkOnceInTheBufferOfItsClass) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_link> link(random.seed());
  std::array<std::deque<std::uint32_t>, 2> inside;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    const auto word = static_cast<std::uint32_t>(random.bits64());
    const bool reply = random.chance(50);
    const bool valid = random.chance(50) && inside[reply].size() < 4;
    std::array<bool, 2> load{};
    for (unsigned c = 0; c < 2; ++c) load[c] = !inside[c].empty() && random.chance(50);
    link->link_valid_i = valid;
    link->link_reply_i = reply;
    link->link_tail_i = word & 1;
    for (unsigned i = 0; i < 4; ++i) link->link_data_i[i] = word + i;
    link->request_load_i = load[0];
    link->reply_load_i = load[1];
    link.tick();
    for (unsigned c = 0; c < 2; ++c) {
      if (!load[c]) continue;
      const std::uint32_t oldest = inside[c].front();
      inside[c].pop_front();
      const auto& data = c == 0 ? link->request_data_o : link->reply_data_o;
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(data[i], oldest + i) << "cycle " << cycle;
      ASSERT_EQ(c == 0 ? link->request_tail_o : link->reply_tail_o, oldest & 1);
    }
    if (valid) inside[reply].push_back(word);
  }
}

}  // namespace
}  // namespace torusmu::testing
