// SPDX-License-Identifier: Apache-2.0
// source.*: how much of the RTL there is to read, and how much of that only connects. The lint,
// which knows what a port is, counts.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "sim/play/bench/benches.h"

namespace torusmu {
namespace {

constexpr const char* kShape =
    "make -s build/source_lint >&2 && "
    "find rtl -name '*.sv' -not -path 'rtl/package/*' | sort | xargs build/source_lint --shape";

}  // namespace

void bench_source(const BenchOptions& /*options*/, Sink& sink) {
  if (!std::filesystem::exists("Makefile") || !std::filesystem::exists("rtl/mu_node.sv")) {
    sink.check("source.source_tree", false, "run this from the root of the source tree");
    return;
  }
  std::string printed;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(kShape, "r"), pclose);
  for (int byte; pipe && (byte = std::fgetc(pipe.get())) != EOF;)
    printed += static_cast<char>(byte);
  std::istringstream lines(printed);
  std::string name;
  double value = 0;
  int figures = 0;
  for (; lines >> name >> value; ++figures) sink.figure("source." + name, value);
  sink.check("source.counted", figures == 4, fmt::format("{} of 4 figures: {}", figures, kShape));
}

}  // namespace torusmu
