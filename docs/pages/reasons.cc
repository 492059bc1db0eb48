// SPDX-License-Identifier: Apache-2.0
#include "docs/pages/reasons.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace torusmu::pages {

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells(1);
  bool inside = false;
  char before = ',';
  for (const char c : row) {
    if (c == '"') {
      if (!inside && before == c) cells.back() += c;  // the second of two
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
    before = c;
  }
  return cells;
}

Reasons reasons_of(const std::filesystem::path& path) {
  Reasons reasons;
  int number = 0;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.rfind('#', 0) == 0 || line.rfind("mutant,", 0) == 0) continue;
    auto cells = cells_of(line);
    if (cells.size() != 4 || cells[3].empty())
      throw std::runtime_error(
          fmt::format("{}:{}: expected mutant, fault, place and reason, not '{}'", path.string(),
                      number, line));
    const std::string reason = cells[3];
    cells.resize(3);
    if (!reasons.emplace(cells, reason).second)
      throw std::runtime_error(fmt::format("{}:{}: {} twice", path.string(), number, cells[0]));
  }
  return reasons;
}

}  // namespace torusmu::pages
