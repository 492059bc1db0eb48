// SPDX-License-Identifier: Apache-2.0
// torusmu regress as a user and a night see it: what passes, what fails, bad input and bad days.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "tests/support/regress_fixture.h"

namespace torusmu::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Regress : public RegressFixture {
 protected:
  // How many tests whose names begin so ran at the same time in the first run.
  [[nodiscard]] int most_at_once(const std::string& name) const {
    const auto report = nlohmann::json::parse(text_of("out/runs/1/report.json"));
    std::map<double, int> changes;
    for (const auto& test : report["tests"]) {
      if (!test["job"]["name"].get<std::string>().starts_with(name)) continue;
      const double started = test["started"];
      ++changes[started];
      --changes[started + test["seconds"].get<double>()];
    }
    int now = 0, most = 0;
    for (const auto& [when, change] : changes) most = std::max(most, now += change);
    return most;
  }
};

TEST(RegressPlans, TheQuickOnePasses) {
  const fs::path out = fs::temp_directory_path() / ("torusmu-quick-" + std::to_string(getpid()));
  const Output output =
      shell(TORUSMU_BUILD "/torusmu regress tests/regress/quick.json --output " + out.string());
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, AllOf(StartsWith("run 1: tests/regress/quick.json, 16 tests in "),
                                 HasSubstr("\nmaster seed 1"), HasSubstr("\n16 passed, 0 failed")));
  fs::remove_all(out);
}

TEST_F(Regress, JudgesEachKindOfEnd) {
  add_program("good", kGood);
  add_program("silent", "exit 0");
  add_program("wrong", "echo '[  PASSED  ] 1 test.'; exit 3");
  add_program("crash", "kill -SEGV $$");
  add_program("killed", "kill -KILL $$");
  add_program("late", "sleep 100");
  add_program("task_dies", "kill -KILL $PPID");
  write_plan({"good", "silent", "wrong", "crash", "killed", "late", "task_dies"}, "2");
  const Output output = regress("--jobs 3");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(status_of("good"), "passed");
  EXPECT_EQ(status_of("silent"), "silent");
  EXPECT_EQ(status_of("wrong"), "failed");
  EXPECT_EQ(status_of("crash"), "crashed");
  EXPECT_EQ(status_of("killed"), "killed");
  EXPECT_EQ(status_of("late"), "timed out");
  EXPECT_EQ(status_of("task_dies"), "lost");
  EXPECT_THAT(output.text, HasSubstr("\n1 passed, 1 failed, 1 silent, 1 timed out, 1 killed, 1 "
                                     "crashed, 1 lost\n"));
  EXPECT_THAT(text_of("out/runs/1/junit.xml"), HasSubstr("type=\"crashed\""));
  EXPECT_THAT(text_of("out/runs/1/report.html"), HasSubstr("(crashed, "));
  EXPECT_THAT(output.text, HasSubstr("ended by signal 11 (Segmentation fault)"));
  EXPECT_THAT(output.text, Not(HasSubstr("\r"))) << "progress in a pipe";
}

TEST_F(Regress, GivesATestOfTwoThreadsTheRoomOfTwo) {
  std::ofstream(path("plan.json")) << R"({"tests": [
    {"name": "two", "scenario": "barrier", "threads": [2], "seeds": 3},
    {"name": "one", "scenario": "barrier", "threads": [1], "seeds": 3}]})";
  EXPECT_EQ(regress("--jobs 2").status, 0);
  EXPECT_EQ(most_at_once("two/"), 1);
  EXPECT_EQ(most_at_once("one/"), 2);
  // More threads than there is room for run alone.
  EXPECT_EQ(regress("--jobs 1").status, 0);
}

