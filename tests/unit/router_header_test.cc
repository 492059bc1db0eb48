// SPDX-License-Identifier: Apache-2.0
// verilator: -GLEGAL=126

#include <gtest/gtest.h>

#include "Vmu_router_header.h"
#include "tests/support/clocked.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLocal = 6;

// Input 0 of node (1, 1, 1) of a 4x4x4 torus: packets that came from the +x neighbour.
class RouterHeader : public ::testing::Test {
 protected:
  void SetUp() override {
    header_->strap_x_i = header_->strap_y_i = header_->strap_z_i = 1;
    header_->strap_last_x_i = header_->strap_last_y_i = header_->strap_last_z_i = 3;
    header_->strap_torus_i = 7;
  }
  unsigned port_of(unsigned x, unsigned y, unsigned z, unsigned source) {
    header_->data_i[0] = x | y << 4 | z << 8 | source << 12;
    header_->valid_i = header_->head_i = 1;
    header_->arrived_i = 0;
    header_.tick();
    header_->valid_i = header_->head_i = 0;
    header_->data_i[0] = 0;
    header_->arrived_i = 1;
    header_.settle();
    return header_->port_o;
  }

  Clocked<Vmu_router_header> header_;
};

TEST_F(RouterHeader, NamesTheOutputInTheCycleAfterTheHeader) {
  EXPECT_EQ(port_of(0, 2, 0, 0), 1U);
  EXPECT_EQ(port_of(1, 2, 0, 0), 2U);
  EXPECT_EQ(port_of(1, 0, 0, 0), 3U);
  EXPECT_EQ(port_of(1, 1, 2, 0), 4U);
  EXPECT_EQ(port_of(1, 1, 0, 0), 5U);
  EXPECT_EQ(port_of(1, 1, 1, 0), kLocal);
  header_->arrived_i = 0;
  header_.settle();
  EXPECT_EQ(header_->port_o, 0U);
}

TEST_F(RouterHeader, SplitsTiesByTheSumOfTheSourcesCoordinates) {
  EXPECT_EQ(port_of(1, 3, 1, 0x000), 2U);
  EXPECT_EQ(port_of(1, 3, 1, 0x001), 3U);
  EXPECT_EQ(port_of(1, 3, 1, 0x110), 2U);
  EXPECT_EQ(port_of(1, 3, 1, 0x111), 3U);
}

TEST_F(RouterHeader, SendsAForbiddenTurnToTheLocalPort) { EXPECT_EQ(port_of(2, 1, 1, 0), kLocal); }

}  // namespace
}  // namespace torusmu::testing
