// SPDX-License-Identifier: Apache-2.0
// The subcommand `torusmu wave diff A.fst B.fst`.
#ifndef TORUSMU_SIM_APP_WAVE_DIFF_H_
#define TORUSMU_SIM_APP_WAVE_DIFF_H_

#include "sim/observe/wave_diff/wave_diff.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torusmu {

// Adds the subcommand `diff` to `torusmu wave`.
CLI::App* add_wave_diff(CLI::App& wave, WaveDiffOptions& options);

// Prints the difference. Exit status: 0 the same, 1 they differ; UsageError for bad files and bad
// options.
int run_wave_diff(const WaveDiffOptions& options);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_WAVE_DIFF_H_
