// SPDX-License-Identifier: Apache-2.0
// What a subcommand found out: lines for the reader, checks, figures, and the JSON file of the
// contract.
#ifndef TORUSMU_SIM_APP_REPORT_H_
#define TORUSMU_SIM_APP_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/options.h"
#include "sim/machine/machine.h"
#include "sim/observe/report_page/run_record.h"
#include "sim/play/sink.h"

namespace torusmu {

// Throws UsageError if two files that a run writes, or one and the file `input`, are the same.
void require_files_apart(const Options& options, const std::string& input = "");

class Report final : public Sink {
 public:
  // Throws UsageError if a file that the options name cannot be written. What an earlier run has
  // left in them is gone from then on.
  Report(std::string name, const Options& options);

  // What is run, in words, for files.
  void title(const std::string& text) { title_ = text; }
  // A file that decides what is run: its name and hash go into the files.
  void input(const std::string& file);
  // Printed, and kept for the page.
  void say(const std::string& text) override;
  // Failures are printed even if the reader wants quiet.
  using Sink::check;
  void check(const std::string& name, bool passed, const std::string& detail,
             std::optional<Cycles> cycle, const std::optional<FailedAssertion>& assertion) override;
  void fault(const Fault& fault, const std::optional<FaultPlace>& place,
             const std::string& text) override;
  // A scenario outside the tree has figures of its own, which are not listed.
  void accept_any_figure() { accepts_any_figure_ = true; }
  void figure(const std::string& name, const nlohmann::json& value) override;
  // To stderr, and into the file.
  void waits(const WaitReport& waits) override;
  void message(const ProgramMessage& message) override;
  void program_time(Cycles from, Cycles to) override {
    program_time_ = report_page::Span{from, to};
  }
  // Nothing if it was not told.
  [[nodiscard]] const std::optional<report_page::Span>& program_time() const {
    return program_time_;
  }
  // Hash, cycles and speed go into the file, the rest into the page and the tables of messages and
  // links.
  void add_machine(const Machine& machine) override;

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
  void write_tables() const;
  void print(const std::string& line) const;
  // Simulated node-cycles for each second of CPU time.
  [[nodiscard]] double node_rate() const;

  std::string name_, title_;
  nlohmann::json input_;  // {"file", "sha256"}, or null
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
  std::string told_, waits_text_;  // for the page
  std::vector<ProgramMessage> messages_;
  std::optional<report_page::Span> program_time_;
  std::vector<report_page::RunRecord> records_;
  std::string message_rows_, link_rows_;  // of the tables
  std::string transactions_;              // the file of --ftr
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_REPORT_H_
