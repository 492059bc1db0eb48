// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/regress.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "sim/machine/errors.h"
#include "sim/observe/json_text.h"
#include "sim/observe/note.h"
#include "sim/observe/output_file.h"
#include "tb/lab/child.h"
#include "tb/lab/files.h"
#include "tb/lab/history.h"
#include "tb/lab/local.h"
#include "tb/lab/page.h"
#include "tb/lab/slurm.h"
#include "tb/lab/summary.h"
#include "tb/lab/surroundings.h"
#include "tb/lab/task.h"

namespace torusmu::lab {
namespace {

namespace fs = std::filesystem;

// What is printed at the end; report.txt has all.
constexpr std::size_t kMostPrinted = 20;
constexpr const char* kOtherOutput = "another --output";

// This program as a user in this folder would type it.
std::string own_program() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path near = self.lexically_relative(fs::current_path());
  if (near.empty() || *near.begin() == "..") return self.string();
  return near.has_parent_path() ? near.string() : "./" + near.string();
}

// Beside a program that was built here; one that is installed has no place for results.
std::string default_output(const fs::path& program) {
  if (program.is_absolute()) return "torusmu-regress";
  return fs::path(program).replace_filename("regress").string();
}

void number_from_one(std::vector<Job>* jobs) {
  for (std::size_t i = 0; i < jobs->size(); ++i) (*jobs)[i].number = i + 1;
}

// `whose` says in an error which tests these are.
void keep_matching(const std::vector<std::string>& globs, const char* whose,
                   std::vector<Job>* jobs) {
  for (const std::string& glob : globs) {
    const auto matches = [&](const Job& job) {
      return fnmatch(glob.c_str(), job.name.c_str(), 0) == 0;
    };
    if (std::none_of(jobs->begin(), jobs->end(), matches)) {
      throw UsageError(fmt::format(
          "--only \"{}\": no test {} has such a name; --list prints all names", glob, whose));
    }
  }
  if (globs.empty()) return;
  std::erase_if(*jobs, [&](const Job& job) {
    return std::none_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return fnmatch(glob.c_str(), job.name.c_str(), 0) == 0;
    });
  });
}

class Runner {
 public:
  Runner(const RegressOptions& options, const Surroundings& surroundings)
      : options_(options),
        surroundings_(surroundings),
        program_(own_program()),
        output_(options.output.empty() ? default_output(program_) : options.output) {}

  int run() {
    if (options_.show_history) return show_history();
    if (options_.plan.empty()) throw UsageError("regress needs a plan, or --show-history");
    if (options_.slurm || options_.collect) require_slurm();
    if (options_.collect) return collect_run();
    // A plan is judged before anything is locked or written.
    const std::vector<PlanTest> plan = read_plan(options_.plan, tests_folder(), surroundings_);
    if (options_.list) return list(jobs_of(plan, options_.seed, program_, tests_folder()));
    const FolderLock lock(output_, kOtherOutput);
    require_reports();
    History history(output_);
    if (options_.rerun_failed) return rerun(history, plan);
    return play(history, options_.seed, "of the plan",
                jobs_of(plan, options_.seed, program_, tests_folder()));
  }

 private:
  int play(History& history, std::uint64_t seed, const char* whose, std::vector<Job> jobs) {
    keep_matching(options_.only, whose, &jobs);
    number_from_one(&jobs);
    hold_to_last_good(history, &jobs);
    return begin(history, seed, jobs);
  }

  // A run on a cluster is judged where it runs, so each job has what its limits start from.
  void hold_to_last_good(History& history, std::vector<Job>* jobs) const {
    if (options_.accept_figures) return;
    const std::map<std::string, GoodRun> good = history.last_good(options_.plan);
    for (Job& job : *jobs) {
      const auto last = good.find(job.name);
      if (last == good.end()) continue;
      for (Limit& limit : job.limits) {
        if (!last->second.figures.contains(limit.figure)) continue;
        limit.last = last->second.figures[limit.figure];
        limit.last_run = last->second.run;
      }
    }
  }

  // A test that the last run left out is still to be repeated, and one that never ran has not
  // passed.
  int rerun(History& history, const std::vector<PlanTest>& plan) {
    const auto last = history.last_run(options_.plan);
    if (!last) {
      throw UsageError(
          fmt::format("--rerun-failed: {} knows no run of {}", output_, options_.plan));
    }
    if (last->state == "submitted") {
      throw UsageError(
          fmt::format("--rerun-failed: run {} is on a cluster; --collect it first", last->number));
    }
    std::map<std::string, History::LastResult> results =
        history.last_results(options_.plan, last->master_seed);
    std::vector<Job> jobs = jobs_of(plan, last->master_seed, program_, tests_folder());
    std::erase_if(jobs, [&](const Job& job) {
      const auto result = results.extract(job.name);
      return !result.empty() && result.mapped().passed;
    });
    // What the plan has lost since an earlier run is nobody's question any more.
    for (const auto& [name, result] : results) {
      if (result.passed || result.run != last->number) continue;
      throw UsageError(
          fmt::format("--rerun-failed: {} has no test {} any more", options_.plan, name));
    }
    if (!jobs.empty()) {
      return play(history, last->master_seed, "that has not passed", std::move(jobs));
    }
    remove_old_reports();
    fmt::print(
        "every test of {} with master seed {} has passed when it last ran: nothing to repeat\n",
        options_.plan, last->master_seed);
    return 0;
  }

