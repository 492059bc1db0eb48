// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/slurm.h"

#include <algorithm>
#include <filesystem>
#include <list>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/machine/errors.h"
#include "sim/observe/note.h"
#include "sim/observe/quoted.h"
#include "tb/lab/child.h"
#include "tb/lab/files.h"
#include "tb/lab/progress.h"

namespace torusmu::lab {
namespace {

// Slurm takes arrays of up to 1001 tasks unless its administrator says otherwise.
constexpr std::size_t kLargestArray = 1000;
constexpr std::chrono::milliseconds kLook{1000};
// What a task needs besides its test: the repetition with waves takes up to ten times as long.
constexpr std::uint64_t kTimes = 11, kMinute = 60;

struct Queue {
  bool has_tasks = false;  // tasks of these jobs may still run
  std::string error;       // empty: it answered
};

Queue ask_queue(const std::string& cluster_jobs) {
  // Of jobs that are long gone squeue says that they are invalid, as if it had failed.
  const std::string text =
      output_of("squeue --noheader --format=%T --states=all --jobs=" + cluster_jobs +
                " 2>&1 || { squeue --noheader --format=%T 2>&1 > /dev/null && echo GONE || "
                "echo NO ANSWER; }");
  constexpr std::string_view kNoAnswer = "NO ANSWER";
  std::istringstream lines(text);
  Queue queue;
  std::string before;
  for (std::string state; std::getline(lines, state); before = state) {
    for (const char* pending : {"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED",
                                "REQUEUED", "RESIZING", "STOPPED", "SIGNALING", "STAGE_OUT"}) {
      queue.has_tasks |= state.starts_with(pending);
    }
    if (state == kNoAnswer) queue.error = before.empty() ? "it says nothing" : before;
  }
  return queue;
}

// Of the task of a test, beside those of the others; a run of many tests has several arrays.
std::string slurm_log(const RunFolder& folder, const std::string& cluster_jobs,
                      std::size_t number) {
  std::istringstream arrays(cluster_jobs);
  std::string array;
  for (std::size_t i = 0; i <= (number - 1) / kLargestArray; ++i) std::getline(arrays, array, ',');
  return folder.file(fmt::format("slurm-{}-{}.txt", array, (number - 1) % kLargestArray + 1));
}

}  // namespace

void require_slurm() {
  for (const char* program : {"sbatch", "squeue", "scancel"}) {
    require_program(program, "slurm-client");
  }
}

std::string submit(const RunFolder& folder, const std::vector<Job>& jobs,
                   const std::string& program, unsigned at_once,
                   const std::vector<std::string>& options) {
  const std::string path = std::filesystem::absolute(folder.path).string();
  const std::string script = path + "/slurm.sbatch";
  write_whole(script, fmt::format("#!/bin/sh\n"
                                  "# A task of the array runs the test whose number is $1 plus its "
                                  "own, in {}.\n"
                                  "exec {} regress-task {} $(($1 + SLURM_ARRAY_TASK_ID))\n",
                                  path, quoted(program), quoted(path)));
  std::uint64_t longest = 0;
  for (const Job& job : jobs) longest = std::max(longest, job.time_limit);
  std::string words =
      fmt::format("sbatch --parsable --job-name=torusmu-regress --ntasks=1 --time={} --chdir={}",
                  kTimes * longest / kMinute + 2, quoted(std::filesystem::current_path().string()));
  for (const std::string& option : options) words += " " + quoted(option);
  std::string numbers;
  for (std::size_t first = 0; first < jobs.size(); first += kLargestArray) {
    const std::size_t tasks = std::min(kLargestArray, jobs.size() - first);
    const std::string answer =
        output_of(fmt::format("{} --output={} --array=1-{}{} {} {} 2>{}", words,
                              quoted(fmt::format("{}/slurm-%A-%a.txt", path)), tasks,
                              at_once == 0 ? "" : fmt::format("%{}", at_once), quoted(script),
                              first, quoted(path + "/sbatch.txt")));
    // "12" or, with several clusters, "12;name".
    const std::string number = answer.substr(0, answer.find(';'));
    if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) {
      if (!numbers.empty()) output_of("scancel " + numbers + " 2>&1");
      throw UsageError("sbatch did not take the job: " + read_file(path + "/sbatch.txt"));
    }
    numbers += (numbers.empty() ? "" : ",") + number;
  }
  return numbers;
}

bool collect(const RunFolder& folder, const std::vector<Job>& jobs, const std::string& cluster_jobs,
             std::uint64_t late, const OnResult& on_result) {
  Signals signals;
  Progress progress(jobs.size());
  std::list<const Job*> left;
  for (const Job& job : jobs) left.push_back(&job);
  Clock::time_point seen = Clock::now();  // when the queue last had tasks of it, or no answer
  Clock::time_point answered = seen;
  bool told = false;
  while (!left.empty()) {
    const bool give_up = Clock::now() - seen > std::chrono::seconds(late);
    for (auto job = left.begin(); job != left.end();) {
      const bool there =
          read_result(folder.of_job((*job)->number) + "result.json", **job).has_value();
      if (!there && !give_up) {
        ++job;
        continue;
      }
      const Result result =
          collected(folder, **job,
                    "its task is no longer in Slurm's queue; what Slurm said of it is in " +
                        slurm_log(folder, cluster_jobs, (*job)->number));
      progress.clear();
      progress.add(result.passed());
      on_result(result);
      job = left.erase(job);
    }
    if (left.empty()) break;
    progress.show(left.size());
    if (signals.wait(kLook)) {
      output_of("scancel " + cluster_jobs + " 2>&1");
      progress.clear();
      return false;
    }
    const Queue queue = ask_queue(cluster_jobs);
    if (queue.has_tasks || !queue.error.empty()) seen = Clock::now();
    if (queue.error.empty()) {
      answered = Clock::now();
      told = false;
      continue;
    }
    if (!std::exchange(told, true)) {
      progress.clear();
      note(fmt::format("squeue does not answer: {}\n", queue.error));
    }
    // What runs on the cluster runs on without this.
    if (Clock::now() - answered > std::chrono::seconds(late)) {
      progress.clear();
      throw UsageError(
          fmt::format("squeue has not answered for {} s ({}): nothing is lost, --collect waits "
                      "for the run again",
                      late, queue.error));
    }
  }
  progress.clear();
  return true;
}

}  // namespace torusmu::lab
