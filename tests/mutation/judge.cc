// SPDX-License-Identifier: Apache-2.0
// The main program of a block's mutation check: the unit tests of the block, linked with a model
// that holds all mutants, judge one mutant after the other, each in a process of its own.
//
//   judge --verdicts FILE --jobs 2 Vmu_fifo=300 Vmu_fifo_one=300    all mutants of these models
//   judge --mutant Vmu_fifo:17 Vmu_fifo=300 ...                     one, with what the tests say of
//   it
//
// First every test runs without a mutant: it must pass, and shows how long it takes and which
// models it uses. A mutant is then judged by the tests that use its model until one fails; those
// come first that are quick and have killed many.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kMostModels = 16;
// What a mutant may take beyond the time of the tests without one, in seconds of processor time.
constexpr double kSpareSeconds = 1.0;
constexpr double kTimesSlower = 5.0;
constexpr rlim_t kMostMemory = rlim_t{4} << 30;

struct Choice {
  int model = -1;
  int number = 0;
};
Choice chosen;
std::array<bool, kMostModels> models_used;

struct Test {
  std::string name;
  double seconds = 0;
  int kills = 0;
  std::array<bool, kMostModels> uses{};
};

// What a child process leaves behind, in memory that it shares with its parent.
struct Outcome {
  std::size_t test;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

std::vector<Test> all_tests() {
  std::vector<Test> tests;
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const auto& suite = *unit.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      tests.push_back({std::string(suite.name()) + "." + suite.GetTestInfo(k)->name()});
    }
  }
  return tests;
}

bool passes(const Test& test) {
  testing::GTEST_FLAG(filter) = test.name;
  return RUN_ALL_TESTS() == 0;
}

class Judge {
 public:
  explicit Judge(std::vector<std::pair<std::string, int>> models)
      : models_(std::move(models)), tests_(all_tests()) {}

  // Without a mutant: false if a test fails.
  bool learn() {
    bool good = true;
    for (Test& test : tests_) {
      models_used.fill(false);
      const double start = cpu_seconds();
      if (!passes(test)) {
        std::cout << "fails without a mutant: " << test.name << "\n";
        good = false;
      }
      test.seconds = cpu_seconds() - start;
      test.uses = models_used;
    }
    sort_tests();
    return good;
  }

  // Exit status of a process: 0 if no test sees the mutant.
  int judge(Choice choice, Outcome& outcome) const {
    chosen = choice;
    for (const std::size_t i : order_) {
      if (!tests_[i].uses.at(static_cast<std::size_t>(choice.model))) continue;
      outcome.test = i;
      if (!passes(tests_[i])) return 1;
    }
    return 0;
  }

  void judge_all(unsigned jobs, std::ostream& verdicts) {
    std::vector<Choice> choices;
    for (std::size_t model = 0; model < models_.size(); ++model) {
      if (models_[model].second != 0 && seconds_of(model) == 0)
        throw std::runtime_error("no test uses " + models_[model].first);
      for (int n = 1; n <= models_[model].second; ++n)
        choices.push_back({static_cast<int>(model), n});
    }
    if (choices.empty()) {
      std::cout << "no mutants\n";
      return;
    }
    const std::size_t bytes = choices.size() * sizeof(Outcome);
    auto* outcomes = static_cast<Outcome*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (outcomes == MAP_FAILED) throw std::runtime_error("no shared memory");
    std::map<pid_t, std::size_t> running;
    std::vector<int> status(choices.size());
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t next = 0; next < choices.size() || !running.empty();) {
      if (next < choices.size() && running.size() < jobs) {
        running[start_child(choices[next], outcomes[next])] = next;
        ++next;
        continue;
      }
      int how = 0;
      const pid_t child = wait(&how);
      if (!running.contains(child)) throw std::runtime_error("a process was lost");
      status[running[child]] = how;
      if (!survived(how)) {
        ++tests_[outcomes[running[child]].test].kills;
        sort_tests();
      }
      running.erase(child);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    write(choices, status, outcomes, verdicts);
    std::cout << choices.size() << " mutants in " << took.count() << " s, " << killed_
              << " killed\n";
    munmap(outcomes, bytes);
  }

