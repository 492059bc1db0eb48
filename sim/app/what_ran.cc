// SPDX-License-Identifier: Apache-2.0
#include "sim/app/what_ran.h"

#include <string>
#include <utility>
#include <vector>

#include "sim/app/identity.h"

namespace torusmu {
namespace {

struct Asked {
  std::vector<std::string> words;
  nlohmann::json options = nlohmann::json::object();
};

Asked& asked() {
  static Asked of_this_process;
  return of_this_process;
}

}  // namespace

void remember_command(int argc, const char* const* argv, nlohmann::json options) {
  asked() = {.words = {argv, argv + argc}, .options = std::move(options)};
}

nlohmann::json what_ran() {
  const BuildIdentity& build = build_identity();
  return {{"version", build.version}, {"commit", build.commit},       {"build", build.hash},
          {"profile", build.profile}, {"verilator", build.verilator}, {"stale", build.stale},
          {"command", asked().words}, {"options", asked().options}};
}

}  // namespace torusmu
