// SPDX-License-Identifier: Apache-2.0
#include "tb/reference_model/reduction.h"

#include <algorithm>
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

/// A float of 16 bits. Sums and products of two of them are rounded twice if they are computed as
/// doubles, but that cannot be seen: a double has more than twice as many digits and two
/// (Figueroa, "When is double rounding innocuous?", 1995), and holds the smallest of them.
template <int kExponentBits>
class Half {
 public:
  static constexpr int kFractionBits = 15 - kExponentBits;
  static constexpr int kSpecial = (1 << kExponentBits) - 1;
  static constexpr int kLeast = 2 - (1 << (kExponentBits - 1)) - kFractionBits;  // 2^this: smallest

  double value() const {
    const double sign = (bits_ & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = bits_ >> kFractionBits & kSpecial;
    const int fraction = bits_ & ((1 << kFractionBits) - 1);
    if (exponent == kSpecial) {
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, kLeast);
    return sign * std::ldexp((1 << kFractionBits) + fraction, kLeast + exponent - 1);
  }
  /// Counted in the smallest number; the places of a larger one are those of its own exponent.
  static Half nearest(double exact) {
    Half half;
    if (std::isnan(exact)) {
      half.bits_ = static_cast<std::uint16_t>(kSpecial << kFractionBits | 1 << (kFractionBits - 1));
      return half;
    }
    int exponent = kLeast;
    if (exact != 0 && !std::isinf(exact)) {
      exponent = std::max(kLeast, std::ilogb(exact) - kFractionBits);
    }
    const double units = std::nearbyint(std::ldexp(std::fabs(exact), -exponent));
    std::uint32_t magnitude = kSpecial << kFractionBits;
    // A leading one counts up the exponent, and so does a carry out of the fraction.
    if (units < 4.0 * (1 << kFractionBits)) {
      magnitude = static_cast<std::uint32_t>(units) +
                  (static_cast<std::uint32_t>(exponent - kLeast) << kFractionBits);
    }
    if (magnitude > kSpecial << kFractionBits) magnitude = kSpecial << kFractionBits;
    half.bits_ = static_cast<std::uint16_t>(magnitude | (std::signbit(exact) ? 0x8000U : 0U));
    return half;
  }

 private:
  std::uint16_t bits_ = 0;
};
using Binary16 = Half<5>;
using Bfloat16 = Half<8>;

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Binary16> || std::is_same_v<T, Bfloat16>;

template <typename T>
T canonical(T value) {
  if constexpr (kIsHalf<T>) return T::nearest(value.value());
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  }
  return value;
}

/// -1: a before b in the order of minima and maxima, 0: the same place. NaN is at `nan_place`.
template <typename T>
int order(T a, T b, int nan_place) {
  if constexpr (kIsHalf<T>) {
    return order(a.value(), b.value(), nan_place);
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) {
        if (std::isnan(a) && std::isnan(b)) return 0;
        return std::isnan(a) ? nan_place : -nan_place;
      }
      if (a == b) return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
    }
    return a < b ? -1 : a > b ? 1 : 0;
  }
}

template <typename T>
T sum(T a, T b) {
  if constexpr (kIsHalf<T>) {
    return T::nearest(a.value() + b.value());
  } else if constexpr (std::is_floating_point_v<T>) {
    return canonical(a + b);
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
}

template <typename T>
T product(T a, T b) {
  if constexpr (kIsHalf<T>) {
    return T::nearest(a.value() * b.value());
  } else if constexpr (std::is_floating_point_v<T>) {
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

/// What becomes of the pair that begins with element i: kMinmaxloc takes the smaller of the first
/// pair, the larger of the second, and so on.
bool takes_larger(Reduction operation, std::size_t i) {
  return operation == Reduction::kMaxloc || (operation == Reduction::kMinmaxloc && i / 2 % 2 == 1);
}

template <typename T>
void located(const Elements<T>& a, const Elements<T>& b, Elements<T>* result, Reduction operation) {
  using Index = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    const bool largest = takes_larger(operation, i);
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
    case Reduction::kMinmaxloc:
      located(a, b, &r, operation);
      break;
    default:
      if constexpr (std::is_integral_v<T>) {
        each<T>(a, b, &r, [operation](T x, T y) -> T {
          switch (operation) {
            case Reduction::kLand:
              return x != 0 && y != 0;
            case Reduction::kBand:
              return static_cast<T>(x & y);
            case Reduction::kLor:
              return x != 0 || y != 0;
            case Reduction::kBor:
              return static_cast<T>(x | y);
            case Reduction::kLxor:
              return (x != 0) != (y != 0);
            default:
              return static_cast<T>(x ^ y);
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
    case Element::kI16:
    case Element::kU16:
    case Element::kF16:
    case Element::kBf16:
      return 16;
    case Element::kI8:
    case Element::kU8:
      return 8;
    default:
      return 32;
  }
}

bool is_float(Element element) {
  return element == Element::kF32 || element == Element::kF64 || element == Element::kF16 ||
         element == Element::kBf16;
}

bool has_pairs(Reduction operation) {
  return operation == Reduction::kMaxloc || operation == Reduction::kMinloc ||
         operation == Reduction::kMinmaxloc;
}

std::uint64_t unit_bytes(Reduction operation, Element element) {
  const std::uint64_t value = bits_of_element(element) / 8;
  return value * (operation == Reduction::kMinmaxloc ? 4 : has_pairs(operation) ? 2 : 1);
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
    case Reduction::kMinmaxloc:
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
    case Element::kI8:
      reduce_as<std::int8_t>(operation, left, right, result);
      break;
    case Element::kU8:
      reduce_as<std::uint8_t>(operation, left, right, result);
      break;
    case Element::kI16:
      reduce_as<std::int16_t>(operation, left, right, result);
      break;
    case Element::kU16:
      reduce_as<std::uint16_t>(operation, left, right, result);
      break;
    case Element::kF16:
      reduce_as<Binary16>(operation, left, right, result);
      break;
    case Element::kBf16:
      reduce_as<Bfloat16>(operation, left, right, result);
      break;
  }
  return Status::kOk;
}

}  // namespace torusmu::model
