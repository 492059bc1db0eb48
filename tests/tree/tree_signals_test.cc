// SPDX-License-Identifier: Apache-2.0
// bgp:
// One node's part in barriers and global interrupts over the tree.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/tree/tree_fixture.h"

namespace torusmu::testing {
namespace {

namespace state = registers::tree_class::state_field;

constexpr unsigned kLast = kProfile.tree_classes - 1;
constexpr int kArrive = 5, kRelease = 6;
constexpr unsigned kClass = 1, kBit = 1U << kClass;
const ClassConfig kInner{.parent = true,
                         .left = true,
                         .right = true,
                         .arrives = true,
                         .released = true,
                         .arrive_counter = kArrive,
                         .release_counter = kRelease};
const ClassConfig kRoot{.left = true,
                        .right = true,
                        .arrives = true,
                        .released = true,
                        .arrive_counter = kArrive,
                        .release_counter = kRelease};
const std::vector<TreeNode::Counted> kOnce{{kRelease, 0}};

ClassConfig as_any(ClassConfig config) {
  config.any = true;
  return config;
}

TEST(TreeSignals, TellsTheParentOnceAllHaveArrived) {
  for (unsigned last = 0; last < 3; ++last) {
    TreeNode node;
    ASSERT_EQ(node.configure(kClass, kInner), Status::kOk);
    const auto arrive = [&](unsigned who) {
      return node.tick({.left = who == 0 ? kBit : 0, .right = who == 1 ? kBit : 0},
                       who == 2 ? kArrive : -1);
    };
    for (unsigned who = 0; who < 3; ++who) {
      if (who != last) arrive(who);
    }
    EXPECT_EQ(node.run(8), Signals{}) << "without " << last;
    arrive(last);
    EXPECT_EQ(node.run(8), Signals{.parent = kBit}) << last;
    EXPECT_EQ(node.counted(), std::vector<TreeNode::Counted>{}) << "released by nobody";
  }
}

TEST(TreeSignals, HandsDownWhatTheParentReleases) {
  TreeNode node;
  ASSERT_EQ(node.configure(kClass, kInner), Status::kOk);
  node.tick({.left = kBit, .right = kBit}, kArrive);
  ASSERT_EQ(node.run(8), Signals{.parent = kBit});
  node.tick({.parent = kBit});
  EXPECT_EQ(node.run(8), (Signals{.left = kBit, .right = kBit}));
  EXPECT_EQ(node.counted(), kOnce);
}

TEST(TreeSignals, TurnsRoundAtTheRoot) {
  TreeNode node;
  ASSERT_EQ(node.configure(kClass, kRoot), Status::kOk);
  node.tick({.left = kBit, .right = kBit}, kArrive);
  EXPECT_EQ(node.run(8), (Signals{.left = kBit, .right = kBit}));
  EXPECT_EQ(node.counted(), kOnce);
}

TEST(TreeSignals, ReleasesAMachineOfOneNodeAtOnce) {
  TreeNode node;
  ASSERT_EQ(node.configure(kClass, {.arrives = true,
                                    .released = true,
                                    .arrive_counter = kArrive,
                                    .release_counter = kRelease}),
            Status::kOk);
  node.tick({}, kArrive);
  EXPECT_EQ(node.run(8), Signals{});
  EXPECT_EQ(node.counted(), kOnce);
}

TEST(TreeSignals, TakesTwoCyclesFromCableToCable) {
  TreeNode up;
  up.configure(kClass, {.parent = true, .left = true});
  EXPECT_EQ(up.tick({.left = kBit}), Signals{});
  EXPECT_EQ(up.tick(), Signals{.parent = kBit});
  TreeNode down;
  down.configure(kClass, as_any({.parent = true, .right = true}));
  EXPECT_EQ(down.tick({.parent = kBit}), Signals{});
  EXPECT_EQ(down.tick(), Signals{.right = kBit});
}

TEST(TreeSignals, TakesTwoCyclesFromACounterToTheCable) {
  TreeNode node;
  node.configure(kClass, {.parent = true, .arrives = true, .arrive_counter = kArrive});
  EXPECT_EQ(node.tick({}, kArrive), Signals{});
  EXPECT_EQ(node.tick(), Signals{.parent = kBit});
}

TEST(TreeSignals, CountsAReleaseThreeCyclesAfterTheCable) {
  TreeNode node;
  node.configure(kClass, kInner);
  node.tick({.left = kBit, .right = kBit}, kArrive);
  node.run(4);
  const std::uint64_t before = node.cycle();
  node.tick({.parent = kBit});
  node.run(8);
  ASSERT_EQ(node.counted(), kOnce);
  EXPECT_EQ(node.counted().front().cycle, before + 4);
}

TEST(TreeSignals, ArrivesWhenAllItsMembersHave) {
  TreeNode node;
  ASSERT_EQ(node.configure(
                kClass, {.parent = true, .arrives = true, .members = 2, .arrive_counter = kArrive}),
            Status::kOk);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned member = 0; member < 2; ++member) {
      node.tick({}, kArrive);
      node.tick({}, kArrive + 1);  // of no account
      EXPECT_EQ(node.run(4), Signals{}) << "after " << member;
      EXPECT_EQ(extract(node.state(kClass), state::members), member + 1);
    }
    node.tick({}, kArrive);
    EXPECT_EQ(node.run(4), Signals{.parent = kBit});
    node.tick({.parent = kBit});
    node.run(4);
  }
}

