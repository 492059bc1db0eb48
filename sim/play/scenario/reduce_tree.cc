// SPDX-License-Identifier: Apache-2.0
// reduce-tree: the example of US 9,344,490. Two reductions, one behind the other, go up a binary
// tree of all nodes and use the same buffers: a node lets the second message of a child into the
// buffer only when it has calculated with the first (RECV_EN), and until then discards it. All is
// posted at the beginning; no core does anything after that.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kReductions = 2;
constexpr std::uint32_t kElements = 100;
constexpr Bytes kVectorBytes = kElements * sizeof(double);

// To the parent, and the list of all that the node does; from the two children.
constexpr QueueId kUp{7};
constexpr std::array<QueueId, 2> kFromChild{QueueId{8}, QueueId{9}};
constexpr Address kRings = 0x10000;
constexpr Bytes kRingBytes = 0x800;
constexpr std::uint32_t kSlots = 16;
constexpr Address kMemory = 0x100000;
constexpr RegionId kRegion{1};
// Offsets in the region. A child's buffer and the sum are the same for both reductions.
constexpr Bytes kPlace = 0x1000;
constexpr Bytes kOwn = 0;  // a vector for each reduction
constexpr std::array<Bytes, 2> kBuffer{2 * kPlace, 3 * kPlace};
constexpr Bytes kSum = 4 * kPlace;
constexpr Bytes kResult = 5 * kPlace;  // at the root: one for each reduction
constexpr Bytes kLists = 7 * kPlace;   // operands, for each reduction
constexpr Bytes kListBytes = 0x100;
constexpr Bytes kRegionBytes = 8 * kPlace;
constexpr Cycles kRetry = 300;
constexpr Cycles kSkew = 4'000;  // every second node begins late by up to this
constexpr Cycles kBound = 1'000'000;

// Whole numbers of 20 bits, so that the sums are exact.
double element(std::uint64_t seed, std::uint64_t node, std::uint64_t reduction, std::uint64_t i) {
  return static_cast<double>(mix(seed * 77 + node * 1009 + reduction * 31 + i * 7919) & 0xFFFFF);
}
std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::uint32_t parent_of(std::uint32_t node) { return (node - 1) / 2; }
std::vector<std::uint32_t> children_of(std::uint32_t node, std::uint32_t nodes) {
  std::vector<std::uint32_t> children;
  for (const std::uint32_t child : {2 * node + 1, 2 * node + 2}) {
    if (child < nodes) children.push_back(child);
  }
  return children;
}
// The sum over the node and all below it.
std::vector<double> sum_below(std::uint64_t seed, std::uint32_t node, std::uint32_t nodes,
                              std::uint32_t reduction) {
  std::vector<double> sum(kElements);
  for (std::uint32_t i = 0; i < kElements; ++i) sum[i] = element(seed, node, reduction, i);
  for (const std::uint32_t child : children_of(node, nodes)) {
    const auto part = sum_below(seed, child, nodes, reduction);
    for (std::uint32_t i = 0; i < kElements; ++i) sum[i] += part[i];
  }
  return sum;
}

void set_up(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  node.open_region(kRegion, kMemory, kRegionBytes, {.remote_write = false});
  device.write64(registers::node::send_retry_cycles(), kRetry);
  if (self != 0) {
    // An odd node is its parent's first child.
    node.connect(kUp, shape.coordinates({parent_of(self)}), kFromChild.at((self + 1) % 2));
  }
  node.open_queue(kUp, kRings, kSlots, QueueMode::kDoorbell);
  const auto children = children_of(self, shape.nodes());
  for (std::size_t c = 0; c < children.size(); ++c) {
    node.connect(kFromChild.at(c), shape.coordinates({children[c]}), kUp);
    node.open_queue(kFromChild.at(c), kRings + (c + 1) * kRingBytes, kSlots, QueueMode::kReceive,
                    {.managed = true});
  }
  const std::array causes{Cause::kDone, Cause::kError};
  node.enable_interrupts(causes);
  (void)node.causes();
}

// The operands of a reduction: the node's own vector, then its children's.
void write_operands(Device& device, std::uint32_t reduction, std::size_t children) {
  namespace o = layout::operand;
  std::vector<Bytes> offsets{kOwn + reduction * kPlace};
  for (std::size_t c = 0; c < children; ++c) offsets.push_back(kBuffer.at(c));
  Address at = kMemory + kLists + reduction * kListBytes;
  for (const Bytes offset : offsets) {
    const auto bytes = Operand()
                           .set<o::region>(kRegion.value)
                           .set<o::offset>(offset)
                           .set<o::stride>(sizeof(double))
                           .bytes();
    device.store(at, std::as_bytes(std::span(bytes)));
    at += bytes.size();
  }
}

Descriptor calculate(std::uint32_t reduction, std::size_t children, Bytes result) {
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  return Descriptor()
      .set<d::opcode>(Opcode::kCalc)
      .set<d::reduction>(Reduction::kSum)
      .set<d::element>(Element::kF64)
      .set<d::operands>(1 + children)
      .set<d::length>(kVectorBytes)
      .set<d::source_region>(kRegion.value)
      .set<d::source_offset>(kLists + reduction * kListBytes)
      .set<d::header>(PacketHeader().set<h::target>(kRegion.value).set<h::offset>(result));
}

