// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective takes, and its arguments.
#include "host/src/schedule.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "host/src/schedule_builder.h"

namespace torusmu {
namespace {

using Write = void (*)(ScheduleBuilder&);

struct Writer {
  Collective what;
  Algorithm algorithm;
  Write write;
};

constexpr std::array kWriters{
    Writer{Collective::kBarrier, Algorithm::kDissemination, algorithms::dissemination_barrier},
    Writer{Collective::kBarrier, Algorithm::kTree, algorithms::tree_barrier},
    Writer{Collective::kBroadcast, Algorithm::kBinomial, algorithms::binomial_broadcast},
    Writer{Collective::kBroadcast, Algorithm::kChain, algorithms::chain_broadcast},
    Writer{Collective::kReduce, Algorithm::kBinomial, algorithms::binomial_reduce},
    Writer{Collective::kReduce, Algorithm::kRing, algorithms::ring_reduce},
    Writer{Collective::kReduce, Algorithm::kChain, algorithms::chain_reduce},
    Writer{Collective::kAllreduce, Algorithm::kDoubling, algorithms::doubling_allreduce},
    Writer{Collective::kAllreduce, Algorithm::kRing, algorithms::ring_allreduce},
    Writer{Collective::kAllreduce, Algorithm::kFours, algorithms::fours_allreduce},
    Writer{Collective::kAllreduce, Algorithm::kTree, algorithms::tree_allreduce},
    Writer{Collective::kAllreduce, Algorithm::kDirect, algorithms::direct_allreduce},
    Writer{Collective::kScatter, Algorithm::kBinomial, algorithms::binomial_scatter},
    Writer{Collective::kScatter, Algorithm::kDirect, algorithms::direct_scatter},
    Writer{Collective::kGather, Algorithm::kBinomial, algorithms::binomial_gather},
    Writer{Collective::kGather, Algorithm::kDirect, algorithms::direct_gather},
    Writer{Collective::kAllgather, Algorithm::kBruck, algorithms::bruck_allgather},
    Writer{Collective::kAllgather, Algorithm::kRing, algorithms::ring_allgather},
    Writer{Collective::kAlltoall, Algorithm::kBruck, algorithms::bruck_alltoall},
    Writer{Collective::kAlltoall, Algorithm::kDirect, algorithms::direct_alltoall},
    Writer{Collective::kReduceScatter, Algorithm::kDirect, algorithms::direct_reduce_scatter},
    Writer{Collective::kReduceScatter, Algorithm::kRing, algorithms::ring_reduce_scatter},
};

// Thresholds: where the longer one gets faster, run by messages on the reference machine with 3 to
// 64 members; docs/host_library.md has this table. Of reduce_scatter the two come to the same from
// there on, and the ring sends to neighbours only.
constexpr Bytes kKiB = 1024;
using enum Algorithm;
constexpr std::array kRules{
    AlgorithmRule{Collective::kBarrier, kDissemination, kDissemination, 0, 0, 0, false},
    AlgorithmRule{Collective::kBroadcast, kBinomial, kChain, 256 * kKiB, 0, 0, false},
    AlgorithmRule{Collective::kReduce, kBinomial, kRing, kKiB, 128, 0, true},
    AlgorithmRule{Collective::kAllreduce, kDoubling, kRing, kKiB, 256, 0, true},
    AlgorithmRule{Collective::kScatter, kBinomial, kDirect, 2 * kKiB, 0, 32, false},
    AlgorithmRule{Collective::kGather, kBinomial, kDirect, kKiB, 128, 0, false},
    AlgorithmRule{Collective::kAllgather, kBruck, kRing, kKiB, 0, 0, false},
    AlgorithmRule{Collective::kAlltoall, kBruck, kDirect, 32, 0, 0, false},
    AlgorithmRule{Collective::kReduceScatter, kDirect, kRing, 64 * kKiB, 0, 0, true},
};

// A packet: three partners at once take 1,469 cycles with 64 members there, two in turn, who send
// less, 1,530.
constexpr Bytes kMostFours = 512;
constexpr std::array kMuRules{
    MuRule{Collective::kAllreduce, kDoubling, kFours, kMostFours, false},
    MuRule{Collective::kAllreduce, kRing, kDirect, kMostCallBytes, false},
    // By these one counter is enough.
    MuRule{Collective::kBarrier, kDissemination, kTree, kMostCallBytes, true},
    MuRule{Collective::kAllreduce, kDoubling, kTree, kMostCallBytes, true},
    MuRule{Collective::kReduce, kRing, kChain, kMostCallBytes, true},
};

const AlgorithmRule& rule_of(Collective what) {
  return *std::find_if(kRules.begin(), kRules.end(),
                       [what](const AlgorithmRule& rule) { return rule.what == what; });
}

// The count is that of each member's piece.
bool counts_pieces(Collective what) { return what >= Collective::kScatter; }

bool reduces(Collective what) {
  return what == Collective::kReduce || what == Collective::kAllreduce ||
         what == Collective::kReduceScatter;
}

bool has_root(Collective what) {
  return what == Collective::kBroadcast || what == Collective::kReduce ||
         what == Collective::kScatter || what == Collective::kGather;
}

Bytes bytes_of(const Call& call) { return call.count * call.element; }

}  // namespace

std::string_view name_of(Collective what) {
  constexpr std::array<std::string_view, 9> kNames{"barrier",   "broadcast", "reduce",
                                                   "allreduce", "scatter",   "gather",
                                                   "allgather", "alltoall",  "reduce_scatter"};
  return kNames.at(static_cast<std::size_t>(what));
}

std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 9> kNames{
      "dissemination", "binomial", "chain", "doubling", "ring", "bruck", "direct", "fours", "tree"};
  return kNames.at(static_cast<std::size_t>(algorithm));
}

