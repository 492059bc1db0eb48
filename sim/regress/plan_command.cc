// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/plan_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/cli/options.h"
#include "sim/errors.h"
#include "sim/replay/play.h"
#include "sim/replay/replay.h"
#include "sim/scenario/load_scenario.h"
#include "sim/scenario/scenarios.h"
#include "sim/shape.h"

namespace torusmu::regress {
namespace {

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

}  // namespace

Range legal_nodes(const PlanTest& test) {
  if (test.kind == PlanTest::Kind::kScenario) {
    const Scenario scenario = scenario_called(test.what);
    return {scenario.least_nodes, scenario.most_nodes};
  }
  const std::uint64_t tasks = parse(test, test.options).replay.tasks_per_node;
  const std::uint64_t ranks = replay::read_trace_file(test.what).ranks.size();
  return {(ranks + tasks - 1) / tasks, kMostNodes};
}

std::optional<std::string> refusal(const PlanTest& test, const std::vector<std::string>& options,
                                   const std::string& mesh_folder) {
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

BadOptions bad_options(const PlanTest& test, const std::string& mesh_folder) {
  const auto reason_of = [&](std::size_t count) {
    const auto begin = test.options.begin();
    return refusal(test, {begin, begin + static_cast<std::ptrdiff_t>(count)}, mesh_folder);
  };
  BadOptions bad{.first = test.options.size() - 1, .count = 1, .reason = ""};
  // An option without its value is refused too: the last words that were good end before it.
  while (reason_of(bad.first)) --bad.first;
  const std::size_t next = bad.first + 1;
  if (next < test.options.size() && !test.options[next].starts_with("-")) ++bad.count;
  bad.reason = reason_of(bad.first + bad.count).value();
  return bad;
}

}  // namespace torusmu::regress
