// SPDX-License-Identifier: Apache-2.0
// README.md: what a newcomer types first, and what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace torusmu::testing {
namespace {

using ::testing::Contains;

std::string trimmed(const std::string& line) {
  const std::size_t from = line.find_first_not_of(' ');
  return from == std::string::npos ? "" : line.substr(from);
}

// The replay that `make run` plays, line by line.
std::set<std::string> printed_by_make_run() {
  std::set<std::string> lines;
  std::FILE* pipe = popen(TORUSMU_BUILD "/torusmu replay tests/traces/lulesh-27.trace", "r");
  if (pipe == nullptr) return lines;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  pclose(pipe);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(trimmed(line));
  return lines;
}

TEST(Readme, ShowsTheFirstCommandAndItsOutputBeforeLine20) {
  constexpr std::size_t kLastLine = 20;
  std::ifstream file("README.md");
  std::vector<std::string> shown;  // lines of code of the head of the page
  std::string line;
  for (std::size_t number = 1; number < kLastLine && std::getline(file, line); ++number) {
    if (line.starts_with("    ")) shown.push_back(trimmed(line));
  }
  ASSERT_GE(shown.size(), 4U);
  EXPECT_EQ(shown.front(), "make run");
  const std::set<std::string> printed = printed_by_make_run();
  for (std::size_t i = 1; i < shown.size(); ++i) EXPECT_THAT(printed, Contains(shown[i]));
}

}  // namespace
}  // namespace torusmu::testing
