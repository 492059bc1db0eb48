// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/load_scenario.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "sim/machine/errors.h"
#include "sim/play/scenario/outside.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(fmt::format("scenario \"{}\": {}", file, why));
}

// `missing` says what it calls that is nowhere. That it was compiled with other headers is a better
// reason to refuse it, and can be seen all the same.
void* open_library(const std::string& file, std::string* missing) {
  // A name without a slash would be looked for in the folders of the system.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  *missing = dlerror();
  library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) refuse(file, "cannot be loaded: " + *missing);
  return library;
}

Scenario load_scenario(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) refuse(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) refuse(file, "is no file");
  std::string missing;
  void* library = open_library(file, &missing);
  const auto* found = static_cast<const OutsideScenario*>(dlsym(library, kOutsideScenario));
  if (found == nullptr) {
    refuse(file, "says no TORUSMU_SCENARIO({...}), see torusmu/sim/play/scenario/outside.h");
  }
  if (found->interface == nullptr || std::string_view(found->interface) != kInterface) {
    refuse(file,
           fmt::format("was compiled with headers of {}, this program is {}: compile it with "
                       "the headers that were installed with this program",
                       found->interface == nullptr ? "nobody" : found->interface, kInterface));
  }
  const Scenario& scenario = found->scenario;
  if (scenario.name == nullptr || scenario.title == nullptr || scenario.default_shape == nullptr ||
      scenario.play == nullptr) {
    refuse(file, "its TORUSMU_SCENARIO wants .name, .title, .default_shape and .play");
  }
  if (!missing.empty()) refuse(file, "cannot be loaded: " + missing);
  return scenario;
}

}  // namespace

bool names_a_file(const std::string& scenario) {
  return scenario.ends_with(".so") || scenario.find('/') != std::string::npos;
}

Scenario scenario_called(const std::string& name) {
  if (names_a_file(name)) return load_scenario(name);
  if (const Scenario* scenario = find_scenario(name)) return *scenario;
  std::string names;
  for (const Scenario& scenario : scenarios()) {
    names += (names.empty() ? "" : ", ") + std::string(scenario.name);
  }
  throw UsageError(fmt::format(
      "no scenario \"{}\": there are {}; one of your own is a file, ./{}.so", name, names, name));
}

}  // namespace torusmu
