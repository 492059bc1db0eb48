// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=8 -GEXPONENT_BITS=4

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "Vmu_reduction_compare.h"
#include "tests/support/small_float.h"

namespace torusmu::testing {
namespace {

class ReductionCompare : public ::testing::Test {
 protected:
  void compare(unsigned left, unsigned right, bool is_float, bool is_signed, bool largest) {
    compare_.left_i = static_cast<std::uint8_t>(left);
    compare_.right_i = static_cast<std::uint8_t>(right);
    compare_.valid_i = 1;
    compare_.float_i = is_float;
    compare_.signed_i = is_signed;
    compare_.largest_i = largest;
    compare_.eval();
  }
  // `order` < 0: left before right.
  template <typename Order>
  void every_pair(bool is_float, bool is_signed, Order order) {
    for (unsigned pair = 0; pair < 65536; ++pair) {
      const auto left = static_cast<std::uint8_t>(pair >> 8);
      const auto right = static_cast<std::uint8_t>(pair);
      for (const bool largest : {false, true}) {
        compare(left, right, is_float, is_signed, largest);
        const int place = order(left, right) * (largest ? -1 : 1);
        ASSERT_EQ(compare_.right_wins_o, place > 0)
            << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_EQ(compare_.tie_o, place == 0)
            << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_FALSE(compare_.nan_o);
      }
    }
  }

  Vmu_reduction_compare compare_;
};

TEST_F(ReductionCompare, OrdersUnsignedIntegers) {
  every_pair(false, false, [](std::uint8_t a, std::uint8_t b) { return a - b; });
}

TEST_F(ReductionCompare, OrdersSignedIntegers) {
  every_pair(false, true, [](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::int8_t>(a) - static_cast<std::int8_t>(b);
  });
}

TEST_F(ReductionCompare, OrdersFloatsWithMinusZeroBelowZeroAndNanAlwaysFirst) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    const auto left = static_cast<std::uint8_t>(pair >> 8);
    const auto right = static_cast<std::uint8_t>(pair);
    const double a = value_of_small(left);
    const double b = value_of_small(right);
    for (const bool largest : {false, true}) {
      compare(left, right, true, false, largest);
      ASSERT_EQ(compare_.nan_o, std::isnan(a) || std::isnan(b));
      bool wins = std::isnan(b) && !std::isnan(a);
      bool tie = std::isnan(b) && std::isnan(a);
      if (!compare_.nan_o) {
        const bool below = b < a || (a == b && std::signbit(b) && !std::signbit(a));
        const bool above = b > a || (a == b && std::signbit(a) && !std::signbit(b));
        wins = largest ? above : below;
        tie = !above && !below;
      }
      ASSERT_EQ(compare_.right_wins_o, wins) << a << " " << b;
      ASSERT_EQ(compare_.tie_o, tie) << a << " " << b;
    }
  }
}

TEST_F(ReductionCompare, SaysNothingWhileNothingIsCompared) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    for (const bool is_float : {false, true}) {
      compare(pair >> 8, pair, is_float, pair % 3 == 0, pair % 2 == 0);
      compare_.valid_i = 0;
      compare_.eval();
      ASSERT_FALSE(compare_.right_wins_o || compare_.tie_o || compare_.nan_o) << std::hex << pair;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
