// SPDX-License-Identifier: Apache-2.0
// Plans: what they mean, and what is said of a bad one.
#include "tb/lab/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/app/plan_machines.h"
#include "sim/machine/errors.h"
#include "tb/lab/draw.h"
#include "tb/lab/jobs.h"

namespace torusmu::lab {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class Plan : public ::testing::Test {
 protected:
  Plan() {
    folder_ = fs::temp_directory_path() / ("torusmu-plan-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "tests");
    fs::create_directories(folder_ / "mesh");
    for (const char* built : {"2x1x1.so", "2x2x1.so"}) std::ofstream(folder_ / "mesh" / built);
    std::ofstream(folder_ / "tests" / "some_tests") << "";
  }
  ~Plan() override { fs::remove_all(folder_); }

  std::vector<PlanTest> read(const std::string& text) {
    std::ofstream(file()) << text;
    return read_plan(file(), (folder_ / "tests").string(), plan_surroundings());
  }
  std::vector<Job> jobs(const std::string& text, std::uint64_t master = 1) {
    return jobs_of(read(text), master, "build/torusmu", "build/tests");
  }
  // The message without the file's name: "LINE:COLUMN: ...".
  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with(file() + ":")) << what;
      return what.substr(file().size() + 1);
    }
    return "none";
  }
  [[nodiscard]] std::string file() const { return (folder_ / "plan.json").string(); }

 private:
  fs::path folder_;
};

TEST_F(Plan, CrossesShapesLatenciesEnginesThreadsAndSeeds) {
  const auto all = jobs(R"({"tests": [{"scenario": "put", "shapes": ["2x1x1", "2x2x1"],
    "latencies": [1, 8, 32], "engines": ["fast", "mesh"], "threads": [1, 2], "seeds": 5}]})");
  EXPECT_EQ(all.size(), 2U * 3 * 2 * 2 * 5);
  EXPECT_EQ(all.front().name, "put/2x1x1/latency-1/fast/threads-1/1");
  EXPECT_EQ(all.back().name, "put/2x2x1/latency-32/mesh/threads-2/5");
  EXPECT_THAT(all.back().command(),
              HasSubstr("build/torusmu scenario put --mesh 2x2x1 --latency 32 --engine mesh "
                        "--threads 2 --timing random --seed "));
}

TEST_F(Plan, RunsACommandForEachWord) {
  const auto all = jobs(R"({"tests": [
    {"name": "say/{word}", "for": "word in a b", "run": ["echo", "{word}"]},
    {"name": "program-{n}", "for": "n in some", "gtest": "{n}_tests", "filter": "*",
     "seeds": 2}]})");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.front().name, "say/a");
  EXPECT_EQ(all.front().command(), "echo a");
  EXPECT_EQ(all.back().name, "program-some/2");
  EXPECT_THAT(complaint(R"({"tests": [{"name": "x", "for": "n in no", "gtest": "{n}_tests",
    "filter": "*"}]})"),
              HasSubstr("found \"{n}_tests\", expected a program of "));
}

TEST_F(Plan, CrossesTimingsWithSeeds) {
  const auto all =
      jobs(R"({"tests": [{"scenario": "put", "timings": ["fixed", "random"], "seeds": 2}]})");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.front().name, "put/timing-fixed/1");
  EXPECT_EQ(all.back().name, "put/timing-random/2");
  EXPECT_EQ(all.back().command(),
            "build/torusmu scenario put --timing random --seed " + std::to_string(all.back().seed));
  EXPECT_EQ(complaint(R"({"tests": [{"scenario": "put", "timings": ["slow"]}]})"),
            "1:44: found \"slow\", expected fixed, random-memory, random-cores or random");
}

TEST_F(Plan, GivesEachSeedButTheFirstATimingOfItsOwn) {
  const auto all = jobs(R"({"tests": [{"scenario": "put", "seeds": 3},
    {"replay": "tests/traces/lulesh-8.trace", "seeds": 2}]})");
  ASSERT_EQ(all.size(), 5U);
  for (const Job& job : all) {
    const bool first = job.name.ends_with("/1");
    EXPECT_EQ(job.command().find("--timing random") == std::string::npos, first) << job.name;
  }
  // Figures with limits are compared with other seeds, and a bench has machines of its own.
  for (const Job& job : jobs(R"({"tests": [{"bench": "router", "seeds": 2},
    {"scenario": "put", "seeds": 2, "limits": {"cycles": "5 %"}}]})")) {
    EXPECT_THAT(job.command(), Not(HasSubstr("--timing"))) << job.name;
  }
}

