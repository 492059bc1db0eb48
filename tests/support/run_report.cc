// SPDX-License-Identifier: Apache-2.0
// Every test program says in its report, --gtest_output=json:FILE, how many cycles it has
// simulated and which seed its random tests were given.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "sim/machine/simulated.h"

namespace torusmu::testing {
namespace {

class RunReport : public ::testing::Environment {
  void TearDown() override {
    ::testing::Test::RecordProperty("cycles", std::to_string(simulated_cycles.load()));
    const char* seed = std::getenv("TORUSMU_SEED");
    ::testing::Test::RecordProperty("seed", seed == nullptr ? "" : seed);
  }
};

const ::testing::Environment* const kRunReport =
    ::testing::AddGlobalTestEnvironment(std::make_unique<RunReport>().release());

}  // namespace
}  // namespace torusmu::testing
