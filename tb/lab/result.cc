// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/result.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "tb/lab/files.h"

namespace torusmu::lab {
namespace {

constexpr std::array kNames{"passed", "failed",  "silent", "timed out",
                            "killed", "crashed", "lost",   "unfinished"};

}  // namespace

const char* status_name(Status status) { return kNames.at(static_cast<std::size_t>(status)); }

Status status_of(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Status>(i);
  }
  throw std::invalid_argument("no status of a test: " + name);
}

std::size_t Result::passed_checks() const {
  if (checks.empty()) return passed() ? 1 : 0;
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& check) { return check.passed; }));
}

std::size_t Result::failed_checks() const {
  const std::size_t failed = checks.size() - std::min(checks.size(), passed_checks());
  return passed() ? failed : std::max<std::size_t>(1, failed);
}

nlohmann::json result_to_json(const Result& result) {
  nlohmann::json checks = nlohmann::json::array();
  for (const Check& check : result.checks) {
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"seconds", check.seconds}});
  }
  nlohmann::json failures = nlohmann::json::array();
  for (const Failure& failure : result.failures) {
    failures.push_back({{"check", failure.check},
                        {"detail", failure.detail},
                        {"node", failure.node},
                        {"cycle", failure.cycle},
                        {"got", failure.got},
                        {"expected", failure.expected}});
  }
  return {{"job", job_to_json(result.job)},
          {"command", result.job.command()},
          {"status", status_name(result.status)},
          {"reason", result.reason},
          {"seconds", result.seconds},
          {"started", result.started},
          {"repeat_seconds", result.repeat_seconds},
          {"host", result.host},
          {"cycles", result.cycles},
          {"figures", result.figures},
          {"failures", failures},
          {"warnings", result.warnings},
          {"output", result.output},
          {"waves", result.waves},
          {"view", result.view},
          {"page", result.page},
          {"repeated", result.repeated},
          {"checks", checks},
          {"seeds", result.seeds},
          {"kept", result.kept}};
}

Result result_from_json(const nlohmann::json& json) {
  Result result;
  result.job = job_from_json(json.at("job"));
  result.status = status_of(json.at("status").get<std::string>());
  json.at("reason").get_to(result.reason);
  json.at("seconds").get_to(result.seconds);
  json.at("started").get_to(result.started);
  json.at("repeat_seconds").get_to(result.repeat_seconds);
  json.at("host").get_to(result.host);
  json.at("cycles").get_to(result.cycles);
  for (const nlohmann::json& failure : json.at("failures")) {
    result.failures.push_back({.check = failure.at("check"),
                               .detail = failure.at("detail"),
                               .node = failure.at("node"),
                               .cycle = failure.at("cycle"),
                               .got = failure.at("got"),
                               .expected = failure.at("expected")});
  }
  result.figures = json.at("figures");
  json.at("warnings").get_to(result.warnings);
  json.at("output").get_to(result.output);
  json.at("waves").get_to(result.waves);
  json.at("view").get_to(result.view);
  json.at("page").get_to(result.page);
  json.at("repeated").get_to(result.repeated);
  for (const nlohmann::json& check : json.at("checks")) {
    result.checks.push_back(
        {.name = check.at("name"), .passed = check.at("passed"), .seconds = check.at("seconds")});
  }
  json.at("seeds").get_to(result.seeds);
  json.at("kept").get_to(result.kept);
  return result;
}

std::optional<Result> read_result(const std::string& file, const Job& job) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    Result result = result_from_json(nlohmann::json::parse(read_file(file)));
    if (result.job.name != job.name || result.job.seed != job.seed) return std::nullopt;
    return result;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace torusmu::lab
