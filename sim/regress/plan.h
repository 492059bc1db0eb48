// SPDX-License-Identifier: Apache-2.0
// A plan: tests, and over which machines and seeds each is run. docs/regressions.md has its words.
#ifndef TORUSMU_SIM_REGRESS_PLAN_H_
#define TORUSMU_SIM_REGRESS_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/draw.h"
#include "sim/regress/limits.h"

namespace torusmu::regress {

// What a test must come to.
enum class Expect {
  kPass,
  kFail,    // of a check that the plan names: a fault was put in
  kVerdict  // it passes or checks fail, but it ends by itself and says which
};

struct PlanTest {
  enum class Kind { kScenario, kReplay, kBench, kGtest };
  std::string name;
  Kind kind = Kind::kScenario;
  std::string what;    // the scenario, the trace file, the bench, or the program of the tests
  std::string filter;  // of kGtest
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

// Reads and judges a plan. `tests_folder` has the GoogleTest programs; beside it lies `mesh`, the
// libraries of the mesh engine. Throws UsageError, "FILE:LINE:COLUMN: what was found and what was
// expected".
std::vector<PlanTest> read_plan(const std::string& file, const std::string& tests_folder);

}  // namespace torusmu::regress

#endif  // TORUSMU_SIM_REGRESS_PLAN_H_
