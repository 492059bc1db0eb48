// SPDX-License-Identifier: Apache-2.0
// uniform.* and engine.*: many flows, and how fast they are simulated.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/machine/errors.h"
#include "sim/observe/progress.h"
#include "sim/play/bench/benches.h"
#include "sim/play/bench/traffic.h"

namespace torusmu {
namespace {

constexpr unsigned kLatency = 8;
constexpr Cycles kWarmUp = 5'000;
constexpr Cycles kMeasured = 20'000;
constexpr unsigned kParts = 10;  // of the cycles that count

struct Measured {
  double load = 0;     // accepted flits a node and cycle
  double per_cpu = 0;  // million node-cycles a CPU second, of the fastest of kParts
  double wall = 0;     // seconds
};

// Uniform random puts: `load` offered, warm-up, then `cycles` that count.
Measured measure(const MachineConfig& config, double load, Cycles cycles, Sink& sink) {
  Machine machine(config);
  open_nodes(machine);
  if (load > 0) start_uniform_puts(machine, load, kWarmUp + cycles + 2'000, config.seed);
  machine.run_to(machine.now() + kWarmUp);
  const std::uint64_t before = load > 0 ? ejected_flits(machine) : 0;
  const double wall = machine.wall_seconds();
  const double node_cycles = static_cast<double>(cycles) * machine.shape().nodes();
  Measured measured;
  RunResult result;
  for (unsigned part = 0; part < kParts; ++part) {
    const double cpu = machine.cpu_seconds();
    result = machine.run_to(machine.now() + cycles / kParts);
    const double speed = node_cycles / kParts / (machine.cpu_seconds() - cpu) / 1e6;
    measured.per_cpu = std::max(measured.per_cpu, speed);
    if (result.broken) break;
  }
  measured.wall = machine.wall_seconds() - wall;
  if (load > 0) {
    const std::uint64_t after = ejected_flits(machine);
    measured.load = static_cast<double>(after - before) /
                    (node_cycles + static_cast<double>(kReadCycles) * machine.shape().nodes());
  }
  sink.add_machine(machine);
  sink.check(fmt::format("{}_load_{}", shape_name(machine.shape()), load), !result.broken,
             result.broken ? result.failure
                           : fmt::format("{:.3f} flits a node and cycle accepted, {:.2f} million "
                                         "node-cycles a CPU second",
                                         measured.load, measured.per_cpu));
  return measured;
}

MachineConfig speed_config(const char* mesh, bool sleeping, const BenchOptions& options) {
  MachineConfig config = bench_config(mesh, kLatency, options);
  config.progress = terminal_progress(options.quiet);
  config.engine.sleeping = sleeping;
  // Speed is that of the design. Every other run of the program checks the assertions in each
  // cycle.
  config.engine.assertions = false;
  return config;
}

}  // namespace

void bench_uniform(const BenchOptions& options, Sink& sink) {
  for (const char* mesh : {"4x4x4", "8x8x8"}) {
    MachineConfig config = bench_config(mesh, kLatency, options);
    config.progress = terminal_progress(options.quiet);
    config.engine.threads = options.threads;
    sink.figure(fmt::format("uniform.accepted_{}", mesh),
                measure(config, 1.0, kMeasured, sink).load);
  }
}

void bench_engine(const BenchOptions& options, Sink& sink) {
  constexpr const char* kMesh = "4x4x4";
  std::vector<double> loads;
  const auto speed = [&](const char* name, double load, bool sleeping, Cycles cycles) {
    const Measured measured = measure(speed_config(kMesh, sleeping, options), load, cycles, sink);
    sink.figure(fmt::format("engine.fast.{}", name), measured.per_cpu);
    loads.push_back(measured.load);
  };
  speed("idle", 0, false, 100'000);
  speed("load10", 0.1, false, kMeasured);
  speed("saturated", 1.0, false, kMeasured);
  speed("load1_sleep", 0.01, true, 10 * kMeasured);

  const Measured fast = measure(speed_config("2x2x2", false, options), 0.1, kMeasured, sink);
  loads.push_back(fast.load);
  MachineConfig mesh_speed = speed_config("2x2x2", false, options);
  mesh_speed.mesh_folder = options.mesh_folder;
  mesh_speed.kind = EngineKind::kMesh;
  try {
    const Measured slow = measure(mesh_speed, 0.1, kMeasured, sink);
    sink.figure("engine.ratio_fast_mesh", fast.per_cpu / slow.per_cpu);
  } catch (const UsageError& error) {
    sink.check("engine.mesh_built", false, error.what());
  }

  MachineConfig large = speed_config("8x8x8", true, options);
  const Measured one = measure(large, 0.1, kMeasured / 2, sink);
  loads.push_back(one.load);
  large.engine.threads = 2;
  const double two = measure(large, 0.1, kMeasured / 2, sink).wall;
  sink.figure("engine.threads2_gain", one.wall / two);
  sink.figure("engine.load", loads);
}

}  // namespace torusmu
