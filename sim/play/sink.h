// SPDX-License-Identifier: Apache-2.0
// Where goes what a run finds out: lines for the reader, checks, figures, messages and machines.
#ifndef TORUSMU_SIM_PLAY_SINK_H_
#define TORUSMU_SIM_PLAY_SINK_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sim/machine/machine.h"
#include "sim/observe/program_message.h"
#include "torusmu/waits.h"

namespace torusmu {

class Sink {
 public:
  virtual ~Sink() = default;
  // A line for the reader.
  virtual void say(const std::string& text) = 0;
  // One check of the result, of a machine in `cycle`. `assertion`: of the RTL, whose failure is
  // what the check is about.
  virtual void check(const std::string& name, bool passed, const std::string& detail,
                     std::optional<Cycles> cycle,
                     const std::optional<FailedAssertion>& assertion) = 0;
  void check(const std::string& name, bool passed, const std::string& detail) {
    check(name, passed, detail, std::nullopt, std::nullopt);
  }
  // The fault that the links were to have, and where it went.
  virtual void fault(const Fault& fault, const std::optional<FaultPlace>& place,
                     const std::string& text) = 0;
  // Names are those of `torusmu list --figures`; throws std::logic_error for another.
  virtual void figure(const std::string& name, const nlohmann::json& value) = 0;
  // Who waits for whom in a machine that did not end.
  virtual void waits(const WaitReport& waits) = 0;
  // A message of the machine that is added next, and when its program ran.
  virtual void message(const ProgramMessage& message) = 0;
  virtual void program_time(Cycles from, Cycles to) = 0;
  // A machine that has run.
  virtual void add_machine(const Machine& machine) = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SINK_H_
