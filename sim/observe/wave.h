// SPDX-License-Identifier: Apache-2.0
// FST waves of the fast engine. Only the traced build, torusmu-wave, can write them.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_H_
#define TORUSMU_SIM_OBSERVE_WAVE_H_

#include <verilated.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/engine.h"
#include "sim/machine/fast_node.h"

namespace torusmu {

class Wave {
 public:
  // nullptr if no file is wanted. Throws UsageError in a build without traces. Call before any
  // model is made.
  static std::unique_ptr<Wave> open(const WaveConfig& config, VerilatedContext& context);
  virtual ~Wave() = default;
  // Opens the file with the chosen nodes.
  virtual void attach(std::vector<std::unique_ptr<FastNode>>& nodes, const WaveConfig& config) = 0;
  // Does any cycle of [from, to) go into the file?
  [[nodiscard]] virtual bool covers(Cycles from, Cycles to) const = 0;
  // Every node stands after the rising edge of cycle `t`. Time in the file: 1 ns a cycle.
  virtual void dump(Cycles t) = 0;
  // Nothing comes any more. Throws UsageError, as attach and dump do, if any of the file could not
  // be written; it is gone then.
  virtual void close() = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_H_
