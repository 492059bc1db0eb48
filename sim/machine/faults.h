// SPDX-License-Identifier: Apache-2.0
// One fault on the links of the fast engine, put there between windows.
#ifndef TORUSMU_SIM_MACHINE_FAULTS_H_
#define TORUSMU_SIM_MACHINE_FAULTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/machine/fast_node.h"

namespace torusmu {

class FaultInjector {
 public:
  FaultInjector(const Fault& fault, const Shape& shape) : fault_(fault), shape_(shape) {}
  [[nodiscard]] bool active() const { return fault_.kind != Fault::Kind::kNone; }
  // Looks at everything that was sent in window number `window` of `latency` cycles, which began at
  // cycle `start`, in the order of cycle, node and direction, before anything of it is read.
  void apply(std::vector<std::unique_ptr<FastNode>>& nodes, std::uint64_t window, Cycles start,
             unsigned latency);
  // Nothing while the run has not come to that packet.
  [[nodiscard]] const std::optional<FaultPlace>& place() const { return place_; }

 private:
  void visit(FastNode& node, unsigned direction, Link::Half& half, unsigned k, Cycles cycle);

  Fault fault_;
  Shape shape_;
  std::uint64_t packets_ = 0;  // of the counted sort, so far
  std::optional<FaultPlace> place_;
  bool in_packet_ = false;  // more of its flits are to come
  Link::Slot header_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_FAULTS_H_
