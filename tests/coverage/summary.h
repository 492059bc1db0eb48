// SPDX-License-Identifier: Apache-2.0
// How much of each kind is reached, in all and by module, and whether that is enough.
#ifndef TORUSMU_TESTS_COVERAGE_SUMMARY_H_
#define TORUSMU_TESTS_COVERAGE_SUMMARY_H_

#include <map>
#include <string>
#include <vector>

#include "tests/coverage/coverage_data.h"

namespace torusmu::coverage {

struct Count {
  std::uint64_t reached = 0;
  std::uint64_t missing = 0;
  std::uint64_t excluded = 0;
  // Of what is not excluded, in percent; 100 if there is nothing.
  [[nodiscard]] double percent() const;
};
using Counts = std::array<Count, kKindNames.size()>;

// tests/coverage/goals.csv: kind or "excluded", percent.
struct Goals {
  std::array<double, kKindNames.size()> least{};
  double excluded = 100;
};
Goals read_goals(const std::string& file);

struct Summary {
  Counts all;
  std::map<std::string, Counts> files;
  [[nodiscard]] double excluded_percent() const;
};
Summary summarise(const Coverage& coverage);

// One screen: all kinds, and the files in which most is missing.
std::string table(const Summary& summary, const Goals& goals, std::size_t tests);
// What is less than its goal.
std::vector<std::string> shortfalls(const Summary& summary, const Goals& goals);
// For docs/coverage.md. `constants`: bits that are constant in the node, which are no points.
std::string markdown(const Summary& summary, const Goals& goals, std::size_t tests,
                     std::size_t constants);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_SUMMARY_H_
