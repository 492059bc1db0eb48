// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits, which C++20 has no types for.
#ifndef TORUSMU_HOST_SRC_SMALL_FLOAT_H_
#define TORUSMU_HOST_SRC_SMALL_FLOAT_H_

#include <bit>
#include <cstdint>

namespace torusmu {

// IEEE 754 with a sign, `kExponentBits` and the other bits of 16 for the fraction. Exact as a
// double; a sum or product of two that is computed as a double and rounded from there is rounded
// once, for a double holds all of it that counts (docs/calc.md, "Rules").
template <unsigned kExponentBits>
class SmallFloat {
 public:
  SmallFloat() = default;
  [[nodiscard]] double value() const {
    const std::uint64_t sign = std::uint64_t{bits_} >> 15U << 63U;
    const std::uint64_t magnitude = bits_ & 0x7FFFU;
    const std::uint64_t exponent = magnitude >> kFractionBits;
    if (exponent == kSpecial) return from(sign | kDoubleSpecial | (magnitude << kShift));
    if (exponent == 0) {
      const double smallest = from(std::uint64_t{1023 - kBias - kFractionBits + 1} << 52U);
      const double value = static_cast<double>(magnitude) * smallest;
      return sign == 0 ? value : -value;
    }
    return from(sign | ((magnitude << kShift) + (std::uint64_t{1023 - kBias} << 52U)));
  }
  // To nearest, ties to even; every NaN becomes the quiet one of sign 0 without a payload.
  static SmallFloat nearest(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 63U << 15U);
    const std::uint64_t magnitude = bits << 1U >> 1U;
    constexpr std::uint32_t kInfinity = kSpecial << kFractionBits;
    if (magnitude > kDoubleSpecial) return SmallFloat(kInfinity | 1U << (kFractionBits - 1));
    const auto exponent = static_cast<std::int64_t>(magnitude >> 52U) - 1023 + kBias;
    if (exponent >= kSpecial) return SmallFloat(sign | kInfinity);
    // Of a subnormal result the leading one is no longer implied, and more bits fall out.
    const std::uint64_t digits = (magnitude & kDoubleFraction) | (kDoubleFraction + 1);
    std::int64_t dropped = kShift;
    std::uint64_t up = 0;
    if (exponent <= 0) {
      dropped += 1 - exponent;
    } else {
      up = static_cast<std::uint64_t>(exponent - 1) << kFractionBits;
    }
    if (dropped > 54) return SmallFloat(sign);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const std::uint64_t kept = digits >> dropped;
    const std::uint64_t rest = digits & (2 * half - 1);
    const bool rounds_up = rest > half || (rest == half && kept % 2 != 0);
    return SmallFloat(sign | static_cast<std::uint32_t>(up + kept + (rounds_up ? 1 : 0)));
  }

 private:
  static constexpr unsigned kFractionBits = 15 - kExponentBits;
  static constexpr unsigned kShift = 52 - kFractionBits;  // of a fraction into that of a double
  static constexpr std::uint32_t kSpecial = (1U << kExponentBits) - 1;
  static constexpr unsigned kBias = kSpecial / 2;
  static constexpr std::uint64_t kDoubleSpecial = std::uint64_t{0x7FF} << 52U;
  static constexpr std::uint64_t kDoubleFraction = (std::uint64_t{1} << 52U) - 1;

  explicit SmallFloat(std::uint32_t bits) : bits_(static_cast<std::uint16_t>(bits)) {}
  static double from(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  std::uint16_t bits_ = 0;
};
using Binary16 = SmallFloat<5>;
using Bfloat16 = SmallFloat<8>;

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SMALL_FLOAT_H_