// All that the node does for both reductions.
std::vector<Descriptor> list_of(std::uint32_t self, std::size_t children) {
  std::vector<Descriptor> list;
  for (std::uint32_t k = 0; k < kReductions; ++k) {
    const bool root = self == 0;
    for (std::size_t c = 0; c < children; ++c) {
      list.push_back(enable_receives(kFromChild.at(c), 1));
    }
    for (std::size_t c = 0; c < children; ++c) {
      list.push_back(wait_for_queue(kFromChild.at(c), k + 1));
    }
    const Bytes result = root ? kResult + k * kPlace : kSum;
    if (children != 0 || root) list.push_back(calculate(k, children, result));
    const Bytes up = children != 0 ? kSum : kOwn + k * kPlace;
    if (!root) list.push_back(send_descriptor({kRegion, up, kVectorBytes}, k));
  }
  list.back().set<layout::descriptor::interrupt_done>(1);
  return list;
}

struct Seen {
  Cycles posted = 0;
  Cycles complete = 0;
  std::uint64_t accesses = 0;
  std::uint64_t causes = 0;
  Status status = Status::kOk;
};

void take_part(Device& device, const Core& core, Seen& seen) {
  RawNode node(device);
  const std::uint32_t self = device.node().value;
  if (self % 2 == 1) device.compute(mix(self) % kSkew);
  const auto children = children_of(self, device.shape().nodes()).size();
  for (std::uint32_t k = 0; k < kReductions; ++k) write_operands(device, k, children);
  for (std::size_t c = 0; c < children; ++c) {
    // Both messages of a child go to the same buffer.
    for (std::uint32_t k = 0; k < kReductions; ++k) {
      node.write_descriptor(kRings + (c + 1) * kRingBytes, kSlots, k,
                            receive_descriptor({kRegion, kBuffer.at(c), kVectorBytes}));
    }
    node.ring_doorbell(kFromChild.at(c), kReductions);
  }
  const auto list = list_of(self, children);
  for (std::uint32_t i = 0; i < list.size(); ++i) node.write_descriptor(kRings, kSlots, i, list[i]);
  node.ring_doorbell(kUp, static_cast<std::uint32_t>(list.size()));
  seen.posted = device.now();
  const std::uint64_t before = core.counts().accesses();
  if (!device.wait_interrupt({0}, device.now() + kBound)) throw std::runtime_error("no end");
  seen.complete = device.now();
  seen.accesses = core.counts().accesses() - before;
  seen.causes = node.causes();
  seen.status = node.queue_status(kUp);
}

}  // namespace

void play_reduce_tree(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t k = 0; k < kReductions; ++k) {
      std::vector<double> own(kElements);
      for (std::uint32_t i = 0; i < kElements; ++i) own[i] = element(stage.seed(), n, k, i);
      stage.memory({n}).write(kMemory + kOwn + k * kPlace, bytes_of(own));
    }
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  show_opening(stage, start,
               {"root", {"requests received", "stores", "done in memory", "interrupt"}},
               {"sends to the root",
                {"register writes", "descriptors of requests", "requests received", "stores"}});
  std::vector<Seen> seen(nodes);
  std::vector<const Core*> cores(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    cores[n] = &stage.add_core(
        {n}, [&seen, &cores, n](Device& device) { take_part(device, *cores[n], seen[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally results("bytes"), buffers("bytes"), queues("queues");
  std::uint64_t accesses = 0;
  Cycles posted = 0;
  for (std::uint32_t k = 0; k < kReductions; ++k) {
    expect_bytes(results, stage.memory({0}), {0}, kMemory + kResult + k * kPlace,
                 bytes_of(sum_below(stage.seed(), 0, nodes, k)));
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto children = children_of(n, nodes);
    for (std::size_t c = 0; c < children.size(); ++c) {
      expect_bytes(buffers, stage.memory({n}), {n}, kMemory + kBuffer.at(c),
                   bytes_of(sum_below(stage.seed(), children[c], nodes, kReductions - 1)));
    }
    const std::uint64_t done = std::uint64_t{1} << static_cast<unsigned>(Cause::kDone);
    queues.expect(seen[n].status == Status::kOk && seen[n].causes == done, [&] {
      return fmt::format("node {}: status {}, causes 0x{:x}", n, name_of(seen[n].status),
                         seen[n].causes);
    });
    accesses += seen[n].accesses;
    posted = std::max(posted, seen[n].posted);
  }
  results.report(stage, "reduce_tree.right");
  if (nodes > 1) buffers.report(stage, "reduce_tree.buffers_hold_the_second");
  queues.report(stage, "reduce_tree.queues");
  stage.check("reduce_tree.no_host", accesses == 0,
              fmt::format("{} accesses of all cores between posting and the end", accesses));
  stage.say(
      fmt::format("two reductions of {} doubles over {} nodes, {} cycles from the last "
                  "posting to the second result",
                  kElements, nodes, seen[0].complete - posted));
}

}  // namespace torusmu
