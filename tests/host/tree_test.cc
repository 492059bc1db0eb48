// SPDX-License-Identifier: Apache-2.0
// The combining tree: its ranks, groups that are subtrees, and barriers and global interrupts on
// nodes of the reference model.
#include "torusmu/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "sim/play/scenario/raw_node.h"
#include "tb/reference_model/machine.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace c = registers::tree_class::config_field;
namespace s = registers::tree_class::state_field;

std::vector<NodeId> nodes_of(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t number : numbers) nodes.push_back({number});
  return nodes;
}
std::vector<NodeId> all_of(const Shape& shape) {
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) nodes.push_back({n});
  return nodes;
}
TreeGroup group_of(const Shape& shape, std::initializer_list<std::uint32_t> numbers) {
  return TreeGroup::make(shape, nodes_of(numbers)).value();
}

// --- ranks --------------------------------------------------------------------------------------

TEST(CombiningTree, HasEveryNodeOnceBelowItsParent) {
  for (std::uint32_t nodes = 1; nodes <= 130; ++nodes) {
    const CombiningTree tree(nodes);
    std::uint32_t cables = 0, deepest = 0;
    for (NodeId node{0}; node.value < nodes; ++node.value) {
      for (const auto& child : {tree.left_child(node), tree.right_child(node)}) {
        if (!child) continue;
        ++cables;
        EXPECT_LT(child->value, nodes);
        EXPECT_EQ(CombiningTree::parent(*child), node);
        EXPECT_EQ(CombiningTree::depth(*child), CombiningTree::depth(node) + 1);
      }
      deepest = std::max(deepest, CombiningTree::depth(node));
    }
    EXPECT_EQ(cables, nodes - 1);
    EXPECT_EQ(tree.depth(), deepest);
    EXPECT_EQ(tree.crossings(), 2 * deepest);
  }
  EXPECT_EQ(CombiningTree::parent(CombiningTree::kRoot), std::nullopt);
}

TEST(CombiningTree, OfSixtyFourNodesIsSixCablesDeep) {
  const CombiningTree tree(Shape{4, 4, 4});
  EXPECT_EQ(tree.depth(), 6U);
  EXPECT_EQ(tree.crossings(), 12U);
  EXPECT_EQ(CombiningTree(Shape{16, 16, 16}).depth(), 12U);
}

// --- groups -------------------------------------------------------------------------------------

TEST(TreeGroup, IsASubtreeAndKnowsItsCables) {
  const TreeGroup group = group_of({2, 2, 2}, {3, 1, 7});
  EXPECT_EQ(group.root(), NodeId{1});
  EXPECT_EQ(group.cables({1}), (TreeCables{.left = true}));
  EXPECT_EQ(group.cables({3}), (TreeCables{.parent = true, .left = true}));
  EXPECT_EQ(group.cables({7}), (TreeCables{.parent = true}));
  EXPECT_EQ(group.cables({0}), TreeCables{});
  EXPECT_EQ(group.crossings(), 4U);
  EXPECT_EQ(group_of({2, 2, 2}, {5}).crossings(), 0U);
}

TEST(TreeGroup, NamesTheFirstNodeThatBreaksTheTree) {
  const auto said = [](std::initializer_list<std::uint32_t> numbers) {
    const auto group = TreeGroup::make({2, 2, 2}, nodes_of(numbers));
    EXPECT_EQ(group.error(), Errc::kBadArgument);
    return group.message();
  };
  EXPECT_THAT(said({0, 1, 5, 6}), HasSubstr("node 5 is in the group and its parent, node 2, is "
                                            "not, while node 0 is the root; use the torus"));
  EXPECT_THAT(said({3, 4}), HasSubstr("node 4 is in the group and its parent, node 1"));
  EXPECT_THAT(said({0, 2, 2}), HasSubstr("node 2 is in the group twice"));
  EXPECT_THAT(said({0, 8}), HasSubstr("node 8: the machine has nodes 0 to 7"));
  EXPECT_THAT(said({}), HasSubstr("one node at least"));
}

