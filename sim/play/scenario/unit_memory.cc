// SPDX-License-Identifier: Apache-2.0
// unit-memory: queues and vectors in the messaging unit's own memory (US 9,344,490). Every node
// puts two vectors into the memory of the next one's unit; there a CALC adds them, and its result
// stays. Then each fetches what the next has computed, by a GET whose queue lies there, and takes
// its own by a descriptor that is pushed into a ring there. Checks every byte, what the registers
// of the unit's memory show, and that node memory has nothing of it but what was put there.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr QueueId kQueue{7}, kGets{8}, kPushes{9};
constexpr EventId kArrivals{0};
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kUnitRegion{3}, kRequestRegion{4};
constexpr Address kRing = 0x10000;
constexpr std::uint32_t kSlots = 16;
constexpr Address kRequest = 0x20000;  // the descriptor that is fetched
constexpr Address kSource = 0x100000;
constexpr Address kTarget = 0x200000;
constexpr Bytes kVectorBytes = 512;
constexpr Bytes kGuarded = 0x1000;
constexpr std::byte kGuard{0x3c};
constexpr Cycles kBound = 200'000;

// The unit's memory: rings of 1 KiB, then a region, which is not aligned to anything.
constexpr Address kUnit = unit_memory_base(kProfile);
constexpr Address kGetRing = kUnit, kPushRing = kUnit + kSlots * Descriptor::kBytes;
constexpr Address kVectors = kUnit + 2 * kSlots * Descriptor::kBytes + 8;
constexpr Bytes kResult = 2 * kVectorBytes;  // in the region; before it both vectors
constexpr Bytes kUnitRegionBytes = 3 * kVectorBytes;

// In the target region of each node.
constexpr Bytes kSums = 0, kInputs = 0x400, kFetched = 0x800, kPushed = 0xa00;

Coordinates after(const Device& device) {
  const Shape shape = device.shape();
  return shape.coordinates({(device.node().value + 1) % shape.nodes()});
}

void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, 2 * kVectorBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, kGuarded);
  node.open_region(kUnitRegion, kVectors, kUnitRegionBytes, {.remote_read = true});
  node.open_region(kRequestRegion, kRequest, Descriptor::kBytes, {.remote_write = false});
  node.open_event(kArrivals);
  node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
  node.open_queue(kGets, kGetRing, kSlots, QueueMode::kRemoteGet);
  node.open_queue(kPushes, kPushRing, kSlots, QueueMode::kPush);
  device.write64(registers::client_page::push_queue(0), kPushes.value);
  (void)node.causes();
}

Descriptor sum_of_vectors() {
  namespace c = layout::calc_operation;
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  return Descriptor()
      .set<d::opcode>(Opcode::kCalc)
      .set<d::reduction>(Reduction::kSum)
      .set<d::element>(Element::kU64)
      .set<d::operands>(2)
      .set<d::length>(kVectorBytes)
      .set<d::immediate_valid>(1)
      .set<d::immediate>(CalcOperation()
                             .set<c::left_region>(kUnitRegion.value)
                             .set<c::right_region>(kUnitRegion.value)
                             .set<c::right_offset>(kVectorBytes)
                             .bytes())
      .set<d::header>(PacketHeader().set<h::target>(kUnitRegion.value).set<h::offset>(kResult));
}

// True once all of the queue is done, within the bound.
bool wait_for(Device& device, QueueId queue, std::uint32_t tail) {
  RawNode node(device);
  const Cycles deadline = device.now() + kBound / 2;
  while (node.queue_head(queue) != tail && device.now() < deadline) device.compute(50);
  return node.queue_head(queue) == tail && node.queue_status(queue) == Status::kOk;
}

// Both vectors go to the next node; those that come here are added and looked at.
void compute(Device& device, bool& done) {
  RawNode node(device);
  const Coordinates here = device.shape().coordinates(device.node());
  const std::vector<Descriptor> list{
      put_descriptor(after(device), {kSourceRegion, 0, 2 * kVectorBytes}, kUnitRegion, 0,
                     {.event = static_cast<int>(kArrivals.value)}),
      wait_for_event(kArrivals, 1), sum_of_vectors(),
      put_descriptor(here, {kUnitRegion, kResult, kVectorBytes}, kTargetRegion, kSums, {}),
      put_descriptor(here, {kUnitRegion, 0, 2 * kVectorBytes}, kTargetRegion, kInputs, {})};
  for (std::uint32_t i = 0; i < list.size(); ++i) node.write_descriptor(kRing, kSlots, i, list[i]);
  node.ring_doorbell(kQueue, static_cast<std::uint32_t>(list.size()));
  done = wait_for(device, kQueue, static_cast<std::uint32_t>(list.size()));
}

