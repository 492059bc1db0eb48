// SPDX-License-Identifier: Apache-2.0
// Who looks on at the pins of a node. It changes nothing.
#ifndef TORUSMU_SIM_MACHINE_NODE_OBSERVER_H_
#define TORUSMU_SIM_MACHINE_NODE_OBSERVER_H_

#include <cstdint>

#include "sim/machine/core.h"

namespace torusmu {

// One of a node; only the thread that runs the node calls it.
class NodeObserver {
 public:
  virtual ~NodeObserver() = default;
  // The node takes a register access at the edge of `t`.
  virtual void register_taken(Cycles t, const RegisterAccess& access) = 0;
  // A flit is on the output pins after the edge of `t`.
  virtual void flit_out(Cycles t, unsigned direction, bool head, bool tail, bool reply,
                        const std::uint32_t* data) = 0;
  // That packet is taken from the link, its last flit, of cycle `t`, too: an injected fault.
  virtual void lost(Cycles t, unsigned direction, const std::uint32_t* header,
                    const std::uint32_t* trailer) = 0;
  // The memory accepts a write of `bytes` from `begin` on; `start` is what begins there, 32 bytes.
  virtual void written(Cycles t, Address begin, Bytes bytes, const std::uint32_t* start) = 0;
  // The interrupt lines have changed after the edge of `t`: bit c is client c's.
  virtual void interrupts(Cycles t, std::uint32_t lines) = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_NODE_OBSERVER_H_