TEST_F(Plan, HasEachKindOfTestWithItsCommand) {
  const auto all = jobs(R"({
    // comments are allowed
    "time_limit": 7,
    "tests": [
      {"scenario": "put"}, /* here too */
      {"replay": "tests/traces/lulesh-8.trace", "options": ["--eager-limit", "0"]},
      {"bench": "router", "time_limit": 9},
      {"name": "x", "gtest": "some_tests", "filter": "*Random*:It's*"}]})");
  ASSERT_EQ(all.size(), 4U);
  const auto seed = [&](std::size_t i) { return std::to_string(all[i].seed); };
  EXPECT_EQ(all[0].command(), "build/torusmu scenario put --seed " + seed(0));
  EXPECT_EQ(all[1].command(),
            "build/torusmu replay tests/traces/lulesh-8.trace --eager-limit 0 "
            "--seed " +
                seed(1));
  EXPECT_EQ(all[2].command(), "build/torusmu bench router --seed " + seed(2));
  EXPECT_EQ(all[3].command(), "TORUSMU_SEED=" + seed(3) +
                                  " build/tests/some_tests "
                                  R"('--gtest_filter=*Random*:It'\''s*')");
  EXPECT_EQ(all[0].time_limit, 7U);
  EXPECT_EQ(all[2].time_limit, 9U);
}

// What `printf 1:put/2x1x1/1 | gzip -c | tail -c 8 | od -A n -t u4 -N 4` prints.
TEST(Seed, IsTheChecksumOfMasterAndName) {
  EXPECT_EQ(seed_of(1, "put/2x1x1/1"), 3304245027U);
  EXPECT_EQ(seed_of(18446744073709551615U, "put/2x1x1/1"), 2902181755U);
}

TEST_F(Plan, SeedOfATestDependsOnMasterAndNameAlone) {
  const auto among = jobs(R"({"tests": [{"bench": "router"}, {"scenario": "fifo", "seeds": 3},
    {"scenario": "put", "shapes": ["2x1x1", "2x2x1"], "seeds": 2}]})");
  const auto alone = jobs(R"({"tests": [{"scenario": "put", "shapes": ["2x2x1"]}]})");
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].name, "put/2x2x1/1");
  for (const Job& job : among) {
    EXPECT_EQ(job.seed, seed_of(1, job.name));
    if (job.name == alone[0].name) {
      EXPECT_EQ(job.seed, alone[0].seed);
    }
    if (job.name != alone[0].name) {
      EXPECT_NE(job.seed, alone[0].seed);
    }
  }
  EXPECT_NE(jobs(R"({"tests": [{"scenario": "put"}]})", 2)[0].seed,
            jobs(R"({"tests": [{"scenario": "put"}]})", 1)[0].seed);
}

