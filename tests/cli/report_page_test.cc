// SPDX-License-Identifier: Apache-2.0
// The page of --report: what it says, that it needs nothing else, and that a browser shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "sim/observe/pin_watch.h"
#include "sim/observe/report_page/page.h"
#include "sim/observe/report_page/plot.h"
#include "tests/support/browser.h"

namespace torusmu {
namespace {

using testing::addresses_in;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::links_in;
using ::testing::Not;
using testing::Output;
using testing::shell;
using testing::size_of;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ReportPage : public ::testing::Test {
 protected:
  ReportPage() { fs::create_directories(folder_); }
  ~ReportPage() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  // Runs torusmu with --report and returns the page.
  std::string page_of(const std::string& arguments, int status = 0) {
    const Output output =
        shell(TORUSMU_BUILD "/torusmu " + arguments + " --report " + path().string());
    EXPECT_EQ(output.status, status) << output.text;
    return read_file(path());
  }
  [[nodiscard]] fs::path path() const { return folder_ / "page.html"; }
  [[nodiscard]] Output browsed() const { return testing::browsed(path(), folder_ / "browser"); }
  // The same once a script, which stands in for a reader, has used the page.
  [[nodiscard]] Output used(const std::string& page, const std::string& script) const {
    std::ofstream(path()) << page << "<script>" << script << "</script>";
    Output output = browsed();
    EXPECT_EQ(output.status, 0) << output.text;
    EXPECT_THAT(output.text, Not(HasSubstr("CONSOLE")));
    return output;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-report-" + std::to_string(getpid()));
};

TEST_F(ReportPage, OfAScenarioHasChecksFiguresAndAllPicturesInABrowser) {
  const std::string page = page_of("scenario put --seed 5 --mesh 3x2x1");
  EXPECT_THAT(addresses_in(page), ElementsAre());
  EXPECT_THAT(links_in(page), ElementsAre());
  const Output output = browsed();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, Not(HasSubstr("CONSOLE")));
  for (const char* id : {"heat-map-0", "timeline-0", "latency-0", "stages-0", "queues-0-posted",
                         "queues-0-on-the-way"}) {
    EXPECT_THAT(size_of(output.text, id), ::testing::MatchesRegex("1[0-9]+x[1-9][0-9]+")) << id;
  }
  EXPECT_THAT(output.text, HasSubstr("network.no_bad_packets"));
  EXPECT_THAT(output.text, HasSubstr("torusmu scenario put --mesh 3x2x1 --seed 5"));
  EXPECT_THAT(output.text, HasSubstr("10 checks passed"));
  EXPECT_THAT(output.text, HasSubstr("(2,1,0) x+ to (0,1,0):"));
  EXPECT_THAT(output.text, HasSubstr("last flit at the target"));
}

TEST_F(ReportPage, OfAReplayTellsOfTheProgramsMessagesAndOfWhatDescriptorsSent) {
  const std::string page = page_of("replay tests/traces/lulesh-8.trace");
  EXPECT_THAT(addresses_in(page), ElementsAre());
  EXPECT_THAT(links_in(page), ElementsAre());
  EXPECT_THAT(page, HasSubstr("rank 0 to rank "));
  EXPECT_THAT(page, HasSubstr("Transfers: what descriptors sent"));
  EXPECT_THAT(page, HasSubstr("replay.latency_p99_cycles"));
  EXPECT_THAT(page, HasSubstr("Bytes in reception FIFOs"));
  // The data of every message is found on the links.
  EXPECT_THAT(page, Not(HasSubstr("not on a link")));
  const Output output = browsed();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, Not(HasSubstr("CONSOLE")));
  EXPECT_NE(size_of(output.text, "queues-0-fifo"), "");
}

TEST_F(ReportPage, OfABenchHasAPartForEachOfItsMachines) {
  const std::string page = page_of("bench pipe");
  EXPECT_THAT(addresses_in(page), ElementsAre());
  EXPECT_THAT(links_in(page), ElementsAre());
  EXPECT_THAT(page, HasSubstr("id=\"machine-0\""));
  EXPECT_THAT(page, HasSubstr("pipe."));
  const Output output = browsed();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, Not(HasSubstr("CONSOLE")));
  EXPECT_NE(size_of(output.text, "heat-map-0"), "");
}

