// SPDX-License-Identifier: Apache-2.0
// A scenario outside the tree: a shared library that `torusmu scenario ./mine.so` plays. One of its
// sources includes this header and says, at namespace scope,
//
//   TORUSMU_SCENARIO({.name = "mine", .title = "what it shows", .default_shape = "2x2x2",
//                     .play = play_mine})
#ifndef TORUSMU_SIM_PLAY_SCENARIO_OUTSIDE_H_
#define TORUSMU_SIM_PLAY_SCENARIO_OUTSIDE_H_

#include "sim/play/scenario/scenario.h"
// TORUSMU_INTERFACE: made when the headers are installed, so not in the tree.
#if __has_include("torusmu/sim/interface.h")
#include "torusmu/sim/interface.h"
#endif

namespace torusmu {

struct OutsideScenario {
  // Of the headers that it was compiled with. Nothing behind it means anything to a program that
  // was compiled with others.
  const char* interface;
  Scenario scenario;
};

// The symbol that names it in the library.
inline constexpr const char* kOutsideScenario = "torusmu_scenario";

}  // namespace torusmu

#define TORUSMU_SCENARIO(...)                                                                \
  extern "C" [[gnu::visibility("default")]] const torusmu::OutsideScenario torusmu_scenario; \
  const torusmu::OutsideScenario torusmu_scenario = {TORUSMU_INTERFACE,                      \
                                                     torusmu::Scenario __VA_ARGS__};

#endif  // TORUSMU_SIM_PLAY_SCENARIO_OUTSIDE_H_
