// SPDX-License-Identifier: Apache-2.0
// The reference node's part in barriers and global interrupts over the tree (US 7,890,597).
#include <utility>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {

namespace c = registers::tree_class::config_field;

void ReferenceNode::set_event(std::uint32_t counter, std::uint32_t value) {
  events_[counter].value = value;
  for (std::uint32_t n = 0; n < classes_.size(); ++n) {
    TreeClass& tree = classes_[n];
    if (!tree.has(c::arrives) || extract(tree.config, c::arrive_counter) != counter) continue;
    if (++tree.members <= extract(tree.config, c::members)) continue;
    tree.members = 0;
    if (tree.node && !tree.has(c::any)) tree.twice = true;
    tree.node = true;
    combine_arrivals(n);
  }
}

std::uint64_t ReferenceNode::state_of_class(std::uint32_t number) const {
  namespace s = registers::tree_class::state_field;
  const TreeClass& tree = classes_[number];
  std::uint64_t state = insert(0, s::left, tree.left);
  state = insert(state, s::right, tree.right);
  state = insert(state, s::node, tree.node);
  state = insert(state, s::told, tree.told);
  state = insert(state, s::twice, tree.twice);
  return insert(state, s::members, tree.members);
}

void ReferenceNode::take_signal(TreeSignal signal) {
  TreeClass& tree = classes_.at(signal.number);
  if (signal.cable == TreeCable::kParent) {
    const bool is_release = tree.has(c::parent) && (tree.has(c::any) || tree.told);
    tree.told = false;
    if (is_release) release(signal.number);
  } else {
    bool& arrived = signal.cable == TreeCable::kLeft ? tree.left : tree.right;
    if (arrived && !tree.has(c::any)) tree.twice = true;
    arrived = true;
  }
  combine_arrivals(signal.number);
}

// All who take part in a barrier have arrived, or one of a global interrupt has: the parent is
// told.
void ReferenceNode::combine_arrivals(std::uint32_t number) {
  TreeClass& tree = classes_[number];
  const std::pair<bool*, bool> below[] = {{&tree.left, tree.has(c::left)},
                                          {&tree.right, tree.has(c::right)},
                                          {&tree.node, tree.has(c::arrives)}};
  bool one = false, all = true;
  for (const auto& [arrived, takes_part] : below) {
    one |= takes_part && *arrived;
    all &= !takes_part || *arrived;
  }
  if (!one || (!tree.has(c::any) && (!all || tree.told))) return;
  for (const auto& [arrived, takes_part] : below) {
    if (takes_part) *arrived = false;
  }
  if (!tree.has(c::parent)) {
    release(number);
    return;
  }
  tree.told = !tree.has(c::any);
  signals_.push_back({TreeCable::kParent, number});
}

void ReferenceNode::release(std::uint32_t number) {
  const TreeClass& tree = classes_[number];
  if (tree.has(c::left)) signals_.push_back({TreeCable::kLeft, number});
  if (tree.has(c::right)) signals_.push_back({TreeCable::kRight, number});
  if (!tree.has(c::released)) return;
  const auto counter = static_cast<std::uint32_t>(extract(tree.config, c::release_counter));
  const auto owner = static_cast<std::uint32_t>(extract(tree.config, c::owner));
  if (tree.has(c::interrupt)) raise(owner, Cause::kArrived);
  set_event(counter, events_[counter].value + 1);
}

}  // namespace torusmu::model
