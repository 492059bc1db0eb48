// SPDX-License-Identifier: Apache-2.0
// One collective of all nodes of a stage, by messages or run by the MU, with its times and what the
// cores did meanwhile.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_PLAY_H_

#include <cstdint>
#include <vector>

#include "sim/play/stage.h"
#include "torusmu/collectives.h"

namespace torusmu {

// When the members begin: all are ready well before. What comes earlier is set-up.
inline constexpr Cycles kCollectiveStart = 150'000;

struct CollectiveTimes {
  bool ended = false;   // at every member
  bool right = false;   // and with the right result
  Cycles posted = 0;    // when the last member had started it (its doorbell, if the MU runs it)
  Cycles complete = 0;  // when the last member knew of its end
  std::uint64_t accesses = 0;  // registers and memory, of all cores, between posting and the end
  [[nodiscard]] Cycles cycles() const { return complete - posted; }
};

// Sums doubles: `count` of each member, 0 for a barrier. Members know of the end by an interrupt
// if the MU runs it, else by what wait() does. Every second member begins late by up to `skew`
// cycles. `groups` of the plan share what a node has: PlanOptions::offload_groups.
CollectiveTimes play_collective(Stage& stage, RunBy run_by, std::uint64_t count, Cycles skew = 0,
                                std::uint32_t groups = 1);

// Cores that go on computing while the MU sums.
struct OverlapTimes {
  bool right = false;
  double core_free_share = 0;  // at the member where it is least
};

// Every member sums `count` doubles with the others. After `calls_before` such sums, when the
// library knows the call, it computes in slices of `slice` cycles, and asks behind each whether the
// sum is complete. What is computed, of the cycles from the call to the answer yes, is the core's
// share.
OverlapTimes play_overlap(Stage& stage, std::uint64_t count, Cycles slice, int calls_before);

// Cycles on links, each of `latency`, on the longest way through a barrier: round k signals the
// member 2^k further.
Cycles barrier_link_cycles(const Shape& shape, unsigned latency);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_PLAY_H_
