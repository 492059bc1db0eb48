// SPDX-License-Identifier: Apache-2.0
// What a collective gives, computed from all members' inputs at once.
#ifndef TESTS_HOST_COLLECTIVE_REFERENCE_H_
#define TESTS_HOST_COLLECTIVE_REFERENCE_H_

#include <cstring>
#include <string>
#include <vector>

#include "host/src/reduction_order.h"
#include "host/src/schedule.h"
#include "sim/machine/mix.h"
#include "torusmu/reduction.h"

namespace torusmu::testing {

using Data = std::vector<std::byte>;

inline constexpr Collective kCollectives[] = {
    Collective::kBarrier,   Collective::kBroadcast, Collective::kReduce,
    Collective::kAllreduce, Collective::kScatter,   Collective::kGather,
    Collective::kAllgather, Collective::kAlltoall,  Collective::kReduceScatter};

inline bool reduces(Collective what) {
  return what == Collective::kReduce || what == Collective::kAllreduce ||
         what == Collective::kReduceScatter;
}

inline bool has_root(Collective what) {
  return what == Collective::kBroadcast || what == Collective::kReduce ||
         what == Collective::kScatter || what == Collective::kGather;
}

inline std::vector<std::uint32_t> roots_of(Collective what, std::uint32_t members) {
  std::vector<std::uint32_t> roots;
  for (std::uint32_t root = 0; root < (has_root(what) ? members : 1); ++root) roots.push_back(root);
  return roots;
}

// Doubles of very different size, so that another order of addition gives other bits.
inline Data doubles(std::uint64_t seed, std::size_t count) {
  Data data(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(mix(seed * 77 + i)) / static_cast<double>(1 + i * 3);
    std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
  }
  return data;
}

inline Data noise(std::uint64_t seed, std::size_t bytes) {
  Data data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(mix(seed * 8191 + i));
  return data;
}

// Does not commute: elements are maps x -> a x + b of 32-bit integers, and f(p, q) is p after q.
inline UserReduction composition() {
  return {.function =
              [](std::span<std::byte> p, std::span<const std::byte> q) {
                for (std::size_t at = 0; at < p.size(); at += 8) {
                  std::uint32_t f[2];
                  std::uint32_t g[2];
                  std::memcpy(f, &p[at], 8);
                  std::memcpy(g, &q[at], 8);
                  const std::uint32_t both[2] = {f[0] * g[0], f[0] * g[1] + f[1]};
                  std::memcpy(&p[at], both, 8);
                }
              },
          .element = 8,
          .commutative = false};
}

// Outputs of all members, from their inputs; of a broadcast the root's input is its buffer.
inline std::vector<Data> outputs_of(const Call& call, const Operator& op, Algorithm algorithm,
                                    const std::vector<Data>& inputs) {
  const auto n = static_cast<std::uint32_t>(inputs.size());
  const Bytes piece = call.count * call.element;
  const auto part = [piece](const Data& data, std::size_t i) {
    const auto at = data.begin() + static_cast<std::ptrdiff_t>(i * piece);
    return Data(at, at + static_cast<std::ptrdiff_t>(piece));
  };
  Data reduced;
  if (reduces(call.what) && call.count != 0) {
    switch (algorithm) {
      case Algorithm::kBinomial:
        reduced = tree_order(op, call.root, inputs);
        break;
      case Algorithm::kDoubling:
      case Algorithm::kFours:
      case Algorithm::kTree:
        reduced = doubling_order(op, inputs);
        break;
      case Algorithm::kRing:
      case Algorithm::kChain:
        reduced = call.what == Collective::kAllreduce ? ring_parts_order(op, inputs)
                                                      : ring_order(op, inputs);
        break;
      default:
        reduced = call.what == Collective::kAllreduce ? ring_parts_order(op, inputs)
                                                      : rising_order(op, inputs);
    }
  }
  Data joined;
  for (const Data& data : inputs) joined.insert(joined.end(), data.begin(), data.end());
  std::vector<Data> outputs(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    switch (call.what) {
      case Collective::kBarrier:
        break;
      case Collective::kBroadcast:
        outputs[i] = inputs[call.root];
        break;
      case Collective::kReduce:
        if (i == call.root) outputs[i] = reduced;
        break;
      case Collective::kAllreduce:
        outputs[i] = reduced;
        break;
      case Collective::kScatter:
        outputs[i] = part(inputs[call.root], i);
        break;
      case Collective::kGather:
        if (i == call.root) outputs[i] = joined;
        break;
      case Collective::kAllgather:
        outputs[i] = joined;
        break;
      case Collective::kAlltoall:
        for (const Data& data : inputs) {
          const Data mine = part(data, i);
          outputs[i].insert(outputs[i].end(), mine.begin(), mine.end());
        }
        break;
      case Collective::kReduceScatter:
        if (call.count != 0) outputs[i] = part(reduced, i);
        break;
    }
  }
  return outputs;
}

// Bytes of the member's input; of a broadcast the root's buffer counts as its input.
inline Bytes given_bytes(const Call& call, std::uint32_t members, std::uint32_t rank) {
  if (call.what == Collective::kBroadcast) {
    return rank == call.root ? call.count * call.element : 0;
  }
  return input_bytes(call, members, rank);
}

inline Data input_of(const Call& call, std::uint32_t members, std::uint32_t rank,
                     std::uint64_t seed) {
  const Bytes bytes = given_bytes(call, members, rank);
  if (reduces(call.what) && call.commutative) return doubles(seed * 100 + rank, bytes / 8);
  return noise(seed * 100 + rank, bytes);
}

inline std::string describe(const Call& call, Algorithm algorithm, std::uint32_t members) {
  return std::string(name_of(call.what)) + " " + std::string(name_of(algorithm)) + " of " +
         std::to_string(members) + ", root " + std::to_string(call.root) + ", " +
         std::to_string(call.count) + " elements of " + std::to_string(call.element) +
         (call.in_place ? " in place" : "") + (call.commutative ? "" : " in order");
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_COLLECTIVE_REFERENCE_H_
