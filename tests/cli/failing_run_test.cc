// SPDX-License-Identifier: Apache-2.0
// Runs that fail, under circumstances that make it hard to say so: the verdict, exit status and all
// outputs are there in spite of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using testing::Output;
using testing::shell;
namespace fs = std::filesystem;

const std::string kProgram = std::string(TORUSMU_BUILD) + "/torusmu";
constexpr const char* kTrace = "# mpitrace 1\n# ranks 2\n0 send 1 8 1\n1 recv 0 8 1\n";

class FailingRun : public ::testing::Test {
 protected:
  FailingRun() { fs::create_directories(folder_); }
  ~FailingRun() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  static Output torusmu(const std::string& arguments) { return shell(kProgram + " " + arguments); }
  // What the run wrote to path("r.json").
  [[nodiscard]] nlohmann::json result() const {
    std::ifstream file(path("r.json"));
    return nlohmann::json::parse(file, nullptr, false);
  }
  std::string trace(const std::string& name) const {
    std::ofstream(path(name)) << kTrace;
    return path(name);
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-failing-" + std::to_string(getpid()));
};

// Programs wait when the run is over, for what they refer to is gone soon.
TEST_F(FailingRun, KeepsItsVerdictWhateverItsProgramsWaitFor) {
  for (const char* run :
       {"barrier --mesh 2x2x2 --inject drop-packet:55",
        "allreduce --mesh 2x2x2 --inject "
        "flip-payload-bit:89",
        "fence --inject drop-packet:400", "boot --inject drop-packet:300",
        "polling --inject drop-packet:300", "reduce-tree --mesh 2x2x1 --inject drop-packet:20"}) {
    fs::remove(path("r.json"));
    const Output output = torusmu(std::string("scenario ") + run + " --quiet --json " +
                                  path("r.json") + " --report " + path("r.html"));
    const nlohmann::json json = result();
    ASSERT_TRUE(json.is_object()) << run << ", status " << output.status << ": " << output.text;
    EXPECT_EQ(output.status, json["passed"] ? 0 : 1) << run;
    EXPECT_EQ(json["inject"]["hit"], true) << run;
    EXPECT_TRUE(fs::exists(path("r.html"))) << run;
  }
}

TEST_F(FailingRun, RepeatsItsFirstFailureInItsLastLine) {
  const Output output = torusmu(
      "scenario barrier --mesh 2x2x2 --inject drop-packet:55 --quiet --json " + path("r.json"));
  EXPECT_THAT(output.text,
              HasSubstr("checks failed, first run: core 0 of node 0 has not ended by cycle"));
  const nlohmann::json json = result();
  EXPECT_EQ(json["first_failure"]["name"], "run");
  EXPECT_GT(json["first_failure"]["cycle"], 0);
}

TEST_F(FailingRun, TellsWhichPacketTheFaultHit) {
  const Output output = torusmu("scenario put --inject drop-packet:9 --json " + path("r.json"));
  EXPECT_THAT(output.text, HasSubstr("the fault was put on the links: packet 9, PUT of "));
  const nlohmann::json fault = result()["inject"];
  EXPECT_EQ(fault["kind"], "drop-packet");
  EXPECT_EQ(fault["number"], 9);
  EXPECT_GT(fault["cycle"], 0);
  EXPECT_LT(fault["node"], 8);
  EXPECT_EQ(fault["packet"]["kind"], "PUT");
  EXPECT_THAT(output.text, HasSubstr("lost on link " + fault["direction"].get<std::string>() +
                                     " of node " + fault["node"].dump()));
}

// A full disk; a closed one; a pipe that nobody reads.
TEST_F(FailingRun, HasItsStatusAndResultThoughStderrTakesNothing) {
  const std::string barrier = "scenario barrier --mesh 2x2x2 --inject drop-packet:210 --quiet ";
  const std::string silent = "scenario put --mesh 2x1x1 --quiet ";
  for (const char* to : {"2>/dev/full", "2>&-", "2>&1 >/dev/null | true"}) {
    const std::string piped = to;
    const auto status = [&](const std::string& arguments) {
      const std::string keep =
          "{ " + kProgram + " " + arguments + "; echo $? >" + path("status") + "; } " + piped;
      fs::remove(path("r.json"));
      shell(keep);
      int number = -1;
      std::ifstream(path("status")) >> number;
      return number;
    };
    EXPECT_EQ(status("scenario nosuch"), 2) << to;
    EXPECT_EQ(status("replay nosuch.trace"), 2) << to;
    EXPECT_EQ(status("regress nosuch.json"), 2) << to;
    EXPECT_EQ(status("wave diff nosuch.fst nosuch.fst"), 2) << to;
    EXPECT_EQ(status(barrier + "--json " + path("r.json")), 1) << to;
    EXPECT_TRUE(result().is_object()) << to;
    EXPECT_EQ(status(silent + "--json " + path("r.json")), 0) << to;
    EXPECT_TRUE(result().is_object()) << to;
  }
}

TEST_F(FailingRun, WritesNothingIntoItsResultsThatIsMeantForAClosedStderr) {
  torusmu("scenario barrier --mesh 2x2x2 --inject drop-packet:210 --quiet --cycle-file " +
          path("cycle") + " --json " + path("r.json") + " 2>&-");
  EXPECT_EQ(fs::file_size(path("cycle")), 8U);
  EXPECT_TRUE(result().is_object());
}

TEST_F(FailingRun, IsOfATraceWhoseNameIsNoUtf8) {
  const std::string name = trace("caf\xe9.trace");
  EXPECT_EQ(torusmu("replay " + name + " --quiet --json " + path("r.json")).status, 0);
  EXPECT_EQ(result()["passed"], true);
}

TEST_F(FailingRun, OfATraceFromAPipeMayHaveOutputsButNoWaves) {
  const std::string piped = "cat " + trace("a.trace") + " | " + kProgram + " replay /dev/stdin ";
  EXPECT_EQ(shell(piped + "--json " + path("r.json") + " --report " + path("r.html")).status, 0);
  EXPECT_EQ(result()["passed"], true);
  for (const char* option : {"--wave", "--wave-on-fail"}) {
    const Output output = shell(piped + option + " " + path("w.fst"));
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_THAT(output.text, HasSubstr(std::string(option) + ": waves come from a second run, and "
                                                             "/dev/stdin can be read only once"));
  }
}

TEST_F(FailingRun, PrintsACommandThatAShellTakes) {
  fs::create_directories(path("my traces"));
  const std::string name = trace("my traces/it's.trace");
  const Output output = shell("cd " + path("") + " && " + fs::absolute(kProgram).string() +
                              " replay \"my traces/it's.trace\" --threads 2 --quiet --inject "
                              "drop-packet:99999");
  EXPECT_EQ(output.status, 1);
  const std::string before = "repeat with: ";
  const std::size_t at = output.text.find(before);
  ASSERT_NE(at, std::string::npos) << output.text;
  const std::string line = output.text.substr(at + before.size());
  const std::string command = line.substr(0, line.find('\n'));
  EXPECT_THAT(command,
              HasSubstr(fs::absolute(kProgram).string() + " replay 'my traces/it'\\''s.trace' "));
  EXPECT_THAT(command, HasSubstr(" --threads 2 "));
  const Output again = shell("cd " + path("") + " && " + command);
  EXPECT_EQ(again.status, 1) << again.text;
  EXPECT_THAT(again.text, HasSubstr("fewer packets than --inject counts to"));
}

// The rules that these tests hold in a few places hold in all.
TEST(SourcesOfTheSimulator, WriteToStderrAndJsonByOneFunctionEach) {
  EXPECT_EQ(shell("grep -rlE 'fmt::print\\(stderr|fputs\\(.*stderr|std::cerr' sim host "
                  "--include=*.cc --include=*.h | grep -v _main.cc")
                .text,
            "");
  EXPECT_EQ(shell("grep -rlE '\\.dump\\(2' sim host --include=*.cc").text, "");
}

}  // namespace
}  // namespace torusmu
