// SPDX-License-Identifier: Apache-2.0
// A scenario outside the tree: every node puts a kilobyte into the node after it. Compiled into a
// shared library, it is played by `torusmu scenario ./shift.so`.
#include <torusmu/sim/play/scenario/checks.h>
#include <torusmu/sim/play/scenario/opening.h>
#include <torusmu/sim/play/scenario/outside.h>
#include <torusmu/sim/play/scenario/raw_node.h>

#include <string>
#include <vector>

namespace {
using namespace torusmu;

constexpr Bytes kBytes = 1000;
constexpr Address kRing = 0x10000, kSource = 0x20000, kTarget = 0x30000;
constexpr std::uint32_t kRingSlots = 4;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2};
constexpr QueueId kQueue{8};
constexpr CounterId kArrived{0};
constexpr Cycles kBound = 100'000;

// The privileged part, on a core of each node.
void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, kBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, kBytes);
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  node.open_counter(kArrived, false);
  node.preload(kArrived, kBytes);
  // The answer to a read says that every write before it has been taken.
  (void)node.causes();
}

NodeId after(NodeId node, const Shape& shape) { return {(node.value + 1) % shape.nodes()}; }

// Sends, and waits until the message from the node before is in memory: the byte counter hits zero.
void send_and_wait(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const Coordinates to = shape.coordinates(after(device.node(), shape));
  node.write_descriptor(kRing, kRingSlots, 0,
                        put_descriptor(to, {kSourceRegion, 0, kBytes}, kTargetRegion, 0,
                                       {.counter = static_cast<int>(kArrived.value)}));
  node.ring_doorbell(kQueue, 1);
  const Cycles deadline = device.now() + kBound / 2;
  namespace field = registers::client_page::byte_counter_field;
  while (extract(node.read_counter(kArrived), field::hit_zero) == 0 && device.now() < deadline) {
    device.compute(50);
  }
}

void play(Stage& stage) {
  const Shape shape = stage.shape();
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    stage.memory({n}).write(kSource, pattern(stage.seed() + n, kBytes));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  // What GTKWave opens at: the groups of signals of node 0 and of node 1.
  show_opening(stage, start, {"sends", {"register writes", "descriptors of requests"}},
               {"receives", {"requests received", "done in memory"}});
  stage.on_all_nodes(send_and_wait);
  if (!stage.run(kBound)) return;

  Tally bytes("bytes");
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    const NodeId to = after({n}, shape);
    expect_bytes(bytes, stage.memory(to), to, kTarget, pattern(stage.seed() + n, kBytes));
  }
  bytes.report(stage, "shift.bytes");
  stage.figure("shift.cycles", static_cast<double>(stage.now() - start));
}

}  // namespace

TORUSMU_SCENARIO({.name = "shift",
                  .title = "every node puts a kilobyte into the node after it",
                  .default_shape = "3x3x3",
                  .play = play})
