// SPDX-License-Identifier: Apache-2.0
// tree: barriers and global interrupts over the combining tree (US 7,890,597). Three cores of every
// node are members of a barrier and come at random times, again and again; then queues are its
// members, and all cores have ended; then classes of two subtrees and of all nodes are used at the
// same time, and one member is late. Random nodes raise an interrupt that every node's core sleeps
// for; then all raise one at once. At last a member does not come, and the library says who.
#include "torusmu/tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/machine/shape.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/scenarios.h"
#include "sim/play/scenario/tree_play.h"

namespace torusmu {
namespace {

constexpr TreeClassId kCores{0}, kQueues{1}, kBelow{2}, kBeside{3}, kAll{4}, kRaised{5}, kLate{6};
constexpr std::uint32_t kClasses = 7;
constexpr std::uint32_t kMembers = 3;     // of a node
constexpr std::uint32_t kBarriers = 6;    // in a row, of cores
constexpr std::uint32_t kQueued = 20;     // in a row, of queues
constexpr std::uint32_t kInLap = 4;       // barriers in a lap of the ring of a node that loops
constexpr std::uint32_t kSlots = 64;      // of node 0, which does not loop
constexpr Cycles kMostDelay = 400;        // of a member that is not late
constexpr Cycles kLateBy = 20'000;        // of one that is
constexpr std::uint32_t kRaises = 8;      // of one node after the other
constexpr Cycles kBetweenRaises = 3'000;  // all have seen one by then, and sleep again
constexpr Cycles kBound = TreePlay::kBound;
constexpr NodeId kSubtree{1};  // the root of a class that is not over all nodes

// --- cores --------------------------------------------------------------------------------------

struct Times {
  std::vector<Cycles> last, first;  // of each barrier: the last to arrive, the first to leave
  std::vector<Cycles> left;         // the last to leave
  std::string trouble;
  explicit Times(std::uint32_t barriers)
      : last(barriers, 0), first(barriers, kNever), left(barriers, 0) {}
};

// A member of so many barriers, each after a random time and `extra` cycles before the first.
void take_part(Device& device, const TreeSignal& signal, std::uint64_t seed, Cycles extra,
               Times& times) {
  TreeBarrier barrier(device, signal);
  Rng random(seed);
  for (std::size_t i = 0; i < times.last.size(); ++i) {
    device.compute(random.below(kMostDelay) + 1 + (i == 0 ? extra : 0));
    std::error_code error = barrier.arrive();
    times.last[i] = std::max(times.last[i], device.now());
    if (!error) error = barrier.wait(device.now() + kBound);
    times.first[i] = std::min(times.first[i], device.now());
    times.left[i] = std::max(times.left[i], device.now());
    if (error) times.trouble = node_name(device.shape(), device.node()) + ": " + error.message();
  }
}

void check_order(Stage& stage, const std::string& name, const Times& times) {
  Tally order("barriers");
  for (std::size_t i = 0; i < times.last.size(); ++i) {
    order.expect(times.trouble.empty() && times.first[i] > times.last[i], [&] {
      return times.trouble.empty() ? fmt::format(
                                         "barrier {}: one left in cycle {}, one arrived in "
                                         "cycle {}",
                                         i, times.first[i], times.last[i])
                                   : times.trouble;
    });
  }
  order.report(stage, name);
}

// Every node of the group has counted so many releases, and has nothing that has arrived.
void check_counts(Stage& stage, const TreePlay& play, const TreeGroup& group, TreeClassId number,
                  std::uint32_t wanted, const std::string& name) {
  Tally counts("nodes");
  for (const NodeId node : group.nodes()) {
    stage.add_core(node, [&, node](Device& device) {
      const TreeSignal& signal = play.signal(number, node);
      const std::uint32_t found =
          RawNode(device, TreePlay::kOwner).read_event(signal.options.releases) - signal.released;
      const auto look = look_at_tree_class(device, kProfile, number);
      counts.expect(found == wanted && look && look.value().state == 0, [&] {
        return fmt::format("{}: {} releases, state 0x{:x}", node_name(device.shape(), node), found,
                           look ? look.value().state : 0);
      });
    });
  }
  if (stage.run(kBound)) counts.report(stage, name);
}

bool play_cores(Stage& stage, TreePlay& play) {
  const std::uint32_t nodes = stage.shape().nodes();
  const TreeGroup all = play.everybody();
  if (!play.open(all, {.number = kCores, .members = kMembers})) return false;
  const Cycles start = stage.now();
  Times times(kBarriers);
  for (std::uint32_t member = 0; member < nodes * kMembers; ++member) {
    const NodeId node{member / kMembers};
    stage.add_core(node, [&, node, seed = mix(stage.seed() * 7919 + member)](Device& device) {
      take_part(device, play.signal(kCores, node), seed, 0, times);
    });
  }
  show_opening(stage, start, {"root of the tree", {"register writes", "event counters"}},
               {"its left child", {"register writes", "event counters"}});
  if (!stage.run(kBound)) return false;
  check_order(stage, "tree.nobody_leaves_early", times);
  check_counts(stage, play, all, kCores, kBarriers, "tree.releases");
  Cycles longest = 0;
  for (std::size_t i = 0; i < times.last.size(); ++i) {
    longest = std::max(longest, times.left[i] - times.last[i]);
  }
  stage.say(
      fmt::format("{} barriers of {} cores on {} nodes: the last core left at most {} cycles after "
                  "the last had arrived; signals cross {} cables",
                  kBarriers, nodes * kMembers, nodes, longest, all.crossings()));
  return true;
}

// --- queues -------------------------------------------------------------------------------------

// Node 0 posts so many pairs of CTR_ADD and WAIT, others a loop of them; their cores end. Node 0 is
// last, so that nothing is released before.
bool play_queues(Stage& stage, TreePlay& play) {
  constexpr QueueId kLoop{9};
  constexpr Address kLoopRing = 0x20000;
  constexpr Cycles kAfterOthers = 5'000;
  const std::uint32_t nodes = stage.shape().nodes();
  const TreeGroup all = play.everybody();
  if (!play.open(all, {.number = kQueues})) return false;
  std::vector<const Core*> cores;
  cores.push_back(&stage.add_core({0}, [&](Device& device) {
    device.compute(kAfterOthers);
    TreeBarrier barrier(device, play.signal(kQueues, {0}));
    std::vector<Descriptor> list;
    for (std::uint32_t i = 0; i < kQueued; ++i) barrier.append_to(list);
    TreePlay::post(device, kSlots, 0, list);
  }));
  for (std::uint32_t n = 1; n < nodes; ++n) {
    cores.push_back(&stage.add_core({n}, [&, n](Device& device) {
      RawNode node(device, TreePlay::kOwner);
      TreeBarrier barrier(device, play.signal(kQueues, {n}));
      std::vector<Descriptor> lap;
      for (std::uint32_t i = 0; i < kInLap; ++i) barrier.append_to(lap, kInLap);
      const auto slots = static_cast<std::uint32_t>(lap.size());
      node.open_queue(kLoop, kLoopRing, slots, QueueMode::kDoorbell, {.cyclic = true});
      for (std::uint32_t i = 0; i < slots; ++i) node.write_descriptor(kLoopRing, slots, i, lap[i]);
      node.ring_doorbell(kLoop, slots);
    }));
  }
  if (!stage.run(kBound)) return false;
  const Cycles end = stage.now();
  Cycles posted = 0;
  std::uint64_t accesses = 0;
  for (const Core* core : cores) {
    posted = std::max(posted, core->finished_at());
    const CoreCounts& counts = core->counts();
    accesses += counts.accesses();
  }
  // Descriptors, doorbells, and the three registers of each loop's queue.
  constexpr std::uint64_t kOfNode0 = 2 * kQueued + 1, kOfLoop = 2 * kInLap + 1 + 3;
  const std::uint64_t to_post = kOfNode0 + kOfLoop * (nodes - 1);
  stage.check(
      "tree.queues.no_host_access", accesses == to_post,
      fmt::format("{} accesses of cores, {} of them until all was posted", accesses, to_post));
  Tally counts("nodes");
  std::vector<const Core*> readers;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&, n](Device& device) {
      RawNode node(device, TreePlay::kOwner);
      const TreeSignal& signal = play.signal(kQueues, {n});
      const std::uint32_t found = node.read_event(signal.options.releases) - signal.released;
      const QueueId queue = n == 0 ? TreePlay::kQueue : kLoop;
      const Status status = node.queue_status(queue);
      // A loop has arrived at one more, to which node 0 does not come.
      const std::uint32_t wanted = 2 * kQueued + (n == 0 ? 0 : 1);
      const std::uint32_t done = node.queue_head(queue);
      counts.expect(found == kQueued && done == wanted && status == Status::kOk, [&] {
        return fmt::format("node {}: {} releases, {} descriptors done, {}", n, found, done,
                           name_of(status));
      });
      if (n != 0) device.write64(registers::injection_queue::config(kLoop.value), 0);
    });
  }
  if (!stage.run(kBound)) return false;
  counts.report(stage, "tree.queues.releases");
  stage.say(fmt::format("{} barriers of {} queues, whose cores had ended, in {} cycles", kQueued,
                        nodes, end - posted));
  return play.close(kQueues);
}

