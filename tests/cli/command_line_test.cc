// SPDX-License-Identifier: Apache-2.0
// build/torusmu as scripts see it: exit status, texts, JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
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
        Bad{"", "no command:", "list, scenario, bench, replay, jtag, regress, wave"},
        Bad{"frobnicate", "no command \"frobnicate\"",
            "list, scenario, bench, replay, jtag, regress, wave"},
        Bad{"wave", "no command:", "there are diff"},
        Bad{"wave frobnicate a b", "no command \"frobnicate\"", "there are diff"},
        Bad{"wave diff", "A.fst", "required"},
        Bad{"scenario nonsense", "nonsense", "put, fifo, get, reflection"},
        Bad{"bench nonsense", "nonsense", "all"}, Bad{"scenario put --latency 33", "33", "1 to 32"},
        Bad{"scenario put --latency 0", "--latency: \"0\"", "1 to 32"},
        Bad{"scenario put --latency -1", "--latency: \"-1\"", "1 to 32"},
        Bad{"scenario put --latency 4294967304", "4294967304", "1 to 32"},
        Bad{"scenario put --mesh 17x1x1", "17x1x1", "1 to 16"},
        Bad{"scenario put --mesh 2x2", "2x2", "XxYxZ"},
        Bad{"scenario put --mesh-lines xw", "xw", "some of x, y and z"},
        Bad{"scenario put --mesh-lines zyz", "zyz", "each once"},
        Bad{"bench put --mesh-lines x", "--mesh-lines", "machines of its own"},
        Bad{"scenario put --mesh 2x2x0", "2x2x0", "1 to 16"},
        Bad{"scenario barrier --mesh 1x1x1", "1x1x1", "2 nodes or more"},
        Bad{"scenario get --mesh 3x11x1", "3x11x1", "1 to 32 nodes"},
        Bad{"scenario channels --mesh 16x16x16", "16x16x16", "1 to 512 nodes"},
        Bad{"scenario put --mesh ' 2x2x2'", "\" 2x2x2\"", "XxYxZ"},
        Bad{"scenario put --mesh '2x +2x2'", "2x +2x2", "XxYxZ"},
        Bad{"scenario put --mesh ''", "--mesh", "must not be empty"},
        Bad{"scenario put --threads 0", "--threads: \"0\"", "1 to 256"},
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
        Bad{"scenario put --seed x", "--seed: \"x\"", "0 to 18446744073709551615"},
        Bad{"scenario put --seed -1", "--seed: \"-1\"", "0 to 18446744073709551615"},
        Bad{"scenario put --seed 18446744073709551616", "18446744073709551616",
            "0 to 18446744073709551615"},
        Bad{"scenario put --timing slow", "--timing \"slow\"",
            "fixed, random-memory, random-cores or random"},
        Bad{"scenario put --timing ''", "--timing", "must not be empty"},
        Bad{"bench router --timing random", "--timing", "machines of its own"},
        Bad{"scenario put --json ''", "--json", "must not be empty"},
        Bad{"bench router --mesh 2x2x2", "--mesh", "machines of its own"},
        Bad{"bench router --engine mesh", "--engine mesh", "machines of its own"},
        Bad{"bench router --inject drop-packet:1", "--inject", "machines of its own"},
        Bad{"bench router --threads 0", "--threads: \"0\"", "1 to 256"},
        Bad{"replay tests/traces/lulesh-8.trace --eager-limit 65537", "65537", "0 to 65536"},
        Bad{"replay tests/traces/lulesh-8.trace --eager-limit -1", "\"-1\"", "0 to 65536"},
        Bad{"replay tests/traces/lulesh-8.trace --send-end never", "never", "reflected"},
        Bad{"replay tests/traces/lulesh-8.trace --store-by dma", "dma", "core"},
        Bad{"replay tests/traces/lulesh-8.trace --collectives mu", "mu", "software"},
        Bad{"replay tests/traces/lulesh-8.trace --polling often", "--polling \"often\"",
            "always, every-N with N from 1, adaptive, heuristic or interrupt"},
        Bad{"replay tests/traces/lulesh-8.trace --polling adaptive-4", "\"adaptive-4\"",
            "adaptive, heuristic"},
        Bad{"replay tests/traces/lulesh-8.trace --polling every-0", "\"every-0\"", "N from 1"},
        Bad{"replay tests/traces/lulesh-8.trace --polling every-", "\"every-\"", "N from 1"},
        Bad{"replay tests/traces/lulesh-8.trace --polling ''", "\"\"", "heuristic"},
        Bad{"replay tests/traces/lulesh-8.trace --tasks-per-node 0", "\"0\"", "1 to 4"},
        Bad{"replay tests/traces/lulesh-8.trace --tasks-per-node 5", "\"5\"", "1 to 4"},
        Bad{"replay tests/traces/lulesh-8.trace --tasks-per-node 4 --mesh 1x1x1", "only 1 nodes",
            "of 4 tasks"},
        Bad{"replay tests/traces/lulesh-8.trace --start-skew soon", "soon", "0 to 1000000000"},
        Bad{"replay tests/traces/lulesh-8.trace --stall-after soon", "soon", "0 to 1000000000000"},
        Bad{"replay tests/traces/lulesh-8.trace --start-skew -1", "\"-1\"", "0 to 1000000000"},
        Bad{"replay tests/traces/lulesh-8.trace --mesh 7x1x1", "only 7 nodes", "has 8 ranks"},
        Bad{"replay tests/traces/none.trace", "none.trace", "cannot be opened"},
        Bad{"replay tests/traces", "tests/traces", "cannot be opened"},
        Bad{"scenario put --json /nonexistent/x.json", "/nonexistent/x.json", "cannot write"}),
    [](const auto& bad) { return "Number" + std::to_string(bad.index); });

