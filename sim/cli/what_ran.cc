// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/what_ran.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/identity.h"

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

// Numbers are numbers, also those that are checked by a text's validator.
nlohmann::json value_of(const CLI::Option& option, const std::string& text) {
  if (!option.get_type_name().starts_with("UINT")) return text;
  const nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

nlohmann::json value_of(const CLI::Option& option) {
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag) return option.count() != 0;
  const std::vector<std::string> given =
      option.count() != 0 ? option.reduced_results() : std::vector<std::string>{};
  if (option.get_items_expected_max() > 1) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& text : given) list.push_back(value_of(option, text));
    return list;
  }
  const std::string text = given.empty() ? option.get_default_str() : given.front();
  if (given.empty() && text.empty()) return nullptr;
  return value_of(option, text);
}

}  // namespace

void remember_command(int argc, const char* const* argv, const CLI::App& app) {
  Asked now{.words = {argv, argv + argc}};
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  for (const CLI::Option* option : command->get_options()) {
    if (option == command->get_help_ptr()) continue;
    const std::string& name = option->get_single_name();
    now.options[name] = value_of(*option);
  }
  asked() = std::move(now);
}

nlohmann::json what_ran() {
  const BuildIdentity& build = build_identity();
  return {{"version", build.version}, {"commit", build.commit},       {"build", build.hash},
          {"profile", build.profile}, {"verilator", build.verilator}, {"stale", build.stale},
          {"command", asked().words}, {"options", asked().options}};
}

}  // namespace torusmu