// --- classes at the same time -------------------------------------------------------------------

bool play_classes(Stage& stage, TreePlay& play) {
  constexpr std::uint32_t kRounds = 3;
  const TreeGroup below = play.below(kSubtree), beside = play.beside(kSubtree);
  const TreeGroup all = play.everybody();
  struct Part {
    TreeClassId number;
    const TreeGroup& group;
    Times times;
  };
  Part parts[] = {{kBelow, below, Times(kRounds)},
                  {kBeside, beside, Times(kRounds)},
                  {kAll, all, Times(kRounds)}};
  for (const Part& part : parts) {
    if (!play.open(part.group, {.number = part.number})) return false;
  }
  // The deepest node of the subtree is late, and only in the class of the subtree.
  const NodeId late = below.nodes().back();
  std::uint64_t seed = stage.seed() * 104'729;
  for (Part& part : parts) {
    for (const NodeId node : part.group.nodes()) {
      const Cycles extra = part.number == kBelow && node == late ? kLateBy : 0;
      seed = mix(seed);
      stage.add_core(node, [&play, &part, node, extra, own = seed](Device& device) {
        take_part(device, play.signal(part.number, node), own, extra, part.times);
      });
    }
  }
  if (!stage.run(kBound)) return false;
  Tally apart("classes");
  for (const Part& part : parts) {
    check_order(stage, fmt::format("tree.class_{}", part.number.value), part.times);
    check_counts(stage, play, part.group, part.number, kRounds,
                 fmt::format("tree.class_{}.releases", part.number.value));
    if (part.number == kBelow) continue;
    apart.expect(part.times.left.back() < parts[0].times.last.front(), [&] {
      return fmt::format("class {} ended in cycle {}, the late member of class {} came in cycle {}",
                         part.number.value, part.times.left.back(), kBelow.value,
                         parts[0].times.last.front());
    });
  }
  apart.report(stage, "tree.classes_do_not_wait_for_each_other");
  stage.say(
      fmt::format("classes over {}, {} and {} nodes at once: {} of the first came {} cycles "
                  "late, and held up nobody else",
                  below.nodes().size(), beside.nodes().size(), all.nodes().size(),
                  node_name(stage.shape(), late), kLateBy));
  return true;
}

