// SPDX-License-Identifier: Apache-2.0
// Runs jobs on a cluster with Slurm: array jobs, a task for each job.
#ifndef TORUSMU_TB_LAB_SLURM_H_
#define TORUSMU_TB_LAB_SLURM_H_

#include <string>
#include <vector>

#include "tb/lab/local.h"

namespace torusmu::lab {

// Throws UsageError that names the package if sbatch, squeue or scancel is not there.
void require_slurm();

// Writes slurm.sbatch into the folder and submits it. `at_once`: how many tasks may run at a time;
// 0: as many as there is room for. `options` are further words of sbatch. Returns the numbers of
// the array jobs, with commas between. Throws UsageError with the words of sbatch if it refuses.
std::string submit(const RunFolder& folder, const std::vector<Job>& jobs,
                   const std::string& program, unsigned at_once,
                   const std::vector<std::string>& options);

// Waits for the results of jobs that were submitted. What has left no result `late` seconds after
// the last of them is gone from the queue is lost. The user may end the waiting: the array jobs are
// cancelled then, and it returns false. Throws UsageError with the words of squeue if that has
// failed for `late` seconds; the run can be collected then once more.
bool collect(const RunFolder& folder, const std::vector<Job>& jobs, const std::string& cluster_jobs,
             std::uint64_t late, const OnResult& on_result);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_SLURM_H_