TEST_F(CommandLine, FileForTheResultThatCannotBeWrittenIsNamedBeforeTheRun) {
  const Output output = torusmu("scenario put --json /nonexistent/x.json");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, Not(HasSubstr("ok")));
}

TEST_F(CommandLine, InterruptedRunLeavesNoEmptyJson) {
  const std::string file = path("interrupted.json");
  shell("timeout -s INT 1 " TORUSMU_BUILD "/torusmu bench engine --json " + file);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(CommandLine, OutputThatIsAnotherFileOfTheRunIsRefusedBeforeIt) {
  const std::string trace = path("t.trace");
  fs::copy_file("tests/traces/lulesh-8.trace", trace);
  const auto size = fs::file_size(trace);
  fs::create_symlink(trace, path("link"));
  const Output input = torusmu("replay " + trace + " --json " + path("link"));
  EXPECT_EQ(input.status, 2);
  EXPECT_THAT(input.text, HasSubstr("the input and --json are the same file"));
  EXPECT_EQ(fs::file_size(trace), size);
  const Output outputs =
      torusmu("scenario put --json " + path("x.fst") + " --wave " + path("x.fst"));
  EXPECT_EQ(outputs.status, 2);
  EXPECT_THAT(outputs.text, HasSubstr("--json and --wave are the same file"));
  const std::string saved = path("t.gtkw");
  fs::copy_file(trace, saved);
  const Output view = torusmu("replay " + saved + " --wave " + path("t.fst"));
  EXPECT_EQ(view.status, 2);
  EXPECT_THAT(view.text, HasSubstr("the input and the view of --wave are the same file"));
  EXPECT_EQ(fs::file_size(saved), size);
  EXPECT_EQ(torusmu("scenario put --mesh 2x1x1 --json /dev/null --report /dev/null").status, 0);
}

TEST_F(CommandLine, KilledRunLeavesNoResultOfTheRunBefore) {
  const std::string file = path("killed.json");
  std::ofstream(file) << R"({"passed": true})";
  shell("timeout -s KILL 1 " TORUSMU_BUILD "/torusmu bench engine --json " + file);
  EXPECT_FALSE(fs::exists(file));
}

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
  EXPECT_TRUE(json["memory_hash"].is_string());
  EXPECT_GT(json["cycles"], 1000);
  EXPECT_GT(json["node_cycles_per_second"], 0);
  EXPECT_EQ(json["passed"], true);
  ASSERT_GE(json["checks"].size(), 6U);
  for (const auto& check : json["checks"]) {
    EXPECT_TRUE(check["name"].is_string());
    EXPECT_EQ(check["passed"], true);
    EXPECT_TRUE(check["detail"].is_string());
    EXPECT_LE(check["cycle"], json["cycles"]);
  }
  EXPECT_TRUE(json["figures"].is_object());
}