// --- interrupts ---------------------------------------------------------------------------------

struct Woken {
  std::vector<Cycles> at;  // each of the single interrupts
  std::uint32_t taken = 0;
  std::uint32_t at_once = 0;  // of those that all have raised
  std::string trouble;
};

// The raisers of the single interrupts, and when: the same in every node.
struct Raises {
  Raises(std::uint64_t seed, std::uint32_t nodes, Cycles start) {
    Rng random(seed);
    for (std::uint32_t i = 0; i < kRaises; ++i) {
      by.push_back({static_cast<std::uint32_t>(random.below(nodes))});
      at.push_back(start + (i + 1) * kBetweenRaises);
    }
  }
  std::vector<NodeId> by;
  std::vector<Cycles> at;
  [[nodiscard]] Cycles all_at_once() const { return at.back() + kBetweenRaises; }
};

void wait_until(Device& device, Cycles at) {
  if (device.now() < at) device.compute(at - device.now());
}

void sleep_and_raise(Device& device, const TreeSignal& signal, const Raises& raises, Woken& woken) {
  GlobalInterrupt global(device, signal);
  for (std::uint32_t i = 0; i < kRaises; ++i) {
    if (raises.by[i] == device.node()) {
      wait_until(device, raises.at[i]);
      global.raise();
    }
    const auto came = global.wait(device.now() + kBound);
    woken.at.push_back(device.now());
    if (!came) woken.trouble = came.message();
    if (came) woken.taken += came.value();
  }
  wait_until(device, raises.all_at_once());
  global.raise();
  const auto came = global.wait(device.now() + kBound);
  if (!came) woken.trouble = came.message();
  device.compute(kBetweenRaises);  // those of others have come as well
  const auto more = global.take();
  if (came && more) woken.at_once = came.value() + more.value();
}

