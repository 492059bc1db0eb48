// SPDX-License-Identifier: Apache-2.0
// docs/results/ and the pages of it, which build/pages writes; and what the mutation check says of
// a block, which is among these.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "sim/play/bench/benches.h"
#include "sim/play/figures.h"
#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The results of the tree and its pages in part by hand, and a build that has measured nothing yet.
class Pages : public InOwnFolder {
 protected:
  Pages() : InOwnFolder("pages") {
    fs::create_directories(docs_ / "results");
    fs::copy("docs/results", docs_ / "results");
    for (const char* page :
         {"synthesis", "place_and_route", "board", "coverage", "mutation", "narrow_mutants"}) {
      fs::copy(fmt::format("docs/{}.md", page), docs_);
    }
  }
  void measured(const std::string& file, const json& result) const { write(build_ / file, result); }
  static void write(const fs::path& path, const json& result) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << result;
  }
  [[nodiscard]] json results(const std::string& name) const {
    return json::parse(text_of(docs_ / "results" / name));
  }
  [[nodiscard]] Output run() const {
    return shell(TORUSMU_BUILD "/pages " + build_.string() + " " + docs_.string());
  }
  [[nodiscard]] std::string page(const std::string& name) const {
    const Output output = run();
    EXPECT_EQ(output.status, 0) << output.text;
    return text_of(docs_ / name);
  }
  // The row of a figure in results.md.
  [[nodiscard]] std::string figure(const std::string& key) const {
    std::istringstream lines(page("results.md"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("| `" + key + "` |")) return line;
    }
    return "no row";
  }

  const fs::path docs_ = folder_ / "docs", build_ = folder_ / "build";
};

TEST_F(Pages, OfTheTreeAreWhatItsResultsSay) {
  const Output output = run();
  ASSERT_EQ(output.status, 0) << output.text;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(docs_)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const fs::path file = fs::relative(entry.path(), folder_);
    EXPECT_TRUE(text_of(entry.path()) == text_of(file)) << file << ": make pages writes it again";
  }
  EXPECT_EQ(files, 13 + 7);  // results, and pages
}

TEST_F(Pages, SayWhetherAFigureIsMet) {
  measured("bench.json",
           {{"figures",
             {{"put.payload_share", 0.93},
              {"put.latency_cycles", 67},
              {"reflection.cycles", {90, 91}},
              {"reflection.far_ack_cycles", {1, 152}},
              {"barrier.offload_cycles.mmio_half", 100},
              {"barrier.software_cycles.mmio_half", 199},
              {"engine.fast.load10", 2.51234},
              {"engine.threads2_gain", 1.6},
              {"engine.load", {0, 0.1004}}}},
            {"checks",
             {{{"name", "fine"}, {"passed", true}, {"detail", ""}},
              {{"name", "router.hops_equal"}, {"passed", false}, {"detail", "3 and 4"}}}}});
  EXPECT_THAT(figure("put.payload_share"),
              HasSubstr("| >= 0.93 | 0.93 | yes | `build/torusmu bench put` |"));
  EXPECT_THAT(figure("put.latency_cycles"), HasSubstr("| <= 66 | 67 | **no** |"));
  EXPECT_THAT(figure("reflection.cycles"), HasSubstr("| <= 115, all equal | 90, 91 | **no** |"));
  EXPECT_THAT(figure("reflection.far_ack_cycles"),
              HasSubstr("| >= 1.66 x reflection.cycles | 1, 152 | yes |"));
  EXPECT_THAT(figure("barrier.software_cycles.mmio_half"),
              HasSubstr("| >= 2 x barrier.offload_cycles.mmio_half | 199 | **no** |"));
  EXPECT_THAT(figure("engine.fast.load10"), HasSubstr("| 2.512 (load 0.1) | yes |"));
  EXPECT_THAT(figure("engine.threads2_gain"), HasSubstr("| 1.6 (load not measured) | yes |"));
  EXPECT_THAT(page("results.md"),
              AllOf(HasSubstr("\n- `router.hops_equal`: 3 and 4\n"), Not(HasSubstr("fine"))));
}