std::span<const AlgorithmRule> algorithm_rules() { return kRules; }

std::span<const MuRule> mu_rules() { return kMuRules; }

bool is_sound(const Call& call, std::uint32_t members) {
  if (has_root(call.what) && call.root >= members) return false;
  if (call.element == 0) return false;
  const Bytes most = kMostCallBytes / (counts_pieces(call.what) ? members : 1);
  return call.count <= most / call.element;
}

Algorithm choose(const Call& call, std::uint32_t members) {
  const AlgorithmRule& rule = rule_of(call.what);
  const Bytes bytes = bytes_of(call);
  const bool is_long =
      (bytes >= rule.least_bytes && bytes / members >= rule.least_share) || members <= rule.few;
  return is_long && (call.commutative || !rule.longer_commutes) ? rule.longer : rule.shorter;
}

std::uint32_t allreduce_parts(Bytes bytes, std::uint32_t members) {
  constexpr Bytes kLeastBlock = 512;  // a packet
  return bytes / members >= 2 * kLeastBlock ? 2 : 1;
}

std::vector<Algorithm> mu_algorithms(const Call& call, std::uint32_t members) {
  const Algorithm chosen = choose(call, members);
  std::vector<Algorithm> list;
  const auto add = [&](bool if_it_cannot) {
    for (const MuRule& rule : kMuRules) {
      if (rule.what == call.what && rule.algorithm == chosen && bytes_of(call) <= rule.most_bytes &&
          rule.if_it_cannot == if_it_cannot) {
        list.push_back(rule.instead);
      }
    }
  };
  add(false);
  list.push_back(chosen);
  add(true);
  if (!reduces(call.what)) {  // no order hangs on it
    list.push_back(rule_of(call.what).shorter);
    list.push_back(rule_of(call.what).longer);
  }
  return list;
}

Schedule compile(const Call& call, Algorithm algorithm, std::uint32_t members, std::uint32_t rank) {
  const auto found = std::find_if(kWriters.begin(), kWriters.end(), [&](const Writer& writer) {
    return writer.what == call.what && writer.algorithm == algorithm;
  });
  assert(found != kWriters.end());
  ScheduleBuilder builder(call, members, rank);
  found->write(builder);
  return builder.take(algorithm);
}

Schedule behind(const Call& call, Algorithm algorithm, std::uint32_t members, std::uint32_t rank,
                bool in_turn) {
  ScheduleBuilder builder(call, members, rank);
  in_turn ? algorithms::tree_behind(builder) : algorithms::dissemination_behind(builder);
  return builder.take(algorithm);
}

Bytes input_bytes(const Call& call, std::uint32_t members, std::uint32_t rank) {
  const Bytes bytes = bytes_of(call);
  switch (call.what) {
    case Collective::kBarrier:
    case Collective::kBroadcast:
      return 0;
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kGather:
    case Collective::kAllgather:
      return bytes;
    case Collective::kScatter:
      return rank == call.root ? bytes * members : 0;
    case Collective::kAlltoall:
    case Collective::kReduceScatter:
      return bytes * members;
  }
  return 0;
}

Bytes output_bytes(const Call& call, std::uint32_t members, std::uint32_t rank) {
  const Bytes bytes = bytes_of(call);
  switch (call.what) {
    case Collective::kBarrier:
      return 0;
    case Collective::kBroadcast:
    case Collective::kAllreduce:
    case Collective::kScatter:
    case Collective::kReduceScatter:
      return bytes;
    case Collective::kReduce:
      return rank == call.root ? bytes : 0;
    case Collective::kGather:
      return rank == call.root ? bytes * members : 0;
    case Collective::kAllgather:
    case Collective::kAlltoall:
      return bytes * members;
  }
  return 0;
}

Bytes place_of_own(const Call& call, std::uint32_t rank) {
  const bool has_pieces = call.what == Collective::kScatter || call.what == Collective::kGather ||
                          call.what == Collective::kAllgather;
  return has_pieces ? rank * bytes_of(call) : 0;
}

bool may_be_in_place(const Call& call, std::uint32_t rank) {
  switch (call.what) {
    case Collective::kBarrier:
    case Collective::kBroadcast:
      return false;
    case Collective::kReduce:
    case Collective::kScatter:
    case Collective::kGather:
      return rank == call.root;
    default:
      return true;
  }
}

}  // namespace torusmu
