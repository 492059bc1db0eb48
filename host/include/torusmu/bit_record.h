// SPDX-License-Identifier: Apache-2.0
// Packed records whose fields are known at compile time; layout.h and registers.h list the fields.
#ifndef TORUSMU_HOST_INCLUDE_TORUSMU_BIT_RECORD_H_
#define TORUSMU_HOST_INCLUDE_TORUSMU_BIT_RECORD_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "torusmu/standard.h"

namespace torusmu {

/// A run of bits of a layout. Owner tells the layouts apart, so that a field of one layout does not
/// compile with a record of another. Value is what get returns: an integer, an enum or a record.
template <typename Owner, typename Value = std::uint64_t>
struct Field {
  using OwnerType = Owner;
  using ValueType = Value;
  unsigned lsb;
  unsigned width;
};

/// True if the value can be stored in the field without loss. Check numbers that come from outside
/// with this before set; set itself asserts it.
template <typename Owner, typename Value>
constexpr bool fits(Field<Owner, Value> field, std::uint64_t value) {
  return field.width >= 64 || value >> field.width == 0;
}

/// The bits of a layout in 64-bit words, lowest first, and as bytes, little endian.
template <typename Layout>
class Record {
 public:
  static constexpr unsigned kBits = Layout::kBits;
  static constexpr unsigned kWords = (kBits + 63) / 64;
  static constexpr unsigned kBytes = (kBits + 7) / 8;

  constexpr Record() = default;

  /// Takes bytes in memory order; bits past kBits are dropped. At least kBytes are needed.
  static constexpr Record from_bytes(std::span<const std::uint8_t> bytes) {
    assert(bytes.size() >= kBytes);
    Record record;
    for (std::size_t i = 0; i < kBytes; ++i) {
      record.words_[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (i % 8 * 8);
    }
    if constexpr (kBits % 64 != 0) record.words_[kWords - 1] &= (1ULL << kBits % 64) - 1;
    return record;
  }

  /// The record in memory order.
  constexpr std::array<std::uint8_t, kBytes> bytes() const {
    std::array<std::uint8_t, kBytes> result{};
    for (std::size_t i = 0; i < kBytes; ++i) {
      result[i] = static_cast<std::uint8_t>(words_[i / 8] >> (i % 8 * 8));
    }
    return result;
  }

  constexpr const std::array<std::uint64_t, kWords>& words() const { return words_; }

  /// record.get<layout::packet_header::bytes>()
  template <auto F>
  constexpr typename decltype(F)::ValueType get() const {
    using Value = typename decltype(F)::ValueType;
    check_owner<F>();
    if constexpr (!kIsNumber<Value>) {
      std::array<std::uint8_t, (F.width + 7) / 8> part{};
      for (unsigned i = 0; i < part.size(); ++i) {
        const unsigned rest = F.width - i * 8;
        part[i] = static_cast<std::uint8_t>(bits(F.lsb + i * 8, rest < 8 ? rest : 8));
      }
      if constexpr (std::is_same_v<Value, std::array<std::uint8_t, (F.width + 7) / 8>>) {
        return part;
      } else {
        return Value::from_bytes(part);
      }
    } else {
      return static_cast<Value>(bits(F.lsb, F.width));
    }
  }

  /// Stores the value; one that does not fit is a bug of the caller (assert), and never reaches a
  /// neighbouring field.
  template <auto F>
  constexpr Record& set(const typename decltype(F)::ValueType& value) {
    check_owner<F>();
    if constexpr (!kIsNumber<typename decltype(F)::ValueType>) {
      const auto part = as_bytes(value);
      for (unsigned i = 0; i < part.size(); ++i) {
        const unsigned rest = F.width - i * 8;
        set_bits(F.lsb + i * 8, rest < 8 ? rest : 8, part[i]);
      }
    } else {
      assert(fits(F, static_cast<std::uint64_t>(value)));
      set_bits(F.lsb, F.width, static_cast<std::uint64_t>(value));
    }
    return *this;
  }

  friend constexpr bool operator==(const Record&, const Record&) = default;

 private:
  // Wide fields and nested records are moved byte by byte.
  template <typename Value>
  static constexpr bool kIsNumber = std::is_integral_v<Value> || std::is_enum_v<Value>;

  template <auto F>
  static constexpr void check_owner() {
    static_assert(std::is_same_v<typename decltype(F)::OwnerType, Layout>,
                  "this field belongs to another layout");
  }

  template <std::size_t N>
  static constexpr const std::array<std::uint8_t, N>& as_bytes(
      const std::array<std::uint8_t, N>& value) {
    return value;
  }
  template <typename Nested>
  static constexpr auto as_bytes(const Record<Nested>& value) {
    return value.bytes();
  }

  static constexpr std::uint64_t mask(unsigned width) {
    return width >= 64 ? ~0ULL : (1ULL << width) - 1;
  }
  constexpr std::uint64_t bits(unsigned lsb, unsigned width) const {
    const unsigned shift = lsb % 64;
    std::uint64_t value = words_[lsb / 64] >> shift;
    if (shift + width > 64) value |= words_[lsb / 64 + 1] << (64 - shift);
    return value & mask(width);
  }
  constexpr void set_bits(unsigned lsb, unsigned width, std::uint64_t value) {
    const unsigned shift = lsb % 64;
    value &= mask(width);
    std::uint64_t& low = words_[lsb / 64];
    low = (low & ~(mask(width) << shift)) | value << shift;
    if (shift + width > 64) {
      std::uint64_t& high = words_[lsb / 64 + 1];
      high = (high & ~(mask(width) >> (64 - shift))) | value >> (64 - shift);
    }
  }

  std::array<std::uint64_t, kWords> words_{};
};

/// A field of a register that was read.
template <typename Owner>
constexpr std::uint64_t extract(std::uint64_t word, Field<Owner> field) {
  return word >> field.lsb & (field.width >= 64 ? ~0ULL : (1ULL << field.width) - 1);
}

/// The register value with one field replaced; asserts that the value fits.
template <typename Owner>
constexpr std::uint64_t insert(std::uint64_t word, Field<Owner> field, std::uint64_t value) {
  assert(fits(field, value));
  const std::uint64_t ones = field.width >= 64 ? ~0ULL : (1ULL << field.width) - 1;
  return (word & ~(ones << field.lsb)) | (value & ones) << field.lsb;
}

namespace detail {

/// One line of a layout file, for the compile-time checks.
struct FieldLine {
  std::string_view layout;
  unsigned lsb;
  unsigned width;
  bool reserved;
};

/// True if the lines of the layout, lowest bit first, fill bits 0..bits-1 without gap or overlap.
constexpr bool accounts_for_every_bit(std::span<const FieldLine> lines, std::string_view layout,
                                      unsigned bits) {
  unsigned next = 0;
  for (const FieldLine& line : lines) {
    if (line.layout != layout) continue;
    if (line.lsb != next || line.width == 0) return false;
    next += line.width;
  }
  return next == bits;
}

}  // namespace detail

/// True if every reserved bit is zero.
template <typename Layout>
constexpr bool reserved_bits_are_zero(const Record<Layout>& record) {
  for (const detail::FieldLine& line : Layout::lines()) {
    if (!line.reserved || line.layout != Layout::kName) continue;
    for (unsigned bit = line.lsb; bit < line.lsb + line.width; ++bit) {
      if ((record.words()[bit / 64] >> bit % 64 & 1) != 0) return false;
    }
  }
  return true;
}

}  // namespace torusmu

#endif  // TORUSMU_HOST_INCLUDE_TORUSMU_BIT_RECORD_H_
