// SPDX-License-Identifier: Apache-2.0
// One fault on the links of the fast engine, put there between windows.
#ifndef TORUSMU_SIM_FAULTS_H_
#define TORUSMU_SIM_FAULTS_H_

#include <cstdint>
#include <vector>

#include "sim/fast_node.h"

namespace torusmu {

class FaultInjector {
 public:
  explicit FaultInjector(const Fault& fault) : fault_(fault) {}
  [[nodiscard]] bool active() const { return fault_.kind != Fault::Kind::kNone; }
  // Looks at everything that was sent in window number `window` of `latency` cycles, which began at
  // cycle `start`, in the order of cycle, node and direction, before anything of it is read.
  void apply(std::vector<std::unique_ptr<FastNode>>& nodes, std::uint64_t window, Cycles start,
             unsigned latency);
  [[nodiscard]] std::uint64_t done() const { return done_; }

 private:
  void visit(FastNode& node, unsigned direction, Link::Half& half, unsigned k, Cycles cycle);

  Fault fault_;
  std::uint64_t packets_ = 0;  // of the counted sort, so far
  std::uint64_t done_ = 0;
  // The packet that is being damaged: where, and its class.
  bool in_packet_ = false;
  const FastNode* node_ = nullptr;
  unsigned direction_ = 0;
  Link::Slot header_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_FAULTS_H_
