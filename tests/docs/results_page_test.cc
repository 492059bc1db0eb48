// SPDX-License-Identifier: Apache-2.0
// docs/results.md: the program that writes it, and that the page is its work.
#include "sim/app/results_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/play/bench/benches.h"
#include "sim/play/figures.h"

namespace torusmu {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const json& figures) {
  return figures_text(json{{"name", "bench all"}, {"figures", figures}});
}

// The line of the table for a figure.
std::string row_of(const std::string& page, const std::string& figure) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `" + figure + "` |")) return line;
  }
  return "no row";
}

// The cells of a row, first to last.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t from = 2; from < row.size();) {
    const std::size_t to = std::min(row.find(" |", from), row.size());
    cells.push_back(row.substr(from, to - from));
    from = to + 3;
  }
  return cells;
}

TEST(ResultsPage, ComparesTheEngineWithAnEarlierCommitByTheFastestRounds) {
  const auto round = [](double before, double now) {
    const auto speed = [](double value) {
      return json{{"figures", {{"engine.fast.idle", value}, {"engine.fast.load10", 4.0}}}};
    };
    return json{{"before", speed(before)}, {"now", speed(now)}};
  };
  const std::string text =
      against_text(json{{"before", "0123456789"},
                        {"commit", "abcdef0123"},
                        {"rounds", json::array({round(10, 30), round(20, 22), round(40, 20)})}});
  EXPECT_THAT(text, HasSubstr("| `engine.fast.idle` | 40 | 30 | 0.750 |\n"));
  EXPECT_THAT(text, HasSubstr("| `engine.fast.load10` | 4 | 4 | 1.000 |\n"));
  EXPECT_THAT(text, HasSubstr("commit 0123456 and with abcdef0"));
  EXPECT_THAT(text, HasSubstr("fastest of 3 rounds"));
}

TEST(ResultsPage, TellsNarrowMutantsFromThoseThatAreDrawn) {
  const std::string table = "| `mu_fifo` | 10 | 8 | 1 | 1 | 0 | 88.8 % |\n";
  EXPECT_THAT(mutation_text(table), HasSubstr("## make mutation\n\nOf 10 mutants"));
  EXPECT_THAT(mutation_text(table), HasSubstr("Blocks below 98 %: `mu_fifo` (88.8 %)"));
  EXPECT_THAT(narrow_mutation_text(table), HasSubstr("## make mutation MUTANTS=narrow\n"));
  EXPECT_THAT(narrow_mutation_text(table), HasSubstr("[narrow_mutants.md](narrow_mutants.md)"));
}

TEST(ResultsPage, SaysHowLongEachStageOfTheTestsTook) {
  const std::string text = stages_text(
      json{{"verb", "test"},
           {"stages",
            {{{"name", "node"},
              {"passed", 7},
              {"failed", 1},
              {"seconds", 12.4},
              {"cycles", 3e6},
              {"seed", "4"}},
             {{"name", "cli"}, {"passed", 2}, {"failed", 0}, {"seconds", 8.0}, {"cycles", 0}}}}});
  EXPECT_THAT(text, HasSubstr("| node | 7 | 1 | 12 | 3.0 | 4 |\n| cli | 2 | 0 | 8 |  |  |\n"));
  EXPECT_THAT(text, HasSubstr("## make test\n"));
}

TEST(ResultsPage, SaysWhetherTheTestsTookLongerThanWantedOrFailed) {
  const auto text = [](const char* verb, double seconds, int failed = 0) {
    return stages_text(json{{"verb", verb},
                            {"stages", json::array({json{{"passed", 7}, {"failed", failed}},
                                                    json{{"passed", 2}, {"seconds", seconds}}})}});
  };
  EXPECT_THAT(text("test", 1500), HasSubstr("\n9 passed, 0 failed in 1500 s; wanted: none failed "
                                            "in at most 1500 s, met.\n"));
  EXPECT_THAT(text("test", 1501), HasSubstr("at most 1500 s, **not met**."));
  EXPECT_THAT(text("test", 1, 1), HasSubstr("\n9 passed, 1 failed in 1 s; wanted: none failed in "
                                            "at most 1500 s, **not met**.\n"));
  EXPECT_THAT(text("nightly", 5100), HasSubstr("at most 5100 s, met."));
  EXPECT_THAT(text("nightly", 5101), HasSubstr("at most 5100 s, **not met**."));
}

