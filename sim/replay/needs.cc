// SPDX-License-Identifier: Apache-2.0
#include "sim/replay/needs.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

namespace torusmu::replay {
namespace {

constexpr Bytes kLine = 64;

Bytes whole_lines(Bytes bytes) { return (std::max<Bytes>(bytes, 1) + kLine - 1) / kLine * kLine; }

}  // namespace

Cycles computed(const Trace& trace) {
  constexpr Cycles kMost = std::numeric_limits<Cycles>::max() / 4;
  Cycles sum = 0;
  for (const auto& events : trace.ranks) {
    for (const TraceEvent& event : events) sum = std::min(kMost, sum + event.cycles);
  }
  return sum;
}

Bytes heap_of(const std::vector<TraceEvent>& events, std::size_t ranks) {
  std::map<std::uint64_t, Bytes> under_way;
  Bytes now = 0;
  Bytes most = 0;
  for (const TraceEvent& event : events) {
    Bytes brief = 0;
    switch (event.call) {
      case Call::kIsend:
      case Call::kIrecv:
        now += under_way[event.request] = whole_lines(event.bytes);
        break;
      case Call::kWait:
        now -= under_way[event.request];
        break;
      case Call::kSend:
      case Call::kRecv:
      case Call::kBroadcast:
        brief = whole_lines(event.bytes);
        break;
      case Call::kAllreduce:
      case Call::kReduce:
        // Input, output, and the library's scratch memory.
        brief = (3 + std::bit_width(ranks - 1)) * whole_lines(event.in.size());
        break;
      case Call::kCompute:
      case Call::kBarrier:
        break;
    }
    most = std::max(most, now + brief);
  }
  // Pieces of different lengths leave holes.
  return 2 * most + (Bytes{64} << 10);
}

}  // namespace torusmu::replay
