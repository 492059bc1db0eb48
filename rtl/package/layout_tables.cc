// SPDX-License-Identifier: Apache-2.0
#include "rtl/package/layout_tables.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

namespace torusmu::layout_gen {
namespace {

std::vector<Size> load_sizes() {
  return {
#define SIZE(name, sim, bgp, board, meaning) {#name, sim, bgp, board, meaning},
#include "rtl/package/sizes.def"
#undef SIZE
  };
}

void add_value(std::vector<Enum>& enums, const std::string& type, EnumValue value) {
  if (enums.empty() || enums.back().name != type) {
    throw std::runtime_error(type + "." + value.name + " stands outside its enum");
  }
  enums.back().values.push_back(std::move(value));
}

void add_field(std::vector<Layout>& layouts, const std::string& layout, Field field) {
  if (layouts.empty() || layouts.back().name != layout) {
    throw std::runtime_error(layout + "." + field.name + " stands outside its layout");
  }
  layouts.back().fields.push_back(std::move(field));
}

void add_register(std::vector<Block>& blocks, const std::string& block, Register reg,
                  const std::string& unit) {
  if (blocks.empty() || blocks.back().name != block) {
    throw std::runtime_error(block + "." + reg.name + " stands outside its block");
  }
  reg.unit = unit;
  blocks.back().registers.push_back(std::move(reg));
}

void add_register_field(std::vector<Block>& blocks, const std::string& block,
                        const std::string& reg, Field field) {
  if (blocks.back().name != block || blocks.back().registers.back().name != reg) {
    throw std::runtime_error(block + "." + reg + "." + field.name + " stands outside its register");
  }
  blocks.back().registers.back().fields.push_back(std::move(field));
}

#define ENUM(name, width, meaning) enums.push_back({#name, width, meaning, {}});
#define VALUE(type, name, value, meaning) add_value(enums, #type, {#name, value, meaning});
#define LAYOUT(name, width, meaning) layouts.push_back({#name, width, meaning, {}});
#define FIELD(layout, name, lsb, width, meaning) \
  add_field(layouts, #layout, {#name, lsb, width, Field::Type::kPlain, "", meaning});
#define ENUM_FIELD(layout, name, lsb, width, type, meaning) \
  add_field(layouts, #layout, {#name, lsb, width, Field::Type::kEnum, #type, meaning});
#define STRUCT_FIELD(layout, name, lsb, width, type, meaning) \
  add_field(layouts, #layout, {#name, lsb, width, Field::Type::kStruct, #type, meaning});
#define RESERVED(layout, lsb, width) \
  add_field(layouts, #layout,        \
            {"reserved_" #lsb, lsb, width, Field::Type::kReserved, "", "reserved, zero"});
#define BLOCK(name, base, stride, copies, meaning) \
  blocks.push_back({#name, base, stride, #copies, meaning, {}});
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  add_register(blocks, #block, {#name, offset, bytes, #copies, #access, meaning, {}}, unit);
#define REGISTER_FIELD(block, name, field, lsb, width, meaning) \
  add_register_field(blocks, #block, #name, {#field, lsb, width, Field::Type::kPlain, "", meaning});
#define REGISTER_NUMBER(block, name, field, lsb, width, below, meaning) \
  add_register_field(blocks, #block, #name,                             \
                     {#field, lsb, width, Field::Type::kPlain, "", meaning, #below});
#define REGISTER_RANGE(block, name, field, lsb, width, least, most, meaning) \
  add_register_field(blocks, #block, #name,                                  \
                     {#field, lsb, width, Field::Type::kPlain, "", meaning, "", least, most});
#define REGISTER_RING(block, name, field, lsb, width, least, meaning) \
  add_register_field(                                                 \
      blocks, #block, #name,                                          \
      {#field, lsb, width, Field::Type::kPlain, "", meaning, "", least, kAny, "", true});
#define REGISTER_BITS(block, name, field, lsb, width, of, meaning) \
  add_register_field(blocks, #block, #name,                        \
                     {#field, lsb, width, Field::Type::kPlain, "", meaning, "", 0, kAny, #of});
#define UNIT(name) unit = #name;

void load_enums(std::vector<Enum>& enums) {
#include "rtl/package/enums.def"
}

void load_packet(std::vector<Layout>& layouts) {
#include "rtl/package/packet.def"
}

void load_descriptor(std::vector<Layout>& layouts) {
#include "rtl/package/descriptor.def"
}

// internal.def holds enums and layouts.
void load_internal(std::vector<Enum>& enums, std::vector<Layout>& layouts) {
#include "rtl/package/internal.def"
}

void load_blocks(std::vector<Block>& blocks) {
  std::string unit;
#include "rtl/package/registers.def"
}

void check_layout(const Tables& tables, const std::vector<Layout>& known, const Layout& layout) {
  unsigned next = 0;
  std::set<std::string> names;
  for (const Field& field : layout.fields) {
    const std::string where = layout.name + "." + field.name;
    if (field.lsb != next) throw std::runtime_error(where + ": gap or overlap below it");
    if (field.width == 0) throw std::runtime_error(where + ": has no bits");
    if (!names.insert(field.name).second) throw std::runtime_error(where + ": listed twice");
    next += field.width;
    bool sound = field.type == Field::Type::kPlain || field.type == Field::Type::kReserved;
    for (const Enum& type : tables.enums) {
      sound |= field.type == Field::Type::kEnum && type.name == field.type_name &&
               type.width == field.width;
    }
    for (const Layout& type : known) {
      sound |= field.type == Field::Type::kStruct && type.name == field.type_name &&
               type.width == field.width;
    }
    if (!sound) throw std::runtime_error(where + ": no type of that name and width");
  }
  if (next != layout.width) throw std::runtime_error(layout.name + ": bits left at the top");
}

// A number that must be below a size can be each that is, in any profile, and there is a bit for
// each; bgp has the largest sizes.
void check_size(const Tables& tables, const Register& reg, const Field& field) {
  for (const Size& size : tables.sizes) {
    const unsigned largest = std::max(size.sim, size.bgp);
    if (size.name == field.below && (largest - 1) >> field.width == 0) return;
    if (size.name == field.bits_of && largest <= field.width) return;
  }
  throw std::runtime_error(reg.name + "." + field.name + ": no size of that name that fits");
}

// Limits that a value of the field can break, and one that it can keep.
void check_limits(const Register& reg, const Field& field) {
  const std::uint64_t largest =
      field.width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
  const bool is_open = field.most == kAny;
  if (field.least > largest || field.least > field.most || (!is_open && field.most >= largest)) {
    throw std::runtime_error(reg.name + "." + field.name + ": limits that do not suit its width");
  }
}

void check_unit(const Tables& tables, const Block& block, const Register& reg) {
  for (const Enum& type : tables.enums) {
    if (type.name != "register_unit") continue;
    for (const EnumValue& value : type.values)
      if (value.name == upper(reg.unit)) return;
  }
  throw std::runtime_error(block.name + "." + reg.name + ": no such unit: " + reg.unit);
}

}  // namespace

std::string upper(const std::string& name) {
  std::string result = name;
  for (char& letter : result) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return result;
}

Tables load_tables() {
  Tables tables;
  tables.sizes = load_sizes();
  load_enums(tables.enums);
  load_packet(tables.packet);
  load_descriptor(tables.descriptor);
  load_internal(tables.enums, tables.internal);
  load_blocks(tables.blocks);
  return tables;
}

void check_tables(const Tables& tables) {
  for (const Enum& type : tables.enums) {
    std::set<unsigned> values;
    for (const EnumValue& value : type.values) {
      if (value.value >> type.width != 0 || !values.insert(value.value).second) {
        throw std::runtime_error(type.name + "." + value.name + ": value too large or used twice");
      }
    }
  }
  for (const Block& block : tables.blocks) {
    for (const Register& reg : block.registers) {
      check_unit(tables, block, reg);
      for (const Field& field : reg.fields) {
        if (!field.below.empty() || !field.bits_of.empty()) check_size(tables, reg, field);
        check_limits(reg, field);
      }
    }
  }
  std::vector<Layout> known;
  for (const auto* group : {&tables.packet, &tables.descriptor, &tables.internal}) {
    for (const Layout& layout : *group) {
      check_layout(tables, known, layout);
      known.push_back(layout);
    }
  }
}

}  // namespace torusmu::layout_gen
