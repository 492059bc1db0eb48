// SPDX-License-Identifier: Apache-2.0
// Block diagrams: what is drawn is read from the design, where it stands from a .picture file.
//
//   size WIDTH HEIGHT
//   title TEXT
//   top MODULE                    of the design
//   expand MODULE...              these are looked into; all other modules are blocks
//   block ID X Y WIDTH HEIGHT INSTANCE...   its path below the top; several alike make a stack
//   pins ID X Y WIDTH HEIGHT PORT...        ports of the top, each a regular expression
//   same PATTERN TEXT             ports whose name (without _i, _o) matches in whole go by TEXT,
//   with
//                                 $1 for a part; - leaves them out. The first line that matches
//                                 counts.
//   tag TEXT PATTERN              a block with a port that matches bears TEXT
//   route LOOK FROM TO X,Y ... at X,Y [start|middle|end]   how the wires of two blocks run; `FROM
//   both
//                                 TO` for wires both ways. LOOK: data, control or lookup. Their
//                                 names stand at the point given.
//   legend LOOK TEXT              a line of the legend
//   note X Y TEXT
//
// Every instance must be a block, and every two blocks with wires between them must have a route
// that has any: so a picture cannot show what the design is no longer.
#ifndef TORUSMU_DOCS_DRAW_BLOCK_DIAGRAM_H_
#define TORUSMU_DOCS_DRAW_BLOCK_DIAGRAM_H_

#include <filesystem>
#include <string>

namespace torusmu::draw {

// The drawing. Throws std::runtime_error that lists everything in which picture and design differ.
std::string draw_blocks(const std::filesystem::path& picture, const std::filesystem::path& design);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_BLOCK_DIAGRAM_H_
