// SPDX-License-Identifier: Apache-2.0
// Where the traces of two runs first part.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_DIFF_WAVE_DIFF_H_
#define TORUSMU_SIM_OBSERVE_WAVE_DIFF_WAVE_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/core.h"

namespace torusmu {

struct WaveDiffOptions {
  std::string a, b;       // files
  std::size_t most = 20;  // signals that are named
  Cycles from = 0;
  Cycles to = kNever;  // cycles before this one are compared
  std::string scope;   // only what lies in it: "node_3", "node_3.mu_gated_node"; empty: all
  std::string json;
};

struct WaveDiff {
  struct Signal {
    std::string node;  // first part of the name
    std::string name;  // the rest
    std::string a, b;  // values
    // Further names that the traces have for the same: it goes through several modules.
    std::vector<std::string> also;
  };
  std::uint64_t compared = 0;         // signals in both
  Cycles from = 0, to = 0;            // cycles that both have
  std::optional<std::uint64_t> time;  // picoseconds of the first difference
  std::vector<Signal> signals;        // all that differ then, by node, what lies high up first
  std::vector<std::string> only_a, only_b;
  std::optional<std::string> lengths;  // how the traces differ in length, if nothing says --to
  [[nodiscard]] bool same() const { return !time && only_a.empty() && only_b.empty() && !lengths; }
};

// Throws UsageError for a file that is no trace, and if nothing is left to compare.
WaveDiff wave_diff(const WaveDiffOptions& options);

// One of the two files as messages name it: without its folder, unless both are called the same.
std::string name_of_file(const std::string& path, const WaveDiffOptions& options);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_DIFF_WAVE_DIFF_H_
