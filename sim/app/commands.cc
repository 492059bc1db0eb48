// SPDX-License-Identifier: Apache-2.0
#include "sim/app/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "sim/app/report.h"
#include "sim/app/wave_build.h"
#include "sim/app/wave_on_fail.h"
#include "sim/app/what_ran.h"
#include "sim/machine/errors.h"
#include "sim/observe/json_text.h"
#include "sim/observe/output_file.h"
#include "sim/observe/pin_watch.h"
#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/figures.h"
#include "sim/play/machine_stage.h"
#include "sim/play/replay/trace.h"
#include "sim/play/scenario/load_scenario.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

// "put, fifo, get"
template <typename List>
std::string names_of(const List& list) {
  std::string names;
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

// The traces that come with the tree: beside the build folder that the program lies in, or where it
// is called.
std::vector<std::string> trace_files() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  std::vector<std::string> files;
  for (const fs::path& folder :
       {fs::path("tests/traces"), self.parent_path() / "../tests/traces"}) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".trace") {
        files.push_back(entry.path().lexically_normal().string());
      }
    }
    if (!files.empty()) break;
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Prints them if wanted.
nlohmann::json list_traces(bool prints) {
  nlohmann::json list = nlohmann::json::array();
  const std::vector<std::string> files = trace_files();
  if (prints && !files.empty()) fmt::print("traces, for replay:\n");
  for (const std::string& file : files) {
    try {
      const replay::Trace trace = replay::read_trace_file(file);
      if (prints) {
        fmt::print("  {} {}, {} ranks, {} messages of {} bytes\n", file, trace.app,
                   trace.ranks.size(), trace.messages, trace.bytes);
      }
      list.push_back({{"file", file},
                      {"app", trace.app},
                      {"ranks", trace.ranks.size()},
                      {"messages", trace.messages},
                      {"bytes", trace.bytes}});
    } catch (const UsageError& error) {
      if (prints) fmt::print("  {}\n", error.what());
    }
  }
  return list;
}

BenchOptions bench_options(const Options& options) {
  BenchOptions bench{.latency = options.latency,
                     .seed = options.seed,
                     .threads = options.threads,
                     .timing = options.timing,
                     .quiet = options.quiet,
                     .mesh_folder = mesh_folder()};
  if (options.watches_machines()) bench.observer = make_watch;
  return bench;
}

}  // namespace

int run_list(bool with_figures, const std::string& json_file) {
  nlohmann::json json = what_ran();
  for (const char* list : {"scenarios", "benches", "figures"}) {
    json[list] = nlohmann::json::array();
  }
  if (with_figures) {
    for (const FigureInfo& figure : figures()) {
      fmt::print("{:<36} {:<34} {}\n", key_of(figure), figure.unit, figure.what);
    }
  } else {
    fmt::print("scenarios:\n");
    for (const Scenario& scenario : scenarios()) {
      fmt::print("  {:<12} {} ({})\n", scenario.name, scenario.title, scenario.default_shape);
    }
    fmt::print("benches:\n");
    for (const Bench& bench : benches()) fmt::print("  {:<12} {}\n", bench.name, bench.title);
    fmt::print("  {:<12} all of them\n", "all");
  }
  json["traces"] = list_traces(!with_figures);
  for (const Scenario& scenario : scenarios()) json["scenarios"].push_back(scenario.name);
  for (const Bench& bench : benches()) json["benches"].push_back(bench.name);
  for (const FigureInfo& figure : figures()) {
    json["figures"].push_back({{"name", key_of(figure)},
                               {"unit", figure.unit},
                               {"what", figure.what},
                               {"wanted", wanted_text(figure)}});
  }
  if (!json_file.empty()) write_output_file("--json", json_file, json_text(json));
  return 0;
}

int run_scenario(const std::string& name, const Options& options) {
  const bool is_outside = names_a_file(name);
  require_files_apart(options, is_outside ? name : "");
  const Scenario scenario = scenario_called(name);
  MachineConfig config = machine_config(options, scenario.default_shape);
  require_nodes(scenario, config.engine.shape);
  require_wave_on_fail(options, config);
  become_wave_build_if_needed(config);
  config.engine.record = scenario.wants_events;
  WaveConfig& wave = config.engine.wave;
  if (wave.from == 0 && wave.to == kNever) {
    wave.from = scenario.waves_from;
    wave.to = scenario.waves_to;
  }
  Report report(scenario.name, options);
  if (is_outside) report.accept_any_figure();
  report.title(scenario.title);
  report.say(
      fmt::format("{}: {}, on {}", scenario.name, scenario.title, shape_name(config.engine.shape)));
  MachineStage stage(config, report);
  stage.perform([&] { scenario.play(stage); });
  stage.finish_waves();
  report.add_machine(stage.machine());
  const int status = report.finish({options.program, "scenario", name});
  wave_the_failure(options, stage.waves_of_failure(options.wave_cycles));
  return status;
}

int run_bench(const std::string& name, const Options& options) {
  refuse_machine_options(options);
  if (name != "all" && std::none_of(benches().begin(), benches().end(),
                                    [&](const Bench& bench) { return name == bench.name; })) {
    throw UsageError(fmt::format("no bench \"{}\": there are {}, all", name, names_of(benches())));
  }
  require_files_apart(options);
  Report report("bench " + name, options);
  for (const Bench& bench : benches()) {
    if (name != "all" && name != bench.name) continue;
    if (name != "all") report.title(bench.title);
    report.say(fmt::format("{}: {}", bench.name, bench.title));
    // What the others find out is worth having though one of them breaks off.
    try {
      bench.run(bench_options(options), report);
    } catch (const UsageError&) {
      throw;
    } catch (const RunFailure& failure) {
      report.check(fmt::format("{}.ends", bench.name), false, failure.what());
      if (failure.waits()) report.waits(*failure.waits());
    } catch (const std::exception& error) {
      report.check(fmt::format("{}.ends", bench.name), false, error.what());
    }
  }
  return report.finish({options.program, "bench", name});
}

}  // namespace torusmu
