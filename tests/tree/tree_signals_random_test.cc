// SPDX-License-Identifier: Apache-2.0
// model: Vmu_tree_signals mu_tree_signals
// bgp:
// Trees of several nodes whose cables are of any length: barriers and global interrupts of all
// classes at once over subtrees at random, each judged by what its words promise.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tree/tree_fixture.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kClasses = kProfile.tree_classes;
// Of class c.
constexpr unsigned arrive_counter(unsigned c) { return 2 * c; }
constexpr unsigned release_counter(unsigned c) { return 2 * c + 1; }

struct Group {
  bool any = false;
  std::vector<unsigned> members;   // of each node: 0 passes signals on; kOutside takes no part
  std::vector<unsigned> arrivals;  // so far, of each node
  std::vector<std::vector<std::uint64_t>> released;  // when, of each node
  std::vector<std::uint64_t> raised;                 // when, of a global interrupt
};
constexpr unsigned kOutside = ~0U;

class Tree {
 public:
  Tree(unsigned nodes, Random& random) : random_(random) {
    for (unsigned n = 0; n < nodes; ++n) {
      nodes_.push_back(std::make_unique<TreeNode>(random.bits64()));
      down_.emplace_back(1 + random.below(12));
      up_.emplace_back(1 + random.below(12));
      changes_.emplace_back();
    }
    for (unsigned c = 0; c < kClasses; ++c) add_group(c);
  }

  // A member of the class arrives; the counters of a node change one a cycle.
  void arrive(unsigned c, unsigned n) {
    changes_[n].push_back(static_cast<int>(arrive_counter(c)));
  }

  void tick() {
    std::vector<Signals> come(nodes_.size());
    for (unsigned n = 1; n < nodes_.size(); ++n) {
      const unsigned parent = (n - 1) / 2;
      come[n].parent = down_[n].front();
      (n % 2 == 1 ? come[parent].left : come[parent].right) = up_[n].front();
      down_[n].pop_front();
      up_[n].pop_front();
    }
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      int change = -1;
      if (!changes_[n].empty()) {
        change = changes_[n].front();
        changes_[n].pop_front();
        note_arrival(static_cast<unsigned>(change) / 2, n);
      }
      nodes_[n]->let_count(random_.chance(80));
      const std::size_t before = nodes_[n]->counted().size();
      const Signals out = nodes_[n]->tick(come[n], change);
      for (std::size_t i = before; i < nodes_[n]->counted().size(); ++i) {
        const unsigned counter = nodes_[n]->counted()[i].counter;
        ASSERT_EQ(counter % 2, 1U);
        note_release(counter / 2, n);
      }
      if (n != 0) up_[n].push_back(out.parent);
      for (const unsigned child : {2 * n + 1, 2 * n + 2}) {
        if (child < nodes_.size()) down_[child].push_back(child % 2 == 1 ? out.left : out.right);
      }
    }
    ++now_;
  }

  Group& group(unsigned c) { return groups_[c]; }
  [[nodiscard]] unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  // Barriers that all members have come to.
  static std::size_t rounds(const Group& group) {
    std::size_t least = ~std::size_t{0};
    for (std::size_t n = 0; n < group.members.size(); ++n) {
      if (group.members[n] != kOutside && group.members[n] != 0) {
        least = std::min<std::size_t>(least, group.arrivals[n] / group.members[n]);
      }
    }
    return least;
  }

 private:
  // The class over a subtree: a root, and of those below it whoever has a parent in it and is
  // lucky.
  void add_group(unsigned c) {
    Group group;
    group.any = random_.chance(40);
    const unsigned root = static_cast<unsigned>(random_.below(nodes_.size()));
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      const bool joins =
          n == root || (n > root && group.members[(n - 1) / 2] != kOutside && random_.chance(75));
      group.members.push_back(joins ? static_cast<unsigned>(random_.below(4)) : kOutside);
    }
    if (group.members[root] == 0) group.members[root] = 1;
    group.arrivals.resize(nodes_.size());
    group.released.resize(nodes_.size());
    // A leaf that nobody is a member at would never arrive.
    const auto joins = [&](unsigned n) {
      return n < group.members.size() && group.members[n] != kOutside;
    };
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      if (!joins(n)) continue;
      const bool left = joins(2 * n + 1), right = joins(2 * n + 2);
      if (!left && !right && group.members[n] == 0) group.members[n] = 1;
      const bool arrives = group.members[n] != 0;
      const ClassConfig config{.parent = n != root,
                               .left = left,
                               .right = right,
                               .arrives = arrives,
                               .released = true,
                               .any = group.any,
                               .members = group.any || !arrives ? 0 : group.members[n] - 1,
                               .arrive_counter = arrive_counter(c),
                               .release_counter = release_counter(c)};
      ASSERT_EQ(nodes_[n]->configure(c, config), Status::kOk);
    }
    groups_.push_back(group);
  }
  void note_arrival(unsigned c, unsigned n) {
    ++groups_[c].arrivals[n];
    if (groups_[c].any) groups_[c].raised.push_back(now_);
  }
  void note_release(unsigned c, unsigned n) {
    Group& group = groups_[c];
    ASSERT_NE(group.members[n], kOutside) << "class " << c << " at a node outside it";
    group.released[n].push_back(now_);
    if (group.any) {
      ASSERT_LE(group.released[n].size(), group.raised.size()) << "class " << c;
    } else {
      ASSERT_LE(group.released[n].size(), rounds(group))
          << "class " << c << " left node " << n << " before all had come";
    }
  }

  // What is on a cable, the oldest first; `cycles` long.
  struct CableLine : std::deque<unsigned> {
    explicit CableLine(std::uint64_t cycles) : std::deque<unsigned>(cycles, 0U) {}
  };
  Random& random_;
  std::vector<std::unique_ptr<TreeNode>> nodes_;
  std::vector<CableLine> down_, up_;  // between a node and its parent
  std::vector<std::deque<int>> changes_;
  std::vector<Group> groups_;
  std::uint64_t now_ = 0;
};