bool play_interrupts(Stage& stage, TreePlay& play) {
  const std::uint32_t nodes = stage.shape().nodes();
  const TreeSignalOptions options{
      .number = kRaised, .kind = TreeSignalKind::kInterrupt, .raises_interrupt = true};
  if (!play.open(play.everybody(), options)) return false;
  const Raises raises(stage.seed() * 31 + 5, nodes, stage.now());
  std::vector<Woken> woken(nodes);
  std::vector<const Core*> cores;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    cores.push_back(&stage.add_core({n}, [&, n](Device& device) {
      sleep_and_raise(device, play.signal(kRaised, {n}), raises, woken[n]);
    }));
  }
  if (!stage.run(kBound)) return false;
  Tally each("interrupts"), slept("cores"), at_once("nodes");
  Cycles longest = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Woken& own = woken[n];
    for (std::uint32_t i = 0; i < kRaises; ++i) {
      const Cycles at = i < own.at.size() ? own.at[i] : 0;
      const Cycles next = raises.at[i] + kBetweenRaises;
      longest = std::max(longest, at - std::min(at, raises.at[i]));
      each.expect(own.trouble.empty() && at > raises.at[i] && at < next && own.taken == kRaises,
                  [&] {
                    return fmt::format(
                        "node {}: woke in cycle {} of the one raised in {}, {} in "
                        "all {}",
                        n, at, raises.at[i], own.taken, own.trouble);
                  });
    }
    // One that raises it may see it before it would sleep.
    const auto others = kRaises - std::count(raises.by.begin(), raises.by.end(), NodeId{n});
    const std::uint64_t sleeps = cores[n]->counts().interrupts;
    slept.expect(sleeps >= static_cast<std::uint64_t>(others), [&] {
      return fmt::format("node {}: its core was woken {} times by {} interrupts of others", n,
                         sleeps, others);
    });
    at_once.expect(own.at_once >= 1 && own.at_once <= nodes, [&] {
      return fmt::format("node {}: {} releases of {} that were raised at once", n, own.at_once,
                         nodes);
    });
  }
  each.report(stage, "tree.interrupts_reach_all");
  slept.report(stage, "tree.cores_sleep_meanwhile");
  at_once.report(stage, "tree.interrupts_raised_at_once");
  stage.say(fmt::format(
      "{} global interrupts of random nodes woke every core, the last at most {} cycles after the "
      "call; of {} raised at once node 0 counted {}",
      kRaises, longest, nodes, woken[0].at_once));
  return true;
}

// --- who is missing -----------------------------------------------------------------------------

bool play_missing(Stage& stage, TreePlay& play) {
  constexpr std::uint32_t kOfEach = 2;  // members
  constexpr Cycles kPatience = 5'000;
  const std::uint32_t nodes = stage.shape().nodes();
  const TreeGroup all = play.everybody();
  if (!play.open(all, {.number = kLate, .members = kOfEach})) return false;
  const NodeId missing{static_cast<std::uint32_t>(mix(stage.seed() + 17) % nodes)};
  std::uint32_t timeouts = 0;
  std::vector<TreeClassLook> looks(nodes);
  for (std::uint32_t member = 0; member < nodes * kOfEach; ++member) {
    const NodeId node{member / kOfEach};
    if (node == missing && member % kOfEach == 0) continue;
    stage.add_core(node, [&, node](Device& device) {
      TreeBarrier barrier(device, play.signal(kLate, node));
      if (barrier.arrive()) return;
      if (barrier.wait(device.now() + kPatience) == Errc::kDeadline) ++timeouts;
    });
  }
  if (!stage.run(kBound)) return false;
  stage.on_all_nodes([&](Device& device) {
    const auto look = look_at_tree_class(device, kProfile, kLate);
    if (look) looks[device.node().value] = look.value();
  });
  if (!stage.run(kBound)) return false;
  const std::vector<MissingNode> found =
      missing_members(all, [&](NodeId node) -> Result<TreeClassLook> { return looks[node.value]; });
  const bool right = found == std::vector{MissingNode{.node = missing, .members = 1}};
  stage.check("tree.missing_member_is_named", right && timeouts == nodes * kOfEach - 1,
              fmt::format("{} members gave up; {}", timeouts, text_of(found)));
  // It comes after all.
  stage.add_core(missing, [&](Device& device) {
    (void)TreeBarrier(device, play.signal(kLate, missing)).arrive();
  });
  if (!stage.run(kBound)) return false;
  check_counts(stage, play, all, kLate, 1, "tree.goes_on_when_it_comes");
  stage.say(fmt::format("a member that did not come was found: {}", text_of(found)));
  return true;
}

}  // namespace

void play_tree(Stage& stage) {
  TreePlay play(stage);
  if (!play.set_up(kClasses, kSlots)) return;
  (void)(play_cores(stage, play) && play_queues(stage, play) && play_classes(stage, play) &&
         play_interrupts(stage, play) && play_missing(stage, play));
}

}  // namespace torusmu
