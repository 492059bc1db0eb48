// SPDX-License-Identifier: Apache-2.0
// Judges a process that has ended by its exit status, its output and its result file.
#ifndef TORUSMU_SIM_REGRESS_VERDICT_H_
#define TORUSMU_SIM_REGRESS_VERDICT_H_

#include <string>

#include "sim/regress/result.h"

namespace torusmu::regress {

struct Ending {
  int exit_status = 0;  // -1: a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string output;  // what it printed
  std::string json;    // text of the file of --json; empty: there is none
};

// Fills status, reason, cycles and failures of `result`, whose job is known. A job has passed if it
// ended with 0, and its output says that at least one check or test passed (`N checks passed`,
// `[  PASSED  ] N tests`), and the result file, if it writes one, is whole and says so too.
void judge(const Ending& ending, Result* result);

}  // namespace torusmu::regress

#endif  // TORUSMU_SIM_REGRESS_VERDICT_H_
