// SPDX-License-Identifier: Apache-2.0
// The combining tree, the second network of the machine, whose nodes have a rank, a parent and two
// children (US 7,890,597), and the signals that go over it: barriers and global interrupts, each of
// them a class of its own. docs/tree.md.
//
//   auto group = TreeGroup::make(shape, nodes);                    // a subtree; or why it is none
//   auto signal = TreeSetup(device, sizes).set_up(*group, {...});  // at each node, privileged
//   TreeBarrier barrier(device, *signal);                          // each member
//   barrier.arrive(); barrier.wait(deadline);
//
// A barrier orders nothing but itself: who wants data ordered ends with a fence before it arrives.
#ifndef TORUSMU_TREE_H_
#define TORUSMU_TREE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torusmu/device.h"
#include "torusmu/error.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu {

// --- the tree -----------------------------------------------------------------------------------

/// The combining tree over all nodes of a machine. Ranks are the numbers of the nodes, breadth
/// first, and node 0 is the root: a node has at most two children and three cables.
class CombiningTree {
 public:
  static constexpr NodeId kRoot{0};
  /// `nodes`: of the machine, one at least.
  explicit constexpr CombiningTree(std::uint32_t nodes) : nodes_(nodes) {}
  explicit constexpr CombiningTree(const Shape& shape) : nodes_(shape.nodes()) {}

  [[nodiscard]] constexpr std::uint32_t nodes() const { return nodes_; }
  /// Of the root there is none.
  [[nodiscard]] static constexpr std::optional<NodeId> parent(NodeId node) {
    if (node == kRoot) return std::nullopt;
    return NodeId{(node.value - 1) / 2};
  }
  [[nodiscard]] constexpr std::optional<NodeId> left_child(NodeId node) const {
    return existing(std::uint64_t{2} * node.value + 1);
  }
  [[nodiscard]] constexpr std::optional<NodeId> right_child(NodeId node) const {
    return existing(std::uint64_t{2} * node.value + 2);
  }
  /// Cables between the node and the root of the machine.
  [[nodiscard]] static constexpr std::uint32_t depth(NodeId node) {
    std::uint32_t cables = 0;
    for (std::optional<NodeId> at = parent(node); at; at = parent(*at)) ++cables;
    return cables;
  }
  /// Of the deepest node.
  [[nodiscard]] constexpr std::uint32_t depth() const { return depth(NodeId{nodes_ - 1}); }
  /// Cables that the signals of a barrier of all nodes cross one after the other, at most: from the
  /// deepest node up to the root, and down again. Each takes the latency of a link, in cycles.
  [[nodiscard]] constexpr std::uint32_t crossings() const { return 2 * depth(); }

 private:
  [[nodiscard]] constexpr std::optional<NodeId> existing(std::uint64_t node) const {
    if (node >= nodes_) return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(node)};
  }
  std::uint32_t nodes_;
};

/// Which cables of a node take part in a class.
struct TreeCables {
  bool parent = false;
  bool left = false;
  bool right = false;
  friend constexpr bool operator==(const TreeCables&, const TreeCables&) = default;
};

/// Nodes that one class can be over: a subtree, in which every node but the root has its parent. A
/// group of other nodes synchronises over the torus (collectives.h), or by a subtree that holds it.
class TreeGroup {
 public:
  /// kBadArgument if the nodes are no subtree; message() names the first of them that breaks it,
  /// and which node it lacks.
  static Result<TreeGroup> make(const Shape& shape, std::span<const NodeId> nodes);
  /// The smallest subtree that holds the nodes. Nodes that it adds have no member of their own:
  /// they are set up with TreeSignalOptions::members 0. kBadArgument without nodes, or for one
  /// that the machine has not.
  static Result<TreeGroup> around(const Shape& shape, std::span<const NodeId> nodes);

  [[nodiscard]] const CombiningTree& tree() const { return tree_; }
  [[nodiscard]] NodeId root() const { return root_; }
  /// Rising.
  [[nodiscard]] std::span<const NodeId> nodes() const { return nodes_; }
  [[nodiscard]] bool has(NodeId node) const;
  /// None of a node that is not in the group.
  [[nodiscard]] TreeCables cables(NodeId node) const;
  /// As CombiningTree::crossings(), of this group.
  [[nodiscard]] std::uint32_t crossings() const;

 private:
  TreeGroup(CombiningTree tree, std::vector<NodeId> nodes, NodeId root)
      : tree_(tree), nodes_(std::move(nodes)), root_(root) {}
  CombiningTree tree_;
  std::vector<NodeId> nodes_;
  NodeId root_;
};

// --- set-up -------------------------------------------------------------------------------------

enum class TreeSignalKind {
  kBarrier,    // released once all members have arrived (AND)
  kInterrupt,  // each arrival releases all; arrivals close together may share a release (OR)
};

struct TreeSignalOptions {
  TreeClassId number{};  // below Sizes::tree_classes; the same on all nodes of the group
  TreeSignalKind kind = TreeSignalKind::kBarrier;
  /// At this node, at most 16: they are threads of one process, the owner. 0: the node only hands
  /// the signals of its cables on.
  std::uint32_t members = 1;
  ClientId owner{};  // of both counters
  /// Each write of this event counter is the arrival of a member: by a core, by a CTR_ADD, or by a
  /// packet that counts it. It begins at zero, and no WAIT may stand on it.
  EventId arrivals{};
  /// Each release adds one to this event counter.
  EventId releases{};
  bool raises_interrupt = false;  // a release raises cause ARRIVED of the owner, too
};

/// What members need to know of a class at their node.
struct TreeSignal {
  TreeSignalOptions options;
  std::uint32_t released = 0;  // the counter of releases when the class was set up
};

