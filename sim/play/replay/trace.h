// SPDX-License-Identifier: Apache-2.0
// Communication traces of MPI programs: text, one event a line (docs/traces.md).
#ifndef TORUSMU_SIM_PLAY_REPLAY_TRACE_H_
#define TORUSMU_SIM_PLAY_REPLAY_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/errors.h"
#include "torusmu/collectives.h"

namespace torusmu::replay {

// A line "sendrecv" becomes an irecv, an isend and two waits; "waitall" a wait for each request.
enum class Call {
  kCompute,
  kIsend,
  kIrecv,
  kSend,
  kRecv,
  kWait,
  kProbe,
  // Of all ranks:
  kAllreduce,
  kReduce,
  kBroadcast,
  kBarrier,
  kScatter,
  kGather,
  kAllgather,
  kAlltoall
};
// As in a trace.
std::string_view name_of(Call call);
constexpr bool is_collective(Call call) { return call >= Call::kAllreduce; }
constexpr bool is_reduction(Call call) { return call == Call::kAllreduce || call == Call::kReduce; }
constexpr bool is_send(Call call) { return call == Call::kIsend || call == Call::kSend; }
constexpr bool is_receive(Call call) { return call == Call::kIrecv || call == Call::kRecv; }

// The source of a receive or a probe that takes messages of all ranks.
inline constexpr std::uint32_t kAnyRank = ~std::uint32_t{0};

struct TraceEvent {
  Call call = Call::kCompute;
  std::uint32_t line = 0;
  Cycles cycles = 0;       // kCompute: 1 ns is 1 cycle
  std::uint32_t peer = 0;  // the other rank, kAnyRank, or the root
  Bytes bytes = 0;         // of a receive: capacity; of scatter to alltoall: one rank's piece
  Tag tag = 0;
  std::uint64_t request = 0;  // kIsend, kIrecv, kWait: place among the rank's requests, from 0
  // Place, from 0, among the sends of the same pair and tag, the receives of the same pair and tag
  // or, from any source, of the same tag, or the collectives. Of a probe: how many receives of that
  // kind stand before it.
  std::uint64_t number = 0;
  // Receive, probe: one of the rank's receives of this tag takes messages of all ranks, so that
  // only the run shows which message this one gets.
  bool open = false;
  ReduceOp op = ReduceOp::kSum;
  DataType type = DataType::kF64;
  std::uint64_t count = 0;
  std::vector<std::byte> in;  // reductions: operand; broadcast: the data, if any rank's line has it
  std::vector<std::byte> out;  // reductions: result, empty where this rank gets none
};

struct Trace {
  std::string name;  // of the file
  std::string app;
  std::vector<std::vector<TraceEvent>> ranks;
  std::uint64_t messages = 0;
  Bytes bytes = 0;                    // of all messages
  std::vector<std::string> warnings;  // "NAME:LINE:COLUMN: what was passed over"
};

// Bad input: "NAME:LINE:COLUMN: what is wrong and what would be right".
class TraceError : public UsageError {
 public:
  using UsageError::UsageError;
};

// Requests that a rank may have under way at once: so many names a context of the library has.
inline constexpr std::uint64_t kMostRequests = 65'535;

// Reads a whole trace and checks that it can be replayed: every number in range, requests used
// once and not too many at once, every message received and received whole, the same collectives
// in the same order at all ranks. Throws TraceError for the first thing that is wrong; any input is
// safe. Whether calls wait for one another for ever depends on the eager limit: matching.h.
Trace read_trace(std::istream& input, const std::string& name);
// Opens and reads a file.
Trace read_trace_file(const std::string& file);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_TRACE_H_