TEST(TreeSignals, AdditionOfZeroIsNoArrival) {
  TreeNode node;
  node.configure(kClass, {.parent = true, .arrives = true, .arrive_counter = kArrive});
  node.tick({}, kArrive, false);
  EXPECT_EQ(node.run(4), Signals{});
  EXPECT_EQ(node.state(kClass), 0U);
  node.tick({}, kArrive);
  EXPECT_EQ(node.run(4), Signals{.parent = kBit});
}

TEST(TreeSignals, SixteenMembersMayBeAtANode) {
  TreeNode node;
  node.configure(kClass,
                 {.parent = true, .arrives = true, .members = 15, .arrive_counter = kArrive});
  for (unsigned member = 0; member < 15; ++member) EXPECT_EQ(node.tick({}, kArrive), Signals{});
  EXPECT_EQ(node.run(4), Signals{});
  node.tick({}, kArrive);
  EXPECT_EQ(node.run(4), Signals{.parent = kBit});
}

TEST(TreeSignals, KeepsWhatComesBeforeItsClassIsConfigured) {
  TreeNode node;
  node.tick({.left = kBit});
  node.tick({.right = kBit});
  EXPECT_EQ(node.run(4), Signals{});
  ASSERT_EQ(node.configure(kClass, {.parent = true, .left = true, .right = true}), Status::kOk);
  EXPECT_EQ(extract(node.state(kClass), state::told), 1U);
}

TEST(TreeSignals, KeepsTheNextRoundUntilThisOneIsReleased) {
  TreeNode node;
  node.configure(kClass, {.parent = true,
                          .arrives = true,
                          .released = true,
                          .arrive_counter = kArrive,
                          .release_counter = kRelease});
  node.tick({}, kArrive);
  EXPECT_EQ(node.run(4), Signals{.parent = kBit});
  node.tick({}, kArrive);
  EXPECT_EQ(node.run(4), Signals{}) << "not before its release";
  node.tick({.parent = kBit});
  EXPECT_EQ(node.run(4), Signals{.parent = kBit});
  EXPECT_EQ(node.counted(), kOnce);
}

TEST(TreeSignals, ParentReleasesNobodyWhomItWasNotTold) {
  TreeNode node;
  node.configure(kClass, kInner);
  node.tick({.parent = kBit});
  EXPECT_EQ(node.run(8), Signals{});
  EXPECT_TRUE(node.counted().empty());
}

TEST(TreeSignals, GlobalInterruptIsToldByWhoeverArrives) {
  for (unsigned who = 0; who < 3; ++who) {
    TreeNode node;
    ASSERT_EQ(node.configure(kClass, as_any(kInner)), Status::kOk);
    node.tick({.left = who == 0 ? kBit : 0, .right = who == 1 ? kBit : 0}, who == 2 ? kArrive : -1);
    EXPECT_EQ(node.run(8), Signals{.parent = kBit}) << who;
    node.tick({.parent = kBit});
    EXPECT_EQ(node.run(8), (Signals{.left = kBit, .right = kBit})) << who;
    EXPECT_EQ(node.counted(), kOnce) << who;
  }
}

