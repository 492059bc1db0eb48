// SPDX-License-Identifier: Apache-2.0
// Every figure that a subcommand may report. Names are stable: scripts read them from the JSON.
#ifndef TORUSMU_SIM_CLI_FIGURES_H_
#define TORUSMU_SIM_CLI_FIGURES_H_

#include <span>
#include <string>

namespace torusmu {

struct FigureInfo {
  const char* name;
  const char* unit;
  const char* what;
};

std::span<const FigureInfo> figures();
const FigureInfo* find_figure(const std::string& name);

}  // namespace torusmu

#endif  // TORUSMU_SIM_CLI_FIGURES_H_
