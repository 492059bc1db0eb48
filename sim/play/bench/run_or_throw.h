// SPDX-License-Identifier: Apache-2.0
// Benches that run a machine without a stage.
#ifndef TORUSMU_SIM_PLAY_BENCH_RUN_OR_THROW_H_
#define TORUSMU_SIM_PLAY_BENCH_RUN_OR_THROW_H_

#include <optional>
#include <stdexcept>

#include "sim/machine/machine.h"
#include "torusmu/waits.h"

namespace torusmu {

// A run that failed, and who waited for whom then, if the machine could be looked at.
class RunFailure : public std::runtime_error {
 public:
  RunFailure(const std::string& failure, std::optional<WaitReport> waits)
      : std::runtime_error(failure), waits_(std::move(waits)) {}
  [[nodiscard]] const std::optional<WaitReport>& waits() const { return waits_; }

 private:
  std::optional<WaitReport> waits_;
};

// Runs until all cores are done and nothing moves; throws RunFailure if that fails.
RunResult run_or_throw(Machine& machine, Cycles cycles);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_RUN_OR_THROW_H_