TEST_F(ReportPage, OfARunThatFailsPutsWhatFailedFirst) {
  const std::string page = page_of("scenario put --inject flip-payload-bit:3", 1);
  EXPECT_THAT(page, HasSubstr("class=\"verdict bad\""));
  const std::size_t first = page.find("<td class=\"bad\">FAILED");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, page.find("<td class=\"good\">passed"));
}

TEST_F(ReportPage, SaysOfEveryKindOfTransferThatWasLostThatItDidNotArrive) {
  // Of each the packet that is lost, and what the page knows of the transfer.
  EXPECT_THAT(page_of("scenario put --inject drop-packet:9", 1),
              HasSubstr("cycles: \n  1,089 doorbell\n  1,126 first flit on a link\n  not arrived"));
  EXPECT_THAT(
      page_of("scenario fifo --inject drop-packet:1", 1),
      HasSubstr("FIFO, 32 bytes in 1 packets, queue 8, request\n43 cycles: \n  672 doorbell\n"
                "  715 first flit on a link\n  not arrived"));
  EXPECT_THAT(page_of("scenario get --inject drop-packet:1", 1),
              HasSubstr("GET, 256 bytes in 1 packets, queue 8, request\n50 cycles: \n"
                        "  1,019 doorbell\n  1,069 first flit on a link\n  not arrived"));
  EXPECT_THAT(page_of("scenario put"), Not(HasSubstr("not arrived")));
}

// Its last packet came to the target, its first did not; sent again, it arrived.
TEST_F(ReportPage, TellsALostSendFromTheSameSentAgain) {
  const std::string page = page_of("scenario fan --inject drop-packet:2", 1);
  const std::string send = "(1,0,1) to (0,0,0): SEND, 777 bytes in 2 packets, queue 7, request\n";
  EXPECT_THAT(page, HasSubstr(send + "0 cycles: \n  2,094 first flit on a link\n  not arrived"));
  EXPECT_THAT(page, HasSubstr(send + "110 cycles: \n  6,143 first flit on a link\n"
                                     "  6,214 last flit at the target"));
}

TEST_F(ReportPage, HasATableOfWhatNeverArrivedAndWhereItWasLost) {
  const std::string page = page_of("scenario put --inject drop-packet:9", 1);
  EXPECT_THAT(page, HasSubstr("<h3>What never arrived</h3>"));
  EXPECT_THAT(page, ::testing::ContainsRegex(
                        "<td class=\"n\">1,089<td class=\"n\">1,126<td>a packet lost on link "
                        "\\([0-9],[0-9],[0-9]\\) [xyz][+-] in cycle 1,[0-9]+</tr>"));
  EXPECT_THAT(page_of("scenario put"), Not(HasSubstr("What never arrived")));
}

TEST_F(ReportPage, SaysWhatRanWithAllOptionsAndTheBuild) {
  const std::string page = page_of("scenario put --seed 5");
  EXPECT_THAT(page, HasSubstr("put: every node puts messages of all sizes"));
  EXPECT_THAT(page, HasSubstr("<tr><th>seed<td>5</tr>"));
  EXPECT_THAT(page, HasSubstr("<tr><th>latency<td>8</tr>"));
  EXPECT_THAT(page, HasSubstr("<tr><th>program<td>torusmu "));
}

TEST_F(ReportPage, TellsWhatTheTerminalTells) {
  const std::string journey = page_of("scenario reflection");
  EXPECT_THAT(journey, HasSubstr("<pre id=\"told\">"));
  EXPECT_THAT(journey, HasSubstr("reflecting GET"));
  EXPECT_THAT(page_of("scenario stuck"), HasSubstr("waits for itself"));
  const std::string failed = page_of("scenario put --inject drop-packet:9 --quiet", 1);
  EXPECT_THAT(failed, HasSubstr("<pre id=\"told\">"));
}

