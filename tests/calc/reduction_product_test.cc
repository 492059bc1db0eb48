// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=8 -GEXPONENT_BITS=4 -GNARROW_EXPONENTS=263172 -GNARROW_FRACTIONS=197379
// model: Vmu_product_8 mu_reduction_product -GNARROW_EXPONENTS=263172 -GNARROW_FRACTIONS=197379
// model: Vmu_reduction_product_64 mu_reduction_product
// Formats of 8 bits, every pair of which is tried, are the wide one of a unit and the narrow ones
// of another; binary64 and binary32 are those of the node's.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include "Vmu_product_8.h"
#include "Vmu_reduction_product.h"
#include "Vmu_reduction_product_64.h"
#include "tests/support/clocked.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"
#include "tests/support/small_float.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLatency = 8;

constexpr FloatFormat kSmall{4, 3};

// A unit that is asked for products of one of its formats, and of integers as wide.
template <typename Model, FloatFormat format, FloatFormat wide, unsigned kNumber>
class Product : public Clocked<Model> {
 public:
  using Clocked<Model>::Clocked;
  void give(bool is_float, std::uint64_t left, std::uint64_t right) {
    (*this)->float_i = is_float;
    (*this)->format_i = kNumber;
    set((*this)->left_i, is_float ? spread(left, format, wide) : left);
    set((*this)->right_i, is_float ? spread(right, format, wide) : right);
  }
  // Of an integer the bits that count.
  std::uint64_t product(bool is_float) {
    const std::uint64_t all = (*this)->product_o;
    return is_float || format.width() == 64 ? all : all & ((1ULL << format.width() % 64) - 1);
  }
};
template <unsigned kNumber>
using Product8 = Product<Vmu_reduction_product, kSmall, kSmall, kNumber>;
template <unsigned kNumber>
using NarrowProduct8 = Product<Vmu_product_8, kSmall, kBinary64, kNumber>;
using WideProduct8 = Product<Vmu_product_8, kBinary64, kBinary64, 0>;
using Product32 = Product<Vmu_reduction_product_64, kBinary32, kBinary64, 1>;
using Product64 = Product<Vmu_reduction_product_64, kBinary64, kBinary64, 0>;
using ProductF16 = Product<Vmu_reduction_product_64, kBinary16, kBinary64, 2>;
using ProductBf16 = Product<Vmu_reduction_product_64, kBfloat16, kBinary64, 3>;

struct Question {
  bool is_float;
  std::uint64_t left;
  std::uint64_t right;
};

// Asks `next()` as often as the unit is ready and judges every product.
template <typename Unit, typename Next, typename Judge>
void play(Unit& unit, unsigned count, Random& random, unsigned percent, Next next, Judge judge) {
  std::deque<Question> inside;
  for (unsigned done = 0; done < count;) {
    unit->enable_i = random.chance(percent);
    unit->start_i = 0;
    unit.settle();
    if (unit->enable_i && unit->ready_o) {
      const Question question = next();
      unit->start_i = 1;
      unit.give(question.is_float, question.left, question.right);
      inside.push_back(question);
    }
    if (unit->enable_i && unit->out_valid_o) {
      ASSERT_FALSE(inside.empty());
      const Question& asked = inside.front();
      ASSERT_EQ(unit.product(asked.is_float), judge(asked))
          << std::hex << asked.left << " * " << asked.right << (asked.is_float ? " float" : "");
      inside.pop_front();
      ++done;
    }
    unit.tick();
  }
}

template <typename Unit, typename Float, typename Bits>
void compare_with_native(const FloatFormat& format, unsigned count) {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit unit(random.seed());
  play(
      unit, count, random, 95,
      [&] {
        const bool is_float = random.chance(80);
        const Operands operands =
            is_float ? float_operands(random, format) : integer_operands(random, format.width());
        return Question{is_float, static_cast<Bits>(operands.first),
                        static_cast<Bits>(operands.second)};
      },
      [](const Question& asked) {
        const auto left = static_cast<Bits>(asked.left);
        const auto right = static_cast<Bits>(asked.right);
        if (!asked.is_float) return static_cast<Bits>(left * right);
        Float product = std::bit_cast<Float>(left) * std::bit_cast<Float>(right);
        if (std::isnan(product)) product = std::numeric_limits<Float>::quiet_NaN();
        return std::bit_cast<Bits>(product);
      });
}

