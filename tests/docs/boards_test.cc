// SPDX-License-Identifier: Apache-2.0
// The constraint files of boards: no tool for two of the three families is in Debian, so their
// words are read here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace torusmu {
namespace {

using ::testing::HasSubstr;

// What is not a comment.
std::string read(const std::string& file) {
  std::ifstream input("constraints/boards/" + file);
  std::ostringstream text;
  for (std::string line; std::getline(input, line);) {
    if (!line.starts_with("#")) text << line << "\n";
  }
  return text.str();
}

// Ports and their places; the expression's groups `port` and `place` are numbers of its groups.
std::map<std::string, std::string> places(const std::string& text, const char* expression, int port,
                                          int place) {
  std::map<std::string, std::string> found;
  const std::regex pattern(expression);
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    EXPECT_TRUE(found.emplace((*it)[port], (*it)[place]).second) << (*it)[port] << " twice";
  }
  return found;
}

const std::set<std::string> kPorts{"clk_i",    "rst_ni",   "led_o[0]",
                                   "led_o[1]", "led_o[2]", "led_o[3]"};
// Of a shell around mu_board, too.
std::set<std::string> ports_of_a_board() {
  std::set<std::string> ports = kPorts;
  ports.insert({"uart_rx_i", "uart_tx_o"});
  return ports;
}

void expect_a_place_for_each_port(const std::map<std::string, std::string>& found,
                                  const std::set<std::string>& expected = kPorts) {
  std::set<std::string> ports, sites;
  for (const auto& [port, site] : found) ports.insert(port), sites.insert(site);
  EXPECT_EQ(ports, expected);
  EXPECT_EQ(sites.size(), found.size()) << "two ports in one place";
}

TEST(Boards, OfXilinx7NameEachPortOnceWithItsClockAndItsFalsePaths) {
  const std::string text = read("arty_a7_100.xdc");
  expect_a_place_for_each_port(
      places(text, R"(PACKAGE_PIN (\w+) IOSTANDARD LVCMOS33\} \[get_ports \{?([^\s\]}]+\]?)\}?\])",
             2, 1),
      ports_of_a_board());
  EXPECT_THAT(text, HasSubstr("create_clock -name clk -period 10.000 [get_ports clk_i]"));
  EXPECT_THAT(text, HasSubstr("set_false_path -from [get_ports rst_ni]"));
}

TEST(Boards, OfEcp5NameEachPortOnceWithItsClockAndItsFalsePaths) {
  const std::string text = read("ulx3s_85.lpf");
  const auto found = places(text, R"re(LOCATE COMP "([^"]+)" SITE "(\w+)";)re", 1, 2);
  expect_a_place_for_each_port(found, ports_of_a_board());
  for (const auto& [port, site] : found) {
    EXPECT_THAT(text, HasSubstr("IOBUF PORT \"" + port + "\" ")) << site;
  }
  EXPECT_THAT(text, HasSubstr("FREQUENCY PORT \"clk_i\" 25 MHZ;"));
  EXPECT_THAT(text, HasSubstr("BLOCK PATH FROM PORT \"rst_ni\";"));
}

TEST(Boards, OfIce40NameEachPortOnceWithItsClock) {
  const std::string text = read("ice40_hx8k.pcf");
  expect_a_place_for_each_port(places(text, R"((?:^|\n)set_io (\S+) (\w+))", 1, 2));
  EXPECT_THAT(text, HasSubstr("\nset_frequency clk_i 12\n"));
}

// make board UPDATE=yes writes the file, make generate the page.
TEST(Boards, OfEcp5HaveTheFiguresOfTheFileOnTheirPage) {
  std::ifstream page_file("docs/board.md"), rows("constraints/board.csv");
  const std::string page{std::istreambuf_iterator<char>(page_file), {}};
  int seeds = 0;
  for (std::string line; std::getline(rows, line);) {
    if (line.starts_with("#") || line.starts_with("seed,")) continue;
    std::istringstream cells(line);
    std::vector<std::string> cell;
    for (std::string word; std::getline(cells, word, ',');) cell.push_back(word);
    ASSERT_EQ(cell.size(), 10U) << line;
    EXPECT_THAT(page, HasSubstr("\n| " + cell[0] + " | " + cell[1] + " | " + cell[2] + " % | " +
                                cell[3] + " | " + cell[4] + " | " + cell[6] + " | " + cell[7] +
                                " | `" + cell[8] + "` | `" + cell[9] + "` |\n"));
    ++seeds;
  }
  // Without a run that was routed there is no file, and the page says so.
  EXPECT_EQ(seeds == 0, page.find("Not yet routed") != std::string::npos);
}

}  // namespace
}  // namespace torusmu
