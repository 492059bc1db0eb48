// SPDX-License-Identifier: Apache-2.0
// Runs jobs on this machine, several at once.
#ifndef TORUSMU_TB_LAB_LOCAL_H_
#define TORUSMU_TB_LAB_LOCAL_H_

#include <functional>
#include <string>
#include <vector>

#include "tb/lab/result.h"
#include "tb/lab/run_folder.h"

namespace torusmu::lab {

// Called once for each result, in the order in which they come.
using OnResult = std::function<void(const Result&)>;

// The result that the process of a job has left; if there is none, kLost with `why`.
Result collected(const RunFolder& folder, const Job& job, const std::string& why);

// Starts `program` regress-task for each of the jobs, `at_once` at a time, until all are done or
// the user ends it. Jobs that have no result then are not reported. Returns false if it was ended.
bool run_here(const RunFolder& folder, const std::vector<Job>& jobs, const std::string& program,
              unsigned at_once, const OnResult& on_result);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_LOCAL_H_
