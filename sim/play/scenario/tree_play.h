// SPDX-License-Identifier: Apache-2.0
// Classes of the signals of the tree on all nodes of a stage, for the scenario and the bench.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_TREE_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_TREE_PLAY_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "sim/play/stage.h"
#include "torusmu/tree.h"

namespace torusmu {

class TreePlay {
 public:
  static constexpr ClientId kOwner{0};
  static constexpr QueueId kQueue{8};
  static constexpr Address kRing = 0x10000;
  static constexpr Cycles kBound = 1'000'000;  // of whatever is waited for

  explicit TreePlay(Stage& stage) : stage_(stage) {}

  // The event counters of so many classes, and a queue of `slots`, on every node. False, with a
  // failed check, if a node has refused it.
  bool set_up(std::uint32_t classes, std::uint32_t slots);
  // Sets up a class at all nodes of the group; of its counters nothing else is to be said.
  bool open(const TreeGroup& group, TreeSignalOptions options);
  // Switches it off at all nodes.
  bool close(TreeClassId number);
  [[nodiscard]] const TreeSignal& signal(TreeClassId number, NodeId node) const {
    return signals_.at(number).at(node.value);
  }
  [[nodiscard]] TreeGroup everybody() const;
  // The subtree below `root`, or all nodes that are not in it.
  [[nodiscard]] TreeGroup below(NodeId root) const;
  [[nodiscard]] TreeGroup beside(NodeId root) const;

  // Writes the list into the ring of kQueue and rings its doorbell, from descriptor `tail` on.
  static void post(Device& device, std::uint32_t slots, std::uint32_t tail,
                   const std::vector<Descriptor>& list);

 private:
  [[nodiscard]] TreeGroup group(const std::function<bool(NodeId)>& takes_part) const;

  Stage& stage_;
  std::map<TreeClassId, std::vector<TreeSignal>> signals_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_TREE_PLAY_H_
