// SPDX-License-Identifier: Apache-2.0
// Queues that cannot go on, on every node: one whose turn comes when that of the node before has
// been, and nobody begins; and a SEND to a RECEIVE that nobody enables. It checks that the report
// of who waits for whom tells both apart, and that all goes on once a core does what is missing.
#include <fmt/format.h>

#include "sim/machine/profile.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/waits.h"

namespace torusmu {
namespace {

constexpr QueueId kTurns{7}, kSend{8}, kReceive{9}, kControl{10};
constexpr EventId kTurn{0};
constexpr RegionId kRegion{1};
constexpr std::uint32_t kSlots = 8;
constexpr Address kMemory = 0x100000;
constexpr Cycles kAtRest = 20'000;  // after the start: by then nothing moves but what is retried
constexpr Cycles kLooked = kStuckHelped;
constexpr Cycles kEnded = 250'000;
constexpr Cycles kBound = 1'000'000;

Address ring_of(QueueId queue) { return 0x10000 + queue.value * 0x400; }

struct Seen {
  NodeQueues stuck, ended;
  std::uint32_t turns = 0, messages = 0;  // descriptors done at the end
};

void post(RawNode& node, QueueId queue, std::initializer_list<Descriptor> list) {
  std::uint32_t tail = 0;
  for (const Descriptor& one : list) node.write_descriptor(ring_of(queue), kSlots, tail++, one);
  node.ring_doorbell(queue, tail);
}

void wait_until(Device& device, Cycles at) {
  if (device.now() < at) device.compute(at - device.now());
}

void play(Device& device, Cycles start, Seen& seen) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  const Coordinates before = shape.coordinates({(self + shape.nodes() - 1) % shape.nodes()});
  node.open_region(kRegion, kMemory, 0x1000);
  node.open_event(kTurn);
  node.connect(kSend, next, kReceive, {});
  node.connect(kReceive, before, kSend, {});
  for (const QueueId queue : {kTurns, kSend, kControl}) {
    node.open_queue(queue, ring_of(queue), kSlots, QueueMode::kDoorbell);
  }
  node.open_queue(kReceive, ring_of(kReceive), kSlots, QueueMode::kReceive, {.managed = true});
  wait_until(device, start + kAtRest / 2);  // now every node is set up
  const Arrival turn{.event = static_cast<int>(kTurn.value)};
  post(node, kTurns,
       {wait_for_event(kTurn, 1), put_descriptor(next, {kRegion, 0, 8}, kRegion, 64, turn)});
  post(node, kReceive, {receive_descriptor({kRegion, 128, 8})});
  post(node, kSend, {send_descriptor({kRegion, 0, 8}, 0)});

  wait_until(device, start + kAtRest);
  seen.stuck = look_at_queues(device, kProfile);
  wait_until(device, start + kLooked);
  post(node, kControl,
       {enable_receives(kReceive, 1), self == 0 ? add_to_event(kTurn, 1) : Descriptor()});
  wait_until(device, start + kEnded);
  seen.ended = look_at_queues(device, kProfile);
  seen.turns = node.queue_head(kTurns);
  seen.messages = node.queue_head(kReceive);
}

// The waves open where the cores help: node 0 takes the turn that nobody began, and passes it on.
void show(Stage& stage, Cycles start) {
  constexpr Cycles kBefore = 60, kWindow = 1'000;
  Act act;
  act.from = start + kLooked - kBefore;
  act.to = start + kLooked + kWindow;
  act.actors = {{{0},
                 "has the turn first",
                 {"register writes", "queues that wait", "event counters", "descriptors let go",
                  link_to_node_1(stage.shape())}}};
  if (stage.shape().nodes() > 1) {
    act.actors.push_back({{1},
                          "has it next",
                          {"requests received", "queues that wait", "event counters",
                           "descriptors let go", "interrupt"}});
  }
  act.marks = {{start + kLooked, "the cores help"}};
  stage.show(act);
}

}  // namespace

void play_stuck(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  std::vector<Seen> seen(nodes);
  const Cycles start = stage.now();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&own = seen[n], start](Device& device) { play(device, start, own); });
  }
  show(stage, start);
  if (!stage.run(kBound)) return;

  std::vector<NodeQueues> stuck, ended;
  for (const Seen& own : seen) {
    stuck.push_back(own.stuck);
    ended.push_back(own.ended);
  }
  const WaitReport report = who_waits(stage.shape(), stuck);
  stage.say(report.text(2));
  const bool has_cycle = report.can_never_end();
  const std::size_t steps = has_cycle ? report.chains.front().steps.size() : 0;
  stage.check("stuck.cycle_is_told", steps == nodes,
              fmt::format("a cycle of {} queues on {} nodes", steps, nodes));
  Tally enables("SENDs");
  for (const WaitChain& chain : report.chains) {
    if (chain.cycle) continue;
    const bool ends = chain.end.find("a RECV_EN for node") != std::string::npos;
    enables.expect(ends && chain.steps.size() == 2, [&] { return chain.end; });
  }
  enables.report(stage, "stuck.missing_enables_are_told");
  stage.check("stuck.chains", report.chains.size() == nodes + 1,
              fmt::format("{} chains on {} nodes", report.chains.size(), nodes));
  Tally done("nodes");
  for (std::uint32_t n = 0; n < nodes; ++n) {
    done.expect(seen[n].turns == 2 && seen[n].messages == 1, [&] {
      return fmt::format("node {}: {} turns, {} messages", n, seen[n].turns, seen[n].messages);
    });
  }
  done.report(stage, "stuck.goes_on_when_helped");
  const WaitReport rest = who_waits(stage.shape(), ended);
  stage.check("stuck.nothing_waits_at_the_end", rest.chains.empty(),
              rest.chains.empty() ? "no queue is held" : rest.text(1));
}

}  // namespace torusmu
