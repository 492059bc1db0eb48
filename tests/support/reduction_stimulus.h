// SPDX-License-Identifier: Apache-2.0
// Operands that find faults of arithmetic: special values, operands near to one another, results
// near the ends of a format, ties of rounding. Random bits alone hardly ever meet them.

#ifndef TESTS_SUPPORT_REDUCTION_STIMULUS_H_
#define TESTS_SUPPORT_REDUCTION_STIMULUS_H_

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "tb/reference_model/reduction.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

// A binary format of IEEE 754.
struct FloatFormat {
  unsigned exponent_bits;
  unsigned fraction_bits;

  constexpr unsigned width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr std::uint64_t special() const { return (1ULL << exponent_bits) - 1; }
  constexpr std::uint64_t fraction_mask() const { return (1ULL << fraction_bits) - 1; }
  constexpr std::uint64_t pack(bool sign, std::uint64_t exponent, std::uint64_t fraction) const {
    return (sign ? 1ULL << (width() - 1) : 0) | (exponent & special()) << fraction_bits |
           (fraction & fraction_mask());
  }
};
constexpr FloatFormat kBinary32{8, 23};
constexpr FloatFormat kBinary64{11, 52};
constexpr FloatFormat kBinary16{5, 10};
constexpr FloatFormat kBfloat16{8, 7};

inline constexpr unsigned kReductions = 13;
inline constexpr unsigned kElements = 12;

const FloatFormat& format_of(Element element);  // one of floats

// A number of a narrow format as a unit of a wide one takes it: its exponent in the lowest bits of
// the field, its fraction in the highest of the other.
constexpr std::uint64_t spread(std::uint64_t number, const FloatFormat& narrow,
                               const FloatFormat& wide) {
  const bool sign = (number >> (narrow.width() - 1) & 1) != 0;
  const unsigned zeros = wide.fraction_bits - narrow.fraction_bits;
  return wide.pack(sign, number >> narrow.fraction_bits & narrow.special(),
                   (number & narrow.fraction_mask()) << zeros);
}

// Into a port of a model, whatever its width.
template <typename Port>
requires std::is_integral_v<Port>
void set(Port& port, std::uint64_t value) { port = static_cast<Port>(value); }

using Operands = std::pair<std::uint64_t, std::uint64_t>;

// Two operands in the low bits of 64.
Operands float_operands(Random& random, const FloatFormat& format);
Operands integer_operands(Random& random, unsigned bits);

// What the reference model makes of two elements.
std::uint64_t reduced(Reduction operation, Element element, const Operands& operands);

// Two beats for the reduction ALU; in pairs the indexes often tie, and so do the values.
std::pair<model::Beat, model::Beat> beats(Random& random, Reduction operation, Element element);

// One that is defined, for units of at most so many bytes.
std::pair<Reduction, Element> any_operation(Random& random, std::uint64_t bytes);
// Steps of a loaded reduction, for units of at most so many bytes; on any value, most with a
// constant that could be an operand.
std::vector<ReductionStep> any_steps(Random& random, std::uint64_t bytes);

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_REDUCTION_STIMULUS_H_
