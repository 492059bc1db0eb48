// SPDX-License-Identifier: Apache-2.0
// build/lab/lab: what it makes of plans of checks, and what it says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Checks : public InOwnFolder {
 protected:
  Checks() : InOwnFolder("checks") {
    fs::create_directories(folder_ / "tests");
    std::ofstream(folder_ / "variables") << "night 7\nfruits apple pear plum\nCLOSURE_pear a b\n";
  }
  void plan(const std::string& tests) const {
    std::ofstream(folder_ / "plan.json") << "{\"tests\": [" << tests << "]}";
  }
  // One line of a shell, as a job.
  void plan_of(const std::string& command, const std::string& more = "") const {
    plan(R"({"name": "some/job", "run": ["bash", "-c", ")" + command + "\"]" + more + "}");
  }
  [[nodiscard]] Output run(const std::string& options = "") const {
    return shell("unset TORUSMU_LAB; " TORUSMU_BUILD "/lab/lab " + at("plan.json") + " --build " +
                 folder_.string() + " --variables " + at("variables") + " --title some " + options);
  }
  [[nodiscard]] nlohmann::json results() const {
    return nlohmann::json::parse(std::ifstream(folder_ / "results" / "some.json"));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  // How often the command of the job has run that adds a line to this file.
  [[nodiscard]] std::size_t runs() const {
    std::ifstream file(folder_ / "runs");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    std::istringstream text(run("--list").text);
    for (std::string line; std::getline(text, line);)
      names.push_back(line.substr(0, line.find(' ')));
    return names;
  }
};

TEST_F(Checks, AddUpWhatTheirCommandsSay) {
  plan(R"({"name": "a/1", "run": ["printf", "CYCLES 1500000\nCYCLES 500000\nSEED 7\n"]},
          {"name": "a/2", "run": ["true"]}, {"name": "b", "run": ["true"]})");
  const Output output = run();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text,
              ContainsRegex("a +2 passed +0 failed .* 2\\.0 million cycles  seed 7\n"));
  EXPECT_THAT(output.text, EndsWith("\n3 passed, 0 failed\n"));
  const auto json = results();
  EXPECT_EQ(json["passed"], 3);
  EXPECT_EQ(json["groups"][0]["cycles"], 2000000);
  EXPECT_EQ(json["groups"][0]["seed"], "7");
}

TEST_F(Checks, LeaveAnObjectEach) {
  plan(R"({"name": "good", "run": ["true"]}, {"name": "bad", "run": ["false"]})");
  EXPECT_THAT(run().text, EndsWith("1 passed, 1 failed\n"));
  std::ifstream file(folder_ / "results" / "some.jsonl");
  std::vector<nlohmann::json> checks;
  for (std::string line; std::getline(file, line);) checks.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(checks.size(), 2U);
  for (const auto& check : checks) EXPECT_EQ(check["passed"], check["job"] == "good");
}

TEST_F(Checks, OfAProgramOfGoogleTestAreItsTests) {
  fs::create_symlink(fs::absolute(TORUSMU_BUILD "/tests/layout_tests"),
                     folder_ / "tests" / "layout_tests");
  plan(
      R"({"gtest": "layout_tests", "name": "few", "filter": "*",
           "own_seeds": true})");
  const Output output = run("--junit " + at("junit.xml"));
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_GT(results()["passed"], 30);
  EXPECT_EQ(results()["groups"].back()["seed"], "each its own");
  EXPECT_THAT(shell("cat " + at("junit.xml")).text, HasSubstr("name=\"few\""));
}

TEST_F(Checks, OfARunnerThatAJobStartsAreItsTests) {
  const std::string tests =
      R"({"job":{"name":"x"},"status":"passed"},
    {"job":{"name":"y"},"status":"failed"})";
  std::ofstream(folder_ / "made.json")
      << R"({"tests":[)" << tests << R"(],"cycles":9000000,"master_seed":20780})";
  plan_of("cp " + at("made.json") + " " + at("report.json") + "; exit 1",
          ", \"results\": \"" + at("report.json") + "\"");
  const Output output = run();
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, ContainsRegex("some +1 passed +1 failed .* 9\\.0 million cycles  seed "
                                         "20780\n"));
}

