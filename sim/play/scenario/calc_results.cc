// SPDX-License-Identifier: Apache-2.0
// What plain loops of C++ make of the operands of a CalcJob.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "sim/play/scenario/calc_jobs.h"
#include "torusmu/reduction.h"

namespace torusmu {
namespace {

template <typename T>
T combined(Reduction op, T left, T right) {
  switch (op) {
    case Reduction::kMax:
      return std::max(left, right);
    case Reduction::kMin:
      return std::min(left, right);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return op == Reduction::kSum ? left + right : left * right;
  } else {
    using Bits = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;
    const auto a = static_cast<Bits>(left), b = static_cast<Bits>(right);
    switch (op) {
      case Reduction::kSum:
        return static_cast<T>(a + b);
      case Reduction::kProd:
        return static_cast<T>(a * b);
      case Reduction::kLand:
        return a != 0 && b != 0 ? 1 : 0;
      case Reduction::kLor:
        return a != 0 || b != 0 ? 1 : 0;
      case Reduction::kLxor:
        return (a != 0) != (b != 0) ? 1 : 0;
      case Reduction::kBand:
        return static_cast<T>(a & b);
      case Reduction::kBor:
        return static_cast<T>(a | b);
      default:
        return static_cast<T>(a ^ b);
    }
  }
}

template <typename T>
struct Pair {
  using Index = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  T value;
  Index index;
};

template <typename T>
Pair<T> combined(Reduction op, Pair<T> left, Pair<T> right) {
  if (left.value == right.value) return left.index <= right.index ? left : right;
  const bool larger = left.value > right.value;
  return larger == (op == Reduction::kMaxloc) ? left : right;
}

// C++ has no floats of 16 bits: what the library computes, of a number or of a pair.
template <DataType kType, std::size_t kHalves>
struct Shorts {
  std::array<std::uint16_t, kHalves> halves;
};

ReduceOp library_name(Reduction op) {
  switch (op) {
    case Reduction::kMax:
      return ReduceOp::kMax;
    case Reduction::kMin:
      return ReduceOp::kMin;
    case Reduction::kSum:
      return ReduceOp::kSum;
    case Reduction::kProd:
      return ReduceOp::kProd;
    case Reduction::kMaxloc:
      return ReduceOp::kMaxloc;
    default:
      return ReduceOp::kMinloc;
  }
}

template <DataType kType, std::size_t kHalves>
Shorts<kType, kHalves> combined(Reduction op, Shorts<kType, kHalves> left,
                                Shorts<kType, kHalves> right) {
  combine(library_name(op), kType, std::as_writable_bytes(std::span(left.halves)),
          std::as_bytes(std::span(right.halves)));
  return left;
}

// One step of a loaded reduction.
template <typename T>
T changed(const ReductionStep& step, Element element, T value) {
  namespace r = layout::reduction_step;
  if constexpr (std::is_arithmetic_v<T>) {
    using Bits = typename Pair<T>::Index;
    const auto constant = static_cast<Bits>(step.get<r::constant>());
    const T second = step.get<r::constant_valid>() != 0 ? std::bit_cast<T>(constant) : value;
    const auto op = step.get<r::reduction>();
    if (step.get<r::element>() == element) return combined(op, value, second);
    return std::bit_cast<T>(combined(op, std::bit_cast<Bits>(value), std::bit_cast<Bits>(second)));
  } else {
    return value;
  }
}

void set_index(auto&, std::size_t) {}
template <typename T>
void set_index(Pair<T>& pair, std::size_t index) {
  pair.index = static_cast<typename Pair<T>::Index>(index);
}
template <DataType kType>
void set_index(Shorts<kType, 2>& pair, std::size_t index) {
  pair.halves[1] = static_cast<std::uint16_t>(index);
}

std::int64_t place_of(const CalcVector& vector, std::uint32_t row, std::uint32_t element) {
  return static_cast<std::int64_t>(vector.at) + element % row * vector.stride +
         element / row * vector.row_stride;
}

// Where the result lies, as a vector of units of so many bytes.
CalcVector result_of(const CalcJob& job) {
  CalcVector vector = job.result;
  if (vector.stride == 0) vector.stride = static_cast<std::int64_t>(job.element_bytes());
  const bool is_piece = job.result.stride == 0 && job.result.row_stride == 0;
  if (is_piece) vector.row_stride = vector.stride * job.row();
  return vector;
}

// `Unit` is a number or a pair; both lie in memory as in C++.
template <typename Unit>
void compute(const CalcJob& job, std::span<const std::byte> source, std::span<std::byte> place) {
  const CalcVector to = result_of(job);
  const auto take_steps = [&](StepOf what, Unit& value) {
    for (const ReductionStep& step : job.steps) {
      if (step.get<layout::reduction_step::changes>() == what) {
        value = changed(step, job.element, value);
      }
    }
  };
  for (std::uint32_t e = 0; e < job.elements; ++e) {
    Unit so_far{};
    // Pairs take turns.
    const Reduction larger_or_smaller = e % 2 == 1 ? Reduction::kMaxloc : Reduction::kMinloc;
    const Reduction op = job.op == Reduction::kMinmaxloc ? larger_or_smaller : job.op;
    for (std::size_t n = 0; n < job.operands.size(); ++n) {
      Unit next{};
      std::memcpy(&next, source.data() + place_of(job.operands[n], job.row(), e),
                  job.attach ? sizeof next / 2 : sizeof next);
      if (job.attach) set_index(next, n);
      take_steps(StepOf::kOperand, next);
      if (n == 0) {
        so_far = next;
        continue;
      }
      take_steps(StepOf::kSoFar, so_far);
      so_far = combined(op, so_far, next);
      take_steps(StepOf::kCombined, so_far);
    }
    take_steps(StepOf::kResult, so_far);
    std::memcpy(place.data() + place_of(to, job.row(), e), &so_far, sizeof so_far);
  }
}

template <typename T>
void compute_of(const CalcJob& job, std::span<const std::byte> source, std::span<std::byte> place) {
  finds_place(job.op) ? compute<Pair<T>>(job, source, place) : compute<T>(job, source, place);
}

template <DataType kType>
void compute_of_shorts(const CalcJob& job, std::span<const std::byte> source,
                       std::span<std::byte> place) {
  finds_place(job.op) ? compute<Shorts<kType, 2>>(job, source, place)
                      : compute<Shorts<kType, 1>>(job, source, place);
}

}  // namespace

bool finds_place(Reduction op) {
  return std::ranges::find(kPlaceSearches, op) != kPlaceSearches.end();
}
Bytes width_of(Element element) {
  switch (element) {
    case Element::kI64:
    case Element::kU64:
    case Element::kF64:
      return 8;
    case Element::kI32:
    case Element::kU32:
    case Element::kF32:
      return 4;
    case Element::kI8:
    case Element::kU8:
      return 1;
    default:
      return 2;
  }
}

Bytes CalcJob::span_bytes() const {
  std::int64_t end = 0;
  for (const std::uint32_t e : {0U, row() - 1, elements - row(), elements - 1}) {
    end = std::max(end, place_of(result_of(*this), row(), e));
  }
  return static_cast<Bytes>(end) + element_bytes();
}

void write_calc_result(const CalcJob& job, std::span<const std::byte> source,
                       std::span<std::byte> place) {
  switch (job.element) {
    case Element::kI32:
      return compute_of<std::int32_t>(job, source, place);
    case Element::kU32:
      return compute_of<std::uint32_t>(job, source, place);
    case Element::kI64:
      return compute_of<std::int64_t>(job, source, place);
    case Element::kU64:
      return compute_of<std::uint64_t>(job, source, place);
    case Element::kF32:
      return compute_of<float>(job, source, place);
    case Element::kI8:
      return compute_of<std::int8_t>(job, source, place);
    case Element::kU8:
      return compute_of<std::uint8_t>(job, source, place);
    case Element::kI16:
      return compute_of<std::int16_t>(job, source, place);
    case Element::kU16:
      return compute_of<std::uint16_t>(job, source, place);
    case Element::kF16:
      return compute_of_shorts<DataType::kF16>(job, source, place);
    case Element::kBf16:
      return compute_of_shorts<DataType::kBf16>(job, source, place);
    default:
      return compute_of<double>(job, source, place);
  }
}

}  // namespace torusmu
