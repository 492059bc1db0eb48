// SPDX-License-Identifier: Apache-2.0
#include "sim/app/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/play/figures.h"

namespace torusmu {
namespace {

constexpr const char* kHead = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by make bench; do not edit. What is wanted stands in sim/play/figures.cc. -->

# Results

`make bench` measures these figures with the program that `make run` uses, on the complete node with
its memory model: memory latency 8, puts of 512 B from rings in node memory unless a row says
otherwise. Rates are per CPU second of one core; with the rows of `engine` and `build` they depend
on the computer, while cycles are the same on every computer. Load: accepted flits a node and cycle.

| figure | what | wanted | measured | met | command |
| --- | --- | --- | --- | --- | --- |
)";

// A number or a list of numbers; empty: not measured.
std::vector<double> values_of(const nlohmann::json& figures, const std::string& name) {
  std::vector<double> values;
  if (!figures.contains(name)) return values;
  const nlohmann::json& json = figures[name];
  const nlohmann::json list = json.is_array() ? json : nlohmann::json::array({json});
  for (const nlohmann::json& item : list) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return {};
    values.push_back(item.get<double>());
  }
  return values;
}

// Four digits, and a whole number whole.
std::string number_text(double value) {
  return std::round(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string measured_text(const FigureInfo& figure, const nlohmann::json& figures) {
  const std::vector<double> values = values_of(figures, key_of(figure));
  if (values.empty()) return "not measured";
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + number_text(value);
  if (figure.load >= 0) {
    const std::vector<double> loads = values_of(figures, "engine.load");
    const auto at = static_cast<std::size_t>(figure.load);
    text += at < loads.size() ? fmt::format(" (load {:.3g})", loads[at]) : " (load not measured)";
  }
  return text;
}

std::string met_text(const FigureInfo& figure, const nlohmann::json& figures) {
  const Wanted& wanted = figure.wanted;
  std::vector<double> values = values_of(figures, key_of(figure));
  if (wanted.bound == Wanted::Bound::kNone || values.empty()) return "-";
  double bound = wanted.value;
  if (wanted.of != nullptr) {
    const std::vector<double> others = values_of(figures, key_of(other_of(figure)));
    if (others.empty()) return "-";
    bound *= others.back();
    values = {values.back()};
  }
  bool met = std::all_of(values.begin(), values.end(), [&](double value) {
    return wanted.bound == Wanted::Bound::kAtLeast ? value >= bound : value <= bound;
  });
  if (wanted.all_equal) {
    met = met && std::all_of(values.begin(), values.end(),
                             [&](double value) { return value == values.front(); });
  }
  return met ? "yes" : "**no**";
}

constexpr std::size_t kMegahertz = 3;
constexpr std::size_t kCommitDigits = 7;

// The cells between the bars of a row.
std::vector<std::string> split_row(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream text(row);
  std::string cell;
  std::getline(text, cell, '|');
  while (std::getline(text, cell, '|')) {
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    cells.push_back(first == cell.npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

// 0 for a row that is no placed module.
double megahertz_of(const std::vector<std::string>& cells) {
  return cells.size() > kMegahertz ? std::atof(cells[kMegahertz].c_str()) : 0;
}

// A sentence on the table of PAGE, of `command`; empty if there is none.
std::string mutants_text(const std::string& page, const std::string& command,
                         const std::string& file) {
  constexpr std::size_t kCells = 7;
  constexpr double kGoal = 98;
  std::size_t blocks = 0;
  int mutants = 0, killed = 0, equal = 0;
  std::string below;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = split_row(line);
    if (cells.size() != kCells || !cells[0].starts_with("`mu_")) continue;
    ++blocks;
    mutants += std::atoi(cells[1].c_str());
    killed += std::atoi(cells[2].c_str());
    equal += std::atoi(cells[3].c_str());
    if (std::atof(cells[6].c_str()) < kGoal) {
      below += fmt::format("{}{} ({})", below.empty() ? "" : ", ", cells[0], cells[6]);
    }
  }
  if (blocks == 0 || mutants == equal) return "";
  const double score = std::floor(1000.0 * killed / (mutants - equal)) / 10;
  return fmt::format(
      "\n## {}\n\nOf {} mutants in the {} blocks of the table the unit tests kill {}, "
      "and {} are proved "
      "equivalent: {:.1f} % of the others are killed. Blocks below {:.0f} %: {}. "
      "[{}]({}) has each block.\n",
      command, mutants, blocks, killed, equal, score, kGoal, below.empty() ? "none" : below, file,
      file);
}

double fastest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

}  // namespace

std::string figures_text(const nlohmann::json& result) {
  const nlohmann::json measured = result.value("figures", nlohmann::json::object());
  std::string page = kHead;
  for (const FigureInfo& figure : figures()) {
    const std::string bench = figure.id.bench;
    if (bench.empty()) continue;
    page += fmt::format("| `{}` | {}; {} | {} | {} | {} | `build/torusmu bench {}` |\n",
                        key_of(figure), figure.what, figure.unit, wanted_text(figure),
                        measured_text(figure, measured), met_text(figure, measured), bench);
  }
  std::string failures;
  for (const nlohmann::json& check : result.value("checks", nlohmann::json::array())) {
    if (check.value("passed", false)) continue;
    failures += fmt::format("- `{}` of {}: {}\n", check.value("name", "?"),
                            result.value("name", "?"), check.value("detail", ""));
  }
  return page + "\n" +
         (failures.empty() ? "No check failed in these runs.\n"
                           : "Checks that failed in these runs:\n\n" + failures);
}

std::string stages_text(const nlohmann::json& run) {
  const std::string verb = run.value("verb", "?");
  std::string text = fmt::format(
      "\n## make {0}\n\nThe last run of `make {0}` that came to its end on the computer of the "
      "figures above, {1}, commit {2}. Proofs and comparisons that an earlier run in the same "
      "folder has made are not made again. A stage without cycles simulates nothing, or only in "
      "programs that it starts.\n\n"
      "| stage | passed | failed | wall time, s | million cycles simulated | seed |\n"
      "| --- | ---: | ---: | ---: | ---: | --- |\n",
      verb, run.value("ended", "?"), run.value("commit", "?").substr(0, kCommitDigits));
  double seconds = 0;
  int passed = 0, failed = 0;
  for (const nlohmann::json& stage : run["stages"]) {
    seconds += stage.value("seconds", 0.0);
    passed += stage.value("passed", 0);
    failed += stage.value("failed", 0);
    const double cycles = stage.value("cycles", 0.0) / 1e6;
    text +=
        fmt::format("| {} | {} | {} | {:.0f} | {} | {} |\n", stage.value("name", "?"),
                    stage.value("passed", 0), stage.value("failed", 0), stage.value("seconds", 0.0),
                    cycles > 0 ? fmt::format("{:.1f}", cycles) : "", stage.value("seed", ""));
  }
  constexpr double kMostOfTest = 25 * 60, kMostOfNight = 85 * 60;
  const double most = verb == "test" ? kMostOfTest : kMostOfNight;
  return text + fmt::format(
                    "\n{} passed, {} failed in {:.0f} s; wanted: none failed in at most {:.0f} s, "
                    "{}.\n",
                    passed, failed, seconds, most,
                    failed == 0 && seconds <= most ? "met" : "**not met**");
}

std::string section_of(const std::string& page, const std::string& heading) {
  const std::size_t from = heading.empty() ? 0 : page.find("\n" + heading + "\n");
  if (from == page.npos) return "";
  return page.substr(from, page.find("\n## ", from + 1) - from);
}

std::string sizes_text(const std::string& synthesis_page) {
  constexpr std::size_t kCells = 10, kNanoseconds = 7;
  constexpr double kNanosecondsOfAMegahertz = 1000;
  std::string rows;
  std::istringstream lines(synthesis_page);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = split_row(line);
    if (cells.size() != kCells || std::atof(cells[1].c_str()) <= 0) continue;
    const double ns = std::atof(cells[kNanoseconds].c_str());  // 0: not known
    rows += "| " + cells[0].substr(0, cells[0].find(','));
    for (std::size_t i = 1; i <= kNanoseconds; ++i) rows += " | " + cells[i];
    rows += ns > 0 ? fmt::format(" | {:.0f} |\n", kNanosecondsOfAMegahertz / ns) : " | - |\n";
  }
  if (rows.empty()) return "";
  return "\n## make synth\n\nOne node with the profile `sim`. The last columns are its slowest way "
         "by the delays of cells alone, and the clock that these allow: with wires it is slower. "
         "[synthesis.md](synthesis.md) has each module, and says what counts.\n\n"
         "| family | LUT | FF | LUTRAM | RAM | DSP | cells of the longest path | ns | MHz without "
         "wires |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
         rows;
}

std::string clock_text(const std::string& place_page) {
  constexpr std::size_t kCells = 7, kShown = 5;
  std::vector<std::vector<std::string>> placed;
  std::istringstream lines(place_page);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells = split_row(line);
    if (cells.size() == kCells && megahertz_of(cells) > 0) placed.push_back(std::move(cells));
  }
  std::ranges::stable_sort(placed, {}, megahertz_of);
  if (placed.empty()) return "";
  std::string text = fmt::format(
      "\n## make place\n\nNo device that nextpnr 0.4 places holds a node, so that its clock "
      "frequency with wires was not measured; it is not above that of its slowest block, on an "
      "iCE40 {} MHz. "
      "Of its blocks {} were placed, each alone and with the parameters of its file, on an iCE40 "
      "HX8K; half of them are faster than {} MHz, and these are the slowest. "
      "[place_and_route.md](place_and_route.md) has all, and says "
      "what counts.\n\n"
      "| module | MHz | levels | slowest path from | to |\n| --- | ---: | ---: | --- | --- |\n",
      placed.front()[kMegahertz], placed.size(), placed[placed.size() / 2][kMegahertz]);
  for (std::size_t i = 0; i < std::min(kShown, placed.size()); ++i) {
    const auto& cells = placed[i];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", cells[0], cells[kMegahertz], cells[4],
                        cells[5], cells[6]);
  }
  return text;
}

