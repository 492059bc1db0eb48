// SPDX-License-Identifier: Apache-2.0
// Runs the stages of `make test` or `make nightly` one after another and adds up what they report:
//
//   run_tests VERB BUILD PROCESSES STAGE=COMMAND... gtest:NAME=PROGRAM...
//
// A stage's command leaves lines "PASS name" or "FAIL name" in BUILD/results/STAGE.txt, or the
// results of a regression in BUILD/results/STAGE.json. A stage that leaves neither counts as one
// test, its exit status. A line "CYCLES N" adds to the cycles that were simulated, "SEED N" names
// what its random numbers come from. A GoogleTest program runs in shards, PROCESSES of them at
// once. What each stage came to stands in BUILD/results/VERB.stages.json at the end of a run, and
// of no run before. The last line is "N passed, N failed". Exit status 0: nothing failed; 2:
// another runner has BUILD/results.

#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/regress/files.h"

namespace {

namespace fs = std::filesystem;

// The script that the programs have theirs from.
constexpr const char* kCommit = "sim/identity/commit.sh";

struct Count {
  int passed = 0;
  int failed = 0;
  std::uint64_t cycles = 0;
  std::string seed;
};

// Exit status of a shell command; a death by signal counts as 128 + signal, as in a shell.
int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void add_checks(const fs::path& results, Count* count) {
  std::ifstream file(results);
  for (std::string line; std::getline(file, line);) {
    count->passed += line.rfind("PASS ", 0) == 0 ? 1 : 0;
    count->failed += line.rfind("FAIL ", 0) == 0 ? 1 : 0;
    if (line.rfind("CYCLES ", 0) == 0) count->cycles += std::stoull(line.substr(7));
    if (line.rfind("SEED ", 0) == 0) count->seed = line.substr(5);
  }
}

void add_regression(const fs::path& results, Count* count) {
  std::ifstream file(results);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded()) return;
  count->passed += json.at("passed").get<int>();
  count->failed += json.at("failed").get<int>();
  count->cycles += json.at("cycles").get<std::uint64_t>();
  count->seed = std::to_string(json.at("master_seed").get<std::uint64_t>());
}

Count run_stage(const fs::path& build, const std::string& name, const std::string& command) {
  const fs::path checks = build / "results" / (name + ".txt");
  const fs::path regression = build / "results" / (name + ".json");
  fs::remove(checks);
  fs::remove(regression);
  const int status = run(command);
  Count count;
  add_checks(checks, &count);
  add_regression(regression, &count);
  if (status != 0 && count.failed == 0) {
    std::cout << "FAIL " << name << ": exit status " << status << "\n";
    count.failed = 1;
  } else if (count.passed + count.failed == 0) {
    count.passed = 1;
  }
  return count;
}

// Adds what one shard of a GoogleTest program reported. A shard without a report has crashed.
void add_report(const fs::path& report, const fs::path& log, int status, Count* count) {
  std::ifstream file(report);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  int failed = 1;
  if (!json.is_discarded()) {
    failed = json.at("failures").get<int>();
    count->passed += json.at("tests").get<int>() - failed - json.at("disabled").get<int>();
    if (status != 0 && failed == 0) failed = 1;
    count->cycles += std::stoull(json.at("cycles").get<std::string>());
    const std::string seed = json.at("seed").get<std::string>();
    count->seed = seed.empty() ? "each its own" : seed;
  }
  count->failed += failed;
  if (failed == 0) return;
  std::ifstream text(log);
  for (std::string line; std::getline(text, line);) {
    const bool routine = line.rfind("[ RUN", 0) == 0 || line.rfind("[       OK", 0) == 0;
    if (!routine) std::cout << line << "\n";
  }
  if (json.is_discarded()) std::cout << "FAIL: no report, exit status " << status << "\n";
}

