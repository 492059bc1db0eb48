// SPDX-License-Identifier: Apache-2.0
// Arithmetic of reductions, by the rules of docs/calc.md.
#include "torusmu/reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "host/src/small_float.h"

namespace torusmu {
namespace {

template <typename T>
constexpr bool kIsSmallFloat = std::is_same_v<T, Binary16> || std::is_same_v<T, Bfloat16>;

constexpr bool is_float(DataType type) {
  return type == DataType::kF64 || type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBf16;
}
constexpr bool has_pairs(ReduceOp op) {
  return op == ReduceOp::kMaxloc || op == ReduceOp::kMinloc || op == ReduceOp::kMinmaxloc;
}
constexpr std::size_t kMostSteps = 8;  // of a CALC

// Every NaN that comes out has sign 0 and no payload.
template <typename T>
T one_nan(T value) {
  if constexpr (kIsSmallFloat<T>) return T::nearest(value.value());
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  }
  return value;
}

// True if a comes strictly before b in minima (or maxima): NaN before all numbers, -0 below +0.
template <typename T>
bool wins(T a, T b, bool largest) {
  if constexpr (kIsSmallFloat<T>) {
    return wins(a.value(), b.value(), largest);
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(b);
      if (a == b)
        return largest ? std::signbit(b) && !std::signbit(a) : std::signbit(a) && !std::signbit(b);
    }
    return largest ? a > b : a < b;
  }
}

template <typename T>
T integer(ReduceOp op, T a, T b) {
  // Unsigned arithmetic, so that integers wrap around instead of overflowing.
  using U = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;
  switch (op) {
    case ReduceOp::kSum:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case ReduceOp::kProd:
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case ReduceOp::kLand:
      return static_cast<T>(a != 0 && b != 0);
    case ReduceOp::kLor:
      return static_cast<T>(a != 0 || b != 0);
    case ReduceOp::kLxor:
      return static_cast<T>((a != 0) != (b != 0));
    case ReduceOp::kBand:
      return static_cast<T>(a & b);
    case ReduceOp::kBor:
      return static_cast<T>(a | b);
    case ReduceOp::kBxor:
      return static_cast<T>(a ^ b);
    default:
      throw std::invalid_argument("unknown reduction");
  }
}

template <typename T>
T apply(ReduceOp op, T a, T b) {
  if (op == ReduceOp::kMin || op == ReduceOp::kMax) {
    return one_nan(wins(b, a, op == ReduceOp::kMax) ? b : a);
  }
  if constexpr (kIsSmallFloat<T>) {
    return T::nearest(apply(op, a.value(), b.value()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return one_nan(op == ReduceOp::kSum ? a + b : a * b);
  } else {
    return integer(op, a, b);
  }
}

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void combine_values(ReduceOp op, std::span<std::byte> a, std::span<const std::byte> b) {
  for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
    const T result = apply(op, read<T>(&a[at]), read<T>(&b[at]));
    std::memcpy(&a[at], &result, sizeof result);
  }
}

template <std::size_t kBytes>
using IndexOf = std::conditional_t<
    kBytes == 8, std::uint64_t,
    std::conditional_t<kBytes == 4, std::uint32_t,
                       std::conditional_t<kBytes == 2, std::uint16_t, std::uint8_t>>>;

template <typename T>
void combine_pairs(ReduceOp op, std::span<std::byte> a, std::span<const std::byte> b) {
  using Index = IndexOf<sizeof(T)>;
  bool largest = op == ReduceOp::kMaxloc;
  for (std::size_t at = 0; at < a.size(); at += 2 * sizeof(T)) {
    const T left = read<T>(&a[at]);
    const T right = read<T>(&b[at]);
    const bool tie = !wins(left, right, largest) && !wins(right, left, largest);
    const bool lower = read<Index>(&b[at + sizeof(T)]) < read<Index>(&a[at + sizeof(T)]);
    const bool take_right = tie ? lower : wins(right, left, largest);
    const T value = one_nan(take_right ? right : left);
    std::memcpy(&a[at], &value, sizeof value);
    if (take_right) std::memcpy(&a[at + sizeof(T)], &b[at + sizeof(T)], sizeof(T));
    if (op == ReduceOp::kMinmaxloc) largest = !largest;
  }
}

template <typename T>
void combine_as(ReduceOp op, std::span<std::byte> a, std::span<const std::byte> b) {
  if (has_pairs(op)) return combine_pairs<T>(op, a, b);
  combine_values<T>(op, a, b);
}

}  // namespace

