// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shell.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace torusmu::testing {

Output shell(const std::string& command) {
  Output output;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

}  // namespace torusmu::testing
