// SPDX-License-Identifier: Apache-2.0
// What a scenario plays on: a machine of nodes with memory and cores, and a list of checks. The RTL
// machine is one stage, the reference model of tb/ another.
#ifndef TORUSMU_SIM_PLAY_STAGE_H_
#define TORUSMU_SIM_PLAY_STAGE_H_

#include <functional>
#include <string>
#include <vector>

#include "sim/machine/core.h"
#include "sim/machine/events.h"
#include "sim/machine/memory.h"
#include "sim/observe/program_message.h"
#include "sim/observe/wave_view.h"

namespace torusmu {

class Stage {
 public:
  virtual ~Stage() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual std::uint64_t seed() const = 0;
  [[nodiscard]] virtual Cycles now() const = 0;
  [[nodiscard]] virtual unsigned link_latency() const = 0;
  virtual NodeMemory& memory(NodeId node) = 0;
  virtual const Core& add_core(NodeId node, Core::Program program) = 0;
  // Runs until all cores have returned and nothing moves, for at most `cycles` more. False, with a
  // failed check that says why, if that did not come about.
  virtual bool run(Cycles cycles) = 0;
  // What was seen at the pins since the last call; empty on a stage without pins.
  virtual std::vector<Event> take_events() = 0;
  [[nodiscard]] virtual bool has_pins() const = 0;
  // Memories and cores take the same time for the same thing: what is measured may be judged.
  [[nodiscard]] virtual bool has_fixed_timing() const { return true; }
  // A long transfer may be a short one: the stage plays every scenario in many ways.
  [[nodiscard]] virtual bool is_brief() const { return false; }

  // One line of the result. `detail` says what was found where.
  virtual void check(const std::string& name, bool passed, const std::string& detail) = 0;
  virtual void figure(const std::string& name, double value) = 0;
  // A line for the reader.
  virtual void say(const std::string& text) = 0;
  // What the waves open at; the first act that is shown counts. A stage may have no waves.
  virtual void show(const Act& /*act*/) {}

  // A message that has arrived, for those who want to look at all of them.
  virtual void message(const ProgramMessage& /*message*/) {}
  // The cycles in which the program ran, without set-up before and waiting for stragglers behind.
  // One that does not say so ran while its messages were under way.
  virtual void program_time(Cycles /*from*/, Cycles /*to*/) {}

  // The same program on every node.
  void on_all_nodes(const std::function<void(Device&)>& program) {
    for (std::uint32_t n = 0; n < shape().nodes(); ++n) add_core({n}, program);
  }
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_STAGE_H_
