// SPDX-License-Identifier: Apache-2.0
// What a person has found out about mutants that survive.
#ifndef TORUSMU_DOCS_PAGES_REASONS_H_
#define TORUSMU_DOCS_PAGES_REASONS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace torusmu::pages {

// The cells of a row of comma-separated values; a quoted one holds commas, and a quote as two.
std::vector<std::string> cells_of(const std::string& row);

// Why a survivor cannot matter, by mutant, fault and place: other RTL has other mutants by the same
// number.
using Reasons = std::map<std::vector<std::string>, std::string>;

// Of rows "mutant,fault,place,reason". Throws std::runtime_error that names the row if one is not
// such a row, or is for a mutant of an earlier one.
Reasons reasons_of(const std::filesystem::path& path);

}  // namespace torusmu::pages

#endif  // TORUSMU_DOCS_PAGES_REASONS_H_
