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
#include "tests/support/seed.h"

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

// The output in one dimension: its plus port, one more for minus, or none.
int way(unsigned own, unsigned dst, unsigned last, bool torus, bool odd) {
  if (own == dst) return -1;
  if (!torus) return dst > own ? 0 : 1;
  const unsigned plus = dst > own ? dst - own : dst + last + 1 - own;
  const unsigned minus = last + 1 - plus;
  return plus < minus || (plus == minus && !odd) ? 0 : 1;
}

// LEGAL has a bit for each output.
template <typename Model>
void keep_the_last_header(unsigned legal) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> header(random.seed());
  std::uint32_t kept = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const auto x = static_cast<unsigned>(random.below(16));
    const auto y = static_cast<unsigned>(random.below(16));
    const auto z = static_cast<unsigned>(random.below(16));
    header->strap_x_i = static_cast<CData>(x);
    header->strap_y_i = static_cast<CData>(y);
    header->strap_z_i = static_cast<CData>(z);
    header->strap_last_x_i = header->strap_last_y_i = header->strap_last_z_i = 15;
    const auto torus = static_cast<unsigned>(random.below(8));
    header->strap_torus_i = static_cast<CData>(torus);
    header->valid_i = cycle == 0 || random.chance(70);
    header->head_i = cycle == 0 || random.chance(40);
    header->arrived_i = cycle != 0 && random.chance(70);
    // Often only one coordinate is not that of the node.
    std::uint32_t word = static_cast<std::uint32_t>(random.bits64());
    if (random.chance(60)) word = (word & ~0xFFU) | x | y << 4;
    header->data_i[0] = word;
    header.settle();
    unsigned port = 0;
    if (header->arrived_i) {
      const bool odd = ((kept >> 12 ^ kept >> 16 ^ kept >> 20) & 1) != 0;
      const int in_x = way(x, kept & 15, 15, (torus & 1) != 0, odd);
      const int in_y = way(y, kept >> 4 & 15, 15, (torus & 2) != 0, odd);
      const int in_z = way(z, kept >> 8 & 15, 15, (torus & 4) != 0, odd);
      port = in_x >= 0   ? static_cast<unsigned>(in_x)
             : in_y >= 0 ? 2 + static_cast<unsigned>(in_y)
             : in_z >= 0 ? 4 + static_cast<unsigned>(in_z)
                         : kLocal;
      if ((legal >> port & 1) == 0) port = kLocal;  // a forbidden turn
    }
    ASSERT_EQ(header->port_o, port) << "cycle " << cycle << " header " << std::hex << kept;
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
