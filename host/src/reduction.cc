// SPDX-License-Identifier: Apache-2.0
// Arithmetic of reductions, and their order written down once more without any messages.
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "torusmu/collectives.h"

namespace torusmu {
namespace {

template <typename T>
T apply(ReduceOp op, T a, T b) {
  // Unsigned arithmetic, so that integers wrap around instead of overflowing. 8-bit operands are
  // computed in int and cut off again.
  using Wide =
      std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;
  using U = typename Wide::type;
  switch (op) {
    case ReduceOp::kSum:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case ReduceOp::kProd:
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case ReduceOp::kMin:
      return b < a ? b : a;
    case ReduceOp::kMax:
      return a < b ? b : a;
  }
  throw std::invalid_argument("unknown reduction");
}

template <typename T>
void combine_as(ReduceOp op, std::span<std::byte> a, std::span<const std::byte> b) {
  for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
    T x;
    T y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    x = apply(op, x, y);
    std::memcpy(a.data() + at, &x, sizeof x);
  }
}

}  // namespace

Bytes size_of(DataType type) {
  switch (type) {
    case DataType::kF64:
    case DataType::kI64:
      return 8;
    case DataType::kF32:
    case DataType::kI32:
      return 4;
    case DataType::kU8:
      return 1;
  }
  throw std::invalid_argument("unknown data type");
}

void combine(ReduceOp op, DataType type, std::span<std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size() || a.size() % size_of(type) != 0) {
    throw std::invalid_argument("operands of a reduction differ in size");
  }
  switch (type) {
    case DataType::kF64:
      return combine_as<double>(op, a, b);
    case DataType::kF32:
      return combine_as<float>(op, a, b);
    case DataType::kI64:
      return combine_as<std::int64_t>(op, a, b);
    case DataType::kI32:
      return combine_as<std::int32_t>(op, a, b);
    case DataType::kU8:
      return combine_as<std::uint8_t>(op, a, b);
  }
}

std::vector<std::byte> reduce_in_order(ReduceOp op, DataType type, std::uint32_t root,
                                       std::vector<std::vector<std::byte>> operands) {
  const std::size_t n = operands.size();
  const auto member = [&](std::size_t v) -> std::vector<std::byte>& {
    return operands[(v + root) % n];
  };
  for (std::size_t k = 1; k < n; k *= 2) {
    for (std::size_t v = 0; v + k < n; v += 2 * k) combine(op, type, member(v), member(v + k));
  }
  return member(0);
}

std::vector<std::byte> allreduce_in_order(ReduceOp op, DataType type,
                                          std::vector<std::vector<std::byte>> operands) {
  const std::size_t p = std::bit_floor(operands.size());
  const std::size_t e = operands.size() - p;
  std::vector<std::vector<std::byte>> y(p);
  for (std::size_t i = 0; i < p; ++i) {
    if (i < e) {
      y[i] = operands[2 * i];
      combine(op, type, y[i], operands[2 * i + 1]);
    } else {
      y[i] = operands[i + e];
    }
  }
  for (std::size_t k = 1; k < p; k *= 2) {
    const std::vector<std::vector<std::byte>> before = y;
    for (std::size_t i = 0; i < p; ++i) {
      y[i] = before[i & ~k];
      combine(op, type, y[i], before[i | k]);
    }
  }
  return y[0];
}

}  // namespace torusmu
