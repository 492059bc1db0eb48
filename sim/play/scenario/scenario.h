// SPDX-License-Identifier: Apache-2.0
// What is known of a scenario before it is played.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_SCENARIO_H_
#define TORUSMU_SIM_PLAY_SCENARIO_SCENARIO_H_

#include "sim/play/stage.h"

namespace torusmu {

// Of the largest machine, 16x16x16.
inline constexpr unsigned kMostNodes = 4096;

struct Scenario {
  const char* name;
  const char* title;          // one line
  const char* default_shape;  // what --mesh stands for if it is not given
  bool wants_events = false;  // it tells what happened at the pins
  void (*play)(Stage&);
  // The cycles of its waves, unless --wave-window says otherwise.
  Cycles waves_from = 0;
  Cycles waves_to = kNever;
  // Of its machine.
  unsigned least_nodes = 1;
  unsigned most_nodes = kMostNodes;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_SCENARIO_H_