TEST_F(Pages, SayOfAFigureThatItIsNotMeasured) {
  measured("bench.json", {{"figures",
                           {{"engine.fast.idle", nullptr},
                            {"reflection.cycles", {60, nullptr}},
                            {"reflection.far_ack_cycles", {1, 999}}}},
                          {"checks", json::array()}});
  for (const char* key : {"put.payload_share", "engine.fast.idle", "reflection.cycles"}) {
    EXPECT_THAT(figure(key), HasSubstr("| not measured | - |"));
  }
  EXPECT_THAT(figure("reflection.far_ack_cycles"), HasSubstr("| 1, 999 | - |"));
  fs::remove(build_ / "bench.json");
  EXPECT_THAT(figure("reflection.far_ack_cycles"), HasSubstr("| 1, 999 | - |")) << "it stays";
}

TEST_F(Pages, CompareTheEngineWithAnEarlierCommitByTheFastestRounds) {
  const auto round = [](double before, double now) {
    const auto speed = [](double value) {
      return json{{"figures", {{"engine.fast.idle", value}, {"engine.fast.load10", 4.0}}}};
    };
    return json{{"before", speed(before)}, {"now", speed(now)}};
  };
  measured("against.json", {{"before", "0123456789"},
                            {"commit", "abcdef0123"},
                            {"rounds", {round(10, 30), round(20, 22), round(40, 20)}}});
  EXPECT_THAT(page("results.md"), AllOf(HasSubstr("| `engine.fast.idle` | 40 | 30 | 0.750 |\n"),
                                        HasSubstr("| `engine.fast.load10` | 4 | 4 | 1.000 |\n"),
                                        HasSubstr("commit 0123456 and with abcdef0"),
                                        HasSubstr("fastest of 3 rounds")));
}

TEST_F(Pages, HaveTheSpeedsOfBothModelsAndWhetherTheyDoTheSame) {
  measured("models.json",
           {{"same", true}, {"runs", {"a", "b"}}, {"tuned", 8.0}, {"plain", 5.0}, {"ratio", 1.6}});
  EXPECT_THAT(page("results.md"), AllOf(HasSubstr("of 2 runs are the same"),
                                        HasSubstr("| `MODEL=plain` | 5.0 |\n| ratio | 1.60 |\n")));
  measured("models.json",
           {{"same", false}, {"runs", {"a"}}, {"tuned", 8.0}, {"plain", 5.0}, {"ratio", 1.6}});
  EXPECT_THAT(page("results.md"), HasSubstr("of 1 runs are **not the same**"));
}

TEST_F(Pages, SayWhetherTheTestsTookLongerThanWantedOrFailed) {
  const auto said = [this](const std::string& plan, int failed, double seconds) {
    json run = results(plan + ".json");
    run.update({{"host", "my-computer"}, {"passed", 7}, {"failed", failed}, {"seconds", seconds}});
    measured("results/" + plan + ".json", run);
    return page("results.md");
  };
  EXPECT_THAT(said("test", 0, 900), HasSubstr("\n7 passed, 0 failed in 900 s; wanted: none failed "
                                              "in at most 900 s, met.\n"));
  EXPECT_THAT(said("test", 0, 901), HasSubstr("at most 900 s, **not met**."));
  EXPECT_THAT(said("test", 1, 1), HasSubstr("\n7 passed, 1 failed in 1 s; wanted: none failed in "
                                            "at most 900 s, **not met**.\n"));
  EXPECT_THAT(said("nightly", 0, 3960), HasSubstr("at most 3960 s, met."));
  EXPECT_THAT(said("nightly", 0, 3961), HasSubstr("at most 3960 s, **not met**."));
  EXPECT_FALSE(results("test.json").contains("host"));
}

