// SPDX-License-Identifier: Apache-2.0
// verilator: -GLEGAL=126
// model: Vmu_router_header_127 mu_router_header -GLEGAL=127
// model: Vmu_router_header_125 mu_router_header -GLEGAL=125
// model: Vmu_router_header_116 mu_router_header -GLEGAL=116
// model: Vmu_router_header_120 mu_router_header -GLEGAL=120
// model: Vmu_router_header_80 mu_router_header -GLEGAL=80
// model: Vmu_router_header_96 mu_router_header -GLEGAL=96

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_router_header.h"
#include "Vmu_router_header_116.h"
#include "Vmu_router_header_120.h"
#include "Vmu_router_header_125.h"
#include "Vmu_router_header_127.h"
#include "Vmu_router_header_80.h"
#include "Vmu_router_header_96.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/router_ways.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// Input 0 of node (1, 1, 1) of a 4x4x4 torus: packets that came from the +x neighbour.
class RouterHeader : public ::testing::Test {
 protected:
  void SetUp() override { header_->straps_i = Straps{1, 1, 1, 3, 3, 3, 7}.word(); }
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
  EXPECT_EQ(port_of(0, 2, 0, 0), 1U << 1);
  EXPECT_EQ(port_of(1, 2, 0, 0), 1U << 2);
  EXPECT_EQ(port_of(1, 0, 0, 0), 1U << 3);
  EXPECT_EQ(port_of(1, 1, 2, 0), 1U << 4);
  EXPECT_EQ(port_of(1, 1, 0, 0), 1U << 5);
  EXPECT_EQ(port_of(1, 1, 1, 0), 1U << kLocalOutput);
  header_->arrived_i = 0;
  header_.settle();
  EXPECT_EQ(header_->port_o, 0U);
}

TEST_F(RouterHeader, SplitsTiesByTheSumOfTheSourcesCoordinates) {
  EXPECT_EQ(port_of(1, 3, 1, 0x000), 1U << 2);
  EXPECT_EQ(port_of(1, 3, 1, 0x001), 1U << 3);
  EXPECT_EQ(port_of(1, 3, 1, 0x110), 1U << 2);
  EXPECT_EQ(port_of(1, 3, 1, 0x111), 1U << 3);
}

TEST_F(RouterHeader, SendsAForbiddenTurnToTheLocalPort) {
  EXPECT_EQ(port_of(2, 1, 1, 0), 1U << kLocalOutput);
}

// LEGAL has a bit for each output.
template <typename Model>
void keep_the_last_header(unsigned legal) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> header(random.seed());
  std::uint32_t kept = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const RouterPlace place = any_place(random);
    place.drive(header);
    header->valid_i = cycle == 0 || random.chance(70);
    header->head_i = cycle == 0 || random.chance(40);
    header->arrived_i = cycle != 0 && random.chance(70);
    const std::uint32_t word =
        random.chance(80) ? place.any_header(random) : static_cast<std::uint32_t>(random.bits64());
    header->data_i[0] = word;
    header.settle();
    unsigned port = 0;
    if (header->arrived_i) {
      port = place.output_of(kept);
      if ((legal >> port & 1) == 0) port = kLocalOutput;  // a forbidden turn
    }
    ASSERT_EQ(header->port_o, header->arrived_i ? 1U << port : 0)
        << "cycle " << cycle << " header " << std::hex << kept;
    if (header->valid_i && header->head_i) kept = word;
    header.tick();
  }
}

TEST(RouterHeaderOfEachInput, KeepsTheLastHeaderWhateverElseComes) {
  keep_the_last_header<Vmu_router_header>(126);
  keep_the_last_header<Vmu_router_header_127>(127);
  keep_the_last_header<Vmu_router_header_125>(125);
  keep_the_last_header<Vmu_router_header_116>(116);
  keep_the_last_header<Vmu_router_header_120>(120);
  keep_the_last_header<Vmu_router_header_80>(80);
  keep_the_last_header<Vmu_router_header_96>(96);
}

}  // namespace
}  // namespace torusmu::testing
