// SPDX-License-Identifier: Apache-2.0
// docs/mutation.md and tests/mutation/survivors.csv: what make mutation-page writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr const char* kReasonsHead = "mutant,fault,place,why it cannot matter\n";
// Two of a block that was judged: a line of the RTL, with a comma and quotes, belongs to the first.
constexpr const char* kMutants = R"({"block": "new", "mutants": 300, "killed": 290, "equal": 8,
  "differs": 1, "unknown": 1, "score": 99.3, "list": [
  {"model": "Vmu_new", "number": 7, "kind": "inv", "port": "A", "bit": 3, "wire": "some_q",
   "fate": "unknown", "source": "rtl.sv:2"},
  {"model": "Vmu_new", "number": 8, "kind": "const0", "port": "Y", "bit": 0, "fate": "differs",
   "cycle": 4, "source": "rtl.sv:1"},
  {"model": "Vmu_new", "number": 9, "kind": "inv", "port": "Y", "bit": 0, "fate": "killed"}]})";

class MutationPage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "mutation.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "blocks/new");
    write("rtl.sv", "first\n  \"a\", b;\n");
    write("blocks/new/mutants.json", kMutants);
    write("page.md",
          "<!-- mutation table: begin -->\n| `mu_old` | the row of before |\n"
          "| `mu_gone` | a row |\n<!-- mutation table: end -->\n");
    write("survivors.csv",
          "# SPDX-License-Identifier: Apache-2.0\nblock,mutant,fault,place,line,what is known\n"
          "mu_old,Vmu_old:1,\"inv A[0]\",old.sv:5,\"\"\"x\"\", y\",can be seen after 2 cycles\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }
  std::string read(const std::string& file) {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  bool page(const std::string& reasons) {
    write("reasons.csv", kReasonsHead + reasons);
    const std::string report = fs::absolute(TORUSMU_BUILD "/mutation/report").string();
    return std::system(("cd " + folder_.string() + " && " + report +
                        " page page.md survivors.csv reasons.csv blocks new old 2> errors")
                           .c_str()) == 0;
  }

  fs::path folder_;
};

TEST_F(MutationPage, SaysOfSurvivorsWhyTheyCannotMatter) {
  ASSERT_TRUE(
      page("Vmu_new:7,\"inv A[3] of some_q\",rtl.sv:2,\"the bit is 0, always\"\n"
           "Vmu_old:1,\"inv A[0]\",old.sv:5,\"x is low\"\n"));
  EXPECT_THAT(read("survivors.csv"),
              HasSubstr("mu_new,Vmu_new:7,\"inv A[3] of some_q\",rtl.sv:2,\"\"\"a\"\", b;\","
                        "neither proved equivalent nor told apart,\"the bit is 0, always\"\n"
                        "mu_new,Vmu_new:8,\"const0 Y[0]\",rtl.sv:1,\"first\","
                        "can be seen after 4 cycles,\n"
                        "mu_old,Vmu_old:1,\"inv A[0]\",old.sv:5,\"\"\"x\"\", y\","
                        "can be seen after 2 cycles,\"x is low\"\n"));
  EXPECT_THAT(read("page.md"), HasSubstr("3 survive; of 2 a person has said why"));
}

TEST_F(MutationPage, IsTheSameWhenItIsWrittenAgain) {
  const std::string reason = "Vmu_new:7,\"inv A[3] of some_q\",rtl.sv:2,\"the bit is 0\"\n";
  ASSERT_TRUE(page(reason));
  const std::string once = read("survivors.csv") + read("page.md");
  ASSERT_TRUE(page(reason));
  EXPECT_EQ(read("survivors.csv") + read("page.md"), once);
}

TEST_F(MutationPage, KeepsRowsOfBlocksThatDidNotRunAndNoneOfThoseThatAreGone) {
  ASSERT_TRUE(page(""));
  EXPECT_THAT(read("page.md"), HasSubstr("| `mu_old` | the row of before |\n"));
  EXPECT_THAT(read("page.md"), HasSubstr("| `mu_new` | 300 | 290 | 8 | 1 | 1 | 99.3 % |\n"));
  EXPECT_THAT(read("page.md"), Not(HasSubstr("mu_gone")));
}

TEST_F(MutationPage, RefusesAReasonForWhatDoesNotSurvive) {
  const std::string before = read("survivors.csv") + read("page.md");
  EXPECT_FALSE(page("Vmu_new:9,\"inv Y[0]\",rtl.sv:1,\"it is killed\"\n"));
  EXPECT_THAT(read("errors"), HasSubstr("no such survivor: Vmu_new:9, inv Y[0] at rtl.sv:1"));
  EXPECT_FALSE(page("Vmu_new:7,\"inv A[3] of some_q\",rtl.sv:3,\"another line by now\"\n"));
  EXPECT_FALSE(page("Vmu_new:7,no more\n"));
  EXPECT_THAT(read("errors"), HasSubstr("reasons.csv:2: expected mutant, fault, place and reason"));
  EXPECT_EQ(read("survivors.csv") + read("page.md"), before);
}

// One of two lives, which is less than 98 %.
TEST_F(MutationPage, LetsABlockPassIfEachSurvivorHasAReason) {
  const std::string mutant = " -module mu_few -cell c -port A -portbit 3 -src rtl.sv:2.1-2.9\n";
  fs::create_directories(folder_ / "few");
  write("few/Vmu_few.list", "mutate -ctrl mutsel 16 1 -mode inv" + mutant +
                                "mutate -ctrl mutsel 16 2 -mode const0" + mutant);
  write("few/verdicts", "Vmu_few 1 survived\nVmu_few 2 killed Few.Test\n");
  write("few/proofs", "Vmu_few 1 unknown\nVmu_few 2 differs 3\n");
  const auto passes = [this](const std::string& reasons) {
    write("reasons.csv", kReasonsHead + reasons);
    const std::string report = fs::absolute(TORUSMU_BUILD "/mutation/report").string();
    return std::system(
               ("cd " + folder_.string() + " && " + report + " block few few reasons.csv > said")
                   .c_str()) == 0;
  };
  EXPECT_FALSE(passes(""));
  EXPECT_THAT(read("said"), HasSubstr("1 survive without a reason in reasons.csv"));
  EXPECT_FALSE(passes("Vmu_few:1,\"inv A[3]\",rtl.sv:9,\"another line by now\"\n"));
  EXPECT_TRUE(passes("Vmu_few:1,\"inv A[3]\",rtl.sv:2,\"the bit is 0\"\n")) << read("said");
}

TEST(MutationTests, ThatSurvivorsLedToAreThere) {
  std::ifstream rows("tests/mutation/led_to.csv");
  int seen = 0;
  for (std::string row; std::getline(rows, row);) {
    const std::size_t comma = row.find(','), dot = row.find('.');
    if (dot == row.npos || row.starts_with("#")) continue;
    std::ifstream file("tests/" + row.substr(0, comma) + "_test.cc");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string name =
        "\\(\\s*" + row.substr(comma + 1, dot - comma - 1) + ",\\s*" + row.substr(dot + 1) + "\\)";
    EXPECT_TRUE(std::regex_search(text, std::regex(name))) << row;
    ++seen;
  }
  EXPECT_GT(seen, 50);
}

}  // namespace
}  // namespace torusmu::testing
