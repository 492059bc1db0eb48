// SPDX-License-Identifier: Apache-2.0
// Runs the stages of `make test` one after another and adds up what they report:
//
//   run_tests BUILD SHARDS STAGE=COMMAND... gtest:NAME=PROGRAM...
//
// A stage's command leaves lines "PASS name" or "FAIL name" in BUILD/results/STAGE.txt. A stage
// that leaves none counts as one test, its exit status. A GoogleTest program runs as SHARDS
// processes at once. Exit status 0: nothing failed. The last line is "N passed, N failed".

#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Count {
  int passed = 0;
  int failed = 0;
};

// Exit status of a shell command; a death by signal counts as 128 + signal, as in a shell.
int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Count run_stage(const fs::path& build, const std::string& name, const std::string& command) {
  const fs::path results = build / "results" / (name + ".txt");
  fs::remove(results);
  const int status = run(command);
  Count count;
  std::ifstream file(results);
  for (std::string line; std::getline(file, line);) {
    count.passed += line.rfind("PASS ", 0) == 0 ? 1 : 0;
    count.failed += line.rfind("FAIL ", 0) == 0 ? 1 : 0;
  }
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

Count run_gtest(const fs::path& build, const std::string& name, const std::string& program,
                int shards) {
  std::string command;
  const auto base = [&](int shard) {
    return (build / "results" / name).string() + "." + std::to_string(shard);
  };
  for (int shard = 0; shard < shards; ++shard) {
    fs::remove(base(shard) + ".json");
    fs::remove(base(shard) + ".status");
    command += "(GTEST_TOTAL_SHARDS=" + std::to_string(shards) +
               " GTEST_SHARD_INDEX=" + std::to_string(shard) + " timeout 1500 " + program +
               " --gtest_output=json:" + base(shard) + ".json > " + base(shard) +
               ".log 2>&1; echo $? > " + base(shard) + ".status) & ";
  }
  run(command + "wait");
  Count count;
  for (int shard = 0; shard < shards; ++shard) {
    int status = 1;
    std::ifstream(base(shard) + ".status") >> status;
    add_report(base(shard) + ".json", base(shard) + ".log", status, &count);
  }
  return count;
}

int run_stages(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: run_tests BUILD SHARDS STAGE=COMMAND...\n";
    return 2;
  }
  const fs::path build = argv[1];
  const int shards = std::stoi(argv[2]);
  fs::create_directories(build / "results");
  Count total;
  std::string table;
  for (int i = 3; i < argc; ++i) {
    const std::string stage = argv[i];
    const std::size_t equals = stage.find('=');
    const bool gtest = stage.rfind("gtest:", 0) == 0;
    const std::string name = stage.substr(gtest ? 6 : 0, equals - (gtest ? 6 : 0));
    const std::string command = stage.substr(equals + 1);
    std::cout << "=== " << name << std::endl;
    const auto start = std::chrono::steady_clock::now();
    const Count count =
        gtest ? run_gtest(build, name, command, shards) : run_stage(build, name, command);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    char line[128];
    std::snprintf(line, sizeof line, "%-14s %6d passed %4d failed %8.1f s\n", name.c_str(),
                  count.passed, count.failed, seconds.count());
    std::cout << line << std::flush;
    table += line;
    total.passed += count.passed;
    total.failed += count.failed;
  }
  std::cout << "=== summary\n"
            << table << total.passed << " passed, " << total.failed << " failed" << std::endl;
  return total.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_stages(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "run_tests: " << error.what() << "\n";
    return 1;
  }
}
