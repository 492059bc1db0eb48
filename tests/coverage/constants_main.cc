// SPDX-License-Identifier: Apache-2.0
// Which bits of a flat netlist can have which values, whatever its inputs are:
//
//   coverage_constants NETLIST.json
//
// NETLIST.json is what Yosys writes of one module after proc and flatten. For each net it prints
// the name, a tab and its bits, lowest first: 0 or 1 if the bit can have no other value, else a
// dot.
//
// A bit begins with no value, flip-flops and memories with zero; constants, inputs and cells add
// values until none is added any more. What is not known of a cell, and what nothing drives, counts
// as any value.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
// The values that a bit can have.
using Values = std::uint8_t;
constexpr Values kNone = 0, kZero = 1, kOne = 2, kAny = 3;
// Numbers of the bits of a port.
using Bits = std::vector<std::uint32_t>;

Values inverse(Values v) { return static_cast<Values>((v & kZero) << 1 | (v & kOne) >> 1); }
Values both_and(Values a, Values b) {
  if (a == kNone || b == kNone) return kNone;
  return static_cast<Values>(((a | b) & kZero) | (a & b & kOne));
}
Values both_or(Values a, Values b) { return inverse(both_and(inverse(a), inverse(b))); }
Values both_xor(Values a, Values b) {
  return both_or(both_and(a, inverse(b)), both_and(inverse(a), b));
}

struct Cell {
  std::string type;
  std::map<std::string, Bits> ports;
  Bits outputs;
  bool a_signed = false, b_signed = false;
  std::string memory;
};

class Netlist {
 public:
  explicit Netlist(const Json& module) {
    for (const auto& [name, port] : module.at("ports").items()) {
      const Bits bits = bits_of(port.at("bits"));
      if (port.at("direction") == "input") {
        for (const std::uint32_t bit : bits) values_.at(bit) = kAny;
      }
    }
    for (const auto& [name, cell] : module.at("cells").items()) add(cell);
    set_undriven();
    do {
      while (changed_) {
        changed_ = false;
        for (const Cell& cell : cells_) evaluate(cell);
      }
      set_unknown();
    } while (changed_);
  }
  std::string text_of(const Json& bits) {
    std::string text;
    for (const std::uint32_t bit : bits_of(bits)) {
      text += values_.at(bit) == kZero ? '0' : values_.at(bit) == kOne ? '1' : '.';
    }
    return text;
  }

 private:
  // Yosys numbers bits from 2 on; here 0 and 1 are the constants, and what is unknown is any value.
  static constexpr std::uint32_t kUnknown = 2;
  std::uint32_t number_of(const Json& bit) {
    if (bit.is_string()) return bit == "0" ? 0 : bit == "1" ? 1 : kUnknown;
    const std::uint32_t number = bit.get<std::uint32_t>() + 1;
    if (number >= values_.size()) values_.resize(number + 1, kNone);
    return number;
  }
  Bits bits_of(const Json& json) {
    Bits bits;
    for (const Json& bit : json) bits.push_back(number_of(bit));
    return bits;
  }
  void add(const Json& json) {
    Cell cell;
    cell.type = json.at("type");
    for (const auto& [port, bits] : json.at("connections").items()) {
      cell.ports[port] = bits_of(bits);
      if (json.at("port_directions").at(port) != "output") continue;
      const Bits& driven = cell.ports[port];
      cell.outputs.insert(cell.outputs.end(), driven.begin(), driven.end());
    }
    const Json& parameters = json.at("parameters");
    const auto is_set = [&](const char* name) {
      return parameters.contains(name) &&
             parameters.at(name).get<std::string>().find('1') != std::string::npos;
    };
    cell.a_signed = is_set("A_SIGNED");
    cell.b_signed = is_set("B_SIGNED");
    if (parameters.contains("MEMID")) cell.memory = parameters.at("MEMID");
    if (cell.type == "$dff") {
      for (const std::uint32_t bit : cell.outputs) values_.at(bit) = kZero;
    }
    cells_.push_back(std::move(cell));
  }

