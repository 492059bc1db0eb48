// SPDX-License-Identifier: Apache-2.0
// Runs one job of a run, judges it, repeats it if it failed, and leaves its result. The same
// process does so on this machine and as a task of a cluster.
#ifndef TORUSMU_TB_LAB_TASK_H_
#define TORUSMU_TB_LAB_TASK_H_

#include <string>

#include "tb/lab/jobs.h"
#include "tb/lab/run_folder.h"

namespace torusmu::lab {

class MachineTests;

// What a job leaves besides its result.
struct Extras {
  std::uint64_t wave_cycles = 0;  // of waves, if it failed; 0: none
  bool page = false;  // of every run of a machine; else of one repeated with waves alone
};

// Makes the job's folder, with what run_task needs. Throws UsageError.
void write_job(const RunFolder& folder, const Job& job, const Extras& extras);

// Of a job that write_job has written. Throws UsageError.
Job read_job(const RunFolder& folder, std::size_t number);

// Runs it; `machines` is that of the runner. The exit status: 0 if result.json tells what became of
// the job, passed or not; 1 if a signal ended the job midway, and there is no result. Throws
// UsageError for a folder that write_job did not make, and if the result cannot be written.
int run_task(const RunFolder& folder, std::size_t number, const MachineTests* machines);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_TASK_H_
