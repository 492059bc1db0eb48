// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/benches.h"

#include <array>

namespace torusmu {
namespace {

constexpr std::array kBenches{
    Bench{"put", "one long put to a neighbour, and one of 8 bytes", bench_put},
    Bench{"router", "cycles of a hop", bench_router},
    Bench{"reflection", "completions by reflection, against an acknowledgement by the target",
          bench_reflection},
    Bench{"uniform", "uniform random puts at full load", bench_uniform},
    Bench{"engine", "speed of the engines", bench_engine},
    Bench{"get_storm", "remote gets into queues of one slot", bench_get_storm},
    Bench{"stuck", "a process that stops draining its reception FIFO", bench_stuck},
    Bench{"big", "memory of a machine of 4,096 nodes", bench_big},
    Bench{"build", "time to make the node model (needs the source tree)", bench_build},
};

}  // namespace

std::span<const Bench> benches() { return kBenches; }

}  // namespace torusmu
