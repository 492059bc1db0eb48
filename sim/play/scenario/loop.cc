// SPDX-License-Identifier: Apache-2.0
// loop: queues that run round and round without a core. Messages travel from node 0 through every
// other node and back, by the pipeline of US 9,344,490: in each node a loop of four descriptors
// waits for a message, enables the SEND that stands behind it in another loop (SEND_EN), waits
// until it is sent, and enables the RECEIVE of the buffer again. The WAITs step by one with each
// lap. Then a token goes round, passed on by loops whose WAITs count from the last. Node 0 enables
// its SENDs by number: three, none fewer, then all. The other nodes' cores have ended before the
// first message.
#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kMessages = 12;
constexpr std::uint32_t kFirst = 3;   // enabled at first
constexpr std::uint32_t kLaps = 10;   // of the token
constexpr std::uint32_t kSetTo = 77;  // by CTR_SET at node 0
constexpr Bytes kMessageBytes = 700;
constexpr std::uint32_t kBuffers = 2;

constexpr QueueId kSend{7}, kReceive{8}, kLoop{9}, kBeat{10}, kControl{11};
constexpr EventId kToken{0}, kSeen{1}, kGo{2};
constexpr Address kRings = 0x10000;
constexpr Bytes kRingBytes = 0x1000;
constexpr std::uint32_t kSlots = 64;   // of a queue that is no loop
constexpr std::uint32_t kInLoop = 4;   // descriptors of kLoop and kBeat
constexpr Address kSource = 0x100000;  // of node 0: the messages
constexpr Address kTarget = 0x200000;  // of node 0: a place for each; of others: two buffers
constexpr Bytes kPlaceBytes = 0x400;
constexpr Bytes kShift = 0x40 + 3;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2};
constexpr std::byte kGuard{0xc3};
constexpr Cycles kRetry = 500;
constexpr Cycles kQuiet = 5'000;  // in which more than the first would have come round
constexpr Cycles kBound = 2'000'000;

Address ring_of(QueueId queue) { return kRings + queue.value * kRingBytes; }
Bytes place(std::uint32_t i) { return i * kPlaceBytes + kShift; }
std::vector<std::byte> message(std::uint64_t seed, std::uint32_t i) {
  return pattern(mix(seed * 500 + i), kMessageBytes);
}

Descriptor enable_sends(QueueId queue, std::uint32_t count, bool absolute) {
  namespace d = layout::descriptor;
  return enable_receives(queue, count, absolute).set<d::opcode>(Opcode::kSendEn);
}
// One more than the last WAIT of its queue has waited for.
Descriptor wait_for_next(EventId event) {
  return wait_for_event(event, 1).set<layout::descriptor::relative>(1);
}

std::uint32_t limit_of(Device& device, QueueId queue) {
  return static_cast<std::uint32_t>(device.read64(registers::injection_queue::limit(queue.value)));
}

// --- set-up -------------------------------------------------------------------------------------

void set_up(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const bool first = self == 0;
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  const Coordinates before = shape.coordinates({(self + shape.nodes() - 1) % shape.nodes()});
  device.write64(registers::node::send_retry_cycles(), kRetry);
  node.open_region(kSourceRegion, kSource, kMessages * kPlaceBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, kMessages * kPlaceBytes);
  for (const EventId event : {kToken, kSeen, kGo}) node.open_event(event);
  node.connect(kSend, next, kReceive);
  node.connect(kReceive, before, kSend);
  node.open_queue(kSend, ring_of(kSend), first ? kSlots : kBuffers, QueueMode::kDoorbell,
                  {.cyclic = !first, .managed = true});
  node.open_queue(kReceive, ring_of(kReceive), first ? kSlots : kBuffers, QueueMode::kReceive,
                  {.cyclic = !first, .managed = !first});
  node.open_queue(kLoop, ring_of(kLoop), kInLoop, QueueMode::kDoorbell, {.cyclic = true});
  node.open_queue(kBeat, ring_of(kBeat), first ? kSlots : kInLoop, QueueMode::kDoorbell,
                  {.cyclic = !first});
  node.open_queue(kControl, ring_of(kControl), kSlots, QueueMode::kDoorbell);
  (void)node.causes();
}

void post(RawNode& node, QueueId queue, std::uint32_t slots, const std::vector<Descriptor>& list) {
  std::uint32_t index = 0;
  for (const Descriptor& descriptor : list) {
    node.write_descriptor(ring_of(queue), slots, index++, descriptor);
  }
  node.ring_doorbell(queue, index);
}