TEST(TreeGroup, AroundNodesIsTheSmallestSubtreeWithThem) {
  const Shape shape{4, 4, 2};
  const auto around = [&](std::initializer_list<std::uint32_t> numbers) {
    const auto group = TreeGroup::around(shape, nodes_of(numbers));
    return std::vector<NodeId>(group.value().nodes().begin(), group.value().nodes().end());
  };
  EXPECT_EQ(around({15, 4}), nodes_of({1, 3, 4, 7, 15}));
  EXPECT_EQ(around({9}), nodes_of({9}));
  EXPECT_EQ(around({3, 1}), nodes_of({1, 3}));
  EXPECT_EQ(around({31, 2}), nodes_of({0, 1, 2, 3, 7, 15, 31}));
  EXPECT_EQ(TreeGroup::around(shape, {}).error(), Errc::kBadArgument);
  EXPECT_EQ(TreeGroup::around(shape, nodes_of({32})).error(), Errc::kBadArgument);
}

// --- who is missing -----------------------------------------------------------------------------

// Classes of the nodes 0 to 6, a barrier of three members each, of which nobody has arrived.
class Missing : public ::testing::Test {
 protected:
  Missing() {
    for (const NodeId node : group_.nodes()) {
      const TreeCables cables = group_.cables(node);
      std::uint64_t config =
          insert(insert(insert(0, c::parent, cables.parent), c::left, cables.left), c::right,
                 cables.right);
      looks_[node] = {.config = insert(insert(config, c::arrives, 1), c::members, 2)};
    }
  }
  void arrive(std::uint32_t node) {
    looks_[{node}].state = insert(looks_[{node}].state, s::node, 1);
  }
  // All below have arrived, and the parent knows.
  void complete(std::uint32_t node) {
    looks_[{node}].state = insert(0, s::told, 1);
    std::uint64_t& parent = looks_[{(node - 1) / 2}].state;
    parent = insert(parent, node % 2 == 1 ? s::left : s::right, 1);
  }
  std::vector<MissingNode> missing() {
    return missing_members(group_, [this](NodeId node) -> Result<TreeClassLook> {
      ++reads_;
      if (silent_ == node) return Errc::kDeviceGone;
      return looks_[node];
    });
  }

  TreeGroup group_ = group_of({7, 1, 1}, {0, 1, 2, 3, 4, 5, 6});
  std::map<NodeId, TreeClassLook> looks_;
  std::optional<NodeId> silent_;
  int reads_ = 0;
};

TEST_F(Missing, AreFoundBelowTheCablesThatAreStillAwaited) {
  arrive(0);
  complete(1);
  arrive(2);
  complete(5);
  looks_[{6}].state = insert(0, s::members, 1);
  EXPECT_THAT(missing(), ElementsAre(MissingNode{.node = {6}, .members = 2}));
  EXPECT_EQ(reads_, 3) << "only 0, 2 and 6 have to be asked";
  EXPECT_EQ(text_of(missing()), "node 6: 2 members have not arrived");
}

TEST_F(Missing, AreAllOfABarrierThatHasNotBegun) {
  const auto all = missing();
  EXPECT_EQ(all.size(), 7U);
  EXPECT_THAT(text_of(all, 2), HasSubstr("node 0: 3 members have not arrived; node 1: 3 members "
                                         "have not arrived; and 5 more nodes"));
}

TEST_F(Missing, MayBeANodeThatIsNotSetUpOrSilentOrASignal) {
  arrive(0);
  complete(1);
  complete(2);
  EXPECT_THAT(missing(), IsEmpty());
  EXPECT_EQ(text_of(missing()), "nobody is missing");
  looks_[{0}].state = insert(looks_[{0}].state, s::left, 0);
  EXPECT_EQ(text_of(missing()), "node 1: its signal to the parent is under way, or lost");
  looks_[{1}].config = 0;
  EXPECT_EQ(text_of(missing()), "node 1: not set up");
  looks_[{1}].config = insert(0, c::arrives, 1);  // as a root
  EXPECT_EQ(text_of(missing()), "node 1: not set up");
  silent_ = NodeId{1};
  EXPECT_EQ(text_of(missing()), "node 1: does not answer");
}

// --- on nodes -----------------------------------------------------------------------------------

constexpr ClientId kOwner{1};
constexpr EventId kArrivals{4}, kReleases{5}, kOthers{6};
constexpr QueueId kQueue{9};
constexpr Address kRing = 0x10000;
constexpr std::uint32_t kSlots = 64;
constexpr Cycles kBound = 100'000;

class TreeSignals : public ::testing::Test {
 protected:
  using Program = std::function<void(Device&)>;

