// SPDX-License-Identifier: Apache-2.0
// build/torusmu as scripts see it: exit status, texts, JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

struct Output {
  int status = -1;
  std::string text;  // of both streams
};

Output torusmu(const std::string& arguments) {
  const std::string command = std::string(TORUSMU_BUILD) + "/torusmu " + arguments + " 2>&1";
  Output output;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

// Names of all signals of a trace, as GTKWave knows them.
std::set<std::string> signals_of(const std::string& fst) {
  std::set<std::string> names;
  std::FILE* pipe = popen(("fst2vcd -f " + fst).c_str(), "r");
  if (pipe == nullptr) return names;
  std::vector<std::string> scopes;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream words(line.data());
    std::string word;
    words >> word;
    if (word == "$enddefinitions") break;
    if (word == "$scope") {
      words >> word >> word;
      scopes.push_back(word);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      // $var type width code name [range] $end
      words >> word >> word >> word;
      std::string name;
      for (const std::string& scope : scopes) name += scope + ".";
      while (words >> word && word != "$end") name += word;
      names.insert(name);
    }
  }
  pclose(pipe);
  return names;
}

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    folder_ = fs::temp_directory_path() / ("torusmu-cli-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~CommandLine() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] nlohmann::json json_of(const std::string& arguments, int status) const {
    const std::string file = path("result.json");
    const Output output = torusmu(arguments + " --json " + file);
    EXPECT_EQ(output.status, status) << output.text;
    std::ifstream in(file);
    return nlohmann::json::parse(in, nullptr, false);
  }

 private:
  fs::path folder_;
};

// Bad usage: status 2, and the text names the value and what is legal.
struct Bad {
  const char* arguments;
  const char* value;
  const char* legal;
};

class BadUsage : public ::testing::TestWithParam<Bad> {};

TEST_P(BadUsage, ExitsWithTwoAndNamesValueAndRange) {
  const Output output = torusmu(GetParam().arguments);
  EXPECT_EQ(output.status, 2) << output.text;
  EXPECT_THAT(output.text, HasSubstr(GetParam().value));
  EXPECT_THAT(output.text, HasSubstr(GetParam().legal));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadUsage,
    ::testing::Values(
        Bad{"", "subcommand", "required"},
        Bad{"scenario nonsense", "nonsense", "put, fifo, get, reflection"},
        Bad{"bench nonsense", "nonsense", "all"}, Bad{"scenario put --latency 33", "33", "1 to 32"},
        Bad{"scenario put --latency 0", "--latency 0", "1 to 32"},
        Bad{"scenario put --mesh 17x1x1", "17x1x1", "1 to 16"},
        Bad{"scenario put --mesh 2x2", "2x2", "XxYxZ"},
        Bad{"scenario put --mesh 2x2x0", "2x2x0", "1 to 16"},
        Bad{"scenario put --threads 0", "--threads 0", "1 to 256"},
        Bad{"scenario put --engine slow", "slow", "fast or mesh"},
        Bad{"scenario put --engine mesh --mesh 5x1x1", "5x1x1", "make mesh SHAPE=5x1x1"},
        Bad{"scenario put --inject drop-packet", "drop-packet", "drop-packet:N"},
        Bad{"scenario put --inject burn:3", "burn:3", "flip-payload-bit:N"},
        Bad{"scenario put --inject drop-packet:0", "drop-packet:0", "N from 1"},
        Bad{"scenario put --engine mesh --inject drop-packet:1", "--inject", "fast"},
        Bad{"scenario put --wave w.vcd", "w.vcd", ".fst"},
        Bad{"scenario put --wave w.fst --wave-nodes 8", "8", "0 to 7"},
        Bad{"scenario put --wave w.fst --wave-window 9:9", "9:9", "FROM:TO"},
        Bad{"scenario put --wave-nodes 1", "--wave-nodes", "--wave FILE.fst"},
        Bad{"scenario put --seed x", "--seed", "x"},
        Bad{"scenario put --json /nonexistent/x.json", "/nonexistent/x.json", "cannot write"}),
    [](const auto& bad) { return "Number" + std::to_string(bad.index); });

TEST_F(CommandLine, ScenarioThatPassesExitsWithZeroAndFillsTheContract) {
  const nlohmann::json json = json_of("scenario put --mesh 2x1x2 --seed 5 --latency 3", 0);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["name"], "put");
  EXPECT_EQ(json["mesh"], "2x1x2");
  EXPECT_EQ(json["engine"], "fast");
  EXPECT_TRUE(json["top_module"].is_string());
  EXPECT_EQ(json["latency"], 3);
  EXPECT_EQ(json["seed"], 5);
  EXPECT_TRUE(json["flit_hash"].is_string());
  EXPECT_GT(json["cycles"], 1000);
  EXPECT_GT(json["node_cycles_per_second"], 0);
  EXPECT_EQ(json["passed"], true);
  ASSERT_GE(json["checks"].size(), 6U);
  for (const auto& check : json["checks"]) {
    EXPECT_TRUE(check["name"].is_string());
    EXPECT_EQ(check["passed"], true);
    EXPECT_TRUE(check["detail"].is_string());
  }
  EXPECT_TRUE(json["figures"].is_object());
}

