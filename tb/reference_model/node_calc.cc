// SPDX-License-Identifier: Apache-2.0
// CALC of the reference node: reads all operands in whole, reduces them, writes the result in one
// piece. docs/calc.md has the rules.
#include <algorithm>
#include <cstring>

#include "tb/reference_model/node_model.h"
#include "tb/reference_model/reduction.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace c = layout::calc_operation;
namespace o = layout::operand;
using CalcOperation = Record<c::Layout>;
using Operand = Record<o::Layout>;

constexpr std::uint64_t kMostOperands = 16;
constexpr std::uint64_t kMostDirectOperands = 2;
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

}  // namespace

Status ReferenceNode::run_calc(const Descriptor& descriptor, const Queue& queue) {
  const auto operation = CalcOperation::from_bytes(descriptor.get<d::immediate>());
  const auto reduction = descriptor.get<d::reduction>();
  const auto element = descriptor.get<d::element>();
  const auto count = descriptor.get<d::operands>();
  const Bytes length = descriptor.get<d::length>();
  const bool direct = descriptor.get<d::immediate_valid>() != 0;
  const std::uint64_t row_elements = operation.get<c::row_elements>();
  const Bytes element_bytes = bits_of_element(element) / 8 * (has_pairs(reduction) ? 2 : 1);
  const std::uint64_t elements = length / element_bytes;

  // The descriptor itself.
  if (!reserved_bits_are_zero(operation)) return Status::kReservedBits;
  if (!is_defined(reduction, element)) return Status::kReductionUndefined;
  if (sizes_.calc_lanes == 0 && count > 1) return Status::kReductionUndefined;
  if (length == 0) return Status::kLengthZero;
  if (count == 0 || count > kMostOperands || length % element_bytes != 0 ||
      (direct && (count > kMostDirectOperands || row_elements != 0)) ||
      (row_elements != 0 && elements % row_elements != 0)) {
    return Status::kOperandsInvalid;
  }

  // The result and the list.
  const auto header = descriptor.get<d::header>();
  const auto result_region = static_cast<std::uint32_t>(header.get<h::target>());
  const Address result_offset = header.get<h::offset>();
  Status status =
      check_region(result_region, result_offset, length, Access::kOnBehalf, queue.owner());
  if (status != Status::kOk) return status;
  std::vector<std::uint8_t> list(count * Operand::kBytes);
  if (!direct) {
    const auto list_region = static_cast<std::uint32_t>(descriptor.get<d::source_region>());
    const Address list_offset = descriptor.get<d::source_offset>();
    status = check_region(list_region, list_offset, list.size(), Access::kLocalRead, queue.owner());
    if (status != Status::kOk) return status;
    if (!read_memory(regions_[list_region].base + list_offset, list)) return Status::kMemoryError;
  }

  // The operands.
  std::vector<Vector> vectors;
  for (std::uint64_t n = 0; n < count; ++n) {
    Vector vector{.columns = row_elements == 0 ? elements : row_elements,
                  .rows = row_elements == 0 ? 1 : elements / row_elements};
    if (direct) {
      const bool left = n == 0;
      vector.region = static_cast<std::uint32_t>(left ? operation.get<c::left_region>()
                                                      : operation.get<c::right_region>());
      vector.offset = left ? operation.get<c::left_offset>() : operation.get<c::right_offset>();
      vector.stride = static_cast<std::int64_t>(element_bytes);
    } else {
      const auto entry = Operand::from_bytes(
          std::span(list).subspan(n * Operand::kBytes).first<Operand::kBytes>());
      if (!reserved_bits_are_zero(entry)) return Status::kReservedBits;
      vector.region = static_cast<std::uint32_t>(entry.get<o::region>());
      vector.offset = entry.get<o::offset>();
      vector.stride = signed_stride(entry.get<o::stride>());
      vector.row_stride = signed_stride(entry.get<o::row_stride>());
    }
    const auto [lowest, highest] = bounds(vector, element_bytes);
    const bool somewhere = lowest >= 0 && highest < kBeyondAnyRegion;
    status = check_region(vector.region, somewhere ? static_cast<Address>(lowest) : 0,
                          static_cast<Bytes>(somewhere ? highest - lowest : kBeyondAnyRegion),
                          Access::kLocalRead, queue.owner());
    if (status != Status::kOk) return status;
    vectors.push_back(vector);
  }

  // One operand after the other onto what there is so far. A result that no memory holds cannot be.
  if (length > memory_.size()) return Status::kMemoryError;
  std::vector<std::uint8_t> result(length);
  std::vector<std::uint8_t> next(length);
  for (const Vector& vector : vectors) {
    const bool first = &vector == &vectors.front();
    auto& to = first ? result : next;
    for (std::uint64_t n = 0; n < elements; ++n) {
      const auto column = static_cast<std::int64_t>(n % vector.columns);
      const auto row = static_cast<std::int64_t>(n / vector.columns);
      const auto address = static_cast<std::int64_t>(regions_[vector.region].base + vector.offset) +
                           column * vector.stride + row * vector.row_stride;
      if (!read_memory(static_cast<Address>(address),
                       std::span(to).subspan(n * element_bytes, element_bytes))) {
        return Status::kMemoryError;
      }
    }
    if (first) continue;
    for (std::size_t at = 0; at < length; at += sizeof(Beat)) {
      const std::size_t bytes = std::min(sizeof(Beat), static_cast<std::size_t>(length - at));
      Beat left{};
      Beat right{};
      Beat beat{};
      std::memcpy(left.data(), result.data() + at, bytes);
      std::memcpy(right.data(), next.data() + at, bytes);
      reduce(reduction, element, left, right, &beat);
      std::memcpy(result.data() + at, beat.data(), bytes);
    }
  }
  return write_memory(regions_[result_region].base + result_offset, result) ? Status::kOk
                                                                            : Status::kMemoryError;
}

}  // namespace torusmu::model
