// SPDX-License-Identifier: Apache-2.0
// What the waves of a scenario open at if all nodes begin at once: the first cycles of node 0 and
// of its neighbour node 1.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_OPENING_H_
#define TORUSMU_SIM_PLAY_SCENARIO_OPENING_H_

#include <string>
#include <vector>

#include "sim/play/stage.h"

namespace torusmu {

struct OpeningPart {
  std::string part;                 // "sender"
  std::vector<std::string> groups;  // of signals
};

// Node 1 may not exist.
inline void show_opening(Stage& stage, Cycles start, const OpeningPart& node_0,
                         const OpeningPart& node_1) {
  constexpr Cycles kBefore = 60, kWindow = 1000;
  Act act;
  act.from = start - std::min(start, kBefore);
  act.to = start + kWindow;
  act.actors.push_back({{0}, node_0.part, node_0.groups});
  if (stage.shape().nodes() > 1) act.actors.push_back({{1}, node_1.part, node_1.groups});
  act.marks = {{start, "the nodes begin"}};
  stage.show(act);
}

// The link on which node 0 reaches node 1, as a group of signals.
inline std::string link_to_node_1(const Shape& shape) {
  return shape.x > 1 ? "link x+ out" : shape.y > 1 ? "link y+ out" : "link z+ out";
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_OPENING_H_
