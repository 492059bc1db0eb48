// SPDX-License-Identifier: Apache-2.0
// coverage_report on small files, good and bad; what models record, and the names of cover points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/coverage/instance_names.h"
#include "tests/coverage/recorder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;
using coverage::add_counter;
using coverage::instance_of;
using ::testing::HasSubstr;

class CoverageReport : public ::testing::Test {
 protected:
  CoverageReport() : folder_(::testing::TempDir() + "coverage_report_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    set_goals(50, "{}");
  }
  ~CoverageReport() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  void set_goals(int percent, const std::string& unreachable) const {
    const std::string goal = std::to_string(percent);
    write("goals.json", "{\"goals\": {\"line\": " + goal + ", \"branch\": " + goal +
                            ", \"toggle\": " + goal + ", \"functional\": " + goal +
                            "}, \"unreachable\": " + unreachable + "}");
  }
  static std::string record(const std::string& file, const std::string& page,
                            const std::string& others, unsigned count) {
    return "C '\001f\002" + file + "\001l\0027\001n\0023\001page\002" + page + others + "' " +
           std::to_string(count) + "\n";
  }
  static std::string branch(const std::string& comment, const std::string& lines, unsigned count) {
    return record("rtl/common/mu_fifo.sv", "v_branch/mu_fifo__D2",
                  "\001o\002" + comment + "\001S\002" + lines, count);
  }
  static std::string point(const std::string& hierarchy, unsigned count) {
    return record("tb/coverage/mu_fifo_coverage.sv", "v_user/mu_fifo_coverage",
                  "\001o\002full\001h\002" + hierarchy, count);
  }
  Output report(const std::string& data) const {
    write("merged.dat", "# SystemC::Coverage-3\n" + data);
    return shell(TORUSMU_BUILD "/coverage_report " + path("merged.dat") + " " + path("goals.json") +
                 " " + path("figures.json"));
  }
  [[nodiscard]] nlohmann::json figures() const {
    return nlohmann::json::parse(read("figures.json"));
  }

  fs::path folder_;
};

constexpr const char* kBeats = "top.mu_calc_gather.u_beats.u_coverage.full";
constexpr const char* kTags = "top.mu_calc_accumulate.u_tags.u_coverage.full";

TEST_F(CoverageReport, CountsAPlaceOfTheSourceOnce) {
  const Output output =
      report(branch("if", "3-5,9", 2) + branch("if", "3-5,9", 0) + branch("else", "10", 0) +
             record("rtl/common/mu_fifo.sv", "v_toggle/mu_fifo", "\001o\002level_q[0]", 4) +
             record("tests/router/wrapper.sv", "v_line/wrapper", "\001o\002block\001S\0021-99", 0));
  EXPECT_EQ(output.status, 0) << output.text;
  const auto module = figures().at("modules").at("mu_fifo");
  EXPECT_EQ(module.at("line").dump(), R"({"points":5,"reached":4})");
  EXPECT_EQ(module.at("branch").dump(), R"({"points":2,"reached":1})");
  EXPECT_EQ(module.at("toggle").dump(), R"({"points":1,"reached":1})");
  EXPECT_EQ(figures().at("kinds").at("line").at("percent"), 80);
  EXPECT_EQ(figures().at("modules").size(), 1U);
  EXPECT_THAT(output.text, HasSubstr("| line | 4 | 1 | 80.00 | 50.00 |\n"));
}

TEST_F(CoverageReport, FailsBelowAGoalAndNamesMissedPoints) {
  set_goals(60, "{}");
  const Output output = report(branch("if", "3", 0) + branch("else", "4", 1) + point(kBeats, 0));
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL line coverage is 50.00 %, less than 60.00 %"));
  EXPECT_THAT(output.text, HasSubstr("FAIL missed: mu_calc_gather.u_beats:full"));
  EXPECT_EQ(figures().at("missed_functional").dump(), R"(["mu_calc_gather.u_beats:full"])");
}

TEST_F(CoverageReport, LeavesOutWhatNoTestCanReachAndRefusesARowThatIsWrong) {
  set_goals(100, R"({"mu_calc_accumulate.u_tags:full": "why"})");
  EXPECT_EQ(report(point(kBeats, 1) + point(kTags, 0)).status, 0);
  Output output = report(point(kBeats, 1) + point(kTags, 1));
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL is reached: mu_calc_accumulate.u_tags:full"));
  output = report(point(kBeats, 1));
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("FAIL no functional point mu_calc_accumulate.u_tags:full"));
}

TEST_F(CoverageReport, RefusesWhatItCannotRead) {
  for (const char* data : {"", "C 'x' 1\n", "C '\001f\002rtl/a.sv' many\n", "nothing\n"}) {
    EXPECT_EQ(report(data).status, 2) << data;
  }
  EXPECT_THAT(report(branch("if", "3", 1) + "C 'x' 1\n").text,
              HasSubstr("merged.dat:3: expected a field"));
  write("goals.json", "{");
  EXPECT_EQ(report(branch("if", "3", 1)).status, 2);
}

TEST(CoverPoints, BelongToAnInstanceOfTheSource) {
  EXPECT_EQ(instance_of(kBeats), "mu_calc_gather.u_beats:full");
  EXPECT_EQ(
      instance_of("top.mu_calc_gather.u_beats.u_coverage.gen_to__BRA__3__KET__.gen_legal.full"),
      "mu_calc_gather.u_beats:gen_to[3].full");
  EXPECT_EQ(instance_of("top.mu_access_errors.u_any_refused.bad"), "anywhere:bad");
  EXPECT_EQ(instance_of("top.mu_fifo.u_coverage.full"), "");  // one of many
}

// The recorder writes when its process ends.
TEST_F(CoverageReport, CountersAreWrittenOnceForAllInstancesOfAModel) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("TORUSMU_COVERAGE", folder_.c_str(), 1);
    static std::uint32_t line = 0, full = 0;
    for (const char* name : {"top.a", "top.b"}) {
      add_counter(&line, "rtl/a.sv", 7, 3, name, "v_line/a", "block", "7-8");
      line += 2;
    }
    add_counter(&full, "tb/a.sv", 9, 3, kBeats, "v_user/a", "full", "");
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::string data = read(std::to_string(child) + ".dat");
  EXPECT_THAT(data, HasSubstr("\001f\002rtl/a.sv\001l\0027"));
  EXPECT_THAT(data, HasSubstr("\001S\0027-8\001h\002top.a' 4\n"));
  EXPECT_THAT(data, HasSubstr(std::string("\001h\002") + kBeats + "' 0\n"));
}

}  // namespace
}  // namespace torusmu::testing
