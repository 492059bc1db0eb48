// SPDX-License-Identifier: Apache-2.0
// What GTKWave makes of the waves and views that torusmu writes. It runs on a display that nobody
// sees: asked by a script in its own language, and looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "docs/draw/display.h"
#include "sim/observe/wave_view.h"
#include "sim/play/scenario/scenarios.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Output;
using testing::shell;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr unsigned kWidth = 1600, kHeight = 1030;
constexpr std::chrono::seconds kLimit{60};
constexpr unsigned long long kNameFlag = 0x100000000;  // the enum of the trace gives the text

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Shown {
  bool by_name = false;
  std::string label;
  std::string value;                  // at the marker; empty if the group is folded up
  std::vector<std::string> at_marks;  // at A, B, ... as far as there are such
};

// The signals of a save file.
std::vector<Shown> signals_of_view(const fs::path& view) {
  std::vector<Shown> signals;
  std::istringstream lines(read_file(view));
  bool by_name = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("@"))
      by_name = (std::stoull(line.substr(1), nullptr, 16) & kNameFlag) != 0;
    if (line.starts_with("+{"))
      signals.push_back({by_name, line.substr(2, line.find('}') - 2), "", {}});
  }
  return signals;
}

struct Loaded {
  std::vector<Shown> signals;
  long long from = 0, to = 0;      // what the window shows, in picoseconds
  std::vector<long long> markers;  // A, B, ...
  std::string text;                // all that GTKWave printed
};

// Asks GTKWave what it has made of a view.
Loaded loaded_by_gtkwave(const fs::path& view, const fs::path& fst) {
  const fs::path script = view.string() + ".tcl";
  std::ofstream(script) << R"(
puts "WINDOW [gtkwave::getWindowStartTime] [gtkwave::getWindowEndTime]"
foreach m {A B C D E F} { puts "MARKER [gtkwave::getNamedMarker $m]" }
set count [gtkwave::getTotalNumTraces]
for {set i 0} {$i < $count} {incr i} {
  puts "TRACE [gtkwave::getTraceFlagsFromIndex $i] [gtkwave::getTraceNameFromIndex $i]"
  puts "VALUE [gtkwave::getTraceValueAtMarkerFromIndex $i]"
}
foreach m {A B C D E F} {
  if {[gtkwave::getNamedMarker $m] >= 0} {
    gtkwave::setMarker [gtkwave::getNamedMarker $m]
    for {set i 0} {$i < $count} {incr i} {
      puts "MARKED $i [gtkwave::getTraceValueAtMarkerFromIndex $i]"
    }
  }
}
exit
)";
  draw::Display display(kWidth, kHeight);
  const Output output =
      shell("env " + display.environment() + " timeout -k 5 " + std::to_string(kLimit.count()) +
            " gtkwave -S " + script.string() + " -a " + view.string() + " " + fst.string());
  Loaded loaded;
  loaded.text = output.text;
  constexpr unsigned long long kBlankFlag = 0x200;  // a comment, or the edge of a group
  std::istringstream lines(output.text);
  bool is_signal = false;
  std::vector<bool> is_signal_of;  // by index of the trace
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "WINDOW") words >> loaded.from >> loaded.to;
    if (word == "MARKER") words >> loaded.markers.emplace_back();
    if (word == "TRACE") {
      unsigned long long flags = 0;
      words >> flags >> std::ws;
      std::string label;
      std::getline(words, label);
      is_signal = (flags & kBlankFlag) == 0;
      is_signal_of.push_back(is_signal);
      if (is_signal) loaded.signals.push_back({(flags & kNameFlag) != 0, label, "", {}});
    }
    if (word == "VALUE" && is_signal) words >> loaded.signals.back().value;
    if (word == "MARKED") {
      std::size_t index = 0;
      words >> index;
      if (!is_signal_of.at(index)) continue;
      const auto before = is_signal_of.begin() + static_cast<std::ptrdiff_t>(index);
      Shown& signal = loaded.signals.at(
          static_cast<std::size_t>(std::count(is_signal_of.begin(), before, true)));
      words >> signal.at_marks.emplace_back();
    }
  }
  return loaded;
}

// What is wrong with the signals that GTKWave shows: each of the view, in its order, and names
// where the view wants names.
std::vector<std::string> complaints(const std::vector<Shown>& wanted,
                                    const std::vector<Shown>& loaded) {
  static const std::regex kName("[A-Z]+_[A-Z0-9_]+");
  std::vector<std::string> found;
  std::size_t at = 0;
  for (const Shown& signal : wanted) {
    if (at == loaded.size() || loaded[at].label != signal.label) {
      found.push_back(signal.label + ": not loaded");
      continue;
    }
    const std::string& value = loaded[at++].value;
    if (signal.by_name && !value.empty() && !std::regex_match(value, kName)) {
      found.push_back(signal.label + ": shows " + value + ", no name");
    }
  }
  if (at != loaded.size()) found.push_back(loaded[at].label + ": not in the view");
  return found;
}

