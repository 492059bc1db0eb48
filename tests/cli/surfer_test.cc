// SPDX-License-Identifier: Apache-2.0
// The files for Surfer beside a trace: its commands, carried out by a small model of its list of
// items, show what GTKWave's view shows, and its tables of names are those that the trace has.
#include "sim/observe/surfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/observe/wave_diff/fst_file.h"
#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Output;
using testing::shell;

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string without_range(const std::string& name) {
  const std::size_t bracket = name.rfind('[');
  return name.ends_with("]") && name.find(':', bracket) != name.npos ? name.substr(0, bracket)
                                                                     : name;
}

// Surfer's items as its commands make them: a new one goes behind the one in focus, at its level
// or, if that is an unfolded group, into it, and has the focus then; without a focus it goes to the
// end and has none.
class Surfer {
 public:
  struct Item {
    std::string kind, name, format;
    unsigned level = 0;
    bool folded = false;
  };

  // Commands that it does not know, or cannot carry out.
  std::vector<std::string> run(const std::string& file) {
    std::istringstream lines(read_file(file));
    std::vector<std::string> refused;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line.substr(0, line.find_first_of("#;")));
      std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
      if (!command.empty() && !carry_out(command)) refused.push_back(line);
    }
    return refused;
  }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] std::vector<Item> of_kind(const std::string& kind) const {
    std::vector<Item> found;
    for (const Item& item : items_) {
      if (item.kind == kind) found.push_back(item);
    }
    return found;
  }
  std::vector<std::pair<std::string, std::uint64_t>> marks;
  std::uint64_t from = 0, to = 0, cursor = 0;

 private:
  bool carry_out(const std::vector<std::string>& command) {
    const std::string& verb = command[0];
    const std::size_t words = command.size() - 1;
    if (verb == "variable_add" && words == 1) return insert({"variable", command[1], "", 0});
    if (verb == "divider_add" && words == 1) {
      return is_word(command[1]) && insert({"divider", command[1], "", 0});
    }
    if (verb == "item_focus" && words == 1) return set_focus(command[1]);
    if (verb == "marker_set" && words == 2) {
      marks.emplace_back(command[1], std::stoull(command[2]));
      return true;
    }
    if (verb == "cursor_set" && words == 1) return (cursor = std::stoull(command[1])) != 0;
    if (verb == "zoom_to" && words == 2) {
      from = std::stoull(command[1]);
      to = std::stoull(command[2]);
      return from < to;
    }
    if (!focus_) return false;
    if (verb == "item_set_format" && words == 1) {
      items_[*focus_].format = command[1];
      return items_[*focus_].kind == "variable";
    }
    if (verb == "group_marked" && words == 1) return is_word(command[1]) && wrap(command[1]);
    if (verb == "group_fold_recursive" && words == 0) {
      items_[*focus_].folded = true;
      const bool is_group = items_[*focus_].kind == "group";
      focus_.reset();
      return is_group;
    }
    return false;
  }
  static bool is_word(const std::string& text) {
    return std::regex_match(text, std::regex(R"(\w+)"));
  }
  bool insert(Item item) {
    std::size_t at = items_.size();
    if (focus_) {
      const Item& before = items_[*focus_];
      const bool goes_in = before.kind == "group" && !before.folded;
      item.level = before.level + (goes_in ? 1 : 0);
      at = *focus_ + 1;
      while (!goes_in && at < items_.size() && items_[at].level > before.level) ++at;
      focus_ = at;
    }
    items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(at), item);
    return true;
  }
  bool wrap(const std::string& title) {
    ++items_[*focus_].level;
    const Item group{"group", title, "", items_[*focus_].level - 1};
    items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(*focus_), group);
    return true;
  }
  // Rows are counted as they are seen, in hexadecimal of the letters a to p.
  bool set_focus(const std::string& word) {
    std::size_t row = 0;
    for (const char c : word.substr(0, word.find('_'))) {
      if (c < 'a' || c > 'p') return false;
      row = row * 16 + static_cast<std::size_t>(c - 'a');
    }
    std::optional<unsigned> folded_at;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (folded_at && items_[i].level > *folded_at) continue;
      folded_at = items_[i].folded ? std::optional(items_[i].level) : std::nullopt;
      if (row-- == 0) {
        focus_ = i;
        return true;
      }
    }
    return false;
  }

  std::vector<Item> items_;
  std::optional<std::size_t> focus_;
};

