// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/node_batch.h"

#include <algorithm>

#include "sim/machine/node_evaluation.h"

namespace torusmu {
#ifdef TORUSMU_WAVE
// In a trace clocks fall too.
constexpr bool kNodesInBatches = false;
#endif

NodeBatch::NodeBatch(std::span<const std::unique_ptr<FastNode>> nodes, bool sleeping,
                     bool falling_edges)
    : nodes_(nodes), sleeping_(sleeping), falling_edges_(falling_edges || !kNodesInBatches) {}

std::optional<NodeBatch::Failure> NodeBatch::run(std::uint64_t window, Cycles start, Cycles from,
                                                 Cycles to) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->begin_window(window, start);
    due_[i] = nodes_[i]->next_step(from, sleeping_);
  }
  while (true) {
    const Cycles t = *std::min_element(due_.begin(), due_.begin() + nodes_.size());
    if (t >= to) return std::nullopt;
    try {
      step(t);
    } catch (const std::exception&) {
      return Failure{at_work_, std::current_exception()};
    }
  }
}

void NodeBatch::step(Cycles t) {
  clocked_ = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (due_[i] == t) begin(*nodes_[i], t);
  }
  if (clocked_ != 0) evaluate();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (due_[i] != t) continue;
    at_work_ = nodes_[i].get();
    at_work_->finish();
    due_[i] = at_work_->next_step(t + 1, sleeping_);
  }
}

void NodeBatch::begin(FastNode& node, Cycles t) {
  at_work_ = &node;
  const ClockMask clocks = node.prepare(t);
  if (falling_edges_) {
    node.rise(clocks);
    return;
  }
#ifndef TORUSMU_WAVE
  evaluate_inputs(&node.root(), node.links_changed(), node.buses_changed());
#endif
  if (clocks == 0) return;
  nodes_clocked_[clocked_] = &node;
  roots_[clocked_] = &node.root();
  clocks_[clocked_] = node.model().contextp()->assertOn() ? clocks | kAssertions : clocks;
  ++clocked_;
}

void NodeBatch::evaluate() {
#ifndef TORUSMU_WAVE
  std::size_t at = 0;
  try {
    evaluate_edge(roots_.data(), clocks_.data(), clocked_, at);
  } catch (...) {
    at_work_ = nodes_clocked_[at];
    throw;
  }
#endif
}

}  // namespace torusmu
