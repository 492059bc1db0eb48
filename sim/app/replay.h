// SPDX-License-Identifier: Apache-2.0
// The subcommand `torusmu replay TRACE`.
#ifndef TORUSMU_SIM_APP_REPLAY_H_
#define TORUSMU_SIM_APP_REPLAY_H_

#include <cstdint>
#include <string>

#include "sim/app/options.h"
#include "sim/play/replay/play.h"

namespace torusmu {

struct ReplayOptions {
  std::uint64_t eager_limit = 512;       // 0 to 65536
  std::string send_end = "received";     // or "reflected"
  std::string store_by = "core";         // or "mu"
  std::string collectives = "software";  // or "offload"
  std::string polling = name_of(replay::PlayOptions{}.polling);
  std::uint32_t tasks_per_node = 1;  // 1 to kProfile.clients
  std::uint64_t start_skew = 0;      // cycles
  std::uint64_t stall_after = 0;     // cycles; 0: by the longest message
};

// Adds them to a subcommand.
void add_replay_options(CLI::App& command, ReplayOptions& options);

// How a trace is played with them. Throws UsageError that names the bad value and what is legal.
replay::PlayOptions play_options(const ReplayOptions& options);

// Replays a trace file on the RTL machine. Returns the exit status of the program and throws
// UsageError for bad usage and bad traces.
int run_replay(const std::string& file, const Options& options, const ReplayOptions& wanted);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_REPLAY_H_
