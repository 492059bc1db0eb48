// SPDX-License-Identifier: Apache-2.0
// What the history knows of the runs before.
#include "tb/lab/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/machine/errors.h"
#include "tb/lab/summary.h"

namespace torusmu::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
namespace fs = std::filesystem;

class RunHistory : public ::testing::Test {
 protected:
  RunHistory() {
    folder_ = fs::temp_directory_path() / ("torusmu-history-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    history_ = std::make_unique<History>(folder_.string());
  }
  ~RunHistory() override {
    history_.reset();
    fs::remove_all(folder_);
  }

  struct Told {
    std::string name;
    Status status;
    std::uint64_t seed = 1;
    double seconds = 1;
  };
  // A run of these tests that has ended.
  std::int64_t run(const std::string& commit, const std::vector<Told>& tests) {
    std::vector<Job> jobs;
    for (const Told& test : tests) {
      Job job;
      job.number = jobs.size() + 1;
      job.name = test.name;
      job.seed = test.seed;
      jobs.push_back(job);
    }
    RunInfo info;
    info.plan = "plan.json";
    info.host = "host";
    info.commit = commit;
    info.started = "2026-11-22T20:31:05Z";
    info.master_seed = ~std::uint64_t{0};
    const std::int64_t number = history_->begin(info, jobs);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      Result result;
      result.job = jobs[i];
      result.status = tests[i].status;
      result.seconds = tests[i].seconds;
      if (result.status != Status::kUnfinished) history_->add(number, result);
    }
    history_->set_state(number, "done");
    return number;
  }
  // Tests that did not pass when they last ran, with the run.
  std::map<std::string, std::int64_t> not_passed(const std::string& plan, std::uint64_t seed) {
    std::map<std::string, std::int64_t> found;
    for (const auto& [name, result] : history_->last_results(plan, seed)) {
      if (!result.passed) found[name] = result.run;
    }
    return found;
  }
  // A run of one test with these figures.
  std::int64_t run_with(const nlohmann::json& figures, Status status = Status::kPassed,
                        std::uint64_t seed = 1) {
    const std::int64_t number = run("abc", {{.name = "put", .status = status, .seed = seed}});
    Result result;
    result.job.number = 1;
    result.status = status;
    result.figures = figures;
    history_->add(number, result);
    return number;
  }
  void timed(const std::vector<double>& seconds) {
    for (const double each : seconds) {
      run("abc", {{.name = "put", .status = Status::kPassed, .seconds = each}});
    }
  }

  fs::path folder_;
  std::unique_ptr<History> history_;
};

TEST_F(RunHistory, KnowsTheLastRunAndWhatDidNotPass) {
  run("abc", {{"old", Status::kFailed}});
  const std::int64_t last = run("abc", {{"a", Status::kPassed},
                                        {"b", Status::kTimedOut},
                                        {"c", Status::kUnfinished},
                                        {"d", Status::kLost}});
  const auto found = history_->last_run("plan.json");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->number, last);
  EXPECT_EQ(found->master_seed, ~std::uint64_t{0});
  EXPECT_EQ(found->commit, "abc");
  EXPECT_THAT(not_passed("plan.json", ~std::uint64_t{0}),
              ElementsAre(Pair("b", last), Pair("c", last), Pair("d", last), Pair("old", 1)));
  EXPECT_FALSE(history_->last_run("other.json").has_value());
  EXPECT_FALSE(history_->last_run("plan.json", "submitted").has_value());
}

TEST_F(RunHistory, KnowsOfEachTestWhatItsOwnLastRunCameTo) {
  run("abc", {{"a", Status::kFailed}, {"b", Status::kFailed}, {"c", Status::kPassed}});
  run("abc", {{"b", Status::kPassed}});
  const std::int64_t last = run("abc", {{"c", Status::kFailed}});
  EXPECT_THAT(not_passed("plan.json", ~std::uint64_t{0}),
              ElementsAre(Pair("a", 1), Pair("c", last)));
  EXPECT_TRUE(history_->last_results("plan.json", ~std::uint64_t{0}).at("b").passed);
  EXPECT_THAT(not_passed("plan.json", 1), IsEmpty()) << "other seeds";
  EXPECT_THAT(not_passed("other.json", ~std::uint64_t{0}), IsEmpty());
}

TEST_F(RunHistory, OfARunOnAClusterKnowsNothingBeforeItIsCollected) {
  run("abc", {{"a", Status::kFailed}, {"b", Status::kPassed}});
  const std::int64_t cluster = run("abc", {{"a", Status::kUnfinished}, {"b", Status::kUnfinished}});
  history_->set_state(cluster, "submitted", "17");
  const std::int64_t last = run("abc", {{"c", Status::kFailed}});
  EXPECT_THAT(not_passed("plan.json", ~std::uint64_t{0}),
              ElementsAre(Pair("a", 1), Pair("c", last)));
  history_->set_state(cluster, "done");
  EXPECT_THAT(not_passed("plan.json", ~std::uint64_t{0}),
              ElementsAre(Pair("a", cluster), Pair("b", cluster), Pair("c", last)));
}

TEST_F(RunHistory, OfARunnerThatWasKilledSaysBrokenOff) {
  const std::int64_t first = history_->begin({}, {});
  history_->begin({}, {});
  const auto broken = history_->last_run("", "broken off");
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->number, first);
}