// RECEIVEs into places of the target region, and SENDs of those of `source`, in rings of `slots`.
void post_messages(RawNode& node, RegionId source, std::uint32_t count, std::uint32_t slots) {
  std::vector<Descriptor> sends, receives;
  for (std::uint32_t i = 0; i < count; ++i) {
    sends.push_back(send_descriptor({source, place(i), kMessageBytes}, i));
    receives.push_back(receive_descriptor({kTargetRegion, place(i), kMessageBytes}));
  }
  post(node, kReceive, slots, receives);
  post(node, kSend, slots, sends);
}

// All that the core of a node on the way ever does.
void post_loops(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const Coordinates next = shape.coordinates({(device.node().value + 1) % shape.nodes()});
  post_messages(node, kTargetRegion, kBuffers, kBuffers);
  post(node, kLoop, kInLoop,
       {wait_for_queue(kReceive, 1, 1), enable_sends(kSend, 1, false), wait_for_queue(kSend, 1, 1),
        enable_receives(kReceive, 1)});
  post(node, kBeat, kInLoop,
       {wait_for_next(kToken), add_to_event(kSeen, 1),
        increment_descriptor(next, kTargetRegion, kToken), Descriptor()});
  post(node, kControl, kSlots, {enable_receives(kReceive, kBuffers, true)});
}

// --- node 0 -------------------------------------------------------------------------------------

struct Start {
  std::uint32_t sent = 0, received = 0, limit = 0;  // while three are enabled
  Status refused = Status::kOk;                     // a write to the counter that is waited for
  bool done = false;
};

template <typename Reached>
bool poll(Device& device, Cycles deadline, const Reached& reached) {
  while (!reached()) {
    if (device.now() >= deadline) return false;
    device.compute(100);
  }
  return true;
}

Status page_status(Device& device) {
  namespace f = registers::client_page::page_status_field;
  return static_cast<Status>(
      extract(device.read64(registers::client_page::page_status(0)), f::status));
}

void send_all(Device& device, Start& seen) {
  RawNode node(device);
  post_messages(node, kSourceRegion, kMessages, kSlots);
  // An absolute limit below what is enabled takes nothing back.
  post(node, kControl, kSlots,
       {enable_sends(kSend, kFirst, true), enable_sends(kSend, kFirst - 1, true),
        wait_for_event(kGo, 1), enable_sends(kSend, kMessages, true)});
  const Cycles deadline = device.now() + kBound / 2;
  (void)poll(device, deadline, [&] { return node.queue_head(kReceive) >= kFirst; });
  device.compute(kQuiet);
  seen.sent = node.queue_head(kSend);
  seen.received = node.queue_head(kReceive);
  seen.limit = limit_of(device, kSend);
  // Nobody moves a counter that a WAIT stands on but by adding to it.
  device.write32(registers::client_page::event_counter(0, kGo.value), 1);
  seen.refused = page_status(device);
  post(node, kBeat, kSlots, {add_to_event(kGo, 1)});
  seen.done = poll(device, deadline, [&] { return node.queue_head(kReceive) == kMessages; });
}

void send_token(Device& device, Start& seen) {
  RawNode node(device);
  const Coordinates next = device.shape().coordinates({1});
  std::uint32_t index = 1;
  const auto add = [&](const Descriptor& descriptor) {
    node.write_descriptor(ring_of(kBeat), kSlots, index++, descriptor);
  };
  add(add_to_event(kSeen, 1));
  add(add_to_event(kSeen, kSetTo).set<layout::descriptor::opcode>(Opcode::kCtrSet));
  for (std::uint32_t lap = 0; lap < kLaps; ++lap) {
    add(wait_for_event(kToken, lap));
    add(increment_descriptor(next, kTargetRegion, kToken));
  }
  node.ring_doorbell(kBeat, index);
  const Cycles deadline = device.now() + kBound / 2;
  seen.done &= poll(device, deadline, [&] { return node.read_event(kToken) == kLaps; });
}

// --- what came of it ----------------------------------------------------------------------------

struct Counts {
  std::uint32_t sent = 0, received = 0, loop = 0, beat = 0;  // descriptors done
  std::uint32_t send_limit = 0, receive_limit = 0;
  std::uint32_t token = 0, seen = 0;
  bool good = true;  // no queue has an error
};