class GtkWave : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    const Output output = shell(
        TORUSMU_BUILD "/torusmu scenario reflection --wave-nodes 0,1,48 --wave " + fst().string());
    ASSERT_EQ(output.status, 0) << output.text;
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static fs::path folder() {
    return fs::temp_directory_path() / ("torusmu-gtkwave-" + std::to_string(getpid()));
  }
  static fs::path fst() { return folder() / "reflection.fst"; }
  static fs::path view() { return folder() / "reflection.gtkw"; }
  // The view with each `from` replaced.
  static fs::path broken_view(const std::string& from, const std::string& to) {
    const std::string text = read_file(view());
    EXPECT_THAT(text, HasSubstr(from));
    std::string broken;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find(from, at), text.size());
      broken += text.substr(at, next - at);
      if (next < text.size()) broken += to;
      at = next + from.size();
    }
    fs::path path = folder() / "broken.gtkw";
    std::ofstream(path) << broken;
    return path;
  }
  // What it looks like, once it shows waves or after `limit`.
  static draw::Picture picture_of(const fs::path& view, std::chrono::seconds limit) {
    draw::Display display(kWidth, kHeight);
    draw::Background gtkwave(
        "env " + display.environment() + " gtkwave -a " + view.string() + " " + fst().string(),
        folder() / "gtkwave.log");
    return display.wait_for(shows_the_view, limit);
  }
  static bool shows_the_view(const draw::Picture& picture) {
    constexpr unsigned kLeastLines = 25;
    return draw::shows_waves(picture, kLeastLines);
  }
};

TEST_F(GtkWave, ShowsEverySignalOfTheReflectionViewAndNamesItsEnums) {
  const std::vector<Shown> wanted = signals_of_view(view());
  EXPECT_GT(wanted.size(), 250U);
  const Loaded loaded = loaded_by_gtkwave(view(), fst());
  EXPECT_THAT(complaints(wanted, loaded.signals), IsEmpty()) << loaded.text;
  std::vector<std::string> values;
  for (const Shown& signal : loaded.signals) {
    if (signal.by_name) values.push_back(signal.value);
  }
  for (const char* kind : {"OPCODE_", "KIND_", "STATE_", "ACTION_"}) {
    EXPECT_THAT(values, Contains(StartsWith(kind)));
  }
}

TEST_F(GtkWave, OpensAtTheMessageWithItsStepsMarked) {
  const Loaded loaded = loaded_by_gtkwave(view(), fst());
  ASSERT_EQ(loaded.markers.size(), 6U) << loaded.text;
  // Doorbell, first and last flit of the data, completion, interrupt.
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_GT(loaded.markers[i], i == 0 ? loaded.from : loaded.markers[i - 1]);
    EXPECT_LT(loaded.markers[i], loaded.to);
  }
  EXPECT_EQ(loaded.markers[5], -1);
  // At the first data flit the message has a bar at both of its ends.
  for (const char* label : {"messages sent", "messages received"}) {
    std::vector<std::string> texts;
    for (const Shown& signal : loaded.signals) {
      if (signal.label == label && !signal.at_marks.empty()) texts.push_back(signal.at_marks[1]);
    }
    EXPECT_THAT(texts, Contains(StartsWith("PUT"))) << label << "\n" << loaded.text;
  }
  // The story that the program tells names the same cycles; one cycle is a nanosecond.
  const std::string told = shell(TORUSMU_BUILD "/torusmu scenario reflection").text;
  EXPECT_THAT(told, ::testing::ContainsRegex("cycle +" + std::to_string(loaded.markers[0] / 1000) +
                                             " .*accepts the doorbell"));
  EXPECT_THAT(told, ::testing::ContainsRegex("cycle +" + std::to_string(loaded.markers[4] / 1000) +
                                             " .*interrupt line"));
  // The marker stands where the interrupt line has just risen.
  for (const Shown& signal : loaded.signals) {
    if (signal.label == "irq_o" && !signal.value.empty()) {
      EXPECT_EQ(signal.value, "0001");
    }
  }
}

TEST_F(GtkWave, DrawsTheWavesOfTheView) { EXPECT_TRUE(shows_the_view(picture_of(view(), kLimit))); }

TEST_F(GtkWave, ASignalThatIsNotInTheTraceIsSeen) {
  const fs::path broken = broken_view("node_0.link_xp_head_o", "node_0.link_xp_crown_o");
  EXPECT_THAT(complaints(signals_of_view(broken), loaded_by_gtkwave(broken, fst()).signals),
              ElementsAre("link x+ out: head: not loaded"));
}

