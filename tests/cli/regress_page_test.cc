// SPDX-License-Identifier: Apache-2.0
// The page of a run of a plan, in a browser: its pictures, and the pages of the tests that it leads
// to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "tests/support/browser.h"
#include "tests/support/regress_fixture.h"

namespace torusmu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class RegressPage : public RegressFixture {
 protected:
  RegressPage() {
    add_program("good", kGood);
    add_program("bad", "echo '<b>wrong</b> <script>'; exit 1");
    std::ofstream(path("plan.json")) << R"({"tests": [
      {"scenario": "put", "shapes": ["3x2x1"]},
      {"name": "flipped", "scenario": "put", "shapes": ["2x1x1"],
       "options": ["--inject", "flip-payload-bit:3"]},
      {"replay": "tests/traces/lulesh-8.trace"},
      {"bench": "pipe"},
      {"name": "good", "gtest": "good", "filter": "*"},
      {"name": "bad", "gtest": "bad", "filter": "*"}]})";
  }
  // A page that loads nothing, as Chromium sees it.
  [[nodiscard]] std::string dom_of(const fs::path& page) const {
    std::ifstream file(page);
    EXPECT_THAT(addresses_in({std::istreambuf_iterator<char>(file), {}}), ElementsAre());
    const Output output = browsed(page, path("browser"));
    EXPECT_EQ(output.status, 0) << output.text;
    EXPECT_THAT(output.text, Not(HasSubstr("CONSOLE")));
    return output.text;
  }
};

TEST_F(RegressPage, ShowsTheRunAndTheMachinesAndLeadsToPagesOfTheTests) {
  fs::create_directory(path("below"));
  const Output output = shell(path("torusmu") + " regress " + path("plan.json") + " --output '" +
                              path("an out") + "' --jobs 2 --report " + path("below/r.html"));
  EXPECT_EQ(output.status, 1) << output.text;
  for (const auto& [page, way] : {std::pair{"an out/runs/1/report.html", "tests/"},
                                  std::pair{"below/r.html", "../an%20out/runs/1/tests/"}}) {
    const std::string dom = dom_of(path(page));
    for (const char* id :
         {"schedule", "times", "slowest", "test-2-heat-map-0", "test-2-timeline-0",
          "test-2-latency-0", "test-2-queues-0-posted", "test-3-heat-map-0", "test-3-stages-0"}) {
      EXPECT_THAT(size_of(dom, id), MatchesRegex("1[0-9]+x[1-9][0-9]+")) << id;
    }
    for (const char* words : {"4 of 6 tests passed", "class=\"bar bad\"",
                              "6 of 6 tests, at most 2 at once", "bad/1: failed\n"}) {
      EXPECT_NE(dom.find(words), std::string::npos) << words;
    }
    EXPECT_EQ(dom.find("<b>"), std::string::npos);
    // A test of GoogleTest has no machine, a bench builds its own.
    std::set<std::string> pages;
    for (const std::string& link : links_in(dom)) {
      pages.insert(link);
      const std::string file = std::regex_replace(link, std::regex("%20"), " ");
      EXPECT_TRUE(fs::exists(fs::path(path(page)).parent_path() / file)) << link;
    }
    EXPECT_THAT(pages, UnorderedElementsAre(std::string(way) + "0001/report.html",
                                            std::string(way) + "0002/report.html",
                                            std::string(way) + "0003/report.html"));
  }
  const std::string test = dom_of(path("an out/runs/1/tests/0001/report.html"));
  EXPECT_THAT(size_of(test, "heat-map-0"), MatchesRegex("1[0-9]+x[1-9][0-9]+"));
}

TEST_F(RegressPage, WatchesNoMachineUnlessItIsAskedTo) {
  EXPECT_EQ(regress("--only 'put/*'").status, 0);
  EXPECT_FALSE(fs::exists(path("out/runs/1/tests/0001/report.html")));
  const std::string page = text_of("out/runs/1/report.html");
  EXPECT_NE(size_of(page, "schedule"), "");
  EXPECT_THAT(links_in(page), IsEmpty());
}

TEST_F(RegressPage, ComparesATestWithItsRunsBefore) {
  for (int run = 0; run < 3; ++run) EXPECT_EQ(regress("--only 'good/*'").status, 0);
  EXPECT_THAT(text_of("out/runs/3/report.html"), Not(HasSubstr("class=\"mark\"/> what")));
  add_program("good", std::string("sleep 0.4; ") + kGood);
  EXPECT_EQ(regress("--only 'good/*'").status, 0);
  const std::string page = text_of("out/runs/4/report.html");
  EXPECT_THAT(page, HasSubstr("what it usually took on this host"));
  EXPECT_THAT(page, ::testing::ContainsRegex(">0\\.4[0-9] s, \\+[0-9]+ % on 0\\.[0-9]+ s<"));
}

}  // namespace
}  // namespace torusmu::testing
