// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "sim/machine/errors.h"
#include "sim/observe/json_text.h"
#include "sim/observe/quoted.h"
#include "tb/lab/child.h"
#include "tb/lab/files.h"
#include "tb/lab/jobs.h"
#include "tb/lab/kept.h"
#include "tb/lab/local.h"
#include "tb/lab/plan.h"
#include "tb/lab/summary.h"
#include "tb/lab/surroundings.h"
#include "tb/lab/task.h"

namespace torusmu::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownLines = 40;  // of the output of a job that failed

// What the jobs of one group came to.
struct Group {
  std::string name;
  std::size_t passed = 0, failed = 0, kept = 0;
  std::uint64_t cycles = 0;
  double seconds = 0;
  std::string seed;
};

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Of lines "NAME WORD WORD ...", in which a word with spaces stands in single quotation marks.
std::map<std::string, std::vector<std::string>> read_variables(const std::string& file) {
  std::map<std::string, std::vector<std::string>> variables;
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::string>& values = variables[name];
    for (std::string word; words >> word;) values.push_back(word);
  }
  return variables;
}

std::string end_of_file(const std::string& file) {
  std::deque<std::string> lines;
  if (!fs::exists(file)) return "";
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) {
    // What GoogleTest says of a test that passed.
    if (line.starts_with("[ RUN") || line.starts_with("[       OK")) continue;
    lines.push_back(line);
    if (lines.size() > kShownLines) lines.pop_front();
  }
  std::string shown;
  for (const std::string& line : lines) shown += line + "\n";
  return shown;
}

std::string group_of(const std::string& job) { return job.substr(0, job.find('/')); }

class Checks {
 public:
  explicit Checks(const CheckOptions& options)
      : options_(options),
        folder_(options.build + "/lab/" + options.title + (is_inside() ? "-inside" : "")),
        results_(options.build + "/results/" + options.title),
        kept_(options.build + "/lab/kept", tools_of(options)) {
    surroundings_.variables = read_variables(options.variables);
    surroundings_.variables["build"] = {options.build};
    surroundings_.commit = output_of("git describe --always --abbrev=40 --dirty");
  }

  int run() {
    std::vector<Job> jobs = chosen(all_jobs());
    if (options_.list) return list(jobs);
    const FolderLock lock(folder_, "another BUILD");
    begin_ = Clock::now();
    make_folder(options_.build + "/results");
    for (const char* end : {".json", ".jsonl"}) fs::remove(results_ + end);
    // What is kept needs nothing built.
    take_kept(&jobs);
    build(jobs);
    play(jobs);
    return finish();
  }

 private:
  // A test that this program runs may run it again.
  static bool is_inside() {
    const bool inside = std::getenv("TORUSMU_LAB") != nullptr;
    setenv("TORUSMU_LAB", "1", 1);
    return inside;
  }
  static std::string tools_of(const CheckOptions& options) {
    const auto variables = read_variables(options.variables);
    const auto tools = variables.find("tools");
    return tools == variables.end() ? "" : fmt::format("{}", fmt::join(tools->second, " "));
  }

  [[nodiscard]] std::vector<Job> all_jobs() const {
    std::vector<Job> jobs;
    std::set<std::string> names;
    for (const std::string& plan : options_.plans) {
      std::vector<PlanTest> tests = read_plan(plan, options_.build + "/tests", surroundings_);
      for (PlanTest& test : tests) {
        if (options_.tests.empty() || test.kind != PlanTest::Kind::kGtest) continue;
        test.filter = options_.tests;
        test.shards = 0;
      }
      for (Job& job : jobs_of(tests, 1, "", options_.build + "/tests")) {
        if (!names.insert(job.name).second) continue;  // a plan may repeat what another has
        jobs.push_back(std::move(job));
      }
    }
    return jobs;
  }

