// SPDX-License-Identifier: Apache-2.0
// Traffic for benchmarks: rings of descriptors that lie ready in node memory, and cores that only
// ring doorbells.
#ifndef TORUSMU_SIM_PLAY_BENCH_TRAFFIC_H_
#define TORUSMU_SIM_PLAY_BENCH_TRAFFIC_H_

#include <cstdint>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/play/scenario/raw_node.h"

namespace torusmu {

// Where things lie in every node of a benchmark.
struct BenchLayout {
  static constexpr Address kRing = 0x10000;
  static constexpr std::uint32_t kRingSlots = 4096;
  static constexpr Address kSource = 0x100000;
  static constexpr Bytes kSourceBytes = 0x100000;
  static constexpr Address kTarget = 0x400000;
  static constexpr Bytes kTargetBytes = 0x100000;
  static constexpr RegionId kSourceRegion{1}, kTargetRegion{2};
  static constexpr QueueId kQueue{8};
  static constexpr CounterId kCounter{0};
  static constexpr EventId kEvent{0};
};

// A configuration whose cores pay one cycle for everything: they stand for a doorbell in hardware.
MachineConfig bench_config(const std::string& mesh, unsigned latency, std::uint64_t seed);

// Opens regions, queue, counter (interrupt on zero) and event of BenchLayout on every node, and
// runs until that is done. Throws std::runtime_error if the machine fails.
void open_nodes(Machine& machine);

// Writes descriptor `index` into the ring of `node`, without any core.
void preload(Machine& machine, NodeId node, std::uint32_t index, const Descriptor& descriptor);

// A core of `node` rings the doorbell for `count` descriptors in the current cycle.
void ring(Machine& machine, NodeId node, std::uint32_t count);

// 512-byte puts from every node to nodes drawn uniformly, not itself. `load`: flits offered for
// each node and cycle; 1 and more: the rings are never empty. Lasts for at least `cycles`.
void start_uniform_puts(Machine& machine, double load, Cycles cycles, std::uint64_t seed);

// Flits that all nodes have taken from the network so far, as their routers count them. Runs the
// machine for kReadCycles, in which cores read the counters, always at the same moment.
inline constexpr Cycles kReadCycles = 400;
std::uint64_t ejected_flits(Machine& machine);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_TRAFFIC_H_
