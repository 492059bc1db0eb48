// SPDX-License-Identifier: Apache-2.0
// seeds.*: a seed is another run only if it changes what happens when.
#include <fmt/format.h>

#include <set>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/replay_stage.h"

namespace torusmu {
namespace {

constexpr const char* kTrace = "tests/traces/lulesh-8.trace";
constexpr std::uint64_t kSeeds = 20;

}  // namespace

void bench_seeds(const BenchOptions& options, Sink& sink) {
  const replay::Trace trace = replay::read_trace_file(kTrace);
  for (const char* timing : {"random", "fixed"}) {
    std::set<std::uint64_t> hashes;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      BenchOptions each = options;
      each.seed = seed;
      each.timing = timing;
      const std::string name = fmt::format("seeds.{}.{}", timing, seed);
      hashes.insert(ReplayStage::play(each, sink, name, trace, {}).flit_hash);
    }
    sink.figure(fmt::format("seeds.hashes_{}", timing), hashes.size());
  }
}

}  // namespace torusmu
