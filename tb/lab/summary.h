// SPDX-License-Identifier: Apache-2.0
// What a run came to, for people, for scripts and for those who read JUnit's XML.
#ifndef TORUSMU_TB_LAB_SUMMARY_H_
#define TORUSMU_TB_LAB_SUMMARY_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/lab/history.h"
#include "tb/lab/result.h"

namespace torusmu::lab {

struct Summary {
  RunInfo run;
  std::string folder;  // of the run
  double seconds = 0;  // from beginning to end
  std::vector<Result> results;

  [[nodiscard]] std::size_t count(Status status) const;
  [[nodiscard]] std::size_t failed() const { return results.size() - count(Status::kPassed); }
};

// A failed test: what, where, expected and got, how to repeat it and where its waves are.
std::string failure_text(const Result& result);
// A line for each limit that is no failure.
std::string warning_text(const Result& result);
// The last lines of a run: what it ran, how long, how many cycles, its master seed.
std::string summary_text(const Summary& summary);
nlohmann::json summary_json(const Summary& summary);
// XML as Jenkins, GitLab and others read it: a suite for the plan, a case for each test, its seed
// and command as properties.
std::string junit_xml(const Summary& summary);
// 75 -> "1 min 15 s".
std::string duration_text(double seconds);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_SUMMARY_H_
