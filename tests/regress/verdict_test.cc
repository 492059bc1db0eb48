// SPDX-License-Identifier: Apache-2.0
// When a test has passed, and what is told of one that has not.
#include "tb/lab/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace torusmu::lab {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGoodJson = R"({"passed": true, "cycles": 77, "checks": []})";

Result judged(PlanTest::Kind kind, const Ending& ending) {
  Result result;
  result.job.kind = kind;
  result.job.time_limit = 5;
  judge(ending, &result);
  return result;
}
Result judged_run(int status, const std::string& output, const std::string& json) {
  Ending ending;
  ending.exit_status = status;
  ending.output = output;
  ending.json = json;
  return judged(PlanTest::Kind::kScenario, ending);
}
Result judged_gtest(int status, const std::string& output) {
  Ending ending;
  ending.exit_status = status;
  ending.output = output;
  return judged(PlanTest::Kind::kGtest, ending);
}

TEST(Verdict, OfARunThatSaysItPassedIsPassed) {
  const Result result = judged_run(0, "story\nput: 11 checks passed\n", kGoodJson);
  EXPECT_EQ(result.status, Status::kPassed) << result.reason;
  EXPECT_EQ(result.cycles, 77U);
}

TEST(Verdict, OfASilentExitWithZeroIsNotPassed) {
  for (const char* output : {"", "ok\n", "put: 0 checks passed\n", "put: 11 checks pass",
                             "he said: put: 11 checks passed, perhaps\n"}) {
    const Result result = judged_run(0, output, kGoodJson);
    EXPECT_EQ(result.status, Status::kSilent) << output;
    EXPECT_THAT(result.reason, HasSubstr("N checks passed"));
  }
}

TEST(Verdict, OfTheWordWithoutExitStatusZeroIsNotPassed) {
  EXPECT_EQ(judged_run(1, "put: 11 checks passed\n", kGoodJson).status, Status::kFailed);
  EXPECT_EQ(judged_gtest(1, "[  PASSED  ] 3 tests.\n").status, Status::kFailed);
}

TEST(Verdict, OfARunWithoutAWholeResultFileIsNotPassed) {
  for (const char* json : {"", "{\"passed\": true, \"cycles\": 77, \"che", "[]", "{}",
                           R"({"passed": false, "cycles": 77, "checks": []})"}) {
    EXPECT_EQ(judged_run(0, "put: 11 checks passed\n", json).status, Status::kSilent) << json;
  }
}

TEST(Verdict, OfGoogleTestsIsPassedIfAtLeastOneRan) {
  EXPECT_EQ(judged_gtest(0, "[  PASSED  ] 3 tests.\n").status, Status::kPassed);
  EXPECT_EQ(judged_gtest(0, "[  PASSED  ] 1 test.\n").status, Status::kPassed);
  EXPECT_EQ(judged_gtest(0, "[  PASSED  ] 0 tests.\n").status, Status::kSilent);
  EXPECT_EQ(judged_gtest(0, "put: 11 checks passed\n").status, Status::kSilent);
}

TEST(Verdict, TellsNodeExpectedAndGotOfAFailedCheck) {
  const Result result = judged_run(1, "put: 1 of 2 checks failed\n", R"({"passed": false,
    "cycles": 1004256, "checks": [{"name": "put.interrupts", "passed": true, "detail": "right"},
    {"name": "put.bytes", "passed": false,
     "detail": "8 of 9 bytes wrong; first: node 2 address 0x420040 holds 0xa5, not 0x6b"}]})");
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_EQ(result.cycles, 1004256U);
  ASSERT_EQ(result.failures.size(), 1U);
  const Failure& failure = result.failures.front();
  EXPECT_EQ(failure.check, "put.bytes");
  EXPECT_EQ(failure.node, "2");
  EXPECT_EQ(failure.got, "0xa5");
  EXPECT_EQ(failure.expected, "0x6b");
  EXPECT_THAT(result.reason, HasSubstr("put.bytes: 8 of 9 bytes wrong"));
}

TEST(Verdict, TellsNodeAndCycleOfAnAssertion) {
  const Result result = judged_run(1, "", R"({"passed": false, "cycles": 815, "checks": [
    {"name": "run", "passed": false, "detail": "node 3 (1,1,0), cycle 812: assertion failed"}]})");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures.front().node, "3");
  EXPECT_EQ(result.failures.front().cycle, "812");
  EXPECT_EQ(result.failures.front().expected, "");
}