TEST_F(Pages, TakeNoRunThatWasBrokenOff) {
  const json before = results("nightly.json");
  json run = before;
  run["passed"] = 3;
  run["groups"].push_back({{"name", "all"},
                           {"passed", 0},
                           {"failed", 1},
                           {"kept", 0},
                           {"seconds", 0},
                           {"cycles", 0},
                           {"seed", ""}});
  measured("results/nightly.json", run);
  EXPECT_THAT(page("results.md"), Not(HasSubstr("\n3 passed")));
  EXPECT_EQ(results("nightly.json"), before);
}

TEST_F(Pages, TakeWhatWasMeasuredAndKeepTheRest) {
  measured("place/mu_fifo.json", {{"module", "mu_fifo"},
                                  {"LC", 1},
                                  {"RAM", 2},
                                  {"MHz", 3.5},
                                  {"levels", 4},
                                  {"from", "a_q"},
                                  {"to", "b_q"},
                                  {"tools", "a new one"}});
  json place = results("place.json");
  place["modules"].push_back({{"module", "mu_gone"}, {"RAM", 2}, {"tools", "an old one"}});
  write(docs_ / "results/place.json", place);
  json family = results("synthesis.json")["families"][1];
  family["LUT"] = 123;
  measured("synth/mu_node/ecp5.json", family);
  measured("results/coverage_figures.json",
           {{"kinds", {{"line", {{"reached", 9}, {"points", 10}, {"percent", 90}, {"goal", 99}}}}},
            {"modules", json::array()}});
  const std::string page = this->page("results.md");
  EXPECT_THAT(page, HasSubstr("the slowest runs at 3.5 MHz"));
  EXPECT_THAT(page, HasSubstr("| mu_fifo | 3.5 | 4 | `a_q` | `b_q` |\n"));
  EXPECT_THAT(page, HasSubstr("| Lattice ECP5 | 123 | "));
  EXPECT_THAT(page, HasSubstr("| line | 9 | 1 | 90.00 | 99.00 |\n"));
  EXPECT_THAT(text_of(docs_ / "coverage.md"), HasSubstr("| line | 9 | 1 | 90.00 | 99.00 |\n"));
  const std::string placed = text_of(docs_ / "place_and_route.md");
  EXPECT_THAT(placed, AllOf(HasSubstr("Yosys 0.23, nextpnr 0.4-1+b1; a new one"),
                            HasSubstr("\n| mu_fifo | 1 | 2 | 3.5 | 4 | `a_q` | `b_q` |\n"),
                            HasSubstr("\n| mu_arbiter | "), Not(HasSubstr("mu_gone"))));
  EXPECT_LT(placed.find("| mu_skid_buffer |"), placed.find("| mu_fifo |"));
  EXPECT_EQ(results("synthesis.json")["families"][0]["family"], "xc7");
}

TEST_F(Pages, TellLatenciesInNanosecondsOfEachClock) {
  measured("bench.json", {{"figures",
                           {{"put.latency_cycles", 58},
                            {"fence.network_cycles", {80, 102, 190}},
                            {"put.payload_share", 0.93}}},
                          {"checks", json::array()}});
  json xc7 = results("synthesis.json")["families"][0];
  xc7["ns"] = 7.5;
  measured("synth/mu_node/xc7.json", xc7);
  const std::string page = this->page("results.md");
  const std::string table = page.substr(page.find("\n## Latencies in nanoseconds"));
  EXPECT_THAT(table, HasSubstr("| figure | cycles | ns, xc7, cycle: 7.5 | ns, standard cells"));
  EXPECT_THAT(table,
              ContainsRegex("\n\\| `put.latency_cycles` \\| 58 \\| 435 \\| .* \\| 264 \\|\n"));
  EXPECT_THAT(table, HasSubstr("| `fence.network_cycles` | 80 to 190 | 600 to 1425 | "));
  EXPECT_THAT(table, Not(HasSubstr("put.payload_share")));
}

TEST_F(Pages, CompareABlockOnEcp5WithItsBudget) {
  json ecp5 = results("synthesis.json")["families"][1];
  for (json& module : ecp5["modules"]) {
    if (module["module"] == "mu_router") module["sites_with_contents"] = 12345;
  }
  measured("synth/mu_node/ecp5.json", ecp5);
  EXPECT_THAT(page("synthesis.md"),
              ContainsRegex("\n\\| mu_router \\| [0-9]+ \\| [0-9]+ \\| 12345 \\|\n"));
}

