// SPDX-License-Identifier: Apache-2.0
// The .def files as tables that a program can walk; only layout_gen uses them.
#ifndef TORUSMU_RTL_PACKAGE_LAYOUT_TABLES_H_
#define TORUSMU_RTL_PACKAGE_LAYOUT_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace torusmu::layout_gen {

struct Size {
  std::string name;
  unsigned sim;
  unsigned bgp;
  unsigned board;
  std::string meaning;
};

struct EnumValue {
  std::string name;
  unsigned value;
  std::string meaning;
};

struct Enum {
  std::string name;
  unsigned width;
  std::string meaning;
  std::vector<EnumValue> values;
};

/// No upper limit.
constexpr std::uint64_t kAny = ~std::uint64_t{0};

/// One field of a layout, bit 0 first. A reserved field is named reserved_<lsb>.
struct Field {
  enum class Type { kPlain, kEnum, kStruct, kReserved };
  std::string name;
  unsigned lsb;
  unsigned width;
  Type type;
  std::string type_name;  // of the enum or of the nested layout
  std::string meaning;
  std::string below = "";  // of a register's field that must be less: the name of a size
  std::uint64_t least = 0;
  std::uint64_t most = kAny;
  std::string bits_of = "";  // it has a bit for each of that size
  bool is_ring = false;      // a power of two; with 0 as the least, 0 as well
};

struct Layout {
  std::string name;
  unsigned width;
  std::string meaning;
  std::vector<Field> fields;
};

struct Register {
  std::string name;
  unsigned offset;     // bytes from the start of its block
  unsigned bytes;      // of one copy
  std::string copies;  // a number or the name of a size
  std::string access;
  std::string meaning;
  std::vector<Field> fields;
  std::string unit =
      "";  // who answers its accesses: a value of enum register_unit, in small letters
};

struct Block {
  std::string name;
  unsigned base;    // byte address
  unsigned stride;  // bytes from one copy to the next
  std::string copies;
  std::string meaning;
  std::vector<Register> registers;
};

struct Tables {
  std::vector<Size> sizes;
  std::vector<Enum> enums;
  std::vector<Layout> packet;      // layouts of packet.def
  std::vector<Layout> descriptor;  // of descriptor.def
  std::vector<Layout> internal;    // of internal.def
  std::vector<Block> blocks;
};

/// "push_status" -> "PUSH_STATUS"
std::string upper(const std::string& name);

/// Reads nothing at run time: the .def files are compiled in.
Tables load_tables();

/// Throws std::runtime_error that names the culprit unless every bit of every layout belongs to
/// exactly one field, and types, names, values, units and limits of numbers are sound.
void check_tables(const Tables& tables);

}  // namespace torusmu::layout_gen

#endif  // TORUSMU_RTL_PACKAGE_LAYOUT_TABLES_H_
