// SPDX-License-Identifier: Apache-2.0
// lab: runs the checks of this checkout. Exit status 0: everything passed; 1: something failed; 2:
// bad usage or input.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "sim/machine/errors.h"
#include "tb/lab/checks.h"
#include "tb/lab/task.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"lab: runs plans of checks, in parallel, and keeps what they come to"};
  torusmu::lab::CheckOptions options;
  app.add_option("plan", options.plans, "plans, files of JSON (docs/testing.md)");
  app.add_option("--jobs", options.jobs,
                 "jobs whose names match, as 'formal/*fifo*' (default: all)");
  app.add_option("--tests", options.tests,
                 "tests of GoogleTest, a filter in place of that of the plan");
  app.add_option("--title", options.title, "the name of the files of results")
      ->capture_default_str();
  app.add_option("--build", options.build, "folder of all products")->capture_default_str();
  app.add_option("--variables", options.variables, "what the plans name in braces, a file")
      ->capture_default_str();
  app.add_option("--parallel", options.parallel, "jobs at once (default: one on each core)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("--again", options.again,
               "those too whose inputs have not changed since they passed");
  app.add_flag("--list", options.list, "prints names and commands; runs nothing");
  app.add_option("--junit", options.junit, "writes the results as JUnit's XML to a file");
  CLI::App* task = app.add_subcommand("regress-task", "runs one job: for the runner itself");
  task->group("");
  std::string folder;
  std::size_t number = 0;
  task->add_option("run", folder)->required();
  task->add_option("number", number)->required();
  task->fallthrough(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (task->parsed()) return torusmu::lab::run_task({folder}, number, nullptr);
  return torusmu::lab::run_checks(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const torusmu::UsageError& error) {
    std::fprintf(stderr, "lab: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab: %s\n", error.what());
    return 1;
  }
}
