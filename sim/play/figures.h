// SPDX-License-Identifier: Apache-2.0
// Every figure that a subcommand may report, and what is wanted of it. Names are stable: scripts
// read them from the JSON.
#ifndef TORUSMU_SIM_PLAY_FIGURES_H_
#define TORUSMU_SIM_PLAY_FIGURES_H_

#include <span>
#include <string>

namespace torusmu {

// What a measured value must be; of a list, each item.
struct Wanted {
  enum class Bound { kNone, kAtLeast, kAtMost };
  Bound bound = Bound::kNone;
  double value = 0;
  bool all_equal = false;  // the items of a list, too
  // If set, `value` is a multiple of that figure, and of lists the last items are compared.
  const char* times = nullptr;
};

struct FigureInfo {
  const char* name;
  const char* unit;
  const char* what;
  Wanted wanted = {};
  int load = -1;  // where engine.load has the load at which this was measured; -1: nowhere
};

std::span<const FigureInfo> figures();
const FigureInfo* find_figure(const std::string& name);

// The bench that measures the figure, which its name begins with; empty if none does.
std::string bench_of(const FigureInfo& figure);

// ">= 0.93", "<= 100, all equal"; empty if nothing is wanted.
std::string wanted_text(const FigureInfo& figure);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_FIGURES_H_
