// SPDX-License-Identifier: Apache-2.0
// What was measured, docs/results/, and the pages of it, which are from there alone.
#ifndef TORUSMU_DOCS_PAGES_PAGES_H_
#define TORUSMU_DOCS_PAGES_PAGES_H_

#include <string>
#include <vector>

#include "docs/pages/json_file.h"

namespace torusmu::pages {

// Brings the files of `results` up to date with those that the tools have left in `build`. Of what
// is not there nothing was measured: the file stays. Modules that are gone, by rtl/rtl.f, go.
void take_results(const std::filesystem::path& build, const std::filesystem::path& results);

// Writes results.md in `docs`, and of the other pages what stands between two marks.
void write_pages(const std::filesystem::path& docs);

// Sections of results.md, each of one file of docs/results/.
std::string figures_text(const Json& figures);
std::string against_text(const Json& against);
std::string models_text(const Json& models);
std::string run_text(const Json& run);
std::string sizes_text(const Json& synthesis);
std::string clock_text(const Json& place);
// A cycle by the slowest path, ns; 0: not measured.
struct Clocks {
  double xc7 = 0, cells = 0, routed = 0;
};
Clocks clocks_of(const Json& synthesis);  // all but `routed`
double routed_ns(const Json& board);      // at the median of the seeds
std::string latencies_text(const Json& figures, const Clocks& clocks);
std::string coverage_text(const Json& coverage);
std::string mutation_text(const Json& mutation);
std::string narrow_mutation_text(const Json& mutation);

// What the other pages have between their marks.
std::string synthesis_tables(const Json& synthesis);
// Blocks of ECP5, with the sites that they were planned to take, may take, and take.
std::string budget_table(const Json& budget, const Json& synthesis);
std::string place_table(const Json& place);
std::string board_table(const Json& board);
std::string coverage_table(const Json& coverage);
std::string mutation_table(const Json& mutation);

// A row of a table.
std::string row(const std::vector<std::string>& cells);
// Cells of a module or of a family: LUT, FF, LUTRAM, RAM, DSP, path; and ns of a family.
std::vector<std::string> sizes_of(const Json& record);
std::string ns_text(const Json& family);
// Whether a family is one of standard cells, and the size and speed of a node in them.
bool is_of_cells(const Json& family);
std::string cells_text(const Json& family);

}  // namespace torusmu::pages

#endif  // TORUSMU_DOCS_PAGES_PAGES_H_
