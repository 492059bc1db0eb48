// SPDX-License-Identifier: Apache-2.0
// barrier.*, allreduce8.*, allreduce64k.*, overlap.*: collectives run by the MU, against the same
// ones run by the cores, by messages.
#include <fmt/format.h>

#include <algorithm>

#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/scenario/collective_play.h"

namespace torusmu {
namespace {

constexpr const char* kMesh = "4x4x4";
constexpr std::uint64_t kLongDoubles = (64 << 10) / sizeof(double);
// Two passes of 63/64 of 64 KiB over one link, of whose cycles 94 % carry payload.
constexpr double kLongBound = 8570;
// Calls until the ring of the queue has gone round once, and the list stands where it is posted
// next.
constexpr int kShortCalls = 18;
constexpr int kLongCalls = 2;
constexpr Cycles kSlice = 500;  // that a core computes before it asks whether a sum is complete

MachineConfig config_of(const Options& options, Cycles mmio_halves) {
  MachineConfig config;
  config.engine.shape = parse_shape(kMesh);
  config.engine.latency = options.latency;
  config.engine.threads = options.threads;
  config.seed = options.seed;
  config.costs = config.costs.with_mmio_halves(mmio_halves);
  return config;
}

CollectiveTimes measure(const Options& options, Report& report, const std::string& name,
                        RunBy run_by, std::uint64_t count, Cycles mmio_halves = 2) {
  MachineStage stage(config_of(options, mmio_halves), report);
  const CollectiveTimes times = play_collective(stage, run_by, count);
  report.check(name, times.right, fmt::format("{} cycles", times.cycles()));
  report.add_machine(stage.machine());
  return times;
}

// Both ways, at the usual costs of register accesses and at half and twice as much. Returns the
// times of the MU at the usual costs.
CollectiveTimes compare(const Options& options, Report& report, const std::string& name,
                        std::uint64_t count) {
  struct Cost {
    const char* suffix;
    Cycles mmio_halves;
  };
  CollectiveTimes usual;
  for (const Cost& cost : {Cost{"", 2}, Cost{".mmio_half", 1}, Cost{".mmio_double", 4}}) {
    const CollectiveTimes mu = measure(options, report, name + ".by_mu" + cost.suffix, RunBy::kMu,
                                       count, cost.mmio_halves);
    const CollectiveTimes software = measure(options, report, name + ".by_software" + cost.suffix,
                                             RunBy::kSoftware, count, cost.mmio_halves);
    report.figure(name + ".offload_cycles" + cost.suffix, static_cast<double>(mu.cycles()));
    report.figure(name + ".software_cycles" + cost.suffix, static_cast<double>(software.cycles()));
    if (cost.mmio_halves == 2) usual = mu;
  }
  return usual;
}

}  // namespace

void bench_barrier(const Options& options, Report& report) {
  const CollectiveTimes mu = compare(options, report, "barrier", 0);
  const Cycles links = barrier_link_cycles(parse_shape(kMesh), options.latency);
  report.figure("barrier.link_cycles", links);
  report.figure("barrier.offload_beyond_links_cycles",
                static_cast<double>(mu.cycles()) - static_cast<double>(links));
}

void bench_allreduce8(const Options& options, Report& report) {
  compare(options, report, "allreduce8", 1);
}

void bench_allreduce64k(const Options& options, Report& report) {
  const CollectiveTimes times =
      measure(options, report, "allreduce64k.by_mu", RunBy::kMu, kLongDoubles);
  report.figure("allreduce64k.bound_share", kLongBound / static_cast<double>(times.cycles()));
}

// A long sum, and for comparison a short one, which is over in 695 cycles: the doorbell (20) and
// the first look at the line in which the MU tells of its end (40) are much of that.
void bench_overlap(const Options& options, Report& report) {
  struct Cost {
    const char* suffix;
    Cycles mmio_halves;
  };
  for (const Cost& cost : {Cost{"", 2}, Cost{".mmio_half", 1}, Cost{".mmio_double", 4}}) {
    for (const std::uint64_t count : {kLongDoubles, std::uint64_t{1}}) {
      const bool is_short = count == 1;
      MachineStage stage(config_of(options, cost.mmio_halves), report);
      const OverlapTimes times =
          play_overlap(stage, count, kSlice, is_short ? kShortCalls : kLongCalls);
      report.check(fmt::format("overlap.{}_doubles{}", count, cost.suffix), times.right,
                   fmt::format("{:.4f} of the core's cycles", times.core_free_share));
      report.add_machine(stage.machine());
      report.figure(fmt::format("overlap.core_free_share{}{}", is_short ? "_8b" : "", cost.suffix),
                    times.core_free_share);
    }
  }
}

// All collectives of one length; the largest number of accesses counts.
void bench_offload(const Options& options, Report& report) {
  std::uint64_t accesses = 0;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}}) {
    const CollectiveTimes times =
        measure(options, report, fmt::format("offload.{}_doubles", count), RunBy::kMu, count);
    accesses = std::max(accesses, times.accesses);
  }
  report.figure("offload.host_accesses", static_cast<double>(accesses));
}

}  // namespace torusmu
