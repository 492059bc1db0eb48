// SPDX-License-Identifier: Apache-2.0
// Findings of lint as SARIF: what the format requires, and each finding of the tools in its place.
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
#include <vector>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Output;
using testing::shell;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is missing of the members that SARIF 2.1.0 requires, or that a reader needs.
std::vector<std::string> complaints(const json& sarif) {
  std::vector<std::string> wrong;
  const auto want = [&](bool is_there, const std::string& what) {
    if (!is_there) wrong.push_back(what);
  };
  want(sarif.at("version") == "2.1.0", "version");
  want(sarif.at("runs").is_array() && !sarif.at("runs").empty(), "runs");
  for (const json& run : sarif.at("runs")) {
    const json& driver = run.at("tool").at("driver");
    want(driver.at("name").is_string(), "name of a tool");
    want(run.at("results").is_array(), "results");
    for (const json& result : run.at("results")) {
      const std::string rule = result.at("ruleId");
      want(driver.at("rules").at(result.at("ruleIndex").get<std::size_t>()).at("id") == rule,
           "rule of " + rule);
      want(result.at("level") == "warning" || result.at("level") == "error", "level of " + rule);
      want(!result.at("message").at("text").get<std::string>().empty(), "text of " + rule);
      for (const json& location : result.value("locations", json::array())) {
        const json& place = location.at("physicalLocation");
        const std::string uri = place.at("artifactLocation").at("uri");
        want(!uri.empty() && uri[0] != '/', "uri of " + rule);
        want(!place.contains("region") || place["region"].at("startLine") >= 1, "line of " + rule);
      }
    }
  }
  return wrong;
}

// "file:line rule" of the results of a run.
std::set<std::string> places_of(const json& run) {
  std::set<std::string> places;
  for (const json& result : run.at("results")) {
    const json& place = result.at("locations").at(0).at("physicalLocation");
    places.insert(place.at("artifactLocation").at("uri").get<std::string>() + ":" +
                  std::to_string(place.at("region").at("startLine").get<unsigned>()) + " " +
                  result.at("ruleId").get<std::string>());
  }
  return places;
}

class LintSarif : public testing::InOwnFolder {
 protected:
  LintSarif() : InOwnFolder("sarif") {}

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  // The file that is made of a log, whose members are complete.
  json sarif_of(const std::string& log) {
    const Output output = shell(TORUSMU_BUILD "/lint_sarif " + path("x.sarif") + " " + path(log));
    EXPECT_EQ(output.status, 0) << output.text;
    json sarif = json::parse(read_file(path("x.sarif")));
    EXPECT_THAT(complaints(sarif), IsEmpty());
    EXPECT_THAT(sarif.at("runs"), SizeIs(2));
    return sarif;
  }
};

// Those that the fixture of source_lint announces.
TEST_F(LintSarif, HasEachFindingOfSourceLint) {
  const std::string fixture = "tests/lint/forbidden_constructs.sv";
  EXPECT_EQ(shell(TORUSMU_BUILD "/source_lint " + fixture + " > " + path("log")).status, 1);
  const json run = sarif_of("log").at("runs").at(1);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "source_lint");
  const std::set<std::string> found = places_of(run);
  std::istringstream lines(read_file(fixture));
  std::size_t announced = 0;
  const std::regex expectation(R"(expect: ([a-z0-9 -]+))");
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, expectation)) continue;
    std::istringstream rules(match[1].str());
    for (std::string rule; rules >> rule; ++announced) {
      EXPECT_TRUE(found.contains(fixture + ":" + std::to_string(number) + " " + rule)) << line;
    }
  }
  EXPECT_GT(announced, 40U);
}

TEST_F(LintSarif, HasEachMessageOfVerilatorOnce) {
  std::ofstream(path("bad.sv")) << "module bad (input logic [3:0] a_i, output logic [7:0] b_o);\n"
                                   "  logic idle;\n"
                                   "  assign b_o = a_i;\n"
                                   "endmodule\n";
  const std::string lint =
      "cd " + folder_.string() + " && verilator --lint-only -Wall bad.sv >> log 2>&1";
  EXPECT_NE(shell(lint).status, 0);
  EXPECT_NE(shell(lint).status, 0);  // the same once more
  const json run = sarif_of("log").at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "Verilator");
  EXPECT_THAT(places_of(run), ElementsAre("bad.sv:2 UNUSEDSIGNAL", StartsWith("bad.sv:3 WIDTH")));
  for (const json& result : run.at("results")) {
    EXPECT_EQ(result.at("level"), "warning");
    const json& place = result.at("locations").at(0).at("physicalLocation");
    EXPECT_GE(place.at("region").at("startColumn"), 1);
  }
}

TEST_F(LintSarif, HasErrorsWithAndWithoutAPlace) {
  std::ofstream(path("log")) << "%Error: a b.sv:7:3: no\n%Error: rtl/x.sv:7:3: syntax error\n"
                                "%Error: Cannot find file containing module: 'y'\n"
                                "%Error: Exiting due to 3 error(s)\n"
                                "rtl:0: [assertion-density] 1 assertion in 900 lines\n";
  const json sarif = sarif_of("log");
  const json& results = sarif.at("runs").at(0).at("results");
  ASSERT_THAT(results, SizeIs(3));
  std::set<std::string> texts;
  for (const json& result : results) {
    EXPECT_EQ(result.at("level"), "error");
    texts.insert(result.at("message").at("text"));
    EXPECT_EQ(result.contains("locations"), result.at("message").at("text") == "syntax error");
  }
  EXPECT_TRUE(texts.contains("Cannot find file containing module: 'y'"));
  // Of a whole folder, there is no line.
  const json& density = sarif.at("runs").at(1).at("results").at(0);
  EXPECT_FALSE(density.at("locations").at(0).at("physicalLocation").contains("region"));
}

TEST_F(LintSarif, OfALogWithoutFindingsHasNoResults) {
  std::ofstream(path("log")) << "1732 files, 0 findings\n- Verilator: nothing to say\n";
  const json sarif = sarif_of("log");
  for (const json& run : sarif.at("runs")) {
    EXPECT_THAT(run.at("results"), IsEmpty());
    EXPECT_THAT(run.at("tool").at("driver").at("rules"), IsEmpty());
  }
}

TEST_F(LintSarif, RefusesWhatItCannotReadOrWrite) {
  const Output no_log = shell(TORUSMU_BUILD "/lint_sarif " + path("x.sarif") + " " + path("none"));
  EXPECT_EQ(no_log.status, 2);
  EXPECT_THAT(no_log.text, HasSubstr("cannot read " + path("none")));
  const Output no_file = shell(TORUSMU_BUILD "/lint_sarif /nonexistent/x.sarif");
  EXPECT_EQ(no_file.status, 2);
  EXPECT_THAT(no_file.text, HasSubstr("cannot write /nonexistent/x.sarif"));
}

}  // namespace
}  // namespace torusmu
