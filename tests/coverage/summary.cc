// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace torusmu::coverage {
namespace {

// Files in the table on the terminal.
constexpr std::size_t kWorst = 12;

std::uint64_t missing(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const Count& count : counts) sum += count.missing;
  return sum;
}

// Rounded down, so that 100 is said only of what is complete.
double shown(double percent) { return std::floor(percent * 100) / 100; }

}  // namespace

double Count::percent() const {
  const std::uint64_t wanted = reached + missing;
  return wanted == 0 ? 100 : 100.0 * static_cast<double>(reached) / static_cast<double>(wanted);
}

Goals read_goals(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file + ": cannot be read");
  Goals goals;
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::string where = file + ":" + std::to_string(number);
    const std::size_t comma = line.find(',');
    const std::string name = line.substr(0, comma);
    const auto kind = std::find(kKindNames.begin(), kKindNames.end(), name);
    double percent = -1;
    try {
      if (comma != std::string::npos) percent = std::stod(line.substr(comma + 1));
    } catch (const std::logic_error&) {
      percent = -1;
    }
    if (percent < 0 || percent > 100)
      throw InputError(where + ": expected a kind, a comma and 0 to 100");
    if (kind != kKindNames.end()) {
      goals.least.at(static_cast<std::size_t>(kind - kKindNames.begin())) = percent;
    } else if (name == "excluded") {
      goals.excluded = percent;
    } else {
      throw InputError(where + ": expected a kind of coverage or 'excluded', not '" + name + "'");
    }
  }
  return goals;
}

double Summary::excluded_percent() const {
  Count sum;
  for (const Count& count : all) {
    sum.excluded += count.excluded;
    sum.missing += count.missing + count.reached;
  }
  const std::uint64_t points = sum.excluded + sum.missing;
  return points == 0 ? 0 : 100.0 * static_cast<double>(sum.excluded) / static_cast<double>(points);
}

Summary summarise(const Coverage& coverage) {
  Summary summary;
  for (const auto& [place, point] : coverage.points) {
    const auto kind = static_cast<std::size_t>(place.kind);
    for (Counts* counts : {&summary.all, &summary.files[place.file]}) {
      Count& count = (*counts)[kind];
      if (point.count != 0) {
        ++count.reached;
      } else if (point.excluded.empty()) {
        ++count.missing;
      } else {
        ++count.excluded;
      }
    }
  }
  return summary;
}

std::string table(const Summary& summary, const Goals& goals, std::size_t tests) {
  std::string text = fmt::format("{} tests\n{:<12}{:>9}{:>9}{:>9}{:>10}{:>10}\n", tests, "coverage",
                                 "reached", "missing", "excluded", "percent", "at least");
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    const Count& count = summary.all[kind];
    text +=
        fmt::format("{:<12}{:>9}{:>9}{:>9}{:>10.2f}{:>10.2f}\n", kKindNames[kind], count.reached,
                    count.missing, count.excluded, shown(count.percent()), goals.least[kind]);
  }
  text += fmt::format("excluded: {:.2f} % of all points, at most {:.2f} %\n",
                      summary.excluded_percent(), goals.excluded);
  std::vector<std::pair<std::string, Counts>> files(summary.files.begin(), summary.files.end());
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return missing(a.second) > missing(b.second);
  });
  text += fmt::format("{:<52}{:>6}{:>8}{:>8}{:>12}\n", "most is missing in", "line", "branch",
                      "toggle", "functional");
  for (std::size_t i = 0; i < std::min(kWorst, files.size()); ++i) {
    const Counts& counts = files[i].second;
    if (missing(counts) == 0) break;
    text += fmt::format("{:<52}{:>6}{:>8}{:>8}{:>12}\n", files[i].first, counts[0].missing,
                        counts[1].missing, counts[2].missing, counts[3].missing);
  }
  return text;
}

std::vector<std::string> shortfalls(const Summary& summary, const Goals& goals) {
  std::vector<std::string> texts;
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    const double percent = summary.all[kind].percent();
    if (percent < goals.least[kind]) {
      texts.push_back(fmt::format("{} coverage is {:.2f} %, less than {:.2f} %", kKindNames[kind],
                                  shown(percent), goals.least[kind]));
    }
  }
  if (summary.excluded_percent() > goals.excluded) {
    texts.push_back(fmt::format("{:.2f} % of the points are excluded, more than {:.2f} %",
                                summary.excluded_percent(), goals.excluded));
  }
  return texts;
}

std::string markdown(const Summary& summary, const Goals& goals, std::size_t tests,
                     std::size_t constants) {
  std::string text = fmt::format(
      "| coverage by {} tests | reached | missing | excluded | percent | at least |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n",
      tests);
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    const Count& count = summary.all[kind];
    text +=
        fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} |\n", kKindNames[kind], count.reached,
                    count.missing, count.excluded, shown(count.percent()), goals.least[kind]);
  }
  text += fmt::format(
      "\n{} more bits of signals are constant in the node by construction, and no points:\n"
      "`make build/coverage_constants.txt` finds them.\n",
      constants);
  return text;
}

}  // namespace torusmu::coverage
