// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=8 -GEXPONENT_BITS=4 -GNARROW_EXPONENT_BITS=2
// model: Vmu_reduction_compare_16 mu_reduction_compare -GWIDTH=16 -GNARROW_EXPONENT_BITS=4
// model: Vmu_reduction_compare_64 mu_reduction_compare

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Vmu_reduction_compare.h"
#include "Vmu_reduction_compare_16.h"
#include "Vmu_reduction_compare_64.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"
#include "tests/support/small_float.h"

namespace torusmu::testing {
namespace {

enum class Part { kWide, kLower, kUpper };

struct Winner {
  bool right_wins, tie, nan;
};

// Compares elements of so many bits, all of the unit's or in one of its halves; then the other one
// has any elements of any kind.
template <typename Model, unsigned kBits, Part kPart>
class Compares {
 public:
  explicit Compares(Random& random) : random_(random) {}

  Winner compare(std::uint64_t left, std::uint64_t right, bool is_float, bool is_signed,
                 bool largest, bool valid = true) {
    compare_.valid_i = valid;
    compare_.wide_i = kPart == Part::kWide;
    compare_.float_i = kind(is_float);
    compare_.signed_i = kind(is_signed);
    compare_.largest_i = kind(largest);
    set(compare_.left_i, placed(left));
    set(compare_.right_i, placed(right));
    compare_.eval();
    if (kPart == Part::kWide || !valid) {
      for (const unsigned both : {compare_.right_wins_o, compare_.tie_o, compare_.nan_o}) {
        EXPECT_TRUE(both == 0 || both == 3);
      }
    }
    const auto mine = [](unsigned both) { return (both >> (kPart == Part::kUpper) & 1) != 0; };
    return {mine(compare_.right_wins_o), mine(compare_.tie_o), mine(compare_.nan_o)};
  }

 private:
  std::uint8_t kind(bool mine) {
    if (kPart == Part::kWide) return mine ? 3 : 0;
    const unsigned other = random_.chance(50);
    return static_cast<std::uint8_t>(kPart == Part::kUpper ? mine << 1 | other : other << 1 | mine);
  }
  std::uint64_t placed(std::uint64_t element) {
    if (kPart == Part::kWide) return element;
    const std::uint64_t other = random_.bits64() & ((1ULL << kBits % 64) - 1);
    return kPart == Part::kUpper ? element << kBits % 64 | other : other << kBits % 64 | element;
  }

  Random& random_;
  Model compare_;
};

template <typename Comparing>
class ReductionCompare : public ::testing::Test {
 protected:
  // `order` < 0: left before right.
  template <typename Order>
  void every_pair(bool is_float, bool is_signed, Order order) {
    for (unsigned pair = 0; pair < 65536; ++pair) {
      const auto left = static_cast<std::uint8_t>(pair >> 8);
      const auto right = static_cast<std::uint8_t>(pair);
      for (const bool largest : {false, true}) {
        const Winner winner = compare_.compare(left, right, is_float, is_signed, largest);
        const int place = order(left, right) * (largest ? -1 : 1);
        ASSERT_EQ(winner.right_wins, place > 0)
            << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_EQ(winner.tie, place == 0) << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_FALSE(winner.nan);
      }
    }
  }

  Random random_;
  Comparing compare_{random_};
};

using OfEightBits = ::testing::Types<Compares<Vmu_reduction_compare, 8, Part::kWide>,
                                     Compares<Vmu_reduction_compare_16, 8, Part::kLower>,
                                     Compares<Vmu_reduction_compare_16, 8, Part::kUpper>>;
TYPED_TEST_SUITE(ReductionCompare, OfEightBits);

TYPED_TEST(ReductionCompare, OrdersUnsignedIntegers) {
  this->every_pair(false, false, [](std::uint8_t a, std::uint8_t b) { return a - b; });
}

TYPED_TEST(ReductionCompare, OrdersSignedIntegers) {
  this->every_pair(false, true, [](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::int8_t>(a) - static_cast<std::int8_t>(b);
  });
}

TYPED_TEST(ReductionCompare, OrdersFloatsWithMinusZeroBelowZeroAndNanAlwaysFirst) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    const auto left = static_cast<std::uint8_t>(pair >> 8);
    const auto right = static_cast<std::uint8_t>(pair);
    const double a = value_of_small(left);
    const double b = value_of_small(right);
    for (const bool largest : {false, true}) {
      const Winner winner = this->compare_.compare(left, right, true, false, largest);
      ASSERT_EQ(winner.nan, std::isnan(a) || std::isnan(b));
      bool wins = std::isnan(b) && !std::isnan(a);
      bool tie = std::isnan(b) && std::isnan(a);
      if (!winner.nan) {
        const bool below = b < a || (a == b && std::signbit(b) && !std::signbit(a));
        const bool above = b > a || (a == b && std::signbit(a) && !std::signbit(b));
        wins = largest ? above : below;
        tie = !above && !below;
      }
      ASSERT_EQ(winner.right_wins, wins) << a << " " << b;
      ASSERT_EQ(winner.tie, tie) << a << " " << b;
    }
  }
}

TYPED_TEST(ReductionCompare, SaysNothingWhileNothingIsCompared) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    for (const bool is_float : {false, true}) {
      const Winner winner = this->compare_.compare(pair >> 8, pair & 255, is_float, pair % 3 == 0,
                                                   pair % 2 == 0, false);
      ASSERT_FALSE(winner.right_wins || winner.tie || winner.nan) << std::hex << pair;
    }
  }
}

// Elements of the node's widths, many of which differ in one bit, as the processor orders them.
template <typename Comparing, typename Float>
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
      const Winner winner = compare_.compare(left, right, is_float, is_signed, largest);
      const bool nan = is_float && (std::isnan(a) || std::isnan(b));
      int place = is_float    ? order_of_floats(a, b)
                  : is_signed ? order(static_cast<Signed>(left), static_cast<Signed>(right))
                              : order(left, right);
      if (largest) place = -place;
      if (nan) place = std::isnan(b) - std::isnan(a);
      ASSERT_EQ(winner.nan, nan) << std::hex << left << " " << right;
      ASSERT_EQ(winner.right_wins, place > 0) << std::hex << left << " " << right;
      ASSERT_EQ(winner.tie, place == 0) << std::hex << left << " " << right;
    }
  }

  Random random_;
  Comparing compare_{random_};
};

TEST(ReductionCompareOfTheNode, Orders32BitsAsTheProcessorDoes) {
  ComparesElements<Compares<Vmu_reduction_compare_64, 32, Part::kLower>, float>().run();
  ComparesElements<Compares<Vmu_reduction_compare_64, 32, Part::kUpper>, float>().run();
}

TEST(ReductionCompareOfTheNode, Orders64BitsAsTheProcessorDoes) {
  ComparesElements<Compares<Vmu_reduction_compare_64, 64, Part::kWide>, double>().run();
}

}  // namespace
}  // namespace torusmu::testing