TEST_F(Checks, ThatFailShowWhatTheySaid) {
  plan_of("echo what was wrong; exit 3");
  const Output output = run();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL some/job"));
  EXPECT_THAT(output.text, HasSubstr("exit status 3: what was wrong\n"));
  EXPECT_THAT(output.text, HasSubstr("alone: bash -c"));
  EXPECT_THAT(output.text, EndsWith("0 passed, 1 failed\n"));
}

TEST_F(Checks, ThatDoNotEndFail) {
  plan_of("sleep 60", ", \"time_limit\": 1");
  EXPECT_THAT(run().text, HasSubstr("not done after 1 s"));
}

TEST_F(Checks, DoNotRunAgainWhileTheirInputsAreAsTheyWere) {
  std::ofstream(folder_ / "input") << "one";
  const std::string inputs = ", \"inputs\": [\"" + at("in*") + "\"]";
  const std::string command = "echo >> " + at("runs");
  plan_of(command, inputs);
  EXPECT_THAT(run().text, EndsWith("1 passed, 0 failed\n"));
  const Output kept = run();
  EXPECT_THAT(kept.text, ContainsRegex("some +1 passed +0 failed .* 1 kept\n"));
  EXPECT_THAT(kept.text, EndsWith("1 passed, 0 failed\n"));
  EXPECT_EQ(runs(), 1U);
  std::ofstream(folder_ / "input") << "two";
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), 2U) << "another input";
  plan_of(command + "; true", inputs);
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), 3U) << "another command";
  EXPECT_EQ(run("--again").status, 0);
  EXPECT_EQ(runs(), 4U) << "--again";
}

TEST_F(Checks, RunAgainIfTheyFailedOrHaveNoInputs) {
  std::ofstream(folder_ / "input") << "one";
  plan_of("echo >> " + at("runs") + "; false", ", \"inputs\": [\"" + at("input") + "\"]");
  EXPECT_EQ(run().status, 1);
  EXPECT_EQ(run().status, 1);
  EXPECT_EQ(runs(), 2U);
  plan_of("echo >> " + at("runs"), ", \"inputs\": [\"" + at("not_there") + "\"]");
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(runs(), 4U);
}

// make is told what they need; a job of what could not be built has its own verdict besides.
TEST_F(Checks, FailIfWhatTheyNeedCannotBeBuilt) {
  plan_of("true", R"(, "needs": ["no_such_target_of_the_makefile"])");
  const Output output = run();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL build"));
  EXPECT_THAT(output.text, EndsWith("1 passed, 1 failed\n"));
}

TEST_F(Checks, AreRepeatedOverWords) {
  plan(R"({"name": "eat/{fruit}", "for": "fruit in {fruits} fig", "run": ["echo", "{fruit}"]})");
  EXPECT_THAT(names(), ElementsAre("eat/apple", "eat/pear", "eat/plum", "eat/fig"));
}

TEST_F(Checks, AreRepeatedOverLinesOfFiles) {
  std::ofstream(folder_ / "a.list") << "# name top options\none mu_a x=1 y=2\n\ntwo mu_b nightly\n";
  const std::string source = "lines " + at("*.list");
  plan(R"({"name": "{name}", "for": "name top options... in )" + source +
       R"( without nightly", "run": ["prove", "{short:top}", " {options}"]})");
  EXPECT_THAT(run("--list").text, StartsWith("one  prove a ' x=1 y=2'\n"));
  plan(R"({"name": "{name}", "for": "name top options... in )" + source +
       R"( with nightly", "run": ["prove", "{top}"]})");
  EXPECT_THAT(names(), ElementsAre("two"));
}

