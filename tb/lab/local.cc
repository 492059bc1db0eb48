// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/local.h"

#include <cstring>
#include <filesystem>
#include <list>

#include "tb/lab/child.h"
#include "tb/lab/files.h"
#include "tb/lab/progress.h"

namespace torusmu::lab {
namespace {

// A task that is asked to end gives its own child two seconds.
constexpr std::chrono::milliseconds kPatience{4000};
constexpr std::chrono::milliseconds kLook{500};

struct Running {
  Running(const Job& its_job, const Command& command) : job(its_job), child(command) {}
  const Job& job;
  Child child;
};

// Threads that share a core with others wait for each other far longer than they compute.
bool has_room(const std::list<Running>& running, const Job& next, unsigned cores) {
  unsigned busy = 0;
  for (const Running& task : running) busy += task.job.threads();
  return running.empty() || busy + next.threads() <= cores;
}

// What the process that runs a job has to say: nothing, unless it fails itself.
std::string task_log(const RunFolder& folder, const Job& job) {
  return folder.of_job(job.number) + "task.txt";
}

std::string last_words(const std::string& file) {
  if (!std::filesystem::exists(file)) return "";
  constexpr std::size_t kMost = 500;
  std::string text = read_file(file);
  while (text.ends_with('\n')) text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  return text.substr(0, kMost);
}

std::string end_of(const Child& child, const std::string& log) {
  if (child.end_signal() != 0) {
    return fmt::format("what ran it was ended by signal {} ({})", child.end_signal(),
                       strsignal(child.end_signal()));
  }
  return fmt::format("what ran it ended with status {}: {}", child.exit_status(), last_words(log));
}

}  // namespace

Result collected(const RunFolder& folder, const Job& job, const std::string& why) {
  const std::string path = folder.of_job(job.number);
  if (auto result = read_result(path + "result.json", job)) return *result;
  Result result;
  result.job = job;
  result.status = Status::kLost;
  result.reason = "no result: " + why;
  // A test that never began has said nothing; what was to run it may have.
  for (const std::string& file : {path + "output.txt", task_log(folder, job)}) {
    if (result.output.empty() && std::filesystem::exists(file)) result.output = file;
  }
  return result;
}

bool run_here(const RunFolder& folder, const std::vector<Job>& jobs, const std::string& program,
              unsigned at_once, const OnResult& on_result) {
  Signals signals;
  Progress progress(jobs.size());
  std::list<Running> running;
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && has_room(running, jobs[next], at_once) && !signals.end_wanted()) {
      const Job& job = jobs[next++];
      running.emplace_back(
          job, Command{.words = {program, "regress-task", folder.path, std::to_string(job.number)},
                       .environment = {},
                       .output = task_log(folder, job),
                       .signal_if_orphaned = SIGTERM});
    }
    progress.show(running.size());
    if (signals.wait(kLook)) {
      for (Running& task : running) task.child.send(SIGTERM);
      for (Running& task : running) task.child.end(kPatience);
      progress.clear();
      return false;
    }
    for (auto task = running.begin(); task != running.end();) {
      if (!task->child.has_ended()) {
        ++task;
        continue;
      }
      const Result result = collected(
          folder, task->job, end_of(task->child, folder.of_job(task->job.number) + "task.txt"));
      progress.clear();
      progress.add(result.passed());
      on_result(result);
      task = running.erase(task);
    }
  }
  progress.clear();
  return true;
}

}  // namespace torusmu::lab
