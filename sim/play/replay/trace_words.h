// SPDX-License-Identifier: Apache-2.0
// The words and limits of a trace (docs/traces.md): names of calls, operations and types.
#ifndef TORUSMU_SIM_PLAY_REPLAY_TRACE_WORDS_H_
#define TORUSMU_SIM_PLAY_REPLAY_TRACE_WORDS_H_

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sim/play/replay/trace.h"

namespace torusmu::replay {

inline constexpr std::size_t kMostLineBytes = 1 << 20;
inline constexpr std::uint64_t kMostRanks = 4096;  // 16x16x16 nodes
inline constexpr std::uint64_t kMostNanoseconds = 1'000'000'000'000;
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kMostTag = 0x7FFFFFFF;
inline constexpr std::uint64_t kMostBroadcastDigits = 64;  // longer data is not in the trace

struct Word {
  std::string_view text;
  std::size_t column = 1;
};

struct CallName {
  std::string_view name;
  Call call;
  std::size_t operands;
  std::string_view form;
};
inline constexpr CallName kCalls[] = {{"compute", Call::kCompute, 1, "NS"},
                                      {"isend", Call::kIsend, 4, "DST BYTES TAG REQ"},
                                      {"irecv", Call::kIrecv, 4, "SRC BYTES TAG REQ"},
                                      {"send", Call::kSend, 3, "DST BYTES TAG"},
                                      {"recv", Call::kRecv, 3, "SRC BYTES TAG"},
                                      {"wait", Call::kWait, 1, "REQ"},
                                      {"probe", Call::kProbe, 2, "SRC TAG"},
                                      {"allreduce", Call::kAllreduce, 5, "OP TYPE COUNT IN OUT"},
                                      {"reduce", Call::kReduce, 6, "ROOT OP TYPE COUNT IN OUT"},
                                      {"bcast", Call::kBroadcast, 3, "ROOT BYTES DATA"},
                                      {"barrier", Call::kBarrier, 0, "nothing"},
                                      {"scatter", Call::kScatter, 2, "ROOT BYTES"},
                                      {"gather", Call::kGather, 2, "ROOT BYTES"},
                                      {"allgather", Call::kAllgather, 1, "BYTES"},
                                      {"alltoall", Call::kAlltoall, 1, "BYTES"}};
// Lines that stand for several calls.
inline constexpr std::string_view kWaitall = "waitall";
inline constexpr std::string_view kSendrecv = "sendrecv";
inline constexpr std::size_t kSendrecvOperands = 6;
inline constexpr std::string_view kAnySource = "*";

inline constexpr std::pair<std::string_view, ReduceOp> kOps[] = {{"sum", ReduceOp::kSum},
                                                                 {"min", ReduceOp::kMin},
                                                                 {"max", ReduceOp::kMax},
                                                                 {"prod", ReduceOp::kProd}};
inline constexpr std::pair<std::string_view, DataType> kTypes[] = {{"f64", DataType::kF64},
                                                                   {"f32", DataType::kF32},
                                                                   {"i32", DataType::kI32},
                                                                   {"i64", DataType::kI64},
                                                                   {"u8", DataType::kU8}};

// A piece of input made fit for a message on a terminal: short, printable, in quotes.
inline std::string shown(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return result + (text.size() > 40 ? "...\"" : "\"");
}

inline std::string known_calls() {
  std::string names;
  for (const CallName& known : kCalls) names += std::string(known.name) + ", ";
  return names + std::string(kWaitall) + ", " + std::string(kSendrecv);
}

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_TRACE_WORDS_H_
