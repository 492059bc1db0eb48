// SPDX-License-Identifier: Apache-2.0
// Numbers that are opcodes, and those that are not.
#ifndef TESTS_SUPPORT_OPCODES_H_
#define TESTS_SUPPORT_OPCODES_H_

#include "tests/support/nearly.h"
#include "torusmu/names.h"

namespace torusmu::testing {

// The opcodes are the numbers from 0 to below this.
inline constexpr unsigned kOpcodes = 14;
inline constexpr unsigned kOpcodeNumbers = 256;
inline constexpr Opcode kFirstUnknownOpcode{kOpcodes};
static_assert(name_of(Opcode{kOpcodes - 1}) != "unknown" &&
              name_of(kFirstUnknownOpcode) == "unknown");

// Mostly `wanted`, else a number that differs from it in one bit.
inline Opcode nearly(Random& random, Opcode wanted) {
  return static_cast<Opcode>(nearly(random, static_cast<std::uint64_t>(wanted), 8));
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_OPCODES_H_
