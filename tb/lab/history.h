// SPDX-License-Identifier: Apache-2.0
// What all runs of an output folder came to, in a database of SQLite.
#ifndef TORUSMU_TB_LAB_HISTORY_H_
#define TORUSMU_TB_LAB_HISTORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/lab/result.h"

struct sqlite3;

namespace torusmu::lab {

class Statement;

struct RunInfo {
  std::int64_t number = 0;
  std::string plan;  // file
  std::uint64_t master_seed = 0;
  std::string host;
  std::string commit;   // that the program was built from; -dirty: with changes; empty: not known
  std::string started;  // 2026-11-22T20:31:05Z
  // "running"; "done"; "broken off"; "submitted", to a cluster
  std::string state = "running";
  std::string cluster_jobs;  // numbers of the array jobs, with commas between
};

// A test that passed and failed on one commit.
struct Flaky {
  std::string name, commit;
  unsigned passed = 0, failed = 0;
  bool same_seed = false;  // it did both with one seed
};

// A test whose last runs took longer than those before.
struct Slowing {
  std::string name;
  double before = 0, now = 0;  // medians, seconds
  unsigned runs = 0;           // how many passed runs are known
};

// What a test had in a run that it passed.
struct GoodRun {
  std::int64_t run = 0;
  nlohmann::json figures = nlohmann::json::object();  // and cycles, by name
};

// A figure that is another than in the good run before.
struct Moved {
  std::string test, figure;
  nlohmann::json before, now;
  double by = 0;  // as a factor of `before`
  std::int64_t run_before = 0, run_now = 0;
};

class History {
 public:
  // The database in `folder`, made if it is not there. Throws UsageError if it cannot be used.
  explicit History(const std::string& folder);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // A new run with its jobs, all unfinished, under its number or, if that is 0, the next; gives the
  // number. Runs that are still "running" have been broken off, for there is one runner at a time.
  std::int64_t begin(const RunInfo& run, const std::vector<Job>& jobs);
  void forget(std::int64_t run);
  void add(std::int64_t run, const Result& result);
  void set_state(std::int64_t run, const std::string& state, const std::string& cluster_jobs = "");

  // The last run, of that plan if one is given, and in that state if one is given.
  std::optional<RunInfo> last_run(const std::string& plan = "", const std::string& state = "");
  struct LastResult {
    std::int64_t run;
    bool passed;
  };
  // Of each test, the last that it had in runs of that plan with that master seed. What is still on
  // a cluster tells nothing yet.
  std::map<std::string, LastResult> last_results(const std::string& plan,
                                                 std::uint64_t master_seed);
  // Only commits without changed files count.
  std::vector<Flaky> flaky();
  // The median of the last three passed runs on a host is more than a quarter and a tenth of a
  // second above the median of those before, of which there are at least three.
  std::vector<Slowing> slowing();
  // Of each test, the last run of that plan that it passed.
  std::map<std::string, GoodRun> last_good(const std::string& plan);
  // What lies more than a hundredth from what it was in the good run of the same plan before.
  // Cycles count where both runs had one seed.
  std::vector<Moved> moved_figures();
  // The median of the seconds that a test took on a host in the runs before `run` that it passed,
  // for tests that did so three times.
  std::map<std::string, double> usual_seconds(const std::string& host, std::int64_t run);

 private:
  void execute(const std::string& sql);
  // Of a test of a run.
  [[nodiscard]] nlohmann::json figures_of(std::int64_t run, std::int64_t number);
  [[nodiscard]] Statement prepare(const std::string& sql);

  std::string file_;
  sqlite3* database_ = nullptr;
};

// What the history says of tests.
struct Trends {
  std::vector<Flaky> flaky;
  std::vector<Slowing> slowing;
  std::vector<Moved> moved;
};
Trends trends_of(History& history);
std::string history_text(const Trends& trends);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_HISTORY_H_
