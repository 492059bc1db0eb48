// SPDX-License-Identifier: Apache-2.0
// The evaluation of several nodes for one edge, which sim/model/node_evaluation.awk writes at build
// time from Verilator's evaluation of one node.
#ifndef TORUSMU_SIM_MACHINE_NODE_EVALUATION_H_
#define TORUSMU_SIM_MACHINE_NODE_EVALUATION_H_

#include <Vmu_gated_node___024root.h>

#include <cstddef>

#include "sim/machine/fast_node.h"

namespace torusmu {

// False if the installed Verilator writes its evaluation otherwise than it is known to.
extern const bool kNodesInBatches;

// Evaluates what depends on the input pins of a node alone. Before evaluate_edge(). `links`,
// `buses`: a pin of a link, of the register bus or of the memory is not what it was at the last
// call.
void evaluate_inputs(Vmu_gated_node___024root* node, bool links, bool buses);

// Evaluates `count` nodes, 32 at most, for a rising edge out of reset: node i for that of
// clocks[i], with kAssertions or without; the clock pins are not looked at. If an assertion throws,
// `at` is which of the nodes it belongs to.
void evaluate_edge(Vmu_gated_node___024root* const* nodes, const ClockMask* clocks,
                   std::size_t count, std::size_t& at);

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_NODE_EVALUATION_H_
