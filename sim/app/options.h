// SPDX-License-Identifier: Apache-2.0
// The options that every subcommand understands.
#ifndef TORUSMU_SIM_APP_OPTIONS_H_
#define TORUSMU_SIM_APP_OPTIONS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace torusmu {

struct Options {
  std::string program = "torusmu";  // as the user calls it
  std::string mesh;                 // empty: what the scenario or benchmark is made for
  std::string mesh_lines;           // dimensions that do not wrap around, as "xz"
  std::string engine = "fast";
  unsigned latency = 8;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string timing = "fixed";
  bool no_sleep = false;
  std::string inject;
  std::string wave;
  std::string wave_nodes;
  std::string wave_window;
  std::string wave_on_fail;
  std::uint64_t wave_cycles = 2000;
  std::uint64_t stop_at = kNever;  // cycles
  std::string cycle_file;
  std::string json;
  std::string report;
  std::string messages;
  std::string links;
  std::string ftr;
  bool quiet = false;

  // Files that show what a machine did, not what came of it alone.
  [[nodiscard]] bool shows_machines() const {
    return !report.empty() || !messages.empty() || !links.empty() || !ftr.empty();
  }
  // Page, tables and waves show messages, and waves of a failure end where the last ones moved.
  [[nodiscard]] bool watches_machines() const {
    return shows_machines() || !wave.empty() || !wave_on_fail.empty();
  }
};

// Takes decimal numbers from `least` to `most` alone, and says so.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

// Adds the options to a subcommand.
void add_options(CLI::App& command, Options& options);

// The options of the subcommand that was given, those that were not given with their defaults. An
// option is named without its dashes; one that was not given and has no default is null.
nlohmann::json options_said(const CLI::App& app);

// The machine that they describe; `default_mesh` stands for a missing --mesh. Throws UsageError
// that names the bad value and what is legal.
MachineConfig machine_config(const Options& options, const std::string& default_mesh);

// Where the libraries of the mesh engine are: beside the program.
std::string mesh_folder();

// Throws UsageError for an option that a bench, which builds its own machines, would pass over.
void refuse_machine_options(const Options& options);

// The same as words of a command line, to repeat a run.
std::vector<std::string> as_arguments(const Options& options);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_OPTIONS_H_
