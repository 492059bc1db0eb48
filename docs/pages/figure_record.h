// SPDX-License-Identifier: Apache-2.0
// A figure of a bench as docs/results/figures.json has it.
#ifndef TORUSMU_DOCS_PAGES_FIGURE_RECORD_H_
#define TORUSMU_DOCS_PAGES_FIGURE_RECORD_H_

#include <vector>

#include "docs/pages/json_file.h"
#include "sim/play/figures.h"

namespace torusmu::pages {

// The figure that a record is about, whose strings it points to.
FigureInfo info_of(const Json& record);

// A number or a list of numbers, all finite; of anything else none: it was not measured.
std::vector<double> values_of(const Json& measured);

// The record of a figure; `measured` has values by their keys, of this figure and of others.
Json record_of(const FigureInfo& figure, const Json& measured);

}  // namespace torusmu::pages

#endif  // TORUSMU_DOCS_PAGES_FIGURE_RECORD_H_
