// SPDX-License-Identifier: Apache-2.0
// The node that counts is evaluated as Verilator does it, one node at a time: its counting of
// toggles belongs to that.
#include "sim/machine/node_evaluation.h"

namespace torusmu {

const bool kNodesInBatches = false;
void evaluate_inputs(Vmu_gated_node___024root*, bool, bool) {}
void evaluate_edge(Vmu_gated_node___024root* const*, const ClockMask*, std::size_t, std::size_t&) {}

}  // namespace torusmu
