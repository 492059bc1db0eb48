// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/verdict.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace torusmu::regress {
namespace {

constexpr std::size_t kLongestDetail = 2000;

// The word that only a run prints that checked something and found all of it right.
bool says_passed(const Job& job, const std::string& output) {
  static const std::regex kTests(R"(^\[  PASSED  \] [1-9][0-9]* tests?\.$)");
  static const std::regex kChecks("^.+: [1-9][0-9]* checks passed$");
  const std::regex& word = job.is_gtest() ? kTests : kChecks;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < kLongestDetail && std::regex_match(line, word)) return true;
  }
  return false;
}

std::string first_group(const std::string& text, const std::regex& pattern) {
  std::smatch found;
  return std::regex_search(text, found, pattern) ? found[1].str() : "";
}

// "8 of 667208 bytes wrong; first: node 2 address 0x420040 holds 0xa5, not 0x6b"
Failure failure_of(const std::string& check, std::string detail) {
  static const std::regex kNode("\\bnode:? ([0-9]+)");
  static const std::regex kCycle("\\bcycle:? ([0-9]+)");
  // Values whose meaning is plain; of other sentences the reader has the whole.
  static const std::regex kBoth(
      "(?:holds|reads|is|has|counts|byte [0-9]+:) ([^ ,;]+)(?: [a-z]+)?, not ([^ ,;]+)");
  if (detail.size() > kLongestDetail) detail.resize(kLongestDetail);
  Failure failure{.check = check,
                  .detail = detail,
                  .node = first_group(detail, kNode),
                  .cycle = first_group(detail, kCycle),
                  .got = "",
                  .expected = ""};
  std::smatch found;
  if (std::regex_search(detail, found, kBoth)) {
    failure.got = found[1].str();
    failure.expected = found[2].str();
  }
  return failure;
}

// The first lines of each failure that GoogleTest prints, and the names of the tests.
std::vector<Failure> gtest_failures(const std::string& output) {
  constexpr std::size_t kMost = 5;
  static const std::regex kTest(R"(^\[ RUN      \] (.*)$)");
  std::vector<Failure> failures;
  std::istringstream lines(output);
  std::string test, detail;
  bool inside = false;
  const auto close = [&] {
    if (inside) failures.push_back(failure_of(test, detail));
    inside = false;
    detail.clear();
  };
  for (std::string line; std::getline(lines, line) && failures.size() < kMost;) {
    if (line.size() > kLongestDetail) line.resize(kLongestDetail);
    std::smatch found;
    if (std::regex_match(line, found, kTest)) {
      close();
      test = found[1].str();
    } else if (line.ends_with(": Failure")) {
      close();
      inside = true;
      detail = line;
    } else if (inside && (line.empty() || line.starts_with("["))) {
      close();
    } else if (inside) {
      detail += "\n" + line;
    }
  }
  close();
  return failures;
}

// What the file of --json says, into the result. False if it is not whole or not of a run that
// passed.
bool take_json(const std::string& text, Result* result) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("passed") || !json.contains("checks")) return false;
  result->cycles = json.value("cycles", std::uint64_t{0});
  for (const auto& check : json["checks"]) {
    if (!check.value("passed", false)) {
      result->failures.push_back(failure_of(check.value("name", ""), check.value("detail", "")));
      std::string& cycle = result->failures.back().cycle;
      // What the detail tells is where it went wrong; a check is made later.
      if (cycle.empty() && check.contains("cycle")) cycle = check["cycle"].dump();
    }
  }
  return json["passed"] == true;
}

// Why a process says that it ended: the last line that torusmu says in its own name, which may
// stand above what it had said before, for that comes to a file when it ends; else the last line,
// but one if a command line was refused.
std::string last_word(const std::string& output) {
  std::istringstream lines(output);
  std::string own, last;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("torusmu: ")) own = line;
    if (!line.empty() && !line.starts_with("Run with --help")) last = line;
  }
  std::string& word = own.empty() ? last : own;
  if (word.size() > kLongestDetail) word.resize(kLongestDetail);
  return word;
}

}  // namespace

void judge(const Ending& ending, Result* result) {
  const Job& job = result->job;
  bool file_says_passed = take_json(ending.json, result);
  if (job.is_gtest()) {
    result->failures = gtest_failures(ending.output);
    file_says_passed = true;
  }
  if (ending.timed_out) {
    result->status = Status::kTimedOut;
    result->reason = fmt::format("not done after {} s", job.time_limit);
  } else if (ending.exit_status == -1) {
    result->status = Status::kKilled;
    result->reason =
        fmt::format("ended by signal {} ({})", ending.signal, strsignal(ending.signal));
  } else if (ending.exit_status != 0) {
    result->status = Status::kFailed;
    result->reason =
        result->failures.empty()
            ? fmt::format("exit status {}: {}", ending.exit_status, last_word(ending.output))
            : fmt::format("{}: {}", result->failures.front().check,
                          result->failures.front().detail);
  } else if (!says_passed(job, ending.output)) {
    result->status = Status::kSilent;
    result->reason = fmt::format("exit status 0, but its output has no \"{}\"",
                                 job.is_gtest() ? "[  PASSED  ] N tests" : "N checks passed");
  } else if (!file_says_passed) {
    result->status = Status::kSilent;
    result->reason = "exit status 0, but its result file is not whole or says otherwise";
  } else {
    result->status = Status::kPassed;
  }
}

}  // namespace torusmu::regress