TEST(Verdict, TellsTheCycleOfACheckWhoseDetailHasNone) {
  const Result result = judged_run(1, "", R"({"passed": false, "cycles": 1815, "checks": [
    {"name": "put.bytes", "passed": false, "detail": "8 of 9 bytes wrong", "cycle": 1700},
    {"name": "run", "passed": false, "detail": "node 3, cycle 812: assertion", "cycle": 816}]})");
  ASSERT_EQ(result.failures.size(), 2U);
  EXPECT_EQ(result.failures[0].cycle, "1700");
  EXPECT_EQ(result.failures[1].cycle, "812");
}

TEST(Verdict, GuessesNoValuesFromOtherSentences) {
  const Result result = judged_run(1, "", R"({"passed": false, "cycles": 1, "checks": [
    {"name": "e", "passed": false,
     "detail": "node 2 counts 15 arrivals and 16 done, not 16 each"}]})");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures.front().expected, "");
}

TEST(Verdict, TellsWhichGoogleTestsFailedAndWhy) {
  const Result result = judged_gtest(1,
                                     "[ RUN      ] Fifo.Wraps\n"
                                     "tests/x_test.cc:7: Failure\n"
                                     "Expected equality of these values:\n"
                                     "  node 5, cycle 44\n"
                                     "\n"
                                     "[  FAILED  ] Fifo.Wraps (1 ms)\n"
                                     "[ RUN      ] Fifo.Fills\n"
                                     "[       OK ] Fifo.Fills (1 ms)\n");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures.front().check, "Fifo.Wraps");
  EXPECT_THAT(result.failures.front().detail, HasSubstr("x_test.cc:7: Failure\nExpected"));
  EXPECT_EQ(result.failures.front().node, "5");
  EXPECT_EQ(result.failures.front().cycle, "44");
}

TEST(Verdict, OfASignalAndOfATimeLimitNamesThem) {
  Ending killed;
  killed.exit_status = -1;
  killed.signal = 11;
  const Result crash = judged(PlanTest::Kind::kScenario, killed);
  EXPECT_EQ(crash.status, Status::kCrashed);
  EXPECT_EQ(crash.reason, "ended by signal 11 (Segmentation fault)");
  killed.signal = 9;
  EXPECT_EQ(judged(PlanTest::Kind::kScenario, killed).status, Status::kKilled);
  Ending late;
  late.exit_status = 0;
  late.timed_out = true;
  late.output = "put: 11 checks passed\n";
  late.json = kGoodJson;
  const Result result = judged(PlanTest::Kind::kScenario, late);
  EXPECT_EQ(result.status, Status::kTimedOut);
  EXPECT_EQ(result.reason, "not done after 5 s");
}

// abort() comes from an assertion of the host or from an exception that nobody catches.
TEST(Verdict, OfAnAssertionOfTheHostHasItsWords) {
  Ending aborted;
  aborted.exit_status = -1;
  aborted.signal = 6;
  aborted.output = "story\ntorusmu: fiber.cc:7: Assertion `alive' failed.\n";
  const Result result = judged(PlanTest::Kind::kScenario, aborted);
  EXPECT_EQ(result.status, Status::kCrashed);
  EXPECT_EQ(result.reason,
            "ended by signal 6 (Aborted): torusmu: fiber.cc:7: Assertion `alive' failed.");
}

TEST(Verdict, OfAStatusWithoutAWholeResultFileIsACrash) {
  for (const char* json : {"", "{\"passed\": false, \"che"}) {
    const Result result = judged_run(1, "torusmu: vector::_M_range_check\n", json);
    EXPECT_EQ(result.status, Status::kCrashed);
    EXPECT_EQ(result.reason, "exit status 1 without a verdict: torusmu: vector::_M_range_check");
  }
  EXPECT_EQ(judged_run(2, "torusmu: --mesh \"x\"\n", "").status, Status::kFailed);
}

constexpr const char* kBadJson = R"({"passed": false, "cycles": 77, "checks": [
    {"name": "put.bytes", "passed": false, "detail": "1 of 9 bytes wrong"},
    {"name": "run", "passed": true, "detail": "right"}]})";

