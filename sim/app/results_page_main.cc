// SPDX-License-Identifier: Apache-2.0
// results_page PAGE SYNTHESIS PLACE COVERAGE MUTATION NARROW BENCH AGAINST TEST NIGHTLY: writes the
// page from docs/synthesis.md, place_and_route.md, coverage.md, mutation.md and narrow_mutants.md,
// the file of `torusmu bench ... --json`, that of `make bench-against`, and the stages of
// `make test` and `make nightly`. Of the last four, what is not there was not measured on this
// computer: the page keeps what it says of it. Exit status 2: a file cannot be read or written.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/app/results_page.h"

namespace {

std::string text_of(const char* name) {
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 11) {
    fmt::print(stderr,
               "usage: results_page PAGE SYNTHESIS PLACE COVERAGE MUTATION NARROW BENCH AGAINST "
               "TEST NIGHTLY\n");
    return 2;
  }
  const std::string old_page = text_of(argv[1]);
  std::string sections;
  constexpr std::array kMeasured{torusmu::figures_text, torusmu::against_text, torusmu::stages_text,
                                 torusmu::stages_text};
  constexpr std::array kHeadings{"", "## make bench-against", "## make test", "## make nightly"};
  for (std::size_t i = 0; i < kMeasured.size(); ++i) {
    const char* name = argv[7 + i];
    if (!std::filesystem::exists(name)) {
      sections += torusmu::section_of(old_page, kHeadings[i]);
      continue;
    }
    const nlohmann::json result = nlohmann::json::parse(text_of(name), nullptr, false);
    if (!result.is_object()) {
      fmt::print(stderr, "results_page: {}: no JSON object in it\n", name);
      return 2;
    }
    sections += kMeasured[i](result);
  }
  constexpr std::array kSections{torusmu::sizes_text, torusmu::clock_text, torusmu::coverage_text,
                                 torusmu::mutation_text, torusmu::narrow_mutation_text};
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    const std::string section = kSections[i](text_of(argv[2 + i]));
    if (section.empty()) {
      fmt::print(stderr, "results_page: {}: no table in it\n", argv[2 + i]);
      return 2;
    }
    sections += section;
  }
  std::ofstream page(argv[1]);
  if (!(page << sections).flush()) {
    fmt::print(stderr, "results_page: {}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}
