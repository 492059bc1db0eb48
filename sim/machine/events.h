// SPDX-License-Identifier: Apache-2.0
// What a run can record at the pins of its nodes, for scenarios and figures that say when things
// happened.
#ifndef TORUSMU_SIM_MACHINE_EVENTS_H_
#define TORUSMU_SIM_MACHINE_EVENTS_H_

#include <array>
#include <cstdint>

#include "sim/machine/core.h"

namespace torusmu {

inline constexpr unsigned kDirections = 6;  // x+ x- y+ y- z+ z-; d ^ 1 is the opposite of d
inline constexpr std::array<const char*, kDirections> kDirectionNames{"x+", "x-", "y+",
                                                                      "y-", "z+", "z-"};

// A flit with its sideband, as on the pins of a link.
struct Flit {
  std::array<std::uint32_t, 4> data{};
  bool head = false, tail = false, reply = false;
};

struct Event {
  enum class Kind {
    kRegister,  // the node took a register access at the edge of `cycle`
    kFlitOut,  // the flit is on the output pins after the edge of `cycle`; the neighbour samples it
               // at the edge of cycle + latency
    kInterrupt,  // the interrupt lines have changed after the edge of `cycle`
  };
  Cycles cycle = 0;
  NodeId node{};
  Kind kind = Kind::kRegister;
  unsigned direction = 0;   // of kFlitOut
  Flit flit{};              // of kFlitOut
  RegisterAccess access{};  // of kRegister
  std::uint32_t lines = 0;  // of kInterrupt: bit c is client c's line
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_EVENTS_H_