TEST(ResultsPage, SaysWhenTheTestsRanAndOnWhat) {
  EXPECT_THAT(stages_text(json{{"verb", "test"},
                               {"ended", "2026-11-26T02:30:00Z"},
                               {"commit", "d351bba0123456789"},
                               {"stages", json::array()}}),
              HasSubstr(", 2026-11-26T02:30:00Z, commit d351bba."));
}

TEST(ResultsPage, KeepsTheSectionsOfWhatIsNotMeasuredAgain) {
  const std::string page =
      "# Results\n\n| a |\n\n## make test\n\n| b |\n\n## make nightly\n\n| c |\n";
  EXPECT_EQ(section_of(page, ""), "# Results\n\n| a |\n");
  EXPECT_EQ(section_of(page, "## make test"), "\n## make test\n\n| b |\n");
  EXPECT_EQ(section_of(page, "## make nightly"), "\n## make nightly\n\n| c |\n");
  EXPECT_EQ(section_of(page, "## make place"), "");
}

TEST(ResultsPage, HasSizeAndSlowestWayOfTheNodeOnEachFamily) {
  const std::string head =
      "# Synthesis\n\n| family | LUT | FF | LUTRAM | RAM | DSP | path | ns | "
      "processor time | command |\n| --- | ---: | ---: |\n";
  const std::string text = sizes_text(
      head +
      "| Lattice ECP5, `synth_ecp5 -abc9` | 11 | 22 | 33 | 44 | 55 | 66 | - | 9 s | `a` |\n"
      "| Xilinx 7 series, `synth_xilinx` | 1 | 2 | 3 | 4 | 5 | 6 | 8.0 | 7 s | `b` |\n\n"
      "| mu_fifo DEPTH=2 | 1 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n");
  EXPECT_THAT(text, HasSubstr("| Lattice ECP5 | 11 | 22 | 33 | 44 | 55 | 66 | - | - |\n"
                              "| Xilinx 7 series | 1 | 2 | 3 | 4 | 5 | 6 | 8.0 | 125 |\n"));
  EXPECT_THAT(text, Not(HasSubstr("mu_fifo")));
  EXPECT_EQ(sizes_text(head), "");
}

TEST(ResultsPage, SaysYesWhereTheWantedValueIsMetAndNoWhereItIsNot) {
  const std::string page = page_of({{"put.payload_share", 0.93},
                                    {"put.payload_share_l32", 0.9199999},
                                    {"put.latency_cycles", 61},
                                    {"router.hop_cycles", 5}});
  EXPECT_THAT(row_of(page, "put.payload_share"), HasSubstr("| >= 0.93 | 0.93 | yes |"));
  EXPECT_THAT(row_of(page, "put.payload_share_l32"), HasSubstr("| >= 0.92 | 0.92 | **no** |"));
  EXPECT_THAT(row_of(page, "put.latency_cycles"), HasSubstr("| <= 61 | 61 | yes |"));
  EXPECT_THAT(row_of(page, "router.hop_cycles"),
              HasSubstr("| <= 4 | 5 | **no** | `build/torusmu bench router` |"));
}

TEST(ResultsPage, SaysNotMeasuredOfWhatIsMissingOrNoNumber) {
  const std::string page =
      page_of({{"engine.fast.idle", nullptr}, {"reflection.cycles", {60, nullptr}}});
  for (const char* name : {"put.payload_share", "engine.fast.idle", "reflection.cycles"}) {
    EXPECT_THAT(row_of(page, name), HasSubstr("| not measured | - |"));
  }
}

