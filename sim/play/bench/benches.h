// SPDX-License-Identifier: Apache-2.0
// The benchmarks: each measures some of the figures of sim/play/figures.cc.
#ifndef TORUSMU_SIM_PLAY_BENCH_BENCHES_H_
#define TORUSMU_SIM_PLAY_BENCH_BENCHES_H_

#include <span>

#include "sim/app/options.h"
#include "sim/app/report.h"

namespace torusmu {

// How long a full reception FIFO is waited for in the bench of a process that is stuck, cycles.
inline constexpr unsigned kStuckHold = 200;

struct Bench {
  const char* name;
  const char* title;
  void (*run)(const Options&, Report&);
};

std::span<const Bench> benches();

void bench_put(const Options& options, Report& report);
void bench_router(const Options& options, Report& report);
void bench_reflection(const Options& options, Report& report);
void bench_fence(const Options& options, Report& report);
void bench_uniform(const Options& options, Report& report);
void bench_engine(const Options& options, Report& report);
void bench_get_storm(const Options& options, Report& report);
void bench_stuck(const Options& options, Report& report);
void bench_wait(const Options& options, Report& report);
void bench_pipe(const Options& options, Report& report);
void bench_barrier(const Options& options, Report& report);
void bench_allreduce8(const Options& options, Report& report);
void bench_allreduce64k(const Options& options, Report& report);
void bench_overlap(const Options& options, Report& report);
void bench_replay(const Options& options, Report& report);
void bench_seeds(const Options& options, Report& report);
void bench_polling(const Options& options, Report& report);
void bench_boot(const Options& options, Report& report);
void bench_offload(const Options& options, Report& report);
void bench_big(const Options& options, Report& report);
void bench_waves(const Options& options, Report& report);
void bench_build(const Options& options, Report& report);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_BENCH_BENCHES_H_
