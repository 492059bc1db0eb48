// SPDX-License-Identifier: Apache-2.0
// What the reduction ALU has to compute, in the native types of C++ and for floats of 16 bits in
// doubles; the rules are those of docs/calc.md.
#ifndef TORUSMU_TB_REFERENCE_MODEL_REDUCTION_H_
#define TORUSMU_TB_REFERENCE_MODEL_REDUCTION_H_

#include <array>
#include <cstdint>

#include "torusmu/names.h"

namespace torusmu::model {

/// A beat of memory: 4 elements of 64 bits, 8 of 32, 16 of 16 or 32 of 8, the first in the lowest
/// bits.
using Beat = std::array<std::uint64_t, 4>;

unsigned bits_of_element(Element element);
bool is_float(Element element);
/// MAXLOC, MINLOC and MINMAXLOC: elements are pairs of a value and an index as wide.
bool has_pairs(Reduction operation);
/// Bytes of what an operation is for: an element, a pair, or two pairs.
std::uint64_t unit_bytes(Reduction operation, Element element);
bool is_defined(Reduction operation, Element element);

/// Element by element; `*result` is zero unless the status is OK.
Status reduce(Reduction operation, Element element, const Beat& left, const Beat& right,
              Beat* result);

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_REDUCTION_H_
