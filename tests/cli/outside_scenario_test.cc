// SPDX-License-Identifier: Apache-2.0
// Scenarios outside the tree: tb/example/shift.cc, compiled with the headers as they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using testing::Output;
using testing::shell;
namespace fs = std::filesystem;

constexpr const char* kShift = TORUSMU_BUILD "/tests/shift.so";

std::string text_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

class OutsideScenario : public testing::InOwnFolder {
 protected:
  OutsideScenario() : InOwnFolder("outside") {}

  static Output play(const std::string& words) {
    return shell(TORUSMU_BUILD "/torusmu scenario " + words);
  }
  // A shared library of this source.
  [[nodiscard]] std::string library_of(const std::string& source) const {
    const std::string file = (folder_ / "own.so").string();
    std::ofstream(folder_ / "own.cc") << source;
    const Output output = shell("g++ -std=c++20 -shared -fPIC -I" TORUSMU_BUILD "/include " +
                                (folder_ / "own.cc").string() + " -o " + file);
    EXPECT_EQ(output.status, 0) << output.text;
    return file;
  }
  static void expect_refusal(const std::string& file, const std::string& why) {
    const Output output = play(file);
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_THAT(output.text, HasSubstr("torusmu: scenario \"" + file + "\": " + why));
  }
};

TEST_F(OutsideScenario, IsPlayedCheckedAndMeasured) {
  const std::string json = (folder_ / "shift.json").string();
  const Output output = play(std::string(kShift) + " --mesh 2x2x1 --json " + json);
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("shift: every node puts a kilobyte into the node after it, on "
                                     "2x2x1\n"));
  EXPECT_THAT(output.text, HasSubstr("ok   shift.bytes"));
  EXPECT_GT(nlohmann::json::parse(text_of(json))["figures"]["shift.cycles"], 0);
}

TEST_F(OutsideScenario, FailsWhereItsChecksDo) {
  const Output output = play(std::string(kShift) + " --inject flip-payload-bit:1");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("FAIL shift.bytes"));
}

TEST_F(OutsideScenario, LeavesAPageAndWavesThatOpenAtItsAct) {
  const std::string fst = (folder_ / "shift.fst").string();
  const std::string page = (folder_ / "shift.html").string();
  const Output output =
      play(std::string(kShift) + " --mesh 2x1x1 --wave " + fst + " --report " + page);
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_GT(fs::file_size(fst), 0U);
  EXPECT_THAT(text_of(folder_ / "shift.gtkw"), HasSubstr("-node 0: sends\n"));
  EXPECT_THAT(text_of(page), HasSubstr("shift.cycles"));
}

// Those of a view are all that there are: what is not shown is folded up.
TEST_F(OutsideScenario, FindsTheGroupsOfSignalsInItsDocument) {
  const std::string fst = (folder_ / "shift.fst").string();
  ASSERT_EQ(play(std::string(kShift) + " --mesh 2x1x1 --wave " + fst).status, 0);
  const std::string document = text_of("docs/write_a_scenario.md");
  std::ifstream view(folder_ / "shift.gtkw");
  std::set<std::string> groups;
  for (std::string flags, title; std::getline(view, flags);) {
    if (flags != "@c00200" || !std::getline(view, title)) continue;
    if (!title.starts_with("-node")) groups.insert(title.substr(1));
  }
  EXPECT_GT(groups.size(), 12U);
  for (const std::string& group : groups) {
    if (group.starts_with("link ") && !group.starts_with("link x+")) continue;
    EXPECT_THAT(document, HasSubstr("`" + group + "`"));
  }
}

TEST_F(OutsideScenario, IsToldTheGroupsThatThereAreIfItNamesAnother) {
  const std::string file = library_of(
      "#include <torusmu/sim/play/scenario/outside.h>\n"
      "static void play(torusmu::Stage& stage) {\n"
      "  torusmu::Act act{.to = 100};\n"
      "  act.actors.push_back({{0}, \"it\", {\"nothing\"}});\n"
      "  stage.show(act);\n"
      "}\n"
      "TORUSMU_SCENARIO({.name = \"own\", .title = \"t\",\n"
      "                  .default_shape = \"2x1x1\", .play = play})\n");
  const Output output = play(file + " --wave " + (folder_ / "own.fst").string());
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("no group of signals \"nothing\" for a view of waves: there are "
                        "register writes, register reads, "));
}

TEST_F(OutsideScenario, RunsInARegression) {
  const std::string plan = (folder_ / "plan.json").string();
  std::ofstream(plan) << R"({"tests": [{"scenario": ")" << kShift << R"(", "shapes": ["2x1x1"]}]})";
  const Output output = shell(TORUSMU_BUILD "/torusmu regress " + plan + " --output " +
                              (folder_ / "regress").string());
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("1 passed, 0 failed"));
  EXPECT_THAT(shell(TORUSMU_BUILD "/torusmu regress " + plan + " --list").text,
              HasSubstr("shift/2x1x1/1"));
}

TEST_F(OutsideScenario, IsRefusedInAPlanAsInACommand) {
  const std::string plan = (folder_ / "plan.json").string();
  std::ofstream(plan) << R"({"tests": [{"scenario": "./nowhere.so"}]})";
  const Output output = shell(TORUSMU_BUILD "/torusmu regress " + plan);
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr("scenario \"./nowhere.so\": no such file"));
}

TEST_F(OutsideScenario, IsRefusedWithOtherHeaders) {
  std::string bytes = text_of(kShift);
  const std::string words = "headers ";
  const std::size_t at = bytes.find(words);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + words.size(), 4, "0000");
  const std::string file = (folder_ / "old.so").string();
  std::ofstream(file, std::ios::binary) << bytes;
  expect_refusal(file, "was compiled with headers of ");
}

TEST_F(OutsideScenario, IsRefusedWithoutAFile) {
  expect_refusal("./nowhere.so", "no such file");
  expect_refusal(folder_.string(), "is no file");
}

TEST_F(OutsideScenario, IsRefusedIfItIsNoLibrary) {
  const std::string file = (folder_ / "text.so").string();
  std::ofstream(file) << "a scenario\n";
  expect_refusal(file, "cannot be loaded: ");
}

TEST_F(OutsideScenario, IsRefusedIfTheLibraryHasNone) {
  expect_refusal(library_of("int nothing;\n"), "says no TORUSMU_SCENARIO({...})");
}

TEST_F(OutsideScenario, IsRefusedIfItsEntryLacksAName) {
  expect_refusal(library_of("#include <torusmu/sim/play/scenario/outside.h>\n"
                            "TORUSMU_SCENARIO({.name = nullptr})\n"),
                 "its TORUSMU_SCENARIO wants .name, .title, .default_shape and .play");
}

TEST_F(OutsideScenario, IsRefusedIfItCallsWhatIsNowhere) {
  expect_refusal(library_of("#include <torusmu/sim/play/scenario/outside.h>\n"
                            "void nowhere(torusmu::Stage&);\n"
                            "static void play(torusmu::Stage& stage) { nowhere(stage); }\n"
                            "TORUSMU_SCENARIO({.name = \"own\", .title = \"t\",\n"
                            "                  .default_shape = \"2x1x1\", .play = play})\n"),
                 "cannot be loaded: ");
}

TEST_F(OutsideScenario, IsNotOverwrittenByWhatItWrites) {
  const std::string copy = (folder_ / "copy.so").string();
  fs::copy_file(kShift, copy);
  const Output output = play(copy + " --json " + copy);
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_EQ(text_of(copy), text_of(kShift));
}

}  // namespace
}  // namespace torusmu