TEST(ResultsPage, WantsEveryItemOfAListAndAllEqual) {
  const auto row = [](const json& list) {
    return row_of(page_of({{"reflection.cycles", list}}), "reflection.cycles");
  };
  EXPECT_THAT(row({90, 90}), HasSubstr("| <= 100, all equal | 90, 90 | yes |"));
  EXPECT_THAT(row({90, 91}), HasSubstr("| 90, 91 | **no** |"));
  EXPECT_THAT(row({101, 101}), HasSubstr("| 101, 101 | **no** |"));
}

TEST(ResultsPage, ComparesTheFarthestTargetWithReflection) {
  const auto row = [](double far) {
    return row_of(
        page_of({{"reflection.cycles", {100, 100}}, {"reflection.far_ack_cycles", {1, far}}}),
        "reflection.far_ack_cycles");
  };
  EXPECT_THAT(row(167), HasSubstr("| yes |"));
  EXPECT_THAT(row(165), HasSubstr("| **no** |"));
  EXPECT_THAT(
      row_of(page_of({{"reflection.far_ack_cycles", {1, 999}}}), "reflection.far_ack_cycles"),
      HasSubstr("| 1, 999 | - |"));
}

TEST(ResultsPage, HasTheLoadBesideTheSpeedOfAnEngine) {
  const std::string page = page_of(
      {{"engine.fast.load10", 2.51}, {"engine.threads2_gain", 1.6}, {"engine.load", {0, 0.1004}}});
  EXPECT_THAT(row_of(page, "engine.fast.load10"), HasSubstr("| 2.51 (load 0.1) | yes |"));
  EXPECT_THAT(row_of(page, "engine.threads2_gain"), HasSubstr("| 1.6 (load not measured) | yes |"));
}

TEST(ResultsPage, NamesFailedChecks) {
  const std::string page = figures_text(
      json{{"name", "bench router"},
           {"figures", {{"router.hop_cycles", 3}}},
           {"checks",
            {{{"name", "fine"}, {"passed", true}, {"detail", ""}},
             {{"name", "router.hops_equal"}, {"passed", false}, {"detail", "3 and 4"}}}}});
  EXPECT_THAT(row_of(page, "router.hop_cycles"), HasSubstr("| 3 | yes |"));
  EXPECT_THAT(page, HasSubstr("- `router.hops_equal` of bench router: 3 and 4\n"));
  EXPECT_THAT(page, Not(HasSubstr("fine")));
}

TEST(ResultsPage, NamesTheSlowestOfTheBlocksThatWerePlaced) {
  const std::string text = clock_text(
      "| module | LC | RAM | MHz | levels | slowest path from | to |\n"
      "| --- | ---: | ---: | ---: | ---: | --- | --- |\n"
      "| mu_quick | 9 | 0 | 200.5 | 2 | `a_q` | `b_q` |\n"
      "| mu_large | not placed: 5001 LUT, 9 FF | 2 | | | | |\n"
      "| mu_slow | 90 | 1 | 29.6 | 53 | `exponent_i[2]` | `sum_o[25]` |\n"
      "| mu_fair | 50 | 0 | 101.0 | 7 | `c_q` | `d_q` |\n");
  EXPECT_THAT(text, HasSubstr("not above that of its slowest block, on an iCE40 29.6 MHz"));
  EXPECT_THAT(text, HasSubstr("Of its blocks 3 were placed"));
  EXPECT_THAT(text, HasSubstr("half of them are faster than 101.0 MHz"));
  const std::size_t slowest =
      text.find("| mu_slow | 29.6 | 53 | `exponent_i[2]` | `sum_o[25]` |\n");
  EXPECT_LT(slowest, text.find("| mu_fair | 101.0 |"));
  EXPECT_THAT(text, Not(HasSubstr("mu_large")));
  EXPECT_EQ(clock_text("# Place and route\n"), "");
}