// Of each barrier no member comes to the next one before it has been released from the last.
void play(Tree& tree, Random& random, unsigned cycles, bool& stop) {
  for (unsigned i = 0; i < cycles && !stop; ++i) {
    for (unsigned c = 0; c < kClasses; ++c) {
      Group& group = tree.group(c);
      const auto n = static_cast<unsigned>(random.below(tree.nodes()));
      if (group.members[n] == kOutside || group.members[n] == 0 || !random.chance(20)) continue;
      const bool may =
          group.any || group.arrivals[n] / group.members[n] == group.released[n].size();
      if (may) tree.arrive(c, n);
      tree.tick();
      stop = ::testing::Test::HasFatalFailure();
    }
  }
}

TEST(TreeSignalsRandom, BarriersWaitForAllAndInterruptsReachAll) {
  Random random(11);
  SCOPED_TRACE(random.replay());
  std::size_t barriers = 0, interrupts = 0;
  for (unsigned trial = 0; trial < 12; ++trial) {
    Tree tree(1 + static_cast<unsigned>(random.below(11)), random);
    if (HasFatalFailure()) return;
    bool stop = false;
    play(tree, random, 600, stop);
    if (stop) return;
    // Whoever has not come yet does.
    for (unsigned c = 0; c < kClasses; ++c) {
      Group& group = tree.group(c);
      if (group.any) continue;
      unsigned most = 0;
      for (unsigned n = 0; n < tree.nodes(); ++n) {
        if (group.members[n] == kOutside || group.members[n] == 0) continue;
        most = std::max(most, (group.arrivals[n] + group.members[n] - 1) / group.members[n]);
      }
      for (unsigned n = 0; n < tree.nodes(); ++n) {
        if (group.members[n] == kOutside || group.members[n] == 0) continue;
        for (unsigned k = group.arrivals[n]; k < most * group.members[n]; ++k) tree.arrive(c, n);
      }
    }
    for (unsigned i = 0; i < 1000; ++i) {
      tree.tick();
      if (HasFatalFailure()) return;
    }
    for (unsigned c = 0; c < kClasses; ++c) {
      const Group& group = tree.group(c);
      for (unsigned n = 0; n < tree.nodes(); ++n) {
        if (group.members[n] == kOutside) continue;
        if (!group.any) {
          ASSERT_EQ(group.released[n].size(), Tree::rounds(group))
              << "class " << c << " node " << n;
        } else if (!group.raised.empty()) {
          ASSERT_FALSE(group.released[n].empty()) << "class " << c << " node " << n;
          ASSERT_GT(group.released[n].back(), group.raised.back()) << "the last one is told";
        }
      }
      (group.any ? interrupts : barriers) += group.any ? group.raised.size() : Tree::rounds(group);
    }
  }
  EXPECT_GT(barriers, 300U);
  EXPECT_GT(interrupts, 300U);
}

// One of two nodes rests whenever it says that it may; nobody can tell which.
TEST(TreeSignalsRandom, ChangesNothingWhileItIsNotBusy) {
  Random random(12);
  SCOPED_TRACE(random.replay());
  constexpr unsigned kCounters = 4;
  TreeNode awake(random.seed()), resting(random.seed());
  unsigned rested = 0;
  for (unsigned cycle = 0; cycle < 20'000; ++cycle) {
    if (random.chance(2)) {
      const auto number = static_cast<unsigned>(random.below(kClasses));
      ClassConfig config{.parent = random.chance(50),
                         .left = random.chance(50),
                         .right = random.chance(50),
                         .arrives = random.chance(70),
                         .released = random.chance(70),
                         .any = random.chance(40),
                         .interrupt = random.chance(50),
                         .forget = random.chance(30),
                         .owner = 1,
                         .members = static_cast<unsigned>(random.below(3)),
                         .arrive_counter = static_cast<unsigned>(random.below(kCounters)),
                         .release_counter = kCounters};
      resting.rest(false);
      ASSERT_EQ(awake.configure(number, config), resting.configure(number, config));
    }
    const unsigned percent = cycle / 500 % 2 == 0 ? 5 : 40;
    const auto some = [&] { return random.chance(percent) ? 1U << random.below(kClasses) : 0U; };
    const Signals come{.parent = some(), .left = some(), .right = some()};
    const int changes = random.chance(percent) ? static_cast<int>(random.below(kCounters)) : -1;
    const bool counts = random.chance(70);
    awake.let_count(counts);
    resting.let_count(counts);
    const bool rests = !resting.busy() && come == Signals{} && changes < 0;
    rested += rests;
    resting.rest(rests);
    ASSERT_EQ(awake.tick(come, changes), resting.tick(come, changes)) << "cycle " << cycle;
    ASSERT_EQ(awake.counted(), resting.counted()) << "cycle " << cycle;
    ASSERT_EQ(awake.arrived(), resting.arrived()) << "cycle " << cycle;
  }
  for (unsigned c = 0; c < kClasses; ++c) {
    resting.rest(false);
    ASSERT_EQ(awake.state(c), resting.state(c)) << "class " << c;
  }
  EXPECT_GT(rested, 1000U);
}

}  // namespace
}  // namespace torusmu::testing
