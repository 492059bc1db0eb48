// SPDX-License-Identifier: Apache-2.0
// bgp.*: what the sizes of the profile bgp allow, by the program of that profile.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/observe/quoted.h"
#include "sim/play/bench/benches.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;

// Its figures, or nothing.
nlohmann::json figures_of(const std::string& bench, const fs::path& file) {
  const std::string command = fmt::format(
      "MAKEFLAGS= MAKELEVEL= make PROFILE=bgp build/bgp/torusmu >{0}.log 2>&1 && "
      "build/bgp/torusmu bench {1} --quiet --json {0} >>{0}.log 2>&1",
      quoted(file.string()), bench);
  if (std::system(command.c_str()) != 0) return nullptr;
  std::ifstream in(file);
  const nlohmann::json result = nlohmann::json::parse(in, nullptr, false);
  return result.is_object() && result.value("profile", "") == "bgp"
             ? result.value("figures", nullptr)
             : nullptr;
}

}  // namespace

void bench_bgp(const BenchOptions& /*options*/, Sink& sink) {
  if (!fs::exists("Makefile") || !fs::exists("rtl/mu_node.sv")) {
    sink.check("bgp.source_tree", false, "run this from the root of the source tree");
    return;
  }
  const fs::path file = fs::temp_directory_path() / fmt::format("torusmu-bgp-{}", getpid());
  const nlohmann::json figures = figures_of("offload", file);
  const char* const figure = "offload.tasks_per_node";
  const bool found = figures.is_object() && figures.contains(figure);
  sink.check("bgp.offload", found,
             found ? "by build/bgp/torusmu bench offload"
                   : fmt::format("failed, see {}.log", file.string()));
  if (!found) return;
  sink.figure("bgp.tasks_per_node", figures.at(figure).get<double>());
  std::error_code error;
  fs::remove(file, error);
  fs::remove(file.string() + ".log", error);
}

}  // namespace torusmu
