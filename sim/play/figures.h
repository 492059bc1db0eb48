// SPDX-License-Identifier: Apache-2.0
// Every figure that a subcommand may report, and what is wanted of it. Keys are stable: scripts
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
  // If set, `value` is a multiple of the figure of this name, of the same bench, subject and
  // variant, and of lists the last items are compared.
  const char* of = nullptr;
};

struct FigureName {
  const char* bench;  // that measures it; "": none does
  const char* name;
  const char* variant = "";  // "mmio_half": what else was different
  const char* subject = "";  // "lulesh27": of what, where a bench has several
};

struct FigureInfo {
  FigureName id;
  const char* unit;
  const char* what;
  Wanted wanted = {};
  int load = -1;  // where engine.load has the load at which this was measured; -1: nowhere
};

std::span<const FigureInfo> figures();

// How results name it, "barrier.offload_cycles.mmio_half": bench, subject, name and variant.
std::string key_of(const FigureName& name);
std::string key_of(const FigureInfo& figure);
const FigureInfo* find_figure(const std::string& key);

// The figure that `wanted.of` is, if it is set.
FigureName other_of(const FigureInfo& figure);

// ">= 0.93", "<= 100, all equal"; empty if nothing is wanted.
std::string wanted_text(const FigureInfo& figure);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_FIGURES_H_
