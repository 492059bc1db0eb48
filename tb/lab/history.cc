// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/history.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>

#include "sim/machine/errors.h"

namespace torusmu::lab {

// A statement of the database; any error of the database is a UsageError.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& file, const std::string& sql)
      : database_(database), file_(file) {
    check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The next ? of the statement.
  Statement& bind(const std::string& text) {
    check(sqlite3_bind_text(statement_, ++bound_, text.c_str(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT) == SQLITE_OK);
    return *this;
  }
  Statement& bind(std::int64_t value) {
    check(sqlite3_bind_int64(statement_, ++bound_, value) == SQLITE_OK);
    return *this;
  }
  Statement& bind(double value) {
    check(sqlite3_bind_double(statement_, ++bound_, value) == SQLITE_OK);
    return *this;
  }
  // True: there is a row. Call until false.
  bool step() {
    const int status = sqlite3_step(statement_);
    check(status == SQLITE_ROW || status == SQLITE_DONE);
    return status == SQLITE_ROW;
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* const words = sqlite3_column_text(statement_, column);
    return words == nullptr ? "" : reinterpret_cast<const char*>(words);
  }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  void check(bool good) const {
    if (!good) throw UsageError(fmt::format("{}: {}", file_, sqlite3_errmsg(database_)));
  }

  sqlite3* database_;
  const std::string& file_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

namespace {

constexpr bool kNoExceptions = false;
constexpr std::size_t kLeastBefore = 3;  // runs that others are compared with

// Seeds have 64 bits, the numbers of SQLite 63: they are kept as texts. Figures are numbers or
// lists of them, as JSON.
constexpr const char* kTables = R"(
  CREATE TABLE IF NOT EXISTS run (
    number INTEGER PRIMARY KEY AUTOINCREMENT, plan TEXT NOT NULL, master_seed TEXT NOT NULL,
    host TEXT NOT NULL, git_commit TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL,
    cluster_jobs TEXT NOT NULL DEFAULT '');
  CREATE TABLE IF NOT EXISTS test (
    run INTEGER NOT NULL REFERENCES run(number), number INTEGER NOT NULL, name TEXT NOT NULL,
    seed TEXT NOT NULL, status TEXT NOT NULL, seconds REAL NOT NULL DEFAULT 0,
    cycles INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, number));
  CREATE INDEX IF NOT EXISTS test_by_name ON test(name);
  CREATE TABLE IF NOT EXISTS figure (
    run INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (run, number, name));
)";

constexpr int kWaitForOthers = 10'000;  // milliseconds

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

History::History(const std::string& folder) : file_(folder + "/history.sqlite") {
  if (sqlite3_open(file_.c_str(), &database_) != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(database_);
    sqlite3_close(database_);
    throw UsageError(fmt::format("{}: {}", file_, reason));
  }
  sqlite3_busy_timeout(database_, kWaitForOthers);
  try {
    execute(kTables);
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

History::~History() { sqlite3_close(database_); }

void History::execute(const std::string& sql) {
  char* reason = nullptr;
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &reason) == SQLITE_OK) return;
  const std::string text = reason == nullptr ? sqlite3_errmsg(database_) : reason;
  sqlite3_free(reason);
  throw UsageError(fmt::format("{}: {}", file_, text));
}

Statement History::prepare(const std::string& sql) { return {database_, file_, sql}; }

std::int64_t History::begin(const RunInfo& run, const std::vector<Job>& jobs) {
  execute("BEGIN IMMEDIATE; UPDATE run SET state = 'broken off' WHERE state = 'running'");
  prepare(
      "INSERT INTO run (number, plan, master_seed, host, git_commit, started, state)"
      " VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?)")
      .bind(run.number)
      .bind(run.plan)
      .bind(std::to_string(run.master_seed))
      .bind(run.host)
      .bind(run.commit)
      .bind(run.started)
      .bind(run.state)
      .step();
  const std::int64_t number = sqlite3_last_insert_rowid(database_);
  for (const Job& job : jobs) {
    prepare("INSERT INTO test (run, number, name, seed, status) VALUES (?, ?, ?, ?, 'unfinished')")
        .bind(number)
        .bind(static_cast<std::int64_t>(job.number))
        .bind(job.name)
        .bind(std::to_string(job.seed))
        .step();
  }
  execute("COMMIT");
  return number;
}

void History::forget(std::int64_t run) {
  for (const char* sql : {"DELETE FROM figure WHERE run = ?", "DELETE FROM test WHERE run = ?",
                          "DELETE FROM run WHERE number = ?"}) {
    prepare(sql).bind(run).step();
  }
}

void History::add(std::int64_t run, const Result& result) {
  prepare("UPDATE test SET status = ?, seconds = ?, cycles = ? WHERE run = ? AND number = ?")
      .bind(std::string(status_name(result.status)))
      .bind(result.seconds)
      .bind(static_cast<std::int64_t>(result.cycles))
      .bind(run)
      .bind(static_cast<std::int64_t>(result.job.number))
      .step();
  for (const auto& [name, value] : result.figures.items()) {
    prepare("INSERT OR REPLACE INTO figure (run, number, name, value) VALUES (?, ?, ?, ?)")
        .bind(run)
        .bind(static_cast<std::int64_t>(result.job.number))
        .bind(name)
        .bind(value.dump())
        .step();
  }
}

void History::set_state(std::int64_t run, const std::string& state,
                        const std::string& cluster_jobs) {
  prepare("UPDATE run SET state = ?, cluster_jobs = ? WHERE number = ?")
      .bind(state)
      .bind(cluster_jobs)
      .bind(run)
      .step();
}

std::optional<RunInfo> History::last_run(const std::string& plan, const std::string& state) {
  Statement row = prepare(
      "SELECT number, plan, master_seed, host, git_commit, started, state, cluster_jobs FROM run"
      " WHERE (?1 = '' OR plan = ?1) AND (?2 = '' OR state = ?2) ORDER BY number DESC LIMIT 1");
  if (!row.bind(plan).bind(state).step()) return std::nullopt;
  return RunInfo{.number = row.integer(0),
                 .plan = row.text(1),
                 .master_seed = std::stoull(row.text(2)),
                 .host = row.text(3),
                 .commit = row.text(4),
                 .started = row.text(5),
                 .state = row.text(6),
                 .cluster_jobs = row.text(7)};
}

// SQLite takes the other columns from the row that has the max().
std::map<std::string, History::LastResult> History::last_results(const std::string& plan,
                                                                 std::uint64_t master_seed) {
  Statement row = prepare(
      "SELECT name, max(run), status = 'passed' FROM test JOIN run ON run.number = run"
      " WHERE plan = ? AND master_seed = ? AND state <> 'submitted'"
      " GROUP BY name");
  row.bind(plan).bind(std::to_string(master_seed));
  std::map<std::string, LastResult> found;
  while (row.step()) found[row.text(0)] = {row.integer(1), row.integer(2) != 0};
  return found;
}

// A test that was lost or not finished tells nothing of the commit.
std::vector<Flaky> History::flaky() {
  Statement row = prepare(R"(
    WITH told AS (
      SELECT name, git_commit, seed, status = 'passed' AS good
      FROM test JOIN run ON run.number = run
      WHERE git_commit <> '' AND git_commit NOT LIKE '%-dirty'
        AND status NOT IN ('lost', 'unfinished')),
    seeds AS (
      SELECT name, git_commit, sum(good) AS passed, count(*) - sum(good) AS failed,
        min(good) <> max(good) AS both FROM told GROUP BY name, git_commit, seed)
    SELECT name, git_commit, sum(passed), sum(failed), max(both) FROM seeds
    GROUP BY name, git_commit HAVING sum(passed) > 0 AND sum(failed) > 0
    ORDER BY max(both) DESC, name)");
  std::vector<Flaky> found;
  while (row.step()) {
    found.push_back({.name = row.text(0),
                     .commit = row.text(1),
                     .passed = static_cast<unsigned>(row.integer(2)),
                     .failed = static_cast<unsigned>(row.integer(3)),
                     .same_seed = row.integer(4) != 0});
  }
  return found;
}

std::vector<Slowing> History::slowing() {
  constexpr std::size_t kLast = 3;
  constexpr double kFactor = 1.25, kLeastSeconds = 0.1;
  Statement row = prepare(
      "SELECT name, host, seconds FROM test JOIN run ON run.number = run WHERE status = 'passed'"
      " ORDER BY run");
  std::map<std::pair<std::string, std::string>, std::vector<double>> seconds;
  while (row.step()) seconds[{row.text(0), row.text(1)}].push_back(row.real(2));
  std::vector<Slowing> found;
  for (const auto& [test, all] : seconds) {
    if (all.size() < kLast + kLeastBefore) continue;
    const auto split = all.end() - static_cast<std::ptrdiff_t>(kLast);
    const Slowing slowing{.name = test.first,
                          .before = median({all.begin(), split}),
                          .now = median({split, all.end()}),
                          .runs = static_cast<unsigned>(all.size())};
    if (slowing.now > kFactor * slowing.before && slowing.now > slowing.before + kLeastSeconds) {
      found.push_back(slowing);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Slowing& a, const Slowing& b) { return a.now * b.before > b.now * a.before; });
  return found;
}

nlohmann::json History::figures_of(std::int64_t run, std::int64_t number) {
  Statement row = prepare("SELECT name, value FROM figure WHERE run = ? AND number = ?");
  row.bind(run).bind(number);
  nlohmann::json figures = nlohmann::json::object();
  while (row.step()) {
    figures[row.text(0)] = nlohmann::json::parse(row.text(1), nullptr, kNoExceptions);
  }
  return figures;
}

std::map<std::string, GoodRun> History::last_good(const std::string& plan) {
  Statement row = prepare(
      "SELECT name, max(run), test.number FROM test JOIN run ON run.number = run"
      " WHERE plan = ? AND status = 'passed' GROUP BY name");
  row.bind(plan);
  std::map<std::string, GoodRun> found;
  while (row.step()) {
    found[row.text(0)] = {row.integer(1), figures_of(row.integer(1), row.integer(2))};
  }
  return found;
}

std::vector<Moved> History::moved_figures() {
  constexpr double kLeast = 0.01;
  struct Pass {
    std::int64_t run, number;
    std::string seed;
  };
  Statement row = prepare(
      "SELECT plan, name, run, test.number, seed FROM test JOIN run ON run.number = run"
      " WHERE status = 'passed' ORDER BY run");
  std::map<std::pair<std::string, std::string>, std::vector<Pass>> passes;
  while (row.step()) {
    passes[{row.text(0), row.text(1)}].push_back({row.integer(2), row.integer(3), row.text(4)});
  }
  std::vector<Moved> found;
  for (const auto& [test, all] : passes) {
    if (all.size() < 2) continue;
    const Pass &before = all[all.size() - 2], &now = all.back();
    const nlohmann::json had = figures_of(before.run, before.number);
    const nlohmann::json has = figures_of(now.run, now.number);
    for (const auto& [name, value] : has.items()) {
      if (!had.contains(name) || (name == kCycles && before.seed != now.seed)) continue;
      const auto by = moved(had[name], value);
      if (!by || std::abs(*by) <= kLeast) continue;
      found.push_back({test.second, name, had[name], value, *by, before.run, now.run});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Moved& a, const Moved& b) { return std::abs(a.by) > std::abs(b.by); });
  return found;
}

std::map<std::string, double> History::usual_seconds(const std::string& host, std::int64_t run) {
  Statement row = prepare(
      "SELECT name, seconds FROM test JOIN run ON run.number = run"
      " WHERE status = 'passed' AND host = ? AND run < ?");
  row.bind(host).bind(run);
  std::map<std::string, std::vector<double>> seconds;
  while (row.step()) seconds[row.text(0)].push_back(row.real(1));
  std::map<std::string, double> usual;
  for (const auto& [name, all] : seconds) {
    if (all.size() >= kLeastBefore) usual[name] = median(all);
  }
  return usual;
}

Trends trends_of(History& history) {
  return {.flaky = history.flaky(), .slowing = history.slowing(), .moved = history.moved_figures()};
}

std::string history_text(const Trends& trends) {
  const auto& [flaky, slowing, moved] = trends;
  std::string text = "flaky: passed and failed on one commit\n";
  for (const Flaky& test : flaky) {
    text += fmt::format("  {}: {} passed, {} failed on {}{}\n", test.name, test.passed, test.failed,
                        test.commit,
                        test.same_seed ? ", with one seed both" : ", with different seeds");
  }
  if (flaky.empty()) text += "  none\n";
  text += "slowing: median of the last three passed runs against those before\n";
  for (const Slowing& test : slowing) {
    text += fmt::format("  {}: {:.2f} s, before {:.2f} s ({:.0f} % more; {} runs)\n", test.name,
                        test.now, test.before, 100 * (test.now / test.before - 1), test.runs);
  }
  if (slowing.empty()) text += "  none\n";
  text += "moved: figures of the last good run, more than 1 % from the one before\n";
  for (const Moved& one : moved) {
    text += fmt::format("  {}: {} {} in run {}, before {} in run {} ({:+.2f} %)\n", one.test,
                        one.figure, one.now.dump(), one.run_now, one.before.dump(), one.run_before,
                        100 * one.by);
  }
  if (moved.empty()) text += "  none\n";
  return text;
}

}  // namespace torusmu::lab