/// The privileged part: what a driver does on each node of the group before members arrive.
class TreeSetup {
 public:
  /// `device` outlives this object.
  TreeSetup(Device& device, const Sizes& sizes) : device_(device), sizes_(sizes) {}

  /// Sets the class up at this node. Nodes may do so in any order: what a child tells before is
  /// kept; a global interrupt that was raised before does not reach this node. The event counters
  /// are enabled and belong to the owner by now.
  ///
  /// kBadArgument: the node is not in the group; there is no such class, client or counter; both
  /// counters are one; more than 16 members; an interrupt is to be raised where nobody is a member;
  /// or a counter is not the owner's. kOutOfResources: the class is in use at this node. message()
  /// says which. kDeviceGone; kDeviceError if the node has refused it.
  Result<TreeSignal> set_up(const TreeGroup& group, const TreeSignalOptions& options);
  /// Switches the class off at this node and forgets what has arrived there. All nodes of the group
  /// do so before any of them sets the class up again; if a barrier had not ended, twice, with the
  /// cycles of its crossings between. kBadArgument if there is no such class.
  std::error_code close(TreeClassId number);

 private:
  [[nodiscard]] std::string wrong_with(const TreeGroup& group,
                                       const TreeSignalOptions& options) const;
  [[nodiscard]] std::string wrong_with_counter(EventId counter, ClientId owner) const;
  Device& device_;
  const Sizes& sizes_;
};

// --- members ------------------------------------------------------------------------------------

/// One member of a barrier. Each thread of a process that is a member has one of its own.
class TreeBarrier {
 public:
  /// `device` is that of the member's thread, and outlives this object. No release comes before
  /// the member has arrived, so it may be made at any time after the set-up.
  TreeBarrier(Device& device, const TreeSignal& signal) : device_(device), signal_(signal) {}

  /// The member arrives at the next barrier: one register write. kAgain: it was not seen to be
  /// released from the one before.
  std::error_code arrive();
  /// True once the last barrier that it has arrived at is released: at most one register read.
  /// kDeviceGone.
  Result<bool> is_released();
  /// Waits for that. If the release raises an interrupt, and the node has no other member, the core
  /// sleeps meanwhile, and cause ARRIVED of the client is cleared. kDeadline: cycle `deadline` came
  /// first; missing_members() tells who has not arrived. kDeviceGone.
  std::error_code wait(Cycles deadline);
  /// Appends what arrives at the next barrier and holds the queue until it is released, a CTR_ADD
  /// and a WAIT, for a queue of the owner. In a cyclic ring `barriers_in_lap` is how many such
  /// pairs it has; 0 in any other. is_released() and wait() mean the last barrier that was
  /// appended, in the first lap.
  void append_to(std::vector<Descriptor>& list, std::uint32_t barriers_in_lap = 0);
  /// Barriers that it has arrived at, or that were appended; wraps at 2^32.
  [[nodiscard]] std::uint32_t barriers() const { return barriers_; }

 private:
  Device& device_;
  TreeSignal signal_;
  std::uint32_t barriers_ = 0;
  std::uint32_t released_ = 0;  // of those, that it has seen
};

/// One member of a global interrupt: raises it, and learns of those that others raise.
class GlobalInterrupt {
 public:
  /// As of TreeBarrier. What was raised since the set-up counts.
  GlobalInterrupt(Device& device, const TreeSignal& signal)
      : device_(device), signal_(signal), seen_(signal.released) {}

  /// Every member of every node is interrupted, this one as well: one register write.
  void raise();
  /// Appends what raises it, a CTR_ADD, for a queue of the owner.
  void append_to(std::vector<Descriptor>& list) const;
  /// How many have come since the last call: one register read. kDeviceGone.
  Result<std::uint32_t> take();
  /// Waits until one comes, and takes it: the number of those that have come. With raises_interrupt
  /// the core sleeps meanwhile, and cause ARRIVED of the client is cleared; it must be enabled, and
  /// no other thread of the client may sleep on it. kDeadline if cycle `deadline` comes first;
  /// kDeviceGone.
  Result<std::uint32_t> wait(Cycles deadline);

 private:
  Device& device_;
  TreeSignal signal_;
  std::uint32_t seen_;
};

// --- who is missing -----------------------------------------------------------------------------

/// The registers of one class at one node, and what they mean.
struct TreeClassLook {
  std::uint64_t config = 0;
  std::uint64_t state = 0;
};
/// Two register reads, privileged. kBadArgument if there is no such class; kDeviceGone.
Result<TreeClassLook> look_at_tree_class(Device& device, const Sizes& sizes, TreeClassId number);

/// A node that a barrier waits for.
struct MissingNode {
  enum class Why {
    kMembers,     // so many of its members have not arrived
    kNotSetUp,    // the class is off there, or its cable to the parent takes no part
    kSignalLost,  // it has told its parent, which does not know: under way, or lost
    kNoAnswer,    // its registers cannot be read
  };
  NodeId node{};
  Why why = Why::kMembers;
  std::uint32_t members = 0;  // of kMembers: that have not arrived
  [[nodiscard]] std::string text() const;
  friend bool operator==(const MissingNode&, const MissingNode&) = default;
};

/// Who has not arrived at a barrier that does not end: walks down from the root of the group, and
/// reads only nodes that are missing in their parent. `read` looks at one node. Nobody is missing
/// of a barrier that is released: before anybody arrives at the next, all are.
std::vector<MissingNode> missing_members(const TreeGroup& group,
                                         const std::function<Result<TreeClassLook>(NodeId)>& read);
/// "node 5: 2 members have not arrived; node 9: not set up"; the first so many.
std::string text_of(std::span<const MissingNode> missing, std::size_t most = 8);

}  // namespace torusmu

#endif  // TORUSMU_TREE_H_
