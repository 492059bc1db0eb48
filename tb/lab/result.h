// SPDX-License-Identifier: Apache-2.0
// What became of a job. Its file result.json is written once, whole, by the process that ran it.
#ifndef TORUSMU_TB_LAB_RESULT_H_
#define TORUSMU_TB_LAB_RESULT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/lab/jobs.h"

namespace torusmu::lab {

enum class Status {
  kPassed,
  kFailed,     // a check failed, or the exit status was not 0
  kSilent,     // exit status 0, but its output or its result file does not say that it passed
  kTimedOut,   // ended by the runner after its time limit
  kKilled,     // ended by a signal from outside that the runner did not send
  kCrashed,    // ended by a signal of its own, or without a verdict
  kLost,       // no result: what ran the job was ended, or could not write
  kUnfinished  // the run was broken off before the job had ended
};

// "passed", "failed", "silent", "timed out", "killed", "crashed", "lost", "unfinished".
const char* status_name(Status status);
// Throws std::invalid_argument for another text.
Status status_of(const std::string& name);

// A check that failed. What its detail does not tell stays empty.
struct Failure {
  std::string check;
  std::string detail;
  std::string node, cycle;
  std::string got, expected;
};

// One check of a job that makes several: a test of GoogleTest, a test of a runner.
struct Check {
  std::string name;
  bool passed = false;
  double seconds = 0;
};

struct Result {
  Job job;
  Status status = Status::kUnfinished;
  std::string reason;  // one line; empty: passed
  double seconds = 0;
  double started = 0;         // seconds since 1970, by the clock of `host`; 0: it never did
  double repeat_seconds = 0;  // of the repetition
  std::string host;           // that ran it
  std::uint64_t cycles = 0;   // simulated; 0: not known
  // By name, those that the run reports and `cycles`; empty without a result file.
  nlohmann::json figures = nlohmann::json::object();
  std::vector<Check> checks;          // of a job that makes several; else it is one itself
  std::string seeds;                  // that it says it had, where it chose them by itself
  bool kept = false;                  // it did not run: no input has changed since it passed
  std::vector<Failure> failures;      // also of a run that was expected to fail, and passed
  std::vector<std::string> warnings;  // limits that are no failures
  std::string output;                 // file
  std::string waves, view;            // files; empty: none
  std::string page;                   // file; empty: none
  std::string repeated;               // what the repetition came to; empty: there was none

  [[nodiscard]] bool passed() const { return status == Status::kPassed; }
  // Its checks, and itself if it failed for another reason than one of them.
  [[nodiscard]] std::size_t passed_checks() const;
  [[nodiscard]] std::size_t failed_checks() const;
};

nlohmann::json result_to_json(const Result& result);
// Throws nlohmann::json::exception or std::invalid_argument for what result_to_json did not write.
Result result_from_json(const nlohmann::json& json);

// Nothing if there is no result file, or one that is not whole or of another job.
std::optional<Result> read_result(const std::string& file, const Job& job);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_RESULT_H_
