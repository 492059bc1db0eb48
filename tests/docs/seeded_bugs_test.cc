// SPDX-License-Identifier: Apache-2.0
// A night runs an eighth of the seeded bugs: what has gone stale in one is seen here at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/file_content.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

// Of each suite the tests that a check runs: those of one file, of one folder, or all.
using Suites = std::map<std::string, std::set<std::string>>;
Suites tests_of(const std::string& check) {
  const std::regex head(R"(\n(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::string within = "tests/" + (check == "corpus" ? std::string("fuzz") : check) + "/";
  if (!fs::exists(within)) within = "tests/";
  Suites tests;
  for (const auto& file : fs::recursive_directory_iterator("tests")) {
    const std::string path = file.path();
    if (!path.starts_with(within) || !path.ends_with(".cc")) continue;
    const std::string text = content(path);
    for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
      tests[(*it)[1]].insert((*it)[2]);
    }
  }
  return tests;
}

TEST(SeededBugs, ApplyToTheTree) {
  const Output output = shell("tests/seeded_bug.sh check");
  EXPECT_EQ(output.text, "");
  EXPECT_EQ(output.status, 0);
}

TEST(SeededBugs, NameTestsThatTheirChecksRun) {
  std::map<std::string, Suites> known;
  // A suite, with what the name of a test in it begins with, between an instance and a parameter;
  // behind a suite for several types may be the number of one.
  const std::regex expected(R"(\ncheck make check JOBS=([\w/]+)\nexpect FAILED  \] )"
                            R"((?:\w+/)?([A-Za-z_]\w*)(?:/\d+)?(?:\.(\w*))?(?:/.*)?\n)");
  const std::string list = content("tests/seeded_bugs.list");
  int seen = 0;
  for (std::sregex_iterator it(list.begin(), list.end(), expected), end; it != end; ++it) {
    const std::smatch& names = *it;
    Suites& run = known[names[1]];
    if (run.empty()) run = tests_of(names[1]);
    const std::set<std::string>& suite = run[names[2]];
    const auto test = suite.lower_bound(names[3]);
    EXPECT_TRUE(test != suite.end() && test->starts_with(names[3].str()))
        << "job " << names[1] << " runs no " << names[2] << "." << names[3];
    ++seen;
  }
  EXPECT_GT(seen, 40);
}

}  // namespace
}  // namespace torusmu::testing