TEST_F(Regress, RunsAProgramWhosePathIsNoUtf8) {
  const std::string odd = path("caf\xe9");
  fs::create_directories(odd + "/tests");
  fs::rename(path("torusmu"), odd + "/torusmu");
  add_program("bad", "exit 1");
  write_plan({"bad"});
  fs::rename(path("tests/bad"), odd + "/tests/bad");
  const Output output =
      shell(odd + "/torusmu regress " + path("plan.json") + " --output " + path("out"));
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_EQ(status_of("bad"), "failed");
  EXPECT_THAT(output.text, HasSubstr("/caf\\xe9/tests/bad' "));
  const std::size_t from = output.text.find("TORUSMU_SEED=");
  ASSERT_NE(from, std::string::npos);
  const std::string again = output.text.substr(from, output.text.find('\n', from) - from);
  EXPECT_EQ(
      shell("bash -c " + ("'" + std::regex_replace(again, std::regex("'"), "'\\''") + "'")).status,
      1)
      << again;
}

TEST_F(Regress, RepeatsWhatHasNoWavesOnceAsItWas) {
  add_program("bad", "echo seed $TORUSMU_SEED; echo x >> " + path("bad_runs") + "; exit 1");
  add_program("loose", "test -e " + path("seen") + " && " + kGood + " && exit 0; touch " +
                           path("seen") + "; exit 1");
  add_program("good", "echo x >> " + path("good_runs") + "; " + kGood);
  std::ofstream(path("plan.json")) << R"({"tests": [
    {"name": "bad", "gtest": "bad", "filter": "*"},
    {"name": "loose", "gtest": "loose", "filter": "*"},
    {"name": "good", "gtest": "good", "filter": "*"},
    {"bench": "uniform", "time_limit": 1}]})";
  const Output output = regress();
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(status_of("bad"), "failed");
  EXPECT_EQ(status_of("loose"), "failed") << "a repetition that passes changes no verdict";
  const std::string bad = path("out/runs/1/tests/0001/again.txt");
  EXPECT_EQ(result_of("bad")["repeated"], "failed again when it was repeated: " + bad);
  EXPECT_THAT(output.text, HasSubstr("     failed again when it was repeated: " + bad + "\n"));
  EXPECT_EQ(text_of("out/runs/1/tests/0001/again.txt"),
            text_of("out/runs/1/tests/0001/output.txt"));
  EXPECT_EQ(text_of("bad_runs"), "x\nx\n");
  EXPECT_EQ(result_of("loose")["repeated"],
            "passed when it was repeated: the seed alone does not decide; " +
                path("out/runs/1/tests/0002/again.txt"));
  EXPECT_EQ(result_of("good")["repeated"], "");
  EXPECT_EQ(text_of("good_runs"), "x\n");
  EXPECT_THAT(result_of("bench-uniform")["repeated"].get<std::string>(),
              StartsWith("timed out again when it was repeated: "));
  EXPECT_EQ(regress("--wave-cycles 0").status, 1);
  EXPECT_EQ(result_of("bad", 2)["repeated"], "");
}

TEST_F(Regress, GivesEachTestTheSeedOfItsNameAlsoAlone) {
  add_program("a", "echo seed $TORUSMU_SEED; echo '[  PASSED  ] 1 test.'");
  add_program("b", "echo seed $TORUSMU_SEED; echo '[  PASSED  ] 1 test.'");
  write_plan({"a", "b"});
  EXPECT_EQ(regress("--seed 77").status, 0);
  EXPECT_EQ(regress("--seed 77 --only 'b/*'").status, 0);
  const std::string among = text_of("out/runs/1/tests/0002/output.txt");
  EXPECT_EQ(among, text_of("out/runs/2/tests/0001/output.txt"));
  EXPECT_NE(among, text_of("out/runs/1/tests/0001/output.txt"));
  // As the documentation says that anybody can compute it.
  const Output computed =
      shell("printf 77:b/1 | gzip -c | tail -c 8 | od -A n -t u4 -N 4 | tr -d ' \\n'");
  EXPECT_THAT(among, StartsWith("seed " + computed.text + "\n"));
}

