// SPDX-License-Identifier: Apache-2.0
// Counters of coverage that outlive the models that have them.
//
// Verilator's counters belong to an instance of a model and must be written before it is gone; here
// they belong to the model (tests/coverage/model.awk), so that a test may make as many machines as
// it likes. Models that run on two threads at a time may lose counts.
#ifndef TORUSMU_TESTS_COVERAGE_RECORDER_H_
#define TORUSMU_TESTS_COVERAGE_RECORDER_H_

#include <cstdint>
#include <string>

namespace torusmu::coverage {

// A counter of a model, as Verilator describes it; instances after the first change nothing. At the
// end of the process all are written to PID.dat in the folder $TORUSMU_COVERAGE, if there is one.
// Only functional points (page v_user) keep their hierarchical names.
void add_counter(std::uint32_t* count, const char* file, int line, int column,
                 const std::string& hierarchy, const char* page, const char* comment,
                 const char* lines);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_RECORDER_H_
