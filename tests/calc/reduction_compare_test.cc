// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=8 -GEXPONENT_BITS=4
// model: Vmu_reduction_compare_32 mu_reduction_compare -GWIDTH=32 -GEXPONENT_BITS=8
// model: Vmu_reduction_compare_64 mu_reduction_compare -GWIDTH=64 -GEXPONENT_BITS=11

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Vmu_reduction_compare.h"
#include "Vmu_reduction_compare_32.h"
#include "Vmu_reduction_compare_64.h"
#include "tests/support/seed.h"
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

// Elements of the node's widths, many of which differ in one bit, as the processor orders them.
template <typename Model, typename Float>
class ComparesElements {
  using Unsigned = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  using Signed = std::make_signed_t<Unsigned>;
  static constexpr unsigned kBits = 8 * sizeof(Float);

 public:
  void run() {
    SCOPED_TRACE(random_.replay());
    for (int i = 0; i < 60000 && !::testing::Test::HasFatalFailure(); ++i) {
      const Unsigned left = any_element();
      Unsigned right = random_.chance(30) ? any_element() : left;
      if (random_.chance(60)) right ^= Unsigned{1} << random_.below(kBits);
      compare(left, right);
    }
  }

 private:
  Unsigned any_element() {
    auto element = static_cast<Unsigned>(random_.bits64());
    // Infinities, NaNs and zeros are rare otherwise.
    const auto infinity = std::bit_cast<Unsigned>(std::numeric_limits<Float>::infinity());
    if (random_.chance(10)) element |= infinity;
    if (random_.chance(10)) element &= infinity | Unsigned{1} << (kBits - 1);
    if (random_.chance(5)) element &= Unsigned{1} << (kBits - 1);
    return element;
  }
  template <typename T>
  static int order(T left, T right) {
    return (left > right) - (left < right);
  }
  static int order_of_floats(Float left, Float right) {
    const int order_of_zeros = std::signbit(right) - std::signbit(left);
    return left == right ? order_of_zeros : order(left, right);
  }
  void compare(Unsigned left, Unsigned right) {
    const auto a = std::bit_cast<Float>(left), b = std::bit_cast<Float>(right);
    for (unsigned kind = 0; kind < 6; ++kind) {
      const bool is_float = kind / 2 == 2, is_signed = kind / 2 == 1, largest = kind % 2 != 0;
      compare_.left_i = left;
      compare_.right_i = right;
      compare_.valid_i = 1;
      compare_.float_i = is_float;
      compare_.signed_i = is_signed;
      compare_.largest_i = largest;
      compare_.eval();
      const bool nan = is_float && (std::isnan(a) || std::isnan(b));
      int place = is_float    ? order_of_floats(a, b)
                  : is_signed ? order(static_cast<Signed>(left), static_cast<Signed>(right))
                              : order(left, right);
      if (largest) place = -place;
      if (nan) place = std::isnan(b) - std::isnan(a);
      ASSERT_EQ(compare_.nan_o, nan) << std::hex << left << " " << right;
      ASSERT_EQ(compare_.right_wins_o, place > 0) << std::hex << left << " " << right;
      ASSERT_EQ(compare_.tie_o, place == 0) << std::hex << left << " " << right;
    }
  }

  Random random_;
  Model compare_;
};

TEST(ReductionCompareOfTheNode, Orders32BitsAsTheProcessorDoes) {
  ComparesElements<Vmu_reduction_compare_32, float>().run();
}

TEST(ReductionCompareOfTheNode, Orders64BitsAsTheProcessorDoes) {
  ComparesElements<Vmu_reduction_compare_64, double>().run();
}

}  // namespace
}  // namespace torusmu::testing