struct Signal {
  std::string flags, name;
  bool operator==(const Signal&) const = default;
};

// The signals of a save file of GTKWave, and how they are shown.
std::vector<Signal> signals_of_gtkwave(const fs::path& view) {
  std::istringstream lines(read_file(view));
  std::vector<Signal> signals;
  std::string flags;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("@")) flags = line;
    if (line.starts_with("+{")) signals.push_back({flags, line.substr(line.find("} ") + 2)});
  }
  return signals;
}

struct Mapping {
  std::string name;
  unsigned bits = 0;
  std::map<std::uint64_t, std::string> values;
};

Mapping mapping_of(const fs::path& file) {
  std::istringstream lines(read_file(file));
  Mapping mapping;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string key, value;
    words >> key >> value;
    if (key == "Name" && value == "=") {
      words >> mapping.name;
    } else if (key == "Bits" && value == "=") {
      words >> mapping.bits;
    } else {
      mapping.values[std::stoull(key, nullptr, 16)] = value;
    }
  }
  return mapping;
}

class SurferView : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    const Output output =
        shell(TORUSMU_BUILD "/torusmu scenario reflection --wave-nodes 0,1,48 --wave " +
              (folder() / "reflection.fst").string());
    ASSERT_EQ(output.status, 0) << output.text;
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  void SetUp() override {
    ASSERT_THAT(surfer_.run((folder() / "reflection.sucl").string()), IsEmpty());
  }
  static fs::path folder() {
    return fs::temp_directory_path() / ("torusmu-surfer-" + std::to_string(getpid()));
  }
  static fs::path mappings() { return folder() / ".surfer" / "mappings"; }

  Surfer surfer_;
};

TEST_F(SurferView, ShowsTheSignalsOfGtkwaveInTheirOrder) {
  std::vector<std::string> wanted, shown;
  for (const Signal& s : signals_of_gtkwave(folder() / "reflection.gtkw")) {
    wanted.push_back(without_range(s.name));
  }
  for (const Surfer::Item& item : surfer_.of_kind("variable")) shown.push_back(item.name);
  EXPECT_GT(wanted.size(), 250U);
  EXPECT_EQ(shown, wanted);
}

TEST_F(SurferView, HasAFoldedGroupForEachNodeAndTitlesBefore) {
  std::vector<std::string> groups;
  for (const Surfer::Item& item : surfer_.of_kind("group")) {
    EXPECT_TRUE(item.folded) << item.name;
    groups.push_back(item.name);
  }
  EXPECT_THAT(groups, ElementsAre("node_0_everything_else", "node_1_everything_else",
                                  "node_48_everything_else"));
  ASSERT_FALSE(surfer_.items().empty());
  EXPECT_EQ(surfer_.items()[0].kind, "divider");
  EXPECT_THAT(surfer_.items()[0].name, ::testing::StartsWith("node_0_"));
}

TEST_F(SurferView, ShowsEachSignalAsGtkwaveDoes) {
  const std::map<std::string, std::set<std::string>> formats{
      {"@22", {"Hexadecimal"}},
      {"@24", {"Unsigned"}},
      {"@28", {""}},
      {"@820", {""}},
      // A state of a module has the names of the trace.
      {"@100000028", {"opcode", "kind", "action", "queue_mode", "reduction", "element", ""}},
  };
  const std::vector<Signal> wanted = signals_of_gtkwave(folder() / "reflection.gtkw");
  const std::vector<Surfer::Item> shown = surfer_.of_kind("variable");
  ASSERT_EQ(shown.size(), wanted.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    EXPECT_TRUE(formats.at(wanted[i].flags).contains(shown[i].format))
        << shown[i].name << " as " << shown[i].format;
  }
}

TEST_F(SurferView, MarksWhatGtkwaveMarksInItsWindow) {
  const std::string text = read_file(folder() / "reflection.gtkw");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex(R"(\[timestart\] (\d+))")));
  EXPECT_EQ(surfer_.from, std::stoull(match[1]));
  ASSERT_FALSE(surfer_.marks.empty());
  EXPECT_EQ(surfer_.cursor, surfer_.marks.back().second);
  for (const auto& [name, time] : surfer_.marks) {
    EXPECT_THAT(text, HasSubstr(" cycle " + std::to_string(time / kWaveUnitsPerCycle) + ", "));
    EXPECT_GE(time, surfer_.from) << name;
    EXPECT_LE(time, surfer_.to) << name;
  }
}

