// SPDX-License-Identifier: Apache-2.0
// verilator: -GEXPONENT_BITS=4 -GFRACTION_BITS=3
// verilator: -GNARROW_EXPONENTS=263172 -GNARROW_FRACTIONS=197379
// model: Vmu_float_add_8 mu_float_add -GNARROW_EXPONENTS=263172 -GNARROW_FRACTIONS=197379
// model: Vmu_float_add_64 mu_float_add
// A format of 8 bits, every pair of which is tried, is each format of a unit and the narrow ones of
// another (4 bits of exponent and 3 of fraction in each byte of their parameters); binary64, 32 and
// 16 and bfloat16 are those of the node's.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include "Vmu_float_add.h"
#include "Vmu_float_add_64.h"
#include "Vmu_float_add_8.h"
#include "tests/support/clocked.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"
#include "tests/support/small_float.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLatency = 4;

constexpr FloatFormat kSmall{4, 3};

// A unit that is asked for sums of one of its formats.
template <typename Model, FloatFormat format, FloatFormat wide, unsigned kNumber>
class Adder : public Clocked<Model> {
 public:
  using Clocked<Model>::Clocked;
  void give(std::uint64_t left, std::uint64_t right) {
    (*this)->format_i = kNumber;
    set((*this)->left_i, spread(left, format, wide));
    set((*this)->right_i, spread(right, format, wide));
  }
};
template <unsigned kNumber>
using Adder8 = Adder<Vmu_float_add, kSmall, kSmall, kNumber>;
template <unsigned kNumber>
using NarrowAdder8 = Adder<Vmu_float_add_8, kSmall, kBinary64, kNumber>;
using WideAdder8 = Adder<Vmu_float_add_8, kBinary64, kBinary64, 0>;
using Adder32 = Adder<Vmu_float_add_64, kBinary32, kBinary64, 1>;
using Adder64 = Adder<Vmu_float_add_64, kBinary64, kBinary64, 0>;
using AdderF16 = Adder<Vmu_float_add_64, kBinary16, kBinary64, 2>;
using AdderBf16 = Adder<Vmu_float_add_64, kBfloat16, kBinary64, 3>;

// An enabled cycle behind one in which the adder stands.
template <typename Unit>
void stand_and_tick(Unit& adder) {
  adder->enable_i = 0;
  adder.tick();
  adder->enable_i = 1;
  adder.tick();
}

// One sum through an empty adder.
template <typename Unit>
std::uint64_t add(Unit& adder, std::uint64_t left, std::uint64_t right) {
  adder->in_valid_i = 1;
  adder.give(left, right);
  stand_and_tick(adder);
  adder->in_valid_i = 0;
  for (unsigned i = 1; i < kLatency; ++i) {
    EXPECT_FALSE(adder->out_valid_o);
    stand_and_tick(adder);
  }
  EXPECT_TRUE(adder->out_valid_o);
  return adder->sum_o;
}

// A sum a cycle; the adder stops now and then.
template <typename Unit, typename Sum>
void compare_with(const FloatFormat& format, unsigned count, Sum sum_of) {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit adder(random.seed());
  std::deque<Operands> inside;
  for (unsigned done = 0; done < count;) {
    const Operands operands = float_operands(random, format);
    adder->enable_i = random.chance(95);
    adder->in_valid_i = random.chance(95);
    adder.give(operands.first, operands.second);
    adder.settle();
    if (adder->enable_i && adder->out_valid_o) {
      ASSERT_FALSE(inside.empty());
      const Operands& asked = inside.front();
      ASSERT_EQ(adder->sum_o, sum_of(asked)) << std::hex << asked.first << " + " << asked.second;
      inside.pop_front();
      ++done;
    }
    if (adder->enable_i && adder->in_valid_i) inside.push_back(operands);
    adder.tick();
  }
}

template <typename Unit, typename Float, typename Bits>
void compare_with_native(const FloatFormat& format, unsigned count) {
  compare_with<Unit>(format, count, [](const Operands& operands) {
    Float sum = std::bit_cast<Float>(static_cast<Bits>(operands.first)) +
                std::bit_cast<Float>(static_cast<Bits>(operands.second));
    if (std::isnan(sum)) sum = std::numeric_limits<Float>::quiet_NaN();
    return std::bit_cast<Bits>(sum);
  });
}

template <typename Unit>
void compare_with_model(Element element, unsigned count) {
  compare_with<Unit>(format_of(element), count, [element](const Operands& operands) {
    return reduced(Reduction::kSum, element, operands);
  });
}

