// SPDX-License-Identifier: Apache-2.0
// What GTKWave shows when it opens a trace: a save file beside it.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_VIEW_H_
#define TORUSMU_SIM_OBSERVE_WAVE_VIEW_H_

#include <string>
#include <vector>

#include "sim/machine/core.h"

namespace torusmu {

// The part of a run that is worth a look. A scenario says so once it has played it.
struct Act {
  struct Actor {
    NodeId node;
    std::string part;                 // what it is in this act: "origin"
    std::vector<std::string> groups;  // what to show of it, by title, see observe/view_items.cc
  };
  struct Mark {
    Cycles cycle;
    std::string text;
  };
  Cycles from = 0, to = 0;
  std::vector<Actor> actors;
  std::vector<Mark> marks;  // named markers of GTKWave: at most 26
};

struct WaveView {
  Cycles from = 0, to = 0;         // what fills the window
  std::vector<NodeId> nodes;       // all that are in the trace
  std::vector<Act::Actor> actors;  // those of them that are shown; none: all, folded up
  std::vector<Act::Mark> marks;
  // Of each of `nodes` the numbers of its lanes of messages that are worth a row, see
  // message_track.h.
  struct Lanes {
    std::vector<std::size_t> sent, received;
  };
  std::vector<Lanes> lanes;
  // Signals of one instance of the RTL, by their names in the trace; they stand before the nodes.
  struct Block {
    std::string title;
    std::string instance;  // its path below the node
    std::vector<std::string> signals;
  };
  std::vector<Block> blocks;
};

// In a trace a cycle is a nanosecond, in steps of a picosecond.
inline constexpr Cycles kWaveUnitsPerCycle = 1000;

// "x.fst" has its view in "x.gtkw".
std::string view_file_of(const std::string& fst_file);
// Throws UsageError if the file cannot be written, and for a group that is not there.
void write_gtkwave_save_file(const std::string& fst_file, const WaveView& view);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_VIEW_H_
