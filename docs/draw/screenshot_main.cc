// SPDX-License-Identifier: Apache-2.0
// screenshot VIEW.gtkw TRACE.fst PICTURE.png: what GTKWave shows of a trace, on a display that
// nobody sees. Exit status 0: written; 1: not, with the reason; 2: bad usage.
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "docs/draw/display.h"

namespace {

namespace fs = std::filesystem;

void take(const fs::path& view, const fs::path& trace, const fs::path& picture) {
  constexpr unsigned kWidth = 1600, kHeight = 1030, kLeastLines = 20;
  constexpr std::chrono::seconds kLimit{60};
  const fs::path log = picture.string() + ".log";
  torusmu::draw::Display display(kWidth, kHeight);
  // The title of the window names the trace as it is given: without its folder.
  const torusmu::draw::Background gtkwave("cd '" + fs::absolute(trace).parent_path().string() +
                                              "' && exec env " + display.environment() +
                                              " gtkwave -a '" + fs::absolute(view).string() +
                                              "' '" + trace.filename().string() + "'",
                                          log);
  const auto good = [](const torusmu::draw::Picture& seen) {
    return torusmu::draw::shows_waves(seen, kLeastLines);
  };
  const torusmu::draw::Picture seen = display.wait_for(good, kLimit);
  if (!good(seen)) {
    throw std::runtime_error("GTKWave shows no waves; what it printed: " + log.string());
  }
  fs::remove(log);
  write_png(seen, picture);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: screenshot VIEW.gtkw TRACE.fst PICTURE.png\n";
    return 2;
  }
  try {
    take(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << "screenshot: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