// What the next node has computed comes by a queue there, what was computed here by one here.
void fetch(Device& device, std::uint32_t posted, bool& done) {
  RawNode node(device);
  const Coordinates here = device.shape().coordinates(device.node());
  const auto back = put_descriptor(here, {kUnitRegion, kResult, kVectorBytes}, kTargetRegion,
                                   kFetched, {.event = static_cast<int>(kArrivals.value)});
  const auto bytes = back.bytes();
  device.store(kRequest, std::as_bytes(std::span(bytes)));
  node.write_descriptor(kRing, kSlots, posted,
                        get_descriptor(after(device), kRequestRegion, 0, 1, kGets));
  node.ring_doorbell(kQueue, posted + 1);
  const auto own = put_descriptor(here, {kUnitRegion, kResult, kVectorBytes}, kTargetRegion,
                                  kPushed, {.event = static_cast<int>(kArrivals.value)});
  for (std::uint32_t word = 0; word < own.words().size(); ++word)
    device.write64(registers::client_page::push_data(0, word), own.words()[word]);
  const Cycles deadline = device.now() + kBound / 2;
  while (node.read_event(kArrivals) != 3 && device.now() < deadline) device.compute(50);
  done = done && node.read_event(kArrivals) == 3 && node.queue_status(kGets) == Status::kOk &&
         node.queue_status(kPushes) == Status::kOk;
}

std::vector<std::byte> sums(std::span<const std::byte> vectors) {
  std::vector<std::byte> result(kVectorBytes);
  for (std::size_t at = 0; at < kVectorBytes; at += sizeof(std::uint64_t)) {
    std::uint64_t left = 0, right = 0;
    std::memcpy(&left, vectors.data() + at, sizeof left);
    std::memcpy(&right, vectors.data() + kVectorBytes + at, sizeof right);
    left += right;
    std::memcpy(result.data() + at, &left, sizeof left);
  }
  return result;
}

std::vector<std::byte> wanted_target(std::uint64_t seed, std::uint32_t node, std::uint32_t nodes) {
  const auto before = pattern(mix(seed) + (node + nodes - 1) % nodes, 2 * kVectorBytes);
  const auto own = pattern(mix(seed) + node, 2 * kVectorBytes);
  std::vector<std::byte> wanted(kGuarded, kGuard);
  const auto lay = [&wanted](Bytes at, const std::vector<std::byte>& bytes) {
    std::ranges::copy(bytes, wanted.begin() + static_cast<std::ptrdiff_t>(at));
  };
  lay(kSums, sums(before));
  lay(kInputs, before);
  lay(kFetched, sums(own));  // the next node has added what came from here
  lay(kPushed, sums(before));
  return wanted;
}

// The unit's memory as its registers show it, from the region on.
void look(Device& device, std::vector<std::uint64_t>& words) {
  for (std::uint32_t i = 0; i < words.size(); ++i)
    words[i] = device.read64(
        registers::unit_memory::word(static_cast<std::uint32_t>((kVectors - kUnit) / 8) + i));
}

}  // namespace

void play_unit_memory(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(kSource, pattern(mix(stage.seed()) + n, 2 * kVectorBytes));
    stage.memory({n}).write(kTarget, std::vector<std::byte>(kGuarded, kGuard));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  show_opening(
      stage, start,
      {"computes", {"descriptors of requests", "calculations", link_to_node_1(stage.shape())}},
      {"fetches", {"requests received", "memory reads", "memory writes"}});
  std::vector<char> done(nodes);
  std::vector<std::vector<std::uint64_t>> words(
      nodes, std::vector<std::uint64_t>(kUnitRegionBytes / sizeof(std::uint64_t)));
  const auto play = [&](const auto& act) {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      stage.add_core({n}, [&, n](Device& device) {
        bool good = done[n] != 0;
        act(device, n, good);
        done[n] = good ? 1 : 0;
      });
    }
    return stage.run(kBound);
  };
  if (!play([](Device& device, std::uint32_t, bool& good) { compute(device, good); })) return;
  if (!play([](Device& device, std::uint32_t, bool& good) { fetch(device, 5, good); })) return;
  const Cycles end = stage.now();
  if (!play([&](Device& device, std::uint32_t n, bool&) { look(device, words[n]); })) return;

  Tally ends("nodes"), bytes("bytes"), registers("registers");
  for (std::uint32_t n = 0; n < nodes; ++n) {
    ends.expect(done[n] != 0, [&] { return fmt::format("node {}: a queue is not done", n); });
    const auto wanted = wanted_target(stage.seed(), n, nodes);
    expect_bytes(bytes, stage.memory({n}), {n}, kTarget, wanted);
    std::vector<std::byte> unit(wanted.begin() + kInputs,
                                wanted.begin() + kInputs + static_cast<std::ptrdiff_t>(kResult));
    unit.insert(unit.end(), wanted.begin() + kSums,
                wanted.begin() + kSums + static_cast<std::ptrdiff_t>(kVectorBytes));
    const auto shown = std::as_bytes(std::span(words[n]));
    registers.expect(std::ranges::equal(shown, unit),
                     [&] { return fmt::format("node {}: not what lies there", n); });
  }
  ends.report(stage, "unit_memory.done");
  bytes.report(stage, "unit_memory.bytes");
  registers.report(stage, "unit_memory.registers");
  stage.say(fmt::format("{} nodes: sums, a GET queue and a push queue in {} KiB each, in {} cycles",
                        nodes, unit_memory_bytes(kProfile) / 1024, end - start));
}

}  // namespace torusmu
