// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/wave_build.h"

#ifndef TORUSMU_WAVE
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/identity.h"
#endif

namespace torusmu {

#ifdef TORUSMU_WAVE
void become_wave_build_if_needed(const MachineConfig& /*config*/) {}
#else
void become_wave_build_if_needed(const MachineConfig& config) {
  if (config.engine.wave.file.empty()) return;
  const std::string traced = std::filesystem::read_symlink("/proc/self/exe").string() + "-wave";
  if (!std::filesystem::exists(traced)) {
    throw UsageError("--wave needs " + traced + ": make wave builds it, make install copies it");
  }
  require_same_build(traced, "make wave builds it anew");
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(traced.c_str(), pointers.data());
  throw UsageError("cannot start " + traced);
}
#endif

}  // namespace torusmu