TEST_F(Plan, OfABadOneLineColumnFoundAndExpectedAreTold) {
  EXPECT_EQ(complaint("{\n  \"tests\": [\n    {\"scenario\": \"putt\"}]}").substr(0, 67),
            "3:18: found \"putt\", expected a scenario: put, fifo, get, reflection");
  EXPECT_EQ(complaint("{\"tests\": []}"), "1:11: found an empty list, expected at least one test");
  EXPECT_EQ(complaint("{}"), "1:1: found an object without \"tests\", expected a list of tests");
  EXPECT_EQ(complaint("[]"), "1:1: found a list, expected an object with \"tests\"");
  EXPECT_EQ(complaint("// c\n{\"tests\": [{\"bench\": \"router\", \"seeds\": 0}]}"),
            "2:41: found 0, expected a whole number from 1 to 100000");
  EXPECT_EQ(complaint("{\"tests\": [{\"bench\": \"router\", \"seeds\": -3}]}"),
            "1:41: found -3, expected a whole number from 1 to 100000");
  EXPECT_EQ(complaint("{\"tests\": [{\"bench\": \"router\", \"seeds\": 1.5}]}"),
            "1:41: found 1.5, expected a whole number from 1 to 100000");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"shapes\": [\"2x2x2\", \"2x2\"]}]}"),
            "1:52: found \"2x2\", expected a machine size as \"4x4x2\", each from 1 to 16");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"latencies\": [1, 33]}]}"),
            "1:49: found 33, expected a whole number from 1 to 32");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"latencies\": [8, 8]}]}"),
            "1:49: found 8 a second time, expected each once");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"engines\": [\"slow\"]}]}"),
            "1:44: found \"slow\", expected fast or mesh");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"shape\": [\"2x2x2\"]}]}"),
            "1:32: found \"shape\", expected of a scenario: name, seeds, time_limit, shapes, "
            "latencies, engines, threads, timings, options, expect, check, limits, draw, runs");
  EXPECT_EQ(complaint("{\"tests\": [{\"bench\": \"router\", \"shapes\": [\"2x2x2\"]}]}"),
            "1:32: found \"shapes\", expected of a bench: name, seeds, time_limit, latencies, "
            "threads, options, expect, check, limits");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"options\": [\"--seed=3\"]}]}"),
            "1:44: found \"--seed=3\", expected no option that the plan has a list for or the "
            "runner sets by itself");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"bench\": \"router\"}]}"),
            "1:32: found \"bench\" beside \"scenario\", expected one of scenario, replay, "
            "bench, gtest and run");
  EXPECT_EQ(
      complaint("{\"tests\": [{\"seeds\": 1}]}"),
      "1:12: found a test without scenario, replay, bench, gtest or run, expected one of them");
  EXPECT_EQ(complaint("{\"tests\": [{\"gtest\": \"some_tests\", \"filter\": \"*\"}]}"),
            "1:12: found a gtest without \"name\" or \"filter\", expected both");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\"}, {\"scenario\": \"put\"}]}"),
            "1:33: found a second test named \"put\", expected a \"name\" other than that of line "
            "1");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"name\": \"a b\"}]}"),
            "1:40: found \"a b\", expected a name of letters, digits, '.', '_', '-' and '/'");
  EXPECT_THAT(complaint("{\"tests\": [{\"replay\": \"none.trace\"}]}"),
              HasSubstr("1:23: found \"none.trace\", expected a trace file, from /"));
  EXPECT_THAT(complaint("{\"tests\": [{\"gtest\": \"../x\", \"name\": \"x\", \"filter\": \"*\"}]}"),
              HasSubstr("1:22: found \"../x\", expected a program of "));
  EXPECT_EQ(complaint("{\"tests\": [],\n \"tests\": []}"),
            "2:2: found \"tests\" a second time, expected each name once");
}

TEST_F(Plan, WithOptionsThatTheCommandRefusesTellsThem) {
  const auto of_options = [&](const std::string& test, const std::string& options) {
    return complaint("{\"tests\": [\n{" + test + ",\n\"options\": [" + options + "]}]}");
  };
  EXPECT_EQ(of_options(R"("scenario": "put")", R"("--frob")"),
            "3:13: found \"--frob\", expected options of torusmu scenario: The following argument "
            "was not expected: --frob");
  EXPECT_THAT(of_options(R"("scenario": "put")", R"("--no-sleep", "--help")"),
              HasSubstr("3:27: found \"--help\", expected options of torusmu scenario: "));
  EXPECT_EQ(of_options(R"("scenario": "put")", R"("--no-sleep", "--inject", "drop-packet:0")"),
            "3:27: found \"--inject drop-packet:0\", expected options of torusmu scenario: "
            "--inject \"drop-packet:0\": must be flip-payload-bit:N or drop-packet:N, N from 1");
  EXPECT_THAT(of_options(R"("scenario": "put")", R"("--no-sleep", "--inject")"),
              HasSubstr("3:27: found \"--inject\", expected options of torusmu scenario: "));
  EXPECT_THAT(of_options(R"("scenario": "put", "shapes": ["2x1x1"], "engines": ["mesh"])",
                         R"("--inject", "drop-packet:3")"),
              HasSubstr("--inject works with --engine fast only"));
  EXPECT_THAT(of_options(R"("replay": "tests/traces/lulesh-8.trace")", R"("--polling", "never")"),
              HasSubstr("3:13: found \"--polling never\", expected options of torusmu replay: "));
  EXPECT_THAT(of_options(R"("replay": "tests/traces/lulesh-8.trace")",
                         R"("--eager-limit", "7", "--start-skew", "1e9")"),
              HasSubstr("3:35: found \"--start-skew 1e9\", expected options of torusmu replay: "));
  EXPECT_THAT(of_options(R"("bench": "router")", R"("--no-sleep")"),
              HasSubstr("3:13: found \"--no-sleep\", expected options of torusmu bench: "
                        "--no-sleep: each bench has machines of its own"));
}

