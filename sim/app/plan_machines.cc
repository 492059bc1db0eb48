// SPDX-License-Identifier: Apache-2.0
#include "sim/app/plan_machines.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "sim/app/identity.h"
#include "sim/app/options.h"
#include "sim/app/replay.h"
#include "sim/app/wave_build.h"
#include "sim/app/what_ran.h"
#include "sim/machine/errors.h"
#include "sim/machine/random_timing.h"
#include "sim/machine/shape.h"
#include "sim/play/bench/benches.h"
#include "sim/play/figures.h"
#include "sim/play/replay/play.h"
#include "sim/play/scenario/load_scenario.h"
#include "sim/play/scenario/scenario.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

using lab::PlanTest;

struct Parsed {
  Options options;
  ReplayOptions replay;
};

// Throws CLI::ParseError.
Parsed parse(const PlanTest& test, std::vector<std::string> words) {
  Parsed parsed;
  CLI::App app;
  app.set_help_flag();  // what prints its help checks nothing
  if (test.kind == PlanTest::Kind::kReplay) add_replay_options(app, parsed.replay);
  add_options(app, parsed.options);
  std::reverse(words.begin(), words.end());  // as CLI takes them
  app.parse(std::move(words));
  return parsed;
}

// The machine that a test has by itself. Throws UsageError.
std::string default_shape(const PlanTest& test, const ReplayOptions& replay) {
  if (test.kind == PlanTest::Kind::kScenario) return scenario_called(test.what).default_shape;
  return shape_name(replay::shape_for(replay::read_trace_file(test.what), replay.tasks_per_node));
}

void require_built(const Shape& shape, const std::string& mesh_folder) {
  const std::string name = shape_name(shape);
  if (std::filesystem::exists(fmt::format("{}/{}.so", mesh_folder, name))) return;
  throw UsageError(
      fmt::format("{} is not built for the mesh engine; make mesh SHAPE={} builds it", name, name));
}

// Throws UsageError.
void judge_machines(const PlanTest& test, const Parsed& parsed, const std::string& mesh_folder) {
  Options options = parsed.options;
  std::vector<std::string> shapes = test.shapes, engines = test.engines;
  if (shapes.empty()) shapes = {default_shape(test, parsed.replay)};
  if (engines.empty()) engines = {options.engine};
  for (const std::string& shape : shapes) {
    for (const std::string& engine : engines) {
      options.engine = engine;
      const MachineConfig config = machine_config(options, shape);
      if (test.kind == PlanTest::Kind::kScenario) {
        require_nodes(scenario_called(test.what), config.engine.shape);
      }
      if (config.kind == EngineKind::kMesh) require_built(config.engine.shape, mesh_folder);
    }
  }
}

template <typename List>
std::string names_of(const List& list) {
  std::string names;
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

class PlanMachines : public lab::MachineTests {
 public:
  [[nodiscard]] std::optional<std::string> expected_instead(
      PlanTest::Kind kind, const std::string& what) const override {
    if (kind == PlanTest::Kind::kScenario) return scenario_instead(what);
    if (kind == PlanTest::Kind::kReplay) {
      std::error_code no_reason;  // of a name that no file may have
      if (std::filesystem::is_regular_file(what, no_reason)) return std::nullopt;
      return "a trace file, from " + std::filesystem::current_path().string();
    }
    const auto is_it = [&](const Bench& bench) { return bench.name == what; };
    if (std::any_of(benches().begin(), benches().end(), is_it)) return std::nullopt;
    return "a bench: " + names_of(benches());
  }
  [[nodiscard]] bool is_shape(const std::string& text) const override {
    try {
      parse_shape(text);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  [[nodiscard]] bool is_timing(const std::string& text) const override {
    return torusmu::is_timing(text);
  }
  [[nodiscard]] std::string timings() const override { return kTimings; }
  [[nodiscard]] bool is_figure(const std::string& name) const override {
    return find_figure(name) != nullptr;
  }
  [[nodiscard]] std::optional<std::string> refusal(const PlanTest& test,
                                                   const std::vector<std::string>& options,
                                                   const std::string& mesh_folder) const override {
    try {
      const Parsed parsed = parse(test, options);
      if (test.kind == PlanTest::Kind::kBench) {
        refuse_machine_options(parsed.options);
        return std::nullopt;
      }
      (void)play_options(parsed.replay);
      judge_machines(test, parsed, mesh_folder);
      return std::nullopt;
    } catch (const CLI::ParseError& error) {
      return error.what();
    } catch (const UsageError& error) {
      return error.what();
    }
  }
  [[nodiscard]] std::uint64_t most_nodes() const override { return kMostNodes; }
  [[nodiscard]] lab::Range legal_nodes(const PlanTest& test) const override {
    if (test.kind == PlanTest::Kind::kScenario) {
      const Scenario scenario = scenario_called(test.what);
      return {scenario.least_nodes, scenario.most_nodes};
    }
    const std::uint64_t tasks = parse(test, test.options).replay.tasks_per_node;
    const std::uint64_t ranks = replay::read_trace_file(test.what).ranks.size();
    return {(ranks + tasks - 1) / tasks, kMostNodes};
  }
  [[nodiscard]] std::string why_no_waves(const std::string& program) const override {
    return torusmu::why_no_waves(program);
  }
  void require_same_build(const std::string& program, const std::string& remedy) const override {
    torusmu::require_same_build(program, remedy);
  }

 private:
  [[nodiscard]] static std::optional<std::string> scenario_instead(const std::string& what) {
    try {
      (void)scenario_called(what);
      return std::nullopt;
    } catch (const UsageError& error) {
      if (names_a_file(what)) return error.what();
      return "a scenario: " + names_of(scenarios());
    }
  }
};

}  // namespace

const lab::MachineTests& plan_machines() {
  static const PlanMachines machines;
  return machines;
}

lab::Surroundings plan_surroundings() {
  return {.machines = &plan_machines(),
          .commit = build_identity().commit,
          .ran = what_ran(),
          .variables = {}};
}

}  // namespace torusmu
