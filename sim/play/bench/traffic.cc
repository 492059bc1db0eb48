// SPDX-License-Identifier: Apache-2.0
#include "sim/play/bench/traffic.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/machine/mix.h"

namespace torusmu {
namespace {

using B = BenchLayout;
constexpr Bytes kPutBytes = 512;
constexpr double kPacketFlits = 34;
constexpr Cycles kBound = 1'000'000;
constexpr unsigned kLocalPort = 6;

}  // namespace

MachineConfig bench_config(const std::string& mesh, unsigned latency, std::uint64_t seed) {
  MachineConfig config;
  config.engine.shape = parse_shape(mesh);
  config.engine.latency = latency;
  config.seed = seed;
  config.costs = {.mmio_write = 1, .mmio_read = 1, .cached_line = 1, .mu_line = 1, .work = {}};
  return config;
}

void open_nodes(Machine& machine) {
  for (std::uint32_t n = 0; n < machine.shape().nodes(); ++n) {
    machine.add_core({n}, [](Device& device) {
      RawNode node(device);
      node.open_region(B::kSourceRegion, B::kSource, B::kSourceBytes, {.remote_write = false});
      node.open_region(B::kTargetRegion, B::kTarget, B::kTargetBytes);
      node.open_queue(B::kQueue, B::kRing, B::kRingSlots, QueueMode::kDoorbell);
      node.open_counter(B::kCounter, true);
      node.open_event(B::kEvent);
      const std::array causes{Cause::kCounterZero};
      node.enable_interrupts(causes);
      (void)node.causes();
    });
  }
  // Not by run_or_throw(): what the compiler is trained with is linked without the host library.
  const RunResult result = machine.run(machine.now() + kBound);
  if (!result.failure.empty()) throw std::runtime_error(result.failure);
}

void preload(Machine& machine, NodeId node, std::uint32_t index, const Descriptor& descriptor) {
  const auto bytes = descriptor.bytes();
  machine.memory(node).write(B::kRing + Address{index % B::kRingSlots} * bytes.size(),
                             std::as_bytes(std::span(bytes)));
}

void ring(Machine& machine, NodeId node, std::uint32_t count) {
  machine.add_core(node,
                   [count](Device& device) { RawNode(device).ring_doorbell(B::kQueue, count); });
}

void start_uniform_puts(Machine& machine, double load, Cycles cycles, std::uint64_t seed) {
  const Shape shape = machine.shape();
  const double interval = kPacketFlits / load;
  const auto packets =
      static_cast<std::uint32_t>(static_cast<double>(cycles) / interval * 1.2) + 50;
  if (packets > B::kRingSlots) throw std::logic_error("more packets than the bench's ring holds");
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    Rng random(seed * 0x10000 + n);
    for (std::uint32_t i = 0; i < packets; ++i) {
      const auto away = static_cast<std::uint32_t>(1 + random.below(shape.nodes() - 1));
      const NodeId to{(n + away) % shape.nodes()};
      const Bytes offset = random.below(B::kTargetBytes / kPutBytes) * kPutBytes;
      preload(machine, {n}, i,
              put_descriptor(shape.coordinates(to), {B::kSourceRegion, 0, kPutBytes},
                             B::kTargetRegion, offset, {}));
    }
    if (load >= 1) {
      ring(machine, {n}, packets);
      continue;
    }
    // Doorbells at random times: each waits for an exponentially distributed time after the one
    // before.
    machine.add_core({n}, [packets, interval, random](Device& device) mutable {
      RawNode node(device);
      double due = static_cast<double>(device.now());
      for (std::uint32_t i = 1; i <= packets; ++i) {
        const double uniform = (static_cast<double>(random.below(1U << 30)) + 0.5) / (1U << 30);
        due -= interval * std::log(uniform);
        const auto now = static_cast<double>(device.now());
        if (due > now) device.compute(static_cast<Cycles>(due - now));
        node.ring_doorbell(B::kQueue, i);
      }
    });
  }
}

std::uint64_t ejected_flits(Machine& machine) {
  // Cores of the traffic still run, so this waits for its own: the reads of one node take a few
  // dozen cycles.
  std::vector<std::uint64_t> flits(machine.shape().nodes());
  std::vector<const Core*> readers;
  for (std::uint32_t n = 0; n < flits.size(); ++n) {
    readers.push_back(&machine.add_core({n}, [&flits, n](Device& device) {
      for (const unsigned reply : {0U, 1U}) {
        flits[n] += device.read32(registers::performance::flits(0, 2 * kLocalPort + reply));
      }
    }));
  }
  const RunResult result = machine.run_to(machine.now() + kReadCycles);
  if (result.broken) throw std::runtime_error(result.failure);
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < flits.size(); ++n) {
    if (readers[n]->state() != Core::State::kDone) {
      throw std::runtime_error("a router's counters could not be read in time");
    }
    sum += flits[n];
  }
  return sum;
}

}  // namespace torusmu
