// SPDX-License-Identifier: Apache-2.0
#include "sim/app/wave_diff.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/app/options.h"
#include "sim/app/what_ran.h"
#include "sim/observe/json_text.h"
#include "sim/observe/output_file.h"
#include "sim/observe/wave_view.h"

namespace torusmu {
namespace {

constexpr Cycles kUnits = kWaveUnitsPerCycle;

std::string moment(std::uint64_t time) {
  return fmt::format("cycle {}{}", time / kUnits,
                     time % kUnits == 0 ? "" : ", behind its falling edge");
}

std::string signals(std::size_t count) {
  return fmt::format("{} signal{}", count, count == 1 ? "" : "s");
}

void print_list(const std::vector<std::string>& names, const std::string& file, std::size_t most) {
  if (names.empty()) return;
  fmt::print("{} in {} alone:\n", signals(names.size()), file);
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) fmt::print("  {}\n", names[i]);
  if (names.size() > most) fmt::print("  and {} more\n", names.size() - most);
}

void print(const WaveDiff& diff, const WaveDiffOptions& options) {
  const std::string a = name_of_file(options.a, options);
  const std::string b = name_of_file(options.b, options);
  if (diff.time) {
    fmt::print("{} and {} first differ in {}: {}\n", a, b, moment(*diff.time),
               signals(diff.signals.size()));
    std::size_t width = 0;
    const std::size_t shown = std::min(options.most, diff.signals.size());
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, diff.signals[i].name.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const WaveDiff::Signal& signal = diff.signals[i];
      if (i == 0 || signal.node != diff.signals[i - 1].node) {
        const auto count = std::count_if(diff.signals.begin(), diff.signals.end(),
                                         [&](const auto& s) { return s.node == signal.node; });
        fmt::print("{}: {}\n", signal.node.empty() ? "outside the nodes" : signal.node,
                   signals(static_cast<std::size_t>(count)));
      }
      fmt::print("  {:<{}}  {} | {}{}\n", signal.name, width, signal.a, signal.b,
                 signal.also.empty() ? "" : fmt::format("  ({} more names)", signal.also.size()));
    }
    if (diff.signals.size() > shown) {
      fmt::print("and {} more; --most shows them\n", diff.signals.size() - shown);
    }
  } else {
    fmt::print("no difference in cycles {} to {}: {}\n", diff.from, diff.to,
               signals(diff.compared));
  }
  print_list(diff.only_a, a, options.most);
  print_list(diff.only_b, b, options.most);
  if (diff.lengths) fmt::print("{}\n", *diff.lengths);
}

void write_json(const WaveDiff& diff, const std::string& path) {
  nlohmann::json signals = nlohmann::json::array();
  for (const WaveDiff::Signal& s : diff.signals) {
    signals.push_back(
        {{"node", s.node}, {"name", s.name}, {"a", s.a}, {"b", s.b}, {"also", s.also}});
  }
  nlohmann::json json = {
      {"same", diff.same()}, {"compared", diff.compared}, {"from", diff.from},
      {"to", diff.to},       {"cycle", nullptr},          {"picoseconds", nullptr},
      {"signals", signals},  {"only_a", diff.only_a},     {"only_b", diff.only_b}};
  json.update(what_ran());
  if (diff.time) {
    json["cycle"] = *diff.time / kUnits;
    json["picoseconds"] = *diff.time;
  }
  write_output_file("--json", path, json_text(json));
}

}  // namespace

CLI::App* add_wave_diff(CLI::App& wave, WaveDiffOptions& options) {
  CLI::App* diff = wave.add_subcommand("diff", "says where two traces first differ");
  diff->add_option("A.fst", options.a, "a trace")->required();
  diff->add_option("B.fst", options.b, "another")->required();
  constexpr std::uint64_t kMost = 1'000'000;
  constexpr std::uint64_t kLastCycle = std::uint64_t{1} << 48;
  diff->add_option("--most", options.most, "how many signals are named")
      ->transform(whole_number(1, kMost))
      ->capture_default_str();
  diff->add_option("--from", options.from, "first cycle that is compared")
      ->transform(whole_number(0, kLastCycle));
  diff->add_option("--to", options.to, "the cycle behind the last that is compared")
      ->transform(whole_number(1, kLastCycle));
  diff->add_option("--scope", options.scope, "compares this part alone, as node_3.mu_gated_node");
  diff->add_option("--json", options.json, "writes the result to a file");
  return diff;
}

int run_wave_diff(const WaveDiffOptions& options) {
  require_apart({{.option = "the trace", .path = options.a, .is_output = false},
                 {.option = "the trace", .path = options.b, .is_output = false},
                 {"--json", options.json}});
  if (!options.json.empty()) {
    require_writable("--json", options.json);
    remove_old_output(options.json);
  }
  const WaveDiff diff = wave_diff(options);
  print(diff, options);
  if (!options.json.empty()) write_json(diff, options.json);
  return diff.same() ? 0 : 1;
}

}  // namespace torusmu