TEST_F(CommandLine, MeshLinesChooseWhichDimensionsWrap) {
  const std::string scenario = "scenario put --mesh 4x1x3 ";
  const nlohmann::json torus = json_of(scenario, 0);
  const nlohmann::json lines = json_of(scenario + "--mesh-lines xz", 0);
  EXPECT_EQ(lines["passed"], true);
  EXPECT_EQ(lines["options"]["mesh-lines"], "xz");
  EXPECT_NE(lines["flit_hash"], torus["flit_hash"]);
  EXPECT_EQ(lines["memory_hash"], torus["memory_hash"]);
  EXPECT_EQ(json_of(scenario + "--mesh-lines y", 0)["flit_hash"], torus["flit_hash"])
      << "a dimension of one node";
}

TEST_F(CommandLine, ScenarioOfManyTasksSendsToFewerOthersEach) {
  const Output output = torusmu("scenario boot --mesh 6x6x6");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("216 tasks start within 100000 cycles and send 3 messages to "
                                     "each of 18 others"));
}

TEST_F(CommandLine, QuickProgramSaysWhichProgramHasWaves) {
  fs::copy_file(std::string(TORUSMU_BUILD) + "/torusmu", path("torusmu-quick"));
  for (const std::string option : {"--wave ", "--wave-on-fail "}) {
    const Output output = shell(path("torusmu-quick") + " scenario put " + option + path("w.fst"));
    EXPECT_EQ(output.status, 2);
    EXPECT_THAT(output.text, HasSubstr("torusmu-quick has no waves; torusmu has"));
  }
  std::ofstream(path("plan.json")) << R"({"tests": [{"scenario": "put"}]})";
  const Output output =
      shell(path("torusmu-quick") + " regress " + path("plan.json") + " --output " + path("out"));
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("torusmu-quick has no waves; torusmu has"));
}

TEST_F(CommandLine, NumbersWithLeadingZerosAreDecimal) {
  const nlohmann::json json = json_of("scenario put --mesh 2x1x1 --seed 0100 --latency 08", 0);
  EXPECT_EQ(json["seed"], 100);
  EXPECT_EQ(json["latency"], 8);
}

TEST_F(CommandLine, FaultOnTheLinksExitsWithOneAndSaysHowToRepeatIt) {
  const std::string arguments = "scenario put --inject drop-packet:9 --seed 4";
  const nlohmann::json json = json_of(arguments, 1);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["passed"], false);
  EXPECT_THAT(torusmu(arguments).text,
              HasSubstr("repeat with: " TORUSMU_BUILD
                        "/torusmu scenario put --seed 4 --inject drop-packet:9"));
}

