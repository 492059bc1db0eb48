// SPDX-License-Identifier: Apache-2.0
// What Surfer shows when it opens a trace: a command file beside it, with the items of GTKWave's
// view in their order, and tables of the names of enums.
#ifndef TORUSMU_SIM_OBSERVE_SURFER_H_
#define TORUSMU_SIM_OBSERVE_SURFER_H_

#include <string>

#include "sim/observe/wave_view.h"

namespace torusmu {

// "x.fst" has its commands in "x.sucl".
std::string surfer_file_of(const std::string& fst_file);

// Writes x.sucl, and beside it .surfer/mappings/ENUM for each enum of rtl/package/*.def. Surfer
// looks for that folder where it is started. Throws UsageError if one of them cannot be written.
void write_surfer_files(const std::string& fst_file, const WaveView& view);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_SURFER_H_
