// SPDX-License-Identifier: Apache-2.0
// put: every node sends messages of all sizes and alignments, direct and immediate, to every node
// in turn (itself too), all at once. Checks every byte and every guard byte around it, both
// counters, both interrupts, the queues.
#include <fmt/format.h>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

// Message i of node n goes to node n + i: sizes around flits, packets and pages.
constexpr std::array<Bytes, 16> kSizes{1,   8,   16,  17,   31,   32,   33,    64,
                                       511, 512, 513, 1000, 1024, 4096, 10007, 65536};
constexpr std::array<Bytes, 16> kSourceShift{0, 1, 5, 3, 31, 16, 17, 0, 9, 0, 24, 13, 7, 0, 1, 0};
constexpr std::array<Bytes, 16> kTargetShift{3, 0, 16, 31, 1, 32, 8, 0, 7, 0, 5, 21, 0, 0, 30, 0};
constexpr auto kMessages = static_cast<std::uint32_t>(kSizes.size());
constexpr std::uint32_t kImmediate = 3;  // the first three travel in their descriptors

constexpr Address kRing = 0x10000;
constexpr std::uint32_t kRingSlots = 4;  // fewer than the messages: the ring wraps
constexpr Address kSource = 0x100000;    // a slot of kSlotBytes for each message
constexpr Address kTarget = 0x400000;
constexpr Bytes kSlotBytes = 0x20000;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2};
constexpr QueueId kQueue{7};
constexpr EventId kArrivals{3}, kDone{4};
constexpr std::byte kGuard{0xa5};
constexpr Bytes kGuardBytes = 64;
constexpr Cycles kBound = 2'000'000;

Bytes slot(std::uint32_t i) { return i * kSlotBytes + kGuardBytes; }
std::uint64_t stream(std::uint64_t seed, std::uint32_t from, std::uint32_t i) {
  return mix(seed * 1000 + from) + i;
}

// What a node's core saw.
struct Seen {
  std::array<std::uint64_t, kMessages> counters{};
  std::uint32_t arrivals = 0, done = 0, head = 0;
  std::uint64_t causes = 0;
  Status status = Status::kOk;
};

void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, kMessages * kSlotBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, kMessages * kSlotBytes);
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    node.open_counter({i}, i == kMessages - 1);
    node.preload({i}, kSizes[i]);
  }
  node.open_event(kArrivals);
  node.open_event(kDone);
  const std::array causes{Cause::kCounterZero, Cause::kArrived};
  node.enable_interrupts(causes);
  // The answer to a read says that every write before it has been taken.
  (void)node.causes();
}

void send_and_wait(Device& device, std::uint64_t seed, Seen& seen) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  std::uint32_t head = 0;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const Coordinates to = shape.coordinates({(self + i) % shape.nodes()});
    const Bytes target = slot(i) + kTargetShift[i];
    const Arrival arrival{.counter = static_cast<int>(i),
                          .event = static_cast<int>(kArrivals.value),
                          .interrupt = i == 0};
    Descriptor put;
    if (i < kImmediate) {
      put = immediate_put(to, pattern(stream(seed, self, i), kSizes[i]), kTargetRegion, target,
                          arrival);
    } else {
      put = put_descriptor(to, {kSourceRegion, slot(i) + kSourceShift[i], kSizes[i]}, kTargetRegion,
                           target, arrival);
    }
    put.set<layout::descriptor::done_event_valid>(1).set<layout::descriptor::done_event>(
        kDone.value);
    while (i - head == kRingSlots) head = node.queue_head(kQueue);
    node.write_descriptor(kRing, kRingSlots, i, put);
    node.ring_doorbell(kQueue, i + 1);
  }
  const Cycles deadline = device.now() + kBound / 2;
  while (node.read_event(kArrivals) != kMessages && device.now() < deadline) device.compute(200);
  while (node.queue_head(kQueue) != kMessages && device.now() < deadline) device.compute(200);
  (void)device.wait_interrupt({0}, deadline);
  seen.causes = node.causes();
  for (std::uint32_t i = 0; i < kMessages; ++i) seen.counters[i] = node.read_counter({i});
  seen.arrivals = node.read_event(kArrivals);
  seen.done = node.read_event(kDone);
  seen.head = node.queue_head(kQueue);
  seen.status = node.queue_status(kQueue);
}

