// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <verilated.h>

#include <array>

#include "Vmu_route.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLocal = 1U << 6;

class RouteTest : public ::testing::Test {
 protected:
  // One-hot output at `own` of a ring or line of `size` in dimension `d`, others of size 1.
  unsigned along(unsigned d, unsigned own, unsigned to, unsigned size, bool torus, bool odd) {
    at({0, 0, 0}, {0, 0, 0}, {0, 0, 0});
    std::array<CData*, 3> owns{&route_.own_x_i, &route_.own_y_i, &route_.own_z_i};
    std::array<CData*, 3> dsts{&route_.dst_x_i, &route_.dst_y_i, &route_.dst_z_i};
    std::array<CData*, 3> lasts{&route_.last_x_i, &route_.last_y_i, &route_.last_z_i};
    *owns[d] = static_cast<CData>(own);
    *dsts[d] = static_cast<CData>(to);
    *lasts[d] = static_cast<CData>(size - 1);
    route_.torus_i = torus ? 7 : 0;
    route_.src_odd_i = odd;
    return eval();
  }
  void at(std::array<unsigned, 3> own, std::array<unsigned, 3> to, std::array<unsigned, 3> last) {
    route_.valid_i = 1;
    route_.own_x_i = static_cast<CData>(own[0]);
    route_.own_y_i = static_cast<CData>(own[1]);
    route_.own_z_i = static_cast<CData>(own[2]);
    route_.dst_x_i = static_cast<CData>(to[0]);
    route_.dst_y_i = static_cast<CData>(to[1]);
    route_.dst_z_i = static_cast<CData>(to[2]);
    route_.last_x_i = static_cast<CData>(last[0]);
    route_.last_y_i = static_cast<CData>(last[1]);
    route_.last_z_i = static_cast<CData>(last[2]);
    route_.torus_i = 7;
    route_.src_odd_i = 0;
  }
  unsigned eval() {
    route_.eval();
    return route_.port_o;
  }

  VerilatedContext context_;
  Vmu_route route_{&context_};
};

TEST_F(RouteTest, GoesTheShorterWayRoundEveryRingAndSplitsTiesByTheSource) {
  for (unsigned d = 0; d < 3; ++d) {
    for (unsigned size = 1; size <= 16; ++size) {
      for (unsigned own = 0; own < size; ++own) {
        for (unsigned to = 0; to < size; ++to) {
          const unsigned forward = (to + size - own) % size;
          for (const bool odd : {false, true}) {
            const bool plus = 2 * forward < size || (2 * forward == size && !odd);
            const unsigned expected = to == own ? kLocal : (plus ? 1U : 2U) << 2 * d;
            ASSERT_EQ(along(d, own, to, size, true, odd), expected)
                << "dimension " << d << " size " << size << " from " << own << " to " << to;
          }
        }
      }
    }
  }
}

TEST_F(RouteTest, GoesStraightAlongEveryLineOfAMesh) {
  for (unsigned d = 0; d < 3; ++d) {
    for (unsigned own = 0; own < 16; ++own) {
      for (unsigned to = 0; to < 16; ++to) {
        const unsigned expected = to == own ? kLocal : (to > own ? 1U : 2U) << 2 * d;
        ASSERT_EQ(along(d, own, to, 16, false, (own + to) % 2 != 0), expected);
      }
    }
  }
}

TEST_F(RouteTest, FinishesXBeforeYAndYBeforeZ) {
  at({1, 1, 1}, {2, 2, 2}, {3, 3, 3});
  EXPECT_EQ(eval(), 1U << 0);
  at({2, 1, 1}, {2, 2, 2}, {3, 3, 3});
  EXPECT_EQ(eval(), 1U << 2);
  at({2, 2, 1}, {2, 2, 2}, {3, 3, 3});
  EXPECT_EQ(eval(), 1U << 4);
}

TEST_F(RouteTest, SendsWhatIsForNoNodeOfTheMachineToTheLocalPort) {
  at({1, 1, 1}, {4, 1, 1}, {3, 3, 3});
  EXPECT_EQ(eval(), kLocal);
  at({1, 1, 1}, {2, 15, 1}, {3, 3, 3});
  EXPECT_EQ(eval(), kLocal);
  at({1, 1, 1}, {2, 2, 4}, {3, 3, 3});
  EXPECT_EQ(eval(), kLocal);
}

TEST_F(RouteTest, SendsWhatIsBeyondAnyLastNodeOfADimensionToTheLocalPort) {
  for (unsigned d = 0; d < 3; ++d) {
    for (unsigned last = 0; last < 15; ++last) {
      for (unsigned beyond = last + 1; beyond < 16; ++beyond) {
        std::array<unsigned, 3> to{2, 2, 2}, lasts{3, 3, 3}, own{1, 1, 1};
        to[d] = beyond;
        lasts[d] = last;
        own[d] = 0;
        at(own, to, lasts);
        ASSERT_EQ(eval(), kLocal) << "dimension " << d << " to " << beyond << " beyond " << last;
      }
    }
  }
}

TEST_F(RouteTest, WantsNothingWithoutAHeader) {
  at({1, 1, 1}, {2, 2, 2}, {3, 3, 3});
  route_.valid_i = 0;
  EXPECT_EQ(eval(), 0U);
}

}  // namespace
}  // namespace torusmu::testing
