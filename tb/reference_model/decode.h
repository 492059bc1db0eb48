// SPDX-License-Identifier: Apache-2.0
// Which register an address means, for one profile of sizes; from registers.def.
#ifndef TORUSMU_TB_REFERENCE_MODEL_DECODE_H_
#define TORUSMU_TB_REFERENCE_MODEL_DECODE_H_

#include <cstdint>
#include <optional>

#include "torusmu/names.h"
#include "torusmu/registers.h"

namespace torusmu::model {

// One name for each register of the map: <block>__<register>.
enum class RegisterName {
#define BLOCK(name, base, stride, copies, meaning)
#define REGISTER(block, name, offset, bytes, copies, access, meaning) block##__##name,
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
};

struct Decoded {
  RegisterName name;
  std::uint32_t block;  // which copy of the block: the client of a page, the number of a queue, ...
  std::uint32_t copy;   // which copy of the register in its block
  std::uint32_t bytes;  // 4 or 8
  registers::Access access;
};

// Nothing where no register of this profile lies.
std::optional<Decoded> decode(std::uint32_t address, const Sizes& sizes);

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_DECODE_H_
