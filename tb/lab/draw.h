// SPDX-License-Identifier: Apache-2.0
// A soak: tests whose machine and options are drawn, each run from its own seed.
#ifndef TORUSMU_TB_LAB_DRAW_H_
#define TORUSMU_TB_LAB_DRAW_H_

#include <cstdint>
#include <string>
#include <vector>

namespace torusmu::lab {

// Both ends are in it.
struct Range {
  std::uint64_t least = 0, most = 0;
};

// From what the runs of a test are drawn. Shares are in percent of the runs.
struct Draw {
  Range nodes{1, 1};  // of the machine, in any shape that has as many
  Range latency{8, 8};
  Range threads{1, 1};
  std::vector<std::string> timings;  // of --timing, one of them; empty: fixed
  Range packet{1, 1};                // the number N of --inject
  std::uint64_t no_sleep = 0;
  std::uint64_t inject = 0;  // a packet dropped or a bit flipped, as many of each
  std::uint64_t page = 0;    // --report
};

// What one run came to.
struct Drawn {
  std::vector<std::string> words;  // of the command
  bool has_fault = false;          // it passes or fails, but comes to a verdict
  bool has_page = false;
};

// The same for the same seed on every machine. The range of nodes has a number that some shape has.
Drawn drawn(const Draw& draw, std::uint64_t seed);

// Of every shape with so many nodes, each dimension 1 to 16: "6x1x1". Empty if there is none.
std::vector<std::string> shapes_with(std::uint64_t nodes);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_DRAW_H_
