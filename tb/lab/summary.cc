// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/observe/quoted.h"

namespace torusmu::lab {
namespace {

// " node 3" for a value that is known.
std::string known(const char* what, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {} {}", what, value);
}

std::string indented(const std::string& text, const std::string& margin) {
  std::string lines;
  for (const char c : text) lines += c == '\n' ? "\n" + margin : std::string(1, c);
  return lines;
}

// Of limits: how many were gone beyond without a failure, how many had nothing to hold to.
std::string limits_text(const Summary& summary) {
  std::size_t warnings = 0, without = 0;
  for (const Result& result : summary.results) {
    warnings += result.warnings.size();
    for (const Limit& limit : result.job.limits) without += limit.last.is_null() ? 1 : 0;
  }
  std::string text = warnings == 0 ? "" : fmt::format(", {} warnings", warnings);
  if (without != 0) {
    text +=
        fmt::format("\n{} limits without an earlier good run: they hold from this one on", without);
  }
  return text;
}

}  // namespace

std::size_t Summary::count(Status status) const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [status](const Result& result) { return result.status == status; }));
}

std::string duration_text(double seconds) {
  constexpr long kMinute = 60, kHour = 3600;
  const long whole = std::lround(seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (whole < kMinute) return fmt::format("{} s", whole);
  if (whole < kHour) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  return fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
}

std::string failure_text(const Result& result) {
  std::string text =
      fmt::format("FAIL {} ({}, {:.1f} s): {}\n", result.job.name, status_name(result.status),
                  result.seconds, indented(result.reason, "       "));
  for (const Failure& failure : result.failures) {
    text += fmt::format("     {}:{}{}", failure.check, known("node", failure.node),
                        known("cycle", failure.cycle));
    if (!failure.expected.empty()) {
      text += fmt::format(" expected {}, got {}", failure.expected, failure.got);
    }
    text += fmt::format("\n       {}\n", indented(failure.detail, "       "));
  }
  text += fmt::format("     seed {}, {} cycles simulated\n     repeat with: {}\n", result.job.seed,
                      result.cycles, result.job.command());
  if (!result.output.empty()) text += "     output: " + result.output + "\n";
  if (!result.repeated.empty()) text += "     " + result.repeated + "\n";
  if (!result.view.empty()) {
    text += fmt::format("     waves: {}\n", quoted({"gtkwave", "-a", result.view, result.waves}));
  }
  if (!result.page.empty()) text += fmt::format("     page: {}\n", result.page);
  return text;
}

std::string warning_text(const Result& result) {
  std::string text;
  for (const std::string& warning : result.warnings) {
    text += fmt::format("WARN {}: {}\n", result.job.name, warning);
  }
  return text;
}

std::string summary_text(const Summary& summary) {
  std::uint64_t cycles = 0;
  double work = 0;
  for (const Result& result : summary.results) {
    cycles += result.cycles;
    work += result.seconds;
  }
  std::string counts;
  for (const Status status :
       {Status::kPassed, Status::kFailed, Status::kSilent, Status::kTimedOut, Status::kKilled,
        Status::kCrashed, Status::kLost, Status::kUnfinished}) {
    const std::size_t count = summary.count(status);
    if (count == 0 && status != Status::kPassed && status != Status::kFailed) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, status_name(status));
  }
  return fmt::format(
      "run {}: {}, {} tests in {} ({} one after another, without repetitions), {} cycles "
      "simulated\n"
      "master seed {}{}, results in {}\n{}\n",
      summary.run.number, summary.run.plan, summary.results.size(), duration_text(summary.seconds),
      duration_text(work), cycles, summary.run.master_seed,
      summary.run.commit.empty() ? "" : ", commit " + summary.run.commit, summary.folder,
      counts + limits_text(summary));
}

nlohmann::json summary_json(const Summary& summary) {
  nlohmann::json tests = nlohmann::json::array();
  std::uint64_t cycles = 0;
  for (const Result& result : summary.results) {
    tests.push_back(result_to_json(result));
    cycles += result.cycles;
  }
  return {{"run", summary.run.number},
          {"plan", summary.run.plan},
          {"master_seed", summary.run.master_seed},
          {"host", summary.run.host},
          {"commit", summary.run.commit},
          {"started", summary.run.started},
          {"seconds", summary.seconds},
          {"folder", summary.folder},
          {"cycles", cycles},
          {"passed", summary.count(Status::kPassed)},
          {"failed", summary.failed()},
          {"tests", tests}};
}

}  // namespace torusmu::lab
