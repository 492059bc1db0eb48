// SPDX-License-Identifier: Apache-2.0
// waves.*: what full waves of a whole machine cost: the LULESH trace on 3x3x3, every signal of
// every node in every cycle.
//
//   fst_bytes   size of the file
//   slowdown    processor time of the replay with waves, as a multiple of the same without
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/replay_stage.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Processor time of all children that have ended.
double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

struct Run {
  bool good = false;
  double seconds = 0;
};

// Replays the trace by this program in a process of its own.
Run lulesh(const std::string& options) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  const std::string command =
      fmt::format("'{}' replay {} --quiet {}", program, kReplayPrograms[0].trace, options);
  const double before = children_seconds();
  const int status = std::system(command.c_str());
  return {status == 0, children_seconds() - before};
}

}  // namespace

void bench_waves(const BenchOptions& /*options*/, Sink& sink) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("torusmu-waves-{}", getpid());
  fs::create_directories(folder);
  const fs::path file = folder / "lulesh.fst";
  const Run plain = lulesh("");
  const Run traced = lulesh(fmt::format("--wave '{}'", file.string()));
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  fs::remove_all(folder, error);
  sink.check("waves.replay", plain.good && traced.good,
             fmt::format("{:.1f} s of processor time without waves, {:.1f} s with", plain.seconds,
                         traced.seconds));
  if (!plain.good || !traced.good) return;
  sink.figure("waves.fst_bytes", bytes);
  sink.figure("waves.slowdown", traced.seconds / plain.seconds);
}

}  // namespace torusmu
