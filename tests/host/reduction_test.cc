// SPDX-License-Identifier: Apache-2.0
// The library's arithmetic gives the bits of the reduction ALU's reference.
#include "torusmu/reduction.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "tb/reference_model/reduction.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::pair<ReduceOp, Reduction> kOps[] = {{ReduceOp::kSum, Reduction::kSum},
                                                   {ReduceOp::kProd, Reduction::kProd},
                                                   {ReduceOp::kMin, Reduction::kMin},
                                                   {ReduceOp::kMax, Reduction::kMax},
                                                   {ReduceOp::kLand, Reduction::kLand},
                                                   {ReduceOp::kBand, Reduction::kBand},
                                                   {ReduceOp::kLor, Reduction::kLor},
                                                   {ReduceOp::kBor, Reduction::kBor},
                                                   {ReduceOp::kLxor, Reduction::kLxor},
                                                   {ReduceOp::kBxor, Reduction::kBxor},
                                                   {ReduceOp::kMaxloc, Reduction::kMaxloc},
                                                   {ReduceOp::kMinloc, Reduction::kMinloc},
                                                   {ReduceOp::kMinmaxloc, Reduction::kMinmaxloc}};
constexpr std::pair<DataType, Element> kTypes[] = {
    {DataType::kF64, Element::kF64}, {DataType::kF32, Element::kF32},
    {DataType::kI64, Element::kI64}, {DataType::kI32, Element::kI32},
    {DataType::kU64, Element::kU64}, {DataType::kU32, Element::kU32},
    {DataType::kI8, Element::kI8},   {DataType::kU8, Element::kU8},
    {DataType::kI16, Element::kI16}, {DataType::kU16, Element::kU16},
    {DataType::kF16, Element::kF16}, {DataType::kBf16, Element::kBf16}};

// Zeros, infinities, NaNs of all kinds, the ends of the formats, small integers, any bits.
template <typename T, typename Float>
T operand(Random& random) {
  using Limits = std::numeric_limits<Float>;
  const Float floats[] = {Float{0},         -Float{0},           Float{1},
                          -Float{1},        Limits::infinity(),  -Limits::infinity(),
                          Limits::max(),    Limits::lowest(),    Limits::denorm_min(),
                          Limits::min(),    Limits::quiet_NaN(), -Limits::quiet_NaN(),
                          Limits::epsilon()};
  switch (random.below(4)) {
    case 0:
      return std::bit_cast<T>(floats[random.below(std::size(floats))]);
    case 1:
      return static_cast<T>(random.below(3)) - 1;
    case 2:
      // A NaN with a payload, quiet or signalling, of either sign.
      return static_cast<T>(std::bit_cast<T>(Limits::infinity()) |
                            (random.bits64() << (8 * sizeof(T) - 1)) | (1 + random.below(99)));
    default:
      return static_cast<T>(random.bits64());
  }
}

model::Beat beat(Random& random, Bytes element) {
  model::Beat result{};
  for (std::uint64_t& word : result) {
    word = element == 8 ? operand<std::uint64_t, double>(random)
                        : operand<std::uint32_t, float>(random) |
                              std::uint64_t{operand<std::uint32_t, float>(random)} << 32;
  }
  return result;
}

TEST(Reductions, HaveTheBitsOfTheReductionUnit) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const auto& [type, element] : kTypes) {
    for (const auto& [op, reduction] : kOps) {
      ASSERT_EQ(is_defined(op, type), model::is_defined(reduction, element));
      if (!is_defined(op, type)) continue;
      const Bytes values = op == ReduceOp::kMinmaxloc ? 4 : model::has_pairs(reduction) ? 2 : 1;
      EXPECT_EQ(size_of(op, type), model::bits_of_element(element) / 8 * values);
      for (int i = 0; i < 2000; ++i) {
        const auto [left, any] =
            size_of(type) < 4 ? beats(random, reduction, element)
                              : std::pair(beat(random, size_of(type)), beat(random, size_of(type)));
        // Often the same once more, so that there are ties.
        const model::Beat right = random.chance(20) ? left : any;
        model::Beat expected{};
        ASSERT_EQ(model::reduce(reduction, element, left, right, &expected), Status::kOk);
        model::Beat result = left;
        combine(op, type, std::as_writable_bytes(std::span(result)),
                std::as_bytes(std::span(right)));
        ASSERT_EQ(result, expected) << name_of(reduction) << " " << name_of(element);
      }
    }
  }
}