// Set-up and waiting for stragglers are no part of it.
TEST_F(ReportPage, CountsTheLoadOfLinksOverTheProgramsTimeAsTheTerminalDoes) {
  const Output output = shell(
      TORUSMU_BUILD "/torusmu replay tests/traces/lulesh-8.trace --report " + path().string());
  EXPECT_EQ(output.status, 0) << output.text;
  const std::string begin = "busiest links: ", end = " % of the time";
  const std::size_t line = output.text.find(begin);
  ASSERT_NE(line, std::string::npos) << output.text;
  const std::size_t to = output.text.find(end, line);
  const std::size_t from = output.text.rfind(' ', to - 1) + 1;
  const std::string share = output.text.substr(from, to - from);
  const std::string page = read_file(path());
  const std::string busiest = page.substr(page.find("Busiest links"));
  EXPECT_THAT(busiest, HasSubstr("<td class=\"n\">" + share + " %</tr>"));
  EXPECT_THAT(page, HasSubstr("The program ran from cycle "));
}

TEST_F(ReportPage, HasOneDefinitionOfLatencyForFiguresAndChart) {
  const std::string page = page_of("replay tests/traces/lulesh-8.trace");
  for (const char* percent : {"50", "90", "99"}) {
    const std::string name = "replay.latency_p" + std::string(percent) + "_cycles<td class=\"n\">";
    const std::size_t at = page.find(name);
    ASSERT_NE(at, std::string::npos);
    const double value = std::stod(page.substr(at + name.size()));
    EXPECT_THAT(page, HasSubstr(std::string(percent) + " %: " +
                                report_page::with_commas(static_cast<std::uint64_t>(value))));
  }
}

TEST_F(ReportPage, CutsIdleStretchesOutOfTheBars) {
  const std::string page = page_of("scenario barrier --mesh 2x2x2");
  EXPECT_THAT(page, HasSubstr("in which no message was under way"));
  EXPECT_THAT(page, HasSubstr("grey: idle cycles, cut short"));
}

TEST_F(ReportPage, EnlargesAPartOfTheTimeAndGoesToASlowMessage) {
  const std::string page = page_of("replay tests/traces/lulesh-8.trace");
  const std::string whole = used(page, "").text;
  const std::string part =
      used(page, "document.querySelector('button[title=enlarge]').click();").text;
  const auto view_of = [](const std::string& text) {
    const std::size_t at = text.find("viewBox=\"", text.find("class=\"zoom\""));
    return text.substr(at, text.find('"', at + 9) - at);
  };
  EXPECT_THAT(view_of(whole), ::testing::StartsWith("viewBox=\"0 0 "));
  EXPECT_NE(view_of(whole), view_of(part));
  // The numbers below go with it.
  const auto says = [](const std::string& text) {
    const std::size_t at = text.find("<span>cycles ");
    return text.substr(at, text.find("</span>", at) - at);
  };
  EXPECT_THAT(says(whole), ::testing::ContainsRegex("cycles [0-9,]+ to [0-9,]+"));
  EXPECT_NE(says(whole), says(part));
  const std::string shown = used(page, "document.querySelector('.slowest button').click();").text;
  EXPECT_NE(view_of(shown), view_of(whole));
}

TEST_F(ReportPage, ShowsTheLinksInAPartOfTheTime) {
  const std::string page = page_of("scenario put");
  const std::string slid =
      used(page, "const s = document.querySelector('input[type=range]'); s.value = 2; s.oninput();")
          .text;
  EXPECT_THAT(slid, HasSubstr("class=\"heat by-slice\""));
  EXPECT_THAT(used(page, "").text, HasSubstr("all of the program"));
}