std::string coverage_text(const std::string& coverage_page) {
  std::string rows;
  std::istringstream lines(coverage_page.substr(
      std::min(coverage_page.size(), coverage_page.find("<!-- coverage: begin -->"))));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("|")) rows += line + "\n";
  if (rows.empty()) return "";
  return "\n## make coverage\n\nWhat the tests reach of the design; [coverage.md](coverage.md) "
         "says "
         "what a point is, and which are excluded and why.\n\n" +
         rows;
}

std::string mutation_text(const std::string& mutation_page) {
  return mutants_text(mutation_page, "make mutation", "mutation.md");
}

std::string narrow_mutation_text(const std::string& mutation_page) {
  return mutants_text(mutation_page, "make mutation MUTANTS=narrow", "narrow_mutants.md");
}

std::string against_text(const nlohmann::json& result) {
  std::string text = fmt::format(
      "\n## make bench-against\n\nThe engine's speed, million node-cycles a CPU second, with "
      "commit {} and with {}, whose programs ran in turn: of each the fastest of {} rounds, for "
      "other work on the computer makes any slower. A ratio of at least 1.0 is wanted.\n\n"
      "| figure | before | now | ratio |\n| --- | ---: | ---: | ---: |\n",
      result.value("before", "?").substr(0, kCommitDigits),
      result.value("commit", "?").substr(0, kCommitDigits), result["rounds"].size());
  for (const char* figure : {"engine.fast.idle", "engine.fast.load10", "engine.fast.saturated",
                             "engine.fast.load1_sleep"}) {
    std::vector<double> before, now;
    for (const nlohmann::json& round : result["rounds"]) {
      for (const auto& [of, speeds] : {std::pair{"before", &before}, std::pair{"now", &now}}) {
        const std::vector<double> values = values_of(round.at(of).at("figures"), figure);
        if (!values.empty()) speeds->push_back(values.front());
      }
    }
    if (before.empty() || now.empty()) continue;
    text += fmt::format("| `{}` | {:.4g} | {:.4g} | {:.3f} |\n", figure, fastest(before),
                        fastest(now), fastest(now) / fastest(before));
  }
  return text;
}

}  // namespace torusmu
