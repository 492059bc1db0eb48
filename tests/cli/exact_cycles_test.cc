// SPDX-License-Identifier: Apache-2.0
// The figures of tests/exact_cycles.csv are what torusmu bench measures, to the cycle: nothing gets
// slower, or faster, without a commit that says why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using nlohmann::json;
using testing::Output;
using testing::shell;

struct Row {
  std::string cycles, why;
};

// By the figures' names.
std::map<std::string, Row> rows_of_the_file() {
  std::map<std::string, Row> rows;
  std::ifstream file("tests/exact_cycles.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("figure,")) continue;
    std::istringstream cells(line);
    std::string figure;
    Row row;
    std::getline(cells, figure, ',');
    std::getline(cells, row.cycles, ',');
    std::getline(cells, row.why);
    EXPECT_TRUE(rows.emplace(figure, row).second) << figure << " has two rows";
  }
  return rows;
}

std::string bench_of(const std::string& figure) { return figure.substr(0, figure.find('.')); }

std::vector<std::string> benches_of_the_file() {
  std::set<std::string> benches;
  for (const auto& [figure, row] : rows_of_the_file()) benches.insert(bench_of(figure));
  return {benches.begin(), benches.end()};
}

// As the file has it.
std::string text_of(const json& measured) {
  std::string text;
  for (const json& value : measured.is_array() ? measured : json::array({measured}))
    text += fmt::format("{}{:g}", text.empty() ? "" : " ", value.get<double>());
  return text;
}

class ExactCycles : public testing::InOwnFolder, public ::testing::WithParamInterface<std::string> {
 protected:
  ExactCycles() : InOwnFolder("exact_cycles") {}
};

TEST_P(ExactCycles, AreThoseThatWereCommittedWithTheirReason) {
  const std::string file = (folder_ / "result.json").string();
  const Output output =
      shell(TORUSMU_BUILD "/torusmu bench " + GetParam() + " --quiet --json " + file);
  ASSERT_EQ(output.status, 0) << output.text;
  std::ifstream result(file);
  const json figures = json::parse(result).at("figures");
  for (const auto& [figure, row] : rows_of_the_file()) {
    if (bench_of(figure) != GetParam()) continue;
    ASSERT_TRUE(figures.contains(figure)) << figure;
    EXPECT_EQ(text_of(figures.at(figure)), row.cycles)
        << figure << ": commit the new value in tests/exact_cycles.csv, with the reason";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ExactCycles, ::testing::ValuesIn(benches_of_the_file()),
                         [](const auto& of) { return of.param; });

TEST(ExactCyclesFile, NamesTenFiguresEachWithAReason) {
  const std::map<std::string, Row> rows = rows_of_the_file();
  EXPECT_GE(rows.size(), 10U);
  for (const auto& [figure, row] : rows) EXPECT_GE(row.why.size(), 20U) << figure;
}

}  // namespace
}  // namespace torusmu