// The command of the page plays the run again, with waves of that message.
TEST_F(ReportPage, HasForEachSlowMessageACommandThatShowsItInTheWaves) {
  const std::string page = page_of("scenario put --seed 5");
  const std::string begin = "<code class=\"copy\">";
  const std::size_t at = page.find(begin, page.find("class=\"slowest\"")) + begin.size();
  std::string command = page.substr(at, page.find(" &amp;&amp;", at) - at);
  EXPECT_THAT(command, ::testing::ContainsRegex(
                           "torusmu scenario put.* --seed 5 --wave slow.fst --wave-nodes "
                           "[0-9],[0-9] --wave-window [0-9]+:[0-9]+$"));
  command = command.substr(command.find("torusmu ") + 8);
  const std::string program = fs::absolute(TORUSMU_BUILD "/torusmu").string();
  const Output output =
      shell("cd " + path().parent_path().string() + " && " + program + " " + command);
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_TRUE(fs::exists(path().parent_path() / "slow.gtkw"));
  EXPECT_THAT(page_of("bench pipe"), Not(HasSubstr("--wave-window")));
}

TEST_F(ReportPage, SaysTheSameOnBothEngines) {
  const std::string fast = page_of("scenario get");
  const std::string mesh = page_of("scenario get --engine mesh");
  const auto machine = [](const std::string& page) {
    return page.substr(page.find("id=\"machine-0"));
  };
  EXPECT_GT(machine(fast).size(), 10'000U);
  // But for the commands that show waves, which the mesh engine has not.
  static const std::regex kCommand("<code class=\"copy\">[^<]*</code>");
  EXPECT_EQ(std::regex_replace(machine(fast), kCommand, ""), machine(mesh));
}

TEST_F(ReportPage, ChangesNoFlitOfTheRun) {
  const auto hash_of = [](const std::string& text) {
    const std::size_t at = text.find("flit hash ");
    return at == std::string::npos ? "none" : text.substr(at, 28);
  };
  const std::string plain = hash_of(shell(TORUSMU_BUILD "/torusmu scenario fence").text);
  const std::string page = page_of("scenario fence");
  EXPECT_THAT(page, HasSubstr(plain));
}

TEST_F(ReportPage, ThatCannotBeWrittenIsRefusedBeforeTheRun) {
  for (const char* bad : {"/nowhere/page.html", "/", "''"}) {
    const Output output = shell(TORUSMU_BUILD "/torusmu scenario put --report " + std::string(bad));
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_THAT(output.text, HasSubstr("--report"));
    EXPECT_THAT(output.text, Not(HasSubstr("ok  ")));
  }
}

TEST_F(ReportPage, OfAFullDiskIsAnErrorAndNotAPage) {
  const Output output = shell(TORUSMU_BUILD "/torusmu scenario get --report /dev/full");
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr("--report: cannot write /dev/full"));
}

TEST(ReportPageText, EscapesNamesWhereverTheyStand) {
  report_page::Page page;
  page.title = "<b>\"x\" & 'y'</b>";
  page.command = "torusmu replay '<script>alert(1)</script>'";
  page.checks = {{"<i>name", false, "found \x01 & <u>"}};
  page.figures = {{"<f>", "1", "<unit>", "<what>"}};
  page.facts = {{"<fact>", "</table>"}};
  page.options = {{"<option>", "<value>"}};
  page.told = "<told>";
  page.waits = "<waits>";
  const std::string html = report_page::html(page);
  for (const char* raw : {"<b>", "<script>alert", "<i>name", "<u>", "<f>", "<unit>", "<fact>",
                          "<option>", "<value>", "<told>", "<waits>", "\x01"}) {
    EXPECT_THAT(html, Not(HasSubstr(raw)));
  }
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;"));
}