  [[nodiscard]] std::vector<Job> chosen(std::vector<Job> jobs) const {
    const auto matches = [](const std::string& glob, const Job& job) {
      return fnmatch(glob.c_str(), job.name.c_str(), 0) == 0 ||
             fnmatch((glob + "/*").c_str(), job.name.c_str(), 0) == 0;
    };
    for (const std::string& glob : options_.jobs) {
      if (std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return matches(glob, job); }))
        continue;
      std::set<std::string> groups;
      for (const Job& job : jobs) {
        const bool alone = job.name.find('/') == std::string::npos;
        groups.insert(alone ? job.name : group_of(job.name) + "/...");
      }
      throw UsageError(fmt::format("no job is called \"{}\"; there are {}; --list prints all", glob,
                                   fmt::join(groups, ", ")));
    }
    if (!options_.jobs.empty()) {
      std::erase_if(jobs, [&](const Job& job) {
        return std::none_of(options_.jobs.begin(), options_.jobs.end(),
                            [&](const std::string& glob) { return matches(glob, job); });
      });
    }
    return jobs;
  }

  static int list(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) say(fmt::format("{}  {}\n", job.name, job.command()));
    return 0;
  }

  void take_kept(std::vector<Job>* jobs) {
    if (options_.again) return;
    std::erase_if(*jobs, [this](const Job& job) {
      const auto key = kept_.key_of(job);
      const auto result = key ? kept_.find(job, *key) : std::nullopt;
      if (result) add(*result);
      return result.has_value();
    });
  }

  // One call of make for all: it builds in parallel. What could not be built fails as a check.
  void build(const std::vector<Job>& jobs) {
    std::set<std::string> needs;
    for (const Job& job : jobs) needs.insert(job.needs.begin(), job.needs.end());
    if (needs.empty()) return;
    say(fmt::format("building {} targets for {} jobs\n", needs.size(), jobs.size()));
    std::vector<std::string> words{"make", "--no-print-directory", "-k"};
    words.insert(words.end(), surroundings_.variables["make_words"].begin(),
                 surroundings_.variables["make_words"].end());
    words.insert(words.end(), needs.begin(), needs.end());
    const auto start = Clock::now();
    const int status = std::system(quoted(words).c_str());
    Result result;
    result.job.name = "build";
    result.job.words = words;
    result.status = status == 0 ? Status::kPassed : Status::kFailed;
    result.reason = status == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    report(result);
  }

  void play(std::vector<Job> jobs) {
    if (jobs.empty()) return;
    const RunFolder run{folder_ + "/run"};
    fs::remove_all(run.path);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].number = i + 1;
      write_job(run, jobs[i], {.wave_cycles = 0, .page = false});
    }
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const bool done =
        run_here(run, jobs, fs::read_symlink("/proc/self/exe").string(),
                 options_.parallel == 0 ? cores : options_.parallel, [&](const Result& result) {
                   if (result.passed() && result.failed_checks() == 0) {
                     // What a task writes does not say what it reads.
                     const Job& job = jobs.at(result.job.number - 1);
                     if (const auto key = kept_.key_of(job)) kept_.keep(result, *key);
                   }
                   report(result);
                 });
    if (done) return;
    Result broken_off;
    broken_off.job.name = "all";
    broken_off.reason = "the run was broken off";
    report(broken_off);
  }

  // A job that has ended: one line, and of one that failed what it said.
  void report(const Result& result) {
    add(result);
    const bool passed = result.failed_checks() == 0;
    std::string line = fmt::format("  {} {:<48} {:7.1f} s", passed ? "PASS" : "FAIL",
                                   result.job.name, result.seconds);
    if (result.checks.size() > 1) line += fmt::format("  {} passed", result.passed_checks());
    if (!passed) line += fmt::format("  {}", result.reason.substr(0, result.reason.find('\n')));
    say(line + "\n");
    if (passed) return;
    say(end_of_file(result.output));
    say(fmt::format("  alone: {}\n", result.job.command()));
  }

  void add(const Result& result) {
    all_.push_back(result);
    const std::string name = group_of(result.job.name);
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& one) { return one.name == name; });
    if (group == groups_.end())
      group = groups_.insert(groups_.end(), Group{.name = name, .seed = ""});
    group->passed += result.passed_checks();
    group->failed += result.failed_checks();
    group->kept += result.kept ? result.passed_checks() : 0;
    group->cycles += result.cycles;
    group->seconds += result.kept ? 0 : result.seconds;
    if (!result.seeds.empty()) group->seed = result.seeds;
  }

  static std::string line_of(const Group& group) {
    std::string line = fmt::format("{:<16} {:6} passed {:4} failed {:8.1f} s", group.name,
                                   group.passed, group.failed, group.seconds);
    if (group.cycles != 0) {
      line += fmt::format(" {:10.1f} million cycles", static_cast<double>(group.cycles) / 1e6);
    }
    if (!group.seed.empty()) line += "  seed " + group.seed;
    if (group.kept != 0) line += fmt::format("  {} kept", group.kept);
    return line + "\n";
  }

  int finish() {
    Group total;
    std::string table;
    auto groups = nlohmann::json::array();
    for (const Group& group : groups_) {
      table += line_of(group);
      groups.push_back({{"name", group.name},
                        {"passed", group.passed},
                        {"failed", group.failed},
                        {"kept", group.kept},
                        {"cycles", group.cycles},
                        {"seed", group.seed},
                        {"seconds", group.seconds}});
      total.passed += group.passed;
      total.failed += group.failed;
      total.kept += group.kept;
      total.cycles += group.cycles;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    write_whole(results_ + ".json", json_text({{"plan", options_.title},
                                               {"commit", surroundings_.commit},
                                               {"host", host_name()},
                                               {"ended", time_now()},
                                               {"seconds", seconds},
                                               {"passed", total.passed},
                                               {"failed", total.failed},
                                               {"kept", total.kept},
                                               {"cycles", total.cycles},
                                               {"groups", groups}}));
    write_checks();
    if (!options_.junit.empty()) write_junit(seconds);
    say(fmt::format("=== {}\n{}in all {:.0f} s, {:.1f} million cycles", options_.title, table,
                    seconds, static_cast<double>(total.cycles) / 1e6));
    if (total.kept != 0) {
      say(fmt::format("; {} kept, for nothing they read has changed since they passed",
                      total.kept));
    }
    say(fmt::format("\n{} passed, {} failed\n", total.passed, total.failed));
    return total.failed == 0 ? 0 : 1;
  }

  void write_checks() const {
    std::string lines;
    const auto add = [&](const Result& result, const Check& check) {
      lines += nlohmann::json{{"check", check.name},     {"job", result.job.name},
                              {"passed", check.passed},  {"seconds", check.seconds},
                              {"kept", result.kept},     {"reason", result.reason},
                              {"output", result.output}, {"command", result.job.command()}}
                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
               "\n";
    };
    for (const Result& result : all_) {
      for (const Check& check : result.checks) add(result, check);
      if (result.checks.empty()) {
        add(result, {result.job.name, result.passed(), result.seconds});
      }
    }
    write_whole(results_ + ".jsonl", lines);
  }

  void write_junit(double seconds) const {
    Summary summary;
    summary.run.plan = options_.title;
    summary.run.commit = surroundings_.commit;
    summary.run.host = host_name();
    summary.run.started = time_now();
    summary.seconds = seconds;
    summary.results = all_;
    write_whole(options_.junit, junit_xml(summary));
  }

  const CheckOptions& options_;
  std::string folder_, results_;
  Surroundings surroundings_;
  KeptResults kept_;
  Clock::time_point begin_;
  std::vector<Result> all_;
  std::vector<Group> groups_;  // in the order in which they come
};

}  // namespace

int run_checks(const CheckOptions& options) { return Checks(options).run(); }

}  // namespace torusmu::lab
