// SPDX-License-Identifier: Apache-2.0
// Points that need not be reached, and why: tests/coverage/exclusions.csv.
//
// A row is kind, file, point, reason, with a comma between; the reason is the rest of the line. The
// point is, with * for any text,
//   line         the text of the line, without blanks around it
//   branch       if, else, elsif or case, a blank, the text of the line
//   toggle       the signal, and [bit] or [high:low]
//   functional   the instance and the point
#ifndef TORUSMU_TESTS_COVERAGE_EXCLUSIONS_H_
#define TORUSMU_TESTS_COVERAGE_EXCLUSIONS_H_

#include <string>
#include <vector>

#include "tests/coverage/coverage_data.h"

namespace torusmu::coverage {

// Does `text` look like `pattern`, in which * is any text?
bool matches(std::string_view pattern, std::string_view text);

// The name by which an exclusion means a point.
std::string name_of(const Place& place, Sources& sources);

// Marks the points that the file excludes. Returns what is wrong with it: a row that excludes
// nothing, or a point that a test reaches. Throws InputError if a row cannot be read.
std::vector<std::string> exclude(Coverage& coverage, const std::string& file, Sources& sources);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_EXCLUSIONS_H_
