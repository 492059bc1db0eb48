// SPDX-License-Identifier: Apache-2.0
// Communication traces of MPI programs: text, one event a line (docs/host_library.md, "Traces").
#ifndef TORUSMU_SIM_REPLAY_TRACE_H_
#define TORUSMU_SIM_REPLAY_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "torusmu/collectives.h"

namespace torusmu::replay {

enum class Call {
  kCompute,
  kIsend,
  kIrecv,
  kSend,
  kRecv,
  kWait,
  kAllreduce,
  kReduce,
  kBroadcast,
  kBarrier
};

struct TraceEvent {
  Call call = Call::kCompute;
  std::uint32_t line = 0;
  Cycles cycles = 0;       // kCompute: 1 ns is 1 cycle
  std::uint32_t peer = 0;  // the other rank, or the root
  Bytes bytes = 0;         // of a receive: capacity
  Tag tag = 0;
  std::uint64_t request = 0;  // kIsend, kIrecv, kWait
  std::uint64_t number = 0;   // messages: place among those of the same pair and tag, from 0
  ReduceOp op = ReduceOp::kSum;
  DataType type = DataType::kF64;
  std::uint64_t count = 0;
  std::vector<std::byte> in;   // reductions: operand; broadcast: the data, if the trace has it
  std::vector<std::byte> out;  // reductions: result, empty where this rank gets none
};

struct Trace {
  std::string name;  // of the file
  std::string app;
  std::vector<std::vector<TraceEvent>> ranks;
  std::uint64_t messages = 0;
  Bytes bytes = 0;  // of all messages
};

// Bad input: "NAME:LINE:COLUMN: what is wrong and what would be right".
class TraceError : public UsageError {
 public:
  using UsageError::UsageError;
};

// Reads a whole trace and checks that it can be replayed: every number in range, requests used
// once, every message received and received whole, the same collectives in the same order at all
// ranks. Throws TraceError for the first thing that is wrong; any input is safe.
Trace read_trace(std::istream& input, const std::string& name);
// Opens and reads a file.
Trace read_trace_file(const std::string& file);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_REPLAY_TRACE_H_
