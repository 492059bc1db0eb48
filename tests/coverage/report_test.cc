// SPDX-License-Identifier: Apache-2.0
// coverage_report on small files, good and bad.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

class CoverageReport : public ::testing::Test {
 protected:
  CoverageReport() : folder_(::testing::TempDir() + "coverage_report_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "data");
    write("x.sv", "module x;\n  if (a) b <= c;\n  else b <= d;\nendmodule\n");
  }
  ~CoverageReport() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  // A line of Verilator's file, of x.sv.
  std::string record(const std::string& page, const std::string& comment, const std::string& others,
                     unsigned count) const {
    return "C '\001f\002" + (folder_ / "x.sv").string() + "\001page\002" + page + "/x\001o\002" +
           comment + others + "' " + std::to_string(count) + "\n";
  }
  std::string branch(const std::string& comment, unsigned line, unsigned count) const {
    const std::string number = std::to_string(line);
    return record("v_branch", comment, "\001l\002" + number + "\001n\0023\001S\002" + number,
                  count);
  }
  std::string toggle(const std::string& name, unsigned count) const {
    return record("v_toggle", name, "", count);
  }
  Output report(const std::string& options = "") const {
    return shell(TORUSMU_BUILD "/coverage_report " + (folder_ / "data").string() + " --html " +
                 (folder_ / "page.html").string() + " --json " + (folder_ / "all.json").string() +
                 " " + options);
  }
  Output report_with(const std::string& exclusions, const std::string& goals) const {
    write("exclusions.csv", exclusions);
    write("goals.csv", goals);
    return report("--exclusions " + (folder_ / "exclusions.csv").string() + " --goals " +
                  (folder_ / "goals.csv").string());
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(CoverageReport, CountsAPlaceOfTheSourceOnce) {
  write("data/1.dat", "# SystemC::Coverage-3\n" + branch("if", 2, 3) + branch("else", 3, 0));
  write("data/1.tests", "A.one\t1\n");
  write("data/2.dat", branch("else", 3, 2) + branch("if", 2, 0) + toggle("q[0]", 0));
  write("data/2.tests", "B.two\t1\nB.three\t\n");
  const Output output = report();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_NE(output.text.find("3 tests"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("branch              2        0"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("toggle              0        1"), std::string::npos) << output.text;
}

TEST_F(CoverageReport, NamesTheTestsThatReachAPoint) {
  write("data/1.dat", branch("if", 2, 3) + branch("else", 3, 4) + toggle("q[0]", 1));
  write("data/1.tests", "A.one\t1-2\nA.two\t2-3\nA.three\t2\n");
  ASSERT_EQ(report().status, 0);
  const std::string json = read("all.json");
  const auto tests_of = [&](const std::string& point) {
    const std::size_t at = json.find("\"tests\": ", json.find(point));
    return json.substr(at + 9, json.find('\n', at) - at - 9);
  };
  EXPECT_EQ(tests_of("\"name\": \"if\""), "\"0\"");
  EXPECT_EQ(tests_of("\"name\": \"else\""), "\"0-2\"");
  EXPECT_EQ(tests_of("\"name\": \"q[0]\""), "\"1\"");
  EXPECT_NE(read("page.html").find("3: 0-2"), std::string::npos);
}

TEST_F(CoverageReport, FailsBelowAGoal) {
  write("data/1.dat", branch("if", 2, 3) + branch("else", 3, 0));
  write("data/1.tests", "A.one\t1\n");
  const Output output = report_with("", "branch,50.01\n");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("FAIL branch coverage is 50.00 %, less than 50.01 %"),
            std::string::npos)
      << output.text;
  EXPECT_EQ(report_with("", "branch,50\n").status, 0);
}

TEST_F(CoverageReport, TakesBitsThatAreConstantInTheNodeForNoPointsUnlessATestMovesThem) {
  write("data/1.dat", toggle("q[0]", 0) + toggle("q[1]", 1) + toggle("a\x86.__SYM__queue[2]", 0) +
                          toggle("b[0]", 0));
  write("data/1.tests", "A.one\t2\n");
  write("constants.txt",
        file("x.sv") + "\tq[0]\n" + file("x.sv") + "\tq[1]\n" + file("x.sv") + "\ta.queue[2]\n");
  const Output output = report("--constants " + file("constants.txt"));
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_NE(output.text.find("toggle              1        1"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("no points: 2 bits"), std::string::npos) << output.text;
  write("page.md", "<!-- coverage: begin -->\n<!-- coverage: end -->\n");
  ASSERT_EQ(
      report("--constants " + file("constants.txt") + " --document " + file("page.md")).status, 0);
  EXPECT_NE(read("page.md").find("\n2 more bits of signals are constant"), std::string::npos)
      << read("page.md");
  write("data/1.dat", toggle("q[1]", 1) +
                          "C '\001f\002rtl/mu_gated_node.sv\001page\002v_toggle/x\001o\002a' 0\n");
  write("data/1.tests", "A.one\t1\n");
  EXPECT_NE(
      report("--constants " + file("constants.txt")).text.find("not constant in the node: q[1]"),
      std::string::npos)
      << "a run of the node moves it";
  write("constants.txt", "q[0]\n");
  EXPECT_NE(report("--constants " + file("constants.txt")).text.find("constants.txt:1: expected"),
            std::string::npos);
}

TEST_F(CoverageReport, LeavesOutWhatIsExcluded) {
  write("data/1.dat", branch("if", 2, 3) + branch("else", 3, 0) + toggle("q[0]", 1) +
                          toggle("q[1]", 0) + toggle("q[2]", 0));
  write("data/1.tests", "A.one\t1,3\n");
  const std::string rows = "branch," + file("x.sv") + ",else else b <= d;,never off\n" + "line," +
                           file("x.sv") + ",else b <= d;,never off\n" + "toggle," + file("x.sv") +
                           ",q[2:1],wired to zero\n";
  const Output output = report_with(rows, "line,100\nbranch,100\ntoggle,100\nexcluded,60\n");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_NE(read("page.html").find("wired to zero"), std::string::npos) << read("all.json");
}

TEST_F(CoverageReport, RefusesAnExclusionOfWhatIsReached) {
  write("data/1.dat", branch("if", 2, 3));
  write("data/1.tests", "A.one\t1\n");
  const Output output = report_with("branch," + file("x.sv") + ",if *,never\n", "");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("exclusions.csv:1: is reached: "), std::string::npos) << output.text;
}

TEST_F(CoverageReport, RefusesAnExclusionOfNothing) {
  write("data/1.dat", branch("if", 2, 3));
  write("data/1.tests", "A.one\t1\n");
  const Output output = report_with("# a list\ntoggle," + file("x.sv") + ",q,never\n", "");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("exclusions.csv:2: excludes nothing: q"), std::string::npos)
      << output.text;
}

TEST_F(CoverageReport, AllowsNoMoreExclusionsThanItsGoalSays) {
  write("data/1.dat", toggle("q[0]", 1) + toggle("q[1]", 0));
  write("data/1.tests", "A.one\t1\n");
  const Output output =
      report_with("toggle," + file("x.sv") + ",q[1],constant\n", "excluded,49.9\n");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("50.00 % of the points are excluded, more than 49.90 %"),
            std::string::npos)
      << output.text;
}

TEST_F(CoverageReport, WritesItsTableIntoADocument) {
  write("data/1.dat", branch("if", 2, 3));
  write("data/1.tests", "A.one\t1\n");
  write("page.md", "before\n<!-- coverage: begin -->\nold\n<!-- coverage: end -->\nafter\n");
  ASSERT_EQ(report("--document " + file("page.md")).status, 0);
  const std::string text = read("page.md");
  EXPECT_NE(text.find("| branch | 1 | 0 | 0 | 100.00 | 0.00 |\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("old"), std::string::npos);
  EXPECT_EQ(text.substr(0, 7) + text.substr(text.size() - 6), "before\nafter\n");
}

// What is wrong in a file is told with its line.
class BadCoverageInput : public CoverageReport {
 protected:
  void expect_refused(const std::string& options, const std::string& complaint) const {
    const Output output = report(options);
    EXPECT_EQ(output.status, 2);
    EXPECT_NE(output.text.find(complaint), std::string::npos) << output.text;
    EXPECT_FALSE(fs::exists(folder_ / "all.json"));
  }
  void expect_data_refused(const std::string& line, const std::string& complaint) const {
    write("data/1.dat", "# SystemC::Coverage-3\n" + line + "\n");
    write("data/1.tests", "");
    expect_refused("", "1.dat:2: " + complaint);
  }
  void expect_tests_refused(const std::string& line, const std::string& complaint) const {
    write("data/1.dat", branch("if", 2, 3));
    write("data/1.tests", "A.one\t1\n" + line + "\n");
    expect_refused("", "1.tests:2: " + complaint);
  }
};

TEST_F(BadCoverageInput, DataThatIsNoRecordIsRefused) {
  expect_data_refused("D 'x' 3", "expected C 'fields' count");
  expect_data_refused("C 'x' 3", "expected a field: byte 1, key, byte 2, value");
  expect_data_refused("C '\001page\002v_line/x' many", "expected a count, not 'many'");
  expect_data_refused("C '\001page\002v_line/x\001o\002block' 3", "expected a field 'f'");
  expect_data_refused("C '\001page\002v_fsm/x\001o\002a\001f\002x.sv' 3",
                      "expected a page v_line, v_branch, v_toggle or v_user, not 'v_fsm/x'");
  expect_data_refused("C '\001page\002v_line/x\001o\002block\001f\002x.sv\001S\0025-3' 3",
                      "a range that ends before it begins");
}

TEST_F(BadCoverageInput, TestsThatAreNoRangesAreRefused) {
  expect_tests_refused("A.two", "expected a test, a tab, ranges");
  expect_tests_refused("A.two\t1,x", "expected a number of a range, not 'x'");
  expect_tests_refused("A.two\t1-2", "a point that " + file("data/1.dat") + " does not have: 2");
}

TEST_F(BadCoverageInput, FilesThatAreMissingAreNamed) {
  expect_refused("", "data: no .dat file");
  write("data/1.dat", branch("if", 2, 3));
  expect_refused("", "1.tests: cannot be read");
}

TEST_F(BadCoverageInput, RowsThatCannotBeReadAreRefused) {
  write("data/1.dat", branch("if", 2, 3));
  write("data/1.tests", "A.one\t1\n");
  const auto expect = [&](const std::string& exclusions, const std::string& goals,
                          const std::string& complaint) {
    const Output output = report_with(exclusions, goals);
    EXPECT_EQ(output.status, 2);
    EXPECT_NE(output.text.find(complaint), std::string::npos) << output.text;
  };
  expect("branch,x.sv,if\n", "", "exclusions.csv:1: expected kind, file, point and reason");
  expect("bit,x.sv,q,why\n", "", "exclusions.csv:1: expected line, branch, toggle or functional");
  expect("toggle,x.sv,q,\n", "", "exclusions.csv:1: expected a reason");
  expect("toggle,x.sv,q[1:2],why\n", "", "exclusions.csv:1: expected [high:low]");
  expect("", "branch,101\n", "goals.csv:1: expected a kind, a comma and 0 to 100");
  expect("", "bits,10\n", "goals.csv:1: expected a kind of coverage or 'excluded', not 'bits'");
}

}  // namespace
}  // namespace torusmu::testing