  void open(const Shape& shape, std::uint64_t seed = 1) {
    shape_ = shape;
    machine_ = std::make_unique<model::ReferenceMachine>(
        model::MachineOptions{.shape = shape, .seed = seed});
    on_all([](Device& device) {
      RawNode node(device, kOwner);
      for (const EventId event : {kArrivals, kReleases}) node.open_event(event);
      RawNode(device).open_event(kOthers);
      node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
      node.enable_interrupts({{Cause::kArrived}});
    });
  }
  void add(std::uint32_t node, Program program) {
    machine_->add_core({node}, std::move(program), machine_->now());
  }
  void run() { ASSERT_TRUE(machine_->run(machine_->now() + kBound)) << machine_->problems(); }
  void on_all(const Program& program) {
    for (std::uint32_t n = 0; n < shape_.nodes(); ++n) add(n, program);
    run();
    ASSERT_EQ(machine_->problems(), "");
  }
  static TreeSignalOptions options() {
    return {.number = {3}, .owner = kOwner, .arrivals = kArrivals, .releases = kReleases};
  }
  static Result<TreeSignal> set_up(Device& device, const TreeGroup& group,
                                   const TreeSignalOptions& options) {
    return TreeSetup(device, kSim).set_up(group, options);
  }
  void set_up_all(const TreeSignalOptions& options) {
    signals_.assign(shape_.nodes(), {});
    const TreeGroup group = TreeGroup::make(shape_, all_of(shape_)).value();
    on_all([&](Device& device) {
      signals_.at(device.node().value) = set_up(device, group, options).value();
    });
  }

  Shape shape_{};
  std::unique_ptr<model::ReferenceMachine> machine_;
  std::vector<TreeSignal> signals_;
};

TEST_F(TreeSignals, SayWhyAClassCannotBeSetUp) {
  open({3, 1, 1});
  const TreeGroup group = group_of(shape_, {0, 2});
  add(0, [&](Device& device) {
    const auto said = [&](const std::function<void(TreeSignalOptions&)>& change, Errc error) {
      TreeSignalOptions bad = options();
      change(bad);
      const auto signal = set_up(device, group, bad);
      EXPECT_EQ(signal.error(), error);
      return signal.message();
    };
    constexpr Errc kBad = Errc::kBadArgument;
    EXPECT_THAT(said([](auto& o) { o.number = {16}; }, kBad), HasSubstr("classes 0 to 15"));
    EXPECT_THAT(said([](auto& o) { o.members = 17; }, kBad), HasSubstr("17 members at a node"));
    EXPECT_THAT(said([](auto& o) { o.owner = {kSim.clients}; }, kBad), HasSubstr("the node has"));
    EXPECT_THAT(said([](auto& o) { o.releases = o.arrivals; }, kBad),
                HasSubstr("event counter 4 cannot count both arrivals and releases"));
    EXPECT_THAT(said([](auto& o) { o.releases = kOthers; }, kBad),
                HasSubstr("event counter 6 belongs to client 0, not to client 1"));
    EXPECT_THAT(said([](auto& o) { o.arrivals = {7}; }, kBad),
                HasSubstr("event counter 7 is not enabled"));
    EXPECT_THAT(said([](auto& o) { o.arrivals = {kSim.event_counters}; }, kBad),
                HasSubstr("the node has"));
    EXPECT_THAT(said([](auto& o) { (o.members = 0, o.raises_interrupt = true); }, kBad),
                HasSubstr("an interrupt without a member"));
    EXPECT_EQ(device.read64(registers::tree_class::config(3)), 0U) << "nothing was written";
    EXPECT_TRUE(set_up(device, group, options()));
    EXPECT_THAT(said([](auto&) {}, Errc::kOutOfResources),
                HasSubstr("class 3 is in use at node 0"));
    EXPECT_EQ(TreeSetup(device, kSim).close({16}), Errc::kBadArgument);
    EXPECT_FALSE(TreeSetup(device, kSim).close({3}));
    EXPECT_TRUE(set_up(device, group, options()));
  });
  add(1, [&](Device& device) {
    const auto signal = set_up(device, group, options());
    EXPECT_EQ(signal.error(), Errc::kBadArgument);
    EXPECT_THAT(signal.message(), HasSubstr("node 1 is not in the group"));
  });
  run();
  EXPECT_EQ(machine_->problems(), "");
}

