// SPDX-License-Identifier: Apache-2.0
// A plan: tests, and over which machines and seeds each is run. docs/regressions.md has its words.
#ifndef TORUSMU_TB_LAB_PLAN_H_
#define TORUSMU_TB_LAB_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/lab/draw.h"
#include "tb/lab/limits.h"

namespace torusmu::lab {

// What a test must come to.
enum class Expect {
  kPass,
  kFail,    // of a check that the plan names: a fault was put in
  kVerdict  // it passes or checks fail, but it ends by itself and says which
};

struct Surroundings;

struct PlanTest {
  enum class Kind { kScenario, kReplay, kBench, kGtest, kRun };
  std::string name;
  Kind kind = Kind::kScenario;
  std::string what;          // the scenario, the trace file, the bench, or the program of the tests
  std::string filter;        // of kGtest
  std::uint64_t shards = 0;  // of kGtest; 0: it is not split
  bool own_seeds = false;    // of kGtest: each of its tests keeps the seed it has alone
  std::vector<std::string> run;     // of kRun: the command
  std::vector<std::string> needs;   // what make builds before
  std::vector<std::string> inputs;  // files; while they are as they were it need not run again
  std::string results;              // file with the results of a runner that it starts
  std::uint64_t cores = 1;          // that it keeps busy
  // An empty list: what the test is made for, and no word of it in the name.
  std::vector<std::string> shapes;
  std::vector<std::string> latencies;
  std::vector<std::string> engines;
  std::vector<std::string> threads;
  std::vector<std::string> timings;
  std::vector<std::string> options;  // further words of the command
  std::uint64_t seeds = 1;           // how many
  // If set, each seed has a machine of its own, and the lists above are empty.
  std::optional<Draw> draw;
  Expect expect = Expect::kPass;
  std::string check;               // of kFail: a glob of the names of checks, one of which fails
  std::vector<Limit> limits;       // of figures
  std::uint64_t time_limit = 300;  // seconds
};

// Reads and judges a plan; a test with "for" comes once for each row. `tests_folder` has the
// GoogleTest programs; beside it lies `mesh`, the libraries of the mesh engine. Throws UsageError,
// "FILE:LINE:COLUMN: what was found and what was expected".
std::vector<PlanTest> read_plan(const std::string& file, const std::string& tests_folder,
                                const Surroundings& surroundings);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_PLAN_H_