TEST_F(GtkWave, AViewThatShowsNumbersForNamesIsSeen) {
  const fs::path broken = broken_view("@100000028", "@22");
  EXPECT_THAT(complaints(signals_of_view(view()), loaded_by_gtkwave(broken, fst()).signals),
              Contains("request descriptor: opcode: shows 00, no name"));
}

TEST_F(GtkWave, AWindowWithoutWavesIsSeen) {
  const fs::path broken = broken_view("node_", "nodes_");
  EXPECT_FALSE(shows_the_view(picture_of(broken, std::chrono::seconds(8))));
}

constexpr std::array kScenariosWithViews{
    "put",         "fifo",     "get",         "barrier",   "allreduce",  "discard",
    "reduce-tree", "fan",      "pipeline",    "channels",  "stuck",      "fence",
    "polling",     "boot",     "collectives", "shapes",    "loop",       "producers",
    "endpoints",   "refusals", "unit-memory", "full-node", "poll-parts", "tree"};

class GtkWaveView : public ::testing::TestWithParam<const char*> {};

// The verb as a user types it; it opens GTKWave where there is a display, else it says how.
TEST_P(GtkWaveView, OfMakeWaveLoadsWithoutALoss) {
  const std::string scenario = GetParam();
  const std::string base = TORUSMU_BUILD "/" + scenario;
  const Output output =
      shell("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u DISPLAY make BUILD=" TORUSMU_BUILD
            " wave SCENARIO=" +
            scenario);
  ASSERT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("gtkwave -a " + base + ".gtkw " + base + ".fst\n"));
  const Loaded loaded = loaded_by_gtkwave(base + ".gtkw", base + ".fst");
  EXPECT_GT(loaded.signals.size(), 100U);
  EXPECT_THAT(complaints(signals_of_view(base + ".gtkw"), loaded.signals), IsEmpty())
      << loaded.text;
  for (const long long marker : loaded.markers) {
    if (marker < 0) continue;
    EXPECT_GE(marker, loaded.from) << "a step that is marked lies before the window";
    EXPECT_LE(marker, loaded.to) << "a step that is marked lies behind the window";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenario, GtkWaveView, ::testing::ValuesIn(kScenariosWithViews),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           std::erase(name, '-');
                           return name;
                         });

// reflection has its own tests above; a new scenario needs a line here.
TEST(GtkWaveViews, AreTestedForEveryScenario) {
  std::set<std::string> tested{"reflection"};
  for (const char* name : kScenariosWithViews) tested.insert(name);
  for (const Scenario& scenario : scenarios()) {
    EXPECT_TRUE(tested.contains(scenario.name)) << scenario.name;
  }
}

TEST(GtkWaveMarks, HaveTheirNamesWhereThereIsRoomAndAreListed) {
  const fs::path folder = fs::temp_directory_path() / ("torusmu-marks-" + std::to_string(getpid()));
  fs::create_directories(folder);
  WaveView view;
  view.from = 0;
  view.to = 1000;
  view.nodes = {NodeId{0}};
  view.lanes = {{.sent = {0, 3}, .received = {}}};
  view.marks = {{100, "signal out"}, {110, "signal in"}, {500, "done"}};
  write_gtkwave_save_file((folder / "x.fst").string(), view);
  const std::string text = read_file(folder / "x.gtkw");
  fs::remove_all(folder);
  EXPECT_THAT(text, ::testing::Not(HasSubstr("Asignal out")));
  EXPECT_THAT(text, HasSubstr("[markername] Bsignal in"));
  EXPECT_THAT(text, HasSubstr("-A: cycle 100, signal out\n"));
  EXPECT_THAT(text, HasSubstr("-C: cycle 500, done\n"));
  // Rows of a kind say which they are, and lanes without a bar have none.
  EXPECT_THAT(text, HasSubstr("{messages sent} node_0.messages_sent.lane_0\n"));
  EXPECT_THAT(text, HasSubstr("{messages sent, lane 4} node_0.messages_sent.lane_3\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("messages received")));
}

// What GTKWave has to make room for is missing beside it.
TEST(GtkWaveNames, LeaveRoomForTheWaves) {
  const fs::path folder = fs::temp_directory_path() / ("torusmu-names-" + std::to_string(getpid()));
  fs::create_directories(folder);
  WaveView view;
  view.to = 1000;
  view.nodes = {NodeId{7}};
  view.marks = {{999, "failed: assertion.returns_only_what_was_taken_before"}};
  view.blocks = {{"node 7: assertion returns_only_what_was_taken_before",
                  "u_messaging_unit.u_send_engine.u_queue_pairs.u_outstanding_requests",
                  {"node_7.mu_gated_node.clk_router_i"}}};
  write_gtkwave_save_file((folder / "x.fst").string(), view);
  const std::string text = read_file(folder / "x.gtkw");
  fs::remove_all(folder);
  EXPECT_THAT(text, HasSubstr("-A: cycle 999, failed: assertion.returns_only_what_w...\n"));
  EXPECT_THAT(text, HasSubstr("-u_messaging_unit.u_send_engine.u_queue_pairs.\n@200\n"
                              "-u_outstanding_requests\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-")) {
      EXPECT_LE(line.size(), 55U) << line;
    }
  }
}

class GtkWaveCollective : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    fs::create_directories(folder());
    const Output output = shell(TORUSMU_BUILD "/torusmu scenario " + std::string(GetParam()) +
                                " --wave-nodes 56-59 --wave " + fst());
    ASSERT_EQ(output.status, 0) << output.text;
    told_ = output.text;
    loaded_ = loaded_by_gtkwave(folder() / "c.gtkw", fst());
    ASSERT_EQ(loaded_.markers.size(), 6U) << loaded_.text;
  }
  void TearDown() override { fs::remove_all(folder()); }

  static fs::path folder() {
    return fs::temp_directory_path() / ("torusmu-collective-" + std::to_string(getpid()));
  }
  static std::string fst() { return (folder() / "c.fst").string(); }
  // What the last signal of that name shows at A, B, ...: that of the node that waits.
  [[nodiscard]] std::vector<std::string> shown(const std::string& label) const {
    const auto found =
        std::find_if(loaded_.signals.rbegin(), loaded_.signals.rend(), [&](const Shown& signal) {
          return signal.label == label && !signal.value.empty() && signal.at_marks.size() == 5;
        });
    if (found != loaded_.signals.rend()) return found->at_marks;
    ADD_FAILURE() << "no signal " << label;
    return std::vector<std::string>(5);
  }

  std::string told_;
  Loaded loaded_;
};

