// SPDX-License-Identifier: Apache-2.0
// The benchmarks: each measures some of the figures of sim/play/figures.cc.
#ifndef TORUSMU_SIM_PLAY_BENCH_BENCHES_H_
#define TORUSMU_SIM_PLAY_BENCH_BENCHES_H_

#include <span>

#include "sim/play/bench/bench_options.h"
#include "sim/play/sink.h"

namespace torusmu {

// How long a full reception FIFO is waited for in the bench of a process that is stuck, cycles.
inline constexpr unsigned kStuckHold = 200;

struct Bench {
  const char* name;
  const char* title;
  void (*run)(const BenchOptions&, Sink&);
};

std::span<const Bench> benches();

void bench_put(const BenchOptions& options, Sink& sink);
void bench_router(const BenchOptions& options, Sink& sink);
void bench_reflection(const BenchOptions& options, Sink& sink);
void bench_send(const BenchOptions& options, Sink& sink);
void bench_fence(const BenchOptions& options, Sink& sink);
// The part of it that goes by the host library.
void bench_endpoint_fences(const BenchOptions& options, Sink& sink);
void bench_uniform(const BenchOptions& options, Sink& sink);
void bench_engine(const BenchOptions& options, Sink& sink);
void bench_get_storm(const BenchOptions& options, Sink& sink);
void bench_stuck(const BenchOptions& options, Sink& sink);
void bench_wait(const BenchOptions& options, Sink& sink);
void bench_calc(const BenchOptions& options, Sink& sink);
void bench_pipe(const BenchOptions& options, Sink& sink);
void bench_barrier(const BenchOptions& options, Sink& sink);
void bench_tree(const BenchOptions& options, Sink& sink);
void bench_allreduce8(const BenchOptions& options, Sink& sink);
void bench_allreduce64k(const BenchOptions& options, Sink& sink);
void bench_overlap(const BenchOptions& options, Sink& sink);
void bench_replay(const BenchOptions& options, Sink& sink);
void bench_seeds(const BenchOptions& options, Sink& sink);
void bench_polling(const BenchOptions& options, Sink& sink);
void bench_boot(const BenchOptions& options, Sink& sink);
void bench_offload(const BenchOptions& options, Sink& sink);
void bench_bgp(const BenchOptions& options, Sink& sink);
void bench_big(const BenchOptions& options, Sink& sink);
void bench_waves(const BenchOptions& options, Sink& sink);
void bench_build(const BenchOptions& options, Sink& sink);
void bench_source(const BenchOptions& options, Sink& sink);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_BENCHES_H_
