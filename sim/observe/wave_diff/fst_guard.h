// SPDX-License-Identifier: Apache-2.0
// Traces that are damaged. The reader of FST trusts what it reads: it then ends the process, writes
// past the end of its memory or never returns. So a process of its own reads a trace first.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_GUARD_H_
#define TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_GUARD_H_

#include <string>
#include <vector>

namespace torusmu {

// Throws UsageError for the first of `files` that FstFile refuses, that the reader of FST does not
// survive, or that has changes which no trace of torusmu has. All are read at the same time; what
// is no trace at first sight is left to FstFile.
void require_undamaged(const std::vector<std::string>& files);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_GUARD_H_
