// SPDX-License-Identifier: Apache-2.0
// torusmu regress: runs the tests of a plan and keeps what they came to.
#ifndef TORUSMU_TB_LAB_REGRESS_H_
#define TORUSMU_TB_LAB_REGRESS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace torusmu::lab {

struct Surroundings;

struct RegressOptions {
  std::string plan;
  std::string output;  // folder; empty: regress beside a program that lies below this folder, else
                       // torusmu-regress here
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // at once; 0: as many as the machine has cores, or the cluster gives
  std::uint64_t wave_cycles = 2000;
  std::vector<std::string> only;    // globs of names; empty: all
  std::string junit, json, report;  // files; empty: none
  bool list = false;
  bool accept_figures = false;  // limits hold from this run on
  bool rerun_failed = false;
  bool show_history = false;
  bool slurm = false;
  bool no_wait = false;
  bool collect = false;
  std::uint64_t late = 60;  // seconds that a result may need to be seen after its task is gone
  std::vector<std::string> sbatch_options;
};

// The exit status: 0 every test passed; 1 one did not, or the run was broken off. Throws UsageError
// for bad usage or input, and where nothing can be written.
int run_regress(const RegressOptions& options, const Surroundings& surroundings);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_REGRESS_H_
