// SPDX-License-Identifier: Apache-2.0
// What a test of the node drives, so that it can be played on the reference model alone too.
#ifndef TORUSMU_TESTS_SUPPORT_NODE_UNDER_TEST_H_
#define TORUSMU_TESTS_SUPPORT_NODE_UNDER_TEST_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/support/model_node.h"
#include "tests/support/node_judge.h"

namespace torusmu::testing {

// RTL and model together (NodeJudge), or the model alone (ModelNode).
class NodeUnderTest {
 public:
  virtual ~NodeUnderTest() = default;
  virtual Device& device() = 0;
  virtual model::ReferenceNode& reference() = 0;
  virtual void deliver_sealed(const model::Packet& packet) = 0;
  virtual std::vector<model::Packet> settle(const std::string& where) = 0;
  virtual void pass(Cycles cycles) = 0;
  virtual void let_retries_run(Cycles retry_cycles) = 0;
  [[nodiscard]] virtual unsigned differences() const = 0;

  RawNode raw(ClientId client = {0}) { return RawNode(device(), client); }
  Coordinates here() { return device().shape().coordinates(device().node()); }
};

template <typename Node>
class NodeUnderTestOf final : public NodeUnderTest {
 public:
  template <typename... Options>
  explicit NodeUnderTestOf(Options&&... options) : node_(std::forward<Options>(options)...) {}
  Device& device() override { return node_.device(); }
  model::ReferenceNode& reference() override { return node_.reference(); }
  void deliver_sealed(const model::Packet& packet) override { node_.deliver_sealed(packet); }
  std::vector<model::Packet> settle(const std::string& where) override {
    return node_.settle(where);
  }
  void pass(Cycles cycles) override { node_.pass(cycles); }
  void let_retries_run(Cycles retry_cycles) override { node_.let_retries_run(retry_cycles); }
  [[nodiscard]] unsigned differences() const override { return node_.differences(); }

 private:
  Node node_;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_NODE_UNDER_TEST_H_