TEST_F(Plan, WithAMachineThatIsNotBuiltForTheMeshEngineTellsHowToBuildIt) {
  const std::string replay = "{\"tests\": [{\"replay\": \"tests/traces/lulesh-8.trace\",\n";
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"shapes\": [\"2x1x1\", \"3x3x1\"],\n"
                      " \"engines\": [\"fast\", \"mesh\"]}]}"),
            "2:22: found \"mesh\", expected an engine that can play it: 3x3x1 is not built for the "
            "mesh engine; make mesh SHAPE=3x3x1 builds it");
  EXPECT_THAT(complaint(replay + "\"engines\": [\"mesh\"]}]}"),
              HasSubstr("2:13: found \"mesh\", expected an engine that can play it: 2x2x2 is not"));
  EXPECT_EQ(
      complaint(replay + "\"options\": [\"--tasks-per-node\", \"4\"], \"engines\": [\"mesh\"]}]}"),
      "none");
}

TEST_F(Plan, ThatReplaysWhatIsNoTraceTellsWhere) {
  EXPECT_THAT(complaint("{\"tests\": [{\"replay\": \"tests/regress/quick.json\"}]}"),
              HasSubstr("1:23: found \"tests/regress/quick.json\", expected what can be played: "
                        "tests/regress/quick.json:1"));
}

TEST_F(Plan, OfMoreTestsThanAnybodyRunsTellsWhereTheyBecomeTooMany) {
  std::string threads = "1";
  for (int i = 2; i <= 256; ++i) threads += ", " + std::to_string(i);
  EXPECT_EQ(
      complaint("{\"tests\": [{\"bench\": \"router\"},\n{\"scenario\": \"put\", \"threads\": [" +
                threads + "], \"seeds\": 100000}]}"),
      "2:1: found a plan that runs 25600001 tests up to here, expected at most 100000 with all "
      "their machines and seeds");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"seeds\": 100000}]}"), "none");
  EXPECT_EQ(complaint("{\"tests\": [{\"scenario\": \"put\", \"seeds\": 100000},\n"
                      "{\"bench\": \"router\"}]}"),
            "2:1: found a plan that runs 100001 tests up to here, expected at most 100000 with all "
            "their machines and seeds");
}

TEST_F(Plan, ThatIsNoJsonHasTheLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(complaint("{\"tests\":\n  [{\"scenario\" \"put\"}]}"),
            "2:16: unexpected string literal; expected ':'");
  EXPECT_EQ(complaint("{\"tests\": [\n{\"scenario\": put}]}"),
            "2:14: invalid literal; last read: '\"scenario\": p'; expected JSON, with names and "
            "text in double quotes");
  EXPECT_EQ(complaint("{\"tests\": [\n"),
            "2:1: unexpected end of input; expected '[', '{', or a "
            "literal");
  EXPECT_EQ(complaint("{\"tests\": [{\"bench\": \"router\"},,]}"),
            "1:32: unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(complaint("{\"tests\": [{\"bench\": \"router\",}]}"),
            "1:31: unexpected '}'; expected string literal");
  EXPECT_THAT(complaint(""), HasSubstr("1:1: "));
  EXPECT_THAT(complaint("{\"tests\": [[[[[[[[[[[[[[[[[[[[[[[["), HasSubstr("at most 8 lists"));
}

TEST_F(Plan, WithAByteOrderMarkHasTheSameColumns) {
  EXPECT_EQ(complaint("\xEF\xBB\xBF\n{\"tests\": 3}"), "2:11: found 3, expected a list of tests");
}