  // A bit that no cell drives may have any value.
  void set_undriven() {
    std::vector<bool> driven(values_.size());
    for (const Cell& cell : cells_) {
      for (const std::uint32_t bit : cell.outputs) driven.at(bit) = true;
    }
    for (std::size_t bit = kUnknown + 1; bit < values_.size(); ++bit) {
      if (!driven[bit]) values_[bit] = kAny;
    }
  }
  // What has come to no value, for nothing but the unknown leads there, may have any.
  void set_unknown() {
    for (const Cell& cell : cells_) {
      for (const std::uint32_t bit : cell.outputs) {
        if (values_.at(bit) == kNone) include(bit, kAny);
      }
    }
  }
  void include(std::uint32_t bit, Values values) {
    const auto sum = static_cast<Values>(values_.at(bit) | values);
    if (sum == values_.at(bit)) return;
    values_.at(bit) = sum;
    changed_ = true;
  }
  // Of a port that is made as wide as needed.
  Values of(const Bits& bits, std::size_t i, bool is_signed) const {
    if (i < bits.size()) return values_.at(bits[i]);
    return is_signed && !bits.empty() ? values_.at(bits.back()) : kZero;
  }
  Values any_of(const Bits& bits) const {
    Values sum = kZero;
    for (const std::uint32_t bit : bits) sum = both_or(sum, values_.at(bit));
    return sum;
  }
  void sum(const Bits& y, const Cell& cell, const Bits& a, const Bits& b, bool subtracts) {
    Values carry = subtracts ? kOne : kZero;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Values left = of(a, i, cell.a_signed);
      Values right = of(b, i, cell.b_signed);
      if (subtracts) right = inverse(right);
      const Values half = both_xor(left, right);
      include(y[i], both_xor(half, carry));
      carry = both_or(both_and(left, right), both_and(half, carry));
    }
  }
  static std::size_t low_zeros(const Bits& bits, const std::vector<Values>& values) {
    std::size_t zeros = 0;
    while (zeros < bits.size() && values.at(bits[zeros]) == kZero) ++zeros;
    return zeros;
  }
  // A product has the zeros below of both.
  void product(const Bits& y, const Cell& cell) {
    const std::size_t zeros =
        low_zeros(cell.ports.at("A"), values_) + low_zeros(cell.ports.at("B"), values_);
    for (std::size_t i = 0; i < y.size(); ++i) include(y[i], i < zeros ? kZero : kAny);
  }
  // Yosys writes what nobody looks at as unknown: the value of an inner choice where an outer one
  // takes another. Every case of the RTL has a default, so that none is full by promise alone; and
  // what a test of the node moves all the same is an error of make coverage.
  void choose(const Bits& y, const Cell& cell) {
    const Bits& select = cell.ports.at("S");
    const Bits& a = cell.ports.at("A");
    const Bits& b = cell.ports.at("B");
    bool none = true;
    for (const std::uint32_t bit : select) none = none && (values_.at(bit) & kZero) != 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (none && a[i] != kUnknown) include(y[i], values_.at(a[i]));
      for (std::size_t s = 0; s < select.size(); ++s) {
        const std::uint32_t bit = b[s * y.size() + i];
        if ((values_.at(select[s]) & kOne) != 0 && bit != kUnknown) include(y[i], values_.at(bit));
      }
    }
  }
  // One bit, and zeros above it.
  void single(const Bits& y, Values value) {
    for (std::size_t i = 0; i < y.size(); ++i) include(y[i], i == 0 ? value : kZero);
  }
  bool evaluate_bitwise(const Bits& y, const Cell& cell) {
    if (!cell.ports.contains("A")) return false;
    const bool two = cell.ports.contains("B");
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Values a = of(cell.ports.at("A"), i, cell.a_signed);
      const Values b = two ? of(cell.ports.at("B"), i, cell.b_signed) : kZero;
      if (cell.type == "$and")
        include(y[i], both_and(a, b));
      else if (cell.type == "$or")
        include(y[i], both_or(a, b));
      else if (cell.type == "$xor")
        include(y[i], both_xor(a, b));
      else if (cell.type == "$xnor")
        include(y[i], inverse(both_xor(a, b)));
      else if (cell.type == "$not")
        include(y[i], inverse(a));
      else if (cell.type == "$pos")
        include(y[i], a);
      else
        return false;
    }
    return true;
  }
  bool evaluate_logic(const Bits& y, const Cell& cell) {
    const std::string& type = cell.type;
    const auto a = [&] { return any_of(cell.ports.at("A")); };
    const auto b = [&] { return any_of(cell.ports.at("B")); };
    if (type == "$reduce_or" || type == "$reduce_bool")
      single(y, a());
    else if (type == "$logic_not")
      single(y, inverse(a()));
    else if (type == "$logic_and")
      single(y, both_and(a(), b()));
    else if (type == "$logic_or")
      single(y, both_or(a(), b()));
    else if (type.starts_with("$reduce_") || type == "$eq" || type == "$ne" || type == "$eqx" ||
             type == "$nex" || type == "$lt" || type == "$le" || type == "$gt" || type == "$ge")
      single(y, kAny);
    else
      return false;
    return true;
  }
  // Whether a shift may be by so many places.
  bool may_be(const Bits& amount, std::size_t places) const {
    for (std::size_t i = 0; i < amount.size() || places >> i != 0; ++i) {
      if (i >= 63) return places >> i == 0;
      const Values bit = i < amount.size() ? values_.at(amount[i]) : kZero;
      if ((bit & ((places >> i & 1U) != 0 ? kOne : kZero)) == 0) return false;
    }
    return true;
  }
  // Bits come from lower places, from higher ones, or from any, and zeros besides.
  bool evaluate_shift(const Bits& y, const Cell& cell) {
    const bool left = cell.type == "$shl" || cell.type == "$sshl";
    const bool right = cell.type == "$shr" ||
                       ((cell.type == "$shiftx" || cell.type == "$shift") && !cell.b_signed);
    if (!left && !right && cell.type != "$shiftx" && cell.type != "$shift") return false;
    const Bits& a = cell.ports.at("A");
    const Bits& amount = cell.ports.at("B");
    for (std::size_t i = 0; i < y.size(); ++i) {
      Values sum = kZero;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const bool comes = left    ? k <= i && may_be(amount, i - k)
                           : right ? k >= i && may_be(amount, k - i)
                                   : true;
        if (comes) sum |= values_.at(a[k]);
      }
      include(y[i], cell.a_signed ? kAny : sum);
    }
    return true;
  }
  bool evaluate_state(const Cell& cell) {
    const std::string& type = cell.type;
    if (type == "$dff") {
      const Bits& d = cell.ports.at("D");
      for (std::size_t i = 0; i < d.size(); ++i) include(cell.outputs[i], values_.at(d[i]));
    } else if (type.starts_with("$memwr")) {
      const Bits& data = cell.ports.at("DATA");
      std::vector<Values>& word = memories_[cell.memory];
      word.resize(data.size(), kZero);
      for (std::size_t i = 0; i < data.size(); ++i) {
        const auto with = static_cast<Values>(word[i] | values_.at(data[i]));
        changed_ = changed_ || with != word[i];
        word[i] = with;
      }
    } else if (type.starts_with("$memrd")) {
      const std::vector<Values>& word = memories_[cell.memory];
      for (std::size_t i = 0; i < cell.outputs.size() && i < word.size(); ++i)
        include(cell.outputs[i], word[i]);
    } else {
      return false;
    }
    return true;
  }
  void evaluate(const Cell& cell) {
    const Bits& y = cell.outputs;
    if (cell.type == "$mux" || cell.type == "$pmux") {
      choose(y, cell);
    } else if (cell.type == "$add" || cell.type == "$sub") {
      sum(y, cell, cell.ports.at("A"), cell.ports.at("B"), cell.type == "$sub");
    } else if (cell.type == "$mul") {
      product(y, cell);
    } else if (!evaluate_state(cell) && !y.empty() && !evaluate_logic(y, cell) &&
               !evaluate_shift(y, cell) && !evaluate_bitwise(y, cell)) {
      for (const std::uint32_t bit : y) include(bit, kAny);
    }
  }

  std::vector<Values> values_{kZero, kOne, kAny};
  std::vector<Cell> cells_;
  std::map<std::string, std::vector<Values>> memories_;
  bool changed_ = true;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("expected the name of a netlist");
  std::ifstream file(argv[1]);
  if (!file) throw std::runtime_error(std::string(argv[1]) + ": cannot be read");
  const Json all = Json::parse(file);
  const Json& module = all.at("modules").begin().value();
  Netlist netlist(module);
  for (const auto& [name, net] : module.at("netnames").items()) {
    if (net.at("hide_name") == 0 && !net.contains("offset"))
      std::cout << name << "\t" << netlist.text_of(net.at("bits")) << "\n";
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "coverage_constants: " << error.what() << "\n";
  return 2;
}
