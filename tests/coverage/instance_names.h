// SPDX-License-Identifier: Apache-2.0
// Where a cover point stands in the source.
#ifndef TORUSMU_TESTS_COVERAGE_INSTANCE_NAMES_H_
#define TORUSMU_TESTS_COVERAGE_INSTANCE_NAMES_H_

#include <string>

namespace torusmu::coverage {

// What a bound cover point is counted for, by its hierarchical name in a model: an instance in the
// source, and the point's name in it, "mu_calc_gather.u_beats:full". Points of instances u_any_*
// are one for the whole design. Empty if no instance is meant: a module with several instances that
// is tested alone.
std::string instance_of(const std::string& hierarchy);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_INSTANCE_NAMES_H_
