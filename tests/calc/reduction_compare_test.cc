// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Vmu_reduction_compare.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"
#include "tests/support/small_float.h"

namespace torusmu::testing {
namespace {

struct Winner {
  bool right_wins, tie, nan;
};

// Compares elements of so many bits, one of them at a place that is drawn; the others are any, of
// any kinds.
template <unsigned kBits>
class Compares {
 public:
  static constexpr unsigned kBytes = kBits / 8;

  explicit Compares(Random& random) : random_(random) {}

  // `infinity`: of a float.
  Winner compare(std::uint64_t left, std::uint64_t right, bool is_float, bool is_signed,
                 bool largest, std::uint64_t infinity, bool valid = true) {
    const unsigned place = static_cast<unsigned>(random_.below(8 / kBytes)) * kBytes;
    compare_.valid_i = valid;
    compare_.size_log2_i = static_cast<std::uint8_t>(std::countr_zero(kBytes));
    compare_.float_i = kinds(is_float, place);
    compare_.signed_i = kinds(is_signed, place);
    compare_.largest_i = kinds(largest, place);
    compare_.infinity_i = 0;
    for (unsigned at = 0; at < 64; at += kBits) compare_.infinity_i |= infinity << at;
    compare_.left_i = placed(left, place);
    compare_.right_i = placed(right, place);
    compare_.eval();
    return {judged(compare_.right_wins_o, place), judged(compare_.tie_o, place),
            judged(compare_.nan_o, place)};
  }

 private:
  static constexpr std::uint64_t kElement = ~0ULL >> (64 - kBits);
  static constexpr unsigned kAll = (1U << kBytes) - 1;  // its bytes

  std::uint8_t kinds(bool mine, unsigned place) {
    unsigned all = 0;
    for (unsigned at = 0; at < 8; at += kBytes) {
      if (at == place ? mine : random_.chance(50)) all |= kAll << at;
    }
    return static_cast<std::uint8_t>(all);
  }
  std::uint64_t placed(std::uint64_t element, unsigned place) {
    return (random_.bits64() & ~(kElement << 8 * place)) | element << 8 * place;
  }
  static bool judged(unsigned bytes, unsigned place) {
    const unsigned mine = bytes >> place & kAll;
    EXPECT_TRUE(mine == 0 || mine == kAll) << "bytes of an element that differ";
    return mine != 0;
  }

  Random& random_;
  Vmu_reduction_compare compare_;
};

class ReductionCompare : public ::testing::Test {
 protected:
  // `order` < 0: left before right.
  template <typename Order>
  void every_pair(bool is_float, bool is_signed, Order order) {
    for (unsigned pair = 0; pair < 65536; ++pair) {
      const auto left = static_cast<std::uint8_t>(pair >> 8);
      const auto right = static_cast<std::uint8_t>(pair);
      for (const bool largest : {false, true}) {
        const Winner winner = compare_.compare(left, right, is_float, is_signed, largest, 0);
        const int place = order(left, right) * (largest ? -1 : 1);
        ASSERT_EQ(winner.right_wins, place > 0)
            << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_EQ(winner.tie, place == 0) << std::hex << unsigned{left} << " " << unsigned{right};
        ASSERT_FALSE(winner.nan);
      }
    }
  }

  Random random_;
  Compares<8> compare_{random_};
};

// Infinity of the float of 8 bits with 4 of exponent.
constexpr std::uint64_t kSmallFloatInfinity = kSmallInfinity;

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
      const Winner winner =
          compare_.compare(left, right, true, false, largest, kSmallFloatInfinity);
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

TEST_F(ReductionCompare, SaysNothingWhileNothingIsCompared) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    for (const bool is_float : {false, true}) {
      const Winner winner = compare_.compare(pair >> 8, pair & 255, is_float, pair % 3 == 0,
                                             pair % 2 == 0, kSmallFloatInfinity, false);
      ASSERT_FALSE(winner.right_wins || winner.tie || winner.nan) << std::hex << pair;
    }
  }
}

