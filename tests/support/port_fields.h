// SPDX-License-Identifier: Apache-2.0
// Fields of a layout on the port of a Verilated model that is a packed struct, whatever type
// Verilator gives it; bits and flits of a port that has one for each direction or input.
#ifndef TESTS_SUPPORT_PORT_FIELDS_H_
#define TESTS_SUPPORT_PORT_FIELDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

// Up to 64 bits of a port, which may lie in several of its words.
template <typename Port>
std::uint64_t port_bits(const Port& port, unsigned lsb, unsigned width) {
  std::uint64_t value = 0;
  if constexpr (std::is_integral_v<Port>) {
    value = static_cast<std::uint64_t>(port) >> lsb;
  } else {
    for (unsigned i = 0; i < width; i += 32 - (lsb + i) % 32)
      value |= std::uint64_t{port[(lsb + i) / 32] >> (lsb + i) % 32} << i;
  }
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}
template <typename Port>
void set_port_bits(Port& port, unsigned lsb, unsigned width, std::uint64_t value) {
  const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  value &= ones;
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((static_cast<std::uint64_t>(port) & ~(ones << lsb)) | value << lsb);
  } else {
    for (unsigned i = 0; i < width; i += 32 - (lsb + i) % 32) {
      const unsigned shift = (lsb + i) % 32;
      auto& word = port[(lsb + i) / 32];
      word = (word & ~(static_cast<std::uint32_t>(ones >> i) << shift)) |
             static_cast<std::uint32_t>(value >> i) << shift;
    }
  }
}

template <typename Port>
bool port_bit(const Port& port, unsigned at) {
  return port_bits(port, at, 1) != 0;
}
template <typename Port>
void set_port_bit(Port& port, unsigned at, bool value) {
  set_port_bits(port, at, 1, value ? 1 : 0);
}

template <typename Value>
inline constexpr bool kIsNumber = std::is_integral_v<Value> || std::is_enum_v<Value>;

// put<layout::write_request::beat_valid>(port, 1): the other bits stay as they are.
template <auto F, typename Port>
void put(Port& port, const typename decltype(F)::ValueType& value) {
  const auto record = Record<typename decltype(F)::OwnerType>().template set<F>(value);
  for (unsigned at = F.lsb, bits = 0; at < F.lsb + F.width; at += bits) {
    bits = std::min(64 - at % 64, F.lsb + F.width - at);
    set_port_bits(port, at, bits, record.words()[at / 64] >> at % 64);
  }
}
template <auto F, typename Port>
typename decltype(F)::ValueType get(const Port& port) {
  using Value = typename decltype(F)::ValueType;
  if constexpr (kIsNumber<Value>) {
    return static_cast<Value>(port_bits(port, F.lsb, F.width));
  } else {
    return sample_record<Record<typename decltype(F)::OwnerType>>(port).template get<F>();
  }
}

// A field of a layout that is a field itself:
// put<layout::receive_reports::answer, layout::send_outcome::valid>(port, 1)
template <auto Outer, auto F, typename Port>
void put(Port& port, const typename decltype(F)::ValueType& value) {
  if constexpr (kIsNumber<typename decltype(F)::ValueType>) {
    set_port_bits(port, Outer.lsb + F.lsb, F.width, static_cast<std::uint64_t>(value));
  } else {
    put<Outer>(port, get<Outer>(port).template set<F>(value));
  }
}
template <auto Outer, auto F, typename Port>
typename decltype(F)::ValueType get(const Port& port) {
  using Value = typename decltype(F)::ValueType;
  if constexpr (kIsNumber<Value>) {
    return static_cast<Value>(port_bits(port, Outer.lsb + F.lsb, F.width));
  } else {
    return get<Outer>(port).template get<F>();
  }
}

// Fields of whole bytes, as tests have them: put_bytes<layout::read_beat::data>(port, bytes).
template <auto F, typename Port>
void put_bytes(Port& port, std::span<const std::uint8_t> bytes) {
  static_assert(F.lsb % 8 == 0 && F.width % 8 == 0);
  drive(port, bytes.first(F.width / 8), F.lsb / 8);
}
template <auto F, typename Port>
Bytes get_bytes(const Port& port) {
  static_assert(F.lsb % 8 == 0 && F.width % 8 == 0);
  return sample(port, F.width / 8, F.lsb / 8);
}

// Flit `number` of a port of one or many, 128 bits each; of a port of type flit_stream_t flit 0.
// put_flit(port, 3, {1, 2, 3, 4})
using FlitWords = std::array<std::uint32_t, 4>;
template <typename Port, typename Words = FlitWords>
void put_flit(Port& port, unsigned number, const Words& words) {
  for (unsigned i = 0; i < 4; ++i) port[4 * number + i] = words[i];
}
template <typename Port>
FlitWords get_flit(const Port& port, unsigned number = 0) {
  FlitWords words{};
  for (unsigned i = 0; i < 4; ++i) words[i] = port[4 * number + i];
  return words;
}
// Words that count up, as a test can tell them from any others.
constexpr FlitWords flit_from(std::uint32_t word) { return {word, word + 1, word + 2, word + 3}; }

// Where a node sits, as the port straps_i has it.
struct Straps {
  unsigned x = 0, y = 0, z = 0, last_x = 0, last_y = 0, last_z = 0, torus = 0;

  [[nodiscard]] std::uint32_t word() const {
    namespace s = registers::node::straps_field;
    return x << s::x.lsb | y << s::y.lsb | z << s::z.lsb | last_x << s::last_x.lsb |
           last_y << s::last_y.lsb | last_z << s::last_z.lsb | torus << s::torus.lsb;
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_PORT_FIELDS_H_
