// SPDX-License-Identifier: Apache-2.0
// Descriptors, packets and the records inside a node, from the files that the RTL is made from too.
//
//   Descriptor put;
//   put.set<layout::descriptor::opcode>(Opcode::kPut).set<layout::descriptor::length>(4096);
//
// Each layout x has a namespace layout::x with one Field for each of its fields; a compile-time
// check makes sure that every bit belongs to exactly one field or is reserved. Register addresses
// are in registers.h, enums and sizes in names.h; this header brings both along.
#ifndef TORUSMU_HOST_INCLUDE_TORUSMU_LAYOUT_H_
#define TORUSMU_HOST_INCLUDE_TORUSMU_LAYOUT_H_

#include <array>
#include <cstdint>
#include <type_traits>

#include "torusmu/bit_record.h"
#include "torusmu/names.h"
#include "torusmu/registers.h"

namespace torusmu {

namespace detail {

// Fields of more than 64 bits are handed out as bytes in memory order.
template <unsigned Width>
using PlainValue =
    std::conditional_t<(Width > 64), std::array<std::uint8_t, (Width + 7) / 8>, std::uint64_t>;

// Every line of the layout files; each layout picks its own by name.
inline constexpr FieldLine kFieldLines[] = {
#define ENUM(name, width, meaning)
#define VALUE(type, name, value, meaning)
#define LAYOUT(name, width, meaning)
#define FIELD(layout, name, lsb, width, meaning) {#layout, lsb, width, false},
#define ENUM_FIELD(layout, name, lsb, width, type, meaning) {#layout, lsb, width, false},
#define STRUCT_FIELD(layout, name, lsb, width, type, meaning) {#layout, lsb, width, false},
#define RESERVED(layout, lsb, width) {#layout, lsb, width, true},
#include "rtl/package/packet.def"
// packet.def first: descriptor.def names its header
#include "rtl/package/descriptor.def"
#include "rtl/package/internal.def"
#undef LAYOUT
#undef FIELD
#undef ENUM_FIELD
#undef STRUCT_FIELD
#undef RESERVED
};

}  // namespace detail

namespace layout {

#define LAYOUT(name, width, meaning)                                                            \
  namespace name {                                                                              \
  struct Layout {                                                                               \
    static constexpr std::string_view kName = #name;                                            \
    static constexpr unsigned kBits = width;                                                    \
    static constexpr std::span<const detail::FieldLine> lines() { return detail::kFieldLines; } \
  };                                                                                            \
  static_assert(detail::accounts_for_every_bit(detail::kFieldLines, #name, width),              \
                #name ": a bit belongs to no field, or to two");                                \
  }
#define FIELD(layout, name, lsb, width, meaning)                              \
  namespace layout {                                                          \
  inline constexpr Field<Layout, detail::PlainValue<width>> name{lsb, width}; \
  }
#define ENUM_FIELD(layout, name, lsb, width, type, meaning)                                      \
  namespace layout {                                                                             \
  inline constexpr Field<Layout, enums::type> name{lsb, width};                                  \
  static_assert(width == bits_of(enums::type{}), #layout "." #name ": not as wide as its enum"); \
  }
#define STRUCT_FIELD(layout, name, lsb, width, type, meaning)                                 \
  namespace layout {                                                                          \
  inline constexpr Field<Layout, Record<type::Layout>> name{lsb, width};                      \
  static_assert(width == type::Layout::kBits, #layout "." #name ": not as wide as its type"); \
  }
#define RESERVED(layout, lsb, width)
#include "rtl/package/packet.def"
// packet.def first: descriptor.def names its header
#include "rtl/package/descriptor.def"
#include "rtl/package/internal.def"
#undef ENUM
#undef VALUE
#undef LAYOUT
#undef FIELD
#undef ENUM_FIELD
#undef STRUCT_FIELD
#undef RESERVED

}  // namespace layout

/// 64 bytes, in memory as the MU reads them on a little-endian host; bytes() on any host.
using Descriptor = Record<layout::descriptor::Layout>;
using PacketHeader = Record<layout::packet_header::Layout>;
using PacketTrailer = Record<layout::packet_trailer::Layout>;
/// Immediates of WAIT, SEND_EN and RECV_EN, and of CALC; an entry of a list of operands.
using WaitOperation = Record<layout::wait_operation::Layout>;
using PipeOperation = Record<layout::pipe_operation::Layout>;
using PipeBuffer = Record<layout::pipe_buffer::Layout>;  // an entry of a list
using CalcOperation = Record<layout::calc_operation::Layout>;
using CalcShape = Record<layout::calc_shape::Layout>;
using Operand = Record<layout::operand::Layout>;
using ReductionStep = Record<layout::reduction_step::Layout>;
/// What the MU writes into a completion queue.
using CompletionEntry = Record<layout::completion_entry::Layout>;

static_assert(sizeof(Descriptor) == 64 && Descriptor::kBytes == 64);
static_assert(PacketHeader::kBytes == 16 && PacketTrailer::kBytes == 16);

}  // namespace torusmu

#endif  // TORUSMU_HOST_INCLUDE_TORUSMU_LAYOUT_H_
