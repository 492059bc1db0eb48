// SPDX-License-Identifier: Apache-2.0
// torusmu regress leaves waves of what failed, also of runs that did not come to their end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <thread>

#include "sim/machine/cycle_file.h"
#include "sim/observe/wave_diff/fst_file.h"
#include "tests/support/regress_fixture.h"

namespace torusmu::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr std::uint64_t kUnits = 1000;  // of time in a cycle
constexpr std::uint64_t kWaveCycles = 300;

class RegressWaves : public RegressFixture {
 protected:
  // Ranks that start up to 10^9 cycles apart, on the engine that cannot jump over them: no computer
  // is through with that in a minute. The fast engine, which has the waves, is there at once.
  void write_plan_of_a_long_run(unsigned time_limit) const {
    std::ofstream(path("plan.json"))
        << R"({"time_limit": )" << time_limit
        << R"(, "tests": [{"replay": "tests/traces/lulesh-8.trace", "engines": ["mesh"],)"
        << R"( "options": ["--start-skew", "1000000000"]}]})";
  }
  // The program of the build, which has one that writes waves beside it.
  [[nodiscard]] std::string traced_command() const {
    return TORUSMU_BUILD "/torusmu regress " + path("plan.json") + " --output " + path("out") +
           " --wave-cycles " + std::to_string(kWaveCycles);
  }
  void expect_waves_up_to_the_last_cycle(const nlohmann::json& result) const {
    EXPECT_EQ(result["repeated"],
              "repeated with waves on the fast engine up to the last cycle that it had reached");
    const std::uint64_t cycles = result["cycles"];
    ASSERT_GT(cycles, kWaveCycles);
    const FstFile trace(result["waves"].get<std::string>());
    EXPECT_NEAR(static_cast<double>(trace.end()), static_cast<double>(cycles * kUnits), kUnits);
    EXPECT_NEAR(static_cast<double>(trace.end() - trace.start()), kWaveCycles * kUnits, kUnits);
    EXPECT_GT(fs::file_size(result["view"].get<std::string>()), 1000U);
    expect_a_page_of_the_machine(result);
  }
  // Though the run was told to write none: the repetition has it.
  void expect_a_page_of_the_machine(const nlohmann::json& result) const {
    EXPECT_EQ(result["page"], path("out/runs/1/tests/0001/report.html"));
    EXPECT_THAT(text_of("out/runs/1/tests/0001/report.html"), HasSubstr("id=\"machine-0\""));
    EXPECT_THAT(text_of("out/runs/1/report.html"),
                AllOf(HasSubstr("<a href=\"tests/0001/report.html\">"),
                      HasSubstr("id=\"test-1-machine-0\"")));
  }
};

TEST_F(RegressWaves, RepeatsAFailedRunWithWavesOfItsLastCycles) {
  const std::string plan = path("plan.json");
  std::ofstream(plan) << R"({"tests": [{"scenario": "put", "shapes": ["2x1x1"],
    "options": ["--inject", "flip-payload-bit:3"]}]})";
  const Output output = shell(TORUSMU_BUILD "/torusmu regress " + plan + " --output " +
                              path("out") + " --wave-cycles 300");
  EXPECT_EQ(output.status, 1) << output.text;
  const nlohmann::json result = result_of("put/2x1x1");
  EXPECT_EQ(result["repeated"], "failed again when it was repeated with waves");
  ASSERT_TRUE(result["view"].is_string());
  EXPECT_GT(fs::file_size(result["view"].get<std::string>()), 1000U);
  EXPECT_GT(fs::file_size(result["waves"].get<std::string>()), 1000U);
  expect_a_page_of_the_machine(result);
  // What failed, where, when, expected and got, and the command: it fails in the same way, and
  // finds the same cycles to show.
  EXPECT_THAT(output.text,
              ContainsRegex("put.bytes: node [01] cycle [0-9]+ expected 0x[0-9a-f]+, got 0x"));
  std::smatch command;
  ASSERT_TRUE(std::regex_search(output.text, command, std::regex("repeat with: (.*)")));
  const Output again =
      shell(command[1].str() + " --wave-cycles 300 --wave-on-fail " + path("alone.fst"));
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.text, HasSubstr(result["failures"][0]["detail"].get<std::string>()));
  const FstFile trace(result["waves"].get<std::string>()), alone(path("alone.fst"));
  EXPECT_EQ(trace.start(), alone.start());
  EXPECT_EQ(trace.end(), alone.end());
}

