// SPDX-License-Identifier: Apache-2.0
// big.*: what the largest machine costs.
#include <fmt/format.h>
#include <sys/resource.h>

#include "sim/observe/progress.h"
#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"

namespace torusmu {
namespace {

using B = BenchLayout;
constexpr Bytes kBroadcastBytes = 4096;
constexpr Cycles kBound = 2'000'000;

// Binomial tree: a node that has the data sends it to node + 2^k for each bit above its own
// highest.
void broadcast(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  if (self != 0) {
    const Cycles deadline = device.now() + kBound / 2;
    if (!device.wait_interrupt({0}, deadline)) return;
  }
  std::uint32_t step = 1;
  while (step <= self) step *= 2;
  std::uint32_t tail = 0;
  for (; self + step < shape.nodes(); step *= 2) {
    const Coordinates to = shape.coordinates({self + step});
    // The data are sent on from where they arrived.
    node.write_descriptor(
        B::kRing, B::kRingSlots, tail,
        put_descriptor(to, {B::kTargetRegion, 0, kBroadcastBytes}, B::kTargetRegion, 0,
                       {.counter = static_cast<int>(B::kCounter.value)}));
    node.ring_doorbell(B::kQueue, ++tail);
  }
}

}  // namespace

void bench_big(const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config("16x16x16", options.latency, options);
  config.progress = terminal_progress(options.quiet);
  config.engine.threads = options.threads;
  config.costs = {};
  Machine machine(config);
  open_nodes(machine);
  for (std::uint32_t n = 1; n < machine.shape().nodes(); ++n) {
    machine.add_core({n}, [](Device& device) {
      RawNode(device).preload(B::kCounter, kBroadcastBytes);
      (void)RawNode(device).causes();
    });
  }
  run_or_throw(machine, kBound);
  const std::vector<std::byte> data = pattern(options.seed, kBroadcastBytes);
  machine.memory({0}).write(B::kTarget, data);
  const Cycles start = machine.now();
  for (std::uint32_t n = 0; n < machine.shape().nodes(); ++n) machine.add_core({n}, broadcast);
  run_or_throw(machine, kBound);
  std::uint32_t right = 0;
  std::vector<std::byte> found(kBroadcastBytes);
  for (std::uint32_t n = 0; n < machine.shape().nodes(); ++n) {
    machine.memory({n}).read(B::kTarget, found);
    if (found == data) ++right;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  sink.check("big.broadcast", right == machine.shape().nodes(),
             fmt::format("{} of {} nodes have the {} bytes, {} cycles", right,
                         machine.shape().nodes(), kBroadcastBytes, machine.now() - start));
  sink.add_machine(machine);
  sink.figure("big.memory_mb", static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace torusmu
