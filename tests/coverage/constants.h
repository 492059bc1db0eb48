// SPDX-License-Identifier: Apache-2.0
// Bits that stand still in the node whatever it does: a field that a record has, and that who makes
// the record leaves zero. constants_main.cc finds them in the flat netlist, and constants.awk names
// them.
#ifndef TORUSMU_TESTS_COVERAGE_CONSTANTS_H_
#define TORUSMU_TESTS_COVERAGE_CONSTANTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/coverage/coverage_data.h"

namespace torusmu::coverage {

// Takes the toggles away that the file lists (a source file, a tab and a signal with its bit a
// line) and that no test reaches: a test of a module alone may move what is constant in the node.
// Returns how many; `wrong` is told of those that move in the node itself. Throws InputError if a
// line cannot be read.
std::size_t drop_constants(Coverage& coverage, const std::string& file,
                           std::vector<std::string>& wrong);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_CONSTANTS_H_