TEST_F(Regress, RunsTheTestsThatThePlanNamesWhateverTheEnvironmentSaysOfThem) {
  add_program("a", "env | grep '^GTEST_' || echo '[  PASSED  ] 1 test.'");
  write_plan({"a"});
  const Output output = shell("GTEST_TOTAL_SHARDS=2 GTEST_FILTER=None.* " + command());
  EXPECT_EQ(output.status, 0) << output.text << text_of("out/runs/1/tests/0001/output.txt");
}

TEST_F(Regress, RerunsThoseThatFailedWithTheSameSeeds) {
  add_program("good", kGood);
  add_program("bad", "test -e " + path("repaired") + " && " + kGood);
  add_program("other", "echo $TORUSMU_SEED; exit 1");
  write_plan({"good", "bad", "other"});
  EXPECT_EQ(regress("--seed 5").status, 1);
  std::ofstream(path("repaired")) << "";
  const Output second = regress("--rerun-failed");
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.text, HasSubstr("2 tests in "));
  EXPECT_THAT(second.text, HasSubstr("master seed 5"));
  EXPECT_EQ(status_of("good", 2), "not in the report");
  EXPECT_EQ(status_of("bad", 2), "passed");
  EXPECT_EQ(result_of("other", 1)["job"]["seed"], result_of("other", 2)["job"]["seed"]);
  add_program("other", kGood);
  EXPECT_EQ(regress("--rerun-failed").status, 0);
  const Output nothing = regress("--rerun-failed");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_THAT(nothing.text, HasSubstr("nothing to repeat"));
}

TEST_F(Regress, RerunFailedForgetsNoTestThatTheLastRunLeftOut) {
  add_program("good", kGood);
  add_program("bad", "exit 1");
  add_program("other", "exit 1");
  write_plan({"good", "bad", "other"});
  EXPECT_EQ(regress().status, 1);
  EXPECT_EQ(regress("--only 'good/*'").status, 0);
  add_program("bad", kGood);
  EXPECT_EQ(regress("--rerun-failed --only 'bad/*'").status, 0);
  const Output rest = regress("--rerun-failed");
  EXPECT_EQ(rest.status, 1) << rest.text;
  EXPECT_EQ(status_of("other", 4), "failed");
  EXPECT_EQ(status_of("bad", 4), "not in the report");
}

TEST_F(Regress, RerunFailedRunsWhatHasNotRunWithThatSeed) {
  add_program("good", kGood);
  add_program("bad", "exit 1");
  write_plan({"good", "bad"});
  EXPECT_EQ(regress().status, 1);
  EXPECT_EQ(regress("--only 'good/*' --seed 9").status, 0);
  const Output left_out = regress("--rerun-failed");
  EXPECT_EQ(left_out.status, 1) << left_out.text;
  EXPECT_EQ(status_of("bad", 3), "failed");
  EXPECT_EQ(status_of("good", 3), "not in the report");
  add_program("bad", kGood);
  add_program("new", "exit 1");
  write_plan({"good", "bad", "new"});
  const Output added = regress("--rerun-failed");
  EXPECT_EQ(added.status, 1) << added.text;
  EXPECT_EQ(status_of("new", 4), "failed");
  const Output passed = regress("--rerun-failed --only 'good/*'");
  EXPECT_EQ(passed.status, 2) << passed.text;
  EXPECT_THAT(passed.text, HasSubstr("no test that has not passed has such a name"));
}