template <typename T>
T combined(ReduceOp op, DataType type, T a, T b) {
  combine(op, type, std::as_writable_bytes(std::span(&a, 1)), std::as_bytes(std::span(&b, 1)));
  return a;
}

TEST(Reductions, ThatAProgramLoadsTakeTheirStepsInOrder) {
  // ((a + b) min 100) * 3, and then times itself.
  const Operator op(LoadedReduction{ReduceOp::kSum,
                                    DataType::kU32,
                                    {{ReduceOp::kMin, DataType::kU32, 0x64'0000'0064},
                                     {ReduceOp::kProd, DataType::kU32, 0x3'0000'0003},
                                     {ReduceOp::kProd, DataType::kU32, {}}}});
  ASSERT_TRUE(op.is_defined() && op.commutative() && op.element() == 4);
  std::array<std::uint32_t, 3> a{20, 90, 1};
  const std::array<std::uint32_t, 3> b{30, 90, 1};
  op.combine(std::as_writable_bytes(std::span(a)), std::as_bytes(std::span(b)));
  EXPECT_EQ(a, (std::array<std::uint32_t, 3>{22500, 90000, 36}));
}

TEST(Reductions, ThatAProgramLoadsMayNotBeDefined) {
  const auto defined = [](ReduceOp op, DataType type, std::vector<ReduceStep> steps) {
    return Operator(LoadedReduction{op, type, std::move(steps)}).is_defined();
  };
  const ReduceStep bits{ReduceOp::kBand, DataType::kU32, 0x1'0000'0001};
  EXPECT_TRUE(defined(ReduceOp::kSum, DataType::kF32, {bits}));
  EXPECT_TRUE(defined(ReduceOp::kSum, DataType::kF32, {8, bits}));
  EXPECT_FALSE(defined(ReduceOp::kSum, DataType::kF32, {9, bits}));
  EXPECT_FALSE(defined(ReduceOp::kSum, DataType::kF32, {{ReduceOp::kBand, DataType::kF32, 1}}));
  EXPECT_FALSE(defined(ReduceOp::kSum, DataType::kF16, {bits})) << "of larger elements";
  EXPECT_FALSE(defined(ReduceOp::kBand, DataType::kF16, {}));
  const ReduceStep other{ReduceOp::kMin, DataType::kU16, 0x0001'0002'0001'0002};
  EXPECT_TRUE(defined(ReduceOp::kSum, DataType::kU32, {other}));
  EXPECT_FALSE(defined(ReduceOp::kSum, DataType::kU16, {other})) << "not the same for each";
}

TEST(Reductions, OfBytesAreThoseOfIntegers) {
  const auto of = [](ReduceOp op, std::uint8_t a, std::uint8_t b) {
    return combined(op, DataType::kU8, a, b);
  };
  EXPECT_EQ(of(ReduceOp::kSum, 200, 100), 44);
  EXPECT_EQ(of(ReduceOp::kProd, 200, 100), 32);
  EXPECT_EQ(of(ReduceOp::kMin, 200, 3), 3);
  EXPECT_EQ(of(ReduceOp::kMax, 200, 3), 200);
  EXPECT_EQ(of(ReduceOp::kLand, 200, 3), 1);
  EXPECT_EQ(of(ReduceOp::kLor, 0, 0), 0);
  EXPECT_EQ(of(ReduceOp::kLxor, 200, 3), 0);
  EXPECT_EQ(of(ReduceOp::kBand, 200, 12), 8);
  EXPECT_EQ(of(ReduceOp::kBor, 200, 12), 204);
  EXPECT_EQ(of(ReduceOp::kBxor, 200, 12), 196);
}

// Every number of 16 bits plus zero and times one.
template <DataType type, unsigned kFractionBits>
void add_to_every_number() {
  const auto infinity = static_cast<std::uint16_t>(0x7FFF >> kFractionBits << kFractionBits);
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto number = static_cast<std::uint16_t>(bits);
    const bool nan = (bits & 0x7FFF) > infinity;
    const auto quiet = static_cast<std::uint16_t>(infinity | 1 << (kFractionBits - 1));
    const std::uint16_t zero = bits & 0x8000;
    ASSERT_EQ(combined(ReduceOp::kSum, type, number, zero), nan ? quiet : number) << bits;
    const std::uint16_t one = (0x3FFF >> kFractionBits) << kFractionBits;
    ASSERT_EQ(combined(ReduceOp::kProd, type, number, one), nan ? quiet : number) << bits;
  }
}