  [[nodiscard]] std::string tests_folder() const {
    return fs::path(program_).replace_filename("tests").string();
  }

  // What is given by option, and the option.
  [[nodiscard]] std::array<std::pair<const char*, std::string>, 3> reports() const {
    return {
        {{"--junit", options_.junit}, {"--json", options_.json}, {"--report", options_.report}}};
  }

  // They may lie in the folder that has been made for the run.
  void require_reports() const {
    require_apart({{.option = "the plan", .path = options_.plan, .is_output = false},
                   {"the history", output_ + "/history.sqlite"},
                   {"--junit", options_.junit},
                   {"--json", options_.json},
                   {"--report", options_.report}});
    for (const auto& [option, file] : reports()) {
      if (!file.empty()) require_writable(option, file);
    }
  }

  // A run that is broken off must not show those of the one before.
  void remove_old_reports() const {
    for (const auto& [option, file] : reports()) {
      if (!file.empty()) remove_old_output(file);
    }
  }

  int show_history() {
    std::error_code no_reason;
    if (!fs::exists(output_ + "/history.sqlite", no_reason)) {
      throw UsageError(output_ + " has no history: no run was made there");
    }
    History history(output_);
    fmt::print("{}", history_text(trends_of(history)));
    return 0;
  }

  int list(std::vector<Job> jobs) const {
    keep_matching(options_.only, "of the plan", &jobs);
    for (const Job& job : jobs) {
      fmt::print("{}  seed {}  {}\n", job.name, job.seed, job.command());
    }
    return 0;
  }

  int begin(History& history, std::uint64_t seed, const std::vector<Job>& jobs) {
    remove_old_reports();
    Summary summary;
    summary.run.plan = options_.plan;
    summary.run.master_seed = seed;
    summary.run.host = host_name();
    summary.run.commit = surroundings_.commit;
    summary.run.started = time_now();
    summary.run.number = free_number(history);
    const RunFolder folder = run_folder(output_, summary.run.number);
    history.begin(summary.run, jobs);
    try {
      prepare(folder, jobs);
      if (options_.slurm) {
        summary.run.cluster_jobs = submit(folder, jobs, fs::absolute(program_).string(),
                                          options_.jobs, options_.sbatch_options);
      }
    } catch (...) {
      // A run that never started is none, least of all the last one.
      history.forget(summary.run.number);
      std::error_code error;
      fs::remove_all(folder.path, error);
      throw;
    }
    if (options_.slurm) return follow_cluster(history, folder, jobs, std::move(summary));
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned at_once = options_.jobs == 0 ? cores : options_.jobs;
    return finish(history, folder, jobs, std::move(summary), [&](const OnResult& on_result) {
      return run_here(folder, jobs, program_, at_once, on_result);
    });
  }

  // Above those of the history and of folders that it does not know, which stay as they are.
  std::int64_t free_number(History& history) const {
    const auto last = history.last_run();
    std::int64_t number = last ? last->number + 1 : 1;
    while (fs::exists(run_folder(output_, number).path)) ++number;
    return number;
  }

  void prepare(const RunFolder& folder, const std::vector<Job>& jobs) const {
    make_folder(folder.path);
    write_whole(folder.file("plan.json"), read_file(options_.plan));
    // Watching takes memory and time: machines that pass are watched for who wants a page alone.
    const bool pages = !options_.report.empty();
    for (const Job& job : jobs) {
      write_job(folder, job,
                {.wave_cycles = options_.wave_cycles, .page = job.has_page.value_or(pages)});
    }
    if (surroundings_.machines == nullptr) return;
    const std::string why_none = surroundings_.machines->why_no_waves(program_ + "-wave");
    if (options_.wave_cycles != 0 && !why_none.empty()) {
      note(fmt::format("failed runs are not repeated with waves: {}\n", why_none));
    } else if (options_.wave_cycles != 0) {
      surroundings_.machines->require_same_build(
          program_ + "-wave", "make wave builds it anew, --wave-cycles 0 does without it");
    }
  }

  int follow_cluster(History& history, const RunFolder& folder, const std::vector<Job>& jobs,
                     Summary summary) {
    history.set_state(summary.run.number, "submitted", summary.run.cluster_jobs);
    say(fmt::format("run {}: {} tests, job {} of Slurm\n", summary.run.number, jobs.size(),
                    summary.run.cluster_jobs));
    if (!options_.no_wait) return wait_for_cluster(history, folder, jobs, std::move(summary));
    say(fmt::format("collect them with: {} regress {} --collect --output {}\n", program_,
                    options_.plan, output_));
    require_said();
    return 0;
  }

