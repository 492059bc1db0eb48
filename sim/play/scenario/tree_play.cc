// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/tree_play.h"

#include <array>

#include "sim/machine/profile.h"

namespace torusmu {
namespace {

EventId arrivals_of(TreeClassId number) { return {2 * number.value}; }
EventId releases_of(TreeClassId number) { return {2 * number.value + 1}; }

bool is_below(NodeId node, NodeId root) {
  for (std::optional<NodeId> at = node; at; at = CombiningTree::parent(*at)) {
    if (*at == root) return true;
  }
  return false;
}

}  // namespace

bool TreePlay::set_up(std::uint32_t classes, std::uint32_t slots) {
  stage_.on_all_nodes([=](Device& device) {
    constexpr std::array kCauses{Cause::kArrived, Cause::kDone};
    RawNode node(device, kOwner);
    for (TreeClassId number{0}; number.value < classes; ++number.value) {
      node.open_event(arrivals_of(number));
      node.open_event(releases_of(number));
    }
    node.open_queue(kQueue, kRing, slots, QueueMode::kDoorbell);
    node.enable_interrupts(kCauses);
    (void)node.causes();  // behind all the writes
  });
  return stage_.run(kBound);
}

bool TreePlay::open(const TreeGroup& group, TreeSignalOptions options) {
  options.owner = kOwner;
  options.arrivals = arrivals_of(options.number);
  options.releases = releases_of(options.number);
  std::vector<TreeSignal>& signals = signals_[options.number];
  signals.assign(stage_.shape().nodes(), {});
  std::string wrong;
  for (const NodeId node : group.nodes()) {
    stage_.add_core(node, [&, node, options](Device& device) {
      const auto signal = TreeSetup(device, kProfile).set_up(group, options);
      if (signal) {
        signals[node.value] = signal.value();
      } else {
        wrong = signal.message();
      }
    });
  }
  if (!stage_.run(kBound)) return false;
  if (!wrong.empty()) stage_.check("tree.set_up", false, wrong);
  return wrong.empty();
}

bool TreePlay::close(TreeClassId number) {
  stage_.on_all_nodes(
      [number](Device& device) { (void)TreeSetup(device, kProfile).close(number); });
  return stage_.run(kBound);
}

TreeGroup TreePlay::group(const std::function<bool(NodeId)>& takes_part) const {
  std::vector<NodeId> nodes;
  for (NodeId node{0}; node.value < stage_.shape().nodes(); ++node.value) {
    if (takes_part(node)) nodes.push_back(node);
  }
  return TreeGroup::make(stage_.shape(), nodes).value();
}

TreeGroup TreePlay::everybody() const {
  return group([](NodeId) { return true; });
}
TreeGroup TreePlay::below(NodeId root) const {
  return group([root](NodeId node) { return is_below(node, root); });
}
TreeGroup TreePlay::beside(NodeId root) const {
  return group([root](NodeId node) { return !is_below(node, root); });
}

void TreePlay::post(Device& device, std::uint32_t slots, std::uint32_t tail,
                    const std::vector<Descriptor>& list) {
  RawNode node(device, kOwner);
  for (const Descriptor& one : list) node.write_descriptor(kRing, slots, tail++, one);
  node.ring_doorbell(kQueue, tail);
}

}  // namespace torusmu
