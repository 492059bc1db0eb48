// SPDX-License-Identifier: Apache-2.0
// docs/results.md, written from what the benches measured.
#ifndef TORUSMU_SIM_APP_RESULTS_PAGE_H_
#define TORUSMU_SIM_APP_RESULTS_PAGE_H_

#include <nlohmann/json.hpp>
#include <string>

namespace torusmu {

// The head of the page: a row for each figure of a bench, with what is wanted, what was measured
// and whether that is met; then the checks that failed. `result` is a file of `torusmu bench ...
// --json`; a figure that it has not, or whose value is not a finite number or a list of them, is
// "not measured".
std::string figures_text(const nlohmann::json& result);

// How long each stage of the tests took; `run` is results/*.stages.json of `make test` or
// `make nightly`.
std::string stages_text(const nlohmann::json& run);

// The speed of the engine against that of an earlier commit; `result` is what
// sim/play/bench/against.sh wrote. Of each the fastest round counts.
std::string against_text(const nlohmann::json& result);

// What a page has from the line `heading` ("## make test") to the next line of that rank, or, of an
// empty heading, its head; empty if it has none. For what was not measured again.
std::string section_of(const std::string& page, const std::string& heading);

// The table of a node's sizes and of its slowest way from the text of docs/synthesis.md: a row for
// each family; empty if it has none.
std::string sizes_text(const std::string& synthesis_page);

// The clock of the slowest blocks from the text of docs/place_and_route.md: a row for each of the
// slowest, after a sentence on all that were placed. Blocks that were not placed do not count.
std::string clock_text(const std::string& place_page);

// The table of docs/coverage.md, from its text; empty if it has none.
std::string coverage_text(const std::string& coverage_page);

// A sentence on all blocks of the table of docs/mutation.md, which names those of which too few
// mutants are killed; empty if it has none. The other is on that of docs/narrow_mutants.md.
std::string mutation_text(const std::string& mutation_page);
std::string narrow_mutation_text(const std::string& mutation_page);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_RESULTS_PAGE_H_
