// SPDX-License-Identifier: Apache-2.0
// The report as one page without scripts or network, and as JSON.
#ifndef TORUSMU_TESTS_COVERAGE_PAGE_H_
#define TORUSMU_TESTS_COVERAGE_PAGE_H_

#include <string>

#include "tests/coverage/summary.h"

namespace torusmu::coverage {

// What is missing first, then each file with its lines, their counts and the numbers of the tests
// that reach them, then the names of the tests.
std::string html_page(const Coverage& coverage, const Summary& summary, Sources& sources);
std::string json_page(const Coverage& coverage, const Summary& summary);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_PAGE_H_
