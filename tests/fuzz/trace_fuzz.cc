// SPDX-License-Identifier: Apache-2.0
// Trace files: read whole, or refused with the line and the column.
#include <cstdio>
#include <sstream>

#include "sim/play/replay/matching.h"
#include "sim/play/replay/trace.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using torusmu::fuzz::require;
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const auto trace = torusmu::replay::read_trace(input, "fuzz");
    std::uint64_t sends = 0;
    for (const auto& rank : trace.ranks) {
      for (const auto& event : rank) {
        sends += event.call == torusmu::replay::Call::kIsend ||
                 event.call == torusmu::replay::Call::kSend;
        const bool takes_all = event.peer == torusmu::replay::kAnyRank &&
                               (torusmu::replay::is_receive(event.call) ||
                                event.call == torusmu::replay::Call::kProbe);
        require(takes_all || event.peer < trace.ranks.size(),
                "a trace was taken that names no rank");
      }
    }
    require(sends == trace.messages, "messages are not those of the trace");
    (void)torusmu::replay::Matching(trace).deadlock(512);
  } catch (const torusmu::replay::TraceError& error) {
    unsigned line = 0, column = 0;
    require(
        std::sscanf(error.what(), "fuzz:%u:%u: ", &line, &column) == 2 && line != 0 && column != 0,
        std::string("refused without line and column: ") + error.what());
  }
  return 0;
}
