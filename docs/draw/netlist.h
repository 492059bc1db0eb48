// SPDX-License-Identifier: Apache-2.0
// Which block of the design drives which: read from what Yosys writes of it.
#ifndef TORUSMU_DOCS_DRAW_NETLIST_H_
#define TORUSMU_DOCS_DRAW_NETLIST_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace torusmu::draw {

// Some bits of a port of one instance drive some bits of a port of another. Instances are named by
// their path below the top, "u_router.gen_link[0].u_link"; the pins of the top belong to instance
// "".
struct Wire {
  std::string from, from_port, to, to_port;
  bool operator<(const Wire& other) const {
    return std::tie(from, from_port, to, to_port) <
           std::tie(other.from, other.from_port, other.to, other.to_port);
  }
};

struct Netlist {
  struct Instance {
    std::string module;  // "mu_router"
    std::string source;  // "rtl/router/mu_router.sv"
    std::set<std::string> ports;
  };
  std::map<std::string, Instance> instances;  // by path; those that are not looked into
  std::set<Wire> wires;                       // through assignments that only rename
};

// Reads the JSON file of write_json. Modules in `expand` are looked into, all others are blocks.
// Throws std::runtime_error if the file is none, or has no module of that name.
Netlist read_netlist(const std::filesystem::path& json, const std::string& top,
                     const std::set<std::string>& expand);

// What the first lines of a source file say of its module, after its name.
std::string title_of(const Netlist::Instance& instance);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_NETLIST_H_
