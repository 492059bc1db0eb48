// SPDX-License-Identifier: Apache-2.0
// `torusmu wave diff`: where two runs first part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using testing::shell;
namespace fs = std::filesystem;

Output torusmu(const std::string& arguments) {
  return shell(std::string(TORUSMU_BUILD) + "/torusmu " + arguments);
}

class WaveDiff : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    play("one", "--seed 1");
    play("two", "--seed 2");
    play("hurt", "--seed 1 --inject flip-payload-bit:3");
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path folder() {
    return fs::temp_directory_path() / ("torusmu-wave-diff-" + std::to_string(getpid()));
  }
  static std::string file(const std::string& name) { return (folder() / (name + ".fst")).string(); }
  static void play(const std::string& name, const std::string& options,
                   const std::string& window = "0:2500", const std::string& nodes = "0-1") {
    const Output output =
        torusmu("scenario get --mesh 2x2x1 --quiet " + options + " --wave-nodes " + nodes +
                " --wave-window " + window + " --wave " + file(name));
    ASSERT_NE(output.status, 2) << output.text;
  }
  static std::string bytes_of(const std::string& name) {
    std::ifstream in(file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void write(const std::string& name, const std::string& bytes) {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  static Output diff(const std::string& a, const std::string& b, const std::string& options = "") {
    return shell("timeout 30 " TORUSMU_BUILD "/torusmu wave diff " + file(a) + " " + file(b) + " " +
                 options);
  }
  static nlohmann::json json_of(const std::string& a, const std::string& b,
                                const std::string& options = "") {
    const fs::path json = folder() / "diff.json";
    (void)diff(a, b, options + " --json " + json.string());
    std::ifstream in(json);
    return nlohmann::json::parse(in, nullptr, false);
  }
};

TEST_F(WaveDiff, OfARunWithItselfIsNone) {
  play("again", "--seed 1");
  const Output output = diff("one", "again");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("no difference in cycles 0 to 2499: "));
  EXPECT_TRUE(json_of("one", "again")["same"].get<bool>());
}

// Seeds choose the bytes in memory alone, so that the first to differ is read from there.
TEST_F(WaveDiff, OfTwoSeedsBeginsWithTheBytesReadFromMemory) {
  const Output output = diff("one", "two");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("one.fst and two.fst first differ in cycle "));
  EXPECT_THAT(output.text, HasSubstr("m_axi_rdata[255:0]"));
  const nlohmann::json json = json_of("one", "two");
  EXPECT_FALSE(json["same"].get<bool>());
  const auto& first = json["signals"].at(0);
  EXPECT_EQ(first["name"], "m_axi_rdata[255:0]");
  EXPECT_TRUE(first["node"] == "node_0" || first["node"] == "node_1");
  EXPECT_NE(first["a"], first["b"]);
  // Nothing differs before, something in that cycle.
  const std::string cycle = std::to_string(json["cycle"].get<unsigned>());
  EXPECT_EQ(diff("one", "two", "--to " + cycle).status, 0);
  EXPECT_EQ(diff("one", "two", "--from " + cycle).status, 1);
}

TEST_F(WaveDiff, OfAFaultBeginsAtTheLinkThatCarriesIt) {
  const nlohmann::json json = json_of("one", "hurt");
  ASSERT_FALSE(json["signals"].empty());
  for (const auto& signal : json["signals"]) {
    EXPECT_THAT(signal["name"].get<std::string>(), HasSubstr("link_")) << signal;
    EXPECT_THAT(signal["name"].get<std::string>(), HasSubstr("data_i")) << signal;
  }
}

TEST_F(WaveDiff, ShowsEnumsByTheirNames) {
  // Later the two runs are in different states.
  bool has_name = false;
  for (unsigned from = 1100; from < 2500 && !has_name; from += 100) {
    const nlohmann::json json = json_of("one", "hurt", "--from " + std::to_string(from));
    has_name = std::any_of(json["signals"].begin(), json["signals"].end(), [](const auto& signal) {
      return signal["a"].template get<std::string>().find("STATE_") == 0;
    });
  }
  EXPECT_TRUE(has_name);
}

TEST_F(WaveDiff, IsLimitedToAScopeAndToSomeSignals) {
  EXPECT_EQ(
      diff("one", "two", "--scope node_0.mu_gated_node.u_messaging_unit.u_router.nothing").status,
      2);
  const Output few = diff("one", "two", "--most 1");
  EXPECT_THAT(few.text, HasSubstr("--most shows them"));
  const nlohmann::json json = json_of("one", "two", "--scope node_1");
  ASSERT_FALSE(json["signals"].empty());
  for (const auto& signal : json["signals"]) EXPECT_EQ(signal["node"], "node_1");
  // A scope is whole names: node_1 does not mean node_10.
  EXPECT_EQ(diff("one", "two", "--scope node_").status, 2);
}

