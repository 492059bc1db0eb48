// SPDX-License-Identifier: Apache-2.0
#include "sim/app/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "sim/app/what_ran.h"
#include "sim/machine/mix.h"
#include "sim/observe/json_text.h"
#include "sim/observe/note.h"
#include "sim/observe/output_file.h"
#include "sim/observe/quoted.h"
#include "sim/observe/report_page/page.h"
#include "sim/observe/report_page/tables.h"
#include "sim/observe/report_page/transactions.h"
#include "sim/observe/sha256.h"
#include "sim/observe/surfer.h"
#include "sim/observe/wave_view.h"
#include "sim/play/figures.h"

namespace torusmu {
namespace {

// Machines in a page; some benches build many.
constexpr unsigned kMostMachines = 6;

// Of a value of the JSON: a text without its quotes.
std::string text_of(const nlohmann::json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

void require_files_apart(const Options& options, const std::string& input) {
  const auto view_of = [](const std::string& waves) {
    return waves.empty() ? std::string() : view_file_of(waves);
  };
  const auto surfer_view_of = [](const std::string& waves) {
    return waves.empty() ? std::string() : surfer_file_of(waves);
  };
  require_apart({{.option = "the input", .path = input, .is_output = false},
                 {"--json", options.json},
                 {"--report", options.report},
                 {"--messages", options.messages},
                 {"--links", options.links},
                 {"--ftr", options.ftr},
                 {"--wave", options.wave},
                 {"the view of --wave", view_of(options.wave)},
                 {"the Surfer view of --wave", surfer_view_of(options.wave)},
                 {"--wave-on-fail", options.wave_on_fail},
                 {"the view of --wave-on-fail", view_of(options.wave_on_fail)},
                 {"the Surfer view of --wave-on-fail", surfer_view_of(options.wave_on_fail)},
                 {"--cycle-file", options.cycle_file}});
}

Report::Report(std::string name, const Options& options)
    : name_(std::move(name)), options_(options), mesh_(options.mesh) {
  // Better known before the run than after it.
  const std::pair<const char*, const std::string&> files[] = {{"--json", options_.json},
                                                              {"--report", options_.report},
                                                              {"--messages", options_.messages},
                                                              {"--links", options_.links},
                                                              {"--ftr", options_.ftr}};
  for (const auto& [option, file] : files) {
    if (!file.empty()) require_writable(option, file);
  }
  for (const auto& [option, file] : files) {
    if (!file.empty()) remove_old_output(file);
  }
}

void Report::print(const std::string& line) const {
  if (!options_.quiet) fmt::print("{}\n", line);
}

void Report::say(const std::string& text) {
  told_ += text + "\n";
  print(text);
}

void Report::input(const std::string& file) {
  input_ = {{"file", file}, {"sha256", nullptr}};
  if (const auto hash = sha256_of_file(file)) input_["sha256"] = *hash;
}

void Report::check(const std::string& name, bool passed, const std::string& detail,
                   std::optional<Cycles> cycle, const std::optional<FailedAssertion>& assertion) {
  checks_.push_back(
      {.name = name, .detail = detail, .passed = passed, .cycle = cycle, .assertion = assertion});
  if (!passed || !options_.quiet) {
    fmt::print("  {} {}: {}\n", passed ? "ok  " : "FAIL", name, detail);
  }
}

void Report::fault(const Fault& fault, const std::optional<FaultPlace>& place,
                   const std::string& text) {
  fault_ = {{"kind", name_of(fault.kind)},
            {"number", fault.number},
            {"hit", place.has_value()},
            {"text", text}};
  if (!place) return;
  fault_.update({{"cycle", place->cycle},
                 {"node", place->node.value},
                 {"direction", kDirectionNames.at(place->direction)},
                 {"packet",
                  {{"kind", name_of(place->kind)},
                   {"class", place->reply ? "reply" : "request"},
                   {"from", place->from.value},
                   {"to", place->to.value},
                   {"bytes", place->bytes}}}});
}

void Report::waits(const WaitReport& waits) {
  const std::string text = waits.text();
  waits_text_ += text;
  note(text.empty() ? "no queue waits for anything\n" : text);
  for (const WaitChain& chain : waits.chains) {
    nlohmann::json steps = nlohmann::json::array();
    for (const WaitStep& step : chain.steps) {
      steps.push_back({{"node", step.node.value},
                       {"queue", step.queue.value},
                       {"descriptor", step.descriptor},
                       {"text", step.text}});
    }
    waits_.push_back({{"cycle", chain.cycle}, {"steps", steps}, {"end", chain.end}});
  }
}

void Report::figure(const std::string& name, const nlohmann::json& value) {
  const FigureInfo* info = find_figure(name);
  if (info == nullptr && !accepts_any_figure_) {
    throw std::logic_error("figure " + name + " is not listed");
  }
  figures_[name] = value;
  print(fmt::format("  {} = {}{}", name, value.dump(), info ? fmt::format(" {}", info->unit) : ""));
}

void Report::add_machine(const Machine& machine) {
  ++machines_;
  mesh_ = machines_ == 1 ? shape_name(machine.shape()) : mesh_;
  top_module_ = machine.top_module();
  // Several machines: their hashes in the order of their runs.
  const std::uint64_t hash = machine.counts().flit_hash;
  flit_hash_ = machines_ == 1 ? hash : mix(flit_hash_) + hash;
  if (!options_.json.empty()) memory_hash_ = mix(memory_hash_) + machine.memory_hash();
  cycles_ += machine.now();
  node_cycles_ += machine.elapsed_node_cycles();
  cpu_seconds_ += machine.cpu_seconds();
  if (options_.shows_machines()) {
    report_page::RunRecord record = report_page::record_of(machine, messages_, program_time_);
    if (!options_.messages.empty()) {
      message_rows_ += report_page::message_rows(record, machines_ - 1);
    }
    if (!options_.links.empty()) link_rows_ += report_page::link_rows(record, machines_ - 1);
    if (!options_.ftr.empty()) transactions_ = transactions_of(machine, record);
    if (!options_.report.empty() && records_.size() < kMostMachines) {
      records_.push_back(std::move(record));
    }
  }
  messages_.clear();
  program_time_.reset();
}

void Report::message(const ProgramMessage& message) {
  if (options_.shows_machines()) messages_.push_back(message);
}

bool Report::passed() const {
  return !checks_.empty() &&
         std::all_of(checks_.begin(), checks_.end(), [](const Check& c) { return c.passed; });
}

double Report::node_rate() const {
  return cpu_seconds_ > 0 ? static_cast<double>(node_cycles_) / cpu_seconds_ : 0;
}

nlohmann::json Report::as_json(const Check& check) {
  nlohmann::json json = {{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}};
  if (check.cycle) json["cycle"] = *check.cycle;
  if (!check.assertion) return json;
  const FailedAssertion& assertion = *check.assertion;
  json["assertion"] = {{"name", assertion.name},
                       {"instance", assertion.instance},
                       {"file", assertion.file},
                       {"line", assertion.line}};
  if (assertion.node) json["assertion"]["node"] = assertion.node->value;
  if (assertion.cycle) json["assertion"]["cycle"] = *assertion.cycle;
  return json;
}

const Report::Check* Report::first_failure() const {
  const auto found = std::find_if(checks_.begin(), checks_.end(),
                                  [](const Check& check) { return !check.passed; });
  return found == checks_.end() ? nullptr : &*found;
}

nlohmann::json Report::as_json() const {
  nlohmann::json checks = nlohmann::json::array();
  for (const Check& check : checks_) checks.push_back(as_json(check));
  const Check* const first = first_failure();
  nlohmann::json units = nlohmann::json::object();
  for (const auto& [name, value] : figures_.items()) {
    const FigureInfo* info = find_figure(name);
    units[name] = info == nullptr ? "" : info->unit;
  }
  nlohmann::json json = what_ran();
  json.update({{"name", name_},
               {"title", title_},
               {"input", input_},
               {"mesh", mesh_},
               {"engine", options_.engine},
               {"top_module", top_module_},
               {"latency", options_.latency},
               {"seed", options_.seed},
               {"timing", options_.timing},
               {"flit_hash", fmt::format("0x{:016x}", flit_hash_)},
               {"memory_hash", fmt::format("0x{:016x}", memory_hash_)},
               {"cycles", cycles_},
               {"node_cycles_per_second", node_rate()},
               {"passed", passed()},
               {"checks", checks},
               {"first_failure", first == nullptr ? nlohmann::json() : as_json(*first)},
               {"inject", fault_},
               {"waits", waits_},
               {"figures", figures_},
               {"figure_units", units}});
  return json;
}

void Report::write_page(const std::string& command) const {
  report_page::Page page;
  page.title = "torusmu " + name_;
  page.command = command;
  page.passed = passed();
  page.facts = {{"what ran", title_.empty() ? name_ : fmt::format("{}: {}", name_, title_)},
                {"machine", machines_ == 1 ? mesh_ : fmt::format("{} machines", machines_)},
                {"engine", fmt::format("{} ({})", options_.engine, top_module_)},
                {"links", fmt::format("{} cycles", options_.latency)},
                {"seed", fmt::format("{}", options_.seed)},
                {"timing of memories and cores", options_.timing},
                {"simulated", fmt::format("{} cycles, flit hash 0x{:016x}", cycles_, flit_hash_)}};
  if (!fault_.is_null()) page.facts.emplace_back("fault", fault_["text"]);
  if (!input_.is_null()) {
    page.facts.push_back({"input", fmt::format("{}, SHA-256 {}", input_["file"].get<std::string>(),
                                               text_of(input_["sha256"]))});
  }
  const nlohmann::json ran = what_ran();
  page.facts.push_back({"program", fmt::format("torusmu {}, profile {}, commit {}, build {}",
                                               text_of(ran["version"]), text_of(ran["profile"]),
                                               text_of(ran["commit"]), text_of(ran["build"]))});
  for (const auto& [option, value] : ran["options"].items()) {
    page.options.push_back({option, text_of(value)});
  }
  page.told = told_;
  page.waits = waits_text_;
  // A bench has machines of its own, and a whole machine as one model has no waves.
  const bool has_waves = options_.engine == "fast" && !name_.starts_with("bench ");
  if (has_waves) page.wave_command = command;
  for (const Check& check : checks_)
    page.checks.push_back({check.name, check.passed, check.detail});
  for (const auto& [name, value] : figures_.items()) {
    const FigureInfo* info = find_figure(name);
    page.figures.push_back({name, value.dump(), info ? info->unit : "", info ? info->what : ""});
  }
  page.machines = records_;
  page.machines_left_out = machines_ - records_.size();
  write_output_file("--report", options_.report, report_page::html(page));
}

// For who reads the last line alone.
std::string Report::first_failure_text() const {
  const Check* const first = first_failure();
  if (first == nullptr) return "";
  return fmt::format(", first {}: {}", first->name,
                     first->detail.substr(0, first->detail.find('\n')));
}

void Report::write_tables() const {
  if (!options_.messages.empty()) {
    write_output_file("--messages", options_.messages,
                      report_page::message_columns() + message_rows_);
  }
  if (!options_.links.empty()) {
    write_output_file("--links", options_.links, report_page::link_columns() + link_rows_);
  }
  if (!options_.ftr.empty()) write_output_file("--ftr", options_.ftr, transactions_);
}

int Report::finish(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  for (const std::string& word : as_arguments(options_)) words.push_back(word);
  const std::string repeat = quoted(words);
  const auto failed = static_cast<std::size_t>(
      std::count_if(checks_.begin(), checks_.end(), [](const Check& c) { return !c.passed; }));
  if (machines_ != 0) {
    print(fmt::format("{}: {} engine, links of {} cycles, {} cycles, flit hash 0x{:016x}",
                      machines_ == 1 ? mesh_ : fmt::format("{} machines", machines_),
                      options_.engine, options_.latency, cycles_, flit_hash_));
    print(fmt::format("{:.2f} million node-cycles in a second of CPU time", node_rate() / 1e6));
  }
  if (failed != 0 || checks_.empty()) {
    fmt::print("{}: {} of {} checks failed{}; repeat with: {}\n", name_, failed, checks_.size(),
               first_failure_text(), repeat);
  } else {
    print(fmt::format("{}: {} checks passed", name_, checks_.size()));
  }
  if (!options_.json.empty()) write_output_file("--json", options_.json, json_text(as_json()));
  write_tables();
  if (!options_.report.empty()) write_page(repeat);
  return passed() ? 0 : 1;
}

}  // namespace torusmu
