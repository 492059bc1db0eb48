// SPDX-License-Identifier: Apache-2.0
#include "sim/app/wave_build.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/app/identity.h"
#include "sim/machine/errors.h"

namespace torusmu {

std::string wave_program() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  return self.ends_with("-wave") ? self : self + "-wave";
}

std::string why_no_waves(const std::string& program) {
  namespace fs = std::filesystem;
  if (fs::path(program).filename() == "torusmu-quick-wave") {
    return "torusmu-quick has no waves; torusmu has, whose make wave builds";
  }
  if (fs::exists(program)) return "";
  return program + " is not there: make wave builds it, make install copies it";
}

void require_wave_program(const std::string& option) {
  const std::string traced = wave_program();
  if (const std::string why = why_no_waves(traced); !why.empty()) {
    throw UsageError(option + ": " + why);
  }
  require_same_build(traced, "make wave builds it anew");
}

#ifdef TORUSMU_WAVE
void become_wave_build_if_needed(const MachineConfig& /*config*/) {}
#else
void become_wave_build_if_needed(const MachineConfig& config) {
  if (config.engine.wave.file.empty()) return;
  require_wave_program("--wave");
  const std::string traced = wave_program();
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