TEST(Reductions, OfFloatsOf16BitsKeepWhatIsExact) {
  add_to_every_number<DataType::kF16, 10>();
  add_to_every_number<DataType::kBf16, 7>();
}

TEST(Reductions, OfFloatsOf16BitsRoundOnce) {
  const auto f16 = [](ReduceOp op, std::uint16_t a, std::uint16_t b) {
    return combined(op, DataType::kF16, a, b);
  };
  const auto bf16 = [](ReduceOp op, std::uint16_t a, std::uint16_t b) {
    return combined(op, DataType::kBf16, a, b);
  };
  EXPECT_EQ(f16(ReduceOp::kSum, 0x3C00, 0x1000), 0x3C00) << "1 + half a unit: to even";
  EXPECT_EQ(f16(ReduceOp::kSum, 0x3C01, 0x1000), 0x3C02);
  EXPECT_EQ(f16(ReduceOp::kSum, 0x3C00, 0x1001), 0x3C01) << "a little more than half";
  EXPECT_EQ(f16(ReduceOp::kSum, 0x7BFF, 0x7BFF), 0x7C00) << "overflow";
  EXPECT_EQ(f16(ReduceOp::kProd, 0x0001, 0x3800), 0x0000) << "half the smallest: to even";
  EXPECT_EQ(f16(ReduceOp::kProd, 0x0003, 0x3800), 0x0002);
  EXPECT_EQ(bf16(ReduceOp::kSum, 0x3F80, 0x3B80), 0x3F80) << "1 + half a unit: to even";
  EXPECT_EQ(bf16(ReduceOp::kSum, 0x3F80, 0x3B81), 0x3F81);
  EXPECT_EQ(bf16(ReduceOp::kProd, 0x7F7F, 0xC000), 0xFF80) << "overflow";
  EXPECT_EQ(bf16(ReduceOp::kProd, 0x0001, 0x0001), 0x0000);
}

TEST(Reductions, OfZerosAndNansGiveTheSameBitsInBothOrders) {
  constexpr auto kBits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const double nan = std::bit_cast<double>(std::uint64_t{0xFFF0'0000'0000'0001});
  for (const auto& [a, b] : {std::pair(-0.0, 0.0), std::pair(0.0, -0.0)}) {
    EXPECT_EQ(kBits(combined(ReduceOp::kMin, DataType::kF64, a, b)), kBits(-0.0));
    EXPECT_EQ(kBits(combined(ReduceOp::kMax, DataType::kF64, a, b)), kBits(0.0));
  }
  for (const auto& [a, b] : {std::pair(nan, 1.0), std::pair(1.0, nan), std::pair(nan, nan)}) {
    for (const ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax, ReduceOp::kSum, ReduceOp::kProd}) {
      EXPECT_EQ(kBits(combined(op, DataType::kF64, a, b)), 0x7FF8'0000'0000'0000);
    }
  }
}

TEST(Reductions, OfTheWrongSizeOrTypeAreRefused) {
  std::vector<std::byte> a(16);
  const std::vector<std::byte> b(12);
  EXPECT_THROW(combine(ReduceOp::kSum, DataType::kI32, a, b), std::invalid_argument);
  EXPECT_THROW(combine(ReduceOp::kMaxloc, DataType::kF64, std::span(a).first(8), a),
               std::invalid_argument);
  EXPECT_THROW(combine(ReduceOp::kBand, DataType::kF64, a, a), std::invalid_argument);
  EXPECT_THROW(combine(ReduceOp{99}, DataType::kI32, a, a), std::invalid_argument);
  EXPECT_FALSE(is_defined(ReduceOp::kSum, DataType{99}));
  EXPECT_FALSE(Operator(UserReduction{}).is_defined());
}

}  // namespace
}  // namespace torusmu::testing