TEST(ResultsPage, ShowsWhatTheTestsReach) {
  const std::string text = coverage_text(
      "# Coverage\n| a | table |\n<!-- coverage: begin -->\n| coverage by 9 tests | reached |\n"
      "| --- | ---: |\n| line | 4846 |\n<!-- coverage: end -->\n| kind | a point |\n");
  EXPECT_THAT(text, HasSubstr("\n## make coverage\n"));
  EXPECT_THAT(text, EndsWith("\n\n| coverage by 9 tests | reached |\n| --- | ---: |\n"
                             "| line | 4846 |\n"));
  EXPECT_EQ(coverage_text("# Coverage\n| a | table |\n"), "");
}

TEST(ResultsPage, CountsMutantsOfAllBlocksAndNamesThoseBelowTheGoal) {
  const std::string head =
      "| block | mutants | killed | proved equivalent | differ, no test | unknown | score |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n"
      "| `mu_good` | 300 | 280 | 20 | 0 | 0 | 100.0 % |\n";
  EXPECT_THAT(mutation_text(head), HasSubstr("Blocks below 98 %: none."));
  const std::string text = mutation_text(head +
                                         "| `mu_fair` | 100 | 70 | 0 | 0 | 30 | 70.0 % |\n"
                                         "| `mu_poor` | 100 | 40 | 5 | 55 | 0 | 42.1 % |\n");
  EXPECT_THAT(
      text,
      HasSubstr("Of 500 mutants in the 3 blocks of the table the unit tests kill 390, and 25 are "
                "proved equivalent: 82.1 % of the others are killed."));
  EXPECT_THAT(text, HasSubstr("Blocks below 98 %: `mu_fair` (70.0 %), `mu_poor` (42.1 %)."));
  EXPECT_EQ(mutation_text("# Mutants\n"), "");
}

TEST(ResultsPage, ShowsWhatThePagesOfThePartsSay) {
  const auto text_of = [](const char* name) {
    std::ifstream file(name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string page = text_of("docs/results.md");
  EXPECT_TRUE(page.find(sizes_text(text_of("docs/synthesis.md"))) != page.npos)
      << "make results-page";
  EXPECT_TRUE(page.find(clock_text(text_of("docs/place_and_route.md"))) != page.npos)
      << "make results-page";
  EXPECT_TRUE(page.find(coverage_text(text_of("docs/coverage.md"))) != page.npos)
      << "make results-page";
  EXPECT_TRUE(page.find(mutation_text(text_of("docs/mutation.md"))) != page.npos)
      << "make results-page";
  EXPECT_TRUE(page.find(narrow_mutation_text(text_of("docs/narrow_mutants.md"))) != page.npos)
      << "make results-page";
}

TEST(ResultsPage, HasARowForEachFigureOfEachBenchInTheTree) {
  std::ifstream file("docs/results.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string empty = page_of(json::object());
  std::size_t rows = 0;
  for (const FigureInfo& figure : figures()) {
    if (*figure.id.bench == 0) continue;
    ++rows;
    // All but what was measured must be what the program writes today.
    const auto cells = cells_of(row_of(page, key_of(figure)));
    const auto wanted = cells_of(row_of(empty, key_of(figure)));
    ASSERT_EQ(cells.size(), 6U) << key_of(figure) << ": make bench writes docs/results.md";
    for (const std::size_t cell : {0, 1, 2, 5}) EXPECT_EQ(cells[cell], wanted[cell]);
  }
  EXPECT_GE(rows, 21U);
}

TEST(Figures, OfABenchBeginWithItsName) {
  std::set<std::string> with_figures;
  for (const FigureInfo& figure : figures()) with_figures.insert(figure.id.bench);
  with_figures.erase("");
  std::set<std::string> names;
  for (const Bench& bench : benches()) names.insert(bench.name);
  EXPECT_EQ(with_figures, names);
}

}  // namespace
}  // namespace torusmu
