// SPDX-License-Identifier: Apache-2.0
// What the play of a trace needs.
#ifndef TORUSMU_SIM_PLAY_REPLAY_NEEDS_H_
#define TORUSMU_SIM_PLAY_REPLAY_NEEDS_H_

#include <cstdint>

#include "sim/play/replay/trace.h"

namespace torusmu::replay {

// What all ranks compute, which a play may take longer than its messages alone.
Cycles computed(const Trace& trace);

// The longest that one call has to move between two ranks, or among all.
Bytes longest_transfer(const Trace& trace);

// Slots of a notice ring that no rank's packets can overflow, were all that may be under way at
// once refused: a window of messages to each other rank, and the packets that the library's buffers
// hold.
std::uint32_t notice_slots(const Trace& trace, Bytes buffer_bytes);

// Buffers of a collective at a rank, in bytes.
struct Buffers {
  Bytes in = 0;
  Bytes out = 0;
};
Buffers buffers_of(const TraceEvent& event, std::size_t ranks, std::uint32_t rank);

struct HeapNeed {
  Bytes bytes = 0;         // that the rank with most takes at most
  std::uint32_t rank = 0;  // which one that is,
  std::uint32_t line = 0;  // and with which call
};
// Heap of a rank: the library's allocator plays all buffers of the trace, which it is given in the
// same order whatever the machine does. Throws TraceError where a collective takes more requests
// than the library has left.
HeapNeed heap_of(const Trace& trace);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_NEEDS_H_