TEST_F(Plan, ThatIsNotThereIsNamed) {
  EXPECT_THROW(
      try {
        read_plan("/nonexistent/plan.json", ".", plan_surroundings());
      } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "/nonexistent/plan.json: cannot be read");
        throw;
      },
      UsageError);
}

TEST(ShippedPlans, AreGoodButForProgramsThatAreNotBuilt) {
  for (const char* plan : {"tests/regress/quick.json", "tests/regress/night.json"}) {
    try {
      EXPECT_GT(read_plan(plan, TORUSMU_BUILD "/tests", plan_surroundings()).size(), 5U);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(),
                  AnyOf(HasSubstr("make check builds them"), HasSubstr("make mesh SHAPE=")));
    }
  }
}

TEST_F(Plan, DrawsAMachineForEachRunFromItsOwnSeed) {
  const std::string plan = R"({"draw": {"nodes": [1, 64], "latency": [1, 32]},
    "tests": [{"name": "soak", "scenario": "put", "options": ["--no-sleep"], "runs": 50}]})";
  const auto all = jobs(plan, 3);
  ASSERT_EQ(all.size(), 50U);
  EXPECT_EQ(all[6].name, "soak/7");
  EXPECT_EQ(all[6].seed, seed_of(3, "soak/7"));
  std::string words;
  for (const std::string& word : drawn(*read(plan)[0].draw, all[6].seed).words) words += word + " ";
  EXPECT_EQ(all[6].command(), "build/torusmu scenario put " + words + "--no-sleep --seed " +
                                  std::to_string(all[6].seed));
  EXPECT_NE(all[6].words, all[7].words);
  EXPECT_EQ(jobs(plan, 3)[6].words, all[6].words);
  EXPECT_NE(jobs(plan, 4)[6].words, all[6].words);
}

TEST_F(Plan, DrawsOnlyMachinesThatTheTestCanBePlayedOn) {
  const auto nodes = [&](const std::string& test) {
    const Range range =
        read(R"({"draw": {"nodes": [1, 64]}, "tests": [{)" + test + R"(, "runs": 9}]})")[0]
            .draw->nodes;
    return std::pair(range.least, range.most);
  };
  EXPECT_EQ(nodes(R"("scenario": "put")"), std::pair(1UL, 64UL));
  EXPECT_EQ(nodes(R"("scenario": "barrier")"), std::pair(2UL, 64UL));
  EXPECT_EQ(nodes(R"("scenario": "get")"), std::pair(1UL, 32UL));
  EXPECT_EQ(nodes(R"("replay": "tests/traces/lulesh-27.trace")"), std::pair(27UL, 64UL));
  EXPECT_EQ(nodes(R"("replay": "tests/traces/lulesh-27.trace",
                     "options": ["--tasks-per-node", "4"])"),
            std::pair(7UL, 64UL));
  EXPECT_EQ(complaint(R"({"draw": {"nodes": [1, 1]}, "tests": [
{"scenario": "barrier", "runs": 9}]})"),
            "2:1: found a test that no machine is drawn for, expected \"nodes\" of which it can "
            "have 2 to 4096");
}

TEST_F(Plan, ExpectsAVerdictOfRunsThatDrawAFaultAndAPassOfTheOthers) {
  unsigned faults = 0;
  for (const Job& job : jobs(R"({"tests": [{"scenario": "put", "runs": 100,
      "draw": {"nodes": [2, 4], "inject": 50, "packet": [1, 9], "page": 100}}]})")) {
    const bool has_fault = job.command().find("--inject") != std::string::npos;
    EXPECT_EQ(job.expect, has_fault ? Expect::kVerdict : Expect::kPass);
    EXPECT_EQ(job.has_page, true);
    faults += has_fault ? 1 : 0;
  }
  EXPECT_GT(faults, 20U);
  EXPECT_LT(faults, 80U);
}