TEST_F(Checks, AreRepeatedOverAPartEachNight) {
  plan(R"({"name": "{n}", "for": "n in a b c d e part 3", "run": ["true"]})");
  EXPECT_THAT(names(), ElementsAre("b", "e")) << "night 7: those whose number is 1 modulo 3";
}

TEST_F(Checks, HaveAsManyWordsAsAListWithin) {
  plan(
      R"({"name": "x", "for": "fruit in pear",
           "run": ["{closure:fruit}", "in {fruits}", "{ $x; }"]})");
  EXPECT_THAT(run("--list").text, StartsWith("x  a b 'in apple pear plum' '{ $x; }'\n"));
}

TEST_F(Checks, AreChosenByName) {
  plan(
      R"({"name": "a/1", "run": ["true"]}, {"name": "a/2", "run": ["true"]},
          {"name": "b", "run": ["true"]})");
  EXPECT_THAT(run("--jobs 'a/*'").text, EndsWith("2 passed, 0 failed\n"));
  EXPECT_THAT(run("--jobs a").text, EndsWith("2 passed, 0 failed\n")) << "the name of a group";
  const Output none = run("--jobs 'c*'");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("no job is called \"c*\"; there are a/..., b;"));
}

TEST_F(Checks, OfABadPlanAreRefusedAtItsPlace) {
  const auto complaint = [this](const std::string& tests) {
    plan(tests);
    const Output output = run();
    EXPECT_EQ(output.status, 2);
    return output.text;
  };
  EXPECT_THAT(complaint(R"({"name": "x", "run": ["{vegetable}"]})"),
              HasSubstr("plan.json:1:12: found {vegetable}: there is no such value"));
  EXPECT_THAT(complaint(R"({"name": "x", "run": []})"), HasSubstr("expected a command"));
  EXPECT_THAT(complaint(R"({"run": ["true"]})"), HasSubstr("a run without \"name\""));
  EXPECT_THAT(complaint(R"({"name": "x", "for": "x of a", "run": ["true"]})"),
              HasSubstr("expected \"NAMES in WORDS\""));
  EXPECT_THAT(complaint(R"({"name": "x", "run": ["true"], "shards": 2})"), HasSubstr("\"shards\""));
  EXPECT_THAT(complaint(R"({"scenario": "put"})"), HasSubstr("torusmu regress plays the rest"));
  EXPECT_THAT(complaint(R"({"name": "x", "for": "y in a b", "run": ["true"]})"),
              HasSubstr("a second test named \"x\""));
}

TEST_F(Checks, OfASecondRunnerAreRefused) {
  plan_of("unset TORUSMU_LAB; " TORUSMU_BUILD "/lab/lab " + at("plan.json") + " --build " +
          folder_.string() + " --variables " + at("variables") + " --title some");
  const Output output = run();
  EXPECT_THAT(output.text,
              ContainsRegex("some is in use by another runner \\(process [0-9]+ on .*\\): "
                            "wait for its end or give another BUILD\n"));
}

TEST_F(Checks, OfARunThatWasKilledAreNotThoseOfTheRunBefore) {
  plan_of("true");
  EXPECT_EQ(run().status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "results" / "some.json"));
  plan_of("kill -9 $(ps -o ppid= $PPID); sleep 5");
  EXPECT_NE(run().status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "results" / "some.json"));
}

TEST_F(Checks, AreNoSuccessOnAFullDisk) {
  plan_of("true");
  const Output output =
      shell("trap '' XFSZ; ulimit -f 0; " TORUSMU_BUILD "/lab/lab " + at("plan.json") +
            " --build " + folder_.string() + " --variables " + at("variables") + " 2>&1 | cat");
  EXPECT_THAT(output.text, Not(HasSubstr("1 passed, 0 failed")));
}

}  // namespace
}  // namespace torusmu::testing
