// SPDX-License-Identifier: Apache-2.0
// Register addresses and the fields of register values, from registers.def.
//
//   device.write(registers::client_page::queue_index(client, queue), tail);
//   extract(value, registers::byte_counter_config::config_field::owner)
#ifndef TORUSMU_HOST_INCLUDE_TORUSMU_REGISTERS_H_
#define TORUSMU_HOST_INCLUDE_TORUSMU_REGISTERS_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

#include "torusmu/bit_record.h"

namespace torusmu::registers {

/// The register space of a node, bytes.
inline constexpr std::uint32_t kSpaceBytes = 1U << 20;

/// The word of node.identity and client_page.page_status; anything else means that the device is
/// gone.
inline constexpr std::uint32_t kSignature = 0x554D5354;

enum class Access { RO, RW, WO, W1C };

/// Where a register lies. Copies are those of the larger profile.
struct Register {
  std::uint32_t block_base;
  std::uint32_t block_stride;
  std::uint32_t block_copies;
  std::uint32_t offset;
  std::uint32_t bytes;  // 4 or 8: the only width that the MU takes
  std::uint32_t copies;
  Access access;

  /// Byte address in the node's register space of copy `copy` in block number `block`; asserts that
  /// both exist in the larger profile. For a block of one, as node or performance, block is 0.
  constexpr std::uint32_t operator()(std::uint32_t block = 0, std::uint32_t copy = 0) const {
    assert(block < block_copies && copy < copies);
    return block_base + block * block_stride + in_block(copy);
  }

  /// Byte address in the block, for a client page that is mapped by itself.
  constexpr std::uint32_t in_block(std::uint32_t copy = 0) const { return offset + copy * bytes; }
};

namespace detail {

// Sizes of the larger profile under the names that registers.def uses.
#define SIZE(name, sim, bgp, board, meaning) \
  inline constexpr std::uint32_t name = std::max(sim, bgp);
#include "rtl/package/sizes.def"
#undef SIZE

struct BlockLine {
  std::string_view name;
  std::uint32_t base;
  std::uint32_t stride;
  std::uint32_t copies;
};

struct RegisterLine {
  std::string_view block;
  std::string_view name;
  std::uint32_t offset;
  std::uint32_t bytes;
  std::uint32_t copies;
};

struct RegisterFieldLine {
  std::string_view block;
  std::string_view name;
  unsigned lsb;
  unsigned width;
};

#define BLOCK(name, base, stride, copies, meaning) {#name, base, stride, copies},
#define REGISTER(block, name, offset, bytes, copies, access, meaning)
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
inline constexpr BlockLine kBlocks[] = {
#include "rtl/package/registers.def"
};
#undef BLOCK
#undef REGISTER
#define BLOCK(name, base, stride, copies, meaning)
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  {#block, #name, offset, bytes, copies},
inline constexpr RegisterLine kRegisters[] = {
#include "rtl/package/registers.def"
};
#undef REGISTER
#undef REGISTER_FIELD
#define REGISTER(block, name, offset, bytes, copies, access, meaning)
#define REGISTER_FIELD(block, name, field, lsb, width, meaning) {#block, #name, lsb, width},
inline constexpr RegisterFieldLine kRegisterFields[] = {
#include "rtl/package/registers.def"
};
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD

/// Blocks rise without overlap inside the register space.
constexpr bool blocks_are_sound(std::span<const BlockLine> blocks) {
  std::uint32_t next = 0;
  for (const BlockLine& block : blocks) {
    if (block.base < next) return false;
    next = block.base + block.stride * block.copies;
  }
  return next <= kSpaceBytes;
}

/// Registers of a block rise without overlap, aligned to their size, and end inside the block.
constexpr bool registers_are_sound(std::span<const BlockLine> blocks,
                                   std::span<const RegisterLine> registers) {
  for (const BlockLine& block : blocks) {
    std::uint32_t next = 0;
    for (const RegisterLine& line : registers) {
      if (line.block != block.name) continue;
      if (line.offset < next || line.offset % line.bytes != 0) return false;
      if (line.bytes != 4 && line.bytes != 8) return false;
      next = line.offset + line.bytes * line.copies;
    }
    if (next > block.stride) return false;
  }
  return true;
}

/// Fields of a register rise without overlap and lie inside it.
constexpr bool fields_are_sound(std::span<const RegisterLine> registers,
                                std::span<const RegisterFieldLine> fields) {
  for (const RegisterLine& line : registers) {
    unsigned next = 0;
    for (const RegisterFieldLine& field : fields) {
      if (field.block != line.block || field.name != line.name) continue;
      if (field.lsb < next || field.width == 0) return false;
      next = field.lsb + field.width;
    }
    if (next > line.bytes * 8) return false;
  }
  return true;
}

static_assert(blocks_are_sound(kBlocks), "two register blocks overlap");
static_assert(registers_are_sound(kBlocks, kRegisters), "registers overlap or leave their block");
static_assert(fields_are_sound(kRegisters, kRegisterFields), "register fields overlap");

constexpr std::uint32_t copies_of_block(std::string_view name) {
  for (const BlockLine& block : kBlocks) {
    if (block.name == name) return block.copies;
  }
  return 0;
}

}  // namespace detail

// A using-directive would reach the user, so that sizes are looked up inside a lambda.
#define BLOCK(name, base, stride, copies, meaning) \
  namespace name {                                 \
  inline constexpr std::uint32_t kBase = base;     \
  inline constexpr std::uint32_t kStride = stride; \
  }
#define REGISTER(block, name, offset, bytes, copies, access, meaning)                    \
  namespace block {                                                                      \
  inline constexpr Register name = [] {                                                  \
    using namespace detail;                                                              \
    return Register{                                                                     \
        kBase, kStride, copies_of_block(#block), offset, bytes, copies, Access::access}; \
  }();                                                                                   \
  namespace name##_field {                                                               \
    struct Owner {};                                                                     \
  }                                                                                      \
  }
#define REGISTER_FIELD(block, name, field, lsb, width, meaning) \
  namespace block::name##_field {                               \
    inline constexpr Field<Owner> field{lsb, width};            \
  }
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD

}  // namespace torusmu::registers

#endif  // TORUSMU_HOST_INCLUDE_TORUSMU_REGISTERS_H_
