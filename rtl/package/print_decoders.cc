// SPDX-License-Identifier: Apache-2.0
// mu_<block>_decode.sv: of each block of registers that has copies of 8 bytes, what an access names
// and whether it may be.
#include <algorithm>
#include <array>
#include <sstream>

#include "rtl/package/layout_gen.h"

namespace torusmu::layout_gen {
namespace {

unsigned log2_of(unsigned value) {
  unsigned bits = 0;
  while (1U << bits < value) ++bits;
  return bits;
}

unsigned width_of(const Register& reg) {
  return reg.fields.empty() ? reg.bytes * 8 : reg.fields.back().lsb + reg.fields.back().width;
}

std::string slice(const std::string& vector, unsigned lsb, unsigned width) {
  const std::string low = std::to_string(lsb);
  return vector +
         (width == 1 ? "[" + low + "]" : "[" + std::to_string(lsb + width - 1) + ":" + low + "]");
}

// Assignments with their signs below each other.
class Assignments {
 public:
  void add(std::string left, std::string right) {
    width_ = std::max(width_, left.size());
    lines_.emplace_back(std::move(left), std::move(right));
  }
  void print(std::ostream& out, const std::string& indent) const {
    for (const auto& [left, right] : lines_) {
      out << indent << left << std::string(width_ - left.size(), ' ') << " = " << right << ";\n";
    }
  }

