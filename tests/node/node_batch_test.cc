// SPDX-License-Identifier: Apache-2.0
// Nodes that are evaluated side by side.
#include "sim/machine/node_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/node_evaluation.h"
#include "sim/machine/node_shell.h"

namespace torusmu {
namespace {

// The two outer links of a row of three nodes end in the air.
constexpr Shape kRow{.x = 3, .y = 1, .z = 1};
constexpr unsigned kLatency = 4;

class NodeBatchTest : public ::testing::Test {
 protected:
  NodeBatchTest() {
    for (unsigned n = 0; n < kRow.nodes(); ++n) {
      shells_.push_back(
          std::make_unique<NodeShell>(kRow, NodeId{n}, Bytes{1} << 20, AxiTiming{}, 1));
      nodes_.push_back(
          std::make_unique<FastNode>(&context_, kRow, kLatency, *shells_.back(), "node"));
    }
  }

  VerilatedContext context_;
  std::vector<std::unique_ptr<NodeShell>> shells_;
  std::vector<std::unique_ptr<FastNode>> nodes_;
};

// Otherwise every other test would compare Verilator's evaluation with itself.
TEST(NodeEvaluation, IsThatOfTheInstalledVerilator) { EXPECT_TRUE(kNodesInBatches); }

TEST_F(NodeBatchTest, FailedAssertionIsThatOfItsNode) {
  for (auto& node : nodes_) node->set_gating(false);  // at rest nothing is clocked
  NodeBatch batch(nodes_, false, false);
  ASSERT_FALSE(batch.run(1, 0, 0, kLatency).has_value());
  // No place is left for requests, not even the reserved ones of its rings.
  auto& root = nodes_[1]->root();
  root.mu_gated_node__DOT__u_router__DOT__u_request_class__DOT__u_credits__DOT__any_q = 0;
  const auto failure = batch.run(2, kLatency, kLatency, 2 * kLatency);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->node, nodes_[1].get());
  try {
    std::rethrow_exception(failure->error);
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("mu_router_credits.sv"));
  }
}

TEST_F(NodeBatchTest, SleepingNodesAreNotEvaluated) {
  NodeBatch batch(nodes_, true, false);
  for (std::uint64_t window = 0; window < 100; ++window) {
    const Cycles start = window * kLatency;
    ASSERT_FALSE(batch.run(window + 1, start, start, start + kLatency).has_value());
  }
  for (const auto& node : nodes_) {
    EXPECT_TRUE(node->asleep());
    EXPECT_LT(node->evaluated(), 100U);
  }
}

}  // namespace
}  // namespace torusmu