TEST_F(RunHistory, ShowsTestsThatPassedAndFailedOnOneCommit) {
  run("abc", {{"steady", Status::kPassed}, {"loose", Status::kPassed}, {"seeds", Status::kPassed}});
  run("abc", {{"steady", Status::kPassed},
              {"loose", Status::kKilled},
              {.name = "seeds", .status = Status::kFailed, .seed = 2}});
  const auto flaky = history_->flaky();
  ASSERT_EQ(flaky.size(), 2U);
  EXPECT_EQ(flaky[0].name, "loose");
  EXPECT_TRUE(flaky[0].same_seed);
  EXPECT_EQ(flaky[0].passed, 1U);
  EXPECT_EQ(flaky[0].failed, 1U);
  EXPECT_EQ(flaky[1].name, "seeds");
  EXPECT_FALSE(flaky[1].same_seed);
  EXPECT_THAT(history_text({flaky, {}, {}}),
              HasSubstr("loose: 1 passed, 1 failed on abc, with one seed"));
}

TEST_F(RunHistory, CallsNoTestFlakyThatAChangeMayHaveRepaired) {
  run("abc", {{"a", Status::kFailed}, {"b", Status::kPassed}});
  run("def", {{"a", Status::kPassed}, {"b", Status::kPassed}});
  run("abc-dirty", {{"b", Status::kFailed}});
  run("abc-dirty", {{"b", Status::kPassed}});
  run("", {{"b", Status::kFailed}});
  run("abc", {{"b", Status::kLost}});
  EXPECT_THAT(history_->flaky(), IsEmpty());
}

TEST_F(RunHistory, ShowsTestsWhoseLastRunsTookLonger) {
  timed({1.0, 1.1, 9.0, 1.0, 1.6, 1.5, 1.7});
  const auto slowing = history_->slowing();
  ASSERT_EQ(slowing.size(), 1U);
  EXPECT_EQ(slowing[0].name, "put");
  EXPECT_DOUBLE_EQ(slowing[0].before, 1.05);
  EXPECT_DOUBLE_EQ(slowing[0].now, 1.6);
  EXPECT_THAT(history_text({{}, slowing, {}}),
              HasSubstr("put: 1.60 s, before 1.05 s (52 % more; 7 runs)"));
}

TEST_F(RunHistory, CallsNoTestSlowForOneSlowRunOrForTooFew) {
  timed({1.0, 1.0, 1.0, 1.0, 1.0, 9.0});
  EXPECT_THAT(history_->slowing(), IsEmpty());
}

TEST_F(RunHistory, CallsNoTestSlowForLessThanATenthOfASecond) {
  timed({0.01, 0.01, 0.01, 0.09, 0.09, 0.09});
  EXPECT_THAT(history_->slowing(), IsEmpty());
}

TEST_F(RunHistory, InAFileThatIsNoDatabaseIsRefusedByName) {
  const fs::path folder = folder_ / "bad";
  fs::create_directories(folder);
  std::ofstream(folder / "history.sqlite") << std::string(5000, 'x');
  try {
    const History history(folder.string());
    FAIL() << "opened";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad/history.sqlite: file is not a database"));
  }
}

TEST_F(RunHistory, KnowsWhatATestUsuallyTookBeforeARun) {
  timed({1.0, 3.0});
  EXPECT_THAT(history_->usual_seconds("host", 3), IsEmpty()) << "two runs are few";
  timed({2.0, 90.0});
  EXPECT_THAT(history_->usual_seconds("host", 4), ElementsAre(Pair("put", 2.0)));
  EXPECT_THAT(history_->usual_seconds("other", 4), IsEmpty());
  run("abc", {{.name = "put", .status = Status::kFailed, .seconds = 0.1}});
  EXPECT_THAT(history_->usual_seconds("host", 9), ElementsAre(Pair("put", 2.5)));
}

TEST_F(RunHistory, KeepsTheFiguresOfTheLastRunThatATestPassed) {
  run_with({{"cycles", 100}, {"reflection.cycles", {73, 73}}});
  const std::int64_t good = run_with({{"cycles", 200}, {"reflection.cycles", {74, 73}}});
  run_with({{"cycles", 300}}, Status::kFailed);
  const auto last = history_->last_good("plan.json");
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last.at("put").run, good);
  EXPECT_EQ(last.at("put").figures,
            nlohmann::json({{"cycles", 200}, {"reflection.cycles", {74, 73}}}));
  EXPECT_THAT(history_->last_good("other.json"), IsEmpty());
}

TEST_F(RunHistory, TellsWhichFiguresMovedSinceTheGoodRunBefore) {
  run_with({{"cycles", 100}, {"a", 0.817}, {"b", 5}});
  run_with({{"cycles", 100}, {"a", 9}}, Status::kFailed);
  run_with({{"cycles", 101}, {"a", 0.771}, {"b", 6}});
  const std::string text = history_text(trends_of(*history_));
  EXPECT_THAT(text, HasSubstr("  put: b 6 in run 3, before 5 in run 1 (+20.00 %)\n"
                              "  put: a 0.771 in run 3, before 0.817 in run 1 (-5.63 %)\n"));
  EXPECT_THAT(text, Not(HasSubstr("put: cycles")));
}

TEST_F(RunHistory, ComparesCyclesOfOneSeedAlone) {
  run_with({{"cycles", 100}});
  run_with({{"cycles", 200}}, Status::kPassed, 2);
  EXPECT_THAT(history_->moved_figures(), IsEmpty());
  run_with({{"cycles", 300}}, Status::kPassed, 2);
  ASSERT_EQ(history_->moved_figures().size(), 1U);
  EXPECT_EQ(history_->moved_figures()[0].by, 0.5);
}

}  // namespace
}  // namespace torusmu::lab
