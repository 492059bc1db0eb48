// SPDX-License-Identifier: Apache-2.0
// The sections of docs/results.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "docs/pages/figure_record.h"
#include "docs/pages/pages.h"

namespace torusmu::pages {
namespace {

constexpr std::size_t kCommitDigits = 7;

constexpr const char* kHead = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by make pages; do not edit. What is wanted stands in sim/play/figures.cc. -->

# Results

`make bench` measures these figures with the program that `make run` uses, on the complete node with
its memory model: memory latency 8, puts of 512 B from rings in node memory unless a row says
otherwise. Rates are per CPU second of one core; with the rows of `engine` and `build` they depend
on the computer, while cycles are the same on every computer. Load: accepted flits a node and cycle.

| figure | what | wanted | measured | met | command |
| --- | --- | --- | --- | --- | --- |
)";

// Four digits, and a whole number whole.
std::string number_text(double value) {
  return std::round(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string measured_text(const Json& record) {
  std::string text;
  for (const double value : values_of(record.at("measured"))) {
    text += (text.empty() ? "" : ", ") + number_text(value);
  }
  if (text.empty()) return "not measured";
  if (!record.contains("load")) return text;
  const Json& load = record.at("load");
  return text + (load.is_null() ? " (load not measured)"
                                : fmt::format(" (load {:.3g})", load.get<double>()));
}

std::string met_text(const Json& met) {
  if (met.is_null()) return "-";
  return met.get<bool>() ? "yes" : "**no**";
}

std::string commit_text(const Json& commit) {
  return commit.get<std::string>().substr(0, kCommitDigits);
}

std::string mutants_text(const Json& mutation, const std::string& jobs, const std::string& file) {
  constexpr double kGoal = 98;
  const Json& blocks = mutation.at("blocks");
  int mutants = 0, killed = 0, equal = 0;
  std::string below;
  for (const Json& block : blocks) {
    mutants += block.at("mutants").get<int>();
    killed += block.at("killed").get<int>();
    equal += block.at("equal").get<int>();
    const double score = block.at("score");
    if (score >= kGoal) continue;
    below += fmt::format("{}`mu_{}` ({:.1f} %)", below.empty() ? "" : ", ",
                         block.at("block").get<std::string>(), score);
  }
  const double score = std::floor(1000.0 * killed / std::max(1, mutants - equal)) / 10;
  return fmt::format(
      "\n## make check JOBS='mutation/*'{}\n\nOf {} mutants in the {} blocks of the table the unit "
      "tests kill {}, and {} are proved equivalent: {:.1f} % of the others are killed. Blocks "
      "below {:.0f} %: {}. [{}]({}) has each block.\n",
      jobs, mutants, blocks.size(), killed, equal, score, kGoal, below.empty() ? "none" : below,
      file, file);
}

}  // namespace

std::string figures_text(const Json& figures) {
  std::string text = kHead;
  for (const Json& record : figures.at("figures")) {
    const FigureInfo info = info_of(record);
    text += row({fmt::format("`{}`", key_of(info)), fmt::format("{}; {}", info.what, info.unit),
                 wanted_text(info), measured_text(record), met_text(record.at("met")),
                 fmt::format("`{}`", record.at("command").get<std::string>())});
  }
  const Json& failed = figures.at("failed");
  if (failed.empty()) return text + "\nNo check failed in these runs.\n";
  text += "\nChecks that failed in these runs:\n\n";
  for (const Json& check : failed) {
    text += fmt::format("- `{}`: {}\n", check.at("check").get<std::string>(),
                        check.at("detail").get<std::string>());
  }
  return text;
}

std::string against_text(const Json& against) {
  std::string text = fmt::format(
      "\n## make bench BEFORE=COMMIT\n\nThe engine's speed, million node-cycles a CPU second, with "
      "commit {} and with {}, whose programs ran in turn: of each the fastest of {} rounds, for "
      "other work on the computer makes any slower. A ratio of at least 1.0 is wanted.\n\n"
      "| figure | before | now | ratio |\n| --- | ---: | ---: | ---: |\n",
      commit_text(against.at("before")), commit_text(against.at("commit")),
      against.at("rounds").get<int>());
  for (const Json& figure : against.at("figures")) {
    const double before = figure.at("before"), now = figure.at("now");
    text += fmt::format("| `{}` | {:.4g} | {:.4g} | {:.3f} |\n",
                        figure.at("figure").get<std::string>(), before, now, now / before);
  }
  return text;
}

std::string models_text(const Json& models) {
  return fmt::format(
      "\n## make check JOBS=plain-model\n\nThe replay of LULESH-27 with the fast engine's model of "
      "the node and with the one that Verilator writes of the RTL (`make MODEL=plain`; "
      "[simulation.md](simulation.md) says what is replaced). Flits, memories and cycles of {} "
      "runs are {}.\n\n"
      "| model | million node-cycles a CPU second |\n| --- | ---: |\n"
      "| `MODEL=tuned`, the default | {:.1f} |\n| `MODEL=plain` | {:.1f} |\n| ratio | {:.2f} |\n",
      models.at("runs").size(), models.at("same") ? "the same" : "**not the same**",
      models.at("tuned").get<double>(), models.at("plain").get<double>(),
      models.at("ratio").get<double>());
}

std::string run_text(const Json& run) {
  const std::string plan = run.at("plan");
  std::string text = fmt::format(
      "\n## make {0}\n\nThe last run of `make {0}` that came to its end on the computer of the "
      "figures above, {1}, commit {2}. What has passed before is kept while nothing that it reads "
      "has changed, and takes no time. The time of a group is the sum of its jobs', which run in "
      "parallel. A group without cycles simulates nothing, or only in programs that it starts.\n\n"
      "| group | passed | failed | kept | time, s | million cycles simulated | seed |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
      plan, run.at("ended").get<std::string>(), commit_text(run.at("commit")));
  for (const Json& group : run.at("groups")) {
    const double cycles = group.at("cycles").get<double>() / 1e6;
    text += row({group.at("name"), group.at("passed").dump(), group.at("failed").dump(),
                 group.at("kept").dump(), fmt::format("{:.0f}", group.at("seconds").get<double>()),
                 cycles > 0 ? fmt::format("{:.1f}", cycles) : "", group.at("seed")});
  }
  constexpr double kMostOfTest = 15 * 60, kMostOfNight = 66 * 60;
  const double most = plan == "test" ? kMostOfTest : kMostOfNight;
  const int failed = run.at("failed");
  const double seconds = run.at("seconds");
  return text + fmt::format(
                    "\n{} passed, {} failed in {:.0f} s; wanted: none failed in at most {:.0f} s, "
                    "{}.\n",
                    run.at("passed").get<int>(), failed, seconds, most,
                    failed == 0 && seconds <= most ? "met" : "**not met**");
}

std::string sizes_text(const Json& synthesis) {
  constexpr double kNanosecondsOfAMegahertz = 1000;
  constexpr int kMostGates = 40;
  std::string text =
      "\n## make check JOBS='synth/*'\n\nOne node with the profile `sim`. The last columns are its "
      "slowest way by the delays of cells alone, and the clock that these allow: with wires it is "
      "slower. The figures are those of the last run that was committed, in "
      "constraints/baseline.csv: "
      "the RTL may have grown by 5 % since, and its clock have changed. "
      "[synthesis.md](synthesis.md) "
      "has each module, and says what counts.\n\n"
      "| family | LUT | FF | LUTRAM | RAM | DSP | cells of the longest path | ns | MHz without "
      "wires |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  std::string of_cells;
  for (const Json& family : synthesis.at("families")) {
    if (is_of_cells(family)) {
      const int gates = family.at("deepest").at("gates").get<int>();
      of_cells +=
          fmt::format("\n{}: {}. The path with most gates has {}; wanted: at most {}, {}.\n",
                      family.at("part").get<std::string>(), cells_text(family), gates, kMostGates,
                      gates <= kMostGates ? "met" : "**not met**");
      continue;
    }
    std::vector<std::string> cells = sizes_of(family);
    cells.insert(cells.begin(), family.at("part"));
    cells.push_back(ns_text(family));
    const double ns = family.at("ns").is_null() ? 0 : family.at("ns").get<double>();
    cells.push_back(ns > 0 ? fmt::format("{:.0f}", kNanosecondsOfAMegahertz / ns) : "-");
    text += row(cells);
  }
  return text + of_cells;
}

std::string clock_text(const Json& place) {
  constexpr std::size_t kShown = 5;
  const auto megahertz = [](const Json& module) { return module.at("MHz").get<double>(); };
  std::vector<Json> placed;
  for (const Json& module : place.at("modules")) {
    if (module.contains("MHz")) placed.push_back(module);
  }
  std::ranges::stable_sort(placed, {}, megahertz);
  if (placed.empty()) return "";
  std::string text = fmt::format(
      "\n## make check JOBS='place/*'\n\nOf the blocks of a node {} were placed, each alone and "
      "with the parameters of its file, on an iCE40 HX8K by nextpnr 0.4: the slowest runs at "
      "{:.1f} MHz, half of them are faster than {:.1f} MHz, and these are the slowest. "
      "[place_and_route.md](place_and_route.md) has all, and says what counts. A whole node is "
      "placed and routed by `make board`.\n\n"
      "| module | MHz | levels | slowest path from | to |\n| --- | ---: | ---: | --- | --- |\n",
      placed.size(), megahertz(placed.front()), megahertz(placed[placed.size() / 2]));
  for (std::size_t i = 0; i < std::min(kShown, placed.size()); ++i) {
    const Json& module = placed[i];
    text +=
        fmt::format("| {} | {:.1f} | {} | `{}` | `{}` |\n", module.at("module").get<std::string>(),
                    megahertz(module), module.at("levels").get<int>(),
                    module.at("from").get<std::string>(), module.at("to").get<std::string>());
  }
  return text;
}

Clocks clocks_of(const Json& synthesis) {
  Clocks clocks;
  for (const Json& family : synthesis.at("families")) {
    if (is_of_cells(family)) {
      clocks.cells = family.at("slowest").at("ns");
    } else if (family.at("family") == "xc7" && !family.at("ns").is_null()) {
      clocks.xc7 = family.at("ns");
    }
  }
  return clocks;
}

double routed_ns(const Json& board) {
  constexpr double kNanosecondsOfAMegahertz = 1000;
  std::vector<double> seeds;
  for (const Json& seed : board.at("seeds"))
    seeds.push_back(std::stod(seed.at("MHz").get<std::string>()));
  if (seeds.empty()) return 0;
  std::ranges::sort(seeds);
  const double upper = seeds[seeds.size() / 2], lower = seeds[(seeds.size() - 1) / 2];
  return kNanosecondsOfAMegahertz / ((upper + lower) / 2);
}

std::string latencies_text(const Json& figures, const Clocks& clocks) {
  constexpr double kWanted = 4;
  const auto heading = [](const char* name, double ns) {
    return ns == 0 ? fmt::format("{}: not measured", name) : fmt::format("{}: {:.1f}", name, ns);
  };
  std::string text =
      "\n## Latencies in nanoseconds\n\nWhat is counted in cycles above, times what a cycle takes "
      "by the slowest path of three flows: the cells alone of xc7 (`make check JOBS=synth/xc7`) "
      "and of a standard-cell library for 0.18 um (`make check JOBS=synth/asic`), and cells and "
      "wires of a node with the profile `board`, routed (`make board`, [board.md](board.md)). "
      "Wanted: what the first table allows, in cycles of 4 ns.\n\n";
  text += row({"figure", "cycles", heading("ns, xc7, cycle", clocks.xc7),
               heading("ns, standard cells, cycle", clocks.cells),
               heading("ns, ECP5 routed, cycle", clocks.routed), "wanted, ns"});
  text += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Json& record : figures.at("figures")) {
    const FigureInfo info = info_of(record);
    const std::vector<double> values = values_of(record.at("measured"));
    const bool is_latency = std::string(info.unit) == "cycles" && *info.id.variant == 0 &&
                            std::string(info.id.bench) != "replay";
    if (!is_latency || values.empty()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    const auto times = [least = least, most = most](double ns) {
      if (ns == 0) return std::string("-");
      return least == most ? fmt::format("{:.0f}", most * ns)
                           : fmt::format("{:.0f} to {:.0f}", least * ns, most * ns);
    };
    const bool bounded = info.wanted.bound == Wanted::Bound::kAtMost && info.wanted.of == nullptr;
    text += row({fmt::format("`{}`", key_of(info)), times(1), times(clocks.xc7),
                 times(clocks.cells), times(clocks.routed),
                 bounded ? fmt::format("{:.0f}", info.wanted.value * kWanted) : ""});
  }
  return text;
}

std::string coverage_text(const Json& coverage) {
  return "\n## make check JOBS=design-coverage\n\nWhat the tests reach of the design; "
         "[coverage.md](coverage.md) says what a point is.\n\n" +
         coverage_table(coverage);
}

std::string mutation_text(const Json& mutation) {
  return mutants_text(mutation, "", "mutation.md");
}

std::string narrow_mutation_text(const Json& mutation) {
  return mutants_text(mutation, " MUTANTS=narrow", "narrow_mutants.md");
}

}  // namespace torusmu::pages
