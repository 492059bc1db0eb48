// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_router_local.h"
#include "tests/support/clocked.h"

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

TEST(RouterLocal, EjectsWhatTheClassSelects) {
  Clocked<Vmu_router_local> local;
  local->data_3_i[2] = 99;
  local->owner_i = 1 << 3;
  local->send_i = local->first_i = 1;
  local.settle();
  EXPECT_EQ(local->open_o, 1);
  local.tick();
  local->send_i = 0;
  local.settle();
  EXPECT_EQ(local->eject_valid_o, 1);
  EXPECT_EQ(local->eject_head_o, 1);
  EXPECT_EQ(local->eject_data_o[2], 99U);
  EXPECT_EQ(local->open_o, 0);
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