template <typename Unit>
std::uint64_t multiply(Unit& unit, bool is_float, std::uint64_t left, std::uint64_t right) {
  unit->enable_i = 1;
  unit->start_i = 1;
  unit.give(is_float, left, right);
  unit.tick();
  unit->start_i = 0;
  for (unsigned i = 1; i < kLatency; ++i) {
    EXPECT_FALSE(unit->out_valid_o);
    unit.tick();
  }
  EXPECT_TRUE(unit->out_valid_o);
  return unit.product(is_float);
}

template <typename Unit>
void multiply_every_pair(bool is_float) {
  Random random;
  Unit unit;
  unsigned next = 0;
  play(
      unit, 65536, random, 100,
      [&] {
        const unsigned pair = next++ % 65536;
        return Question{is_float, pair >> 8, pair & 255};
      },
      [](const Question& asked) {
        if (!asked.is_float) return static_cast<std::uint8_t>(asked.left * asked.right);
        return round_to_small(value_of_small(static_cast<std::uint8_t>(asked.left)) *
                              value_of_small(static_cast<std::uint8_t>(asked.right)));
      });
}

TEST(ReductionProduct, MultipliesEveryPairOfEachFormatOfEightBits) {
  multiply_every_pair<Product8<0>>(true);
  multiply_every_pair<Product8<1>>(true);
  multiply_every_pair<Product8<2>>(true);
  multiply_every_pair<Product8<3>>(true);
}

TEST(ReductionProduct, MultipliesEveryPairOfEachNarrowFormatOfEightBits) {
  multiply_every_pair<NarrowProduct8<1>>(true);
  multiply_every_pair<NarrowProduct8<2>>(true);
  multiply_every_pair<NarrowProduct8<3>>(true);
}

TEST(ReductionProduct, MultipliesEveryPairOfIntegersOfEightBits) {
  multiply_every_pair<Product8<0>>(false);
  multiply_every_pair<NarrowProduct8<1>>(false);
}

TEST(ReductionProduct, MultipliesAsTheProcessorDoesWith32Bits) {
  compare_with_native<Product32, float, std::uint32_t>(kBinary32, 100000);
}

template <typename Unit>
void compare_with_model(Element element, unsigned count) {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit unit(random.seed());
  play(
      unit, count, random, 95,
      [&] {
        const Operands operands = float_operands(random, format_of(element));
        return Question{true, operands.first & 0xFFFF, operands.second & 0xFFFF};
      },
      [element](const Question& asked) {
        return reduced(Reduction::kProd, element, {asked.left, asked.right});
      });
}

TEST(ReductionProduct, MultipliesAsTheReferenceModelDoesWith16Bits) {
  compare_with_model<ProductF16>(Element::kF16, 100000);
  compare_with_model<ProductBf16>(Element::kBf16, 100000);
}

TEST(ReductionProduct, MultipliesAsTheProcessorDoesWith64BitsBesideAnyNarrowFormat) {
  compare_with_native<WideProduct8, double, std::uint64_t>(kBinary64, 100000);
}

TEST(ReductionProduct, MultipliesAsTheProcessorDoesWith64Bits) {
  compare_with_native<Product64, double, std::uint64_t>(kBinary64, 100000);
}

// A subnormal number with any zeros ahead, times each power of two from 1 on.
template <typename Unit, typename Float, typename Bits>
void multiply_subnormals(const FloatFormat& format) {
  Random random;
  Unit unit;
  const unsigned bias = (1U << (format.exponent_bits - 1)) - 1;
  unsigned zeros = 0, exponent = 0;
  const unsigned powers = bias + 1;
  play(
      unit, format.fraction_bits * powers, random, 100,
      [&] {
        const std::uint64_t left = (1ULL << format.fraction_bits) - 1;
        const Question question{true, left >> zeros,
                                static_cast<std::uint64_t>(bias + exponent)
                                    << format.fraction_bits};
        if (++exponent == powers) exponent = 0, zeros = (zeros + 1) % format.fraction_bits;
        return question;
      },
      [](const Question& asked) {
        return std::bit_cast<Bits>(std::bit_cast<Float>(static_cast<Bits>(asked.left)) *
                                   std::bit_cast<Float>(static_cast<Bits>(asked.right)));
      });
}

TEST(ReductionProduct, NormalisesSubnormalNumbersTimesEachPowerOfTwo) {
  multiply_subnormals<Product32, float, std::uint32_t>(kBinary32);
  multiply_subnormals<Product64, double, std::uint64_t>(kBinary64);
}