Bytes size_of(DataType type) {
  switch (type) {
    case DataType::kF64:
    case DataType::kI64:
    case DataType::kU64:
      return 8;
    case DataType::kF32:
    case DataType::kI32:
    case DataType::kU32:
      return 4;
    case DataType::kI16:
    case DataType::kU16:
    case DataType::kF16:
    case DataType::kBf16:
      return 2;
    case DataType::kI8:
    case DataType::kU8:
      return 1;
  }
  throw std::invalid_argument("unknown data type");
}

Bytes size_of(ReduceOp op, DataType type) {
  return size_of(type) * (op == ReduceOp::kMinmaxloc ? 4 : has_pairs(op) ? 2 : 1);
}

bool is_defined(ReduceOp op, DataType type) {
  if (type < DataType::kF64 || type > DataType::kBf16) return false;
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
    case ReduceOp::kMin:
    case ReduceOp::kMax:
    case ReduceOp::kMaxloc:
    case ReduceOp::kMinloc:
    case ReduceOp::kMinmaxloc:
      return true;
    case ReduceOp::kLand:
    case ReduceOp::kBand:
    case ReduceOp::kLor:
    case ReduceOp::kBor:
    case ReduceOp::kLxor:
    case ReduceOp::kBxor:
      return !is_float(type);
  }
  return false;
}

void combine(ReduceOp op, DataType type, std::span<std::byte> a, std::span<const std::byte> b) {
  if (!is_defined(op, type)) throw std::invalid_argument("a reduction not defined for its type");
  if (a.size() != b.size() || a.size() % size_of(op, type) != 0) {
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
    case DataType::kU64:
      return combine_as<std::uint64_t>(op, a, b);
    case DataType::kU32:
      return combine_as<std::uint32_t>(op, a, b);
    case DataType::kU8:
      return combine_as<std::uint8_t>(op, a, b);
    case DataType::kI8:
      return combine_as<std::int8_t>(op, a, b);
    case DataType::kI16:
      return combine_as<std::int16_t>(op, a, b);
    case DataType::kU16:
      return combine_as<std::uint16_t>(op, a, b);
    case DataType::kF16:
      return combine_as<Binary16>(op, a, b);
    case DataType::kBf16:
      return combine_as<Bfloat16>(op, a, b);
  }
}

namespace {

// Whether elements of so many bytes find the same bits in it wherever they begin.
bool is_the_same_for_each(std::uint64_t constant, Bytes bytes) {
  return bytes >= 8 || std::rotl(constant, static_cast<int>(8 * bytes)) == constant;
}

}  // namespace

bool Operator::is_defined() const {
  if (is_user_) return user_.function && user_.element != 0;
  return torusmu::is_defined(op_, type_) && steps_.size() <= kMostSteps &&
         std::ranges::all_of(steps_, [&](const ReduceStep& step) {
           return torusmu::is_defined(step.op, step.type) &&
                  size_of(step.op, step.type) <= size_of(op_, type_) &&
                  (!step.constant || is_the_same_for_each(*step.constant, size_of(op_, type_)));
         });
}

Bytes Operator::element() const { return is_user_ ? user_.element : size_of(op_, type_); }

void Operator::combine(std::span<std::byte> a, std::span<const std::byte> b) const {
  if (is_user_) {
    user_.function(a, b);
    return;
  }
  torusmu::combine(op_, type_, a, b);
  for (const ReduceStep& step : steps_) {
    std::vector<std::byte> second(a.begin(), a.end());
    if (step.constant) {
      for (std::size_t at = 0; at < second.size(); ++at) {
        second[at] = static_cast<std::byte>(*step.constant >> (at % 8 * 8));
      }
    }
    torusmu::combine(step.op, step.type, a, second);
  }
}

}  // namespace torusmu
