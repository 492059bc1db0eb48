// SPDX-License-Identifier: Apache-2.0
// Linked to a program, makes its whole run one test with the name in $TORUSMU_COVERAGE_TEST.
#include <cstdlib>

#include "tests/coverage/recorder.h"

namespace torusmu::coverage {
namespace {

struct WholeRun {
  // The recorder outlives what is made after it.
  WholeRun() { toggle_table(nullptr); }
  ~WholeRun() {
    const char* name = std::getenv("TORUSMU_COVERAGE_TEST");
    end_test(name == nullptr ? "run" : name);
  }
};
const WholeRun kWholeRun;

}  // namespace
}  // namespace torusmu::coverage
