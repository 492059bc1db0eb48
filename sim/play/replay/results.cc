// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/results.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torusmu::replay {
namespace {

// long double holds every sum of as many doubles as there are ranks without an overflow.
static_assert(std::numeric_limits<long double>::max_exponent >
              std::numeric_limits<double>::max_exponent + 64);

struct Format {
  double unit;      // relative error of a rounding, at most
  double most;      // largest finite number
  double least;     // smallest normal one: below, roundings are absolute
  double smallest;  // the error of these
};

template <typename T>
constexpr Format kFormat{std::numeric_limits<T>::epsilon() / 2, std::numeric_limits<T>::max(),
                         std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min()};

bool has(const std::vector<double>& operands, double value) {
  return std::find(operands.begin(), operands.end(), value) != operands.end();
}

// The operands of one sign.
struct Side {
  long double size = 0;  // sum of absolute values
  std::size_t operands = 0;

  void take(double operand) {
    size += std::abs(operand);
    ++operands;
  }
  [[nodiscard]] bool may_overflow(const Format& format) const {
    const std::size_t additions = operands == 0 ? 0 : operands - 1;
    return size * (1 + static_cast<long double>(2 * additions) * format.unit) > format.most;
  }
};

// Every way to add rounds n - 1 times, each by a part of a sum of absolute values.
bool allows_sum(const Format& format, const std::vector<double>& operands, double result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool has_up = has(operands, kInfinity);
  const bool has_down = has(operands, -kInfinity);
  if (has_up && has_down) return std::isnan(result);
  Side up;
  Side down;
  for (const double operand : operands) (operand > 0 ? up : down).take(operand);
  const bool may_be_up = has_up || up.may_overflow(format);
  const bool may_be_down = has_down || down.may_overflow(format);
  if (std::isnan(result)) return may_be_up && may_be_down;
  if (std::isinf(result)) return result > 0 ? may_be_up && !has_down : may_be_down && !has_up;
  if (has_up || has_down) return false;
  const auto roundings = static_cast<long double>(2 * operands.size()) * format.unit;
  return std::abs(result - (up.size - down.size)) <= roundings * (up.size + down.size);
}

// A product of finite operands that are not zero: by mantissa and exponent, so that it neither
// overflows nor underflows.
struct Product {
  long double mantissa = 1;
  long exponent = 0;
  long grows = 0;    // exponents of the operands above 1 together, and
  long shrinks = 0;  // of those below: how far a part of the product may come

  void take(double operand) {
    int step = 0;
    mantissa = std::frexp(mantissa * static_cast<long double>(operand), &step);
    exponent += step;
    const int own = std::ilogb(operand);
    (std::abs(operand) >= 1 ? grows : shrinks) += std::abs(operand) >= 1 ? own + 1 : -own;
  }
};

bool allows_product(const Format& format, const std::vector<double>& operands, double result) {
  Product product;
  bool has_infinity = false;
  bool has_zero = false;
  bool is_negative = false;
  for (const double operand : operands) {
    is_negative ^= std::signbit(operand);
    has_infinity |= std::isinf(operand);
    has_zero |= operand == 0;
    if (std::isfinite(operand) && operand != 0) product.take(operand);
  }
  if (has_infinity && has_zero) return std::isnan(result);
  const bool may_overflow = has_infinity || product.grows >= std::ilogb(format.most);
  const bool may_underflow = has_zero || product.shrinks >= -std::ilogb(format.least);
  if (std::isnan(result)) return may_overflow && may_underflow;
  if (result == 0) return may_underflow && !has_infinity;
  if (std::signbit(result) != is_negative) return false;
  if (std::isinf(result)) return may_overflow && !has_zero;
  if (has_infinity || has_zero) return false;
  const long double exact = std::scalbn(product.mantissa, static_cast<int>(product.exponent));
  const auto n = static_cast<long double>(operands.size());
  long double error = 2 * n * format.unit * std::abs(exact);
  if (may_underflow) {
    error += std::scalbn(n * format.smallest, static_cast<int>(product.grows));
  }
  return std::abs(result - exact) <= error;
}

}  // namespace

bool is_allowed(ReduceOp op, DataType type, const std::vector<double>& operands, double result) {
  const bool has_nan = std::any_of(operands.begin(), operands.end(),
                                   [](double operand) { return std::isnan(operand); });
  if (op == ReduceOp::kMin || op == ReduceOp::kMax) {
    if (has_nan) return std::isnan(result) || has(operands, result);
    return result == (op == ReduceOp::kMin ? *std::min_element(operands.begin(), operands.end())
                                           : *std::max_element(operands.begin(), operands.end()));
  }
  if (has_nan) return std::isnan(result);
  const Format format = type == DataType::kF64 ? kFormat<double> : kFormat<float>;
  return op == ReduceOp::kSum ? allows_sum(format, operands, result)
                              : allows_product(format, operands, result);
}

}  // namespace torusmu::replay