TEST_F(CommandLine, FaultOnTheLinksExitsWithOneAndSaysHowToRepeatIt) {
  const std::string arguments = "scenario put --inject drop-packet:9 --seed 4";
  const nlohmann::json json = json_of(arguments, 1);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["passed"], false);
  EXPECT_THAT(torusmu(arguments).text,
              HasSubstr("repeat with: torusmu scenario put --seed 4 --inject drop-packet:9"));
}

TEST_F(CommandLine, FaultThatNoPacketGotExitsWithOne) {
  EXPECT_EQ(torusmu("scenario put --inject flip-payload-bit:123456789").status, 1);
}

TEST_F(CommandLine, SameSeedGivesTheSameHashWhateverTheEngineAndThreads) {
  const nlohmann::json once = json_of("scenario put", 0);
  EXPECT_EQ(json_of("scenario put", 0)["flit_hash"], once["flit_hash"]);
  EXPECT_EQ(json_of("scenario put --threads 3", 0)["flit_hash"], once["flit_hash"]);
  EXPECT_EQ(json_of("scenario put --no-sleep", 0)["flit_hash"], once["flit_hash"]);
  const nlohmann::json mesh = json_of("scenario put --engine mesh", 0);
  EXPECT_EQ(mesh["flit_hash"], once["flit_hash"]);
  EXPECT_EQ(mesh["cycles"], once["cycles"]);
  EXPECT_NE(mesh["top_module"], once["top_module"]);
  EXPECT_NE(json_of("scenario put --seed 2", 0)["flit_hash"], once["flit_hash"]);
}

TEST_F(CommandLine, PrintsNoProgressIntoAPipeAndNothingIfQuiet) {
  EXPECT_THAT(torusmu("scenario fifo").text, Not(HasSubstr("\r")));
  EXPECT_EQ(torusmu("scenario put --quiet").text, "");
  EXPECT_THAT(torusmu("scenario put --quiet --inject drop-packet:9").text, HasSubstr("FAIL"));
}

TEST_F(CommandLine, ListsScenariosBenchesAndFigures) {
  const Output list = torusmu("list");
  EXPECT_EQ(list.status, 0);
  for (const char* name : {"put", "fifo", "get", "reflection", "uniform", "engine", "all"}) {
    EXPECT_THAT(list.text, HasSubstr(name));
  }
  const Output figures = torusmu("list --figures");
  EXPECT_EQ(figures.status, 0);
  EXPECT_THAT(figures.text, HasSubstr("put.payload_share"));
  EXPECT_THAT(figures.text, HasSubstr("of link cycles"));
}

TEST_F(CommandLine, HelpExitsWithZero) { EXPECT_EQ(torusmu("scenario --help").status, 0); }

TEST_F(CommandLine, BenchReportsItsFigures) {
  const nlohmann::json json = json_of("bench router", 0);
  ASSERT_TRUE(json.is_object());
  EXPECT_GT(json["figures"]["router.hop_cycles"], 0);
  EXPECT_LE(json["figures"]["router.hop_cycles"], 4);
}

TEST_F(CommandLine, WritesWavesOfChosenNodesAndAViewOfThem) {
  const std::string fst = path("w.fst");
  const Output output = torusmu("scenario reflection --mesh 2x1x1 --wave " + fst +
                                " --wave-nodes 1 --wave-window 100:900");
  EXPECT_EQ(output.status, 0) << output.text;
  ASSERT_TRUE(fs::exists(fst));
  EXPECT_GT(fs::file_size(fst), 1000U);
  std::ifstream view(path("w.gtkw"));
  const std::string text{std::istreambuf_iterator<char>(view), {}};
  EXPECT_THAT(text, HasSubstr("node_1."));
  EXPECT_THAT(text, Not(HasSubstr("node_0.")));
  // Enums by name, and every signal of the view is in the trace.
  EXPECT_THAT(text, HasSubstr("@100000028"));
  const std::set<std::string> traced = signals_of(fst);
  EXPECT_GT(traced.size(), 1000U);
  std::istringstream lines(text);
  unsigned shown = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("node_")) continue;
    ++shown;
    EXPECT_TRUE(traced.contains(line)) << line << " is not in the trace";
  }
  EXPECT_GT(shown, 60U);
}

TEST_F(CommandLine, WavesMoveNoFlit) {
  const std::string arguments = "scenario put --mesh 2x1x1 --seed 8";
  const nlohmann::json plain = json_of(arguments, 0);
  EXPECT_EQ(json_of(arguments + " --wave " + path("w.fst"), 0)["flit_hash"], plain["flit_hash"]);
}

}  // namespace
}  // namespace torusmu