TEST(ReductionProduct, RoundsSubnormalProductsOnce) {
  Product32 unit;
  EXPECT_EQ(multiply(unit, true, 0x00000001, 0x3F000000), 0U) << "half the smallest: to even, zero";
  EXPECT_EQ(multiply(unit, true, 0x00000003, 0x3F000000), 2U) << "one and a half of the smallest";
  EXPECT_EQ(multiply(unit, true, 0x00000001, 0x3F000001), 1U) << "a little more than half";
  EXPECT_EQ(multiply(unit, true, 0x00FFFFFF, 0x3F000000), 0x00800000U) << "up to the first normal";
  EXPECT_EQ(multiply(unit, true, 0x00000001, 0x80000001), 0x80000000U);
}

TEST(ReductionProduct, KnowsZeroAndInfinity) {
  Product32 unit;
  EXPECT_EQ(multiply(unit, true, 0x80000000, 0x7F800000), 0x7FC00000U) << "0 * infinity";
  EXPECT_EQ(multiply(unit, true, 0xFF800000, 0x00000001), 0xFF800000U);
  EXPECT_EQ(multiply(unit, true, 0x7F7FFFFF, 0xC0000000), 0xFF800000U) << "overflow";
  EXPECT_EQ(multiply(unit, true, 0x80000000, 0x40000000), 0x80000000U);
  EXPECT_EQ(multiply(unit, true, 0xFFABCDEF, 0x7F800000), 0x7FC00000U);
}

TEST(ReductionProduct, WrapsIntegers) {
  Product32 unit;
  EXPECT_EQ(multiply(unit, false, 0xFFFFFFFF, 0xFFFFFFFF), 1U);
  EXPECT_EQ(multiply(unit, false, 0x80000000, 2), 0U);
}

// With gaps, stops and resets: a product comes out exactly 8 enabled cycles after its operands, and
// stands while the unit does. Operands that nobody offers are noise.
template <typename Unit>
void answer_in_its_cycle() {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit unit(random.seed());
  std::deque<std::optional<std::uint8_t>> stages(kLatency);
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random.below(300) == 0) {
      unit->start_i = 0;
      unit.reset(1);
      stages.assign(kLatency, std::nullopt);
    }
    const auto left = static_cast<std::uint8_t>(random.bits64());
    const auto right = static_cast<std::uint8_t>(random.bits64());
    unit->enable_i = random.chance(80);
    const bool is_float = random.chance(60);
    unit.give(is_float, left, right);
    unit->start_i = 0;
    unit.settle();
    unit->start_i = unit->ready_o && random.chance(60);
    unit.settle();
    ASSERT_EQ(unit->out_valid_o, stages.back().has_value()) << "cycle " << cycle;
    if (stages.back()) {
      ASSERT_EQ(unit->product_o & 255, *stages.back()) << "cycle " << cycle;
    }
    if (unit->enable_i) {
      stages.pop_back();
      stages.emplace_front();
      if (unit->start_i) {
        stages.front() = is_float ? round_to_small(value_of_small(left) * value_of_small(right))
                                  : static_cast<std::uint8_t>(left * right);
      }
    }
    unit.tick();
  }
}

TEST(ReductionProduct, AnswersInItsCycleAndInNoOther) {
  answer_in_its_cycle<Product8<0>>();
  answer_in_its_cycle<NarrowProduct8<2>>();
}

// Operands of one fraction bit, as they are and shifted to any place below the smallest normal
// number; as NaNs, too.
template <typename Unit, typename Float, typename Bits>
void multiply_single_bits(unsigned fraction_bits, int smallest) {
  Unit unit;
  const auto bits = [](Float value) { return std::bit_cast<Bits>(value); };
  const Bits quiet = bits(std::numeric_limits<Float>::quiet_NaN());
  const Bits infinity = bits(std::numeric_limits<Float>::infinity());
  for (unsigned bit = 0; bit < fraction_bits; ++bit) {
    const Bits one = Bits{1} << bit;
    EXPECT_EQ(multiply(unit, true, infinity | one, bits(1)), quiet) << bit;
    EXPECT_EQ(multiply(unit, true, bits(1), infinity | one), quiet) << bit;
    const auto factor = std::bit_cast<Float>(bits(1) | one);
    for (int down = -2; down <= static_cast<int>(fraction_bits) + 2; ++down) {
      const Float tiny = std::ldexp(Float{1}, smallest - down);
      if (tiny == 0) continue;
      EXPECT_EQ(multiply(unit, true, bits(factor), bits(tiny)), bits(factor * tiny))
          << bit << " " << down;
      const auto half = static_cast<Float>(std::ldexp(Float{1}, -down));
      const auto low = std::bit_cast<Float>(one);
      EXPECT_EQ(multiply(unit, true, one, bits(half)), bits(low * half)) << bit << " " << down;
      const Float small = std::ldexp(factor, smallest / 2 - down),
                  other = std::ldexp(factor, smallest - smallest / 2);
      EXPECT_EQ(multiply(unit, true, bits(small), bits(other)), bits(small * other))
          << bit << " " << down;
    }
  }
}

