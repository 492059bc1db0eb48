// SPDX-License-Identifier: Apache-2.0
// Plays a trace on a machine: rank r is task r, and calls the host library in a core of its own.
//
// What the program did between its calls is simulated time; data that the trace does not hold is
// made up from source, target, tag and number of the message, straight in node memory and for
// nothing, and every byte that arrives is compared there.
#ifndef TORUSMU_SIM_PLAY_REPLAY_PLAY_H_
#define TORUSMU_SIM_PLAY_REPLAY_PLAY_H_

#include "sim/play/replay/trace.h"
#include "sim/play/stage.h"
#include "torusmu/collectives.h"
#include "torusmu/context.h"

namespace torusmu::replay {

struct PlayOptions {
  Bytes eager_limit = 512;                // at most 65536
  SendEnd send_end = SendEnd::kReceived;  // of longer messages
  StoreBy store_by = StoreBy::kCore;      // data of messages up to eager_limit
  RunBy run_by = RunBy::kSoftware;        // collectives
  // A rank waits long for its neighbours, so by history: docs/polling.md, Which policy.
  PollingOptions polling{.policy = PollingPolicy::kHeuristic};
  // Rank r is client r % tasks_per_node of node r / tasks_per_node.
  std::uint32_t tasks_per_node = 1;
  // Each rank starts in a cycle of its own, from 0 to this, by the seed of the stage; the first of
  // a node sets it up.
  Cycles start_skew = 0;
  // A time in which no rank's call ends, and none computes, that ends the play as failed, with who
  // waits for whom; 0: 50,000,000 cycles and 8 for each byte of the longest message.
  Cycles stall_after = 0;
  Cycles deadline = 20'000'000'000;  // of the whole play, beside what the ranks compute
};

// The most cubic torus with exactly as many nodes as the ranks need. Throws UsageError if none has
// at most 16 nodes in each dimension.
Shape shape_for(const Trace& trace, std::uint32_t tasks_per_node = 1);

// Adds the ranks' programs, runs the stage, and reports: checks "payload", "reductions", "results",
// figures "replay.*", and lines for the reader. Throws UsageError if the machine is too small, a
// node cannot have so many tasks, a buffer does not fit, or calls of the trace wait for one another
// for ever.
void play(Stage& stage, const Trace& trace, const PlayOptions& options);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_PLAY_H_
