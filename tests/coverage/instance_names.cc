// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/instance_names.h"

#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace torusmu::coverage {
namespace {

// Module of each instance, by the module that has it and its name there.
const std::map<std::pair<std::string, std::string>, std::string> kModulesOfInstances{
#define MODULE(module)
#define INSTANCE(parent, name, child) {{parent, name}, child},
#include "coverage_instances.inc"
#undef MODULE
#undef INSTANCE
};
const std::set<std::string> kModules{
#define MODULE(module) module,
#define INSTANCE(parent, name, child)
#include "coverage_instances.inc"
#undef MODULE
#undef INSTANCE
};

// Where a hierarchical name ends: the module of its last instance, that instance and its parent,
// and what follows it: names of blocks and of a point.
struct Place {
  std::string module, instance, parent;
  std::vector<std::string> rest;
};

Place place_of(const std::vector<std::string>& names) {
  Place place;
  for (const std::string& name : names) {
    const auto instance = kModulesOfInstances.find({place.module, name});
    if (instance != kModulesOfInstances.end()) {
      place = {instance->second, name, place.module, {}};
    } else if (place.module.empty()) {
      if (kModules.contains(name)) place.module = name;
    } else {
      place.rest.push_back(name);
    }
  }
  return place;
}

// Verilator writes [ and ] of a block as __BRA__ and __KET__.
std::string readable(std::string name) {
  for (const auto& [written, meant] : {std::pair{"__BRA__", "["}, std::pair{"__KET__", "]"}}) {
    for (std::size_t at = 0; (at = name.find(written, at)) != std::string::npos;) {
      name.replace(at, 7, meant);
    }
  }
  return name;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, '.');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::string instance_of(const std::string& hierarchy) {
  Place place = place_of(split(readable(hierarchy)));
  if (place.rest.size() < 2) return "";
  std::string point;
  for (std::size_t i = 1; i < place.rest.size(); ++i) {  // after the instance that is bound
    const std::string& part = place.rest[i];
    const bool only_a_condition = part.starts_with("gen_") && part.back() != ']';
    if (!only_a_condition) point += (point.empty() ? "" : ".") + part;
  }
  if (place.rest[0].starts_with("u_any_")) return "anywhere:" + point;
  if (place.parent.empty()) {
    unsigned instances = 0;
    for (const auto& [instance, module] : kModulesOfInstances) {
      if (module != place.module) continue;
      ++instances;
      place.parent = instance.first;
      place.instance = instance.second;
    }
    if (instances != 1) return "";
  }
  return place.parent + "." + place.instance + ":" + point;
}

}  // namespace torusmu::coverage