// Several members of each node come at random times; the counts of releases wrap on the way.
TEST_F(TreeSignals, ABarrierReleasesNobodyBeforeTheLastHasCome) {
  constexpr std::uint32_t kMembers = 3, kRounds = 8;
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{7, 1, 1}, Shape{3, 3, 2}}) {
    Random random(shape.nodes());
    SCOPED_TRACE(random.replay());
    open(shape, random.below(1000));
    on_all([](Device& device) {
      const auto counter = registers::client_page::event_counter(kOwner.value, kReleases.value);
      device.write32(counter, 0U - kRounds / 2);
    });
    TreeSignalOptions three = options();
    three.members = kMembers;
    set_up_all(three);
    std::vector<Cycles> last(kRounds, 0), first(kRounds, kNever);
    for (std::uint32_t member = 0; member < kMembers * shape.nodes(); ++member) {
      std::vector<Cycles> delays;
      for (std::uint32_t i = 0; i < kRounds; ++i) delays.push_back(random.below(500));
      const std::uint32_t node = member / kMembers;
      add(node, [&, delays, node](Device& device) {
        TreeBarrier barrier(device, signals_[node]);
        for (std::uint32_t i = 0; i < kRounds; ++i) {
          device.compute(delays[i]);
          EXPECT_FALSE(barrier.arrive());
          last[i] = std::max(last[i], device.now());
          EXPECT_FALSE(barrier.wait(device.now() + kBound));
          first[i] = std::min(first[i], device.now());
        }
      });
    }
    run();
    EXPECT_EQ(machine_->problems(), "");
    for (std::uint32_t i = 0; i < kRounds; ++i) EXPECT_GT(first[i], last[i]) << "barrier " << i;
  }
}