 private:
  std::size_t width_ = 0;
  std::vector<std::pair<std::string, std::string>> lines_;
};

bool is_written(const Register& reg) { return reg.access != "RO"; }
bool is_read(const Register& reg) { return reg.access != "WO"; }

bool is_alone(const Block& block) { return block.copies == "1"; }

std::string number(unsigned width, std::uint64_t value) {
  std::ostringstream out;
  out << width << "'h" << std::hex << std::uppercase << value;
  return out.str();
}

// What a field's value must be, each in its own term.
std::vector<std::string> conditions(const Field& field) {
  const std::string value = slice("request_i.data", field.lsb, field.width);
  std::vector<std::string> all;
  if (!field.below.empty()) all.push_back("32'(" + value + ") < mu_pkg::" + field.below);
  if (!field.bits_of.empty())
    all.push_back("(" + value + " >> mu_pkg::" + field.bits_of + ") == '0");
  if (field.least > 0) all.push_back(value + " >= " + number(field.width, field.least));
  if (field.most != kAny) all.push_back(value + " <= " + number(field.width, field.most));
  if (field.is_ring) {
    all.push_back("(" + value + " & (" + value + " - " + number(field.width, 1) + ")) == '0");
  }
  return all;
}

// Bits that no field has, as a mask of 64.
std::string meaningless(const Register& reg) {
  std::uint64_t fields = 0;
  for (const Field& field : reg.fields) {
    const std::uint64_t ones = field.width >= 64 ? ~0ULL : (1ULL << field.width) - 1;
    fields |= ones << field.lsb;
  }
  std::ostringstream out;
  out << "64'h" << std::hex << std::uppercase << ~fields;
  return out.str();
}

void ports(std::ostream& out, const Block& block) {
  std::size_t width = std::string("mu_pkg::register_request_t").size();
  for (const Register& reg : block.registers) width = std::max(width, type_of(block, reg).size());
  const auto port = [&](const char* direction, std::string type, const std::string& name) {
    type.resize(width, ' ');
    out << "    " << direction << " " << type << " " << name;
  };
  port("input ", "logic", "valid_i,\n");
  port("input ", "mu_pkg::register_request_t", "request_i,\n");
  if (!is_alone(block)) port("output", "logic [7:0]", "index_o,\n");
  port("output", "mu_pkg::status_e", "status_o,\n");
  port("output", "logic [63:0]", "data_o");
  for (const Register& reg : block.registers) {
    out << ",\n    // " << reg.meaning;
    if (is_read(reg)) {
      out << "\n";
      port("input ", type_of(block, reg), reg.name + "_i" + (is_written(reg) ? "," : ""));
    }
    if (is_written(reg)) {
      out << "\n";
      port("output", "logic", "write_" + reg.name + "_o,\n");
      port("output", type_of(block, reg), reg.name + "_o");
    }
  }
  out << "\n";
}

void values(std::ostream& out, const Block& block) {
  Assignments values;
  values.add("assign offset", "request_i.address - mu_pkg::BLOCK_" + upper(block.name) + "_BASE");
  values.add("assign copy", "offset >> " + std::to_string(log2_of(block.stride)));
  if (!is_alone(block)) values.add("assign index_o", "copy[7:0]");
  values.add("assign unused", "^{request_i, offset}");
  for (const Register& reg : block.registers) {
    if (!is_written(reg)) continue;
    if (is_vector(reg)) {
      values.add("assign " + reg.name + "_o", slice("request_i.data", 0, width_of(reg)));
      continue;
    }
    for (const Field& field : reg.fields) {
      values.add("assign " + reg.name + "_o." + field.name,
                 slice("request_i.data", field.lsb, field.width));
    }
  }
  values.print(out, "  ");
}

// What an access of one register is, whatever its value.
void shape(std::ostream& out, const Register& reg, const std::string& indent) {
  Assignments shape;
  if (reg.access == "RO") shape.add("known", "!request_i.write");
  if (reg.access == "WO") shape.add("known", "request_i.write");
  if (is_written(reg)) {
    std::string legal = "(request_i.data & " + meaningless(reg) + ") == '0";
    for (const Field& field : reg.fields) {
      for (const std::string& condition : conditions(field))
        legal += " &&\n" + indent + "    " + condition;
    }
    shape.add("write_" + reg.name + "_o", "request_i.write");
    shape.add("legal", legal);
  }
  shape.print(out, indent);
}

void read(std::ostream& out, const Register& reg, const std::string& indent) {
  Assignments data;
  if (is_vector(reg)) {
    data.add("data_o", "64'(" + reg.name + "_i)");
  } else {
    for (const Field& field : reg.fields) {
      data.add(slice("data_o", field.lsb, field.width), reg.name + "_i." + field.name);
    }
  }
  data.print(out, indent);
}

using Printer = void (*)(std::ostream&, const Register&, const std::string&);

// `print` of the register that is addressed, if `applies`.
void each_register(std::ostream& out, const Block& block, Printer print,
                   bool (*applies)(const Register&), const std::string& otherwise) {
  const unsigned stride = log2_of(block.stride);
  if (stride == 3) return print(out, block.registers.front(), "      ");
  out << "      unique case (20'({" << slice("offset", 3, stride - 3) << ", 3'b0}))\n";
  for (const Register& reg : block.registers) {
    if (!applies(reg)) continue;
    out << "        mu_pkg::REG_" << upper(block.name) << "_" << upper(reg.name) << ": begin\n";
    print(out, reg, "          ");
    out << "        end\n";
  }
  out << "        default: " << otherwise << ";\n      endcase\n";
}

void no_writes(Assignments& assignments, const Block& block) {
  for (const Register& reg : block.registers) {
    if (is_written(reg)) assignments.add("write_" + reg.name + "_o", "1'b0");
  }
}

void body(std::ostream& out, const Block& block) {
  Assignments defaults;
  defaults.add("status_o", "mu_pkg::STATUS_OK");
  defaults.add("known", "1'b1");
  defaults.add("legal", "1'b1");
  no_writes(defaults, block);
  out << "\n  always_comb begin\n";
  defaults.print(out, "    ");
  out << "    if (valid_i) begin\n";
  each_register(
      out, block, shape, [](const Register&) { return true; }, "known = 1'b0");
  out << "      if (!known || request_i.page || copy >= COPIES) status_o = "
         "mu_pkg::STATUS_REGISTER_UNKNOWN;\n"
         "      else if (request_i.write && !request_i.wide) status_o = "
         "mu_pkg::STATUS_REGISTER_PARTIAL;\n"
         "      else if (request_i.write && !legal) status_o = mu_pkg::STATUS_REGISTER_VALUE;\n";
  Assignments nothing;
  no_writes(nothing, block);
  std::ostringstream lines;
  nothing.print(lines, "        ");
  if (!lines.str().empty())
    out << "      if (status_o != mu_pkg::STATUS_OK) begin\n" << lines.str() << "      end\n";
  out << "    end\n  end\n\n";
  if (std::none_of(block.registers.begin(), block.registers.end(), is_read)) {
    out << "  assign data_o = '0;\n";
    return;
  }
  out << "  always_comb begin\n    data_o = '0;\n"
         "    if (valid_i && !request_i.write && status_o == mu_pkg::STATUS_OK) begin\n";
  each_register(out, block, read, is_read, "data_o = '0");
  out << "    end\n  end\n";
}

std::string decoder(const Block& block) {
  const std::string name = "mu_" + block.name + "_decode";
  const std::string index = is_alone(block) ? "" : "index_o, ";
  const std::string of_copy = is_alone(block) ? "" : " of copy index_o";
  std::ostringstream out;
  out << "// SPDX-License-Identifier: Apache-2.0\n"
         "// Generated by `make layouts` from rtl/package/registers.def; edit that.\n// "
      << name << ": which register of block " << block.name << " an access names, and may it be.\n"
      << "//\n"
         "//   valid_i, request_i ---> [ copy, register, width, other bits ] ---> "
      << index << "status_o, write_*_o, *_o\n//   registers" << of_copy
      << " ---> [ read multiplexer ] ---> data_o\n"
         "//\n"
         "// Behaviour: while valid_i, status_o is OK or the first of REGISTER_UNKNOWN (no such "
         "copy or register, or not\n"
         "//   for this access), REGISTER_PARTIAL (a write of less than 8 bytes) and "
         "REGISTER_VALUE (a bit without\n"
         "//   meaning is not zero, or a number breaks its limits). A legal write has one "
         "write_*_o high, and the\n"
         "//   fields of its data in *_o; a legal read has its value in data_o, which is zero "
         "otherwise.\n"
         "// Latency: combinational; all but data_o depends on the request alone.\n"
         "// Limits: what else a value must be, its user judges.\n"
         // Most accesses of a comparison shall be 8 bytes wide and near the block.
         "// two-readers: hold:request_i[77+:7]=mu_pkg::BLOCK_"
      << upper(block.name) << "_BASE>>13 hold:request_i[88+:2]=2 seen=15\n"
      << "`default_nettype none\n\nmodule " << name << " (\n";
  ports(out, block);
  out << ");\n  localparam logic [19:0] COPIES = "
      << (is_alone(block) ? "20'd1" : "20'(mu_pkg::" + block.copies + ")") << ";\n\n"
      << "  logic [19:0] offset;  // in the block\n  logic [19:0] copy;\n  logic        known;\n  "
         "logic        legal;\n"
         "  logic        unused;\n\n";
  values(out, block);
  body(out, block);
  out << "endmodule\n`default_nettype wire\n";
  return out.str();
}

// Copies of one size; a page is spread over many blocks of the RTL, and counters of the router are
// a memory.
bool has_decoder(const Block& block) {
  constexpr std::array<const char*, 3> kOthers{"client_page", "performance", "unit_memory"};
  return std::find(kOthers.begin(), kOthers.end(), block.name) == kOthers.end();
}

}  // namespace

Files print_decoders(const Tables& tables) {
  Files files;
  for (const Block& block : tables.blocks) {
    if (has_decoder(block)) files["mu_" + block.name + "_decode.sv"] = decoder(block);
  }
  return files;
}

}  // namespace torusmu::layout_gen
