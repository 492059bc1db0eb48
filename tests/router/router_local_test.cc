// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_local.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/router_ways.h"

namespace torusmu::testing {
namespace {

namespace stream = layout::flit_stream;

TEST(RouterLocal, TakesAFlitOnlyWithRoomAndHandsItToAllOutputs) {
  Clocked<Vmu_router_local> local;
  local->straps_i = Straps{.x = 1, .last_x = 1}.word();
  put<stream::valid>(local->inject_i, 1);
  put<stream::head>(local->inject_i, 1);
  put_flit(local->inject_i, 0, {0, 9});  // to (0, 0, 0)
  local->room_i = 0;
  local.settle();
  EXPECT_EQ(local->entered_o, 0);
  EXPECT_EQ(local->inject_ready_o, 0);
  local->room_i = 1;
  local.settle();
  EXPECT_EQ(local->entered_o, 1);
  local.tick();
  put<stream::valid>(local->inject_i, 0);
  local->arrived_i = 1;
  local->load_i = 1;
  local.settle();
  EXPECT_EQ(local->port_o, 1 << 1);
  local.tick();
  EXPECT_EQ(local->data_o[1], 9U);
}

TEST(RouterLocal, NamesTheOutputThatAHeaderWantsInAnyMachine) {
  expect_output_of_any_header<Vmu_router_local>([](auto& local, bool comes, std::uint32_t word) {
    local.room_i = 1;
    put<stream::valid>(local.inject_i, comes);
    put<stream::head>(local.inject_i, comes);
    put_flit(local.inject_i, 0, {word});
    local.arrived_i = local.load_i = !comes;
  });
}

TEST(RouterLocal, EjectsWhatTheClassSelects) {
  Clocked<Vmu_router_local> local;
  const std::array flits{&local->data_xp_i, &local->data_xm_i, &local->data_yp_i,
                         &local->data_ym_i, &local->data_zp_i, &local->data_zm_i};
  for (unsigned input = 0; input < 6; ++input) put_flit(*flits[input], 0, {0, 0, 90 + input});
  // What was injected for the node itself is at input 6.
  local->room_i = 1;
  put<stream::valid>(local->inject_i, 1);
  put_flit(local->inject_i, 0, {0, 0, 96});
  local.tick();
  put<stream::valid>(local->inject_i, 0);
  local->load_i = 1;
  local.tick();
  local->load_i = 0;
  for (unsigned input = 0; input < 7; ++input) {
    local->owner_i = static_cast<CData>(1U << input);
    local->send_i = local->first_i = 1;
    local->eject_ready_i = 0;
    local.settle();
    EXPECT_EQ(local->open_o, 1);
    local.tick();
    local->send_i = 0;
    local.settle();
    EXPECT_EQ(get<stream::valid>(local->eject_o), 1U);
    EXPECT_EQ(get<stream::head>(local->eject_o), 1U);
    EXPECT_EQ(get_flit(local->eject_o)[2], 90 + input);
    EXPECT_EQ(local->open_o, 0);
    local->eject_ready_i = 1;
    local.tick();
  }
}

TEST(RouterLocal, TakesNothingThatIsNotOffered) {
  Clocked<Vmu_router_local> local;
  local->room_i = 1;
  put<stream::valid>(local->inject_i, 0);
  local.settle();
  EXPECT_EQ(local->entered_o, 0);
}

}  // namespace
}  // namespace torusmu::testing
