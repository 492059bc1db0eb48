// SPDX-License-Identifier: Apache-2.0
// What the history keeps: figures that a plan holds to those of the last good run, and the commit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/regress_fixture.h"

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RegressFigures : public RegressFixture {
 protected:
  // What the history answers, the first column, a line a row.
  [[nodiscard]] std::string history(const std::string& sql) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path("out/history.sqlite").c_str(), &database), SQLITE_OK);
    std::string text;
    const auto add = [](void* lines, int /*columns*/, char** values, char** /*names*/) {
      *static_cast<std::string*>(lines) += std::string(values[0]) + "\n";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), add, &text, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return text;
  }
  // As if the last good runs had taken half as many cycles.
  void halve_cycles() const {
    EXPECT_EQ(history("UPDATE figure SET value = value / 2 WHERE name = 'cycles'"), "");
  }
};

TEST_F(RegressFigures, HoldsFiguresToThoseOfTheLastGoodRun) {
  const auto write = [&](const std::string& limit) {
    std::ofstream(path("plan.json")) << R"({"tests": [{"name": "small", "scenario": "get",
      "shapes": ["2x1x1"], "limits": {"cycles": ")"
                                     << limit << "\"}}]}";
  };
  write("0 %");
  const Output first = regress();
  EXPECT_EQ(first.status, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("1 limits without an earlier good run: they hold from this "
                                    "one on"));
  EXPECT_EQ(regress().status, 0);
  halve_cycles();
  const Output moved = regress();
  EXPECT_EQ(moved.status, 1) << moved.text;
  EXPECT_THAT(moved.text, HasSubstr("limit of cycles: "));
  EXPECT_THAT(moved.text, HasSubstr(" above "));
  EXPECT_THAT(moved.text, HasSubstr(" of run 2, more than 0 %"));
  EXPECT_FALSE(fs::exists(path("out/runs/3/tests/0001/waves.fst")));
  write("5 % warns");
  const Output warned = regress();
  EXPECT_EQ(warned.status, 0) << warned.text;
  EXPECT_THAT(warned.text, HasSubstr("WARN small/2x1x1/1: limit of cycles: "));
  EXPECT_THAT(warned.text, HasSubstr("1 passed, 0 failed, 1 warnings"));
}

TEST_F(RegressFigures, AcceptFiguresHoldsLaterRunsToThoseOfThisOne) {
  std::ofstream(path("plan.json"))
      << R"({"tests": [{"scenario": "get", "shapes": ["2x1x1"], "limits": {"cycles": "0 %"}}]})";
  EXPECT_EQ(regress().status, 0);
  halve_cycles();
  EXPECT_EQ(regress().status, 1);
  EXPECT_EQ(regress("--accept-figures").status, 0);
  EXPECT_EQ(regress().status, 0);
}

TEST_F(RegressFigures, KeepsTheHistoryOfTheCommitThatTheProgramWasBuiltFrom) {
  add_program("loose", "test -e " + path("repaired") + " && " + kGood);
  write_plan({"loose"});
  // The folder of the call may be of another repository.
  std::ofstream(path("git")) << "#!/bin/sh\necho abc\n";
  fs::permissions(path("git"), fs::perms::owner_all);
  const std::string run = "PATH=" + path("") + ":$PATH " + command();
  EXPECT_EQ(shell(run).status, 1);
  std::ofstream(path("repaired")) << "";
  EXPECT_EQ(shell(run).status, 0);
  const std::string commits = history("SELECT DISTINCT git_commit FROM run");
  const std::string version = shell(path("torusmu") + " --version").text;
  if (commits == "\n") {
    EXPECT_THAT(version, HasSubstr("commit    none"));
  } else {
    EXPECT_THAT(version, HasSubstr("commit    " + commits));
  }
  // As if it had been built from a tree without changes.
  (void)history("UPDATE run SET git_commit = 'def'");
  const Output shown = shell(path("torusmu") + " regress --show-history --output " + path("out"));
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.text, HasSubstr("loose/1: 1 passed, 1 failed on def, with one seed both\n"));
  EXPECT_THAT(shown.text, HasSubstr("slowing: "));
}

}  // namespace
}  // namespace torusmu::testing
