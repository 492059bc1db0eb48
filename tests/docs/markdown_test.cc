// SPDX-License-Identifier: Apache-2.0
// Every Markdown file of the tree: what it names exists, what it tells to type works.
#include "tests/support/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kBad = "tests/docs/fixtures/bad.md";
constexpr const char* kBuild = TORUSMU_BUILD;
constexpr std::chrono::seconds kLimit{300};

std::set<std::string> verbs_of_help() {
  std::set<std::string> verbs;
  std::FILE* pipe = popen(
      "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory help"
      " BUILD=" TORUSMU_BUILD " | sed -n '/^Variables/,$d; s/^  //p'",
      "r");
  if (pipe == nullptr) return verbs;
  for (char line[512]; std::fgets(line, sizeof line, pipe) != nullptr;) {
    char verb[64];
    if (std::sscanf(line, " %63s", verb) == 1) verbs.insert(verb);
  }
  pclose(pipe);
  return verbs;
}

std::set<std::string> all_jobs() {
  std::istringstream lines(
      shell("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s check BUILD=" TORUSMU_BUILD).text);
  std::set<std::string> jobs;
  for (std::string line; std::getline(lines, line);) jobs.insert(line.substr(0, line.find(' ')));
  return jobs;
}

TEST(Documents, AreFound) {
  std::set<std::string> names;
  for (const auto& file : markdown_files()) names.insert(file.string());
  EXPECT_TRUE(names.contains("README.md"));
  EXPECT_TRUE(names.contains("docs/reference/registers.md"));
  EXPECT_FALSE(names.contains(kBad));
}

TEST(Documents, LinkToFilesThatExist) {
  for (const auto& file : markdown_files()) EXPECT_THAT(broken_links(Markdown(file)), IsEmpty());
}

TEST(Documents, NamePathsThatExist) {
  for (const auto& file : markdown_files()) EXPECT_THAT(missing_paths(Markdown(file)), IsEmpty());
}

TEST(Documents, NameVerbsOfMakeHelp) {
  const std::set<std::string> help = verbs_of_help();
  ASSERT_TRUE(help.contains("test"));
  for (const auto& file : markdown_files()) {
    if (file == "CHANGELOG.md") continue;  // it names the verbs of each version
    EXPECT_THAT(unknown_verbs(Markdown(file), help), IsEmpty());
  }
}

TEST(Documents, NameJobsThatThereAre) {
  const std::set<std::string> jobs = all_jobs();
  ASSERT_TRUE(jobs.contains("lint/sources"));
  for (const auto& file : markdown_files()) {
    if (file == "CHANGELOG.md") continue;
    EXPECT_THAT(unknown_jobs(Markdown(file), jobs), IsEmpty());
  }
}

TEST(Documents, GiveCommandsThatWork) {
  int ran = 0;
  for (const auto& file : markdown_files()) {
    EXPECT_THAT(failing_commands(Markdown(file), kBuild, kLimit, &ran), IsEmpty());
  }
  std::cout << ran << " commands of " << markdown_files().size() << " documents ran\n";
  EXPECT_GT(ran, 0);
}

TEST(Documents, BadLinkIsSeen) {
  EXPECT_THAT(broken_links(Markdown(kBad)),
              ElementsAre(StartsWith("tests/docs/fixtures/bad.md:6: no_such_page.md: ")));
}

TEST(Documents, BadPathIsSeen) {
  EXPECT_THAT(
      missing_paths(Markdown(kBad)),
      ElementsAre(StartsWith("tests/docs/fixtures/bad.md:7: rtl/no_such_folder/mu_fifo.sv: "),
                  StartsWith("tests/docs/fixtures/bad.md:7: tests/docs/*.nothing: "),
                  StartsWith("tests/docs/fixtures/bad.md:8: mu_no_such_module.sv: ")));
}

TEST(Documents, BadVerbIsSeen) {
  EXPECT_THAT(unknown_verbs(Markdown(kBad), verbs_of_help()),
              ElementsAre(StartsWith("tests/docs/fixtures/bad.md:9: no-such-verb: "),
                          StartsWith("tests/docs/fixtures/bad.md:11: another-missing-verb: ")));
}

TEST(Documents, BadJobIsSeen) {
  EXPECT_THAT(unknown_jobs(Markdown(kBad), {"lint/sources"}),
              ElementsAre(StartsWith("tests/docs/fixtures/bad.md:9: lint/no_such_module: ")));
}

TEST(Documents, BadCommandIsSeenAndOneThatDoesNotEnd) {
  int ran = 0;
  const auto complaints = failing_commands(Markdown(kBad), kBuild, std::chrono::seconds(5), &ran);
  EXPECT_EQ(ran, 5);
  EXPECT_THAT(
      complaints,
      ElementsAre(StartsWith("tests/docs/fixtures/bad.md:20: false: exit status 1"),
                  StartsWith("tests/docs/fixtures/bad.md:21: sleep 600: takes longer than 5"),
                  StartsWith("tests/docs/fixtures/bad.md:22: exit 3: exit status 3")));
}

TEST(Documents, OpenFenceIsSeen) {
  const std::string file =
      ::testing::TempDir() + "torusmu_open_fence_" + std::to_string(getpid()) + ".md";
  std::ofstream(file) << "```sh\ntrue\n";
  EXPECT_THROW(Markdown{file}, std::runtime_error);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace torusmu::testing
