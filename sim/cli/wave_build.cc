// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/wave_build.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/errors.h"
#include "sim/identity.h"

namespace torusmu {

std::string require_wave_build(const std::string& option) {
  namespace fs = std::filesystem;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  if (self.ends_with("-wave")) return self;
  const std::string traced = self + "-wave";
  if (fs::path(self).filename() == "torusmu-quick") {
    throw UsageError(option + ": torusmu-quick has no waves; torusmu has, whose make wave builds");
  }
  if (!fs::exists(traced)) {
    throw UsageError(option + " needs " + traced + ": make wave builds it, make install copies it");
  }
  require_same_build(traced, "make wave builds it anew");
  return traced;
}

#ifdef TORUSMU_WAVE
void become_wave_build_if_needed(const MachineConfig& /*config*/) {}
#else
void become_wave_build_if_needed(const MachineConfig& config) {
  if (config.engine.wave.file.empty()) return;
  const std::string traced = require_wave_build("--wave");
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