// Elements of the node's types, many of which differ in one bit.
template <typename Unsigned>
class ComparesElements {
  using Signed = std::make_signed_t<Unsigned>;
  static constexpr unsigned kBits = 8 * sizeof(Unsigned);

 public:
  explicit ComparesElements(const FloatFormat& format)
      : of_the_node_(static_cast<Unsigned>(format.pack(false, format.special(), 0))) {}
  void run() {
    SCOPED_TRACE(random_.replay());
    for (int i = 0; i < 120000 && !::testing::Test::HasFatalFailure(); ++i) {
      // An exponent of the node's format, or of any bits.
      infinity_ = random_.chance(50) ? of_the_node_ : any_infinity();
      const Unsigned left = any_element();
      Unsigned right = random_.chance(30) ? any_element() : left;
      if (random_.chance(60)) right ^= static_cast<Unsigned>(1ULL << random_.below(kBits));
      compare(left, right);
    }
  }

 private:
  static constexpr Unsigned kSign = static_cast<Unsigned>(1ULL << (kBits - 1));

  Unsigned any_infinity() {
    const auto below = static_cast<unsigned>(1 + random_.below(kBits - 2));
    return static_cast<Unsigned>((kSign - 1ULL) >> below << below);
  }
  Unsigned any_element() {
    auto element = static_cast<Unsigned>(random_.bits64());
    // Infinities, NaNs and zeros are rare otherwise.
    if (random_.chance(10)) element |= infinity_;
    if (random_.chance(10)) element &= infinity_ | kSign;
    if (random_.chance(5)) element &= kSign;
    // One bit of infinity turned round, and any fraction or none with it: NaN and what is none.
    if (random_.chance(25)) {
      const auto turned = static_cast<Unsigned>(infinity_ ^ 1ULL << random_.below(kBits));
      element =
          static_cast<Unsigned>(random_.chance(50) ? turned : (element & ~infinity_) | turned);
    }
    return element;
  }
  template <typename T>
  static int order(T left, T right) {
    return (left > right) - (left < right);
  }
  bool is_nan(Unsigned bits) const { return static_cast<Unsigned>(bits & ~kSign) > infinity_; }
  // Signs first, then magnitudes.
  int order_of_floats(Unsigned left, Unsigned right) const {
    const auto value = [](Unsigned bits) {
      const auto magnitude = static_cast<__int128>(bits & ~kSign);
      return (bits & kSign) != 0 ? -magnitude - 1 : magnitude;
    };
    return order(value(left), value(right));
  }
  void compare(Unsigned left, Unsigned right) {
    for (unsigned kind = 0; kind < 6; ++kind) {
      const bool is_float = kind / 2 == 2, is_signed = kind / 2 == 1, largest = kind % 2 != 0;
      const Winner winner = compare_.compare(left, right, is_float, is_signed, largest, infinity_);
      const bool nan = is_float && (is_nan(left) || is_nan(right));
      int place = is_float    ? order_of_floats(left, right)
                  : is_signed ? order(static_cast<Signed>(left), static_cast<Signed>(right))
                              : order(left, right);
      if (largest) place = -place;
      if (nan) place = is_nan(right) - is_nan(left);
      ASSERT_EQ(winner.nan, nan) << std::hex << left << " " << right;
      ASSERT_EQ(winner.right_wins, place > 0) << std::hex << left << " " << right;
      ASSERT_EQ(winner.tie, place == 0) << std::hex << left << " " << right;
    }
  }

  Random random_;
  Unsigned of_the_node_;
  Unsigned infinity_ = of_the_node_;
  Compares<kBits> compare_{random_};
};

TEST(ReductionCompareOfTheNode, Orders16Bits) {
  ComparesElements<std::uint16_t>(kBinary16).run();
  ComparesElements<std::uint16_t>(kBfloat16).run();
}

TEST(ReductionCompareOfTheNode, Orders32Bits) { ComparesElements<std::uint32_t>(kBinary32).run(); }

TEST(ReductionCompareOfTheNode, Orders64Bits) { ComparesElements<std::uint64_t>(kBinary64).run(); }

}  // namespace
}  // namespace torusmu::testing
