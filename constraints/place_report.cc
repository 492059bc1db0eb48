// SPDX-License-Identifier: Apache-2.0
// The record of a module for docs/results/place.json: place_report MODULE TOOLS NETLIST.json
// REPORT.json What nextpnr reports speaks of cells that it made of several; the netlist that it was
// given knows which register of the RTL is in them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using json = nlohmann::ordered_json;

json read(const char* path) {
  std::ifstream input(path);
  if (!input) throw std::runtime_error(fmt::format("cannot read {}", path));
  return json::parse(input);
}

// The lower, the more a name says to whoever knows the RTL: registers, ports, the wrapper's, made
// up.
int rank(const std::string& name) {
  if (name.find("_SB_") != std::string::npos || name.find('$') != std::string::npos) return 3;
  if (name.starts_with("from_")) return 2;
  return name.starts_with("dut.") && name.find("_q") != std::string::npos ? 0 : 1;
}

// As the RTL says it: what is inside the module without the wrapper's name for it.
std::string plain(std::string name) {
  if (name.starts_with("dut.")) name.erase(0, 4);
  return name;
}

class Netlist {
 public:
  Netlist(const json& design, const std::string& top) {
    const json& module = design.at("modules").at(top);
    for (const auto& [name, net] : module.at("netnames").items()) add_net(name, net.at("bits"));
    for (const auto& [name, cell] : module.at("cells").items()) {
      const json& pins = cell.at("connections");
      const bool is_register = cell.at("type").get<std::string>().starts_with("SB_DFF");
      const char* output = is_register ? "Q" : "O";
      if (!pins.contains(output) || pins.at(output).size() != 1) continue;
      if (!pins.at(output)[0].is_number()) continue;
      output_[name] = pins.at(output)[0];
      driver_[output_[name]] = name;
      if (is_register && pins.at("D").at(0).is_number()) stored_[pins.at("D")[0]] = output_[name];
    }
  }
  // The net of the RTL that a net of nextpnr is.
  [[nodiscard]] std::string name_of(const std::string& net) const {
    const auto found = bits_.find(net);
    return found == bits_.end() ? net : name_of(found->second);
  }
  // The register in a cell of nextpnr: a LUT and the flip-flop behind it, or a flip-flop alone.
  [[nodiscard]] std::string register_in(std::string cell) const {
    for (const char* suffix : {"_DFFLC", "_LC"}) {
      if (cell.ends_with(suffix)) cell.resize(cell.size() - std::string(suffix).size());
    }
    // "dut.flits.0.2_RAM" is a part of the memory flits.
    if (cell.ends_with("_RAM")) cell.resize(std::min(cell.find('.', 4), cell.size() - 4));
    const auto found = output_.find(cell);
    if (found == output_.end()) return cell;
    const auto stored = stored_.find(found->second);
    return name_of(stored == stored_.end() ? found->second : stored->second);
  }

 private:
  // A register that Yosys made is known by what its own name begins with: what it was made of.
  [[nodiscard]] std::string name_of(int bit) const {
    const auto driver = driver_.find(bit);
    if (rank(names_.at(bit)) < 3 || driver == driver_.end()) return names_.at(bit);
    return "made of " + plain(driver->second.substr(0, driver->second.find("_SB_")));
  }
  void add_net(const std::string& name, const json& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (!bits[i].is_number()) continue;
      std::string full = bits.size() == 1 ? name : fmt::format("{}[{}]", name, i);
      bits_[full] = bits[i];
      std::string& known = names_[bits[i]];
      if (known.empty() || rank(full) < rank(known)) known = std::move(full);
    }
  }
  std::map<int, std::string> names_;
  std::map<std::string, int> bits_;
  std::map<std::string, int> output_;  // of a LUT or a flip-flop
  std::map<int, std::string> driver_;  // the cell that drives a bit
  std::map<int, int> stored_;          // bit to the register that takes it
};

int run(const std::string& module, const char* tools, const char* netlist_path,
        const char* report_path) {
  const Netlist netlist(read(netlist_path), "place_" + module);
  const json report = read(report_path);
  const json& clock = report.at("fmax").front();
  const json& used = report.at("utilization");
  const json* worst = nullptr;
  for (const json& path : report.at("critical_paths")) {
    const std::string from = path.at("from"), to = path.at("to");
    if (from.starts_with("posedge") && to.starts_with("posedge")) worst = &path;
  }
  if (worst == nullptr || worst->at("path").size() < 2) {
    throw std::runtime_error(fmt::format("{}: no path from clock to clock", report_path));
  }
  const json& hops = worst->at("path");
  const auto levels = std::count_if(hops.begin(), hops.end(),
                                    [](const json& hop) { return hop.at("type") == "logic"; });
  const json record{{"module", module},
                    {"LC", used.at("ICESTORM_LC").at("used")},
                    {"RAM", used.at("ICESTORM_RAM").at("used")},
                    {"MHz", std::round(clock.at("achieved").get<double>() * 10) / 10},
                    {"levels", levels},
                    {"from", plain(netlist.name_of(hops.at(1).at("net").get<std::string>()))},
                    {"to", plain(netlist.register_in(hops.back().at("to").at("cell")))},
                    {"tools", tools}};
  fmt::print("{}\n", record.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    fmt::print(stderr, "usage: place_report MODULE TOOLS NETLIST.json REPORT.json\n");
    return 2;
  }
  return run(argv[1], argv[2], argv[3], argv[4]);
} catch (const std::exception& error) {
  fmt::print(stderr, "place_report: {}\n", error.what());
  return 1;
}
