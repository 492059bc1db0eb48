// SPDX-License-Identifier: Apache-2.0
// The commands that a test of a plan comes to, judged before any of them runs.
#ifndef TORUSMU_SIM_REGRESS_PLAN_COMMAND_H_
#define TORUSMU_SIM_REGRESS_PLAN_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

#include "sim/regress/plan.h"

namespace torusmu::regress {

// Why torusmu would refuse the test with `options` in the place of its own, on one of its shapes
// and engines; nothing if it would not. `mesh_folder` has the libraries of the mesh engine. Not for
// GoogleTests.
std::optional<std::string> refusal(const PlanTest& test, const std::vector<std::string>& options,
                                   const std::string& mesh_folder);

// How many nodes the machine of a scenario or replay may have. Throws UsageError for a trace that
// cannot be read.
Range legal_nodes(const PlanTest& test);

// The words of the test's options that are refused.
struct BadOptions {
  std::size_t first = 0, count = 0;
  std::string reason;
};

// Of a test whose options are refused, and that would do without them.
BadOptions bad_options(const PlanTest& test, const std::string& mesh_folder);

}  // namespace torusmu::regress

#endif  // TORUSMU_SIM_REGRESS_PLAN_COMMAND_H_
