// SPDX-License-Identifier: Apache-2.0
// Plays a trace on a machine: rank r is the one task of node r and calls the host library.
//
// What the program did between its calls is simulated time; data that the trace does not hold is
// made up from source, target, tag and number of the message, straight in node memory and for
// nothing, and every byte that arrives is compared there.
#ifndef TORUSMU_SIM_REPLAY_PLAY_H_
#define TORUSMU_SIM_REPLAY_PLAY_H_

#include "sim/replay/trace.h"
#include "sim/scenario/stage.h"
#include "torusmu/collectives.h"

namespace torusmu::replay {

struct PlayOptions {
  Bytes eager_limit = 512;          // at most 65536
  RunBy run_by = RunBy::kSoftware;  // collectives
  PollingOptions polling{};
  Cycles deadline = 20'000'000'000;  // of the whole play, beside what the ranks compute
};

// The most cubic torus with exactly one node a rank. Throws UsageError if none has at most 16 nodes
// in each dimension.
Shape shape_for(const Trace& trace);

// Adds the ranks' programs, runs the stage, and reports: checks "payload", "reductions", "results",
// figures "replay.*", and lines for the reader. Throws UsageError if the machine is too small.
void play(Stage& stage, const Trace& trace, const PlayOptions& options);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_REPLAY_PLAY_H_
