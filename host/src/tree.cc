// SPDX-License-Identifier: Apache-2.0
// Groups of the combining tree, and who is missing in one; tree_signals.cc has what programs a
// node.
#include "torusmu/tree.h"

#include <algorithm>

#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace c = registers::tree_class::config_field;
namespace s = registers::tree_class::state_field;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

std::string name(NodeId node) { return "node " + std::to_string(node.value); }

std::optional<std::string> unusable(const Shape& shape, std::span<const NodeId> nodes) {
  if (nodes.empty()) return "a group of the tree has one node at least";
  for (const NodeId node : nodes) {
    if (node.value >= shape.nodes()) {
      return name(node) + ": the machine has nodes 0 to " + std::to_string(shape.nodes() - 1);
    }
  }
  return std::nullopt;
}

std::vector<NodeId> in_order(std::span<const NodeId> nodes) {
  std::vector<NodeId> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool holds(const std::vector<NodeId>& sorted, NodeId node) {
  return std::binary_search(sorted.begin(), sorted.end(), node);
}

}  // namespace

// --- groups -------------------------------------------------------------------------------------

// A parent has a smaller number than its children, so that the first node is the root if any is.
Result<TreeGroup> TreeGroup::make(const Shape& shape, std::span<const NodeId> nodes) {
  if (const auto why = unusable(shape, nodes)) return {Errc::kBadArgument, *why};
  std::vector<NodeId> sorted = in_order(nodes);
  const NodeId root = sorted.front();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const NodeId node = sorted[i];
    if (node == sorted[i - 1]) return {Errc::kBadArgument, name(node) + " is in the group twice"};
    const NodeId parent = *CombiningTree::parent(node);
    if (holds(sorted, parent)) continue;
    return {Errc::kBadArgument, "no subtree: " + name(node) + " is in the group and its parent, " +
                                    name(parent) + ", is not, while " + name(root) +
                                    " is the root; use the torus, or add " + name(parent) +
                                    " without members"};
  }
  return TreeGroup(CombiningTree(shape), std::move(sorted), root);
}

Result<TreeGroup> TreeGroup::around(const Shape& shape, std::span<const NodeId> nodes) {
  if (const auto why = unusable(shape, nodes)) return {Errc::kBadArgument, *why};
  // The larger of two numbers lies no higher in the tree: it climbs until both are one.
  NodeId root = nodes.front();
  for (NodeId node : nodes) {
    while (node != root) {
      NodeId& lower = node > root ? node : root;
      lower = *CombiningTree::parent(lower);
    }
  }
  std::vector<NodeId> all{root};
  for (NodeId node : nodes) {
    for (; node != root; node = *CombiningTree::parent(node)) all.push_back(node);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return make(shape, all);
}

bool TreeGroup::has(NodeId node) const { return holds(nodes_, node); }

TreeCables TreeGroup::cables(NodeId node) const {
  if (!has(node)) return {};
  const auto takes_part = [this](std::optional<NodeId> child) { return child && has(*child); };
  return {.parent = node != root_,
          .left = takes_part(tree_.left_child(node)),
          .right = takes_part(tree_.right_child(node))};
}

// Of two nodes the one with the larger number lies no higher.
std::uint32_t TreeGroup::crossings() const {
  return 2 * (CombiningTree::depth(nodes_.back()) - CombiningTree::depth(root_));
}

// --- who is missing -----------------------------------------------------------------------------

Result<TreeClassLook> look_at_tree_class(Device& device, const Sizes& sizes, TreeClassId number) {
  if (number.value >= sizes.tree_classes) return Errc::kBadArgument;
  const TreeClassLook look{device.read64(registers::tree_class::config(number.value)),
                           device.read64(registers::tree_class::state(number.value))};
  if (look.config == kAllOnes || look.state == kAllOnes) return Errc::kDeviceGone;
  return look;
}

std::string MissingNode::text() const {
  const std::string of = name(node) + ": ";
  switch (why) {
    case Why::kMembers:
      return of + std::to_string(members) +
             (members == 1 ? " member has not arrived" : " members have not arrived");
    case Why::kNotSetUp:
      return of + "not set up";
    case Why::kSignalLost:
      return of + "its signal to the parent is under way, or lost";
    case Why::kNoAnswer:
      return of + "does not answer";
  }
  return of;
}

std::vector<MissingNode> missing_members(const TreeGroup& group,
                                         const std::function<Result<TreeClassLook>(NodeId)>& read) {
  std::vector<MissingNode> missing;
  std::vector<NodeId> to_visit{group.root()};
  while (!to_visit.empty()) {
    const NodeId node = to_visit.back();
    to_visit.pop_back();
    const auto look = read(node);
    const auto tell = [&](MissingNode::Why why, std::uint32_t members = 0) {
      missing.push_back({node, why, members});
    };
    if (!look) {
      tell(MissingNode::Why::kNoAnswer);
      continue;
    }
    const auto is_set = [](std::uint64_t value, const auto& field) {
      return extract(value, field) != 0;
    };
    const bool is_root = node == group.root();
    if (look.value().config == 0 || (!is_root && !is_set(look.value().config, c::parent))) {
      tell(MissingNode::Why::kNotSetUp);
      continue;
    }
    const std::uint64_t config = look.value().config;
    const std::uint64_t state = look.value().state;
    // Only nodes are visited whose arrival the parent has not seen.
    if (is_set(state, s::told)) {
      tell(MissingNode::Why::kSignalLost);
      continue;
    }
    if (is_set(config, c::arrives) && !is_set(state, s::node)) {
      tell(MissingNode::Why::kMembers, static_cast<std::uint32_t>(extract(config, c::members) + 1 -
                                                                  extract(state, s::members)));
    }
    const CombiningTree& tree = group.tree();
    if (is_set(config, c::left) && !is_set(state, s::left)) {
      to_visit.push_back(*tree.left_child(node));
    }
    if (is_set(config, c::right) && !is_set(state, s::right)) {
      to_visit.push_back(*tree.right_child(node));
    }
  }
  std::sort(missing.begin(), missing.end(),
            [](const MissingNode& a, const MissingNode& b) { return a.node < b.node; });
  return missing;
}

std::string text_of(std::span<const MissingNode> missing, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(missing.size(), most); ++i) {
    text += (i == 0 ? "" : "; ") + missing[i].text();
  }
  if (missing.size() > most) {
    text += "; and " + std::to_string(missing.size() - most) + " more nodes";
  }
  return missing.empty() ? "nobody is missing" : text;
}

}  // namespace torusmu
