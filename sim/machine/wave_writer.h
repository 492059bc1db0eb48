// SPDX-License-Identifier: Apache-2.0
// What writes the waves of the fast engine, as the engine calls it.
#ifndef TORUSMU_SIM_MACHINE_WAVE_WRITER_H_
#define TORUSMU_SIM_MACHINE_WAVE_WRITER_H_

#include <memory>
#include <vector>

#include "sim/machine/engine.h"

namespace torusmu {

class FastNode;

class WaveWriter {
 public:
  virtual ~WaveWriter() = default;
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

#endif  // TORUSMU_SIM_MACHINE_WAVE_WRITER_H_