TEST_F(Plan, WhoseDrawIsWrongTellsWhere) {
  const auto of_draw = [&](const std::string& draw) {
    return complaint("{\"draw\":\n" + draw +
                     ", \"tests\": [{\"scenario\": \"put\", \"runs\": 9}]}");
  };
  EXPECT_EQ(of_draw("{\"latency\": [1, 33]}"),
            "2:17: found 33, expected a whole number from 1 to 32");
  EXPECT_EQ(of_draw("{\"latency\": [8, 1]}"), "2:17: found 1, expected 8 or more");
  EXPECT_EQ(of_draw("{\"threads\": [8]}"),
            "2:13: found a list of 1, expected [from, to], each a whole number from 1 to 256");
  EXPECT_EQ(of_draw("{\"inject\": 101}"), "2:12: found 101, expected a whole number from 0 to 100");
  EXPECT_THAT(of_draw("{\"shapes\": 1}"), HasSubstr("2:2: found \"shapes\", expected nodes, "));
  const auto of_test = [&](const std::string& words) {
    return complaint("{\"tests\": [{\"scenario\": \"put\",\n" + words + "}]}");
  };
  EXPECT_EQ(of_test("\"runs\": 9"),
            "2:1: found \"runs\" without \"draw\", expected what is drawn, "
            "here or of the whole plan");
  EXPECT_EQ(of_test("\"draw\": {}"),
            "2:1: found \"draw\" without \"runs\", expected how many runs are drawn");
  EXPECT_EQ(of_test("\"draw\": {}, \"runs\": 9, \"seeds\": 3"),
            "2:24: found \"seeds\" beside \"runs\", expected what each run draws by itself");
  EXPECT_EQ(of_test("\"draw\": {}, \"runs\": 9, \"options\": [\"--inject\", \"drop-packet:9\"]"),
            "2:36: found a fault beside \"runs\", expected \"inject\" in \"draw\"");
}

TEST_F(Plan, WhoseExpectationsOrLimitsAreWrongTellsWhere) {
  const auto of_test = [&](const std::string& words) {
    return complaint("{\"tests\": [{\"scenario\": \"put\",\n" + words + "}]}");
  };
  EXPECT_EQ(of_test("\"expect\": \"crash\""),
            "2:11: found \"crash\", expected pass, fail or verdict");
  EXPECT_EQ(of_test("\"expect\": \"fail\""),
            "2:1: found \"expect\": \"fail\" without \"check\", expected both");
  EXPECT_EQ(of_test("\"expect\": \"pass\", \"check\": \"put.bytes\""),
            "2:1: found \"check\" without \"expect\": \"fail\", expected both");
  EXPECT_EQ(of_test("\"limits\": {\"speed\": \"5 %\"}"),
            "2:12: found \"speed\", expected cycles or a figure, as torusmu list --figures names "
            "them");
  EXPECT_EQ(of_test("\"limits\": {\"cycles\": \"5\"}"),
            "2:22: found \"5\", expected a limit, as \"5 %\" or \"5 % warns\"");
  EXPECT_EQ(of_test("\"limits\": {\"cycles\": \"5 % warns\"}, \"expect\": \"fail\", \"check\": "
                    "\"put.*\""),
            "none");
}

TEST_F(Plan, JobsComeBackFromTheirFiles) {
  for (const Job& job : jobs(R"({"tests": [{"scenario": "put"},
    {"name": "drawn", "scenario": "get", "runs": 3, "draw": {"inject": 100, "page": 50}},
    {"name": "bad", "scenario": "put", "expect": "fail", "check": "put.*",
     "limits": {"cycles": "2 % warns"}},
    {"name": "x", "gtest": "some_tests", "filter": "*"}]})")) {
    const Job back = job_from_json(nlohmann::json::parse(job_to_json(job).dump()));
    EXPECT_EQ(back.command(), job.command());
    EXPECT_EQ(back.name, job.name);
    EXPECT_EQ(back.seed, job.seed);
    EXPECT_EQ(back.time_limit, job.time_limit);
    EXPECT_EQ(back.kind, job.kind);
    EXPECT_EQ(back.expect, job.expect);
    EXPECT_EQ(back.check, job.check);
    EXPECT_EQ(back.has_page, job.has_page);
    ASSERT_EQ(back.limits.size(), job.limits.size());
    for (std::size_t i = 0; i < job.limits.size(); ++i) {
      EXPECT_EQ(back.limits[i].figure, job.limits[i].figure);
      EXPECT_EQ(back.limits[i].percent, job.limits[i].percent);
      EXPECT_EQ(back.limits[i].warns, job.limits[i].warns);
    }
  }
}

}  // namespace
}  // namespace torusmu::lab
