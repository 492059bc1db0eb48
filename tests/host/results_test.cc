// SPDX-License-Identifier: Apache-2.0
// Which results of reductions a replay takes for right.
#include "sim/play/replay/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/seed.h"

namespace torusmu::replay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

bool allows(ReduceOp op, const std::vector<double>& operands, double result) {
  return is_allowed(op, DataType::kF64, operands, result);
}

TEST(Results, OfMinAndMaxMayHaveEitherZero) {
  EXPECT_TRUE(allows(ReduceOp::kMax, {-0.0, 0.0}, -0.0));
  EXPECT_TRUE(allows(ReduceOp::kMin, {-0.0, 0.0}, 0.0));
  EXPECT_FALSE(allows(ReduceOp::kMax, {-0.0, 1.0}, -0.0));
  EXPECT_FALSE(allows(ReduceOp::kMin, {2.0, 1.0}, 2.0));
}

TEST(Results, OfMinAndMaxWithANanAreItOrAnOperand) {
  EXPECT_TRUE(allows(ReduceOp::kMax, {kNan, 1}, 1));
  EXPECT_TRUE(allows(ReduceOp::kMax, {5, kNan, 1}, 1));
  EXPECT_TRUE(allows(ReduceOp::kMax, {kNan, 1}, kNan));
  EXPECT_FALSE(allows(ReduceOp::kMax, {kNan, 1}, 2));
  EXPECT_FALSE(allows(ReduceOp::kMax, {3, 1}, kNan));
}

TEST(Results, OfSumsOfOppositeInfinitiesAreAnyNan) {
  EXPECT_TRUE(allows(ReduceOp::kSum, {kInfinity, -kInfinity}, -kNan));
  EXPECT_FALSE(allows(ReduceOp::kSum, {kInfinity, -kInfinity}, kInfinity));
  EXPECT_TRUE(allows(ReduceOp::kSum, {kInfinity, 1}, kInfinity));
  EXPECT_FALSE(allows(ReduceOp::kSum, {kInfinity, 1}, kNan));
  EXPECT_FALSE(allows(ReduceOp::kSum, {kInfinity, 1}, 1));
  EXPECT_TRUE(allows(ReduceOp::kSum, {kNan, 1}, -kNan));
  EXPECT_FALSE(allows(ReduceOp::kSum, {kNan, 1}, 1));
}

TEST(Results, OfSumsThatMayOverflowAreNotJustAnything) {
  const std::vector<double> operands{kMost, kMost, -kMost};
  EXPECT_TRUE(allows(ReduceOp::kSum, operands, kMost));
  EXPECT_TRUE(allows(ReduceOp::kSum, operands, kInfinity));
  EXPECT_FALSE(allows(ReduceOp::kSum, operands, -kInfinity));
  EXPECT_FALSE(allows(ReduceOp::kSum, operands, kNan));
  EXPECT_FALSE(allows(ReduceOp::kSum, operands, 1));
  EXPECT_TRUE(allows(ReduceOp::kSum, {kMost, kMost, -kMost, -kMost}, kNan));
  const double narrow = std::numeric_limits<float>::max();
  EXPECT_TRUE(is_allowed(ReduceOp::kSum, DataType::kF32, {narrow, narrow}, kInfinity));
  EXPECT_FALSE(allows(ReduceOp::kSum, {narrow, narrow}, kInfinity));
}

TEST(Results, OfProductsMayOverflowOrVanishOnTheWay) {
  EXPECT_TRUE(allows(ReduceOp::kProd, {1e300, 1e300, 1e-300}, 1e300));
  EXPECT_TRUE(allows(ReduceOp::kProd, {1e300, 1e300, 1e-300}, kInfinity));
  EXPECT_FALSE(allows(ReduceOp::kProd, {1e300, 1e300, 1e-300}, -kInfinity));
  EXPECT_TRUE(allows(ReduceOp::kProd, {1e-300, 1e-300, 1e300}, 0));
  EXPECT_FALSE(allows(ReduceOp::kProd, {1e-300, 1e-300, 1e300}, kInfinity));
  EXPECT_TRUE(allows(ReduceOp::kProd, {0, kInfinity}, kNan));
  EXPECT_FALSE(allows(ReduceOp::kProd, {0, kInfinity}, 0));
  EXPECT_TRUE(allows(ReduceOp::kProd, {kLeast, 3}, 3 * kLeast));
  EXPECT_FALSE(allows(ReduceOp::kProd, {2, 3}, 7));
  EXPECT_FALSE(allows(ReduceOp::kProd, {2, 3}, -6));
}

// Whatever order they are added or multiplied in, the result is allowed; one that is off by more
// than rounding is not.
TEST(Results, OfEveryOrderAreAllowed) {
  ::torusmu::testing::Random random(5);
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> operands;
    const std::uint64_t n = 2 + random.below(20);
    const int spread = static_cast<int>(random.below(2) == 0 ? 8 : 900);
    for (std::uint64_t i = 0; i < n; ++i) {
      const double mantissa = 1 + static_cast<double>(random.below(1U << 20)) / (1U << 20);
      const int exponent = static_cast<int>(random.below(2 * spread)) - spread;
      operands.push_back(std::ldexp(random.chance(50) ? mantissa : -mantissa, exponent));
    }
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd}) {
      std::vector<double> left = operands;
      double size = 0;
      for (const double operand : operands) size += std::abs(operand);
      while (left.size() > 1) {
        const std::uint64_t i = random.below(left.size());
        const double a = left[i];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        double& b = left[random.below(left.size())];
        b = op == ReduceOp::kSum ? a + b : a * b;
      }
      EXPECT_TRUE(allows(op, operands, left[0])) << round;
      if (op == ReduceOp::kSum) {
        EXPECT_FALSE(allows(op, operands, left[0] + size * 1e-12)) << round;
      } else if (std::isnormal(left[0])) {
        EXPECT_FALSE(allows(op, operands, -left[0])) << round;
      }
    }
  }
}

}  // namespace
}  // namespace torusmu::replay
