// SPDX-License-Identifier: Apache-2.0
// Fields of a layout on the port of a Verilated model that is a packed struct, whatever type Verilator gives it; and flits of a
// port that has one for each direction.
#ifndef TESTS_SUPPORT_PORT_FIELDS_H_
#define TESTS_SUPPORT_PORT_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

template <typename Port>
bool port_bit(const Port& port, unsigned at) {
  if constexpr (std::is_integral_v<Port>) {
    return (static_cast<std::uint64_t>(port) >> at & 1U) != 0;
  } else {
    return (port[at / 32] >> at % 32 & 1U) != 0;
  }
}
template <typename Port>
void set_port_bit(Port& port, unsigned at, bool value) {
  if constexpr (std::is_integral_v<Port>) {
    const std::uint64_t others = static_cast<std::uint64_t>(port) & ~(std::uint64_t{1} << at);
    port = static_cast<Port>(others | std::uint64_t{value} << at);
  } else {
    port[at / 32] = (port[at / 32] & ~(1U << at % 32)) | std::uint32_t{value} << at % 32;
  }
}

// put<layout::write_request::beat_valid>(port, 1): the other bits stay as they are.
template <auto F, typename Port>
void put(Port& port, const typename decltype(F)::ValueType& value) {
  const auto record = Record<typename decltype(F)::OwnerType>().template set<F>(value);
  for (unsigned i = F.lsb; i < F.lsb + F.width; ++i)
    set_port_bit(port, i, (record.words()[i / 64] >> i % 64 & 1U) != 0);
}
template <auto F, typename Port>
typename decltype(F)::ValueType get(const Port& port) {
  Bytes bytes(Record<typename decltype(F)::OwnerType>::kBytes);
  for (unsigned i = F.lsb; i < F.lsb + F.width; ++i) put_bits(bytes, i, 1, port_bit(port, i) ? 1 : 0);
  return Record<typename decltype(F)::OwnerType>::from_bytes(bytes).template get<F>();
}

// Flit `number` of a port of many, 128 bits each.
template <typename Port>
void put_flit(Port& port, unsigned number, const std::uint32_t (&words)[4]) {
  for (unsigned i = 0; i < 4; ++i) port[4 * number + i] = words[i];
}

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
