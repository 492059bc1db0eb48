// SPDX-License-Identifier: Apache-2.0
// A job: one test of a plan on one machine with one seed; the runner starts each as a process.
#ifndef TORUSMU_TB_LAB_JOBS_H_
#define TORUSMU_TB_LAB_JOBS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/lab/plan.h"

namespace torusmu::lab {

struct Job {
  std::size_t number = 0;  // from 1: its place in the run
  std::string name;        // put/2x2x2/latency-8/mesh/threads-2/1
  PlanTest::Kind kind = PlanTest::Kind::kScenario;
  std::uint64_t seed = 0;
  std::uint64_t time_limit = 0;    // seconds
  std::vector<std::string> words;  // the command, without what the runner adds for itself
  Expect expect = Expect::kPass;
  std::string check;          // of Expect::kFail: a glob
  std::vector<Limit> limits;  // with what they had in the last good run
  // With --report; nothing: as the user of the runner asks.
  std::optional<bool> has_page;
  bool has_seed = true;             // of a gtest: it is told one
  std::string results;              // file that a command leaves, of a runner or of GoogleTest
  std::uint64_t cores = 1;          // that a command keeps busy
  std::vector<std::string> needs;   // what make builds before; of no task
  std::vector<std::string> inputs;  // files; of no task

  [[nodiscard]] bool is_gtest() const { return kind == PlanTest::Kind::kGtest; }
  [[nodiscard]] bool is_run() const { return kind == PlanTest::Kind::kRun; }
  // Of the same run, but for the engine, with waves: a bench builds its own machines and has none.
  [[nodiscard]] bool has_waves() const {
    return kind == PlanTest::Kind::kScenario || kind == PlanTest::Kind::kReplay;
  }
  // How many cores it keeps busy; of a machine its --threads, for one that waits spins.
  [[nodiscard]] unsigned threads() const;
  // One line for a shell that runs the job alone.
  [[nodiscard]] std::string command() const;
};

// The seed of a test: CRC-32 (that of gzip) of "MASTER:NAME". So a test alone, or in another plan,
// has the seed that it had among others.
std::uint64_t seed_of(std::uint64_t master, const std::string& name);

// Every test of the plan with every shape, latency, engine, number of threads and seed, or with
// what each seed draws, in the plan's order. `program` is torusmu, `tests_folder` has the
// GoogleTest programs.
std::vector<Job> jobs_of(const std::vector<PlanTest>& plan, std::uint64_t master,
                         const std::string& program, const std::string& tests_folder);

// "pass", "fail", "verdict".
const char* expect_name(Expect expect);
// Nothing for another text.
std::optional<Expect> expect_of(const std::string& name);

nlohmann::json job_to_json(const Job& job);
// Throws nlohmann::json::exception or std::invalid_argument for what job_to_json did not write.
Job job_from_json(const nlohmann::json& json);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_JOBS_H_
