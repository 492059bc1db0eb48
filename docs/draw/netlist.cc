// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/netlist.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

namespace torusmu::draw {
namespace {

using nlohmann::json;

// A module with parameters is called "$paramod$hash\\mu_fifo" or "$paramod\\mu_fifo\\DEPTH=...".
std::string plain_name(const std::string& type) {
  const std::size_t at = type.find("\\mu_");
  if (!type.starts_with("$paramod") || at == std::string::npos) return type;
  return type.substr(at + 1, type.find('\\', at + 1) - at - 1);
}

// Bits of the whole design, each with all places that are the same wire.
class Nets {
 public:
  // A bit inside the module of an instance, as Yosys numbers it.
  std::size_t net(const std::string& path, int bit) {
    const auto [found, is_new] = ids_.try_emplace({path, bit}, parents_.size());
    if (is_new) parents_.push_back(parents_.size());
    return root(found->second);
  }
  void join(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }
  std::size_t root(std::size_t id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
  }

 private:
  std::map<std::pair<std::string, int>, std::size_t> ids_;
  std::vector<std::size_t> parents_;
};

struct End {
  std::string path, port;
  bool drives;
  bool operator<(const End& other) const {
    return std::tie(path, port, drives) < std::tie(other.path, other.port, other.drives);
  }
};

class Reader {
 public:
  Reader(const json& modules, const std::set<std::string>& expand)
      : modules_(modules), expand_(expand) {}

  void walk(const std::string& path, const std::string& module) {
    for (const auto& [name, cell] : modules_.at(module).at("cells").items()) {
      const std::string type = cell.at("type");
      if (!modules_.contains(type)) continue;  // a gate
      std::string child = path;
      if (!path.empty()) child += '.';
      child += name;
      const json& inside = modules_.at(type);
      const std::string plain = plain_name(type);
      const bool look_into = expand_.contains(plain);
      if (!look_into) {
        const std::string source = inside.at("attributes").value("src", "");
        netlist_.instances[child] = {plain, source.substr(0, source.find(':')), {}};
      }
      for (const auto& [port, bits] : cell.at("connections").items()) {
        const json& port_bits = inside.at("ports").at(port).at("bits");
        const bool drives = inside.at("ports").at(port).at("direction") == "output";
        if (!look_into) netlist_.instances[child].ports.insert(port);
        for (std::size_t i = 0; i < bits.size(); ++i) {
          if (!bits[i].is_number()) continue;  // a constant
          const std::size_t net = nets_.net(path, bits[i]);
          if (!look_into) {
            ends_.emplace_back(net, End{child, port, drives});
          } else if (port_bits[i].is_number()) {
            nets_.join(net, nets_.net(child, port_bits[i]));
          }
        }
      }
      if (look_into) walk(child, type);
    }
  }

  void add_pins(const std::string& top) {
    for (const auto& [port, about] : modules_.at(top).at("ports").items()) {
      const bool drives = about.at("direction") == "input";
      for (const json& bit : about.at("bits")) {
        if (bit.is_number()) ends_.emplace_back(nets_.net("", bit), End{"", port, drives});
      }
    }
  }

  Netlist take() {
    std::map<std::size_t, std::set<End>> by_net;
    for (const auto& [net, end] : ends_) by_net[nets_.root(net)].insert(end);
    for (const auto& [net, ends] : by_net) {
      for (const End& from : ends) {
        if (!from.drives) continue;
        for (const End& to : ends) {
          if (to.drives || to.path == from.path) continue;
          netlist_.wires.insert({from.path, from.port, to.path, to.port});
        }
      }
    }
    return std::move(netlist_);
  }

 private:
  const json& modules_;
  const std::set<std::string>& expand_;
  Nets nets_;
  std::vector<std::pair<std::size_t, End>> ends_;
  Netlist netlist_;
};

}  // namespace

Netlist read_netlist(const std::filesystem::path& file, const std::string& top,
                     const std::set<std::string>& expand) {
  std::ifstream stream(file);
  const json design = json::parse(stream, nullptr, false);
  if (design.is_discarded() || !design.contains("modules")) {
    throw std::runtime_error(file.string() + ": not what write_json writes");
  }
  const json& modules = design.at("modules");
  if (!modules.contains(top)) throw std::runtime_error(file.string() + ": no module " + top);
  Reader reader(modules, expand);
  reader.walk("", top);
  reader.add_pins(top);
  return reader.take();
}

std::string title_of(const Netlist::Instance& instance) {
  std::ifstream file(instance.source);
  const std::string begin = "// " + instance.module + ": ";
  std::string title;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(begin)) {
      title = line.substr(begin.size());
    } else if (!title.empty()) {
      if (!line.starts_with("// ") || line.starts_with("//  ")) break;
      title += line.substr(2);
    }
  }
  if (title.ends_with('.')) title.pop_back();
  return title;
}

}  // namespace torusmu::draw
