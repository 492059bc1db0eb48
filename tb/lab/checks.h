// SPDX-License-Identifier: Apache-2.0
// build/lab/lab: the checks of this checkout, as plans of jobs.
#ifndef TORUSMU_TB_LAB_CHECKS_H_
#define TORUSMU_TB_LAB_CHECKS_H_

#include <string>
#include <vector>

namespace torusmu::lab {

struct CheckOptions {
  std::vector<std::string> plans;  // files
  std::vector<std::string> jobs;   // globs of names, or of what stands before a slash; empty: all
  std::string tests;               // filter of GoogleTest in place of the plan's; empty: that
  std::string title = "check";     // of the file of results
  std::string build = "build";     // folder of all products
  std::string variables = "build/lab/variables";  // a file of lines "NAME WORDS"
  unsigned parallel = 0;                          // jobs at once; 0: as many as there are cores
  bool again = false;  // those too whose inputs have not changed since they passed
  bool list = false;   // prints names and commands; runs nothing
  std::string junit;   // file; empty: none
};

// Builds what the jobs need, runs them, and writes build/results/TITLE.json, with the counts of
// each group of jobs, and TITLE.jsonl, with an object for each check. The last line printed is "N
// passed, N failed". The exit status: 0 everything passed; 1 something did not. Throws UsageError
// for bad usage or input, and where nothing can be written.
int run_checks(const CheckOptions& options);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_CHECKS_H_
