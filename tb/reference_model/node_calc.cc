// SPDX-License-Identifier: Apache-2.0
// CALC of the reference node: reads all operands in whole, reduces them, writes the result in one
// piece. docs/calc.md has the rules.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "tb/reference_model/node_model.h"
#include "tb/reference_model/reduction.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace c = layout::calc_operation;
namespace s = layout::calc_shape;
namespace o = layout::operand;
namespace r = layout::reduction_step;

constexpr std::uint64_t kMostOperands = 16;
constexpr std::uint64_t kMostDirectOperands = 2;
constexpr std::uint64_t kMostSteps = 8;
constexpr std::uint64_t kMostTargets = 8;
constexpr Bytes kEntryBytes = Operand::kBytes;
static_assert(ReductionStep::kBytes == kEntryBytes && PacketHeader::kBytes == kEntryBytes);
// A region has at most 2^37 bytes; what reaches further than this has no place in any.
constexpr __int128 kBeyondAnyRegion = static_cast<__int128>(1) << 38;

std::int64_t signed_stride(std::uint64_t bits) {
  constexpr unsigned kUnused = 64 - o::stride.width;
  return static_cast<std::int64_t>(bits << kUnused) >> kUnused;
}

// A vector in memory: `rows` rows of `columns` elements.
struct Vector {
  std::uint32_t region = 0;
  Address offset = 0;
  std::int64_t stride = 0;
  std::int64_t row_stride = 0;
  std::uint64_t columns = 0;
  std::uint64_t rows = 0;
};

// The lowest byte of the vector and the byte behind the highest, counted from its region's base.
std::pair<__int128, __int128> bounds(const Vector& vector, Bytes element_bytes) {
  __int128 lowest = static_cast<__int128>(vector.offset);
  __int128 highest = lowest;
  for (const auto& [count, stride] :
       {std::pair{vector.columns, vector.stride}, std::pair{vector.rows, vector.row_stride}}) {
    const __int128 reach = static_cast<__int128>(count - 1) * stride;
    (reach < 0 ? lowest : highest) += reach;
  }
  return {lowest, highest + static_cast<__int128>(element_bytes)};
}

// Of element n, from the base of the vector's region.
std::uint64_t place(const Vector& vector, std::uint64_t n) {
  const auto column = static_cast<std::int64_t>(n % vector.columns);
  const auto row = static_cast<std::int64_t>(n / vector.columns);
  return vector.offset +
         static_cast<std::uint64_t>(column * vector.stride + row * vector.row_stride);
}

// What a descriptor asks for.
struct Calc {
  Reduction reduction{};
  Element element{};
  std::uint64_t count = 0;  // of operands
  std::uint64_t steps = 0;  // of a loaded reduction
  std::uint64_t targets = 0;
  // Of the list.
  [[nodiscard]] Bytes listed_bytes() const { return direct ? 0 : (count + steps) * kEntryBytes; }
  Bytes length = 0;
  bool direct = false;      // operands stand in the immediate
  bool attaches = false;    // the number of its operand to each element
  bool is_piece = true;     // the result is one piece of memory
  Bytes element_bytes = 0;  // of an operand
  Bytes result_bytes = 0;   // an element of the result
  std::uint64_t elements = 0;
  Vector operand;  // the shape of all
  Vector result;
};

Calc calc_of(const Descriptor& descriptor) {
  const auto operation = CalcOperation::from_bytes(descriptor.get<d::immediate>());
  const auto shape = CalcShape::from_bytes(descriptor.get<d::immediate>());
  const auto header = descriptor.get<d::header>();
  Calc calc;
  calc.reduction = descriptor.get<d::reduction>();
  calc.element = descriptor.get<d::element>();
  calc.count = descriptor.get<d::operands>();
  calc.length = descriptor.get<d::length>();
  calc.targets = descriptor.get<d::targets>();
  calc.direct = descriptor.get<d::immediate_valid>() != 0;
  const Bytes value_bytes = bits_of_element(calc.element) / 8;
  calc.attaches =
      (calc.direct ? operation.get<c::attach_index>() : shape.get<s::attach_index>()) != 0;
  calc.result_bytes = value_bytes * (has_pairs(calc.reduction) ? 2 : 1);
  calc.element_bytes = calc.attaches ? value_bytes : calc.result_bytes;
  calc.elements = calc.length / calc.result_bytes;
  const std::uint64_t row = calc.direct ? 0 : shape.get<s::row_elements>();
  calc.operand.stride = static_cast<std::int64_t>(calc.element_bytes);
  calc.operand.columns = row == 0 ? calc.elements : row;
  calc.operand.rows = row == 0 ? 1 : calc.elements / row;
  calc.result = calc.operand;
  calc.result.region = static_cast<std::uint32_t>(header.get<h::target>());
  calc.result.offset = header.get<h::offset>();
  calc.result.stride = static_cast<std::int64_t>(calc.result_bytes);
  if (calc.direct) return calc;
  calc.steps = shape.get<s::steps>();
  calc.is_piece = shape.get<s::result_stride>() == 0 && shape.get<s::result_row_stride>() == 0;
  calc.result.row_stride = signed_stride(shape.get<s::result_row_stride>());
  if (shape.get<s::result_stride>() != 0) {
    calc.result.stride = signed_stride(shape.get<s::result_stride>());
  }
  return calc;
}