TEST_F(RegressWaves, AreNotMadeOfARunThatPassedThoughItWasToFail) {
  std::ofstream(path("plan.json")) << R"({"tests": [{"scenario": "put", "shapes": ["2x1x1"],
    "expect": "fail", "check": "put.bytes"}]})";
  const Output output = shell(traced_command());
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("all checks passed, but put.bytes was expected to fail"));
  EXPECT_THAT(output.text, Not(HasSubstr("repeated")));
}

TEST_F(RegressWaves, OfARunThatWaitedInVainEndWhereItLastMoved) {
  std::ofstream(path("plan.json")) << R"({"tests": [{"scenario": "put", "shapes": ["2x1x1"],
    "options": ["--inject", "drop-packet:9"]}]})";
  EXPECT_EQ(shell(traced_command()).status, 1);
  const nlohmann::json result = result_of("put/2x1x1");
  constexpr std::uint64_t kGivenUp = 1'000'000, kMoving = 20'000;  // cycles
  EXPECT_GT(result["cycles"].get<std::uint64_t>(), kGivenUp);
  for (const nlohmann::json& failure : result["failures"]) {
    EXPECT_GT(std::stoull(failure["cycle"].get<std::string>()), kGivenUp) << failure;
  }
  EXPECT_LT(FstFile(result["waves"].get<std::string>()).end(), kMoving * kUnits);
}

TEST_F(RegressWaves, SaysThatWavesNeedABuildOfTheirOwn) {
  std::ofstream(path("plan.json")) << R"({"tests": [{"scenario": "put", "shapes": ["2x1x1"],
    "options": ["--inject", "drop-packet:3"]}]})";
  const Output output = regress();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("failed runs are not repeated with waves: "));
  EXPECT_THAT(output.text, HasSubstr("make wave builds it"));
}

TEST_F(RegressWaves, OfARunThatTookTooLongEndInTheCycleThatItHadReached) {
  write_plan_of_a_long_run(2);
  const Output output = shell(traced_command());
  EXPECT_EQ(output.status, 1);
  const nlohmann::json result = result_of("replay-lulesh-8/mesh");
  EXPECT_EQ(result["status"], "timed out") << output.text;
  expect_waves_up_to_the_last_cycle(result);
}

TEST_F(RegressWaves, OfARunThatCrashedEndInTheCycleThatItHadReached) {
  write_plan_of_a_long_run(60);
  const std::string background = "(" + traced_command() + " > " + path("output.txt") +
                                 " 2>&1; touch " + path("ended") + ") > /dev/null 2>&1 &";
  ASSERT_EQ(shell(background).status, 0);
  const std::string cycle_file = path("out/runs/1/tests/0001/cycle");
  while (read_cycle_file(cycle_file).value_or(0) < 10 * kWaveCycles) {
    ASSERT_FALSE(fs::exists(path("ended"))) << text_of("output.txt");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(shell("pkill -SEGV -f -- '--cycle-fil[e] " + cycle_file + "'").status, 0);
  ASSERT_TRUE(comes("ended"));
  const nlohmann::json result = result_of("replay-lulesh-8/mesh");
  EXPECT_EQ(result["status"], "crashed") << text_of("output.txt");
  expect_waves_up_to_the_last_cycle(result);
}

TEST(CycleFiles, HaveTheCycleThatARunHasReachedOnEitherEngine) {
  const std::string file =
      fs::temp_directory_path() / ("torusmu-cycle-" + std::to_string(getpid()));
  for (const std::string engine : {"fast", "mesh"}) {
    const Output output = shell(TORUSMU_BUILD "/torusmu scenario put --mesh 2x2x2 --engine " +
                                engine + " --stop-at 1234 --cycle-file " + file);
    EXPECT_EQ(output.status, 1);
    EXPECT_THAT(output.text, HasSubstr("FAIL stopped: stopped at cycle 1234, as was asked for\n"));
    EXPECT_EQ(read_cycle_file(file), 1234U) << engine;
    fs::remove(file);
  }
}

TEST(CycleFiles, ThatCannotBeWrittenAreNamedWithTheReason) {
  const Output output = shell(TORUSMU_BUILD "/torusmu scenario put --cycle-file /nowhere/cycle");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("--cycle-file: cannot write /nowhere/cycle: No such file"));
  EXPECT_THAT(shell(TORUSMU_BUILD "/torusmu scenario put --cycle-file /dev/full").text,
              HasSubstr("--cycle-file: cannot write /dev/full: "));
}

}  // namespace
}  // namespace torusmu::testing