TEST_F(Regress, AQueueThatDoesNotAnswerLosesNoTest) {
  add_program("good", kGood);
  write_plan({"good"});
  const auto add_slurm = [&](const char* name, const char* script) {
    std::ofstream(path(name)) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path(name), fs::perms::owner_all);
  };
  add_slurm("sbatch", "echo 7");
  add_slurm("scancel", "");
  add_slurm("squeue", "echo no controller >&2; exit 1");
  const std::string path_of_all = "PATH=" + path("") + ":$PATH ";
  const Output output = shell("timeout 30 env " + path_of_all + command("--slurm --late 1"));
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr("squeue does not answer: no controller\n"));
  EXPECT_THAT(output.text, HasSubstr("--collect waits for the run again"));
  ASSERT_EQ(shell(path("torusmu") + " regress-task " + path("out/runs/1") + " 1").status, 0);
  EXPECT_EQ(shell(path_of_all + command("--collect")).status, 0);
  EXPECT_EQ(status_of("good"), "passed");
}

TEST_F(Regress, PassesARunThatFailsAsThePlanExpects) {
  std::ofstream(path("plan.json")) << R"({"tests": [
    {"name": "flips", "scenario": "put", "shapes": ["2x1x1"],
     "options": ["--inject", "flip-payload-bit:9"], "expect": "fail", "check": "put.bytes"},
    {"name": "other", "scenario": "put", "shapes": ["2x1x1"],
     "options": ["--inject", "flip-payload-bit:9"], "expect": "fail", "check": "put.interrupts"},
    {"name": "none", "scenario": "put", "shapes": ["2x1x1"], "expect": "fail", "check": "*"}]})";
  const Output output = regress("--wave-cycles 0");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(status_of("flips/2x1x1"), "passed") << output.text;
  EXPECT_EQ(status_of("other/2x1x1"), "failed");
  EXPECT_EQ(status_of("none/2x1x1"), "failed");
  EXPECT_THAT(output.text, HasSubstr("put.interrupts was expected to fail, but did not; failed: "
                                     "put.bytes"));
  EXPECT_THAT(output.text, HasSubstr("all checks passed, but * was expected to fail"));
  EXPECT_THAT(text_of("out/runs/1/report.html"), HasSubstr("failed as expected: put.bytes"));
}

TEST_F(Regress, RunsWhatItDrawsAndNamesTheCommand) {
  std::ofstream(path("plan.json")) << R"({"tests": [{"name": "soak", "scenario": "get", "runs": 6,
    "draw": {"nodes": [1, 3], "latency": [1, 32], "threads": [1, 2], "no_sleep": 50}}]})";
  const Output list = shell(path("torusmu") + " regress " + path("plan.json") + " --list");
  const Output output = regress();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("6 passed, 0 failed"));
  EXPECT_THAT(list.text, HasSubstr(result_of("soak")["command"].get<std::string>()));
}

TEST_F(Regress, WritesJunitThatTheSchemaTakesAndJson) {
  add_program("good", kGood);
  add_program("bad", "printf 'x <&> \\001 \\377 \"quoted\"\\nf.cc:1: Failure\\n]]>\\n'; exit 1");
  add_program("silent", "exit 0");
  write_plan({"good", "bad", "silent"});
  EXPECT_EQ(regress("--junit " + path("j.xml") + " --json " + path("j.json")).status, 1);
  const Output lint = shell("xmllint --noout --schema tests/regress/junit.xsd " + path("j.xml"));
  EXPECT_EQ(lint.status, 0) << lint.text << text_of("j.xml");
  const auto xpath = [&](const std::string& query) {
    return shell("xmllint --xpath '" + query + "' " + path("j.xml")).text;
  };
  EXPECT_THAT(xpath("string(/testsuites/@tests)"), StartsWith("3"));
  EXPECT_THAT(xpath("string(/testsuites/@failures)"), StartsWith("1"));
  EXPECT_THAT(xpath("string(/testsuites/@errors)"), StartsWith("1"));
  const nlohmann::json json = nlohmann::json::parse(text_of("j.json"));
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 2);
  EXPECT_EQ(json["command"][1], "regress");
  EXPECT_EQ(json["options"]["json"], path("j.json"));
  EXPECT_TRUE(json.contains("version") && json.contains("build") && json.contains("profile"));
  const nlohmann::json bad = result_of("bad");
  EXPECT_THAT(xpath("string(//testcase[@name=\"bad/1\"]//property[@name=\"seed\"]/@value)"),
              StartsWith(bad["job"]["seed"].dump()));
  EXPECT_THAT(xpath("string(//testcase[@name=\"bad/1\"]//property[@name=\"command\"]/@value)"),
              StartsWith(bad["command"].get<std::string>()));
}

