// SPDX-License-Identifier: Apache-2.0
// Says how much of the design tests reach:
//
//   coverage_report MERGED.dat GOALS.json FIGURES.json
//
// MERGED.dat is what verilator_coverage --write makes of the files of all processes. FIGURES.json
// has the figures of each kind of points and of each module; a table of them is printed. Exit
// status: 0 the goals are met, 1 they are not, 2 an input cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/observe/output_file.h"
#include "tests/coverage/instance_names.h"

namespace torusmu::coverage {
namespace {

using Json = nlohmann::ordered_json;

enum Kind { kLine, kBranch, kToggle, kFunctional, kKinds };
constexpr std::array<const char*, kKinds> kKindNames{"line", "branch", "toggle", "functional"};

// Whether each point is reached, by module and by its name in it. A point is a place of the source:
// in whatever model, instance or size it was counted, it is one.
using Points = std::map<std::string, std::array<std::map<std::string, bool>, kKinds>>;

using Fields = std::map<std::string, std::string>;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("expected a number, not '" + std::string(text) + "'");
  }
  return value;
}

// A line of Verilator's file: C 'fields' count, a field is byte 1, its key, byte 2 and its value.
Fields fields_of(std::string_view line, std::uint64_t& count) {
  const std::size_t end = line.rfind("' ");
  if (!line.starts_with("C '") || end == std::string_view::npos || end < 3) {
    throw std::runtime_error("expected C 'fields' count");
  }
  count = number(line.substr(end + 2));
  Fields fields;
  for (std::string_view rest = line.substr(3, end - 3); !rest.empty();) {
    const std::size_t value = rest.find('\002');
    if (rest.front() != '\001' || value == std::string_view::npos) {
      throw std::runtime_error("expected a field");
    }
    const std::size_t next = std::min(rest.find('\001', value), rest.size());
    fields[std::string(rest.substr(1, value - 1))] = rest.substr(value + 1, next - value - 1);
    rest.remove_prefix(next);
  }
  return fields;
}

// Lines of "3-5,9".
std::vector<std::uint64_t> lines_of(const std::string& ranges) {
  std::vector<std::uint64_t> lines;
  std::istringstream stream(ranges);
  for (std::string range; std::getline(stream, range, ',');) {
    const std::size_t dash = range.find('-');
    const std::uint64_t first = number(std::string_view(range).substr(0, dash));
    const std::uint64_t last = dash == std::string::npos ? first : number(range.substr(dash + 1));
    for (std::uint64_t line = first; line <= last; ++line) lines.push_back(line);
  }
  return lines;
}

void add(Points& points, const Fields& fields, bool reached) {
  const auto field = [&](const char* key) {
    const auto found = fields.find(key);
    return found == fields.end() ? std::string() : found->second;
  };
  const std::string page = field("page"), file = field("f");
  const std::string kind = page.substr(0, page.find('/'));
  const auto put = [&](const std::string& module, Kind of, const std::string& name) {
    bool& point = points[module][of][name];
    point = point || reached;
  };
  const std::string base = file.substr(file.rfind('/') + 1);
  if (kind == "v_user") {
    // What is bound to a module counts for each of its instances in the source.
    const std::string name = instance_of(field("h"));
    if (!name.empty()) put(base.substr(0, base.rfind("_coverage")), kFunctional, name);
    return;
  }
  // Lines of what is bound, or of a bench, are not the design.
  if (!file.starts_with("rtl/")) return;
  const std::string module = base.substr(0, base.rfind('.'));
  const std::string place = field("l") + ":" + field("n") + " " + field("o");
  if (kind == "v_toggle") {
    put(module, kToggle, place);
    return;
  }
  if (kind != "v_line" && kind != "v_branch") throw std::runtime_error("no such page: " + page);
  if (field("o") != "block") put(module, kBranch, place);
  for (const std::uint64_t line : lines_of(field("S"))) put(module, kLine, std::to_string(line));
}

Points read_points(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  Points points;
  std::string line;
  for (unsigned at = 1; std::getline(stream, line); ++at) {
    if (line.empty() || line.front() == '#') continue;
    try {
      std::uint64_t count = 0;
      const Fields fields = fields_of(line, count);
      add(points, fields, count != 0);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file, at, error.what()));
    }
  }
  if (points.empty()) throw std::runtime_error(file + ": no points");
  return points;
}