void check_node(NodeId id, const Seen& seen, Tally& counters, Tally& events, Tally& interrupts,
                Tally& queues) {
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const std::uint64_t wanted = insert(0, registers::client_page::byte_counter_field::hit_zero, 1);
    counters.expect(seen.counters[i] == wanted, [&] {
      return fmt::format("byte counter {} of node {} reads 0x{:x}", i, id.value, seen.counters[i]);
    });
  }
  events.expect(seen.arrivals == kMessages && seen.done == kMessages, [&] {
    return fmt::format("node {} counts {} arrivals and {} done, not {} each", id.value,
                       seen.arrivals, seen.done, kMessages);
  });
  const std::uint64_t causes = 1U << static_cast<unsigned>(Cause::kCounterZero) |
                               1U << static_cast<unsigned>(Cause::kArrived);
  interrupts.expect(seen.causes == causes, [&] {
    return fmt::format("node {} has causes 0x{:x}, not 0x{:x}", id.value, seen.causes, causes);
  });
  queues.expect(seen.head == kMessages && seen.status == Status::kOk, [&] {
    return fmt::format("queue of node {}: head {}, status {}", id.value, seen.head,
                       name_of(seen.status));
  });
}

}  // namespace

void play_put(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = kImmediate; i < kMessages; ++i) {
      stage.memory({n}).write(kSource + slot(i) + kSourceShift[i],
                              pattern(stream(stage.seed(), n, i), kSizes[i]));
    }
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::vector<std::byte> guard(kSizes[i] + 2 * kGuardBytes, kGuard);
      stage.memory({n}).write(kTarget + slot(i) + kTargetShift[i] - kGuardBytes, guard);
    }
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  show_opening(stage, start,
               {"sends and receives",
                {"register writes", "descriptors of requests", link_to_node_1(stage.shape()),
                 "requests received", "stores", "done in memory", "interrupt"}},
               {"sends and receives",
                {"descriptors of requests", "requests received", "stores", "done in memory"}});
  std::vector<Seen> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&seen, n, seed = stage.seed()](Device& device) {
      send_and_wait(device, seed, seen[n]);
    });
  }
  if (!stage.run(kBound)) return;

  Tally bytes("bytes"), guards("guard bytes"), counters("byte counters"), events("event counters"),
      interrupts("cause registers"), queues("queues");
  Bytes total = 0;
  const std::vector<std::byte> guard(kGuardBytes, kGuard);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::uint32_t from = (n + nodes * kMessages - i) % nodes;
      const Address at = kTarget + slot(i) + kTargetShift[i];
      expect_bytes(bytes, stage.memory({n}), {n}, at,
                   pattern(stream(stage.seed(), from, i), kSizes[i]));
      expect_bytes(guards, stage.memory({n}), {n}, at - kGuardBytes, guard);
      expect_bytes(guards, stage.memory({n}), {n}, at + kSizes[i], guard);
      total += kSizes[i];
    }
    check_node({n}, seen[n], counters, events, interrupts, queues);
  }
  bytes.report(stage, "put.bytes");
  guards.report(stage, "put.nothing_written_outside");
  counters.report(stage, "put.byte_counters_hit_zero");
  events.report(stage, "put.event_counters");
  interrupts.report(stage, "put.interrupts");
  queues.report(stage, "put.queues_done_without_error");
  stage.say(fmt::format("{} nodes put {} messages, {} bytes, in {} cycles", nodes,
                        nodes * kMessages, total, stage.now() - start));
}

}  // namespace torusmu
