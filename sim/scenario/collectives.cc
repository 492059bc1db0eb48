// SPDX-License-Identifier: Apache-2.0
// barrier, allreduce: collectives that the MU runs by itself. After the posting no core does
// anything until the end is there.
#include <fmt/format.h>

#include <array>

#include "sim/scenario/collective_play.h"
#include "sim/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr Cycles kSkew = 3'000;

void check_times(Stage& stage, const char* name, const CollectiveTimes& times) {
  stage.check(fmt::format("{}.right", name), times.right,
              fmt::format("{} cycles from the last member's start to the last member's end",
                          times.cycles()));
  stage.check(fmt::format("{}.no_host", name), times.accesses == 0,
              fmt::format("{} accesses of all cores between posting and the end", times.accesses));
}

}  // namespace

void play_barrier(Stage& stage) {
  const CollectiveTimes times = play_collective(stage, RunBy::kMu, 0, kSkew);
  check_times(stage, "barrier", times);
  stage.figure("barrier.offload_cycles", static_cast<double>(times.cycles()));
}

void play_allreduce(Stage& stage) {
  constexpr std::uint64_t kDoubles = 16;
  const CollectiveTimes times = play_collective(stage, RunBy::kMu, kDoubles, kSkew);
  check_times(stage, "allreduce", times);
}

}  // namespace torusmu