// The first of the errors that the descriptor shows by itself.
Status status_of(const Descriptor& descriptor, const Calc& calc, unsigned lanes) {
  const auto immediate = descriptor.get<d::immediate>();
  if (!(calc.direct ? reserved_bits_are_zero(CalcOperation::from_bytes(immediate))
                    : reserved_bits_are_zero(CalcShape::from_bytes(immediate)))) {
    return Status::kReservedBits;
  }
  if (!is_defined(calc.reduction, calc.element)) return Status::kReductionUndefined;
  if (lanes == 0 && (calc.count > 1 || calc.attaches || calc.steps > 0)) {
    return Status::kReductionUndefined;
  }
  if (calc.length == 0) return Status::kLengthZero;
  if (calc.count == 0 || calc.count > kMostOperands || calc.steps > kMostSteps ||
      calc.targets > kMostTargets || (calc.targets > 0 && !calc.is_piece) ||
      calc.length % unit_bytes(calc.reduction, calc.element) != 0 ||
      (calc.direct && calc.count > kMostDirectOperands) ||
      (calc.attaches && !has_pairs(calc.reduction)) || calc.elements % calc.operand.columns != 0) {
    return Status::kOperandsInvalid;
  }
  return Status::kOk;
}

// Operand `n`, by its entry in the list or by the immediate; nothing if the entry has bits it may
// not have.
std::optional<Vector> operand_of(const Descriptor& descriptor, const Calc& calc,
                                 std::span<const std::uint8_t> list, std::uint64_t n) {
  Vector vector = calc.operand;
  if (calc.direct) {
    const auto operation = CalcOperation::from_bytes(descriptor.get<d::immediate>());
    vector.region = static_cast<std::uint32_t>(n == 0 ? operation.get<c::left_region>()
                                                      : operation.get<c::right_region>());
    vector.offset = n == 0 ? operation.get<c::left_offset>() : operation.get<c::right_offset>();
    return vector;
  }
  const auto entry =
      Operand::from_bytes(list.subspan(n * Operand::kBytes).first<Operand::kBytes>());
  if (!reserved_bits_are_zero(entry)) return std::nullopt;
  vector.region = static_cast<std::uint32_t>(entry.get<o::region>());
  vector.offset = entry.get<o::offset>();
  vector.stride = signed_stride(entry.get<o::stride>());
  vector.row_stride = signed_stride(entry.get<o::row_stride>());
  return vector;
}

// Element by element and beat by beat: `right` is the next operand.
void combine(Reduction reduction, Element element, std::span<std::uint8_t> so_far,
             std::span<const std::uint8_t> right) {
  for (std::size_t at = 0; at < so_far.size(); at += sizeof(Beat)) {
    const std::size_t bytes = std::min(sizeof(Beat), so_far.size() - at);
    Beat left_beat{};
    Beat right_beat{};
    Beat beat{};
    std::memcpy(left_beat.data(), so_far.data() + at, bytes);
    std::memcpy(right_beat.data(), right.data() + at, bytes);
    reduce(reduction, element, left_beat, right_beat, &beat);
    std::memcpy(so_far.data() + at, beat.data(), bytes);
  }
}

// The steps that change this, one after the other.
void take_steps(const std::vector<ReductionStep>& steps, StepOf changes,
                std::span<std::uint8_t> value) {
  std::vector<std::uint8_t> second(value.size());
  for (const ReductionStep& step : steps) {
    if (step.get<r::changes>() != changes) continue;
    const std::uint64_t constant = step.get<r::constant>();
    std::copy(value.begin(), value.end(), second.begin());
    if (step.get<r::constant_valid>() != 0) {
      for (std::size_t at = 0; at < second.size(); ++at) {
        second[at] = static_cast<std::uint8_t>(constant >> (at % 8 * 8));
      }
    }
    combine(step.get<r::reduction>(), step.get<r::element>(), value, second);
  }
}

}  // namespace

