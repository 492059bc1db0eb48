// SPDX-License-Identifier: Apache-2.0
// pages BUILD DOCS: brings DOCS/results/*.json up to date with what the tools have left in BUILD,
// and writes the pages of DOCS from them. Exit status 0: written; 1: not, with the reason; 2: bad
// usage.
#include <exception>
#include <iostream>

#include "docs/pages/pages.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: pages BUILD DOCS\n";
    return 2;
  }
  const std::filesystem::path docs = argv[2];
  torusmu::pages::take_results(argv[1], docs / "results");
  torusmu::pages::write_pages(docs);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "pages: " << error.what() << "\n";
  return 1;
}
