// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts, from the tables that the design and the library are made from.
#ifndef TORUSMU_DOCS_DRAW_BIT_LAYOUT_H_
#define TORUSMU_DOCS_DRAW_BIT_LAYOUT_H_

#include <string>
#include <vector>

namespace torusmu::draw {

// Rows of 32 bits, bit 0 at the right. Throws std::runtime_error for a name that no layout of
// packets or descriptors has.
std::string draw_layouts(const std::string& title, const std::vector<std::string>& names);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_BIT_LAYOUT_H_
