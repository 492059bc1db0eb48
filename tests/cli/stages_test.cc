// SPDX-License-Identifier: Apache-2.0
// What make test and make nightly say of their stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Stages : public InOwnFolder {
 protected:
  Stages() : InOwnFolder("stages") {}
  // One stage, whose command finds the folder of the results in $RESULTS.
  [[nodiscard]] Output run(const std::string& command) const {
    return shell("RESULTS=" + (folder_ / "results").string() +
                 " " TORUSMU_BUILD "/run_tests test " + folder_.string() + " 1 'some=" + command +
                 "'");
  }
  // One of the scripts that checks are made of, with a disk that is full if `prefix` says so.
  [[nodiscard]] Output checks(const std::string& script, const std::string& arguments,
                              const std::string& prefix = "") const {
    return shell("d=" + folder_.string() + "; " + prefix + "tb/checks/" + script + ".sh " +
                 arguments);
  }
  // The tool that ends the verbs which are made of checks, with the log of one that has passed.
  [[nodiscard]] std::string summary_of(const std::string& log) const {
    std::ofstream(folder_ / "a.result") << "PASS some.a 0.1\n";
    std::ofstream(folder_ / "a.result.log") << log;
    const std::string summary = (folder_ / "some.txt").string();
    const Output output =
        shell("tb/checks/summarise.sh some " + summary + " " + (folder_ / "a.result").string());
    EXPECT_EQ(output.status, 0) << output.text;
    return shell("cat " + summary).text;
  }
};

TEST_F(Stages, AddUpWhatTheirChecksSay) {
  const Output output =
      run(R"(printf "PASS a 1\nPASS b 2\nCYCLES 1500000\nCYCLES 500000\n" > $RESULTS/some.txt;)"
          R"(echo SEED 7 >> $RESULTS/some.txt)");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text,
              ContainsRegex("some +2 passed +0 failed .* 2\\.0 million cycles  seed 7\n"));
  EXPECT_THAT(output.text, EndsWith("2 passed, 0 failed\n"));
  const auto stages =
      nlohmann::json::parse(std::ifstream(folder_ / "results" / "test.stages.json"))["stages"];
  EXPECT_EQ(stages[0]["cycles"], 2000000);
  EXPECT_EQ(stages[0]["seed"], "7");
}

TEST_F(Stages, CountTheTestsOfARegression) {
  const Output output =
      run(R"(echo "{\"passed\":3,\"failed\":1,\"cycles\":9000000,\"master_seed\":20780}" > )"
          R"($RESULTS/some.json; false)");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text,
              ContainsRegex("some +3 passed +1 failed .* 9\\.0 million cycles  seed 20780\n"));
  EXPECT_THAT(output.text, EndsWith("3 passed, 1 failed\n"));
}

TEST_F(Stages, ThatSayNothingCountAsOneTestAndNoCycles) {
  EXPECT_THAT(run("true").text, ContainsRegex("some +1 passed +0 failed +[0-9.]+ s\n"));
  EXPECT_THAT(run("false").text, EndsWith("0 passed, 1 failed\n"));
}

TEST_F(Stages, ThatFailAfterTheirTestsHavePassedFail) {
  const Output output = run("echo PASS a 1 > $RESULTS/some.txt; exit 3");
  EXPECT_THAT(output.text, HasSubstr("FAIL some: exit status 3\n"));
  EXPECT_THAT(output.text, EndsWith("1 passed, 1 failed\n"));
}

TEST_F(Stages, OfChecksHaveTheCyclesAndSeedsOfTheirLogs) {
  EXPECT_EQ(summary_of("SEED 5\nCYCLES 40\nCYCLES of what\nequal\n"),
            "PASS some.a 0.1\nCYCLES 40\nSEED 5\n");
}

TEST_F(Stages, OfChecksFailIfAResultIsNotThereOrEmpty) {
  EXPECT_EQ(checks("check", "some.a $d/a.result true").status, 0);
  std::ofstream(folder_ / "b.result").flush();
  const Output output = checks("summarise", "some $d/some.txt $d/a.result $d/b.result $d/c.result");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("b.result: no verdict in it\n"));
  EXPECT_THAT(output.text, HasSubstr("c.result: no verdict in it\n"));
  EXPECT_THAT(output.text, EndsWith("some: 1 passed, 2 failed\n"));
  EXPECT_FALSE(fs::exists(folder_ / "b.result")) << "make would not run the check again";
}

TEST_F(Stages, OfChecksFailOnAFullDiskAndLeaveNoResult) {
  const char* const kFull = "trap '' XFSZ; ulimit -f 0; ";
  const Output check = checks("check", "some.a $d/a.result true", kFull);
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.text, EndsWith("a.result cannot be written\n"));
  EXPECT_FALSE(fs::exists(folder_ / "a.result"));
  EXPECT_EQ(checks("check", "some.a $d/a.result true").status, 0);
  const Output summary = checks("summarise", "some $d/some.txt $d/a.result", kFull);
  EXPECT_EQ(summary.status, 1);
  EXPECT_THAT(summary.text, EndsWith("some.txt cannot be written\n"));
  EXPECT_FALSE(fs::exists(folder_ / "some.txt"));
}

TEST_F(Stages, OfASecondRunnerAreRefused) {
  const Output output = run(TORUSMU_BUILD "/run_tests test " + folder_.string() +
                            " 1 other=true; echo status $? > " + (folder_ / "second").string());
  EXPECT_THAT(output.text, ContainsRegex("results is in use by another runner \\(process [0-9]+ on "
                                         ".*\\): wait for its end or give another BUILD\n"));
  EXPECT_EQ(shell("cat " + (folder_ / "second").string()).text, "status 2\n");
}

TEST_F(Stages, OfARunThatWasKilledAreNotThoseOfTheRunBefore) {
  EXPECT_EQ(run("true").status, 0);
  const fs::path report = folder_ / "results" / "test.stages.json";
  EXPECT_TRUE(fs::exists(report));
  EXPECT_NE(run("kill -9 $PPID; sleep 1").status, 0);
  EXPECT_FALSE(fs::exists(report));
}

}  // namespace
}  // namespace torusmu::testing
