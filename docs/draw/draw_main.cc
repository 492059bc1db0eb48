// SPDX-License-Identifier: Apache-2.0
// Draws the pictures of docs/ to standard output:
//   draw blocks DESIGN.json X.picture   a block diagram, see block_diagram.h
//   draw layouts TITLE NAME...          layouts of packet.def and descriptor.def
//   draw torus DESIGN.json              mu_torus of 3x3x3 nodes
//   draw collectives                    docs/collective_schedules.md
// Exit status 0: drawn; 1: not, with the reason; 2: bad usage.
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/draw/bit_layout.h"
#include "docs/draw/block_diagram.h"
#include "docs/draw/collective_page.h"
#include "docs/draw/torus.h"

int main(int argc, char** argv) {
  using namespace torusmu::draw;
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 3 && words[0] == "blocks") {
      std::cout << draw_blocks(words[2], words[1]);
    } else if (words.size() >= 3 && words[0] == "layouts") {
      std::cout << draw_layouts(words[1], {words.begin() + 2, words.end()});
    } else if (words.size() == 2 && words[0] == "torus") {
      std::cout << draw_torus(words[1]);
    } else if (words == std::vector<std::string>{"collectives"}) {
      std::cout << collective_page();
    } else {
      std::cerr << "usage: draw blocks DESIGN.json X.picture | layouts TITLE NAME... | torus "
                   "DESIGN.json | collectives\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "draw: " << error.what() << "\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
