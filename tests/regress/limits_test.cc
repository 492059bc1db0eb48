// SPDX-License-Identifier: Apache-2.0
// How far figures may move between runs.
#include "tb/lab/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tb/lab/verdict.h"

namespace torusmu::lab {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Limit limit(const std::string& text, const json& last) {
  Limit limit = parse_limit("f", text).value();
  limit.last = last;
  limit.last_run = 12;
  return limit;
}

TEST(Limits, AreAPercentageThatFailsOrWarns) {
  EXPECT_DOUBLE_EQ(parse_limit("f", "5 %")->percent, 5);
  EXPECT_FALSE(parse_limit("f", "5 %")->warns);
  EXPECT_DOUBLE_EQ(parse_limit("f", "0.25 % warns")->percent, 0.25);
  EXPECT_TRUE(parse_limit("f", "0.25 % warns")->warns);
  for (const char* bad : {"", "5", "5%", "-5 %", "5 % fails", "five %", "5 % warns ", "12345 %"}) {
    EXPECT_FALSE(parse_limit("f", bad)) << bad;
  }
}

TEST(Limits, HoldUpToThemselvesInBothDirections) {
  const auto texts = [](const json& now) {
    std::vector<std::string> found;
    for (const Beyond& one : beyond({limit("5 %", 100)}, {{"f", now}})) found.push_back(one.text);
    return found;
  };
  EXPECT_THAT(texts(100), IsEmpty());
  EXPECT_THAT(texts(105), IsEmpty());
  EXPECT_THAT(texts(95), IsEmpty());
  EXPECT_THAT(texts(106), ElementsAre("106 is 6.00 % above 100 of run 12, more than 5 %"));
  EXPECT_THAT(texts(94.5), ElementsAre("94.5 is 5.50 % below 100 of run 12, more than 5 %"));
}

TEST(Limits, OfNothingHoldWhatIsEqualAlone) {
  EXPECT_THAT(beyond({limit("0 %", 665130)}, {{"f", 665130}}), IsEmpty());
  EXPECT_EQ(beyond({limit("0 %", 665130)}, {{"f", 665131}}).size(), 1U);
  EXPECT_THAT(beyond({limit("0 %", 0)}, {{"f", 0}}), IsEmpty());
  EXPECT_EQ(beyond({limit("1000 %", 0)}, {{"f", 1e-9}}).size(), 1U);
}

TEST(Limits, OfAListHoldEachItem) {
  EXPECT_THAT(beyond({limit("5 %", {10, 20, 30})}, {{"f", {10, 21, 30}}}), IsEmpty());
  EXPECT_EQ(beyond({limit("5 %", {10, 20, 30})}, {{"f", {10, 22, 30}}}).size(), 1U);
  EXPECT_EQ(beyond({limit("5 %", {10, 20, 30})}, {{"f", {10, 20}}}).size(), 1U);
  EXPECT_EQ(moved({10, 20}, {12, 21}), 0.2);
}

TEST(Limits, WithoutAnEarlierRunHoldWhateverIsReported) {
  EXPECT_THAT(beyond({limit("5 %", nullptr)}, {{"f", 7}}), IsEmpty());
  const auto missing = beyond({limit("5 %", nullptr)}, {{"g", 7}});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].text, "this run reports no such figure");
}

TEST(Limits, ThatAFigureHasGoneBeyondFailOrWarn) {
  Result result;
  result.status = Status::kPassed;
  result.figures = {{"f", 110}};
  result.job.limits = {limit("5 % warns", 100)};
  judge_limits(&result);
  EXPECT_EQ(result.status, Status::kPassed);
  EXPECT_THAT(result.warnings,
              ElementsAre("limit of f: 110 is 10.00 % above 100 of run 12, more than 5 %"));
  result.job.limits = {limit("5 %", 100)};
  judge_limits(&result);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_EQ(result.reason, "limit of f: 110 is 10.00 % above 100 of run 12, more than 5 %");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].expected, "100");
  EXPECT_EQ(result.failures[0].got, "110");
}

}  // namespace
}  // namespace torusmu::lab
