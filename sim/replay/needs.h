// SPDX-License-Identifier: Apache-2.0
// What the play of a trace needs.
#ifndef TORUSMU_SIM_REPLAY_NEEDS_H_
#define TORUSMU_SIM_REPLAY_NEEDS_H_

#include <vector>

#include "sim/replay/trace.h"

namespace torusmu::replay {

// What all ranks compute, which a play may take longer than its messages alone.
Cycles computed(const Trace& trace);

// Heap that a rank of so many needs at most: buffers of everything under way at once.
Bytes heap_of(const std::vector<TraceEvent>& events, std::size_t ranks);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_REPLAY_NEEDS_H_