TEST_F(WaveDiff, TellsOfSignalsInOnlyOneTrace) {
  play("node0", "--seed 1", "0:2500", "0");
  const Output output = diff("one", "node0", "--most 3");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("signals in one.fst alone:\n  node_1."));
  EXPECT_THAT(output.text, HasSubstr("no difference in cycles"));
  EXPECT_EQ(diff("one", "node0", "--scope node_0").status, 0);
}

// Verilator writes the variables of loops, which are no hardware and stop where they please.
TEST_F(WaveDiff, LeavesOutTheVariablesOfBlocksWithoutAName) {
  ASSERT_EQ(shell("fst2vcd -f " + file("one") + " | grep -q 'scope .* unnamedblk'").status, 0);
  play("node0", "--seed 1", "0:2500", "0");
  const nlohmann::json json = json_of("one", "node0");
  ASSERT_FALSE(json["only_a"].empty());
  for (const auto& signal : json["only_a"]) {
    EXPECT_THAT(signal.get<std::string>(), Not(HasSubstr("unnamedblk")));
  }
}

TEST_F(WaveDiff, OfANodeThatWasNamedTwiceIsThatOfOne) {
  play("twice", "--seed 1", "0:2500", "0-1,1");
  EXPECT_EQ(diff("one", "twice").status, 0);
}

TEST_F(WaveDiff, ComparesTheCyclesThatBothHave) {
  play("late", "--seed 1", "700:2000");
  const Output output = diff("one", "late");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("no difference in cycles 700 to 1999"));
  EXPECT_THAT(output.text, HasSubstr("one.fst ends with cycle 2499, late.fst with cycle 1999"));
  EXPECT_EQ(diff("one", "late", "--to 2000").status, 0);
  EXPECT_EQ(diff("one", "late", "--to 600").status, 2);
}

TEST_F(WaveDiff, OfWhatIsNoTraceIsRefused) {
  const std::string whole = bytes_of("one");
  write("empty", "");
  write("text", "this is no trace\n");
  write("half", whole.substr(0, whole.size() / 2));
  write("header", whole.substr(0, 330));
  for (const char* bad : {"empty", "text", "half", "header", "missing"}) {
    for (const Output& output : {diff("one", bad), diff(bad, "one")}) {
      EXPECT_EQ(output.status, 2) << bad << ": " << output.text;
      EXPECT_THAT(output.text, HasSubstr(file(bad)));
    }
  }
  EXPECT_EQ(torusmu("wave").status, 2);
  EXPECT_EQ(torusmu("wave diff " + file("one")).status, 2);
  EXPECT_EQ(diff("one", "two", "--most 0").status, 2);
  EXPECT_EQ(diff("one", "two", "--json /nowhere/x.json").status, 2);
}

TEST_F(WaveDiff, WritesItsResultOverNoTrace) {
  const std::string before = bytes_of("one");
  const Output output = diff("one", "two", "--json " + file("one"));
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("the trace and --json are the same file: " + file("one")));
  EXPECT_EQ(bytes_of("one"), before);
}

// The verdict on a trace that was damaged somewhere: what still can be read may differ, or be of no
// matter; everything else is told, of the right file.
void expect_verdict(const Output& output, const std::string& damaged, const std::string& where) {
  if (output.status == 0 || output.status == 1) return;
  EXPECT_EQ(output.status, 2) << where << ": " << output.text;
  EXPECT_THAT(output.text, HasSubstr("torusmu: " + damaged + " is ")) << where;
}

TEST_F(WaveDiff, OfADamagedTraceEndsWithAVerdict) {
  constexpr std::size_t kPage = 4096;
  const std::string whole = bytes_of("one");
  std::mt19937_64 random(1);
  unsigned refused = 0;
  // The names are at the end, the changes before.
  std::vector<std::size_t> places{whole.size() - 1, whole.size() - 2 * kPage};
  while (places.size() < 14) places.push_back(random() % whole.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t page = places[i] / kPage * kPage;
    std::string zeroed = whole;
    zeroed.replace(page, std::min(kPage, whole.size() - page), std::min(kPage, whole.size() - page),
                   '\0');
    write("zeroed", zeroed);
    std::string flipped = whole;
    flipped[places[i]] = static_cast<char>(flipped[places[i]] ^ 0x15);
    write("flipped", flipped);
    for (const std::string bad : {"zeroed", "flipped"}) {
      const Output output = i % 2 == 0 ? diff("one", bad) : diff(bad, "one");
      expect_verdict(output, file(bad), bad + " at " + std::to_string(places[i]));
      if (output.status == 2) ++refused;
    }
  }
  EXPECT_GE(refused, places.size());
}

}  // namespace
}  // namespace torusmu
