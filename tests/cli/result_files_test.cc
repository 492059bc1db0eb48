// SPDX-License-Identifier: Apache-2.0
// What the files of --json, --messages and --links say of a run, for scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/observe/sha256.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Output;
using testing::shell;
namespace fs = std::filesystem;

class ResultFiles : public ::testing::Test {
 protected:
  ResultFiles() { fs::create_directories(folder_); }
  ~ResultFiles() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  // What `torusmu ARGUMENTS --json` writes.
  [[nodiscard]] nlohmann::json json_of(const std::string& arguments, int status = 0) const {
    const std::string path = file("result.json");
    const Output output = shell(TORUSMU_BUILD "/torusmu " + arguments + " --quiet --json " + path);
    EXPECT_EQ(output.status, status) << output.text;
    std::ifstream input(path);
    return nlohmann::json::parse(input);
  }
  // The rows of a CSV file, by the names of its first line. Nothing here has commas in quotes.
  [[nodiscard]] std::vector<std::map<std::string, std::string>> rows_of(
      const std::string& name) const {
    std::ifstream input(file(name));
    std::vector<std::string> names;
    std::vector<std::map<std::string, std::string>> rows;
    for (std::string line; std::getline(input, line);) {
      std::vector<std::string> fields;
      std::istringstream text(line + ",");
      for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
      if (names.empty()) {
        names = fields;
        continue;
      }
      EXPECT_EQ(fields.size(), names.size()) << line;
      if (fields.size() != names.size()) break;
      auto& row = rows.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
    }
    return rows;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-results-" + std::to_string(getpid()));
};

// The names of the options that --help has.
std::set<std::string> options_in_help(const std::string& command) {
  const std::string help = shell(TORUSMU_BUILD "/torusmu " + command + " --help").text;
  static const std::regex kOption("\n  (?:-[a-z],)?--([a-z-]+)");
  std::set<std::string> names;
  for (std::sregex_iterator at(help.begin(), help.end(), kOption), end; at != end; ++at) {
    names.insert(at->str(1));
  }
  names.erase("help");
  return names;
}

TEST_F(ResultFiles, HaveEveryOptionOfTheCommand) {
  for (const char* command : {"scenario", "bench", "replay"}) {
    const std::set<std::string> wanted = options_in_help(command);
    EXPECT_GT(wanted.size(), 15U) << command;
    const char* const what = command == std::string("scenario") ? " get"
                             : command == std::string("bench")  ? " pipe"
                                                                : " tests/traces/hpcg-8.trace";
    const nlohmann::json options = json_of(command + std::string(what)).at("options");
    for (const std::string& name : wanted) EXPECT_TRUE(options.contains(name)) << name;
  }
}

TEST_F(ResultFiles, GiveOptionsTheValuesThatTheyHad) {
  const nlohmann::json given = json_of("scenario get --latency 016 --no-sleep").at("options");
  EXPECT_EQ(given.at("latency"), 16);
  EXPECT_EQ(given.at("no-sleep"), true);
  EXPECT_EQ(given.at("name"), "get");
  const nlohmann::json defaults =
      json_of("replay tests/traces/lulesh-8.trace --eager-limit 256").at("options");
  EXPECT_EQ(defaults.at("eager-limit"), 256);
  EXPECT_EQ(defaults.at("send-end"), "received");
  EXPECT_EQ(defaults.at("store-by"), "core");
  EXPECT_EQ(defaults.at("collectives"), "software");
  EXPECT_EQ(defaults.at("polling"), "heuristic");
  EXPECT_EQ(defaults.at("tasks-per-node"), 1);
  EXPECT_EQ(defaults.at("latency"), 8);
  EXPECT_EQ(defaults.at("engine"), "fast");
  EXPECT_EQ(defaults.at("no-sleep"), false);
  EXPECT_TRUE(defaults.at("inject").is_null());
}

TEST_F(ResultFiles, OfReplaysTellOfSendsThatEndByReflection) {
  const auto cycles = [&](const std::string& end) {
    const nlohmann::json json =
        json_of("replay tests/traces/hpcg-8.trace --eager-limit 0 --send-end " + end);
    EXPECT_EQ(json["figures"]["replay.bytes"], 1'634'752);
    EXPECT_THAT(json["command"].dump(), HasSubstr("\"--send-end\",\"" + end + "\""));
    return json["figures"]["replay.cycles"].get<double>();
  };
  EXPECT_LT(cycles("reflected"), cycles("received"));
}

TEST_F(ResultFiles, OfReplaysTellWhatTheMuHasStored) {
  const auto packets = [&](const std::string& by) {
    const nlohmann::json json = json_of("replay tests/traces/lulesh-8.trace --store-by " + by);
    EXPECT_THAT(json["command"].dump(), HasSubstr("\"--store-by\",\"" + by + "\""));
    return json["figures"]["replay.stored_by_mu"].get<double>();
  };
  EXPECT_EQ(packets("core"), 0);
  EXPECT_GT(packets("mu"), 0);
}

// Every process of a node that is full has a group whose collectives the MU runs.
TEST_F(ResultFiles, OfReplaysTellThatFullNodesLeaveNoCollectiveToTheCores) {
  const nlohmann::json json =
      json_of("replay tests/traces/lulesh-8.trace --tasks-per-node 4 --collectives offload");
  EXPECT_GT(json["figures"]["replay.collectives_by_mu"], 0);
  EXPECT_EQ(json["figures"]["replay.collectives_by_cores"], 0);
}

TEST_F(ResultFiles, SayTheCommandTheBuildAndTheTitle) {
  const nlohmann::json json = json_of("scenario get --seed 7");
  const auto words = json.at("command").get<std::vector<std::string>>();
  ASSERT_EQ(words.size(), 8U);
  EXPECT_THAT(words[0], HasSubstr("torusmu"));
  EXPECT_EQ(words[4], "7");
  for (const char* name : {"version", "commit", "build", "profile", "verilator"}) {
    EXPECT_TRUE(json.at(name).is_string()) << name;
  }
  EXPECT_NE(json.at("version"), "");
  EXPECT_NE(json.at("title"), "");
  EXPECT_TRUE(json.at("input").is_null());
}

TEST_F(ResultFiles, GiveEveryFigureItsUnit) {
  const nlohmann::json json = json_of("replay tests/traces/lulesh-8.trace");
  EXPECT_GT(json.at("figures").size(), 10U);
  for (const auto& [name, value] : json.at("figures").items()) {
    EXPECT_TRUE(json.at("figure_units").contains(name)) << name;
  }
  EXPECT_EQ(json.at("figure_units").at("replay.bytes"), "bytes");
}

TEST_F(ResultFiles, NameTheTraceAndItsHash) {
  const std::string trace = "tests/traces/lulesh-8.trace";
  const nlohmann::json input = json_of("replay " + trace).at("input");
  EXPECT_EQ(input.at("file"), trace);
  EXPECT_EQ(input.at("sha256"), shell("sha256sum " + trace).text.substr(0, 64));
}

TEST_F(ResultFiles, OfAListAndOfTwoTracesSayWhatRanToo) {
  const std::string path = file("x.json");
  EXPECT_EQ(shell(TORUSMU_BUILD "/torusmu list --json " + path).status, 0);
  std::ifstream list_file(path);
  const nlohmann::json list = nlohmann::json::parse(list_file);
  EXPECT_TRUE(list.contains("version"));
  EXPECT_EQ(list.at("options").at("figures"), false);
  EXPECT_EQ(list.at("command").at(1), "list");
  EXPECT_EQ(shell(TORUSMU_BUILD "/torusmu scenario get --quiet --wave-window 0:500 --wave " +
                  file("a.fst"))
                .status,
            0);
  EXPECT_EQ(shell(TORUSMU_BUILD "/torusmu wave diff " + file("a.fst") + " " + file("a.fst") +
                  " --json " + path)
                .status,
            0);
  std::ifstream diff_file(path);
  const nlohmann::json diff = nlohmann::json::parse(diff_file);
  EXPECT_EQ(diff.at("same"), true);
  EXPECT_EQ(diff.at("command").at(2), "diff");
  EXPECT_TRUE(diff.at("options").contains("scope"));
}

TEST_F(ResultFiles, HaveARowForEachMessageOfAProgram) {
  const nlohmann::json json =
      json_of("replay tests/traces/lulesh-8.trace --messages " + file("m.csv"));
  std::uint64_t messages = 0, transfers = 0;
  double bytes = 0, longest = 0;
  for (const auto& row : rows_of("m.csv")) {
    if (row.at("of") == "transfer") {
      ++transfers;
      EXPECT_EQ(row.at("from_rank"), "");
      continue;
    }
    ++messages;
    bytes += std::stod(row.at("bytes"));
    longest = std::max(longest, std::stod(row.at("latency")));
    EXPECT_EQ(row.at("from_rank"), row.at("from")) << "a rank a node";
    EXPECT_LE(std::stoull(row.at("called")), std::stoull(row.at("complete")));
  }
  const nlohmann::json& figures = json.at("figures");
  EXPECT_EQ(static_cast<double>(messages), figures.at("replay.messages").get<double>());
  EXPECT_EQ(bytes, figures.at("replay.bytes").get<double>());
  EXPECT_EQ(longest, figures.at("replay.latency_max_cycles").get<double>());
  EXPECT_GE(transfers, messages);
}

TEST_F(ResultFiles, SayOfALostTransferWhereItWasLost) {
  (void)json_of("scenario put --inject drop-packet:9 --messages " + file("m.csv"), 1);
  std::ifstream input(file("m.csv"));
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  EXPECT_THAT(text, ::testing::ContainsRegex(",PUT,[0-9]+,,,1089,1126,,,,,[0-9]+,\"\\([0-9],[0-9],"
                                             "[0-9]\\) [xyz][+-]\"\n"));
}

TEST_F(ResultFiles, HaveTheFlitsOfEachLinkByPartsOfTheTime) {
  (void)json_of("replay tests/traces/lulesh-8.trace --links " + file("l.csv"));
  std::map<std::string, double> whole, parts;
  std::map<std::string, std::set<std::string>> numbers;
  for (const auto& row : rows_of("l.csv")) {
    const std::string link = row.at("node") + row.at("direction");
    const double flits = std::stod(row.at("request_flits")) + std::stod(row.at("reply_flits"));
    const double cycles = std::stod(row.at("to_cycle")) - std::stod(row.at("from_cycle"));
    EXPECT_NEAR(std::stod(row.at("busy")), flits / cycles, 1e-6);
    (row.at("part") == "0" ? whole : parts)[link] += flits;
    EXPECT_TRUE(numbers[link].insert(row.at("part")).second);
  }
  EXPECT_EQ(whole.size(), 8U * 6U);
  // The whole has the flits of set-up and of the end as well, which are few.
  double of_all = 0, of_parts = 0;
  for (const auto& [link, flits] : whole) {
    EXPECT_LE(parts[link], flits) << link;
    EXPECT_GT(numbers[link].size(), 8U);
    of_all += flits;
    of_parts += parts[link];
  }
  EXPECT_GT(of_parts, 0.95 * of_all);
}

TEST_F(ResultFiles, ThatCannotBeWrittenAreRefusedBeforeTheRun) {
  for (const char* option : {"--messages", "--links"}) {
    const Output output =
        shell(TORUSMU_BUILD "/torusmu scenario get " + std::string(option) + " /nowhere/x.csv");
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_THAT(output.text, HasSubstr(option));
    EXPECT_THAT(output.text, ::testing::Not(HasSubstr("ok  ")));
  }
  const Output same = shell(TORUSMU_BUILD "/torusmu scenario get --messages " + file("x") +
                            " --links " + file("x"));
  EXPECT_EQ(same.status, 2) << same.text;
}

// Examples of FIPS 180-4, and lengths around the end of a block.
TEST(Sha256, HasTheValuesOfTheStandard) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (const std::size_t length : {55U, 56U, 63U, 64U, 65U}) {
    const std::string text(length, 'x');
    EXPECT_EQ(sha256_of(text), shell("printf %s " + text + " | sha256sum").text.substr(0, 64))
        << length;
  }
}

}  // namespace
}  // namespace torusmu
