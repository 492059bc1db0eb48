// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "host/src/buffer_pool.h"
#include "host/src/schedule.h"

namespace torusmu::replay {
namespace {

constexpr Bytes kLine = 64;
// No heap is longer, and no sum of addresses in it wraps.
constexpr Bytes kEndless = Bytes{1} << 60;

Bytes whole_lines(Bytes bytes) { return (std::max<Bytes>(bytes, 1) + kLine - 1) / kLine * kLine; }

Collective collective_of(Call call) {
  switch (call) {
    case Call::kAllreduce:
      return Collective::kAllreduce;
    case Call::kReduce:
      return Collective::kReduce;
    case Call::kBroadcast:
      return Collective::kBroadcast;
    case Call::kScatter:
      return Collective::kScatter;
    case Call::kGather:
      return Collective::kGather;
    case Call::kAllgather:
      return Collective::kAllgather;
    case Call::kAlltoall:
      return Collective::kAlltoall;
    default:
      return Collective::kBarrier;
  }
}

torusmu::Call call_of(const TraceEvent& event) {
  torusmu::Call call;
  call.what = collective_of(event.call);
  const bool has_root = event.call == Call::kReduce || event.call == Call::kBroadcast ||
                        event.call == Call::kScatter || event.call == Call::kGather;
  if (has_root) call.root = event.peer;
  call.count = event.bytes;
  if (is_reduction(event.call)) {
    call.count = event.count;
    call.element = size_of(event.type);
  }
  return call;
}

// What one rank has under way, event by event.
class Rank {
 public:
  Rank(const Trace& trace, std::uint32_t rank) : trace_(trace), rank_(rank) {}

  HeapNeed play() {
    for (const TraceEvent& event : trace_.ranks[rank_]) take(event);
    need_.bytes = top_ + most_beside_;
    need_.rank = rank_;
    return need_;
  }

 private:
  struct Cost {
    Bytes bytes = 0;  // in buffers and scratch memory
    std::uint64_t requests = 0;
  };

  void take(const TraceEvent& event) {
    switch (event.call) {
      case Call::kIsend:
      case Call::kIrecv:
        under_way_.emplace(event.request, std::pair(buffer(event), event.bytes));
        ++requests_;
        return;
      case Call::kSend:
      case Call::kRecv:
        pool_.give(buffer(event), std::max<Bytes>(event.bytes, 1));
        return;
      case Call::kWait: {
        const auto found = under_way_.find(event.request);
        pool_.give(found->second.first, std::max<Bytes>(found->second.second, 1));
        under_way_.erase(found);
        --requests_;
        return;
      }
      case Call::kCompute:
      case Call::kProbe:
        return;
      default:
        take_collective(event);
    }
  }

  Address buffer(const TraceEvent& event) {
    const Bytes bytes = whole_lines(event.bytes);
    const Address address = pool_.take(bytes).value_or(kEndless);
    if (address + bytes > top_) {
      top_ = address + bytes;
      need_.line = event.line;
    }
    return address;
  }

  // Its buffers are given back before the next call, so that they leave the others where they are.
  void take_collective(const TraceEvent& event) {
    const Cost cost = cost_of(event);
    if (requests_ + cost.requests > kMostRequests) {
      throw TraceError(fmt::format(
          "{}:{}:1: rank {} has {} requests under way, and this {} takes {} more: at most {}",
          trace_.name, event.line, rank_, requests_, name_of(event.call), cost.requests,
          kMostRequests));
    }
    if (cost.bytes <= most_beside_) return;
    most_beside_ = cost.bytes;
    if (most_beside_ > top_) need_.line = event.line;
  }

  Cost cost_of(const TraceEvent& event) {
    const torusmu::Call call = call_of(event);
    const auto members = static_cast<std::uint32_t>(trace_.ranks.size());
    if (!is_sound(call, members)) return {kEndless, 0};
    Cost& cost = costs_[{call.what, call.root, call.count, call.element}];
    if (cost.bytes != 0) return cost;
    const Schedule schedule = compile(call, choose(call, members), members, rank_);
    const Buffers buffers = buffers_of(event, members, rank_);
    cost.bytes =
        whole_lines(buffers.in) + whole_lines(buffers.out) + whole_lines(schedule.scratch_bytes);
    cost.requests = static_cast<std::uint64_t>(
        std::count_if(schedule.steps.begin(), schedule.steps.end(), [](const Step& step) {
          return step.kind == Step::Kind::kSend || step.kind == Step::Kind::kReceive;
        }));
    return cost;
  }

  const Trace& trace_;
  const std::uint32_t rank_;
  HeapNeed need_;
  BufferPool pool_{Range{0, kEndless}};
  Bytes top_ = 0;          // most that messages take
  Bytes most_beside_ = 0;  // most that a collective takes beside them
  std::map<std::uint64_t, std::pair<Address, Bytes>> under_way_;
  std::uint64_t requests_ = 0;
  std::map<std::tuple<Collective, std::uint32_t, std::uint64_t, Bytes>, Cost> costs_;
};

}  // namespace

Cycles computed(const Trace& trace) {
  constexpr Cycles kMost = std::numeric_limits<Cycles>::max() / 4;
  Cycles sum = 0;
  for (const auto& events : trace.ranks) {
    for (const TraceEvent& event : events) sum = std::min(kMost, sum + event.cycles);
  }
  return sum;
}

Bytes longest_transfer(const Trace& trace) {
  Bytes longest = 0;
  for (const auto& events : trace.ranks) {
    for (const TraceEvent& event : events) {
      const Bytes pieces = is_collective(event.call) ? trace.ranks.size() : 1;
      longest = std::max(longest, pieces * std::max<Bytes>(event.bytes, event.in.size()));
    }
  }
  return longest;
}

std::uint32_t notice_slots(const Trace& trace, Bytes buffer_bytes) {
  constexpr std::uint64_t kPacketBytes = 512;
  constexpr std::uint64_t kMostSlots = 1 << 16;
  const std::uint64_t window = ContextOptions().window;
  const std::uint64_t most = buffer_bytes / kPacketBytes + window * trace.ranks.size();
  return static_cast<std::uint32_t>(std::min(kMostSlots, most));
}

Buffers buffers_of(const TraceEvent& event, std::size_t ranks, std::uint32_t rank) {
  const Bytes all = ranks * event.bytes;
  switch (event.call) {
    case Call::kAllreduce:
    case Call::kReduce:
      return {event.in.size(), event.in.size()};
    case Call::kBroadcast:
      return {0, event.bytes};
    case Call::kScatter:
      return {rank == event.peer ? all : 0, event.bytes};
    case Call::kGather:
      return {event.bytes, rank == event.peer ? all : 0};
    case Call::kAllgather:
      return {event.bytes, all};
    case Call::kAlltoall:
      return {all, all};
    default:
      return {};
  }
}

HeapNeed heap_of(const Trace& trace) {
  HeapNeed most;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const HeapNeed need = Rank(trace, rank).play();
    if (need.bytes > most.bytes) most = need;
  }
  return most;
}

}  // namespace torusmu::replay
