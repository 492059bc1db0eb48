// SPDX-License-Identifier: Apache-2.0
// What the scenario `collectives` calls: every collective around each length at which the library
// takes another algorithm, with what each member gives and what each must get.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_CALLS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/src/schedule.h"
#include "torusmu/collectives.h"

namespace torusmu {

struct CollectiveCall {
  Call call;
  ReduceOp op = ReduceOp::kSum;  // of the three that reduce
  DataType type = DataType::kF64;
  // Documented: the MU can run it for a group of so many members.
  bool fits_mu = true;
  std::vector<std::vector<std::byte>> in{};   // by member; of a broadcast the root's alone
  std::vector<std::vector<std::byte>> out{};  // by member, empty where nothing comes out
  [[nodiscard]] std::string name() const;     // "reduce of 1024 bytes, MAXLOC of u32, root 3"
};

bool reduces(Collective what);

// What a window of the MU has to hold for the longest of them that it is to run.
Bytes collective_window(std::uint32_t members);

// In the order in which they are made. `brief` leaves out those of 64 KiB and more, and has one
// operation of each length.
std::vector<CollectiveCall> collective_calls(std::uint32_t members, std::uint64_t seed, bool brief);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_COLLECTIVE_CALLS_H_
