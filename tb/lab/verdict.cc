// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/verdict.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace torusmu::lab {
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

// GoogleTest's report, --gtest_output=json: each test, and the cycles and seed of the program.
void take_gtest(const std::string& text, Result* result) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  for (const auto& suite : json.value("testsuites", nlohmann::json::array())) {
    for (const auto& test : suite.value("testsuite", nlohmann::json::array())) {
      if (test.value("status", "") != "RUN") continue;
      result->checks.push_back({.name = suite.value("name", "") + "." + test.value("name", ""),
                                .passed = !test.contains("failures"),
                                .seconds = std::strtod(test.value("time", "0s").c_str(), nullptr)});
    }
  }
  result->cycles = std::strtoull(json.value("cycles", "0").c_str(), nullptr, 10);
  result->seeds = json.value("seed", "");
  if (result->seeds.empty()) result->seeds = "each its own";
}

// What a runner has left that the job has started.
void take_runner(const std::string& text, Result* result) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  for (const auto& test : json.value("tests", nlohmann::json::array())) {
    result->checks.push_back({.name = test.at("job").value("name", ""),
                              .passed = test.value("status", "") == status_name(Status::kPassed),
                              .seconds = test.value("seconds", 0.0)});
  }
  result->cycles = json.value("cycles", std::uint64_t{0});
  if (json.contains("master_seed")) result->seeds = json["master_seed"].dump();
}

// Lines "CYCLES 100" and "SEED 1" of a command.
void take_lines(const std::string& output, Result* result) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("CYCLES ")) {
      result->cycles += std::strtoull(line.c_str() + sizeof "CYCLES", nullptr, 10);
    } else if (line.starts_with("SEED ")) {
      result->seeds = line.substr(sizeof "SEED");
    }
  }
}

enum class Word { kNone, kPassed, kFailed };

// What the file of --json says, into the result. kNone if it is not whole.
Word take_json(const std::string& text, Result* result) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("passed") || !json.contains("checks")) return Word::kNone;
  result->cycles = json.value("cycles", std::uint64_t{0});
  result->figures = json.value("figures", nlohmann::json::object());
  result->figures[kCycles] = result->cycles;
  for (const auto& check : json["checks"]) {
    if (!check.value("passed", false)) {
      result->failures.push_back(failure_of(check.value("name", ""), check.value("detail", "")));
      std::string& cycle = result->failures.back().cycle;
      // What the detail tells is where it went wrong; a check is made later.
      if (cycle.empty() && check.contains("cycle")) cycle = check["cycle"].dump();
    }
  }
  return json["passed"] == true ? Word::kPassed : Word::kFailed;
}

// Those that a process gets for what it does itself; abort() is that of an assertion.
bool is_of_its_own(int signal) {
  constexpr std::array kOwn{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  return std::find(kOwn.begin(), kOwn.end(), signal) != kOwn.end();
}

void judge_signal(const Ending& ending, Result* result) {
  const bool own = is_of_its_own(ending.signal);
  result->status = own ? Status::kCrashed : Status::kKilled;
  result->reason = fmt::format("ended by signal {} ({})", ending.signal, strsignal(ending.signal));
  // What terminate() and assert() say.
  const std::string word = ending.signal == SIGABRT ? last_word(ending.output) : "";
  if (!word.empty()) result->reason += ": " + word;
}

std::string names_of(const std::vector<Failure>& failures) {
  std::string names;
  for (const Failure& failure : failures) names += (names.empty() ? "" : ", ") + failure.check;
  return names;
}

// Of a job that must or may fail and ended by itself. `said`: its files tell of checks that failed.
void judge_expected(bool said, Result* result) {
  const Job& job = result->job;
  const bool failed = result->status == Status::kFailed && said && !result->failures.empty();
  if (job.expect == Expect::kVerdict) {
    if (!failed) return;
  } else if (result->status == Status::kPassed) {
    result->status = Status::kFailed;
    result->reason = fmt::format("all checks passed, but {} was expected to fail", job.check);
    return;
  } else if (!failed) {
    return;
  } else if (std::none_of(result->failures.begin(), result->failures.end(), [&](const Failure& f) {
               return fnmatch(job.check.c_str(), f.check.c_str(), 0) == 0;
             })) {
    result->reason = fmt::format("{} was expected to fail, but did not; failed: {}", job.check,
                                 names_of(result->failures));
    return;
  }
  result->status = Status::kPassed;
  result->reason.clear();
}

// A status of its own program with neither a verdict nor a refusal of what it was given: an
// exception that nobody meant, a sanitizer.
bool has_no_verdict(const Ending& ending, const Job& job, Word word) {
  constexpr int kRefused = 2;
  return !job.is_gtest() && !job.is_run() && ending.exit_status != kRefused && word == Word::kNone;
}

}  // namespace