Result judged_to(Expect expect, const std::string& check, int status, const std::string& json) {
  Ending ending;
  ending.exit_status = status;
  ending.output = status == 0 ? "put: 2 checks passed\n" : "put: 1 of 2 checks failed\n";
  ending.json = json;
  Result result;
  result.job.expect = expect;
  result.job.check = check;
  judge(ending, &result);
  return result;
}

TEST(Verdict, OfARunThatWasToFailIsPassedIfThatCheckFails) {
  for (const char* check : {"put.bytes", "put.*"}) {
    const Result result = judged_to(Expect::kFail, check, 1, kBadJson);
    EXPECT_EQ(result.status, Status::kPassed) << result.reason;
    EXPECT_EQ(result.reason, "");
    ASSERT_EQ(result.failures.size(), 1U);
  }
  const Result other = judged_to(Expect::kFail, "run", 1, kBadJson);
  EXPECT_EQ(other.status, Status::kFailed);
  EXPECT_EQ(other.reason, "run was expected to fail, but did not; failed: put.bytes");
  const Result passed = judged_to(Expect::kFail, "put.bytes", 0, kGoodJson);
  EXPECT_EQ(passed.status, Status::kFailed);
  EXPECT_EQ(passed.reason, "all checks passed, but put.bytes was expected to fail");
}

TEST(Verdict, OfARunThatWasToFailIsNotPassedIfItCrashesOrIsRefused) {
  EXPECT_EQ(judged_to(Expect::kFail, "*", 1, "").status, Status::kCrashed);
  EXPECT_EQ(judged_to(Expect::kFail, "*", 2, "").status, Status::kFailed);
  EXPECT_EQ(judged_to(Expect::kFail, "*", 3, kBadJson).status, Status::kFailed);
  Ending killed;
  killed.exit_status = -1;
  killed.signal = 11;
  killed.json = kBadJson;
  Result result;
  result.job.expect = Expect::kFail;
  result.job.check = "*";
  judge(killed, &result);
  EXPECT_EQ(result.status, Status::kCrashed);
}

TEST(Verdict, OfARunWithAFaultIsPassedHoweverItsChecksGo) {
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 0, kGoodJson).status, Status::kPassed);
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 1, kBadJson).status, Status::kPassed);
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 1, kGoodJson).status, Status::kFailed);
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 1, "").status, Status::kCrashed);
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 2, "").status, Status::kFailed);
  EXPECT_EQ(judged_to(Expect::kVerdict, "", 0, "").status, Status::kSilent);
}

TEST(Verdict, OfARunThatLeavesNoPageIsSilentThoughItWasToFail) {
  for (const int status : {0, 1}) {
    Ending ending;
    ending.exit_status = status;
    ending.output = "put: 2 checks passed\n";
    ending.json = status == 0 ? kGoodJson : kBadJson;
    ending.lacks_page = true;
    Result result;
    result.job.expect = Expect::kVerdict;
    judge(ending, &result);
    EXPECT_EQ(result.status, Status::kSilent);
    EXPECT_THAT(result.reason, HasSubstr("it left no page"));
  }
}

TEST(Verdict, HasTheFiguresOfARunAndItsCycles) {
  const Result result = judged_run(
      0, "put: 11 checks passed\n",
      R"({"passed": true, "cycles": 77, "checks": [], "figures": {"put.latency_cycles": 61}})");
  EXPECT_EQ(result.figures, nlohmann::json({{"put.latency_cycles", 61}, {"cycles", 77}}));
}

TEST(Verdict, OfAnExitWithoutAFailedCheckHasWhatTorusmuSaidLastThoughItStandsAboveTheRest) {
  EXPECT_EQ(judged_run(2, "torusmu: not built\nput: every node puts\n", "").reason,
            "exit status 2: torusmu: not built");
}

TEST(Verdict, OfAnExitWithoutAFailedCheckHasTheLastLine) {
  EXPECT_EQ(judged_run(2, "a\ntorusmu: no such thing\n", "").reason,
            "exit status 2: torusmu: no such thing");
  EXPECT_EQ(
      judged_run(2, "--x was not expected\nRun with --help for more information.\n", "").reason,
      "exit status 2: --x was not expected");
}

}  // namespace
}  // namespace torusmu::lab
