// SPDX-License-Identifier: Apache-2.0
// The page that says where each mechanism of the patents is names what there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/file_content.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

// Everything that a group of the expression finds in the text.
std::set<std::string> all(const std::string& text, const std::string& expression) {
  const std::regex wanted(expression);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

struct Row {
  std::string says, where, shown;
};
std::vector<Row> rows() {
  const std::string page = content("docs/patents.md");
  const std::regex row(R"(\n\| ([^|\n]+) \| ([^|\n]+) \| ([^|\n]+) \|(?=\n))");
  std::vector<Row> found;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    if ((*it)[1] != "the patent" && (*it)[1] != "---")
      found.push_back({(*it)[1], (*it)[2], (*it)[3]});
  }
  return found;
}

TEST(Patents, QuoteWhatTheySayInEachRow) {
  EXPECT_GT(rows().size(), 80U);
  for (const Row& row : rows()) {
    EXPECT_THAT(row.says, ::testing::HasSubstr("\"")) << row.says;
  }
}

TEST(Patents, AreShownByRunsThatThereAre) {
  const std::set<std::string> scenarios =
      all(content("sim/play/scenario/scenarios.cc"), R"re(Scenario\{"([\w-]+)")re");
  const std::set<std::string> benches =
      all(content("sim/play/bench/benches.cc"), R"re(Bench\{"([\w-]+)")re");
  std::set<std::string> tests;
  for (const auto& file : fs::recursive_directory_iterator("tests")) {
    if (file.path().extension() != ".cc") continue;
    const std::string text = content(file.path());
    const std::regex head(R"(\nTEST(?:_F|_P)?\((\w+), (\w+)\))");
    for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
      tests.insert((*it)[1].str() + "." + (*it)[2].str());
    }
  }
  for (const Row& row : rows()) {
    std::set<std::string> of_row = all(row.shown, R"(scenario ([\w-]+))");
    EXPECT_THAT(scenarios, ::testing::IsSupersetOf(of_row)) << row.says;
    const std::set<std::string> of_benches = all(row.shown, R"(bench ([\w-]+))");
    EXPECT_THAT(benches, ::testing::IsSupersetOf(of_benches)) << row.says;
    const std::set<std::string> of_tests = all(row.shown, R"((\w+\.\w+))");
    EXPECT_THAT(tests, ::testing::IsSupersetOf(of_tests)) << row.says;
    of_row.insert(of_benches.begin(), of_benches.end());
    of_row.insert(of_tests.begin(), of_tests.end());
    EXPECT_FALSE(of_row.empty() && row.shown != "replay") << row.says << " is shown by nothing";
  }
}

TEST(Patents, NameNothingElseThatIsNowhere) {
  std::string code;
  for (const char* folder : {"rtl", "host", "sim"}) {
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      if (file.is_regular_file()) code += content(file.path());
    }
  }
  std::set<std::string> named;
  for (const Row& row : rows()) named.merge(all(row.where, "`([^`]+)`"));
  EXPECT_GT(named.size(), 80U);
  for (const std::string& name : named) {
    // Of Context::put() that put is called, of queue.config that config is a name.
    for (const std::string& word : all(name, R"(([A-Za-z_][\w-]*[A-Za-z\d]))")) {
      EXPECT_NE(code.find(word), std::string::npos) << name;
    }
  }
}

TEST(Patents, AreInModulesThatThereAre) {
  std::set<std::string> modules;
  for (const auto& file : fs::recursive_directory_iterator("rtl")) {
    if (file.path().extension() == ".sv") modules.insert(file.path().stem());
  }
  std::set<std::string> named;
  for (const Row& row : rows()) named.merge(all(row.where, R"(`(mu_\w+)`)"));
  EXPECT_GT(named.size(), 30U);
  EXPECT_THAT(modules, ::testing::IsSupersetOf(named));
}

}  // namespace
}  // namespace torusmu::testing