Status ReferenceNode::run_calc(const Descriptor& descriptor, const Queue& queue,
                               std::vector<PacketHeader>* targets) {
  const Calc calc = calc_of(descriptor);
  Status status = status_of(descriptor, calc, sizes_.calc_lanes);
  if (status != Status::kOk) return status;
  const auto judge = [&](const Vector& vector, Bytes bytes, Access access) {
    const auto [lowest, highest] = bounds(vector, bytes);
    const bool somewhere = lowest >= 0 && highest < kBeyondAnyRegion;
    return check_region(vector.region, somewhere ? static_cast<Address>(lowest) : 0,
                        static_cast<Bytes>(somewhere ? highest - lowest : kBeyondAnyRegion), access,
                        queue.owner());
  };

  // The result, the list, the operands.
  status = calc.is_piece ? check_region(calc.result.region, calc.result.offset, calc.length,
                                        Access::kOnBehalf, queue.owner())
                         : judge(calc.result, calc.result_bytes, Access::kOnBehalf);
  if (status != Status::kOk) return status;
  const auto [lowest, highest] = bounds(calc.result, calc.result_bytes);
  if (!calc.is_piece && highest - lowest < static_cast<__int128>(calc.length)) {
    return Status::kOperandsInvalid;
  }
  std::vector<std::uint8_t> list(calc.listed_bytes() + calc.targets * kEntryBytes);
  if (!list.empty()) {
    const auto list_region = static_cast<std::uint32_t>(descriptor.get<d::source_region>());
    const Address list_offset = descriptor.get<d::source_offset>();
    status = check_region(list_region, list_offset, list.size(), Access::kLocalRead, queue.owner());
    if (status != Status::kOk) return status;
    if (!read_memory(regions_[list_region].base + list_offset, list)) return Status::kMemoryError;
  }
  for (std::uint64_t n = 0; targets != nullptr && n < calc.targets; ++n) {
    const auto entry = std::span<const std::uint8_t>(list).subspan(calc.listed_bytes());
    targets->push_back(
        PacketHeader::from_bytes(entry.subspan(n * kEntryBytes).first<kEntryBytes>()));
  }
  std::vector<Vector> vectors;
  for (std::uint64_t n = 0; n < calc.count; ++n) {
    const auto vector = operand_of(descriptor, calc, list, n);
    if (!vector) return Status::kReservedBits;
    status = judge(*vector, calc.element_bytes, Access::kLocalRead);
    if (status != Status::kOk) return status;
    vectors.push_back(*vector);
  }
  std::vector<ReductionStep> steps;
  for (std::uint64_t n = 0; n < calc.steps; ++n) {
    const auto entry = std::span<const std::uint8_t>(list).subspan(calc.count * Operand::kBytes);
    steps.push_back(ReductionStep::from_bytes(
        entry.subspan(n * ReductionStep::kBytes).first<ReductionStep::kBytes>()));
    if (!reserved_bits_are_zero(steps.back())) return Status::kReservedBits;
    const auto reduction = steps.back().get<r::reduction>();
    const auto element = steps.back().get<r::element>();
    if (!is_defined(reduction, element) ||
        unit_bytes(reduction, element) > unit_bytes(calc.reduction, calc.element)) {
      return Status::kReductionUndefined;
    }
  }

  // One operand after the other onto what there is so far. A result that no memory holds cannot be.
  if (calc.length > memory_.size()) return Status::kMemoryError;
  std::vector<std::uint8_t> so_far(calc.length);
  std::vector<std::uint8_t> next(calc.length);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    auto& to = v == 0 ? so_far : next;
    for (std::uint64_t n = 0; n < calc.elements; ++n) {
      const auto unit = std::span(to).subspan(n * calc.result_bytes, calc.result_bytes);
      if (!read_memory(regions_[vectors[v].region].base + place(vectors[v], n),
                       unit.first(calc.element_bytes))) {
        return Status::kMemoryError;
      }
      if (!calc.attaches) continue;
      std::ranges::fill(unit.subspan(calc.element_bytes), std::uint8_t{0});
      unit[calc.element_bytes] = static_cast<std::uint8_t>(v);
    }
    take_steps(steps, StepOf::kOperand, to);
    if (v == 0) continue;
    take_steps(steps, StepOf::kSoFar, so_far);
    combine(calc.reduction, calc.element, so_far, next);
    take_steps(steps, StepOf::kCombined, so_far);
  }
  take_steps(steps, StepOf::kResult, so_far);
  const Address base = regions_[calc.result.region].base;
  if (calc.is_piece) {
    return write_memory(base + calc.result.offset, so_far) ? Status::kOk : Status::kMemoryError;
  }
  for (std::uint64_t n = 0; n < calc.elements; ++n) {
    const auto unit = std::span(so_far).subspan(n * calc.result_bytes, calc.result_bytes);
    if (!write_memory(base + place(calc.result, n), unit)) return Status::kMemoryError;
  }
  return Status::kOk;
}

}  // namespace torusmu::model