// More shards than processes, so that none ends long after the others.
Count run_gtest(const fs::path& build, const std::string& name, const std::string& program,
                int processes) {
  const int shards = 4 * processes;
  const std::string base = (build / "results" / name).string() + ".";
  for (int shard = 0; shard < shards; ++shard) {
    fs::remove(base + std::to_string(shard) + ".json");
    fs::remove(base + std::to_string(shard) + ".status");
  }
  run("seq 0 " + std::to_string(shards - 1) + " | xargs -P " + std::to_string(processes) +
      " -I@ sh -c 'GTEST_TOTAL_SHARDS=" + std::to_string(shards) +
      " GTEST_SHARD_INDEX=@ timeout 1500 " + program + " --gtest_output=json:" + base +
      "@.json > " + base + "@.log 2>&1; echo $? > " + base + "@.status'");
  Count count;
  for (int shard = 0; shard < shards; ++shard) {
    const std::string one = base + std::to_string(shard);
    int status = 1;
    std::ifstream(one + ".status") >> status;
    add_report(one + ".json", one + ".log", status, &count);
  }
  return count;
}

std::string millions(std::uint64_t cycles) {
  char text[64];
  std::snprintf(text, sizeof text, " %10.1f million cycles", static_cast<double>(cycles) / 1e6);
  return text;
}

std::string line_of(const std::string& name, const Count& count, double seconds) {
  char text[128];
  std::snprintf(text, sizeof text, "%-14s %6d passed %4d failed %8.1f s", name.c_str(),
                count.passed, count.failed, seconds);
  const std::string nothing(millions(0).size(), ' ');
  const std::string cycles = count.cycles == 0 ? nothing : millions(count.cycles);
  const std::string line = text + (count.seed.empty() ? cycles : cycles + "  seed " + count.seed);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

int run_stages(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: run_tests VERB BUILD PROCESSES STAGE=COMMAND...\n";
    return 2;
  }
  const std::string verb = argv[1];
  const fs::path build = argv[2];
  const int processes = std::stoi(argv[3]);
  const torusmu::regress::FolderLock lock(build / "results", "another BUILD");
  const fs::path report = build / "results" / (verb + ".stages.json");
  fs::remove(report);
  const auto begin = std::chrono::steady_clock::now();
  Count total;
  std::string table;
  auto stages = nlohmann::json::array();
  for (int i = 4; i < argc; ++i) {
    const std::string stage = argv[i];
    const std::size_t equals = stage.find('=');
    const bool gtest = stage.rfind("gtest:", 0) == 0;
    const std::string name = stage.substr(gtest ? 6 : 0, equals - (gtest ? 6 : 0));
    const std::string command = stage.substr(equals + 1);
    std::cout << "=== " << name << std::endl;
    const auto start = std::chrono::steady_clock::now();
    const Count count =
        gtest ? run_gtest(build, name, command, processes) : run_stage(build, name, command);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const std::string line = line_of(name, count, seconds.count());
    std::cout << line << std::flush;
    table += line;
    stages.push_back({{"name", name},
                      {"passed", count.passed},
                      {"failed", count.failed},
                      {"cycles", count.cycles},
                      {"seed", count.seed},
                      {"seconds", seconds.count()}});
    total.passed += count.passed;
    total.failed += count.failed;
    total.cycles += count.cycles;
  }
  torusmu::regress::write_whole(report,
                                nlohmann::json{{"verb", verb},
                                               {"commit", torusmu::regress::output_of(kCommit)},
                                               {"ended", torusmu::regress::time_now()},
                                               {"stages", stages}}
                                    .dump(2));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << "=== summary\n"
            << table << "in all " << static_cast<int>(seconds.count()) << " s,"
            << millions(total.cycles)
            << "; \"each its own\": TORUSMU_SEED=N sets the seed of every random test\n"
            << total.passed << " passed, " << total.failed << " failed" << std::endl;
  return total.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_stages(argc, argv);
  } catch (const torusmu::UsageError& error) {
    std::cerr << "run_tests: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "run_tests: " << error.what() << "\n";
    return 1;
  }
}
