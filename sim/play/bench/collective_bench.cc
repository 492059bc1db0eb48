// SPDX-License-Identifier: Apache-2.0
// barrier.*, allreduce8.*, allreduce64k.*, overlap.*: collectives run by the MU, against the same
// ones run by the cores, by messages.
#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/profile.h"
#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/scenario/collective_play.h"
#include "sim/play/scenario/full_node.h"

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

MachineConfig config_of(const BenchOptions& options, Cycles mmio_halves) {
  MachineConfig config = options.machine(parse_shape(kMesh));
  config.costs = config.costs.with_mmio_halves(mmio_halves);
  return config;
}

CollectiveTimes measure(const BenchOptions& options, Sink& sink, const std::string& name,
                        RunBy run_by, std::uint64_t count, Cycles mmio_halves = 2) {
  MachineStage stage(config_of(options, mmio_halves), sink);
  const CollectiveTimes times = play_collective(stage, run_by, count);
  sink.check(name, times.right, fmt::format("{} cycles", times.cycles()));
  sink.add_machine(stage.machine());
  return times;
}

// Both ways, at the usual costs of register accesses and at half and twice as much. Returns the
// times of the MU at the usual costs.
CollectiveTimes compare(const BenchOptions& options, Sink& sink, const std::string& name,
                        std::uint64_t count) {
  struct Cost {
    const char* suffix;
    Cycles mmio_halves;
  };
  CollectiveTimes usual;
  for (const Cost& cost : {Cost{"", 2}, Cost{".mmio_half", 1}, Cost{".mmio_double", 4}}) {
    const CollectiveTimes mu =
        measure(options, sink, name + ".by_mu" + cost.suffix, RunBy::kMu, count, cost.mmio_halves);
    const CollectiveTimes software = measure(options, sink, name + ".by_software" + cost.suffix,
                                             RunBy::kSoftware, count, cost.mmio_halves);
    sink.figure(name + ".offload_cycles" + cost.suffix, static_cast<double>(mu.cycles()));
    sink.figure(name + ".software_cycles" + cost.suffix, static_cast<double>(software.cycles()));
    if (cost.mmio_halves == 2) usual = mu;
  }
  return usual;
}

}  // namespace

void bench_barrier(const BenchOptions& options, Sink& sink) {
  const CollectiveTimes mu = compare(options, sink, "barrier", 0);
  const Cycles links = barrier_link_cycles(parse_shape(kMesh), options.latency);
  sink.figure("barrier.link_cycles", links);
  sink.figure("barrier.offload_beyond_links_cycles",
              static_cast<double>(mu.cycles()) - static_cast<double>(links));
}

void bench_allreduce8(const BenchOptions& options, Sink& sink) {
  compare(options, sink, "allreduce8", 1);
}

void bench_allreduce64k(const BenchOptions& options, Sink& sink) {
  const CollectiveTimes times =
      measure(options, sink, "allreduce64k.by_mu", RunBy::kMu, kLongDoubles);
  sink.figure("allreduce64k.bound_share", kLongBound / static_cast<double>(times.cycles()));
}

// A long sum, and for comparison a short one, which is over in 695 cycles: the doorbell (20) and
// the first look at the line in which the MU tells of its end (40) are much of that.
void bench_overlap(const BenchOptions& options, Sink& sink) {
  struct Cost {
    const char* suffix;
    Cycles mmio_halves;
  };
  for (const Cost& cost : {Cost{"", 2}, Cost{".mmio_half", 1}, Cost{".mmio_double", 4}}) {
    for (const std::uint64_t count : {kLongDoubles, std::uint64_t{1}}) {
      const bool is_short = count == 1;
      MachineStage stage(config_of(options, cost.mmio_halves), sink);
      const OverlapTimes times =
          play_overlap(stage, count, kSlice, is_short ? kShortCalls : kLongCalls);
      sink.check(fmt::format("overlap.{}_doubles{}", count, cost.suffix), times.right,
                 fmt::format("{:.4f} of the core's cycles", times.core_free_share));
      sink.add_machine(stage.machine());
      sink.figure(fmt::format("overlap.core_free_share{}{}", is_short ? "_8b" : "", cost.suffix),
                  times.core_free_share);
    }
  }
}

namespace {

// With so many groups of a task each has one counter of each window.
constexpr std::uint32_t kManyGroups = kProfile.event_counters / 3;
constexpr const char* kTwoNodes = "2x1x1";

void bench_full_nodes(const BenchOptions& options, Sink& sink) {
  MachineStage full(options.machine(parse_shape(kTwoNodes)), sink);
  const FullNodeResult result = play_full_nodes(full);
  sink.add_machine(full.machine());
  sink.figure("offload.tasks_per_node", result.tasks_per_node);
  sink.figure("offload.groups_per_node", result.groups_per_node);
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}}) {
    const std::string name = count == 0 ? "offload.barrier_one_counter" : "offload.sum_one_counter";
    MachineStage stage(config_of(options, 2), sink);
    const CollectiveTimes times = play_collective(stage, RunBy::kMu, count, 0, kManyGroups);
    sink.check(name, times.right, fmt::format("{} cycles", times.cycles()));
    sink.add_machine(stage.machine());
    sink.figure(name + "_cycles", static_cast<double>(times.cycles()));
  }
}

}  // namespace

// All collectives of one length; the largest number of accesses counts.
void bench_offload(const BenchOptions& options, Sink& sink) {
  std::uint64_t accesses = 0;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}}) {
    const CollectiveTimes times =
        measure(options, sink, fmt::format("offload.{}_doubles", count), RunBy::kMu, count);
    accesses = std::max(accesses, times.accesses);
  }
  sink.figure("offload.host_accesses", static_cast<double>(accesses));
  bench_full_nodes(options, sink);
}

}  // namespace torusmu