TEST_F(Regress, WritesAPageThatNeedsNothingElse) {
  add_program("good", kGood);
  add_program("bad", "echo '<b>wrong</b>'; exit 1");
  write_plan({"good", "bad"});
  EXPECT_EQ(regress("--report " + path("r.html")).status, 1);
  EXPECT_THAT(text_of("r.html"),
              AllOf(HasSubstr("1 of 2 tests passed"), HasSubstr("<table id=\"failed-tests\">"),
                    HasSubstr("bad/1"), Not(HasSubstr("<b>")), Not(HasSubstr("src="))));
}

TEST_F(Regress, WritesReportsIntoTheFolderThatItMakes) {
  add_program("good", kGood);
  write_plan({"good"});
  const Output output = regress("--json " + path("out/j.json") + " --report " + path("out/r.html"));
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_TRUE(fs::exists(path("out/j.json")));
  EXPECT_TRUE(fs::exists(path("out/r.html")));
}

TEST_F(Regress, WritesReportsToDevicesAndPipes) {
  add_program("good", kGood);
  write_plan({"good"});
  EXPECT_EQ(regress("--json /dev/null").status, 0);
  const Output output =
      shell(path("torusmu") + " regress " + path("plan.json") + " --output " + path("out") +
            " --wave-cycles 0 --junit /dev/stderr 2>&1 > /dev/null | " +
            "xmllint --noout --schema tests/regress/junit.xsd -");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("- validates"));
}

TEST_F(Regress, EndsWithTwoAndTheNameOfWhatIsBad) {
  add_program("good", kGood);
  write_plan({"good"});
  const auto refused = [&](const std::string& options, const std::string& words) {
    const Output output = regress(options);
    EXPECT_EQ(output.status, 2) << options << output.text;
    EXPECT_THAT(output.text, HasSubstr(words)) << options;
  };
  refused("--jobs 0", "\"0\" must be 1 to 4096");
  refused("--seed x", "--seed: \"x\"");
  refused("--only 'bad*'", "--only \"bad*\": no test of the plan has such a name");
  refused("--rerun-failed", "knows no run of");
  refused("--rerun-failed --seed 3", "excludes");
  refused("--junit /nonexistent/x.xml", "--junit: cannot write /nonexistent/x.xml");
  refused("--json " + path(""), "--json: cannot write");
  refused("--junit " + path(std::string(300, 'x')), "File name too long");
  EXPECT_THAT(
      shell(path("torusmu") + " regress --show-history --output " + std::string(300, 'x')).text,
      HasSubstr("x has no history"));
  refused("--no-wait", "--slurm");
  refused("--collect --list", "excludes");
  refused("--collect --only 'good/*'", "excludes");
  refused("--junit " + path("plan.json"), "the plan and --junit are the same file");
  refused("--junit " + path("f") + " --json " + path("tests/../f"),
          "--junit and --json are the same file");
  EXPECT_THAT(
      shell(path("torusmu") + " regress " + path("plan.json") + " --output /dev/null/x").text,
      HasSubstr("cannot make the folder /dev/null/x"));
  EXPECT_EQ(shell(path("torusmu") + " regress").status, 2);
  EXPECT_THAT(shell(path("torusmu") + " regress --show-history --output " + path("none")).text,
              HasSubstr("none has no history"));
  std::ofstream(path("plan.json"))
      << R"({"tests": [{"replay": ")" << std::string(300, 'x') << R"("}]})";
  refused("", "x\", expected a trace file");
  std::ofstream(path("plan.json")) << R"({"tests": [{"name": "x", "gtest": ")"
                                   << std::string(300, 'x') << R"(", "filter": "*"}]})";
  refused("", "x\", expected a program of");
  std::ofstream(path("plan.json")) << "{\"tests\":\n [{\"bench\": \"rooter\"}]}";
  refused("", path("plan.json") + ":2:13: found \"rooter\", expected a bench: put, router");
}

