// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_router_class.h"
#include "tests/support/clocked.h"

namespace torusmu::testing {
namespace {

TEST(RouterClass, MovesAPacketFromItsInputToTheOutputItWants) {
  Clocked<Vmu_router_class> control;
  control->open_i = 0x7f;
  control->wrote_i = control->arrived_i = 1 << 1;
  control->port_1_i = 0;
  control.settle();
  EXPECT_EQ(control->load_o, 1U << 1);
  control.tick();  // head in the read register, its wish known
  control->arrived_i = 0;
  control.settle();
  EXPECT_EQ(control->load_o, 0U) << "nothing leaves before the grant";
  control.tick();  // granted; the tail, written meanwhile, waits
  control->wrote_i = 0;
  control.settle();
  EXPECT_EQ(control->send_o, 1U << 0);
  EXPECT_EQ(control->first_o & 1U, 1U);
  EXPECT_EQ(control->owner_o & 0x7f, 1U << 1);
  EXPECT_EQ(control->last_o, 0U);
  EXPECT_EQ(control->load_o, 1U << 1);
  control.tick();
  control->tail_1_i = 1;
  control.settle();
  EXPECT_EQ(control->send_o, 1U << 0);
  EXPECT_EQ(control->last_o, 1U << 0);
  EXPECT_EQ(control->freed_o, 0U);
  control.tick();
  EXPECT_EQ(control->freed_o, 1U << 1);
  EXPECT_TRUE(control->busy_o);
  control.tick();
  EXPECT_EQ(control->freed_o, 0U);
  EXPECT_FALSE(control->busy_o);
}

TEST(RouterClass, SendsNothingWhileItsOutputIsClosed) {
  Clocked<Vmu_router_class> control;
  control->open_i = 0x7e;
  control->wrote_i = control->arrived_i = 1 << 1;
  control.tick();
  control->wrote_i = control->arrived_i = 0;
  for (int i = 0; i < 5; ++i) {
    control.tick();
    EXPECT_EQ(control->send_o, 0U);
  }
  control->open_i = 0x7f;
  control.settle();
  EXPECT_EQ(control->send_o, 1U);
}

TEST(RouterClass, ReturnsTheReservedPlaceOfARingWithAPulseOfTwoCycles) {
  for (const bool home : {false, true}) {
    Clocked<Vmu_router_class> control;
    control->home_i = home ? 7 : 0;
    control.reset();
    control->open_i = 0x7f;
    control->wrote_i = control->arrived_i = 1 << 1;  // from x- on to x+
    control.tick();
    control->arrived_i = 0;
    control.tick();
    control->wrote_i = 0;
    control.tick();
    control->tail_1_i = 1;
    unsigned pulse = 0;
    for (int i = 0; i < 6; ++i) {
      control.tick();
      pulse += control->freed_o == 1 << 1;
    }
    EXPECT_EQ(pulse, home ? 2U : 1U);
    EXPECT_FALSE(control->busy_o);
  }
}

}  // namespace
}  // namespace torusmu::testing
