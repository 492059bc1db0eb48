// SPDX-License-Identifier: Apache-2.0
// The subcommand `torusmu replay TRACE`.
#ifndef TORUSMU_SIM_REPLAY_REPLAY_H_
#define TORUSMU_SIM_REPLAY_REPLAY_H_

#include <cstdint>
#include <string>

#include "sim/cli/options.h"

namespace torusmu {

// Replays a trace file on the RTL machine. Returns the exit status of the program and throws
// UsageError for bad usage and bad traces.
int run_replay(const std::string& file, const Options& options, std::uint64_t eager_limit,
               const std::string& collectives, const std::string& polling);

}  // namespace torusmu

#endif  // TORUSMU_SIM_REPLAY_REPLAY_H_