TEST(TreeSignals, GlobalInterruptOfAnotherIsHandedDownWithoutAnArrival) {
  TreeNode node;
  node.configure(kClass, as_any(kInner));
  node.tick({.parent = kBit});
  EXPECT_EQ(node.run(8), (Signals{.left = kBit, .right = kBit}));
  EXPECT_EQ(node.counted(), kOnce);
}

TEST(TreeSignals, ReleaseRaisesArrivedOfTheOwnerThatAsks) {
  for (const bool asks : {false, true}) {
    TreeNode node;
    node.configure(kLast, {.arrives = true,
                           .released = true,
                           .interrupt = asks,
                           .owner = kProfile.clients - 1,
                           .arrive_counter = kArrive,
                           .release_counter = kRelease});
    node.let_count(false);
    node.tick({}, kArrive);
    node.run(8);
    EXPECT_TRUE(node.arrived().empty()) << "not before it is counted";
    node.let_count(true);
    node.run(8);
    EXPECT_EQ(node.counted(), (std::vector<TreeNode::Counted>{{kRelease, kProfile.clients - 1}}));
    EXPECT_EQ(node.arrived().size(), asks ? 1U : 0U);
    if (asks) {
      EXPECT_EQ(node.arrived().front(), kProfile.clients - 1);
    }
  }
}

TEST(TreeSignals, ReleasesOfAllClassesAreCounted) {
  TreeNode node;
  for (unsigned c = 0; c <= kLast; ++c) {
    node.configure(
        c,
        {.arrives = true, .released = true, .arrive_counter = kArrive, .release_counter = 10 + c});
  }
  node.let_count(false);
  node.tick({}, kArrive);
  node.run(4);
  node.let_count(true);
  node.run(kLast + 8);
  std::vector<bool> seen(kLast + 1);
  ASSERT_EQ(node.counted().size(), kLast + 1);
  for (const auto& counted : node.counted()) seen.at(counted.counter - 10) = true;
  EXPECT_EQ(seen, std::vector<bool>(kLast + 1, true));
}

TEST(TreeSignals, EveryReleaseOfABarrierIsCountedHoweverLongTheCountersTake) {
  TreeNode node;
  node.configure(
      kClass,
      {.arrives = true, .released = true, .arrive_counter = kArrive, .release_counter = kRelease});
  node.let_count(false);
  for (unsigned round = 0; round < 3; ++round) {
    node.tick({}, kArrive);
    node.run(6);
  }
  node.let_count(true);
  node.run(12);
  EXPECT_EQ(node.counted().size(), 3U);
  EXPECT_EQ(node.state(kClass), 0U);
}

TEST(TreeSignals, NodeThatArrivesTwiceIsNoted) {
  TreeNode node;
  node.configure(kClass, kInner);
  node.tick({}, kArrive);
  EXPECT_EQ(extract(node.state(kClass), state::twice), 0U);
  node.tick({}, kArrive);
  EXPECT_EQ(extract(node.state(kClass), state::twice), 1U);
}

TEST(TreeSignals, WithoutAReleaseCounterNothingIsCounted) {
  TreeNode node;
  node.configure(kClass, {.left = true, .arrives = true, .arrive_counter = kArrive});
  node.tick({.left = kBit}, kArrive);
  EXPECT_EQ(node.run(8), Signals{.left = kBit});
  EXPECT_TRUE(node.counted().empty());
}

TEST(TreeSignals, StateSaysWhoHasArrived) {
  TreeNode node;
  node.configure(kClass, kInner);
  EXPECT_EQ(node.state(kClass), 0U);
  node.tick({.left = kBit});
  EXPECT_EQ(node.state(kClass), insert(0, state::left, 1));
  node.tick({.right = kBit});
  EXPECT_EQ(node.state(kClass), insert(insert(0, state::left, 1), state::right, 1));
  EXPECT_EQ(node.state(kClass - 1), 0U) << "of another class";
  node.tick({}, kArrive);
  EXPECT_EQ(node.state(kClass), insert(0, state::told, 1));
  TreeNode other;
  other.configure(kClass, kInner);
  other.tick({}, kArrive);
  EXPECT_EQ(other.state(kClass), insert(0, state::node, 1));
}

