// SPDX-License-Identifier: Apache-2.0
// --wave-on-fail: a run that fails leaves waves of what came before, and no other does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/observe/failure_view.h"
#include "sim/observe/wave_diff/fst_file.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using testing::shell;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::uint64_t kUnits = 1000;  // of time in a cycle

class WaveOnFail : public ::testing::Test {
 protected:
  WaveOnFail() { fs::create_directories(folder_); }
  ~WaveOnFail() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  [[nodiscard]] Output play(const std::string& arguments) const {
    return shell(TORUSMU_BUILD "/torusmu " + arguments + " --wave-on-fail " + fst());
  }
  [[nodiscard]] std::string fst() const { return (folder_ / "failed.fst").string(); }
  [[nodiscard]] std::string view() const {
    std::ifstream file(folder_ / "failed.gtkw");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] fs::path folder() const { return folder_; }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-on-fail-" + std::to_string(getpid()));
};

TEST_F(WaveOnFail, LeavesWavesOfWhatMovedLastIfTheRunThenHung) {
  const Output output =
      play("scenario put --inject flip-payload-bit:3 --wave-nodes 0-1 --wave-cycles 500 --json " +
           (folder() / "x.json").string());
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("gtkwave -a " + (folder() / "failed.gtkw").string() + " " + fst() + "\n"));
  const FstFile trace(fst());
  // Back to the fault, if that is not too far.
  EXPECT_LE(trace.end() - trace.start(), (8 * 500 + 100 + 64) * kUnits);
  EXPECT_GE(trace.end() - trace.start(), 499 * kUnits);  // to the last change in the last cycle
  // The run is given up after a million cycles; its packets were through long before.
  EXPECT_LT(trace.end(), 20'000 * kUnits);
  // What is printed of the failure is printed once.
  const std::size_t first = output.text.find("FAIL put.bytes");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(output.text.find("FAIL put.bytes", first + 1), std::string::npos);
}

TEST_F(WaveOnFail, LeavesWavesOfTheCyclesBeforeARunWasStopped) {
  const Output output = play("scenario put --stop-at 3000 --wave-nodes 0 --wave-cycles 500");
  EXPECT_EQ(output.status, 1) << output.text;
  const FstFile trace(fst());
  EXPECT_LE(trace.start(), 2500 * kUnits);
  EXPECT_GE(trace.end(), 2990 * kUnits);
}

TEST_F(WaveOnFail, MarksTheFailureInTheView) {
  const Output output = play("scenario reflection --inject flip-payload-bit:3 --wave-nodes 0");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(view(), ContainsRegex("\n-[A-Z]: cycle [0-9]+, failed: reflection.1_hops.bytes\n"));
}

// The failure is seen when a byte is missed, thousands of cycles behind what lost it.
TEST_F(WaveOnFail, OpensAtTheInjectedFaultWithItsNodesUnfolded) {
  const std::string json = (folder() / "x.json").string();
  const Output output =
      play("scenario put --inject drop-packet:9 --wave-cycles 500 --wave-nodes 0-7 --json " + json);
  EXPECT_EQ(output.status, 1) << output.text;
  std::ifstream file(json);
  const nlohmann::json inject = nlohmann::json::parse(file).at("inject");
  const auto cycle = inject.at("cycle").get<std::uint64_t>();
  const FstFile trace(fst());
  EXPECT_LT(trace.start(), cycle * kUnits);
  EXPECT_GT(trace.end(), cycle * kUnits);
  const std::string text = view();
  EXPECT_THAT(text, HasSubstr("cycle " + std::to_string(cycle) + ", injected fault\n"));
  const std::string node = std::to_string(inject.at("node").get<unsigned>());
  EXPECT_THAT(text, HasSubstr("@800200\n-node " + node + ": output of the fault"));
  EXPECT_THAT(text, HasSubstr("sender of what did not arrive"));
  // The window has the mark.
  const std::size_t at = text.find("[timestart] ") + 12;
  EXPECT_LT(std::stoull(text.substr(at)), cycle * kUnits);
}

TEST_F(WaveOnFail, ShowsTheSignalsOfTheInstanceWhoseAssertionFailed) {
  const Output output = shell(
      TORUSMU_BUILD "/torusmu scenario get --wave-nodes 1 --wave-window 0:100 --wave " + fst());
  EXPECT_EQ(output.status, 0) << output.text;
  FailedAssertion assertion;
  assertion.name = "a_credit";
  assertion.instance = "u_router";
  assertion.node = NodeId{1};
  const auto block = instance_block(assertion, fst());
  ASSERT_TRUE(block);
  EXPECT_EQ(block->title, "node 1: assertion a_credit");
  EXPECT_EQ(block->instance, "u_router");
  EXPECT_GT(block->signals.size(), 5U);
  for (const std::string& signal : block->signals) {
    EXPECT_THAT(signal, StartsWith("node_1.mu_gated_node.u_router."));
    EXPECT_THAT(signal.substr(30), Not(HasSubstr(".u_")));
  }
  assertion.instance = "u_nowhere";
  EXPECT_FALSE(instance_block(assertion, fst()));
}

// Nothing is evaluated behind it. A check, in contrast, may fail long after all came to rest.
TEST(FailureWindow, EndsWithTheAssertionThatStoppedTheRun) {
  MachineConfig config;
  config.engine.shape = {2, 1, 1};
  const Machine machine(config);
  CheckFailure failure{.cycle = 5000, .check = "assertion.a_credit", .assertion = {}};
  EXPECT_LT(failure_window(machine, failure, 2000).to, 5000U);
  failure.assertion.emplace();
  const CycleWindow window = failure_window(machine, failure, 2000);
  EXPECT_EQ(window.from, 3000U);
  EXPECT_EQ(window.to, 5001U);
}

TEST_F(WaveOnFail, WorksForAReplayAndInOneWord) {
  const Output output =
      shell(TORUSMU_BUILD
            "/torusmu replay tests/traces/lulesh-8.trace --quiet --inject drop-packet:40 "
            "--eager-limit=256 --wave-cycles=300 --wave-nodes 0 --wave-on-fail=" +
            fst());
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("waves of cycles "));
  EXPECT_TRUE(fs::exists(fst()));
}

TEST_F(WaveOnFail, LeavesNothingIfAllChecksPass) {
  const Output output = play("scenario get");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, Not(HasSubstr("gtkwave")));
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(WaveOnFail, IsRefusedBeforeTheRunWhereItCannotWork) {
  struct Bad {
    const char* arguments;
    const char* text;
  };
  for (const Bad& bad : {Bad{"scenario put --wave-on-fail x.vcd", ".fst"},
                         Bad{"scenario put --wave-on-fail /nowhere/x.fst", "cannot write"},
                         Bad{"scenario put --wave-on-fail x.fst --wave y.fst", "not with --wave"},
                         Bad{"scenario put --wave-on-fail x.fst --engine mesh", "fast only"},
                         Bad{"scenario put --wave-on-fail x.fst --wave-nodes 9", "0 to 7"},
                         Bad{"scenario put --wave-on-fail x.fst --wave-cycles 0", "1 to"},
                         Bad{"bench pipe --wave-on-fail x.fst", "machines of its own"}}) {
    const Output output = shell(std::string(TORUSMU_BUILD "/torusmu ") + bad.arguments);
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_THAT(output.text, HasSubstr(bad.text));
    EXPECT_THAT(output.text, Not(HasSubstr("ok  ")));
  }
}

}  // namespace
}  // namespace torusmu