TEST_F(TreeSignals, AMemberArrivesOnceBeforeItIsReleasedAndWaitsNoLongerThanItMay) {
  open({2, 1, 1});
  set_up_all(options());
  add(0, [&](Device& device) {
    TreeBarrier barrier(device, signals_[0]);
    EXPECT_TRUE(barrier.is_released().value()) << "nothing to wait for";
    EXPECT_FALSE(barrier.arrive());
    EXPECT_FALSE(barrier.is_released().value());
    EXPECT_EQ(barrier.arrive(), Errc::kAgain);
    EXPECT_EQ(barrier.barriers(), 1U);
    EXPECT_EQ(barrier.wait(device.now() + 1'000), Errc::kDeadline);
    const auto look = look_at_tree_class(device, kSim, {3});
    EXPECT_EQ(extract(look.value().state, s::node), 1U);
    EXPECT_EQ(look_at_tree_class(device, kSim, {16}).error(), Errc::kBadArgument);
    EXPECT_FALSE(barrier.wait(device.now() + kBound));
  });
  add(1, [&](Device& device) {
    device.compute(5'000);
    EXPECT_FALSE(TreeBarrier(device, signals_[1]).arrive());
  });
  run();
  EXPECT_EQ(machine_->problems(), "");
}

// The queue does it all: three barriers in a row in node 0, and a loop in node 1.
TEST_F(TreeSignals, QueuesArriveAndWaitWithoutACore) {
  open({2, 1, 1});
  set_up_all(options());
  constexpr std::uint32_t kBarriers = 6;
  std::vector<std::uint32_t> done(2);
  add(0, [&](Device& device) {
    RawNode node(device, kOwner);
    TreeBarrier barrier(device, signals_[0]);
    std::vector<Descriptor> list;
    for (std::uint32_t i = 0; i < kBarriers; ++i) barrier.append_to(list);
    EXPECT_EQ(list.size(), 2U * kBarriers);
    std::uint32_t tail = 0;
    for (const Descriptor& one : list) node.write_descriptor(kRing, kSlots, tail++, one);
    node.ring_doorbell(kQueue, tail);
    EXPECT_FALSE(barrier.wait(device.now() + kBound));
    EXPECT_EQ(node.queue_head(kQueue), tail);
    EXPECT_FALSE(barrier.arrive()) << "a core may arrive at the next";
    EXPECT_FALSE(barrier.wait(device.now() + kBound));
    done[0] = node.read_event(kReleases);
  });
  add(1, [&](Device& device) {
    RawNode node(device, kOwner);
    TreeBarrier barrier(device, signals_[1]);
    std::vector<Descriptor> lap;
    for (std::uint32_t i = 0; i < 2; ++i) barrier.append_to(lap, 2);
    constexpr QueueId kLoop{10};
    constexpr Address kLoopRing = 0x20000;
    node.open_queue(kLoop, kLoopRing, 4, QueueMode::kDoorbell, {.cyclic = true});
    for (std::uint32_t i = 0; i < 4; ++i) node.write_descriptor(kLoopRing, 4, i, lap[i]);
    node.ring_doorbell(kLoop, 4);
    while (node.read_event(kReleases) < kBarriers) device.compute(100);
    device.compute(1'000);
    done[1] = node.read_event(kReleases);
    EXPECT_EQ(node.queue_status(kLoop), Status::kOk);
    EXPECT_EQ(node.queue_head(kLoop), 2 * (kBarriers + 1) + 1) << "it waits in each lap";
  });
  run();
  EXPECT_EQ(machine_->problems(), "");
  // The loop arrives again, and so has the core of node 0.
  EXPECT_THAT(done, ::testing::Each(kBarriers + 1));
}

TEST_F(TreeSignals, AGlobalInterruptWakesEveryNode) {
  open({5, 1, 1});
  TreeSignalOptions interrupts = options();
  interrupts.kind = TreeSignalKind::kInterrupt;
  interrupts.raises_interrupt = true;
  set_up_all(interrupts);
  constexpr std::uint32_t kRaises = 5;
  std::vector<std::uint32_t> seen(shape_.nodes());
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    add(n, [&, n](Device& device) {
      GlobalInterrupt global(device, signals_[n]);
      for (std::uint32_t i = 0; i < kRaises; ++i) {
        if (n == i) {
          device.compute(3'000);
          global.raise();
        }
        const auto came = global.wait(device.now() + kBound);
        EXPECT_TRUE(came) << came.message();
        if (came) seen[n] += came.value();
      }
      EXPECT_EQ(global.wait(device.now() + 100).error(), Errc::kDeadline);
    });
  }
  run();
  EXPECT_EQ(machine_->problems(), "");
  EXPECT_THAT(seen, ::testing::Each(kRaises));
  const auto interrupts_of = [&](std::uint32_t n) {
    return machine_->node({n}).page(kOwner.value).causes;
  };
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) EXPECT_EQ(interrupts_of(n), 0U);
}

TEST_F(TreeSignals, EachOfSeveralMembersRaisesAGlobalInterrupt) {
  open({2, 1, 1});
  TreeSignalOptions interrupts = options();
  interrupts.kind = TreeSignalKind::kInterrupt;
  interrupts.members = 2;
  set_up_all(interrupts);
  add(1, [&](Device& device) { GlobalInterrupt(device, signals_[1]).raise(); });
  add(0, [&](Device& device) {
    const auto came = GlobalInterrupt(device, signals_[0]).wait(device.now() + kBound);
    EXPECT_TRUE(came) << came.message();
  });
  run();
  EXPECT_EQ(machine_->problems(), "");
}

// What has arrived when a class is closed is nothing to the next barrier of that number.
TEST_F(TreeSignals, AreForgottenWhenTheClassIsClosed) {
  open({2, 1, 1});
  set_up_all(options());
  add(1, [&](Device& device) { EXPECT_FALSE(TreeBarrier(device, signals_[1]).arrive()); });
  run();
  on_all([](Device& device) { EXPECT_FALSE(TreeSetup(device, kSim).close({3})); });
  set_up_all(options());
  add(0, [&](Device& device) {
    TreeBarrier barrier(device, signals_[0]);
    EXPECT_FALSE(barrier.arrive());
    EXPECT_EQ(barrier.wait(device.now() + 2'000), Errc::kDeadline);
  });
  run();
  EXPECT_EQ(machine_->problems(), "");
}

// Nodes without a member hand the signals on.
TEST_F(TreeSignals, PassThroughNodesWithoutMembers) {
  open({7, 1, 1});
  const std::vector<NodeId> members = nodes_of({3, 5});
  const TreeGroup group = TreeGroup::around(shape_, members).value();
  EXPECT_EQ(group.nodes().size(), 5U);
  std::vector<Cycles> released(7), arrived(7);
  signals_.assign(7, {});
  for (const NodeId node : group.nodes()) {
    add(node.value, [&, node](Device& device) {
      TreeSignalOptions own = options();
      const bool is_member = std::count(members.begin(), members.end(), node) != 0;
      own.members = is_member ? 1 : 0;
      const TreeSignal signal = set_up(device, group, own).value();
      if (!is_member) return;
      device.compute(node.value * 1'000);
      TreeBarrier barrier(device, signal);
      arrived[node.value] = device.now();
      EXPECT_FALSE(barrier.arrive());
      EXPECT_FALSE(barrier.wait(device.now() + kBound));
      released[node.value] = device.now();
    });
  }
  run();
  EXPECT_EQ(machine_->problems(), "");
  EXPECT_GT(released[3], arrived[5]);
  EXPECT_GT(released[5], arrived[5]);
}

}  // namespace
}  // namespace torusmu::testing
