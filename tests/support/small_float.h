// SPDX-License-Identifier: Apache-2.0
// Floats of 8 bits (4 of exponent, 3 of fraction), small enough to try every pair: every double
// that a sum or product of two can have is exact, and rounding is a search in the list of all
// numbers.

#ifndef TESTS_SUPPORT_SMALL_FLOAT_H_
#define TESTS_SUPPORT_SMALL_FLOAT_H_

#include <cmath>
#include <cstdint>
#include <limits>

namespace torusmu::testing {

constexpr std::uint8_t kSmallNan = 0x7C;
constexpr std::uint8_t kSmallInfinity = 0x78;

inline double value_of_small(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int fraction = bits & 7;
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  if (exponent == 15) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -6 - 3);
  return sign * std::ldexp(8 + fraction, exponent - 7 - 3);
}

// To nearest, ties to even; NaN is kSmallNan.
inline std::uint8_t round_to_small(double exact) {
  if (std::isnan(exact)) return kSmallNan;
  const std::uint8_t sign = std::signbit(exact) ? 0x80 : 0;
  const double magnitude = std::fabs(exact);
  // The number after the largest is where infinity begins, half a step below it.
  const auto place = [](std::uint8_t bits) {
    return bits == kSmallInfinity ? std::ldexp(1.0, 8) : value_of_small(bits);
  };
  if (magnitude >= place(kSmallInfinity)) return static_cast<std::uint8_t>(sign | kSmallInfinity);
  std::uint8_t below = 0;
  while (place(static_cast<std::uint8_t>(below + 1)) <= magnitude) ++below;
  const auto above = static_cast<std::uint8_t>(below + 1);
  const double down = magnitude - place(below);
  const double up = place(above) - magnitude;
  const bool take_above = up < down || (up == down && below % 2 != 0);
  return static_cast<std::uint8_t>(sign | (take_above ? above : below));
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_SMALL_FLOAT_H_
