// SPDX-License-Identifier: Apache-2.0
// Which unit has each register, for tests of the way to it; from registers.def.

#ifndef TESTS_SUPPORT_REGISTER_UNITS_H_
#define TESTS_SUPPORT_REGISTER_UNITS_H_

#include <stdexcept>
#include <string>
#include <string_view>

#include "torusmu/names.h"

namespace torusmu::testing {

/// The enum's value of that name; throws std::out_of_range.
inline RegisterUnit unit_named(std::string_view name) {
  for (unsigned value = 0; value <= static_cast<unsigned>(RegisterUnit::kErrors); ++value) {
    std::string letters;
    for (const char letter : name_of(static_cast<RegisterUnit>(value)))
      letters += letter == '_' ? '_' : static_cast<char>(letter - 'A' + 'a');
    if (letters == name) return static_cast<RegisterUnit>(value);
  }
  throw std::out_of_range(std::string(name));
}

/// Inside the host interface, which asks no block then.
inline bool is_in_host_interface(RegisterUnit unit) {
  return unit == RegisterUnit::kPush || unit == RegisterUnit::kNode ||
         unit == RegisterUnit::kErrors;
}

/// Who answers accesses of that register; throws std::out_of_range.
inline RegisterUnit unit_of(std::string_view block_name, std::string_view register_name) {
  std::string_view unit;
#define BLOCK(name, base, stride, copies, meaning)
#define UNIT(name) unit = #name;
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  if (block_name == #block && register_name == #name) return unit_named(unit);
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
  throw std::out_of_range(std::string(register_name));
}

/// Its bit in the ports that have one for each unit.
constexpr unsigned unit_bit(RegisterUnit unit) { return static_cast<unsigned>(unit); }

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_REGISTER_UNITS_H_
