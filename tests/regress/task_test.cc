// SPDX-License-Identifier: Apache-2.0
// What a job leaves that failed and was repeated with waves.
#include "tb/lab/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/app/plan_machines.h"
#include "tb/lab/result.h"

namespace torusmu::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace fs = std::filesystem;

constexpr const char* kRefusal = "echo 'torusmu: torusmu-wave is of another build'; exit 2";

class Task : public ::testing::Test {
 protected:
  Task() { fs::create_directories(folder_); }
  ~Task() override { fs::remove_all(folder_); }

  // What a scenario comes to that fails if one of its words is `bad`.
  [[nodiscard]] Result result_of(const std::string& bad, const std::string& engine) const {
    const std::string program = folder_ / "torusmu";
    std::ofstream(program) << R"(#!/bin/sh
passed=true
for word; do
  case $before in --json) json=$word ;; )"
                           << files_ << R"() echo x > "$word" ;; esac
  case $word in )" << bad << R"() passed=false ;; esac
  before=$word
done
)" << (once_ ? "[ ! -e $0.ran ] || passed=true; touch $0.ran\n" : "")
                           << R"(case "$*" in *--wave-on-fail*) )" << (refused_ ? kRefusal : "")
                           << R"( ;; esac
[ -z "$json" ] || echo "{\"passed\": $passed, \"cycles\": 9, \"checks\": []}" > "$json"
$passed && echo "put: 1 checks passed"
)";
    fs::permissions(program, fs::perms::owner_all);
    std::ofstream(program + "-wave") << "";
    Job job;
    job.number = 1;
    job.name = "put/1";
    job.time_limit = 60;
    job.words = {program, "scenario", "put", "--engine", engine};
    if (limit_) job.limits = {*limit_};
    const RunFolder run{folder_ / "run"};
    write_job(run, job, {.wave_cycles = 10, .page = false});
    EXPECT_EQ(run_task(run, 1, &plan_machines()), 0);
    return read_result(run.of_job(1) + "result.json", job).value();
  }
  static void expect_nothing_of_the_repetition(const Result& result) {
    EXPECT_EQ(result.status, Status::kFailed);
    EXPECT_EQ(result.page, "");
    EXPECT_EQ(result.waves, "");
    EXPECT_FALSE(fs::exists(fs::path(result.output).replace_filename("report.html")));
  }

  std::string files_ = "--report|--wave-on-fail";  // whose files are written
  bool refused_ = false;                           // with waves
  std::optional<Limit> limit_;
  bool once_ = false;  // it fails when it first runs alone

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-task-" + std::to_string(getpid()));
};

TEST_F(Task, ThatFailsOnTheMeshEngineAloneTellsThatTheEnginesDiffer) {
  const Result result = result_of("mesh", "mesh");
  EXPECT_THAT(result.repeated,
              HasSubstr("passed when it was repeated on the fast engine with waves, failed again "
                        "when it was repeated as it was: the engines differ; "));
  expect_nothing_of_the_repetition(result);
}

TEST_F(Task, ThatFailsOnlyWithoutWavesTellsThatTheProgramsDiffer) {
  const Result result = result_of("--json", "fast");
  EXPECT_THAT(result.repeated,
              HasSubstr("passed when it was repeated with waves, failed again when "
                        "it was repeated as it was: the programs with waves and "
                        "without differ; "));
  expect_nothing_of_the_repetition(result);
}

TEST_F(Task, ThatPassesWhenItIsRepeatedTellsThatTheSeedAloneDoesNotDecide) {
  once_ = true;
  const Result result = result_of("--json", "fast");
  EXPECT_THAT(result.repeated,
              HasSubstr("passed when it was repeated with waves and when it was repeated as it "
                        "was: the seed alone does not decide; "));
  EXPECT_GT(result.repeat_seconds, 0);
  expect_nothing_of_the_repetition(result);
}

TEST_F(Task, ThatFailsAgainHasPageAndWavesOfTheRepetition) {
  for (const std::string engine : {"fast", "mesh"}) {
    const Result result = result_of("put", engine);
    EXPECT_EQ(result.repeated, std::string("failed again when it was repeated with waves") +
                                   (engine == "mesh" ? " on the fast engine" : ""));
    EXPECT_TRUE(fs::exists(result.page));
    EXPECT_TRUE(fs::exists(result.waves));
  }
}

TEST_F(Task, WhoseWavesCouldNotBeWrittenTellsWhereTheReasonIs) {
  files_ = "--report";
  EXPECT_THAT(result_of("put", "fast").repeated,
              MatchesRegex("no waves: what it said with them is in .*/0001/waves.txt"));
}

TEST_F(Task, WhoseWavesAreRefusedTellsTheReason) {
  refused_ = true;
  EXPECT_THAT(result_of("put", "fast").repeated,
              MatchesRegex("no waves: what it said with them is in .*/0001/waves.txt: "
                           "torusmu: torusmu-wave is of another build"));
}

TEST_F(Task, WhoseFigureIsBeyondItsLimitIsNotRepeated) {
  limit_ = parse_limit("cycles", "1 %");
  limit_->last = 5;
  const Result result = result_of("nothing", "fast");
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_EQ(result.reason, "limit of cycles: 9 is 80.00 % above 5 of run 0, more than 1 %");
  EXPECT_EQ(result.repeated, "");
}

}  // namespace
}  // namespace torusmu::lab
