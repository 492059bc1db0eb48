// SPDX-License-Identifier: Apache-2.0
// results_page PAGE BASELINE JSON...: writes the page from files of `torusmu bench ... --json` and
// of constraints/baseline.csv. Exit status 2: a file cannot be read or written.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/bench/results_page.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: results_page PAGE BASELINE JSON...\n");
    return 2;
  }
  std::ifstream baseline(argv[2]);
  const std::string sizes{std::istreambuf_iterator<char>(baseline), {}};
  if (sizes.empty()) {
    fmt::print(stderr, "results_page: {}: nothing in it\n", argv[2]);
    return 2;
  }
  std::vector<nlohmann::json> results;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i]);
    results.push_back(nlohmann::json::parse(file, nullptr, false));
    if (!results.back().is_object()) {
      fmt::print(stderr, "results_page: {}: no JSON object in it\n", argv[i]);
      return 2;
    }
  }
  std::ofstream page(argv[1]);
  if (!(page << torusmu::results_page(results) << torusmu::sizes_text(sizes)).flush()) {
    fmt::print(stderr, "results_page: {}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}
