// SPDX-License-Identifier: Apache-2.0
// Judges a process that has ended by its exit status, its output and its result file.
#ifndef TORUSMU_TB_LAB_VERDICT_H_
#define TORUSMU_TB_LAB_VERDICT_H_

#include <string>

#include "tb/lab/result.h"

namespace torusmu::lab {

struct Ending {
  int exit_status = 0;  // -1: a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string output;       // what it printed
  std::string json;         // text of the file of --json; empty: there is none
  bool lacks_page = false;  // it was asked for one, and there is none
};

// Fills status, reason, cycles, figures and failures of `result`, whose job is known. A job has
// passed if it ended with 0, and its output says that at least one check or test passed (`N checks
// passed`, `[  PASSED  ] N tests`), and the files that it writes are there, whole and say so too. A
// job that is expected to fail has passed if it ended with 1, and its files tell of the check.
void judge(const Ending& ending, Result* result);

// Why a process says that it ended: the last line that torusmu says in its own name, else the last
// that it printed.
std::string last_word(const std::string& output);

// Of a result that has passed: its figures by the limits of its job.
void judge_limits(Result* result);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_VERDICT_H_
