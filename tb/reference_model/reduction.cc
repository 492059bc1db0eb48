// SPDX-License-Identifier: Apache-2.0
#include "tb/reference_model/reduction.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

namespace torusmu::model {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "floats are computed in their own format");
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559);

template <typename T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  }
  return value;
}

/// -1: a before b in the order of minima and maxima, 0: the same place. NaN is at `nan_place`.
template <typename T>
int order(T a, T b, int nan_place) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      if (std::isnan(a) && std::isnan(b)) return 0;
      return std::isnan(a) ? nan_place : -nan_place;
    }
    if (a == b) return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

template <typename T>
T sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return canonical(a + b);
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
}

template <typename T>
T product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return canonical(a * b);
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
}

template <typename T>
using Elements = std::array<T, sizeof(Beat) / sizeof(T)>;

template <typename T, typename F>
void each(const Elements<T>& a, const Elements<T>& b, Elements<T>* result, F operation) {
  for (std::size_t i = 0; i < a.size(); ++i) (*result)[i] = operation(a[i], b[i]);
}

template <typename T>
void located(const Elements<T>& a, const Elements<T>& b, Elements<T>* result, bool largest) {
  using Index = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    int which = order(a[i], b[i], largest ? 1 : -1) * (largest ? -1 : 1);
    if (which == 0)
      which = std::bit_cast<Index>(b[i + 1]) < std::bit_cast<Index>(a[i + 1]) ? 1 : -1;
    const Elements<T>& winner = which < 0 ? a : b;
    (*result)[i] = canonical(winner[i]);
    std::memcpy(&(*result)[i + 1], &winner[i + 1], sizeof(T));
  }
}

template <typename T>
void reduce_as(Reduction operation, const Beat& left, const Beat& right, Beat* result) {
  const auto a = std::bit_cast<Elements<T>>(left);
  const auto b = std::bit_cast<Elements<T>>(right);
  Elements<T> r{};
  switch (operation) {
    case Reduction::kMax:
      each<T>(a, b, &r, [](T x, T y) { return canonical(order(x, y, 1) >= 0 ? x : y); });
      break;
    case Reduction::kMin:
      each<T>(a, b, &r, [](T x, T y) { return canonical(order(x, y, -1) <= 0 ? x : y); });
      break;
    case Reduction::kSum:
      each<T>(a, b, &r, [](T x, T y) { return sum(x, y); });
      break;
    case Reduction::kProd:
      each<T>(a, b, &r, [](T x, T y) { return product(x, y); });
      break;
    case Reduction::kMaxloc:
    case Reduction::kMinloc:
      located(a, b, &r, operation == Reduction::kMaxloc);
      break;
    default:
      if constexpr (std::is_integral_v<T>) {
        each<T>(a, b, &r, [operation](T x, T y) -> T {
          switch (operation) {
            case Reduction::kLand:
              return x != 0 && y != 0;
            case Reduction::kBand:
              return x & y;
            case Reduction::kLor:
              return x != 0 || y != 0;
            case Reduction::kBor:
              return x | y;
            case Reduction::kLxor:
              return (x != 0) != (y != 0);
            default:
              return x ^ y;
          }
        });
      }
  }
  *result = std::bit_cast<Beat>(r);
}

}  // namespace

unsigned bits_of_element(Element element) {
  switch (element) {
    case Element::kI64:
    case Element::kU64:
    case Element::kF64:
      return 64;
    default:
      return 32;
  }
}

bool is_float(Element element) { return element == Element::kF32 || element == Element::kF64; }

bool has_pairs(Reduction operation) {
  return operation == Reduction::kMaxloc || operation == Reduction::kMinloc;
}

bool is_defined(Reduction operation, Element element) {
  if (name_of(operation) == "unknown" || name_of(element) == "unknown") return false;
  switch (operation) {
    case Reduction::kMax:
    case Reduction::kMin:
    case Reduction::kSum:
    case Reduction::kProd:
    case Reduction::kMaxloc:
    case Reduction::kMinloc:
      return true;
    default:
      return !is_float(element);
  }
}

Status reduce(Reduction operation, Element element, const Beat& left, const Beat& right,
              Beat* result) {
  *result = {};
  if (!is_defined(operation, element)) return Status::kReductionUndefined;
  switch (element) {
    case Element::kI32:
      reduce_as<std::int32_t>(operation, left, right, result);
      break;
    case Element::kU32:
      reduce_as<std::uint32_t>(operation, left, right, result);
      break;
    case Element::kI64:
      reduce_as<std::int64_t>(operation, left, right, result);
      break;
    case Element::kU64:
      reduce_as<std::uint64_t>(operation, left, right, result);
      break;
    case Element::kF32:
      reduce_as<float>(operation, left, right, result);
      break;
    case Element::kF64:
      reduce_as<double>(operation, left, right, result);
      break;
  }
  return Status::kOk;
}

}  // namespace torusmu::model
