// SPDX-License-Identifier: Apache-2.0
// torusmu regress on a cluster: Debian's Slurm, with this machine as its only node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/regress_fixture.h"

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;

class RegressOnSlurm : public RegressFixture {
 protected:
  RegressOnSlurm() {
    const Output output = shell("tests/regress/slurm_cluster.sh start " + path("cluster"));
    EXPECT_EQ(output.status, 0) << output.text;
    setenv("SLURM_CONF", path("cluster/slurm.conf").c_str(), 1);
  }
  ~RegressOnSlurm() override {
    shell("tests/regress/slurm_cluster.sh stop " + path("cluster"));
    unsetenv("SLURM_CONF");
  }
};

TEST_F(RegressOnSlurm, RunsAnArrayAndCollectsEveryResult) {
  add_program("good", std::string("echo task $SLURM_ARRAY_TASK_ID of $SLURM_JOB_NAME; ") + kGood);
  add_program("bad", "exit 1");
  add_program("silent", "exit 0");
  add_program("task_dies", "kill -KILL $PPID");
  write_plan({"good", "bad", "silent", "task_dies"});
  const Output output =
      regress("--slurm --late 2 --sbatch-option=--partition=all --report " + path("r.html"));
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_EQ(status_of("good"), "passed") << output.text;
  EXPECT_EQ(status_of("bad"), "failed");
  EXPECT_EQ(status_of("silent"), "silent");
  EXPECT_EQ(status_of("task_dies"), "lost");
  EXPECT_THAT(text_of("out/runs/1/tests/0001/output.txt"),
              HasSubstr("task 1 of torusmu-regress\n"));
  EXPECT_THAT(output.text, HasSubstr("its task is no longer in Slurm's queue"));
  // The task that died left no word of itself.
  EXPECT_THAT(text_of("r.html"), HasSubstr("<figcaption>3 of 4 tests, at most "));
}

TEST_F(RegressOnSlurm, CollectsLaterWhatWasSubmittedBefore) {
  add_program("good",
              std::string("until test -e ") + path("go") + "; do sleep 0.1; done; " + kGood);
  write_plan({"good"});
  const Output submitted = regress("--slurm --no-wait --seed 9");
  EXPECT_EQ(submitted.status, 0) << submitted.text;
  EXPECT_THAT(submitted.text, HasSubstr("--collect"));
  shell("touch " + path("go"));
  const Output collected = regress("--collect");
  EXPECT_EQ(collected.status, 0) << collected.text;
  EXPECT_THAT(collected.text, HasSubstr("master seed 9"));
  EXPECT_EQ(status_of("good"), "passed");
  EXPECT_EQ(regress("--collect").status, 2) << "it has been collected";
}

TEST_F(RegressOnSlurm, WhatSbatchRefusesIsTold) {
  add_program("good", kGood);
  write_plan({"good"});
  const Output output = regress("--slurm --sbatch-option=--partition=none");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("sbatch did not take the job: "));
  EXPECT_THAT(output.text, HasSubstr("invalid partition"));
}

}  // namespace
}  // namespace torusmu::testing
