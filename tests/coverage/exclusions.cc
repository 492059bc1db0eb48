// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/exclusions.h"

#include <algorithm>
#include <fstream>

namespace torusmu::coverage {
namespace {

struct Row {
  std::string where;
  Kind kind;
  std::string file, point, reason;
};

Row parse_row(const std::string& line, const std::string& where) {
  std::array<std::string, 4> cells;
  std::size_t begin = 0;
  for (unsigned i = 0; i < 3; ++i) {
    // A point may have commas in quotes.
    const bool quoted = begin < line.size() && line[begin] == '"';
    const std::size_t end = quoted ? line.find("\",", begin + 1) : line.find(',', begin);
    if (end == std::string::npos)
      throw InputError(where + ": expected kind, file, point and reason with commas between");
    cells[i] = line.substr(begin + (quoted ? 1 : 0), end - begin - (quoted ? 1 : 0));
    begin = end + (quoted ? 2 : 1);
  }
  cells[3] = line.substr(begin);
  const auto kind = std::find(kKindNames.begin(), kKindNames.end(), cells[0]);
  if (kind == kKindNames.end()) {
    throw InputError(where + ": expected line, branch, toggle or functional, not '" + cells[0] +
                     "'");
  }
  if (cells[3].empty()) throw InputError(where + ": expected a reason");
  return {where, static_cast<Kind>(kind - kKindNames.begin()), cells[1], cells[2], cells[3]};
}

// The points of signal[high:low]; others as they are written.
std::vector<std::string> patterns_of(const Row& row) {
  const std::size_t bracket = row.point.rfind('[');
  const std::size_t colon = row.point.find(':', bracket == std::string::npos ? 0 : bracket);
  if (row.kind != Kind::kToggle || bracket == std::string::npos || colon == std::string::npos)
    return {row.point};
  const auto high = parse_ranges(row.point.substr(bracket + 1, colon - bracket - 1), row.where);
  const auto low =
      parse_ranges(row.point.substr(colon + 1, row.point.size() - colon - 2), row.where);
  if (high.size() != 1 || low.size() != 1 || high[0].first < low[0].first)
    throw InputError(row.where + ": expected [high:low]");
  std::vector<std::string> patterns;
  for (std::uint32_t bit = low[0].first; bit <= high[0].first; ++bit)
    patterns.push_back(row.point.substr(0, bracket + 1) + std::to_string(bit) + "]");
  return patterns;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star) || text.size() < star) return false;
  pattern.remove_prefix(star + 1);
  text.remove_prefix(star);
  for (std::size_t skip = 0; skip <= text.size(); ++skip) {
    if (matches(pattern, text.substr(skip))) return true;
  }
  return false;
}

std::string name_of(const Place& place, Sources& sources) {
  switch (place.kind) {
    case Kind::kLine:
      return sources.line(place.file, place.line);
    case Kind::kBranch:
      return place.name + " " + sources.line(place.file, place.line);
    default:
      return place.name;
  }
}

std::vector<std::string> exclude(Coverage& coverage, const std::string& file, Sources& sources) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file + ": cannot be read");
  std::vector<std::string> wrong;
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const Row row = parse_row(line, file + ":" + std::to_string(number));
    for (const std::string& pattern : patterns_of(row)) {
      bool excludes = false;
      for (auto& [place, point] : coverage.points) {
        if (place.kind != row.kind || place.file != row.file) continue;
        if (!matches(pattern, name_of(place, sources))) continue;
        excludes = true;
        if (point.count == 0) {
          point.excluded = row.reason;
        } else {
          wrong.push_back(row.where + ": is reached: " + row.file + " " + name_of(place, sources));
        }
      }
      if (!excludes) wrong.push_back(row.where + ": excludes nothing: " + pattern);
    }
  }
  return wrong;
}

}  // namespace torusmu::coverage
