// SPDX-License-Identifier: Apache-2.0
// What is asked of a bench, which builds machines of its own.
#ifndef TORUSMU_SIM_PLAY_BENCH_BENCH_OPTIONS_H_
#define TORUSMU_SIM_PLAY_BENCH_BENCH_OPTIONS_H_

#include <cstdint>
#include <string>

#include "sim/machine/machine.h"
#include "sim/play/bench/traffic.h"

namespace torusmu {

struct BenchOptions {
  unsigned latency = 8;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string timing = "fixed";
  bool quiet = false;
  std::string mesh_folder = {};                     // see MachineConfig
  decltype(MachineConfig::observer) observer = {};  // of all machines

  // One of usual costs.
  [[nodiscard]] MachineConfig machine(const Shape& shape) const {
    MachineConfig config;
    config.engine.shape = shape;
    config.engine.latency = latency;
    config.engine.threads = threads;
    config.seed = seed;
    config.observer = observer;
    return config;
  }
};

// The machine of traffic.h, of the options' seed.
inline MachineConfig bench_config(const std::string& mesh, unsigned latency,
                                  const BenchOptions& options) {
  MachineConfig config = bench_config(mesh, latency, options.seed);
  config.observer = options.observer;
  return config;
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_BENCH_OPTIONS_H_