TEST_F(Regress, NamesThePackageOfAToolThatIsNotThere) {
  add_program("good", kGood);
  write_plan({"good"});
  const Output output = shell("PATH=/nonexistent " + command("--slurm"));
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("sbatch is not there: Debian's package slurm-client has it"));
}

TEST_F(Regress, ShowsProgressAndTheTimeLeftOnATerminal) {
  add_program("good", std::string("sleep 0.7; ") + kGood);
  add_program("other", std::string("sleep 0.7; ") + kGood);
  write_plan({"good", "other"});
  const Output output = shell("script -qec '" + command("--jobs 1") + "' /dev/null < /dev/null");
  EXPECT_THAT(output.text, HasSubstr("\r0 of 2 tests done, 0 failed, 1 running"));
  EXPECT_THAT(output.text,
              ContainsRegex("1 of 2 tests done, 0 failed, 1 running, about [0-9.]+ s"));
}

TEST_F(Regress, RunsAsManyAtOnceAsItIsTold) {
  // Each waits until it sees the other.
  add_program("a", "touch " + path("a") + "; until test -e " + path("b") +
                       "; do sleep 0.1; done; " + kGood);
  add_program("b", "touch " + path("b") + "; until test -e " + path("a") +
                       "; do sleep 0.1; done; " + kGood);
  write_plan({"a", "b"}, "20");
  EXPECT_EQ(regress("--jobs 2").status, 0);
}

// --- bad days --------------------------------------------------------------------------------

TEST_F(Regress, ATestThatIsLateGoesWithAllThatItStarted) {
  add_program("late", "sleep 100 & echo $! > " + path("grandchild") +
                          "; trap '' TERM; wait; "
                          "sleep 100");
  write_plan({"late"}, "1");
  EXPECT_EQ(regress().status, 1);
  EXPECT_EQ(status_of("late"), "timed out");
  EXPECT_TRUE(goes("grandchild"));
}

