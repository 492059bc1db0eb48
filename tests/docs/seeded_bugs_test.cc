// SPDX-License-Identifier: Apache-2.0
// A night applies an eighth of the seeded bugs: what has gone stale in one is seen here at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Which tests each suite of tests/ has.
std::map<std::string, std::set<std::string>> tests_of_the_tree() {
  const std::regex head(R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::map<std::string, std::set<std::string>> tests;
  for (const auto& file : fs::recursive_directory_iterator("tests")) {
    if (file.path().extension() != ".cc") continue;
    const std::string text = content(file.path());
    for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
      tests[(*it)[1]].insert((*it)[2]);
    }
  }
  return tests;
}

TEST(SeededBugs, ApplyToTheTree) {
  const Output output = shell(
      "for p in tests/seeded_bugs/*.patch; do "
      "patch --dry-run -s -f -p1 < $p > /dev/null || echo \"$p does not apply any more\"; done");
  EXPECT_EQ(output.text, "");
}

TEST(SeededBugs, NameTestsThatAreThere) {
  const auto tests = tests_of_the_tree();
  // A suite, with what the name of a test in it begins with, between an instance and a parameter.
  const std::regex expected(R"(\nExpect: FAILED  \] (?:\w+/)?(\w+)(?:\.(\w*))?(?:/.*)?\n)");
  int seen = 0;
  for (const auto& file : fs::directory_iterator("tests/seeded_bugs")) {
    const std::string text = content(file.path());
    std::smatch names;
    if (text.find("\nExpect: FAILED  ] ") == text.npos) continue;
    ASSERT_TRUE(std::regex_search(text, names, expected)) << file.path();
    const auto suite = tests.find(names[1]);
    ASSERT_NE(suite, tests.end()) << file.path() << " expects of " << names[1] << " to fail";
    const auto test = suite->second.lower_bound(names[2]);
    EXPECT_TRUE(test != suite->second.end() && test->starts_with(names[2].str()))
        << file.path() << " expects of " << names[2] << " to fail";
    ++seen;
  }
  EXPECT_GT(seen, 300);
}

}  // namespace
}  // namespace torusmu::testing
