// SPDX-License-Identifier: Apache-2.0
#include "sim/app/regress_command.h"

#include <CLI/CLI.hpp>

#include "sim/app/options.h"
#include "sim/app/plan_machines.h"
#include "tb/lab/task.h"

namespace torusmu::lab {
namespace {

constexpr std::uint64_t kMostJobs = 4096;
constexpr std::uint64_t kMostCycles = 1'000'000'000;
constexpr std::uint64_t kMostSeconds = 3600;
constexpr std::uint64_t kMostNumber = 1'000'000'000;

}  // namespace

RegressCommand::RegressCommand(CLI::App& app)
    : regress_(app.add_subcommand("regress", "runs the tests of a plan and keeps the results")),
      task_(app.add_subcommand("regress-task", "runs one test of a run: for the runner itself")) {
  CLI::Option* plan = regress_->add_option("plan", options_.plan, "a plan file");
  regress_->add_option("--output", options_.output,
                       "folder of results and history (default: regress beside a program that "
                       "lies below this folder, else torusmu-regress here)");
  CLI::Option* seed = regress_->add_option("--seed", options_.seed, "master seed of the run")
                          ->transform(whole_number(0, ~std::uint64_t{0}))
                          ->capture_default_str();
  CLI::Option* jobs =
      regress_
          ->add_option("--jobs", options_.jobs,
                       "tests at once, one with --threads 2 as two (default: one on each core)")
          ->transform(whole_number(1, kMostJobs));
  CLI::Option* wave_cycles =
      regress_
          ->add_option(
              "--wave-cycles", options_.wave_cycles,
              "what failed is repeated, a run with waves of its last cycles; 0: not repeated")
          ->transform(whole_number(0, kMostCycles))
          ->capture_default_str();
  CLI::Option* only =
      regress_->add_option("--only", options_.only, "tests whose names match, as 'put/2x2x2/*'");
  regress_->add_option("--junit", options_.junit, "writes the results as JUnit's XML to a file");
  regress_->add_option("--json", options_.json, "writes the results to a file");
  regress_->add_option("--report", options_.report, "writes the results as a page, FILE.html");
  CLI::Option* list =
      regress_->add_flag("--list", options_.list, "prints names, seeds and commands; runs nothing");
  CLI::Option* rerun = regress_->add_flag(
      "--rerun-failed", options_.rerun_failed,
      "those alone that did not pass when they last ran, with the last run's seed");
  rerun->excludes(seed)->excludes(list);
  CLI::Option* accept =
      regress_->add_flag("--accept-figures", options_.accept_figures,
                         "checks no limits: later runs are held to the figures of this one");
  CLI::Option* slurm =
      regress_->add_flag("--slurm", options_.slurm, "runs the tests on a cluster with Slurm");
  CLI::Option* no_wait = regress_->add_flag("--no-wait", options_.no_wait,
                                            "ends once Slurm has the tests; --collect later");
  no_wait->needs(slurm);
  CLI::Option* collect = regress_->add_flag("--collect", options_.collect,
                                            "waits for the tests that --no-wait has submitted");
  // The run is as it was submitted.
  for (CLI::Option* other : {slurm, rerun, seed, list, only, jobs, wave_cycles, accept}) {
    collect->excludes(other);
  }
  regress_
      ->add_option("--late", options_.late,
                   "seconds that a result may need through a shared file system after its task of "
                   "Slurm has ended")
      ->transform(whole_number(0, kMostSeconds))
      ->capture_default_str();
  regress_
      ->add_option("--sbatch-option", options_.sbatch_options,
                   "a further word for sbatch, as --partition=night")
      ->needs(slurm);
  CLI::Option* history = regress_->add_flag("--show-history", options_.show_history,
                                            "prints flaky and slowing tests; runs nothing");
  history->excludes(plan);

  task_->group("");
  task_->add_option("run", run_folder_)->required();
  task_->add_option("number", number_)->required()->transform(whole_number(1, kMostNumber));
}

bool RegressCommand::parsed() const { return regress_->parsed() || task_->parsed(); }

int RegressCommand::run() {
  if (task_->parsed()) return run_task({run_folder_}, number_, &plan_machines());
  return run_regress(options_, plan_surroundings());
}

}  // namespace torusmu::lab