// What torusmu says in its own name may stand above what it had said before, for that comes to a
// file when it ends. If a command line was refused, the last line is a word on --help.
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

void judge_limits(Result* result) {
  for (const Beyond& one : beyond(result->job.limits, result->figures)) {
    const std::string name = "limit of " + one.limit.figure;
    if (one.limit.warns) {
      result->warnings.push_back(name + ": " + one.text);
      continue;
    }
    result->failures.push_back({.check = name,
                                .detail = one.text,
                                .node = "",
                                .cycle = "",
                                .got = one.now,
                                .expected = one.limit.last.is_null() ? "" : one.limit.last.dump()});
    if (result->status == Status::kPassed) result->reason = name + ": " + one.text;
    result->status = Status::kFailed;
  }
}

void judge(const Ending& ending, Result* result) {
  const Job& job = result->job;
  const Word word = job.is_gtest() || job.is_run() ? Word::kNone : take_json(ending.json, result);
  bool file_says_passed = word == Word::kPassed;
  if (job.is_gtest()) {
    result->failures = gtest_failures(ending.output);
    take_gtest(ending.json, result);
    file_says_passed = true;
  } else if (job.is_run()) {
    take_lines(ending.output, result);
    take_runner(ending.json, result);
    file_says_passed = job.results.empty() || !result->checks.empty();
  }
  if (ending.timed_out) {
    result->status = Status::kTimedOut;
    result->reason = fmt::format("not done after {} s", job.time_limit);
    return;
  }
  if (ending.exit_status == -1) {
    judge_signal(ending, result);
    return;
  }
  if (ending.exit_status != 0 && has_no_verdict(ending, job, word)) {
    result->status = Status::kCrashed;
    result->reason = fmt::format("exit status {} without a verdict: {}", ending.exit_status,
                                 last_word(ending.output));
  } else if (ending.lacks_page && ending.exit_status <= 1) {
    result->status = Status::kSilent;
    result->reason = fmt::format("exit status {}, but it left no page", ending.exit_status);
  } else if (ending.exit_status != 0) {
    result->status = Status::kFailed;
    result->reason =
        result->failures.empty()
            ? fmt::format("exit status {}: {}", ending.exit_status, last_word(ending.output))
            : fmt::format("{}: {}", result->failures.front().check,
                          result->failures.front().detail);
  } else if (!job.is_run() && !says_passed(job, ending.output)) {
    result->status = Status::kSilent;
    result->reason = fmt::format("exit status 0, but its output has no \"{}\"",
                                 job.is_gtest() ? "[  PASSED  ] N tests" : "N checks passed");
  } else if (!file_says_passed) {
    result->status = Status::kSilent;
    result->reason = "exit status 0, but its result file is not whole or says otherwise";
  } else {
    result->status = Status::kPassed;
  }
  if (job.expect != Expect::kPass) {
    judge_expected(ending.exit_status == 1 && word == Word::kFailed, result);
  }
}

}  // namespace torusmu::lab
