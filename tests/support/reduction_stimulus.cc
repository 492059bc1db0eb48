// SPDX-License-Identifier: Apache-2.0

#include "tests/support/reduction_stimulus.h"

#include <algorithm>

namespace torusmu::testing {
namespace {

// Mostly zeros, mostly ones, a run of either, a few bits, anything: exact results and ties are made
// of these.
std::uint64_t pattern(Random& random, unsigned bits) {
  const std::uint64_t draw = random.bits64();
  const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
  const unsigned place = static_cast<unsigned>(draw >> 8) % bits;
  const unsigned other = static_cast<unsigned>(draw >> 16) % bits;
  switch (draw % 8) {
    case 0:
      return 0;
    case 1:
      return mask;
    case 2:
      return (mask << place) & mask;
    case 3:
      return mask >> place;
    case 4:
      return 1ULL << place | 1ULL << other;
    case 5:
      return ~(1ULL << place | 1ULL << other) & mask;
    default:
      return random.bits64() & mask;
  }
}

std::uint64_t special_float(Random& random, const FloatFormat& format) {
  const std::uint64_t draw = random.bits64();
  const bool sign = (draw & 1) != 0;
  const std::uint64_t quiet = 1ULL << (format.fraction_bits - 1);
  const std::uint64_t bias = format.special() / 2;
  switch (draw / 2 % 10) {
    case 0:
      return format.pack(sign, 0, 0);
    case 1:
      return format.pack(sign, 0, 1);
    case 2:
      return format.pack(sign, 0, format.fraction_mask());
    case 3:
      return format.pack(sign, 1, 0);
    case 4:
      return format.pack(sign, format.special() - 1, format.fraction_mask());
    case 5:
      return format.pack(sign, format.special(), 0);
    case 6:
      return format.pack(sign, format.special(), quiet | pattern(random, format.fraction_bits));
    case 7:
      return format.pack(sign, format.special(),
                         1 | (pattern(random, format.fraction_bits) & ~quiet));
    case 8:
      return format.pack(sign, bias, draw >> 60 & 1);
    default:
      return format.pack(sign, 0, pattern(random, format.fraction_bits));
  }
}

std::uint64_t any_float(Random& random, const FloatFormat& format) {
  const std::uint64_t draw = random.bits64();
  return format.pack((draw & 1) != 0, draw >> 8, pattern(random, format.fraction_bits));
}

std::uint64_t clamp(std::int64_t exponent, const FloatFormat& format) {
  return static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(exponent, 0, static_cast<std::int64_t>(format.special()) - 1));
}

}  // namespace

Operands float_operands(Random& random, const FloatFormat& format) {
  const std::uint64_t draw = random.bits64();
  const bool sign = (draw >> 40 & 1) != 0;
  const std::uint64_t fraction = pattern(random, format.fraction_bits);
  const std::uint64_t left =
      draw >> 41 & 7 ? any_float(random, format) : special_float(random, format);
  const auto exponent = static_cast<std::int64_t>(left >> format.fraction_bits & format.special());
  const auto reach = static_cast<std::int64_t>(format.fraction_bits) + 4;
  const std::int64_t near = static_cast<std::int64_t>(draw >> 8) % (reach + 1);
  switch (draw % 8) {
    case 0:  // anything
      return {left, any_float(random, format)};
    case 1:
      return {left, special_float(random, format)};
    case 2:  // the same, its negative, or a few units in the last place from either
      return {left, (left + (draw >> 44) % 5 - 2) ^ (sign ? 1ULL << (format.width() - 1) : 0)};
    case 3:  // a sum that overflows or does not, of large numbers
      return {format.pack(sign, format.special() - 1 - (draw >> 44) % 3,
                          pattern(random, format.fraction_bits)),
              format.pack(sign, format.special() - 1 - (draw >> 48) % 3, fraction)};
    case 4: {  // a product near the smallest numbers, or near the largest
      const auto bias = static_cast<std::int64_t>(format.special() / 2);
      const std::int64_t to =
          (draw >> 44 & 3) != 0 ? bias - exponent - near + 2 : 3 * bias - exponent + near % 4 - 1;
      return {left, format.pack(sign, clamp(to, format), fraction)};
    }
    default:  // exponents apart by up to a little more than a significand: alignment, cancellation,
              // ties
      return {left,
              format.pack(sign, clamp(exponent + ((draw >> 44 & 1) != 0 ? near : -near), format),
                          fraction)};
  }
}

Operands integer_operands(Random& random, unsigned bits) {
  const std::uint64_t left = pattern(random, bits);
  const std::uint64_t draw = random.bits64();
  switch (draw % 4) {
    case 0:
      return {left, left};
    case 1:
      return {left, left + (draw >> 8) % 5 - 2};
    case 2:
      return {left, 0 - left};
    default:
      return {left, pattern(random, bits)};
  }
}

const FloatFormat& format_of(Element element) {
  switch (element) {
    case Element::kF64:
      return kBinary64;
    case Element::kF16:
      return kBinary16;
    case Element::kBf16:
      return kBfloat16;
    default:
      return kBinary32;
  }
}

std::uint64_t reduced(Reduction operation, Element element, const Operands& operands) {
  model::Beat result{};
  model::reduce(operation, element, {operands.first}, {operands.second}, &result);
  return result[0] & ~0ULL >> (64 - model::bits_of_element(element));
}

std::pair<model::Beat, model::Beat> beats(Random& random, Reduction operation, Element element) {
  const unsigned bits = model::bits_of_element(element);
  const bool pairs = model::has_pairs(operation);
  model::Beat left{};
  model::Beat right{};
  for (unsigned i = 0; i < 256 / bits; ++i) {
    const bool index = pairs && i % 2 == 1;
    const Operands operands = model::is_float(element) && !index
                                  ? float_operands(random, format_of(element))
                                  : integer_operands(random, bits);
    const unsigned shift = i * bits % 64;
    const std::uint64_t mask = ~0ULL >> (64 - bits);
    left[i * bits / 64] |= (operands.first & mask) << shift;
    right[i * bits / 64] |= (operands.second & mask) << shift;
  }
  return {left, right};
}

std::pair<Reduction, Element> any_operation(Random& random, std::uint64_t bytes) {
  for (;;) {
    const auto operation = static_cast<Reduction>(random.below(kReductions));
    const auto element = static_cast<Element>(random.below(kElements));
    if (model::is_defined(operation, element) && model::unit_bytes(operation, element) <= bytes) {
      return {operation, element};
    }
  }
}

std::vector<ReductionStep> any_steps(Random& random, std::uint64_t bytes) {
  namespace r = layout::reduction_step;
  std::vector<ReductionStep> steps(1 + random.below(8));
  for (ReductionStep& step : steps) {
    const auto [operation, element] = any_operation(random, bytes);
    step.set<r::reduction>(operation)
        .set<r::element>(element)
        .set<r::changes>(static_cast<StepOf>(random.below(4)))
        .set<r::constant_valid>(random.chance(70))
        .set<r::constant>(beats(random, operation, element).first[0]);
  }
  return steps;
}

}  // namespace torusmu::testing
