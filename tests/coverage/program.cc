// SPDX-License-Identifier: Apache-2.0
// Linked to a program, makes its whole run one test, named like its command line.
#include <fstream>

#include "tests/coverage/recorder.h"

namespace torusmu::coverage {
namespace {

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text, word;
  std::getline(file, word, '\0');
  while (std::getline(file, word, '\0')) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct WholeRun {
  // The recorder outlives what is made after it.
  WholeRun() { toggle_table(nullptr); }
  ~WholeRun() { end_test(command_line()); }
};
const WholeRun kWholeRun;

}  // namespace
}  // namespace torusmu::coverage