  int collect_run() {
    const FolderLock lock(output_, kOtherOutput);
    require_reports();
    History history(output_);
    const auto run = history.last_run(options_.plan, "submitted");
    if (!run) {
      throw UsageError(
          fmt::format("--collect: {} knows no run of {} that was submitted and not "
                      "collected",
                      output_, options_.plan));
    }
    remove_old_reports();
    const RunFolder folder = run_folder(output_, run->number);
    std::vector<Job> jobs;
    for (std::size_t n = 1; fs::exists(folder.of_job(n) + "job.json"); ++n) {
      jobs.push_back(read_job(folder, n));
    }
    Summary summary;
    summary.run = *run;
    return wait_for_cluster(history, folder, jobs, std::move(summary));
  }

  int wait_for_cluster(History& history, const RunFolder& folder, const std::vector<Job>& jobs,
                       Summary summary) {
    const std::string numbers = summary.run.cluster_jobs;
    return finish(history, folder, jobs, std::move(summary), [&](const OnResult& on_result) {
      return collect(folder, jobs, numbers, options_.late, on_result);
    });
  }

  // Has the tests run by `play`, keeps what they come to and tells of it.
  template <typename Play>
  int finish(History& history, const RunFolder& folder, const std::vector<Job>& jobs,
             Summary summary, const Play& play) {
    const Clock::time_point begin = Clock::now();
    summary.folder = folder.path;
    for (const Job& job : jobs) {
      Result result;
      result.job = job;
      result.reason = "the run was broken off before it had ended";
      summary.results.push_back(result);
    }
    const bool done = play([&](const Result& result) {
      summary.results.at(result.job.number - 1) = result;
      history.add(summary.run.number, result);
      if (!result.warnings.empty()) say(warning_text(result));
      if (result.passed()) return;
      say(fmt::format("FAIL {} ({}): {}\n", result.job.name, status_name(result.status),
                      result.reason.substr(0, result.reason.find('\n'))));
    });
    summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    history.set_state(summary.run.number, done ? "done" : "broken off", summary.run.cluster_jobs);
    write_reports(history, folder, summary);
    if (!done) say("the run was broken off; --rerun-failed goes on with what is left\n");
    require_said();
    return summary.failed() == 0 ? 0 : 1;
  }

  // The tests go on and the reports are written though nobody can read this.
  void say(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return;
    if (stdout_error_ == 0) stdout_error_ = errno;
  }

  void require_said() const {
    if (stdout_error_ == 0) return;
    throw UsageError(fmt::format("cannot write to stdout: {}", std::strerror(stdout_error_)));
  }

  void write_reports(History& history, const RunFolder& folder, const Summary& summary) {
    std::string failures, printed, warnings;
    std::size_t failed = 0;
    for (const Result& result : summary.results) {
      warnings += warning_text(result);
      if (result.passed() || result.status == Status::kUnfinished) continue;
      failures += failure_text(result);
      if (++failed <= kMostPrinted) printed = failures;
    }
    if (failed > kMostPrinted) {
      printed +=
          fmt::format("{} more are in {}\n", failed - kMostPrinted, folder.file("report.txt"));
    }
    const std::string text = summary_text(summary);
    nlohmann::json all = summary_json(summary);
    // Inserted, not updated: "commit" stays the one that the runs of the history go by.
    all.insert(surroundings_.ran.begin(), surroundings_.ran.end());
    const std::string json = json_text(all);
    const std::string junit = junit_xml(summary);
    write_whole(folder.file("report.txt"), failures + warnings + text);
    write_whole(folder.file("report.json"), json);
    write_whole(folder.file("junit.xml"), junit);
    if (!options_.json.empty()) write_output_file("--json", options_.json, json);
    if (!options_.junit.empty()) write_output_file("--junit", options_.junit, junit);
    const Past past{.usual_seconds = history.usual_seconds(summary.run.host, summary.run.number),
                    .trends = trends_of(history)};
    const std::string page = folder.file("report.html");
    write_whole(page, html_page(summary, past, page));
    if (!options_.report.empty()) {
      write_output_file("--report", options_.report, html_page(summary, past, options_.report));
    }
    say(printed + text);
  }

  const RegressOptions& options_;
  const Surroundings& surroundings_;
  std::string program_, output_;
  int stdout_error_ = 0;  // the system's reason; 0: all that was said has been written
};

}  // namespace

int run_regress(const RegressOptions& options, const Surroundings& surroundings) {
  // A reader of stdout that closes must not end the run. Blocked, for tests would inherit that it
  // is ignored.
  sigset_t closed;
  sigemptyset(&closed);
  sigaddset(&closed, SIGPIPE);
  sigprocmask(SIG_BLOCK, &closed, nullptr);
  return Runner(options, surroundings).run();
}

}  // namespace torusmu::lab
