// SPDX-License-Identifier: Apache-2.0
// The constraint files of boards: no tool for two of the three families is in Debian, so their
// words are read here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

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

void expect_a_place_for_each_port(const std::map<std::string, std::string>& found) {
  std::set<std::string> ports, sites;
  for (const auto& [port, site] : found) ports.insert(port), sites.insert(site);
  EXPECT_THAT(ports, UnorderedElementsAre("clk_i", "rst_ni", "led_o[0]", "led_o[1]", "led_o[2]",
                                          "led_o[3]"));
  EXPECT_EQ(sites.size(), found.size()) << "two ports in one place";
}

TEST(Boards, OfXilinx7NameEachPortOnceWithItsClockAndItsFalsePaths) {
  const std::string text = read("arty_a7_100.xdc");
  expect_a_place_for_each_port(places(
      text, R"(PACKAGE_PIN (\w+) IOSTANDARD LVCMOS33\} \[get_ports \{?([^\s\]}]+\]?)\}?\])", 2, 1));
  EXPECT_THAT(text, HasSubstr("create_clock -name clk -period 10.000 [get_ports clk_i]"));
  EXPECT_THAT(text, HasSubstr("set_false_path -from [get_ports rst_ni]"));
}

TEST(Boards, OfEcp5NameEachPortOnceWithItsClockAndItsFalsePaths) {
  const std::string text = read("ulx3s_85.lpf");
  const auto found = places(text, R"re(LOCATE COMP "([^"]+)" SITE "(\w+)";)re", 1, 2);
  expect_a_place_for_each_port(found);
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

}  // namespace
}  // namespace torusmu
