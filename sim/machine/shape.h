// SPDX-License-Identifier: Apache-2.0
// Sizes of a machine as text, and who is whose neighbour.
#ifndef TORUSMU_SIM_MACHINE_SHAPE_H_
#define TORUSMU_SIM_MACHINE_SHAPE_H_

#include <string>

#include "torusmu/types.h"

namespace torusmu {

// Node that the outputs of `direction` lead to; `node` itself where the dimension has size 1; no
// node (value >= shape.nodes()) at the edge of a mesh.
NodeId neighbour(const Shape& shape, NodeId node, unsigned direction);

// "4x4x4" as a torus in all dimensions. Throws UsageError naming the legal range: 1 to 16 each.
Shape parse_shape(const std::string& text);
std::string shape_name(const Shape& shape);
// "node 3 (1,1,0)".
std::string node_name(const Shape& shape, NodeId node);

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_SHAPE_H_
