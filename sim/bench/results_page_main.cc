// SPDX-License-Identifier: Apache-2.0
// results_page PAGE JSON...: writes the page from files of `torusmu bench ... --json`. Exit status
// 2: a file cannot be read or written.
#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "sim/bench/results_page.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: results_page PAGE JSON...\n");
    return 2;
  }
  std::vector<nlohmann::json> results;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i]);
    results.push_back(nlohmann::json::parse(file, nullptr, false));
    if (!results.back().is_object()) {
      fmt::print(stderr, "results_page: {}: no JSON object in it\n", argv[i]);
      return 2;
    }
  }
  std::ofstream page(argv[1]);
  if (!(page << torusmu::results_page(results)).flush()) {
    fmt::print(stderr, "results_page: {}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}