// A signal of the barrier is lost: everybody waits, and one of them for what nobody has posted.
TEST_F(CommandLine, RunThatDoesNotEndTellsWhoWaitsForWhom) {
  const std::string arguments = "scenario barrier --mesh 2x2x2 --inject drop-packet:210";
  EXPECT_THAT(torusmu(arguments + " --quiet").text,
              HasSubstr("  <- nobody here posted what it waits for: 1 increment of event counter"));
  const nlohmann::json json = json_of(arguments, 1);
  ASSERT_GE(json["waits"].size(), 1U);
  for (const auto& chain : json["waits"]) {
    EXPECT_EQ(chain["cycle"], false);
    EXPECT_THAT(chain["end"].get<std::string>(), HasSubstr("node ("));
    for (const auto& step : chain["steps"]) {
      EXPECT_THAT(step["text"].get<std::string>(), HasSubstr("WAIT for event counter"));
      EXPECT_LT(step["node"], 8);
    }
  }
  EXPECT_EQ(json_of("scenario barrier --mesh 2x2x2", 0)["waits"].size(), 0U);
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

// The real traces on the RTL, every byte compared.
class RealTracesOnRtl
    : public CommandLine,
      public ::testing::WithParamInterface<std::tuple<const char*, unsigned, const char*>> {};

TEST_P(RealTracesOnRtl, AreReplayedToTheLastByte) {
  const auto& [name, limit, collectives] = GetParam();
  const nlohmann::json json =
      json_of(std::string("replay tests/traces/") + name + ".trace --eager-limit " +
                  std::to_string(limit) + " --collectives " + collectives,
              0);
  ASSERT_TRUE(json.is_object());
  const std::map<std::string, std::pair<unsigned, unsigned>> totals{
      {"lulesh-8", {596, 226'624}}, {"lulesh-27", {2644, 862'688}}, {"hpcg-8", {3752, 1'634'752}}};
  const auto& [messages, bytes] = totals.at(name);
  EXPECT_EQ(json["figures"]["replay.messages"], messages);
  EXPECT_EQ(json["figures"]["replay.bytes"], bytes);
  EXPECT_GE(json["figures"]["replay.bytes_compared"], bytes);
  EXPECT_EQ(json["top_module"], "mu_gated_node");
  std::set<std::string> checks;
  for (const auto& check : json["checks"]) checks.insert(check["name"].get<std::string>());
  for (const char* check : {"payload", "reductions", "results", "network.flits_arrived"}) {
    EXPECT_TRUE(checks.contains(check)) << check;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RealTracesOnRtl,
                         ::testing::Combine(::testing::Values("lulesh-8", "lulesh-27", "hpcg-8"),
                                            ::testing::Values(0, 512, 65536),
                                            ::testing::Values("software", "offload")));

// Ranks that share a node and start when the seed says so.
TEST_F(CommandLine, ReplayOfSharedNodesAndStaggeredStartsComparesEveryByte) {
  const std::string replay = "replay tests/traces/lulesh-8.trace --start-skew 100000";
  const nlohmann::json four = json_of(replay + " --tasks-per-node 4", 0);
  const nlohmann::json two = json_of(replay + " --tasks-per-node 2 --mesh 3x2x1", 0);
  EXPECT_EQ(four["mesh"], "2x1x1");
  EXPECT_EQ(two["mesh"], "3x2x1");
  for (const nlohmann::json& json : {four, two}) {
    EXPECT_EQ(json["figures"]["replay.messages"], 596);
    EXPECT_GE(json["figures"]["replay.bytes_compared"], 226'624);
  }
  EXPECT_EQ(json_of(replay + " --tasks-per-node 4", 0)["flit_hash"], four["flit_hash"]);
  EXPECT_NE(json_of(replay + " --tasks-per-node 4 --seed 2", 0)["flit_hash"], four["flit_hash"]);
}

TEST_F(CommandLine, ReplayIsTheSameWhateverTheEngineThreadsAndSleep) {
  const std::string replay = "replay tests/traces/lulesh-8.trace";
  const nlohmann::json once = json_of(replay, 0);
  for (const char* other : {" --threads 2", " --no-sleep", " --engine mesh"}) {
    const nlohmann::json json = json_of(replay + other, 0);
    EXPECT_EQ(json["flit_hash"], once["flit_hash"]) << other;
    EXPECT_EQ(json["figures"], once["figures"]) << other;
  }
}

TEST_F(CommandLine, EachSeedHasATimingOfItsOwnWhereTimingIsRandom) {
  const std::string trace = path("pair.trace");
  std::ofstream file(trace);
  file << "# mpitrace 1\n# ranks 2\n";
  for (const char* call : {"0 send 1 ", "1 recv 0 "}) {
    for (unsigned bytes = 64; bytes <= 1280; bytes += 64) file << call << bytes << " 1\n";
  }
  file.close();
  for (const char* timing : {"fixed", "random", "random-memory", "random-cores"}) {
    std::set<std::string> hashes;
    constexpr unsigned kSeeds = 20;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      const nlohmann::json json =
          json_of("replay " + trace + " --seed " + std::to_string(seed) + " --timing " + timing, 0);
      EXPECT_EQ(json["timing"], timing);
      hashes.insert(json["flit_hash"].get<std::string>());
    }
    EXPECT_EQ(hashes.size(), timing == std::string("fixed") ? 1U : kSeeds) << timing;
  }
}

TEST_F(CommandLine, RandomTimingIsTheSameWhateverTheEngineThreadsAndSleep) {
  for (const char* what : {"scenario put", "scenario fifo --mesh 2x2x2"}) {
    const std::string run = what + std::string(" --timing random --seed 5");
    const nlohmann::json once = json_of(run, 0);
    for (const char* other : {" --threads 3", " --no-sleep", " --engine mesh"}) {
      const nlohmann::json json = json_of(run + other, 0);
      EXPECT_EQ(json["flit_hash"], once["flit_hash"]) << what << other;
      EXPECT_EQ(json["memory_hash"], once["memory_hash"]) << what << other;
      EXPECT_EQ(json["cycles"], once["cycles"]) << what << other;
    }
  }
}

TEST_F(CommandLine, CommandToRepeatARunHasItsTiming) {
  const Output output = torusmu("scenario put --timing random-cores --inject drop-packet:9");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("--seed 1 --timing random-cores --inject drop-packet:9"));
}

TEST_F(CommandLine, ReplayReportsWhatItDid) {
  const Output output = torusmu("replay tests/traces/lulesh-8.trace");
  EXPECT_EQ(output.status, 0);
  for (const char* words : {"bytes compared", "596 messages of 226624 bytes in", "latency",
                            "busiest links:", "register reads", "polls",
                            "polling heuristic: ", "million node-cycles in a second of CPU time"}) {
    EXPECT_THAT(output.text, HasSubstr(words));
  }
}

// Every policy delivers every byte; what a policy polls differs, and the numbers add up.
TEST_F(CommandLine, ReplayPollsByEveryPolicy) {
  std::map<std::string, double> empty;
  for (const char* policy : {"always", "every-4", "adaptive", "heuristic", "interrupt"}) {
    const std::string arguments =
        std::string("replay tests/traces/lulesh-8.trace --polling ") + policy;
    const nlohmann::json json = json_of(arguments, 0);
    const auto figure = [&](const std::string& name) -> double {
      return json["figures"]["replay.status_" + name];
    };
    EXPECT_EQ(figure("polls") + figure("polls_skipped"), figure("requests")) << policy;
    EXPECT_LE(figure("polls_empty"), figure("polls")) << policy;
    empty[policy] = figure("polls_empty");
    EXPECT_THAT(torusmu(arguments).text, HasSubstr(std::string("polling ") + policy + ": "));
  }
  EXPECT_LT(empty["every-4"], empty["always"]);
  EXPECT_LT(empty["adaptive"], empty["every-4"]);
  EXPECT_LT(empty["heuristic"], 0.2 * empty["always"]);
  EXPECT_LT(empty["interrupt"], empty["heuristic"]);
}

TEST_F(CommandLine, ReplayRefusesATraceThatDeadlocksAtOnce) {
  const std::string trace = path("deadlock.trace");
  std::ofstream(trace) << "# mpitrace 1\n# ranks 2\n0 recv 1 8 5\n0 send 1 8 5\n"
                          "1 recv 0 8 5\n1 send 0 8 5\n";
  const Output output = torusmu("replay " + trace);
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("deadlock: rank 0 (line 3: recv from rank 1, tag 5) waits for "
                                     "rank 1 (line 5: recv from rank 0, tag 5)"));
}

