// SPDX-License-Identifier: Apache-2.0
// torusmu: the machine in simulation. Exit status 0: every check passed; 1: a check failed; 2: bad
// usage or input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "sim/app/commands.h"
#include "sim/app/identity.h"
#include "sim/app/jtag_command.h"
#include "sim/app/options.h"
#include "sim/app/regress_command.h"
#include "sim/app/replay.h"
#include "sim/app/wave_diff.h"
#include "sim/app/what_ran.h"
#include "sim/machine/errors.h"
#include "sim/observe/note.h"

namespace {

// CLI11 says neither which command does not exist nor which do. Throws UsageError.
void require_command(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  const std::vector<std::string> unknown = app.remaining();
  throw torusmu::UsageError(fmt::format(
      "no command{}: there are {}; run with --help for more information",
      unknown.empty() ? "" : fmt::format(" \"{}\"", unknown.front()), fmt::join(names, ", ")));
}

int run(int argc, char** argv) {
  CLI::App app{"torusmu: a torus of messaging units in simulation"};
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       [] { return torusmu::identity_text(torusmu::build_identity()); });
  bool figures = false;
  torusmu::Options options;
  options.program = argv[0];
  std::string name;

  CLI::App* list = app.add_subcommand("list", "what there is to run");
  list->add_flag("--figures", figures, "the figures that runs report, with their units");
  list->add_option("--json", options.json, "writes the lists to a file");
  CLI::App* scenario = app.add_subcommand("scenario", "plays a scenario and checks it");
  scenario->add_option("name", name, "see torusmu list")->required();
  torusmu::add_options(*scenario, options);
  CLI::App* bench = app.add_subcommand("bench", "measures figures");
  bench->add_option("name", name, "see torusmu list; all")->required();
  torusmu::add_options(*bench, options);
  torusmu::ReplayOptions wanted;
  CLI::App* replay = app.add_subcommand("replay", "replays the messages of an MPI program");
  replay->add_option("trace", name, "a trace file")->required();
  torusmu::add_replay_options(*replay, wanted);
  torusmu::add_options(*replay, options);
  torusmu::JtagOptions jtag_options;
  const CLI::App* jtag = torusmu::add_jtag(app, jtag_options);
  torusmu::lab::RegressCommand regress(app);
  torusmu::WaveDiffOptions diff;
  CLI::App* wave = app.add_subcommand("wave", "looks at waves")->require_subcommand(1);
  CLI::App* wave_diff = torusmu::add_wave_diff(*wave, diff);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      require_command(app);
      if (wave->parsed()) require_command(*wave);
    }
    return app.exit(error) == 0 ? 0 : 2;
  }
  torusmu::warn_if_stale();
  torusmu::remember_command(argc, argv, torusmu::options_said(app));
  if (regress.parsed()) return regress.run();
  if (list->parsed()) return torusmu::run_list(figures, options.json);
  if (jtag->parsed()) return torusmu::run_jtag(jtag_options);
  if (wave_diff->parsed()) return torusmu::run_wave_diff(diff);
  if (scenario->parsed()) return torusmu::run_scenario(name, options);
  if (replay->parsed()) return torusmu::run_replay(name, options, wanted);
  return torusmu::run_bench(name, options);
}

// What is kept of stdout until now may find the disk full.
void require_whole_stdout() {
  if (std::fflush(stdout) == 0) return;
  throw torusmu::UsageError(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  torusmu::keep_standard_files();
  // A limit on the size of files then is an error of what writes, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = run(argc, argv);
    require_whole_stdout();
    return status;
  } catch (const torusmu::UsageError& error) {
    torusmu::note(fmt::format("torusmu: {}\n", error.what()));
    return 2;
  } catch (const std::system_error& error) {
    // What is printed throws this too, once more than a buffer has not been taken.
    const bool of_stdout = std::ferror(stdout) != 0;
    torusmu::note(fmt::format("torusmu: {}{}\n", of_stdout ? "cannot write to stdout: " : "",
                              of_stdout ? error.code().message() : error.what()));
    return of_stdout ? 2 : 1;
  } catch (const std::exception& error) {
    torusmu::note(fmt::format("torusmu: {}\n", error.what()));
    return 1;
  }
}
