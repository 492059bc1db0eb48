// SPDX-License-Identifier: Apache-2.0
// build.*: how long who has just cloned the tree waits, and who has changed a line of the RTL.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/observe/quoted.h"
#include "sim/play/bench/benches.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;

// A line of the RTL that scenario put sees.
constexpr const char* kChange = "tests/seeded_bug.sh apply crc_insert_before_the_tail .";

struct Ran {
  int status;
  double seconds;  // of the clock
};

// A command of the shell, in `folder`, with make as if it were called by hand.
Ran run_in(const fs::path& folder, const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  const int status =
      std::system(fmt::format("cd {} && export MAKEFLAGS= MAKELEVEL= && {{ {}; }} "
                              ">{}/log 2>&1",
                              quoted(folder.string()), command, quoted(folder.string()))
                      .c_str());
  return {status, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace

void bench_build(const BenchOptions& /*options*/, Sink& sink) {
  if (!fs::exists("Makefile") || !fs::exists("rtl/mu_node.sv")) {
    sink.check("build.source_tree", false, "run this from the root of the source tree");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / fmt::format("torusmu-build-{}", getpid());
  const auto measure = [&](const char* figure, const char* command) {
    const Ran ran = run_in(folder, command);
    sink.check(figure, ran.status == 0,
               ran.status == 0 ? fmt::format("{:.1f} s: {}", ran.seconds, command)
                               : fmt::format("failed, see {}/log: {}", folder.string(), command));
    sink.figure(figure, ran.seconds);
    return ran.status == 0;
  };
  // The files of the tree as they are, without what was built from them.
  const std::string copied = fmt::format(
      "mkdir -p {0} && git ls-files -z | xargs -0 cp --parents -t {0}", quoted(folder.string()));
  const bool copies = std::system(copied.c_str()) == 0;
  sink.check("build.copy", copies, copied);
  const bool good =
      copies && measure("build.run_seconds", "make PARALLEL=2 CCACHE= run") &&
      run_in(folder, fmt::format("make PARALLEL=2 CCACHE= quick && {}", kChange)).status == 0 &&
      measure("build.quick_seconds",
              "make PARALLEL=2 CCACHE= quick && ! build/torusmu-quick scenario put") &&
      measure("build.node_seconds",
              "rm -rf build/node build/node_train && make PARALLEL=2 CCACHE= build/node/libnode.a");
  if (!good) return;
  std::error_code error;
  fs::remove_all(folder, error);
}

}  // namespace torusmu