 private:
  static bool survived(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

  // The most kills in a second come first; before there are any, the quickest test.
  void sort_tests() {
    order_.resize(tests_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto worth = [this](std::size_t i) {
      return (1.0 + tests_[i].kills) / (1e-6 + tests_[i].seconds);
    };
    std::ranges::stable_sort(order_, std::greater{}, worth);
  }

  double seconds_of(std::size_t model) const {
    double sum = 0;
    for (const Test& test : tests_) sum += test.uses.at(model) ? test.seconds + 1e-6 : 0;
    return sum;
  }

  pid_t start_child(Choice choice, Outcome& outcome) const {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process for a mutant");
    if (child > 0) return child;
    const double limit =
        kSpareSeconds + kTimesSlower * seconds_of(static_cast<std::size_t>(choice.model));
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(limit);
    setitimer(ITIMER_PROF, &timer, nullptr);
    const rlimit memory{kMostMemory, kMostMemory};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit core{0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
    _exit(judge(choice, outcome));
  }

  // A line a mutant: MODEL NUMBER survived, or killed and by which test; a process that ends
  // otherwise was killed by the test it was in.
  void write(const std::vector<Choice>& choices, const std::vector<int>& status,
             const Outcome* outcomes, std::ostream& verdicts) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      verdicts << models_[static_cast<std::size_t>(choices[i].model)].first << " "
               << choices[i].number << " ";
      if (survived(status[i])) {
        verdicts << "survived\n";
        continue;
      }
      ++killed_;
      const bool late = WIFSIGNALED(status[i]) && WTERMSIG(status[i]) == SIGPROF;
      const bool ended = !WIFEXITED(status[i]);
      verdicts << (late    ? "late "
                   : ended ? "crashed "
                           : "killed ")
               << tests_[outcomes[i].test].name << "\n";
    }
  }

  std::vector<std::pair<std::string, int>> models_;
  std::vector<Test> tests_;
  std::vector<std::size_t> order_;
  int killed_ = 0;
};

Choice choice_of(const std::string& text, const std::vector<std::pair<std::string, int>>& models) {
  const auto colon = text.find(':');
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (colon != std::string::npos && models[i].first == text.substr(0, colon)) {
      return {static_cast<int>(i), std::stoi(text.substr(colon + 1))};
    }
  }
  throw std::runtime_error("--mutant " + text + ": MODEL:NUMBER of one of the models is expected");
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  CLI::App app("Judges the mutants of a block by its unit tests");
  std::string verdicts;
  std::string mutant;
  unsigned jobs = 1;
  std::vector<std::string> words;
  app.add_option("--verdicts", verdicts, "file for a line a mutant");
  app.add_option("--mutant", mutant, "MODEL:NUMBER, the only one to judge");
  app.add_option("--jobs", jobs, "processes at a time")->check(CLI::PositiveNumber);
  app.add_option("models", words, "MODEL=MUTANTS")->required();
  CLI11_PARSE(app, argc, argv);
  std::vector<std::pair<std::string, int>> models;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    models.emplace_back(word.substr(0, equals), std::stoi(word.substr(equals + 1)));
  }
  if (models.size() > kMostModels) throw std::runtime_error("too many models");
  if (!mutant.empty()) {
    chosen = choice_of(mutant, models);
    return RUN_ALL_TESTS();
  }
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  Judge judge(models);
  if (!judge.learn()) return 1;
  std::ofstream file(verdicts);
  judge.judge_all(jobs, file);
  return file.flush() ? 0 : 1;
}

}  // namespace

// A model asks in its first evaluation which of its mutants it is; 0 is none.
extern "C" int torusmu_mutant(int model) {
  models_used.at(static_cast<std::size_t>(model)) = true;
  return chosen.model == model ? chosen.number : 0;
}

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