TEST(TreeSignals, ChildThatArrivesTwiceIsNoted) {
  for (const bool left : {false, true}) {
    TreeNode node;
    node.configure(kClass, kInner);
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(extract(node.state(kClass), state::twice), 0U);
      node.tick({.left = left ? kBit : 0, .right = left ? 0 : kBit});
    }
    EXPECT_EQ(extract(node.state(kClass), state::twice), 1U);
  }
}

TEST(TreeSignals, ForgetsWhatHasArrived) {
  TreeNode node;
  node.configure(kClass, kInner);
  node.tick({.left = kBit, .right = kBit}, kArrive);
  node.tick({.left = kBit, .right = kBit}, kArrive);
  node.tick({.left = kBit, .right = kBit});
  node.run(4);
  const std::uint64_t full = node.state(kClass);
  EXPECT_EQ(full & 0x1FU, 0x1FU);
  ClassConfig forget = kInner;
  forget.forget = true;
  forget.members = 3;
  node.configure(kClass, forget);
  EXPECT_EQ(node.state(kClass), 0U);
  node.tick({}, kArrive);
  EXPECT_EQ(extract(node.state(kClass), state::members), 1U);
  node.configure(kClass, forget);
  EXPECT_EQ(node.state(kClass), 0U);
}

TEST(TreeSignals, ReadsBackItsConfiguration) {
  TreeNode node;
  ClassConfig config = kInner;
  config.any = config.interrupt = config.forget = true;
  config.members = 9;
  config.owner = 1;
  ASSERT_EQ(node.configure(kLast, config), Status::kOk);
  config.forget = false;
  EXPECT_EQ(node.access(registers::tree_class::config(kLast), false).data, config.word());
  EXPECT_EQ(node.access(registers::tree_class::config(0), false).data, 0U);
}

TEST(TreeSignals, RefusesOneCounterForBothAndKeepsWhatItHad) {
  TreeNode node;
  ASSERT_EQ(node.configure(kClass, kInner), Status::kOk);
  ClassConfig same = kInner;
  same.release_counter = same.arrive_counter;
  EXPECT_EQ(node.configure(kClass, same), Status::kRegisterValue);
  EXPECT_EQ(node.access(registers::tree_class::config(kClass), false).data, kInner.word());
  same.released = false;
  EXPECT_EQ(node.configure(kClass, same), Status::kOk) << "it is meant once";
}

TEST(TreeSignals, RefusesWhatDoesNotExist) {
  TreeNode node;
  ClassConfig config = kInner;
  config.arrive_counter = kProfile.event_counters;
  if (kProfile.event_counters < 256) {
    EXPECT_EQ(node.configure(kClass, config), Status::kRegisterValue);
    config = kInner;
    config.release_counter = kProfile.event_counters;
    EXPECT_EQ(node.configure(kClass, config), Status::kRegisterValue);
  }
  config = kInner;
  config.owner = kProfile.clients;
  if (kProfile.clients < 16) {
    EXPECT_EQ(node.configure(kClass, config), Status::kRegisterValue);
  }
  EXPECT_EQ(node.access(registers::tree_class::config(kLast) + 0x10, true, 0).status,
            Status::kRegisterUnknown);
  EXPECT_EQ(node.access(registers::tree_class::state(0), true, 0).status, Status::kRegisterUnknown);
}

TEST(TreeSignals, RestsUnlessSomethingComes) {
  TreeNode node;
  node.configure(kClass, kInner);
  node.run(4);
  EXPECT_FALSE(node.busy());
  node.tick({.left = kBit});
  EXPECT_TRUE(node.busy());
  node.run(4);
  EXPECT_FALSE(node.busy()) << "a barrier that waits rests";
  node.tick({.right = kBit}, kArrive);
  EXPECT_TRUE(node.busy());
  node.run(8);
  EXPECT_FALSE(node.busy());
}

}  // namespace
}  // namespace torusmu::testing
