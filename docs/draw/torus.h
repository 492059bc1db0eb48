// SPDX-License-Identifier: Apache-2.0
// The machine: which node reaches which on which link.
#ifndef TORUSMU_DOCS_DRAW_TORUS_H_
#define TORUSMU_DOCS_DRAW_TORUS_H_

#include <filesystem>
#include <string>

namespace torusmu::draw {

// The layer z = 0 of mu_torus, 3x3x3, its links followed from node to node in the design. Throws
// std::runtime_error if a link is missing or leads to no node.
std::string draw_torus(const std::filesystem::path& design);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_TORUS_H_