TEST(ReductionProduct, LooksAtEveryBitOfAFractionOf32Bits) {
  multiply_single_bits<Product32, float, std::uint32_t>(23, -126);
}

TEST(ReductionProduct, LooksAtEveryBitOfAFractionOf64Bits) {
  multiply_single_bits<Product64, double, std::uint64_t>(52, -1022);
}

// Significands whose product has bit `low` alone below bit `guard`, which is set.
std::optional<Operands> tie_but_for(Random& random, unsigned fraction_bits, unsigned low,
                                    unsigned guard) {
  const std::uint64_t leading = 1ULL << fraction_bits;
  for (unsigned tries = 0; tries < 200; ++tries) {
    const std::uint64_t odd = ((leading | random.below(leading)) >> low) | 1;
    std::uint64_t inverse = odd;  // twice as many bits of it are right after each step
    for (unsigned step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    const unsigned distance = guard - low;
    inverse &= (1ULL << distance) - 1;
    const bool half = ((odd * inverse) >> distance & 1) != 0;
    if (half && inverse >= leading && inverse < 2 * leading) return {{odd << low, inverse}};
  }
  return std::nullopt;
}

// Of a product that is shifted by `amount` to be subnormal, each of the upper bits that fall out
// breaks a tie.
template <typename Unit, typename Float, typename Bits>
void break_ties_by_each_bit(const FloatFormat& format) {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit unit;
  unsigned met = 0;
  for (unsigned amount = 1; amount <= format.fraction_bits; ++amount) {
    for (unsigned below = 1; below <= std::min(amount, 4U); ++below) {
      const auto operands =
          tie_but_for(random, format.fraction_bits, amount - below, format.fraction_bits + amount);
      if (!operands) continue;
      ++met;
      const std::uint64_t exponents = format.special() / 2 - amount;
      const auto left = static_cast<Bits>(format.pack(false, exponents / 2, operands->first));
      const auto right =
          static_cast<Bits>(format.pack(false, exponents - exponents / 2, operands->second));
      const Float product = std::bit_cast<Float>(left) * std::bit_cast<Float>(right);
      EXPECT_EQ(multiply(unit, true, left, right), std::bit_cast<Bits>(product))
          << amount << ", " << below;
    }
  }
  EXPECT_GT(met, 3 * format.fraction_bits);
}

TEST(ReductionProduct, BreaksTiesByEachBitThatFallsOut) {
  break_ties_by_each_bit<Product32, float, std::uint32_t>(kBinary32);
  break_ties_by_each_bit<Product64, double, std::uint64_t>(kBinary64);
}

// Subnormal operands of one bit, by factors that make their product normal.
template <typename Unit, typename Float, typename Bits>
void normalise_from_each_bit(const FloatFormat& format) {
  Unit unit;
  for (unsigned bit = 0; bit < format.fraction_bits; ++bit) {
    const Bits low = Bits{1} << bit;
    for (unsigned exponent = 1; exponent < format.special();
         exponent += exponent < format.special() - 2 * format.fraction_bits ? 13 : 1) {
      const auto factor = static_cast<Bits>(format.pack(false, exponent, 1));
      const Float product = std::bit_cast<Float>(low) * std::bit_cast<Float>(factor);
      EXPECT_EQ(multiply(unit, true, low, factor), std::bit_cast<Bits>(product))
          << bit << ", " << exponent;
    }
  }
}

TEST(ReductionProduct, NormalisesFromEachBit) {
  normalise_from_each_bit<Product32, float, std::uint32_t>(kBinary32);
  normalise_from_each_bit<Product64, double, std::uint64_t>(kBinary64);
}

}  // namespace
}  // namespace torusmu::testing