template <typename Unit>
void add_every_pair() {
  Unit adder;
  adder->enable_i = 1;
  adder->in_valid_i = 1;
  for (unsigned i = 0; i < 65536 + kLatency; ++i) {
    adder.settle();
    if (i >= kLatency) {
      const unsigned asked = i - kLatency;
      const auto left = static_cast<std::uint8_t>(asked >> 8);
      const auto right = static_cast<std::uint8_t>(asked);
      ASSERT_EQ(adder->sum_o, round_to_small(value_of_small(left) + value_of_small(right)))
          << std::hex << unsigned{left} << " + " << unsigned{right};
    }
    adder.give(i >> 8 & 255, i & 255);
    adder.tick();
  }
}

TEST(FloatAdd, AddsEveryPairOfEachFormatOfEightBits) {
  add_every_pair<Adder8<0>>();
  add_every_pair<Adder8<1>>();
  add_every_pair<Adder8<2>>();
  add_every_pair<Adder8<3>>();
}

TEST(FloatAdd, AddsEveryPairOfEachNarrowFormatOfEightBits) {
  add_every_pair<NarrowAdder8<1>>();
  add_every_pair<NarrowAdder8<2>>();
  add_every_pair<NarrowAdder8<3>>();
}

TEST(FloatAdd, AddsAsTheProcessorDoesWith32Bits) {
  compare_with_native<Adder32, float, std::uint32_t>(kBinary32, 300000);
}

TEST(FloatAdd, AddsAsTheReferenceModelDoesWith16Bits) {
  compare_with_model<AdderF16>(Element::kF16, 200000);
  compare_with_model<AdderBf16>(Element::kBf16, 200000);
}

TEST(FloatAdd, AddsAsTheProcessorDoesWith64BitsBesideAnyNarrowFormat) {
  compare_with_native<WideAdder8, double, std::uint64_t>(kBinary64, 300000);
}

TEST(FloatAdd, AddsAsTheProcessorDoesWith64Bits) {
  compare_with_native<Adder64, double, std::uint64_t>(kBinary64, 300000);
}

TEST(FloatAdd, RoundsTiesToEven) {
  Adder64 adder;
  const std::uint64_t half_unit = std::bit_cast<std::uint64_t>(0x1p-53);
  EXPECT_EQ(add(adder, std::bit_cast<std::uint64_t>(1.0), half_unit),
            std::bit_cast<std::uint64_t>(1.0));
  EXPECT_EQ(add(adder, std::bit_cast<std::uint64_t>(1.0 + 0x1p-52), half_unit),
            std::bit_cast<std::uint64_t>(1.0 + 0x1p-51));
}

// Behind half a unit any one bit breaks the tie, however far the addend was moved.
template <typename Unit, typename Float, typename Bits>
void break_ties_by_each_bit(const FloatFormat& format) {
  Unit adder;
  const std::uint64_t exponent = format.special() / 2;
  const auto one = std::bit_cast<Bits>(Float{1});
  for (unsigned distance = 2; distance <= format.fraction_bits + 1; ++distance) {
    const std::uint64_t half_unit = 1ULL << (distance - 1);
    for (unsigned bit = 0; bit < distance; ++bit) {
      const auto addend =
          static_cast<Bits>(format.pack(false, exponent - distance, half_unit | 1ULL << bit));
      const Float sum = Float{1} + std::bit_cast<Float>(addend);
      EXPECT_EQ(add(adder, one, addend), std::bit_cast<Bits>(sum)) << distance << ", " << bit;
    }
  }
}

TEST(FloatAdd, BreaksTiesByEachBit) {
  break_ties_by_each_bit<Adder32, float, std::uint32_t>(kBinary32);
  break_ties_by_each_bit<Adder64, double, std::uint64_t>(kBinary64);
}

TEST(FloatAdd, KeepsSubnormalNumbers) {
  Adder32 adder;
  EXPECT_EQ(add(adder, 1, 2), 3U);
  EXPECT_EQ(add(adder, 0x00800000, 0x80000001), 0x007FFFFFU);
  EXPECT_EQ(add(adder, 0x007FFFFF, 1), 0x00800000U);
}

TEST(FloatAdd, OverflowsToInfinity) {
  Adder32 adder;
  EXPECT_EQ(add(adder, 0x7F7FFFFF, 0x7F7FFFFF), 0x7F800000U);
  EXPECT_EQ(add(adder, 0xFF7FFFFF, 0xF3000000), 0xFF800000U) << "by half a unit";
  EXPECT_EQ(add(adder, 0x7F7FFFFF, 0x72FFFFFF), 0x7F7FFFFFU) << "by less than half a unit";
}

TEST(FloatAdd, GivesOneNan) {
  Adder32 adder;
  EXPECT_EQ(add(adder, 0x7F800000, 0xFF800000), 0x7FC00000U) << "infinity - infinity";
  EXPECT_EQ(add(adder, 0xFFABCDEF, 0x3F800000), 0x7FC00000U) << "payload and sign are dropped";
  EXPECT_EQ(add(adder, 0x3F800000, 0x7F800001), 0x7FC00000U) << "a signalling one";
}