TEST_F(CommandLine, ReplaySaysWhereItsRanksAreWhenItIsStopped) {
  const Output output = torusmu("replay tests/traces/lulesh-8.trace --stop-at 400000");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("ranks: rank "));
}

TEST_F(CommandLine, SaysHowManyFlitsAreUnderWayWhenItIsStopped) {
  const Output output = torusmu("scenario put --stop-at 3000");
  EXPECT_EQ(output.status, 1);
  unsigned put = 0, taken = 0, left = 0;
  const std::size_t line = output.text.find(" flits put on links");
  ASSERT_NE(line, std::string::npos) << output.text;
  const std::string text = output.text.substr(output.text.rfind('\n', line) + 1);
  ASSERT_EQ(std::sscanf(text.c_str(), "%u flits put on links, %u taken from them, %u in routers",
                        &put, &taken, &left),
            3);
  EXPECT_GT(left, 0U);
  EXPECT_EQ(put, taken + left);
}

TEST_F(CommandLine, ReplayOfAFaultyNetworkExitsWithOne) {
  for (const char* fault : {"flip-payload-bit:50", "drop-packet:50"}) {
    const Output output =
        torusmu(std::string("replay tests/traces/lulesh-8.trace --inject ") + fault);
    EXPECT_EQ(output.status, 1) << output.text;
    EXPECT_THAT(output.text, HasSubstr("FAIL"));
  }
}

