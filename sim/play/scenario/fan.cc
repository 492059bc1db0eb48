// SPDX-License-Identifier: Apache-2.0
// fan: messages gathered and distributed, with no collective. In each group of up to 8 nodes all
// send a piece to the first, the hub. Its MU waits until its completion queue tells of all pieces,
// and sends the whole to each of the others. Cores post and sleep.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kGroup = 8;
constexpr Bytes kPieceBytes = 777;
// A member's two queues; the hub has two for each member.
constexpr QueueId kUp{7}, kDown{8};
constexpr std::uint32_t kHubSends = 10;
constexpr std::uint32_t kHubReceives = 20;
constexpr CompletionQueueId kCompletions{1};
constexpr Address kRings = 0x10000;
constexpr Bytes kRingBytes = 0x400;
constexpr std::uint32_t kSlots = 16;
constexpr Address kEntries = 0x20000;
constexpr std::uint32_t kMostEntries = 16;
constexpr Address kPieces = 0x100000;  // at the hub gathered, at a member what the hub has sent
constexpr Address kOwn = 0x200000;     // a member's piece
constexpr RegionId kPiecesRegion{1}, kOwnRegion{2};
constexpr Cycles kRetry = 500;
constexpr Cycles kSkew = 3'000;
constexpr Cycles kBound = 1'000'000;

std::uint32_t hub_of(std::uint32_t node) { return node - node % kGroup; }
std::uint32_t members_of(std::uint32_t hub, std::uint32_t nodes) {
  return std::min(kGroup, nodes - hub);
}
std::vector<std::byte> piece_of(std::uint64_t seed, std::uint32_t node) {
  return pattern(mix(seed * 99 + node), kPieceBytes);
}
Address ring_of(QueueId queue) { return kRings + queue.value * kRingBytes; }
QueueId hub_send(std::uint32_t member) { return {kHubSends + member}; }
QueueId hub_receive(std::uint32_t member) { return {kHubReceives + member}; }

void set_up(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const std::uint32_t hub = hub_of(self);
  const std::uint32_t members = members_of(hub, shape.nodes());
  node.open_region(kPiecesRegion, kPieces, kGroup * kPieceBytes, {.remote_write = false});
  node.open_region(kOwnRegion, kOwn, kPieceBytes, {.remote_write = false});
  device.write64(registers::node::send_retry_cycles(), kRetry);
  node.open_completion_queue(kCompletions, kEntries, kMostEntries);
  const auto open = [&](QueueId queue, QueueMode mode, std::uint32_t peer, QueueId peer_queue) {
    node.connect(queue, shape.coordinates({peer}), peer_queue,
                 {.completion = static_cast<int>(kCompletions.value)});
    node.open_queue(queue, ring_of(queue), kSlots, mode);
  };
  if (self != hub) {
    open(kUp, QueueMode::kDoorbell, hub, hub_receive(self - hub));
    open(kDown, QueueMode::kReceive, hub, hub_send(self - hub));
  } else {
    for (std::uint32_t m = 1; m < members; ++m) {
      open(hub_send(m), QueueMode::kDoorbell, hub + m, kDown);
      open(hub_receive(m), QueueMode::kReceive, hub + m, kUp);
    }
  }
  const std::array causes{Cause::kDone, Cause::kError};
  node.enable_interrupts(causes);
  (void)node.causes();
}

struct Seen {
  std::uint64_t accesses = 0;
  Cycles posted = 0;
  Cycles complete = 0;
  std::vector<CompletionEntry> entries;
};

void post_one(RawNode& node, QueueId queue, std::span<const Descriptor> list) {
  std::uint32_t tail = 0;
  for (const Descriptor& descriptor : list) {
    node.write_descriptor(ring_of(queue), kSlots, tail++, descriptor);
  }
  node.ring_doorbell(queue, tail);
}

void take_part(Device& device, const Core& core, Seen& seen) {
  namespace d = layout::descriptor;
  RawNode node(device);
  const std::uint32_t self = device.node().value;
  const std::uint32_t hub = hub_of(self);
  const std::uint32_t members = members_of(hub, device.shape().nodes());
  if (members == 1) return;
  device.compute(mix(self + 5) % kSkew);
  const Bytes all = members * kPieceBytes;
  if (self != hub) {
    const std::array down{
        receive_descriptor({kPiecesRegion, 0, all}).set<d::signal>(1).set<d::interrupt_done>(1)};
    const std::array up{send_descriptor({kOwnRegion, 0, kPieceBytes}, self)};
    post_one(node, kDown, down);
    post_one(node, kUp, up);
  } else {
    for (std::uint32_t m = 1; m < members; ++m) {
      const std::array gather{
          receive_descriptor({kPiecesRegion, m * kPieceBytes, kPieceBytes}).set<d::signal>(1)};
      post_one(node, hub_receive(m), gather);
    }
    for (std::uint32_t m = 1; m < members; ++m) {
      // Not before all pieces are there.
      std::vector<Descriptor> list{wait_for_completions(kCompletions, members - 1),
                                   send_descriptor({kPiecesRegion, 0, all}, hub)};
      // The last queue waits for the others, and tells the core.
      if (m + 1 == members) {
        for (std::uint32_t other = 1; other < m; ++other) {
          list.push_back(wait_for_queue(hub_send(other), 2));
        }
        list.back().set<d::interrupt_done>(1);
      }
      post_one(node, hub_send(m), list);
    }
  }
  seen.posted = device.now();
  const std::uint64_t before = core.counts().accesses();
  if (!device.wait_interrupt({0}, device.now() + kBound)) throw std::runtime_error("no end");
  seen.complete = device.now();
  seen.accesses = core.counts().accesses() - before;
  seen.entries = node.completions(kCompletions, kEntries, self == hub ? members - 1 : 1,
                                  device.now() + kBound);
}

