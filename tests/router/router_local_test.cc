// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_local.h"
#include "tests/support/clocked.h"
#include "tests/support/router_ways.h"

namespace torusmu::testing {
namespace {

TEST(RouterLocal, TakesAFlitOnlyWithRoomAndHandsItToAllOutputs) {
  Clocked<Vmu_router_local> local;
  local->strap_last_x_i = local->strap_x_i = 1;
  local->inject_valid_i = 1;
  local->inject_head_i = 1;
  local->inject_data_i[1] = 9;  // to (0, 0, 0)
  local->room_i = 0;
  local.settle();
  EXPECT_EQ(local->entered_o, 0);
  EXPECT_EQ(local->inject_ready_o, 0);
  local->room_i = 1;
  local.settle();
  EXPECT_EQ(local->entered_o, 1);
  local.tick();
  local->inject_valid_i = 0;
  local->arrived_i = 1;
  local->load_i = 1;
  local.settle();
  EXPECT_EQ(local->port_o, 1);
  local.tick();
  EXPECT_EQ(local->data_o[1], 9U);
}

TEST(RouterLocal, NamesTheOutputThatAHeaderWantsInAnyMachine) {
  expect_output_of_any_header<Vmu_router_local>([](auto& local, bool comes, std::uint32_t word) {
    local.room_i = 1;
    local.inject_valid_i = local.inject_head_i = comes;
    local.inject_data_i[0] = word;
    local.arrived_i = local.load_i = !comes;
  });
}

TEST(RouterLocal, EjectsWhatTheClassSelects) {
  Clocked<Vmu_router_local> local;
  const std::array inputs{&local->data_0_i, &local->data_1_i, &local->data_2_i, &local->data_3_i,
                          &local->data_4_i, &local->data_5_i, &local->data_6_i};
  for (unsigned input = 0; input < 7; ++input) (*inputs[input])[2] = 90 + input;
  for (unsigned input = 0; input < 7; ++input) {
    local->owner_i = static_cast<CData>(1U << input);
    local->send_i = local->first_i = 1;
    local->eject_ready_i = 0;
    local.settle();
    EXPECT_EQ(local->open_o, 1);
    local.tick();
    local->send_i = 0;
    local.settle();
    EXPECT_EQ(local->eject_valid_o, 1);
    EXPECT_EQ(local->eject_head_o, 1);
    EXPECT_EQ(local->eject_data_o[2], 90 + input);
    EXPECT_EQ(local->open_o, 0);
    local->eject_ready_i = 1;
    local.tick();
  }
}

TEST(RouterLocal, TakesNothingThatIsNotOffered) {
  Clocked<Vmu_router_local> local;
  local->room_i = 1;
  local->inject_valid_i = 0;
  local.settle();
  EXPECT_EQ(local->entered_o, 0);
}

}  // namespace
}  // namespace torusmu::testing
