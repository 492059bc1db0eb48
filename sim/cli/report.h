// SPDX-License-Identifier: Apache-2.0
// What a subcommand found out: lines for the reader, checks, figures, and the JSON file of the
// contract.
#ifndef TORUSMU_SIM_CLI_REPORT_H_
#define TORUSMU_SIM_CLI_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/machine.h"
#include "sim/report_page/run_record.h"
#include "torusmu/waits.h"

namespace torusmu {

// Throws UsageError if two files that a run writes, or one and the file `input`, are the same.
void require_files_apart(const Options& options, const std::string& input = "");

class Report {
 public:
  // Throws UsageError if a file that the options name cannot be written. What an earlier run has
  // left in them is gone from then on, and machines are watched if a page or waves are wanted.
  Report(std::string name, const Options& options);

  void say(const std::string& text) const;
  // One check of the result, of a machine in `cycle`. Failures are printed even if the reader wants
  // quiet. `assertion`: of the RTL, whose failure is what the check is about.
  void check(const std::string& name, bool passed, const std::string& detail,
             std::optional<Cycles> cycle = std::nullopt,
             const std::optional<FailedAssertion>& assertion = std::nullopt);
  // The fault that the links were to have, and where it went.
  void fault(const Fault& fault, const std::optional<FaultPlace>& place, const std::string& text);
  // Names are those of `torusmu list --figures`; throws std::logic_error for one that is not
  // listed, unless any is accepted: a scenario outside the tree has its own.
  void accept_any_figure() { accepts_any_figure_ = true; }
  void figure(const std::string& name, const nlohmann::json& value);
  // Who waits for whom in a machine that did not end: to stderr, and into the file.
  void waits(const WaitReport& waits);
  // A message of the machine that is added next, for the page.
  void message(const ProgramMessage& message);
  // Adds a machine that has run: hash, cycles and speed go into the file, the rest into the page.
  void add_machine(const Machine& machine);

  [[nodiscard]] bool passed() const;
  // Last lines, and the file if one is wanted. `command`: the words of the command line without
  // the common options.
  // Returns the exit status: 0 if every check passed, else 1. Throws UsageError if the file cannot
  // be written.
  int finish(const std::vector<std::string>& command);

 private:
  struct Check {
    std::string name, detail;
    bool passed;
    std::optional<Cycles> cycle;
    std::optional<FailedAssertion> assertion;
  };
  static nlohmann::json as_json(const Check& check);
  [[nodiscard]] const Check* first_failure() const;
  [[nodiscard]] std::string first_failure_text() const;
  [[nodiscard]] nlohmann::json as_json() const;
  void write_page(const std::string& command) const;
  // Simulated node-cycles for each second of CPU time.
  [[nodiscard]] double node_rate() const;

  std::string name_;
  Options options_;
  std::vector<Check> checks_;
  nlohmann::json fault_;  // null: none was wanted
  nlohmann::json waits_ = nlohmann::json::array();
  nlohmann::json figures_ = nlohmann::json::object();
  bool accepts_any_figure_ = false;
  unsigned machines_ = 0;
  std::string mesh_, top_module_ = "none";
  std::uint64_t flit_hash_ = 0;
  std::uint64_t memory_hash_ = 0;  // of what all machines left in their memories; for --json only
  Cycles cycles_ = 0;
  std::uint64_t node_cycles_ = 0;
  double cpu_seconds_ = 0;
  std::vector<ProgramMessage> messages_;
  std::vector<report_page::RunRecord> records_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_CLI_REPORT_H_