void read_counts(Device& device, Counts& counts) {
  RawNode node(device);
  counts = {.sent = node.queue_head(kSend),
            .received = node.queue_head(kReceive),
            .loop = node.queue_head(kLoop),
            .beat = node.queue_head(kBeat),
            .send_limit = limit_of(device, kSend),
            .receive_limit = limit_of(device, kReceive),
            .token = node.read_event(kToken),
            .seen = node.read_event(kSeen)};
  for (const QueueId queue : {kSend, kReceive, kLoop, kBeat, kControl}) {
    counts.good = counts.good && node.queue_status(queue) == Status::kOk;
  }
}

void check_counts(std::uint32_t node, const Counts& counts, Tally& laps, Tally& limits) {
  const bool first = node == 0;
  laps.expect(counts.good && counts.sent == kMessages && counts.received == kMessages &&
                  counts.loop == (first ? 0 : kInLoop * kMessages) &&
                  counts.beat == (first ? 3 + 2 * kLaps : kInLoop * kLaps) &&
                  counts.token == kLaps && counts.seen == (first ? kSetTo : kLaps),
              [&] {
                return fmt::format(
                    "node {}: {} sent, {} received, {} and {} descriptors of the loops done, token "
                    "seen {} times, {}",
                    node, counts.sent, counts.received, counts.loop, counts.beat, counts.token,
                    counts.good ? "no error" : "an error");
              });
  limits.expect(
      counts.send_limit == kMessages && (first || counts.receive_limit == kBuffers + kMessages),
      [&] {
        return fmt::format("node {}: limits {} and {}", node, counts.send_limit,
                           counts.receive_limit);
      });
}

// At node 0 all messages in their order, elsewhere the last two.
void check_bytes(Stage& stage, std::uint32_t node, Tally& tally) {
  std::vector<std::byte> wanted(kMessages * kPlaceBytes, kGuard);
  for (std::uint32_t i = node == 0 ? 0 : kMessages - kBuffers; i < kMessages; ++i) {
    const auto bytes = message(stage.seed(), i);
    std::copy(bytes.begin(), bytes.end(),
              wanted.begin() + static_cast<std::ptrdiff_t>(place(node == 0 ? i : i % kBuffers)));
  }
  expect_bytes(tally, stage.memory({node}), {node}, kTarget, wanted);
}

void check_start(Stage& stage, const Start& start) {
  stage.check("loop.sends_wait_for_send_en",
              start.sent == kFirst && start.received == kFirst && start.limit == kFirst,
              fmt::format("{} sent, {} came round, while {} were enabled", start.sent,
                          start.received, start.limit));
  stage.check("loop.counter_waited_for_is_not_set", start.refused == Status::kCounterWaited,
              fmt::format("a write to it is answered {}", name_of(start.refused)));
}

}  // namespace

void play_loop(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(kTarget, std::vector<std::byte>(kMessages * kPlaceBytes, kGuard));
  }
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    stage.memory({0}).write(kSource + place(i), message(stage.seed(), i));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  for (std::uint32_t n = 1; n < nodes; ++n) stage.add_core({n}, post_loops);
  if (!stage.run(kBound)) return;
  const Cycles begin = stage.now();
  show_opening(stage, begin,
               {"sends", {"register writes", "descriptors let go", link_to_node_1(stage.shape())}},
               {"passes on",
                {"requests received", "stores", "done in memory", "queues that wait",
                 "descriptors let go"}});
  Start start;
  stage.add_core({0}, [&start](Device& device) {
    send_all(device, start);
    send_token(device, start);
  });
  if (!stage.run(kBound)) return;
  const Cycles end = stage.now();
  std::vector<Counts> counts(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&counts, n](Device& device) { read_counts(device, counts[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally bytes("bytes"), laps("nodes"), limits("nodes");
  for (std::uint32_t n = 0; n < nodes; ++n) {
    check_bytes(stage, n, bytes);
    check_counts(n, counts[n], laps, limits);
  }
  check_start(stage, start);
  stage.check("loop.all_came_round", start.done, "messages and token, at node 0");
  bytes.report(stage, "loop.bytes");
  laps.report(stage, "loop.laps");
  limits.report(stage, "loop.limits");
  stage.say(
      fmt::format("{} messages and a token, {} times, through {} nodes whose cores had ended, "
                  "in {} cycles",
                  kMessages, kLaps, nodes - 1, end - begin));
}

}  // namespace torusmu
