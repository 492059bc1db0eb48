// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/constants.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace torusmu::coverage {
namespace {

// Verilator ends the names of structs with a character of its own, and marks words of C++.
std::string as_in_the_source(std::string name) {
  name.erase(std::remove_if(name.begin(), name.end(),
                            [](char c) { return static_cast<unsigned char>(c) >= 0x80; }),
             name.end());
  constexpr std::string_view kMark = "__SYM__";
  for (std::size_t at = 0; (at = name.find(kMark, at)) != std::string::npos;)
    name.erase(at, kMark.size());
  return name;
}

}  // namespace

std::size_t drop_constants(Coverage& coverage, const std::string& file,
                           std::vector<std::string>& wrong) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file + ": cannot be read");
  std::set<std::string> constant;
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.find('\t') == std::string::npos)
      throw InputError(file + ":" + std::to_string(number) + ": expected a file, a tab, a signal");
    constant.insert(line);
  }
  return std::erase_if(coverage.points, [&](const auto& entry) {
    const auto& [place, point] = entry;
    if (place.kind != Kind::kToggle) return false;
    const std::string name = as_in_the_source(place.name);
    if (!constant.contains(place.file + "\t" + name)) return false;
    if (point.in_the_node) wrong.push_back(place.file + ": not constant in the node: " + name);
    return point.count == 0;
  });
}

}  // namespace torusmu::coverage