TEST_F(Pages, ShowStandardCellsApartFromFpgas) {
  const json path{
      {"ns", 8.0},
      {"gates", 41},
      {"from", "u_a.b_q[1]"},
      {"to", "c_q"},
      {"through",
       {{{"module", "mu_fifo"}, {"gates", 30}}, {{"module", "mu_node"}, {"gates", 11}}}}};
  json family{{"family", "asic"}, {"part", "Cells"}, {"yosys", "Yosys 0.23"}, {"sta", "OpenSTA 2"},
              {"GE", 12345},      {"FF", 67},        {"memories", 8},         {"bits", 9000},
              {"path", 41},       {"seconds", 99},   {"slowest", path},       {"deepest", path}};
  family["modules"] = {{{"module", "mu_fifo"},
                        {"parameters", "WIDTH=2"},
                        {"instances", 3},
                        {"GE", 11},
                        {"FF", 12},
                        {"memories", 13},
                        {"bits", 14},
                        {"path", 15},
                        {"GE_with_contents", 16}}};
  measured("synth/mu_node/asic.json", family);
  const std::string size =
      "12 kGE with 67 flip-flops, and 9 kbit of memories in 8 macros; 8.00 ns, 125 MHz";
  EXPECT_THAT(page("results.md"),
              AllOf(HasSubstr("\nCells: " + size), Not(HasSubstr("| Cells |")),
                    HasSubstr("most gates has 41; wanted: at most 40, **not met**")));
  const std::string text = text_of(docs_ / "synthesis.md");
  EXPECT_THAT(text,
              AllOf(HasSubstr("\n## Cells\n\n" + size),
                    HasSubstr("- slowest path: 41 gates from `u_a.b_q[1]` to `c_q`, by module "
                              "mu_fifo 30, mu_node 11\n"),
                    HasSubstr("| mu_fifo WIDTH=2 | 3 | 11 | 12 | 13 | 14 | 15 | 16 |\n"),
                    HasSubstr("| **all instances** |  | 12345 | 67 | 8 | 9000 | 41 |  |\n")));
}

TEST_F(Pages, CountMutantsAndSayWhyASurvivorCannotMatter) {
  const json survivor{{"mutant", "Vmu_fifo:7"}, {"fault", "inv A[3]"}, {"place", "rtl.sv:2"}};
  measured("mutation/300-1/fifo/mutants.json", {{"block", "fifo"},
                                                {"mutants", 100},
                                                {"killed", 70},
                                                {"equal", 5},
                                                {"differs", 24},
                                                {"unknown", 1},
                                                {"score", 73.6},
                                                {"survivors", {survivor}},
                                                {"list", json::array()}});
  std::size_t survivors = 1, reasons = 0;
  const json before = results("mutation.json");
  for (const json& block : before["blocks"]) {
    for (const json& other : block["survivors"]) {
      ++survivors;
      reasons += other.contains("why") ? 1 : 0;
    }
  }
  EXPECT_THAT(page("results.md"), ContainsRegex("Blocks below 98 %: .*`mu_fifo` \\(73.6 %\\)"));
  EXPECT_THAT(
      text_of(docs_ / "mutation.md"),
      AllOf(HasSubstr("\n| `mu_fifo` | 100 | 70 | 5 | 24 | 1 | 73.6 % |\n"),
            HasSubstr(fmt::format("\n{} survive; of {} a person has said why they cannot matter.\n",
                                  survivors, reasons))));
  // A reason for what does not survive is an error.
  json mutation = results("mutation.json");
  for (json& block : mutation["blocks"]) {
    if (block["block"] == "calc_engine") block["survivors"].clear();
  }
  write(docs_ / "results/mutation.json", mutation);
  const Output output = run();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("tests/mutation/reasons.csv: no such survivor: Vmu_calc_en"));
}

