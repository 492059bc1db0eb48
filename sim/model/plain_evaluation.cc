// SPDX-License-Identifier: Apache-2.0
// What sim/model/node_evaluation.awk would write, of a model that is left as Verilator wrote it:
// nodes are evaluated one by one. So is the node that counts coverage, to which its counting of
// toggles belongs.
#include "sim/machine/node_evaluation.h"

namespace torusmu {

const bool kNodesInBatches = false;
void evaluate_inputs(Vmu_gated_node___024root*, bool, bool) {}
void evaluate_edge(Vmu_gated_node___024root* const*, const ClockMask*, std::size_t, std::size_t&) {}

}  // namespace torusmu