Json read_json(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  try {
    return Json::parse(stream, nullptr, true, true);
  } catch (const Json::exception& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

struct Count {
  std::uint64_t reached = 0, points = 0;
  void add(const std::map<std::string, bool>& all) {
    points += all.size();
    for (const auto& [name, is_reached] : all) reached += is_reached ? 1 : 0;
  }
  // Never more than there is: 99.996 is 99.99.
  [[nodiscard]] double percent() const {
    return points == 0
               ? 100
               : std::floor(1e4 * static_cast<double>(reached) / static_cast<double>(points)) / 100;
  }
  [[nodiscard]] Json json() const { return {{"reached", reached}, {"points", points}}; }
};

// Takes out of the points what no test can reach, and says which of these names are wrong.
std::vector<std::string> drop_unreachable(Points& points, const Json& unreachable) {
  std::vector<std::string> wrong;
  for (const auto& [name, why] : unreachable.items()) {
    bool found = false;
    for (auto& [module, kinds] : points) {
      const auto point = kinds[kFunctional].find(name);
      if (point == kinds[kFunctional].end()) continue;
      found = true;
      if (point->second) {
        wrong.push_back("is reached: " + name);
      } else {
        kinds[kFunctional].erase(point);
      }
    }
    if (!found) wrong.push_back("no functional point " + name);
  }
  return wrong;
}

// The figures of all points, and in `wrong` what is less than its goal or missed.
Json figures_of(Points points, const Json& settings, std::vector<std::string>& wrong) {
  wrong = drop_unreachable(points, settings.at("unreachable"));
  std::array<Count, kKinds> counts;
  Json modules = Json::object(), missed = Json::array();
  for (const auto& [module, kinds] : points) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      Count count;
      count.add(kinds[kind]);
      counts[kind].add(kinds[kind]);
      if (count.points != 0) modules[module][kKindNames[kind]] = count.json();
    }
    for (const auto& [name, reached] : kinds[kFunctional]) {
      if (reached) continue;
      missed.push_back(name);
      wrong.push_back("missed: " + name);
    }
  }
  Json figures;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const double percent = counts[kind].percent();
    const double goal = settings.at("goals").at(kKindNames[kind]);
    Json& figure = figures["kinds"][kKindNames[kind]] = counts[kind].json();
    figure["percent"] = percent;
    figure["goal"] = goal;
    if (percent < goal) {
      wrong.push_back(fmt::format("{} coverage is {:.2f} %, less than {:.2f} %", kKindNames[kind],
                                  percent, goal));
    }
  }
  figures["missed_functional"] = missed;
  figures["unreachable_functional"] = settings.at("unreachable");
  figures["modules"] = modules;
  return figures;
}

std::string table(const Json& kinds) {
  std::string text =
      "| coverage | reached | missing | percent | at least |\n"
      "| --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [name, figure] : kinds.items()) {
    const auto reached = figure.at("reached").get<std::uint64_t>();
    text += fmt::format("| {} | {} | {} | {:.2f} | {:.2f} |\n", name, reached,
                        figure.at("points").get<std::uint64_t>() - reached,
                        figure.at("percent").get<double>(), figure.at("goal").get<double>());
  }
  return text;
}

int run(const std::vector<std::string>& files) {
  std::vector<std::string> wrong;
  const Json figures = figures_of(read_points(files[0]), read_json(files[1]), wrong);
  write_output_file("FIGURES", files[2], figures.dump(1) + "\n");
  std::cout << table(figures.at("kinds"));
  for (const std::string& text : wrong) std::cout << "FAIL " << text << "\n";
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace torusmu::coverage

int main(int argc, char** argv) {
  const std::vector<std::string> files(argv + 1, argv + argc);
  if (files.size() != 3) {
    std::cerr << "usage: coverage_report MERGED.dat GOALS.json FIGURES.json\n";
    return 2;
  }
  try {
    return torusmu::coverage::run(files);
  } catch (const std::exception& error) {
    std::cerr << "coverage_report: " << error.what() << "\n";
    return 2;
  }
}