TEST_F(Pages, NameTheFileThatIsNoResult) {
  const auto refused = [this](const fs::path& file, const std::string& text) {
    const std::string before = text_of(file);
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    const Output output = run();
    EXPECT_EQ(output.status, 1);
    EXPECT_THAT(output.text, HasSubstr("pages: " + file.string() + ": "));
    std::ofstream(file) << before;
  };
  refused(docs_ / "results/place.json", "{\"modules\": ");
  refused(docs_ / "results/synthesis.json", R"({"families": [{"family": "xc7"}]})");
  refused(docs_ / "results/test.json", "{}");
  refused(build_ / "place/mu_fifo.json", "not placed");
  fs::remove(build_ / "place/mu_fifo.json");
  EXPECT_EQ(run().status, 0);
}

TEST(Figures, AreOfABenchThatThereIs) {
  std::set<std::string> with_figures, names;
  for (const FigureInfo& figure : figures()) with_figures.insert(figure.id.bench);
  with_figures.erase("");
  for (const Bench& bench : benches()) names.insert(bench.name);
  EXPECT_EQ(with_figures, names);
}

// One of two lives, which is less than 98 %.
class MutationReport : public InOwnFolder {
 protected:
  MutationReport() : InOwnFolder("mutation") {
    const std::string mutant = " -module mu_few -cell c -port A -portbit 3 -src rtl.sv:2.1-2.9\n";
    write("rtl.sv", "first\n  \"a\", b;\n");
    write("Vmu_few.list", "mutate -ctrl mutsel 16 1 -mode inv" + mutant +
                              "mutate -ctrl mutsel 16 2 -mode const0" + mutant);
    write("verdicts", "Vmu_few 1 survived\nVmu_few 2 killed Few.Test\n");
    write("proofs", "Vmu_few 1 unknown\nVmu_few 2 differs 3\n");
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  [[nodiscard]] Output report(const std::string& reasons) const {
    write("reasons.csv", "mutant,fault,place,why it cannot matter\n" + reasons);
    return shell("cd " + folder_.string() + " && " +
                 fs::absolute(TORUSMU_BUILD "/mutation/report").string() + " . few reasons.csv");
  }
};

TEST_F(MutationReport, LetsABlockPassIfEachSurvivorHasAReason) {
  const Output output = report("");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("1 survive without a reason in reasons.csv"));
  EXPECT_EQ(report("Vmu_few:1,\"inv A[3]\",rtl.sv:9,\"another line by now\"\n").status, 1);
  EXPECT_EQ(report("Vmu_few:1,\"inv A[3]\",rtl.sv:2,\"the bit is 0, always\"\n").status, 0);
  EXPECT_EQ(report("Vmu_few:1,no more\n").status, 2);
}

TEST_F(MutationReport, SaysWhatSurvives) {
  EXPECT_EQ(report("").status, 1);
  const json block = json::parse(text_of(folder_ / "mutants.json"));
  EXPECT_EQ(block["survivors"],
            json::array({{{"mutant", "Vmu_few:1"},
                          {"fault", "inv A[3]"},
                          {"place", "rtl.sv:2"},
                          {"line", "\"a\", b;"},
                          {"known", "neither proved equivalent nor told apart"}}}));
  EXPECT_EQ(block["killed"], 1);
}

TEST(MutationTests, ThatSurvivorsLedToAreThere) {
  std::ifstream rows("tests/mutation/led_to.csv");
  int seen = 0;
  for (std::string row; std::getline(rows, row);) {
    const std::size_t comma = row.find(','), dot = row.find('.');
    if (dot == row.npos || row.starts_with("#")) continue;
    const std::string text = text_of("tests/" + row.substr(0, comma) + "_test.cc");
    const std::string name =
        "\\(\\s*" + row.substr(comma + 1, dot - comma - 1) + ",\\s*" + row.substr(dot + 1) + "\\)";
    EXPECT_TRUE(std::regex_search(text, std::regex(name))) << row;
    ++seen;
  }
  EXPECT_GT(seen, 50);
}

}  // namespace
}  // namespace torusmu::testing