TEST_F(CommandLine, LinksOfAProgramThatNeverBeganAreLoadedOverTheWholeRun) {
  const Output output =
      torusmu("replay tests/traces/lulesh-8.trace --inject drop-packet:1 --stall-after 10000");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("through the barrier behind set-up"));
  std::smatch load;
  ASSERT_TRUE(std::regex_search(output.text, load, std::regex("flits, ([0-9.]+) % of the time")))
      << output.text;
  EXPECT_LT(std::stod(load[1].str()), 100.0);
}

TEST_F(CommandLine, MalformedTraceExitsWithTwoAndNamesLineAndColumn) {
  const std::string file = path("bad.trace");
  std::ofstream(file) << "# mpitrace 1\n# ranks 2\n0 send 1 8 5\n1 recv 0 eight 5\n";
  const Output output = torusmu("replay " + file);
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr(file + ":4:10: length \"eight\" is no number"));
}

TEST_F(CommandLine, ProgressLineIsOnTerminalsAloneAndNotIfQuiet) {
  const std::string replay = std::string(TORUSMU_BUILD) +
                             "/torusmu replay tests/traces/hpcg-8.trace --no-sleep --eager-limit 0";
  const auto terminal = [](const std::string& command) {
    return shell("script -qec '" + command + "' /dev/null < /dev/null");
  };
  EXPECT_THAT(terminal(replay).text, HasSubstr("\r2x2x2: cycle "));
  EXPECT_EQ(terminal(replay + " --quiet").text, "");
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
  EXPECT_THAT(list.text, HasSubstr("tests/traces/lulesh-27.trace lulesh, 27 ranks, 2644 messages"));
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
    if (!line.starts_with("+{")) continue;  // +{what GTKWave shows} name
    const std::string name = line.substr(line.rfind(' ') + 1);
    ++shown;
    EXPECT_TRUE(traced.contains(name)) << name << " is not in the trace";
  }
  EXPECT_GT(shown, 60U);
}

TEST_F(CommandLine, SaysThatTheRunEndedBeforeItsWavesBegin) {
  const Output output = torusmu("scenario put --mesh 2x1x1 --quiet --wave " + path("w.fst") +
                                " --wave-window 100000000:200000000");
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("--wave-window begins in cycle 100000000, but the run ended"));
}

TEST_F(CommandLine, ReplaysWithWavesToo) {
  const Output output = torusmu("replay tests/traces/lulesh-8.trace --wave " + path("w.fst") +
                                " --wave-nodes 0 --wave-window 1000:3000");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_GT(fs::file_size(path("w.fst")), 1000U);
}

TEST_F(CommandLine, WavesMoveNoFlit) {
  const std::string arguments = "scenario put --mesh 2x1x1 --seed 8";
  const nlohmann::json plain = json_of(arguments, 0);
  EXPECT_EQ(json_of(arguments + " --wave " + path("w.fst"), 0)["flit_hash"], plain["flit_hash"]);
}

}  // namespace
}  // namespace torusmu