TEST_F(Regress, ASecondRunnerInTheSameFolderIsTurnedAway) {
  add_program("slow", "touch " + path("begun") + "; until test -e " + path("go") +
                          "; do sleep 0.1; done; " + kGood);
  write_plan({"slow"});
  const std::string first = "(" + command() + " > " + path("first.txt") + " 2>&1; echo $? > " +
                            path("first.status") + ") > /dev/null 2>&1 &";
  ASSERT_EQ(shell(first).status, 0);
  ASSERT_TRUE(comes("begun"));
  const Output second = regress();
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.text, HasSubstr("is in use by another runner (process "));
  std::ofstream(path("go")) << "";
  ASSERT_TRUE(comes("first.status"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(text_of("first.status"), "0\n") << text_of("first.txt");
  EXPECT_EQ(regress().status, 0);
}

TEST_F(Regress, ARunnerThatIsKilledLeavesNoProcessAndNoHalfResult) {
  add_program("done", kGood);
  add_program("slow", "echo $$ > " + path("pid.new") + "; mv " + path("pid.new") + " " +
                          path("pid") + "; test -e " + path("go") + " || sleep 100; " + kGood);
  write_plan({"done", "slow"});
  ASSERT_EQ(shell(command("--jobs 1") + " > /dev/null 2>&1 & echo $! > " + path("runner")).status,
            0);
  ASSERT_TRUE(comes("pid"));
  shell("kill -KILL " + text_of("runner"));
  EXPECT_TRUE(goes("pid"));
  EXPECT_TRUE(fs::exists(path("out/runs/1/tests/0001/result.json")));
  EXPECT_FALSE(fs::exists(path("out/runs/1/tests/0002/result.json")));
  std::ofstream(path("go")) << "";
  const Output rest = regress("--rerun-failed");
  EXPECT_EQ(rest.status, 0) << rest.text;
  EXPECT_EQ(status_of("done", 2), "not in the report");
  EXPECT_EQ(status_of("slow", 2), "passed");
}

TEST_F(Regress, ARunnerThatIsKilledLeavesNoReportOfTheRunBefore) {
  add_program("slow", "test -e " + path("once") + " || { touch " + path("once") + "; " + kGood +
                          "; exit; }; echo $$ > " + path("pid.new") + "; mv " + path("pid.new") +
                          " " + path("pid") + "; sleep 100");
  write_plan({"slow"});
  const std::string reports =
      "--junit " + path("j.xml") + " --json " + path("j.json") + " --report " + path("r.html");
  ASSERT_EQ(regress(reports).status, 0);
  EXPECT_TRUE(fs::exists(path("j.xml")));
  ASSERT_EQ(shell(command(reports) + " > /dev/null 2>&1 & echo $! > " + path("runner")).status, 0);
  ASSERT_TRUE(comes("pid"));
  shell("kill -KILL " + text_of("runner"));
  EXPECT_TRUE(goes("pid"));
  for (const char* report : {"j.xml", "j.json", "r.html"}) {
    EXPECT_FALSE(fs::exists(path(report))) << report;
  }
}

TEST_F(Regress, ARunnerThatIsInterruptedSaysWhatIsLeft) {
  add_program("slow", "echo $$ > " + path("pid.new") + "; mv " + path("pid.new") + " " +
                          path("pid") + "; sleep 100");
  add_program("never", kGood);
  write_plan({"slow", "never"});
  ASSERT_EQ(
      shell("(" + command("--jobs 1") + " > " + path("o.txt") + " 2>&1 & echo $! > " +
            path("runner") + "; wait $!; echo $? > " + path("status") + ") > /dev/null 2>&1 &")
          .status,
      0);
  ASSERT_TRUE(comes("pid"));
  shell("kill -TERM " + text_of("runner"));
  ASSERT_TRUE(comes("status"));
  EXPECT_TRUE(goes("pid"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(text_of("status"), "1\n");
  EXPECT_THAT(text_of("o.txt"), AllOf(HasSubstr("0 passed, 0 failed, 2 unfinished"),
                                      HasSubstr("--rerun-failed goes on with what is left")));
}

TEST_F(Regress, ARunnerUnderNohupOutlivesItsTerminal) {
  add_program("slow", "echo $$ > " + path("pid.new") + "; mv " + path("pid.new") + " " +
                          path("pid") + "; sleep 2; " + kGood);
  write_plan({"slow"});
  ASSERT_EQ(
      shell("(trap '' HUP; " + command() + " > " + path("o.txt") + " 2>&1 & echo $! > " +
            path("runner") + "; wait $!; echo $? > " + path("status") + ") > /dev/null 2>&1 &")
          .status,
      0);
  ASSERT_TRUE(comes("pid"));
  shell("kill -HUP " + text_of("runner"));
  ASSERT_TRUE(comes("status"));
  EXPECT_EQ(text_of("status"), "0\n") << text_of("o.txt");
}

TEST_F(Regress, RerunFailedNamesATestThatThePlanHasNoMore) {
  add_program("good", kGood);
  add_program("bad", "exit 1");
  write_plan({"good", "bad"});
  EXPECT_EQ(regress().status, 1);
  write_plan({"good"});
  const Output output = regress("--rerun-failed");
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr("has no test bad/1 any more"));
}

// A limit on the size of files is to a process what a full disk is.
TEST_F(Regress, OnAFullDiskNothingCountsAsPassed) {
  add_program("loud", std::string("trap '' XFSZ; head -c 900000 /dev/zero; ") + kGood + "; exit 0");
  add_program("good", kGood);
  write_plan({"loud", "good"});
  const Output output = shell("trap '' XFSZ; ulimit -f 1600; " + command());
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_EQ(status_of("loud"), "silent");
  EXPECT_EQ(status_of("good"), "passed");
  const Output nothing = shell("trap '' XFSZ; ulimit -f 8; " + command());
  EXPECT_EQ(nothing.status, 2) << nothing.text;
  EXPECT_THAT(nothing.text, HasSubstr("out/history.sqlite: "));
}

TEST_F(Regress, AFullStdoutCostsNoReport) {
  add_program("bad", "exit 1");
  add_program("good", kGood);
  write_plan({"bad", "good"});
  const Output output = shell("(" + command("--jobs 1 --junit " + path("j.xml")) + " > /dev/full)");
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr("cannot write to stdout: No space left on device"));
  EXPECT_EQ(status_of("good"), "passed");
  EXPECT_TRUE(fs::exists(path("j.xml")));
}

TEST_F(Regress, AReaderThatClosesCostsNoReport) {
  add_program("bad", "exit 1");
  add_program("other", "exit 1");
  add_program("pipe", std::string("yes | head -n 1 > /dev/null; ") + kGood);
  write_plan({"bad", "other", "pipe"});
  const Output output = shell("(" + command("--jobs 1") + " 2> " + path("e.txt") + "; echo $? > " +
                              path("status") + ") | true");
  ASSERT_TRUE(comes("status"));
  EXPECT_EQ(text_of("status"), "2\n") << output.text;
  EXPECT_THAT(text_of("e.txt"), HasSubstr("cannot write to stdout: Broken pipe"));
  EXPECT_EQ(status_of("pipe"), "passed");
}

TEST_F(Regress, AResultThatCannotBeWrittenIsLost) {
  add_program("good",
              "ln -s /dev/full " + path("out/runs/1/tests/0001/result.json.new") + "; " + kGood);
  write_plan({"good"});
  const Output output = regress();
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(status_of("good"), "lost");
  EXPECT_THAT(output.text, HasSubstr("No space left on device"));
}

TEST_F(Regress, AHalfWrittenResultIsNone) {
  add_program("good", "printf '{\"job\": {\"na' > " + path("out/runs/1/tests/0001/result.json") +
                          "; kill -KILL $PPID");
  write_plan({"good"});
  EXPECT_EQ(regress().status, 1);
  EXPECT_EQ(status_of("good"), "lost");
}

TEST_F(Regress, ResultsThatTheHistoryDoesNotKnowAreNotOverwritten) {
  add_program("good", kGood);
  write_plan({"good"});
  EXPECT_EQ(regress().status, 0);
  const std::string before = text_of("out/runs/1/report.json");
  fs::remove(path("out/history.sqlite"));
  const Output output = regress();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("run 2: "));
  EXPECT_EQ(text_of("out/runs/1/report.json"), before);
}

TEST_F(Regress, ARunThatDidNotStartIsNotTheLastOne) {
  add_program("good", kGood);
  write_plan({"good"});
  EXPECT_EQ(regress().status, 0);
  for (const char* name : {"sbatch", "squeue", "scancel"}) {
    std::ofstream(path(name)) << "#!/bin/sh\necho no partition >&2\nexit 1\n";
    fs::permissions(path(name), fs::perms::owner_all);
  }
  const Output refused = shell("PATH=" + path("") + ":$PATH " + command("--slurm"));
  EXPECT_EQ(refused.status, 2) << refused.text;
  EXPECT_THAT(refused.text, HasSubstr("sbatch did not take the job: no partition"));
  EXPECT_FALSE(fs::exists(path("out/runs/2")));
  EXPECT_THAT(regress("--rerun-failed").text, HasSubstr("nothing to repeat"));
  EXPECT_THAT(regress().text, HasSubstr("run 2: "));
}

}  // namespace
}  // namespace torusmu::testing
