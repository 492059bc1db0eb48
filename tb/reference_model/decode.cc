// SPDX-License-Identifier: Apache-2.0
#include "tb/reference_model/decode.h"

namespace torusmu::model {
namespace {

struct Block {
  std::uint32_t base;
  std::uint32_t stride;
  std::uint32_t count;
};

struct Line {
  RegisterName name;
  std::uint32_t offset;
  std::uint32_t bytes;
  std::uint32_t count;
  registers::Access access;
};

std::optional<Decoded> match(std::uint32_t address, const Block& block, const Line& line) {
  if (address < block.base || (address - block.base) / block.stride >= block.count) {
    return std::nullopt;
  }
  const std::uint32_t number = (address - block.base) / block.stride;
  const std::uint32_t inside = (address - block.base) % block.stride;
  if (inside < line.offset || inside >= line.offset + line.bytes * line.count) return std::nullopt;
  return Decoded{line.name, number, (inside - line.offset) / line.bytes, line.bytes, line.access};
}

}  // namespace

std::optional<Decoded> decode(std::uint32_t address, const Sizes& sizes) {
  // The sizes under the names that registers.def uses.
  // NOLINTBEGIN(readability-identifier-naming)
  [[maybe_unused]] const std::uint32_t CLIENTS = sizes.clients;
  [[maybe_unused]] const std::uint32_t INJECTION_QUEUES = sizes.injection_queues;
  [[maybe_unused]] const std::uint32_t RECEPTION_FIFOS = sizes.reception_fifos;
  [[maybe_unused]] const std::uint32_t BYTE_COUNTERS = sizes.byte_counters;
  [[maybe_unused]] const std::uint32_t EVENT_COUNTERS = sizes.event_counters;
  [[maybe_unused]] const std::uint32_t COMPLETION_QUEUES = sizes.completion_queues;
  [[maybe_unused]] const std::uint32_t TREE_CLASSES = sizes.tree_classes;
  [[maybe_unused]] const std::uint32_t REGIONS = sizes.regions;
  [[maybe_unused]] const std::uint32_t UNIT_MEMORY_WORDS = sizes.unit_memory_words;
  [[maybe_unused]] const std::uint32_t TOUCH_RANGES = sizes.touch_ranges;
  [[maybe_unused]] const std::uint32_t REFLECTION_QUEUES = sizes.reflection_queues;
  // NOLINTEND(readability-identifier-naming)

#define BLOCK(name, base, stride, copies, meaning) const Block name{base, stride, copies};
#define REGISTER(block, name, offset, bytes, copies, access, meaning)                     \
  if (const auto found = match(address, block,                                            \
                               Line{RegisterName::block##__##name, offset, bytes, copies, \
                                    registers::Access::access})) {                        \
    return found;                                                                         \
  }
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
  return std::nullopt;
}

}  // namespace torusmu::model
