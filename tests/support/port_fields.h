// SPDX-License-Identifier: Apache-2.0
// Fields of a layout on the port of a Verilated model that is a packed struct, whatever type
// Verilator gives it; bits and flits of a port that has one for each direction or input.
#ifndef TESTS_SUPPORT_PORT_FIELDS_H_
#define TESTS_SUPPORT_PORT_FIELDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

using FlitWords = std::array<std::uint32_t, 4>;

// The bits from `lsb` on, 64 at most.
template <typename Port>
std::uint64_t port_bits(const Port& port, unsigned lsb, unsigned width) {
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint64_t>(port) >> lsb & mask;
  } else {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width; done += 32 - (lsb + done) % 32)
      value |= std::uint64_t{port[(lsb + done) / 32] >> (lsb + done) % 32} << done;
    return value & mask;
  }
}
// The other bits stay as they are.
template <typename Port>
void set_port_bits(Port& port, unsigned lsb, unsigned width, std::uint64_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    port = static_cast<Port>((static_cast<std::uint64_t>(port) & ~(mask << lsb)) | (value & mask)
                                                                                       << lsb);
  } else {
    for (unsigned done = 0, part = 0; done < width; done += part) {
      const unsigned shift = (lsb + done) % 32;
      part = std::min(32 - shift, width - done);
      const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << part) - 1);
      const auto bits = static_cast<std::uint32_t>(value >> done) & mask;
      auto& word = port[(lsb + done) / 32];
      word = (word & ~(mask << shift)) | bits << shift;
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

// put<layout::write_request::beat_valid>(port, 1): the other bits stay as they are.
template <auto F, typename Port>
void put(Port& port, const typename decltype(F)::ValueType& value) {
  using Value = typename decltype(F)::ValueType;
  if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    set_port_bits(port, F.lsb, F.width, static_cast<std::uint64_t>(value));
  } else {
    const auto record = Record<typename decltype(F)::OwnerType>().template set<F>(value);
    for (unsigned i = F.lsb; i < F.lsb + F.width; ++i)
      set_port_bit(port, i, (record.words()[i / 64] >> i % 64 & 1U) != 0);
  }
}
template <auto F, typename Port>
typename decltype(F)::ValueType get(const Port& port) {
  using Value = typename decltype(F)::ValueType;
  if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    return static_cast<Value>(port_bits(port, F.lsb, F.width));
  } else {
    Bytes bytes(Record<typename decltype(F)::OwnerType>::kBytes);
    for (unsigned i = F.lsb; i < F.lsb + F.width; ++i)
      put_bits(bytes, i, 1, port_bit(port, i) ? 1 : 0);
    return Record<typename decltype(F)::OwnerType>::from_bytes(bytes).template get<F>();
  }
}

// Flit `number` of a port of one or many, 128 bits each; of a port of type flit_stream_t flit 0.
// put_flit(port, 3, {1, 2, 3, 4})
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
