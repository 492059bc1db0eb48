// SPDX-License-Identifier: Apache-2.0
// The TAP of the debug port in BSDL, a file for each profile.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "rtl/package/layout_gen.h"

namespace torusmu::layout_gen {
namespace {

template <typename List>
const auto& called(const List& list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  if (found == list.end()) throw std::runtime_error("no " + name + " for BSDL");
  return *found;
}

std::string binary(unsigned value, unsigned width) {
  std::string digits;
  for (unsigned bit = width; bit-- > 0;) digits += (value >> bit & 1U) != 0 ? '1' : '0';
  return digits;
}

// From the top of tap_idcode down.
std::string idcode(const Tables& tables, unsigned Size::*profile) {
  const Layout& layout = called(tables.internal, "tap_idcode");
  const auto digits = [&](const std::string& field, unsigned value) {
    return "\"" + binary(value, called(layout.fields, field).width) + "\"";
  };
  const auto size = [&](const std::string& name) { return called(tables.sizes, name).*profile; };
  return "    " + digits("version", size("TAP_VERSION")) + " &  -- version\n    " +
         digits("part", size("TAP_PART")) + " &  -- part number\n    " +
         digits("manufacturer", size("TAP_MANUFACTURER")) +
         " &  -- manufacturer: a placeholder\n    " + digits("marker", 1) + ";\n";
}

std::string opcodes(const Enum& instructions) {
  std::string text;
  for (const EnumValue& value : instructions.values) {
    text += text.empty() ? "    \"" : "," + std::string("\" &\n    \"");
    text += value.name + " (" + binary(value.value, instructions.width) + ")";
  }
  return text + "\";\n";
}

std::string description(const Tables& tables, const std::string& entity, const std::string& profile,
                        unsigned Size::*size) {
  const Enum& instructions = called(tables.enums, "tap_instruction");
  const auto attribute = [&](const std::string& name) {
    return "  attribute " + name + " of " + entity + " : entity is\n";
  };
  std::ostringstream out;
  out << "-- SPDX-License-Identifier: Apache-2.0\n"
         "-- Written by make generate; do not edit.\n"
         "-- The TAP of rtl/debug/mu_debug_port.sv in the profile "
      << profile
      << ".\n"
         "-- It describes the TAP alone: there is no boundary scan register, and so no SAMPLE, "
         "PRELOAD and\n"
         "-- EXTEST, which the standard asks of a component. The fastest TCK is an eighth of "
         "clk_i, here 100 MHz.\n\n"
      << "entity " << entity << " is\n  generic (PHYSICAL_PIN_MAP : string := \"NODE\");\n"
      << "  port (TCK, TMS, TDI, TRST_N : in bit; TDO : out bit);\n"
      << "  use STD_1149_1_2001.all;\n"
      << attribute("COMPONENT_CONFORMANCE") << "    \"STD_1149_1_2001\";\n"
      << "  attribute PIN_MAP of " << entity << " : entity is PHYSICAL_PIN_MAP;\n"
      << "  constant NODE : PIN_MAP_STRING :=\n"
         "    \"TCK : 1, TMS : 2, TDI : 3, TRST_N : 4, TDO : 5\";\n"
      << "  attribute TAP_SCAN_CLOCK of TCK : signal is (12.5e6, BOTH);\n"
      << "  attribute TAP_SCAN_MODE of TMS : signal is true;\n"
      << "  attribute TAP_SCAN_IN of TDI : signal is true;\n"
      << "  attribute TAP_SCAN_OUT of TDO : signal is true;\n"
      << "  attribute TAP_SCAN_RESET of TRST_N : signal is true;\n"
      << "  attribute INSTRUCTION_LENGTH of " << entity << " : entity is " << instructions.width
      << ";\n"
      << attribute("INSTRUCTION_OPCODE") << opcodes(instructions)
      << attribute("INSTRUCTION_CAPTURE") << "    \"" << binary(1, instructions.width) << "\";\n"
      << attribute("IDCODE_REGISTER") << idcode(tables, size) << attribute("REGISTER_ACCESS")
      << "    \"TAP_ACCESS[" << called(tables.internal, "tap_access").width
      << "] (REGISTER_ACCESS)\";\nend " << entity << ";\n";
  return out.str();
}

}  // namespace

Files print_bsdl(const Tables& tables) {
  return {{"mu_debug_port_sim.bsd", description(tables, "MU_DEBUG_PORT_SIM", "sim", &Size::sim)},
          {"mu_debug_port_bgp.bsd", description(tables, "MU_DEBUG_PORT_BGP", "bgp", &Size::bgp)},
          {"mu_debug_port_board.bsd",
           description(tables, "MU_DEBUG_PORT_BOARD", "board", &Size::board)}};
}

}  // namespace torusmu::layout_gen