// One entry for each message: its queue, its length and the word of its sender.
void check_entries(std::uint32_t node, std::uint32_t nodes, const Seen& seen, Tally& tally) {
  namespace e = layout::completion_entry;
  const std::uint32_t hub = hub_of(node);
  const std::uint32_t members = members_of(hub, nodes);
  const std::size_t wanted = node == hub ? members - 1 : 1;
  tally.expect(seen.entries.size() == wanted, [&] {
    return fmt::format("node {} has {} entries, not {}", node, seen.entries.size(), wanted);
  });
  std::set<std::uint64_t> queues;
  for (const CompletionEntry& entry : seen.entries) {
    const std::uint64_t queue = entry.get<e::queue>();
    const std::uint64_t from = node == hub ? hub + queue - kHubReceives : hub;
    const Bytes bytes = node == hub ? kPieceBytes : members * kPieceBytes;
    tally.expect(queues.insert(queue).second && entry.get<e::status>() == Status::kOk &&
                     entry.get<e::opcode>() == Opcode::kReceive && entry.get<e::word>() == from &&
                     entry.get<e::bytes>() == bytes && entry.get<e::phase>() == 1,
                 [&] {
                   return fmt::format("node {} queue {}: status {}, word {}", node, queue,
                                      name_of(entry.get<e::status>()),
                                      static_cast<std::uint64_t>(entry.get<e::word>()));
                 });
  }
}

// The hub from the last piece that it waits for to the end of a member, and that member.
void show(Stage& stage, const std::vector<Seen>& seen) {
  constexpr Cycles kAround = 60;
  const std::uint32_t members = members_of(0, stage.shape().nodes());
  if (members == 1) return;
  Cycles posted = 0;
  for (std::uint32_t m = 0; m < members; ++m) posted = std::max(posted, seen[m].posted);
  Act act;
  act.from = posted - std::min(posted, kAround);
  act.to = seen[1].complete + kAround;
  act.actors = {{{0},
                 "hub",
                 {"requests received", "stores", "done in memory", "queues that wait",
                  "descriptors of requests", link_to_node_1(stage.shape())}},
                {{1}, "member", {"requests received", "stores", "interrupt"}}};
  act.marks = {{posted, "the last of them posts"}, {seen[1].complete, "the member has all"}};
  stage.show(act);
}

}  // namespace

void play_fan(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(n == hub_of(n) ? kPieces : kOwn, piece_of(stage.seed(), n));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  std::vector<Seen> seen(nodes);
  std::vector<const Core*> cores(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    cores[n] = &stage.add_core(
        {n}, [&seen, &cores, n](Device& device) { take_part(device, *cores[n], seen[n]); });
  }
  if (!stage.run(kBound)) return;
  show(stage, seen);

  Tally bytes("bytes"), entries("entries");
  std::uint64_t accesses = 0;
  Cycles posted = 0;
  Cycles complete = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint32_t hub = hub_of(n);
    const std::uint32_t members = members_of(hub, nodes);
    for (std::uint32_t m = 0; m < members; ++m) {
      expect_bytes(bytes, stage.memory({n}), {n}, kPieces + m * kPieceBytes,
                   piece_of(stage.seed(), hub + m));
    }
    if (members > 1) check_entries(n, nodes, seen[n], entries);
    accesses += seen[n].accesses;
    posted = std::max(posted, seen[n].posted);
    complete = std::max(complete, seen[n].complete);
  }
  bytes.report(stage, "fan.bytes");
  if (nodes > 1) entries.report(stage, "fan.completion_entries");
  stage.check("fan.no_host", accesses == 0,
              fmt::format("{} accesses of all cores between posting and the end", accesses));
  stage.say(
      fmt::format("{} pieces of {} bytes gathered and distributed, {} cycles from the last "
                  "posting to the end",
                  nodes, kPieceBytes, complete - posted));
}

}  // namespace torusmu
