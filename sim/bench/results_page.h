// SPDX-License-Identifier: Apache-2.0
// docs/results.md, written from what the benches measured.
#ifndef TORUSMU_SIM_BENCH_RESULTS_PAGE_H_
#define TORUSMU_SIM_BENCH_RESULTS_PAGE_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace torusmu {

// The page: a row for each figure of a bench, with what is wanted, what was measured and whether
// that is met; then the checks that failed, and how long each stage of the tests took. `results`
// are files of `torusmu bench ... --json` and results/*.stages.json of `make test` and `make
// nightly`; of a figure that several have, the last counts. A figure that none has, or whose value
// is not a finite number or a list of them, is "not measured".
std::string results_page(std::span<const nlohmann::json> results);

// The table of a node's sizes from the text of constraints/baseline.csv: a row for each family;
// empty if it has none.
std::string sizes_text(const std::string& baseline);

// The clock of the slowest blocks from the text of docs/place_and_route.md: a row for each of the
// slowest, after a sentence on all that were placed. Blocks that were not placed do not count.
std::string clock_text(const std::string& place_page);

// The table of docs/coverage.md, from its text; empty if it has none.
std::string coverage_text(const std::string& coverage_page);

// A sentence on all blocks of the table of docs/mutation.md, which names those of which too few
// mutants are killed; empty if it has none.
std::string mutation_text(const std::string& mutation_page);

}  // namespace torusmu

#endif  // TORUSMU_SIM_BENCH_RESULTS_PAGE_H_