TEST(ReportPageMachines, ArePutIntoAnotherPageUnderNamesOfTheirOwn) {
  report_page::Page page;
  page.title = "scenario";
  EXPECT_EQ(report_page::machines_in(report_page::html(page), "test-7-"), "");
  report_page::RunRecord machine;
  machine.name = "a \" id=\"b";
  machine.shape = {2, 1, 1};
  machine.cycles = 10;
  machine.links.resize(2);
  machine.links[0][0].requests = 5;
  page.machines = {machine, machine};
  const std::string part = report_page::machines_in(report_page::html(page), "test-7-");
  EXPECT_THAT(part,
              AllOf(HasSubstr("<h2 id=\"test-7-machine-0\">"),
                    HasSubstr("<svg id=\"test-7-heat-map-1\""), HasSubstr("a &quot; id=&quot;b"),
                    Not(HasSubstr("<body")), Not(HasSubstr(" id=\"machine"))));
}

TEST(ReportPageText, PutsCommasAndTicksWhereTheyBelong) {
  EXPECT_EQ(report_page::with_commas(0), "0");
  EXPECT_EQ(report_page::with_commas(999), "999");
  EXPECT_EQ(report_page::with_commas(1000), "1,000");
  EXPECT_EQ(report_page::with_commas(1234567), "1,234,567");
  EXPECT_THAT(report_page::ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(report_page::ticks(5, 5, 5), ElementsAre(5));
}

report_page::RunRecord run_of(const std::vector<std::pair<Cycles, Cycles>>& messages) {
  report_page::RunRecord run;
  for (const auto& [from, to] : messages) {
    report_page::Message message;
    message.posted = from;
    message.in_memory = to;
    run.messages.push_back(std::move(message));
  }
  return run;
}

TEST(ReportPageTime, IsOnePositionACycleButForIdleStretches) {
  const report_page::TimeAxis axis(run_of({{1000, 1400}, {101000, 101600}}));
  ASSERT_EQ(axis.pieces().size(), 2U);
  EXPECT_EQ(axis.at(1300) - axis.at(1200), 100);
  EXPECT_EQ(axis.at(101500) - axis.at(101200), 300);
  EXPECT_LT(axis.length(), 1200);
  EXPECT_LT(axis.at(1400), axis.at(50000));
  EXPECT_LT(axis.at(50000), axis.at(101000));
}

TEST(ReportPageTime, HasNoCutWhereMessagesFollowOneAnother) {
  const report_page::TimeAxis axis(run_of({{0, 500}, {450, 900}, {950, 1000}}));
  EXPECT_EQ(axis.pieces().size(), 1U);
}

TEST(LinkTimesOfAWatch, KeepAllFlitsWhenPartsBecomeLonger) {
  LinkTimes times;
  std::uint64_t requests = 0, replies = 0;
  for (Cycles t = 0; t < 1'000'000; t += 997) {
    times.add(t, t % 2 != 0);
    ++(t % 2 != 0 ? replies : requests);
  }
  EXPECT_LE(times.parts().size(), LinkTimes::kMostParts);
  std::uint64_t found_requests = 0, found_replies = 0;
  for (std::size_t i = 0; i < times.parts().size(); ++i) {
    const LinkTimes::Flits& part = times.parts()[i];
    found_requests += part.requests;
    found_replies += part.replies;
    // Flits lie in the part of their cycle.
    const Cycles width = Cycles{1} << times.shift();
    EXPECT_NEAR(part.requests + part.replies, static_cast<double>(width) / 997, 1.5) << i;
  }
  EXPECT_EQ(found_requests, requests);
  EXPECT_EQ(found_replies, replies);
}

TEST(ReportPageStages, TakeWhatIsNotKnownIntoTheNext) {
  report_page::Message message;
  message.posted = 10;
  message.arrived = 50;
  message.in_memory = 60;
  const auto stages = report_page::stages_of(message);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].from, 10U);
  EXPECT_EQ(stages[0].to, 50U);
  EXPECT_STREQ(report_page::kStageNames[stages[0].stage], "first flit to last at the target");
  EXPECT_EQ(stages[1].to, 60U);
  EXPECT_EQ(message.latency(), 50U);
}

}  // namespace
}  // namespace torusmu
