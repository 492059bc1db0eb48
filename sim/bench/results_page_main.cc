// SPDX-License-Identifier: Apache-2.0
// results_page PAGE BASELINE PLACE COVERAGE MUTATION JSON...: writes the page from files of
// `torusmu bench ... --json`, of constraints/baseline.csv, and of docs/place_and_route.md,
// coverage.md and mutation.md. Exit status 2: a file cannot be read or written.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/bench/results_page.h"

namespace {

std::string text_of(const char* name) {
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    fmt::print(stderr, "usage: results_page PAGE BASELINE PLACE COVERAGE MUTATION JSON...\n");
    return 2;
  }
  std::string sections;
  constexpr std::array kSections{torusmu::sizes_text, torusmu::clock_text, torusmu::coverage_text,
                                 torusmu::mutation_text};
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    const std::string section = kSections[i](text_of(argv[2 + i]));
    if (section.empty()) {
      fmt::print(stderr, "results_page: {}: no table in it\n", argv[2 + i]);
      return 2;
    }
    sections += section;
  }
  std::vector<nlohmann::json> results;
  for (int i = 6; i < argc; ++i) {
    std::ifstream file(argv[i]);
    results.push_back(nlohmann::json::parse(file, nullptr, false));
    if (!results.back().is_object()) {
      fmt::print(stderr, "results_page: {}: no JSON object in it\n", argv[i]);
      return 2;
    }
  }
  std::ofstream page(argv[1]);
  if (!(page << torusmu::results_page(results) << sections).flush()) {
    fmt::print(stderr, "results_page: {}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}
