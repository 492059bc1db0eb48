// SPDX-License-Identifier: Apache-2.0
// results_page PAGE BASELINE PLACE_PAGE JSON...: writes the page from files of `torusmu bench ...
// --json`, of constraints/baseline.csv, and of docs/place_and_route.md. Exit status 2: a file
// cannot be read or written.
#include <fmt/format.h>

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
  if (argc < 5) {
    fmt::print(stderr, "usage: results_page PAGE BASELINE PLACE_PAGE JSON...\n");
    return 2;
  }
  const std::string sizes = text_of(argv[2]);
  const std::string clocks = torusmu::clock_text(text_of(argv[3]));
  if (sizes.empty() || clocks.empty()) {
    fmt::print(stderr, "results_page: {}: no module in it\n", argv[sizes.empty() ? 2 : 3]);
    return 2;
  }
  std::vector<nlohmann::json> results;
  for (int i = 4; i < argc; ++i) {
    std::ifstream file(argv[i]);
    results.push_back(nlohmann::json::parse(file, nullptr, false));
    if (!results.back().is_object()) {
      fmt::print(stderr, "results_page: {}: no JSON object in it\n", argv[i]);
      return 2;
    }
  }
  std::ofstream page(argv[1]);
  if (!(page << torusmu::results_page(results) << torusmu::sizes_text(sizes) << clocks).flush()) {
    fmt::print(stderr, "results_page: {}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}
