// SPDX-License-Identifier: Apache-2.0
// Several nodes of the fast engine, evaluated side by side.
//
// The code of one evaluation of a node is larger than a processor's first cache for instructions,
// so a processor that evaluates one node after the other waits for code most of the time. Here each
// function of the evaluation runs for all nodes of a batch before the next one is fetched.
#ifndef TORUSMU_SIM_MACHINE_NODE_BATCH_H_
#define TORUSMU_SIM_MACHINE_NODE_BATCH_H_

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>

#include "sim/machine/fast_node.h"

namespace torusmu {

class NodeBatch {
 public:
  // With more, their states leave the first cache for data; with fewer, more time goes by waiting
  // for code (measured: 4 are 3 % slower when saturated, 2 % at 10 % load).
  static constexpr std::size_t kNodes = 8;

  // An exception of a core or an assertion, and where it came from.
  struct Failure {
    FastNode* node;
    std::exception_ptr error;
  };

  // `nodes`: 1 to kNodes. `falling_edges`: see EngineConfig::two_evaluations.
  NodeBatch(std::span<const std::unique_ptr<FastNode>> nodes, bool sleeping, bool falling_edges);

  // Runs cycles [from, to) of window number `window`, which began at cycle `start`. Ends early with
  // the failure if one of the nodes fails.
  std::optional<Failure> run(std::uint64_t window, Cycles start, Cycles from, Cycles to);

 private:
  void step(Cycles t);
  void begin(FastNode& node, Cycles t);
  void evaluate();

  std::span<const std::unique_ptr<FastNode>> nodes_;
  bool sleeping_;
  bool falling_edges_;
  std::array<Cycles, kNodes> due_{};  // cycle in which each node must be evaluated next
  // Of the cycle that is being evaluated: the nodes with a clock, and who is at work.
  std::size_t clocked_ = 0;
  std::array<FastNode*, kNodes> nodes_clocked_{};
  std::array<Vmu_gated_node___024root*, kNodes> roots_{};
  std::array<ClockMask, kNodes> clocks_{};
  FastNode* at_work_ = nullptr;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_NODE_BATCH_H_
