// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/jobs.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/observe/json_text.h"
#include "sim/observe/quoted.h"

namespace torusmu::lab {
namespace {

// One of the values that a list of the plan gives; the empty one stands for an empty list.
std::vector<std::string> or_none(const std::vector<std::string>& list) {
  return list.empty() ? std::vector<std::string>{""} : list;
}

constexpr std::array kExpected{"pass", "fail", "verdict"};

// The words of the command that do not depend on shape, latency, engine and threads.
std::vector<std::string> first_words(const PlanTest& test, const std::string& program,
                                     const std::string& tests_folder) {
  switch (test.kind) {
    case PlanTest::Kind::kScenario:
      return {program, "scenario", test.what};
    case PlanTest::Kind::kReplay:
      return {program, "replay", test.what};
    case PlanTest::Kind::kBench:
      return {program, "bench", test.what};
    case PlanTest::Kind::kRun:
      return test.run;
    default:
      return {tests_folder + "/" + test.what, "--gtest_filter=" + test.filter};
  }
}

void add_drawn(const Draw& draw, Job* job) {
  const Drawn machine = drawn(draw, job->seed);
  job->words.insert(job->words.end(), machine.words.begin(), machine.words.end());
  if (machine.has_fault) job->expect = Expect::kVerdict;
  job->has_page = machine.has_page;
}

}  // namespace

const char* expect_name(Expect expect) { return kExpected.at(static_cast<std::size_t>(expect)); }

std::optional<Expect> expect_of(const std::string& name) {
  const auto found = std::find(kExpected.begin(), kExpected.end(), name);
  if (found == kExpected.end()) return std::nullopt;
  return static_cast<Expect>(found - kExpected.begin());
}

unsigned Job::threads() const {
  const auto option = std::find(words.begin(), words.end(), "--threads");
  if (is_gtest() || is_run() || option == words.end() || option + 1 == words.end()) {
    return static_cast<unsigned>(cores);
  }
  return static_cast<unsigned>(std::stoul(*(option + 1)));
}

std::string Job::command() const {
  return (is_gtest() && has_seed ? fmt::format("TORUSMU_SEED={} ", seed) : "") + quoted(words);
}

std::uint64_t seed_of(std::uint64_t master, const std::string& name) {
  const std::string text = fmt::format("{}:{}", master, name);
  return crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
}

namespace {

// Seeds that change nothing but what is sent would play one timing again and again; figures with
// limits are compared with the seeds of another night.
bool has_timing_by_seed(const PlanTest& test) {
  const bool plays = test.kind == PlanTest::Kind::kScenario || test.kind == PlanTest::Kind::kReplay;
  return plays && test.timings.empty() && test.limits.empty() && !test.draw;
}

// A command has no machine to vary. Of a program in shards, each shard is a job.
template <typename Add>
void add_check(const PlanTest& test, const std::string& tests_folder, const Add& add) {
  const std::vector<std::string> words = first_words(test, "", tests_folder);
  if (test.shards == 0) return add(test, test.name, words);
  for (std::uint64_t shard = 0; shard < test.shards; ++shard) {
    std::vector<std::string> of_shard{"env", fmt::format("GTEST_TOTAL_SHARDS={}", test.shards),
                                      fmt::format("GTEST_SHARD_INDEX={}", shard)};
    of_shard.insert(of_shard.end(), words.begin(), words.end());
    add(test, fmt::format("{}/{}", test.name, shard + 1), std::move(of_shard));
  }
}

}  // namespace

std::vector<Job> jobs_of(const std::vector<PlanTest>& plan, std::uint64_t master,
                         const std::string& program, const std::string& tests_folder) {
  std::vector<Job> jobs;
  const auto add = [&](const PlanTest& test, const std::string& name,
                       std::vector<std::string> words) {
    Job job;
    job.expect = test.expect;
    job.check = test.check;
    job.limits = test.limits;
    job.number = jobs.size() + 1;
    job.name = name;
    job.kind = test.kind;
    job.seed = seed_of(master, name);
    job.time_limit = test.time_limit;
    job.words = std::move(words);
    if (test.draw) add_drawn(*test.draw, &job);
    job.has_seed = !test.own_seeds;
    job.results = test.results;
    job.cores = test.cores;
    job.needs = test.needs;
    job.inputs = test.inputs;
    if (job.is_gtest()) job.needs.push_back(tests_folder + "/" + test.what);
    if (!job.is_gtest() && !job.is_run()) {
      job.words.insert(job.words.end(), test.options.begin(), test.options.end());
      job.words.insert(job.words.end(), {"--seed", std::to_string(job.seed)});
    }
    jobs.push_back(std::move(job));
  };
  struct Axis {
    const std::vector<std::string>& values;
    const char* option;
    const char* label;  // of a value in the name
  };
  for (const PlanTest& test : plan) {
    if (test.kind == PlanTest::Kind::kRun || test.own_seeds || test.shards != 0) {
      add_check(test, tests_folder, add);
      continue;
    }
    struct Variant {
      std::string name;
      std::vector<std::string> words;
    };
    std::vector<Variant> variants{{test.name, first_words(test, program, tests_folder)}};
    for (const Axis& axis :
         {Axis{test.shapes, "--mesh", ""}, Axis{test.latencies, "--latency", "latency-"},
          Axis{test.engines, "--engine", ""}, Axis{test.threads, "--threads", "threads-"},
          Axis{test.timings, "--timing", "timing-"}}) {
      std::vector<Variant> longer;
      for (const Variant& variant : variants) {
        for (const std::string& value : or_none(axis.values)) {
          longer.push_back(variant);
          if (value.empty()) continue;
          longer.back().name += "/" + (axis.label + value);
          longer.back().words.insert(longer.back().words.end(), {axis.option, value});
        }
      }
      variants = std::move(longer);
    }
    for (const Variant& variant : variants) {
      for (std::uint64_t seed = 1; seed <= test.seeds; ++seed) {
        std::vector<std::string> words = variant.words;
        if (seed > 1 && has_timing_by_seed(test)) {
          words.insert(words.end(), {"--timing", "random"});
        }
        add(test, fmt::format("{}/{}", variant.name, seed), std::move(words));
      }
    }
  }
  return jobs;
}

nlohmann::json job_to_json(const Job& job) {
  nlohmann::json json = {{"number", job.number},
                         {"name", job.name},
                         {"kind", job.kind},
                         {"seed", job.seed},
                         {"words", nlohmann::json::array()},
                         {"time_limit", job.time_limit},
                         {"expect", expect_name(job.expect)},
                         {"check", job.check},
                         {"limits", nlohmann::json::array()}};
  for (const std::string& word : job.words) json["words"].push_back(word_to_json(word));
  for (const Limit& limit : job.limits) json["limits"].push_back(limit_to_json(limit));
  if (job.has_page) json["page"] = *job.has_page;
  if (!job.has_seed) json["own_seeds"] = true;
  if (!job.results.empty()) json["results"] = job.results;
  if (job.cores != 1) json["cores"] = job.cores;
  return json;
}

Job job_from_json(const nlohmann::json& json) {
  Job job;
  json.at("number").get_to(job.number);
  json.at("name").get_to(job.name);
  json.at("kind").get_to(job.kind);
  json.at("seed").get_to(job.seed);
  for (const auto& word : json.at("words")) job.words.push_back(word_from_json(word));
  json.at("time_limit").get_to(job.time_limit);
  const auto expect = expect_of(json.at("expect").get<std::string>());
  if (!expect) throw std::invalid_argument("no verdict to expect: " + json.at("expect").dump());
  job.expect = *expect;
  json.at("check").get_to(job.check);
  for (const auto& limit : json.at("limits")) job.limits.push_back(limit_from_json(limit));
  if (json.contains("page")) job.has_page = json["page"].get<bool>();
  job.has_seed = !json.value("own_seeds", false);
  job.results = json.value("results", "");
  job.cores = json.value("cores", std::uint64_t{1});
  return job;
}

}  // namespace torusmu::lab