TEST_P(GtkWaveCollective, OpensWhereTheLastMemberBeginsAsTheProgramTells) {
  const std::vector<std::string> steps{"accepts the doorbell", "first flit out", "it is at",
                                       "released by the count", "the interrupt line of"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_GT(loaded_.markers[i], i == 0 ? loaded_.from : loaded_.markers[i - 1]);
    EXPECT_LT(loaded_.markers[i], loaded_.to);
    const std::string cycle = std::to_string(loaded_.markers[i] / 1000);
    EXPECT_THAT(told_, ::testing::ContainsRegex("cycle +" + cycle + " .*" + steps[i]));
  }
  EXPECT_EQ(loaded_.markers[5], -1);
}

// Queue 9 is that of the group.
TEST_P(GtkWaveCollective, ShowsTheQueueInTheWaitTableUntilItsCountIsReached) {
  const std::vector<std::string> waiting = shown("queues in the wait table, bits");
  EXPECT_EQ(waiting[0], "00000200") << "at the doorbell of the last member";
  EXPECT_EQ(waiting[2], "00000200") << "its packet is at the pins, but not in memory";
  EXPECT_EQ(waiting[4], "00000000") << "the list is done";
  EXPECT_EQ(shown("begins to hold: opcode").front(), "OPCODE_WAIT");
  EXPECT_THAT(shown("begins to hold: queue"), ::testing::Each("9"));
  EXPECT_THAT(shown("let go: queue"), ::testing::Each("9"));
  EXPECT_THAT(shown("irq_o"), ElementsAre("0000", "0000", "0000", "0000", "0001"));
}

TEST_P(GtkWaveCollective, NamesTheOperationOfACalc) {
  if (std::string(GetParam()) == "allreduce") {
    EXPECT_EQ(shown("CALC: operation").back(), "REDUCTION_SUM");
    EXPECT_EQ(shown("CALC: queue").back(), "9");
    return;
  }
  for (const Shown& signal : loaded_.signals) {
    EXPECT_FALSE(signal.label == "CALC: runs" && !signal.value.empty()) << "a barrier has none";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenario, GtkWaveCollective, ::testing::Values("barrier", "allreduce"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(MakeWave, OpensGtkWaveWhereThereIsADisplay) {
  draw::Display display(kWidth, kHeight);
  const fs::path log = fs::temp_directory_path() / ("torusmu-wave-" + std::to_string(getpid()));
  {
    draw::Background make("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS " + display.environment() +
                              " make BUILD=" TORUSMU_BUILD " wave SCENARIO=reflection",
                          log);
    const draw::Picture picture = display.wait_for(
        [](const draw::Picture& seen) { return draw::shows_waves(seen, 25); }, 2 * kLimit);
    EXPECT_TRUE(draw::shows_waves(picture, 25)) << read_file(log);
  }
  fs::remove(log);
}

}  // namespace
}  // namespace torusmu