template <typename Unit>
void tell_infinities_by_each_bit(const FloatFormat& format) {
  Unit adder;
  const std::uint64_t infinity = format.pack(false, format.special(), 0);
  const std::uint64_t minus = format.pack(true, 0, 0);
  const std::uint64_t nan = infinity | 1ULL << (format.fraction_bits - 1);
  for (unsigned bit = 0; bit < format.fraction_bits; ++bit) {
    for (const std::uint64_t other : {std::uint64_t{0}, infinity, infinity | minus}) {
      EXPECT_EQ(add(adder, infinity | 1ULL << bit, other), nan) << bit;
      EXPECT_EQ(add(adder, other, infinity | 1ULL << bit), nan) << bit;
    }
  }
  for (unsigned bit = 0; bit < format.exponent_bits; ++bit) {
    const std::uint64_t number = infinity ^ 1ULL << (format.fraction_bits + bit);
    EXPECT_EQ(add(adder, infinity, number | minus), infinity) << bit;
    EXPECT_EQ(add(adder, number, infinity | minus), infinity | minus) << bit;
  }
}

TEST(FloatAdd, TellsInfinitiesByEachBit) {
  tell_infinities_by_each_bit<Adder32>(kBinary32);
  tell_infinities_by_each_bit<Adder64>(kBinary64);
}

TEST(FloatAdd, GivesMinusZeroOnlyOfTwoMinusZeros) {
  Adder32 adder;
  EXPECT_EQ(add(adder, 0x80000000, 0x80000000), 0x80000000U);
  EXPECT_EQ(add(adder, 0x80000000, 0), 0U);
  EXPECT_EQ(add(adder, 0xC0400000, 0x40400000), 0U);
  Adder8<0> small;
  EXPECT_EQ(add(small, 0x80, 0x80), 0x80U);
  EXPECT_EQ(add(small, 0x80, 0), 0U);
}

// With gaps, stops and resets: a sum comes out exactly 4 enabled cycles after its operands, and
// stands while the adder does. Operands that nobody offers are noise.
template <typename Unit>
void answer_in_its_cycle() {
  Random random;
  SCOPED_TRACE(random.replay());
  Unit adder(random.seed());
  std::deque<std::optional<std::uint8_t>> stages(kLatency);
  for (int cycle = 0; cycle < 30000; ++cycle) {
    if (random.below(200) == 0) {
      adder.reset(1);
      stages.assign(kLatency, std::nullopt);
    }
    const auto left = static_cast<std::uint8_t>(random.bits64());
    const auto right =
        static_cast<std::uint8_t>(random.chance(20) ? left ^ 0x80U : random.bits64());
    adder->enable_i = random.chance(70);
    adder->in_valid_i = random.chance(60);
    adder.give(left, right);
    adder.settle();
    ASSERT_EQ(adder->out_valid_o, stages.back().has_value()) << "cycle " << cycle;
    if (stages.back()) {
      ASSERT_EQ(adder->sum_o, *stages.back()) << "cycle " << cycle;
    }
    if (adder->enable_i) {
      stages.pop_back();
      stages.emplace_front();
      if (adder->in_valid_i)
        stages.front() = round_to_small(value_of_small(left) + value_of_small(right));
    }
    adder.tick();
  }
}

TEST(FloatAdd, AnswersInItsCycleAndInNoOther) {
  answer_in_its_cycle<Adder8<0>>();
  answer_in_its_cycle<NarrowAdder8<2>>();
}

// Formats change from sum to sum, and each keeps its own.
TEST(FloatAdd, AddsWideAndNarrowNumbersInTurn) {
  Random random;
  SCOPED_TRACE(random.replay());
  Adder64 adder(random.seed());
  std::deque<std::uint64_t> inside;
  adder->enable_i = 1;
  adder->in_valid_i = 1;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    const bool narrow = random.chance(50);  // binary32
    const Operands operands = float_operands(random, narrow ? kBinary32 : kBinary64);
    adder->format_i = narrow;
    const auto given = [&](std::uint64_t bits) {
      return narrow ? spread(bits, kBinary32, kBinary64) : bits;
    };
    set(adder->left_i, given(operands.first));
    set(adder->right_i, given(operands.second));
    adder.settle();
    if (inside.size() == kLatency) {
      ASSERT_EQ(adder->sum_o, inside.front()) << "cycle " << cycle;
      inside.pop_front();
    }
    if (narrow) {
      const float sum = std::bit_cast<float>(static_cast<std::uint32_t>(operands.first)) +
                        std::bit_cast<float>(static_cast<std::uint32_t>(operands.second));
      inside.push_back(std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum));
    } else {
      const double sum =
          std::bit_cast<double>(operands.first) + std::bit_cast<double>(operands.second);
      inside.push_back(std::isnan(sum) ? 0x7FF8000000000000U : std::bit_cast<std::uint64_t>(sum));
    }
    adder.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