// Every signal is in the trace, and every name of a mapping is that of the trace's enum.
TEST_F(SurferView, NamesWhatTheTraceHas) {
  const FstFile trace((folder() / "reflection.fst").string());
  std::map<std::string, const FstFile::Signal*> signals;
  for (const FstFile::Signal& s : trace.signals()) signals[without_range(s.name)] = &s;
  std::set<std::string> used;
  for (const Surfer::Item& item : surfer_.of_kind("variable")) {
    if (item.name.find(".messages_") != std::string::npos) continue;  // strings, no hardware
    const auto found = signals.find(item.name);
    ASSERT_TRUE(found != signals.end()) << item.name;
    const fs::path file = mappings() / item.format;
    if (item.format.empty() || !fs::exists(file)) continue;
    used.insert(item.format);
    const Mapping mapping = mapping_of(file);
    EXPECT_EQ(mapping.name, item.format);
    const std::string range = std::to_string(mapping.bits - 1) + ":0]";
    EXPECT_THAT(found->second->name, HasSubstr("[" + range));
    for (const auto& [value, name] : mapping.values) {
      std::string bits;
      for (unsigned b = mapping.bits; b-- > 0;) bits += (value >> b & 1U) != 0 ? '1' : '0';
      std::string in_trace = trace.shown(*found->second, bits);
      EXPECT_THAT(in_trace, ::testing::EndsWith("_" + name)) << item.name;
    }
  }
  EXPECT_THAT(used, ElementsAre("action", "element", "kind", "opcode", "queue_mode", "reduction"));
}

class SurferFiles : public testing::InOwnFolder {
 protected:
  SurferFiles() : InOwnFolder("surfer-files") {
    view_.to = 1000;
    view_.nodes = {NodeId{7}};
  }
  [[nodiscard]] std::string fst() const { return (folder_ / "x.fst").string(); }

  WaveView view_;
};

TEST_F(SurferFiles, TakeNoTextForACommand) {
  view_.marks = {{10, "#1; exit"}, {20, "failed: (1,0,0)"}};
  view_.blocks = {{"node 7: # of; it", "u_a.u_b", {"node_7.u_a.x_q[3:0]", "node_7.u_a.y"}}};
  write_surfer_files(fst(), view_);
  Surfer surfer;
  ASSERT_THAT(surfer.run(surfer_file_of(fst())), IsEmpty());
  EXPECT_THAT(surfer.marks,
              ElementsAre(std::pair{"1_exit", 10'000U}, std::pair{"failed_1_0_0", 20'000U}));
  ASSERT_GT(surfer.items().size(), 4U);
  EXPECT_EQ(surfer.items()[0].name, "node_7_of_it");
  EXPECT_EQ(surfer.items()[1].name, "u_a_u_b");
  EXPECT_EQ(surfer.items()[2].name, "node_7.u_a.x_q");
  EXPECT_EQ(surfer.items()[2].format, "Hexadecimal");
  EXPECT_EQ(surfer.items()[3].name, "node_7.u_a.y");
  // The node is folded up, with a divider for each of its groups.
  EXPECT_EQ(surfer.items()[4].kind, "group");
  EXPECT_EQ(surfer.items()[4].name, "node_7");
  EXPECT_EQ(surfer.items()[5].kind, "divider");
  EXPECT_EQ(surfer.items()[5].level, 1U);
}

TEST_F(SurferFiles, AreToldWhenThereIsNoRoomForThem) {
  std::ofstream(folder_ / ".surfer") << "a file";
  const Output output = shell(
      TORUSMU_BUILD "/torusmu scenario get --quiet --wave-nodes 0 --wave-window 0:10 --wave " +
      fst());
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("cannot make " + (folder_ / ".surfer/mappings").string()));
}

TEST_F(SurferFiles, AreNoOtherOutput) {
  const Output output = shell(TORUSMU_BUILD "/torusmu scenario get --quiet --wave " + fst() +
                              " --json " + (folder_ / "x.sucl").string());
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("the Surfer view of --wave"));
}

}  // namespace
}  // namespace torusmu
