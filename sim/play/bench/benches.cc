// SPDX-License-Identifier: Apache-2.0
#include "sim/play/bench/benches.h"

#include <array>

namespace torusmu {
namespace {

constexpr std::array kBenches{
    Bench{"put", "one long put to a neighbour, and one of 8 bytes", bench_put},
    Bench{"router", "cycles of a hop", bench_router},
    Bench{"reflection", "completions by reflection, against an acknowledgement by the target",
          bench_reflection},
    Bench{"send", "long messages whose end is told by reflection, and by the receiver's core",
          bench_send},
    Bench{"fence", "a FENCE behind sends in one node, and behind a put across the network",
          bench_fence},
    Bench{"uniform", "uniform random puts at full load", bench_uniform},
    Bench{"engine", "speed of the engines", bench_engine},
    Bench{"get_storm", "remote gets into queues of one slot", bench_get_storm},
    Bench{"stuck", "a process that stops draining its reception FIFO", bench_stuck},
    Bench{"wait", "from a count to the first flit of what waits for it", bench_wait},
    Bench{"barrier", "barrier of 64 nodes, by the MU and by software", bench_barrier},
    Bench{"tree", "barrier of 64 nodes over the combining tree, of cores and of queues",
          bench_tree},
    Bench{"allreduce8", "sum of one double over 64 nodes, by the MU and by software",
          bench_allreduce8},
    Bench{"allreduce64k", "sum of 64 KiB of doubles over 64 nodes, by the MU", bench_allreduce64k},
    Bench{"overlap", "cycles left for computing while the MU sums", bench_overlap},
    Bench{"pipe", "a megabyte through a node with four buffers, by one PIPE", bench_pipe},
    Bench{"calc", "a result to four neighbours, by a list of targets and by PUTs", bench_calc},
    Bench{"offload", "what cores do while the MU runs a collective", bench_offload},
    Bench{"bgp", "what the sizes of the profile bgp allow (needs the source tree)", bench_bgp},
    Bench{"replay", "real programs, collectives by the MU and by software (needs the source tree)",
          bench_replay},
    Bench{"seeds", "what seeds change of a replay (needs the source tree)", bench_seeds},
    Bench{"polling", "what polling by history saves real programs (needs the source tree)",
          bench_polling},
    Bench{"boot", "tasks that start late while others send to them", bench_boot},
    Bench{"big", "memory of a machine of 4,096 nodes", bench_big},
    Bench{"waves",
          "full waves of a real program: their size and what they cost (needs the source tree)",
          bench_waves},
    Bench{"build", "time to build, from nothing and after a change (needs the source tree)",
          bench_build},
    Bench{"source", "size and shape of the RTL (needs the source tree)", bench_source},
};

}  // namespace

std::span<const Bench> benches() { return kBenches; }

}  // namespace torusmu
