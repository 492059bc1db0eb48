// SPDX-License-Identifier: Apache-2.0
// What the scenario `shapes` has CALC compute: vectors of every shape that two strides can
// describe, with every operation and type, loaded reductions, and what C++ computes of the same
// bytes.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_CALC_JOBS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_CALC_JOBS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu {

// An operand: where its first element lies in the source bytes, and from there the next element and
// the next row.
struct CalcVector {
  Bytes at = 0;
  std::int64_t stride = 0;
  std::int64_t row_stride = 0;
};

// The operations on pairs of a value and an index.
inline constexpr std::array kPlaceSearches{Reduction::kMaxloc, Reduction::kMinloc,
                                           Reduction::kMinmaxloc};
bool finds_place(Reduction op);
Bytes width_of(Element element);

struct CalcJob {
  std::string name;
  Reduction op = Reduction::kSum;
  Element element = Element::kF64;
  std::uint32_t elements = 0;      // pairs, if it is a search for a place
  std::uint32_t row_elements = 0;  // 0: all of them are one row
  std::vector<CalcVector> operands{};
  bool immediate = false;              // its operands, one row each, stand in the descriptor
  bool attach = false;                 // operands are no pairs: which of them has the extreme?
  CalcVector result{};                 // in its place; strides of zero: one piece of memory
  std::vector<ReductionStep> steps{};  // of numbers, with their bits or as wide integers
  Status status = Status::kOk;         // if not, nothing is computed
  [[nodiscard]] std::uint32_t row() const { return row_elements == 0 ? elements : row_elements; }
  [[nodiscard]] Bytes element_bytes() const;  // in the result
  [[nodiscard]] Bytes result_bytes() const { return elements * element_bytes(); }
  // From the first byte of its place to the last that the result covers.
  [[nodiscard]] Bytes span_bytes() const;
};

// The bytes that all jobs read: numbers of each type, with ties, and records of a number, an index
// and padding.
std::vector<std::byte> calc_source(std::uint64_t seed);
inline constexpr Bytes kCalcSourceBytes = 0x18000;

// Of results of at most kMostCalcBytes.
std::vector<CalcJob> calc_jobs(std::uint64_t seed);
inline constexpr Bytes kMostCalcBytes = 1024;

// By plain loops over the same bytes; into the place of the result.
void write_calc_result(const CalcJob& job, std::span<const std::byte> source,
                       std::span<std::byte> place);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_CALC_JOBS_H_
