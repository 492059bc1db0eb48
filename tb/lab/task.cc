// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/task.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "sim/machine/cycle_file.h"
#include "sim/machine/errors.h"
#include "sim/observe/json_text.h"
#include "tb/lab/child.h"
#include "tb/lab/files.h"
#include "tb/lab/result.h"
#include "tb/lab/surroundings.h"
#include "tb/lab/verdict.h"

namespace torusmu::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPatience{2000};
// Waves make a run slower, and so does a model that could write them.
constexpr std::uint64_t kWavesTakeLonger = 10;
// Seconds: no longer than that for them, or than the test itself may take.
constexpr std::uint64_t kLongForWaves = 600;
// A test may print what is no UTF-8.
constexpr std::streamoff kMostOutput = 64 << 20;  // bytes

// What a file holds, its end if it is long; empty if there is none.
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - kMostOutput));
  return {std::istreambuf_iterator<char>(file), {}};
}

Command command_of(std::vector<std::string> words, std::string output) {
  Command command;
  command.words = std::move(words);
  command.output = std::move(output);
  return command;
}

// A runner that is itself started by GoogleTest, or by a user who has some of its variables set,
// would else run fewer tests than the plan asks for.
void forget_gtest_variables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("GTEST_")) names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

// Runs the command to its end. Nothing: this process was asked to end.
std::optional<Ending> run(const Command& command, std::uint64_t time_limit, Signals* signals,
                          double* seconds) {
  Ending ending;
  Child child(command);
  const auto deadline = child.started() + std::chrono::seconds(time_limit);
  while (!child.has_ended()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      ending.timed_out = true;
      child.end(kPatience);
    } else if (signals->wait(left)) {
      child.end(kPatience);
      return std::nullopt;
    }
  }
  *seconds = std::chrono::duration<double>(Clock::now() - child.started()).count();
  ending.exit_status = child.exit_status();
  ending.signal = child.end_signal();
  ending.output = text_of(command.output);
  return ending;
}

bool is_on_mesh_engine(const Job& job) {
  const auto engine = std::find(job.words.begin(), job.words.end(), "--engine");
  return engine != job.words.end() && *(engine + 1) == "mesh";
}

// The mesh engine has no waves; the fast one has the same in every cycle. What did not end by
// itself would not end now either: it stops in the last cycle that it had reached. Of the rest the
// run itself finds the cycles to show.
std::vector<std::string> words_with_waves(const Result& result, bool broken_off,
                                          const std::string& file, std::uint64_t wave_cycles) {
  std::vector<std::string> words = result.job.words;
  const auto engine = std::find(words.begin(), words.end(), "--engine");
  if (engine != words.end()) words.erase(engine, engine + 2);
  if (broken_off) {
    const std::uint64_t to = result.cycles;
    const std::string window = fmt::format("{}:{}", to - std::min(to, wave_cycles), to);
    words.insert(words.end(),
                 {"--wave", file, "--wave-window", window, "--stop-at", std::to_string(to)});
  } else {
    words.insert(words.end(),
                 {"--wave-on-fail", file, "--wave-cycles", std::to_string(wave_cycles)});
  }
  return words;
}

// A run that did not end by itself may have left half a page.
void take_page(const std::string& file, const Ending& ending, Result* result) {
  if (ending.timed_out || ending.exit_status == -1) fs::remove(file);
  result->page = fs::exists(file) ? file : "";
}

// What runs the job, with the result of its run in `json`.
Command command_of_job(const Job& job, const std::string& output, const std::string& json) {
  Command command = command_of(job.words, output);
  if (job.is_gtest()) {
    forget_gtest_variables();
    command.words.push_back("--gtest_output=json:" + json);
    if (job.has_seed) command.environment = {{"TORUSMU_SEED", std::to_string(job.seed)}};
  } else if (!job.is_run()) {
    command.words.insert(command.words.end(), {"--json", json});
  }
  return command;
}

// Once more as it was. Nothing: this process was asked to end.
std::optional<Result> repeat_as_it_was(const std::string& folder, Signals* signals,
                                       Result* result) {
  const std::string json = folder + "again.json";
  Result again;
  again.job = result->job;
  again.output = folder + "again.txt";
  auto ending = run(command_of_job(again.job, again.output, json), again.job.time_limit, signals,
                    &again.seconds);
  if (!ending) return std::nullopt;
  result->repeat_seconds += again.seconds;
  ending->json = text_of(json);
  judge(*ending, &again);
  return again;
}

std::string again_text(Status before, Status now) {
  return fmt::format("{}{}", status_name(now), now == before ? " again" : "");
}

// False: this process was asked to end.
bool repeat_without_waves(const std::string& folder, Signals* signals, Result* result) {
  const auto again = repeat_as_it_was(folder, signals, result);
  if (!again) return false;
  result->repeated =
      again->passed()
          ? fmt::format("passed when it was repeated: the seed alone does not decide; {}",
                        again->output)
          : fmt::format("{} when it was repeated: {}", again_text(result->status, again->status),
                        again->output);
  return true;
}

// It passed when it was repeated with waves, on the fast engine: what that comes from shows once it
// has been repeated as it was. False: this process was asked to end.
bool explain_pass(const std::string& folder, Signals* signals, Result* result) {
  const bool on_another = is_on_mesh_engine(result->job);
  const char* const where = on_another ? "on the fast engine with waves" : "with waves";
  const auto again = repeat_as_it_was(folder, signals, result);
  if (!again) return false;
  result->repeated =
      again->passed()
          ? fmt::format(
                "passed when it was repeated {} and when it was repeated as it was: the "
                "seed alone does not decide; {}",
                where, again->output)
          : fmt::format(
                "passed when it was repeated {}, {} when it was repeated as it was: {}; {}", where,
                again_text(result->status, again->status),
                on_another ? "the engines differ" : "the programs with waves and without differ",
                again->output);
  return true;
}

// What a repetition on the fast engine that failed says of the failure.
std::string word_on_repetition(const Job& job, bool broken_off) {
  const char* const where = is_on_mesh_engine(job) ? " on the fast engine" : "";
  return broken_off
             ? fmt::format("repeated with waves{} up to the last cycle that it had reached", where)
             : fmt::format("failed again when it was repeated with waves{}", where);
}

// False: this process was asked to end.
bool repeat_with_waves(const std::string& folder, std::uint64_t wave_cycles, bool broken_off,
                       const MachineTests* machines, Signals* signals, Result* result) {
  const Job& job = result->job;
  const std::string traced = job.words.front() + "-wave";
  if (result->cycles == 0) {
    result->repeated = "no waves: the run ended before its first cycle";
    return true;
  }
  if (const std::string why = machines->why_no_waves(traced); !why.empty()) {
    result->repeated = "no waves: " + why;
    return true;
  }
  const std::string waves = folder + "waves.fst";
  const std::string page = folder + "report.html";
  std::vector<std::string> words = words_with_waves(*result, broken_off, waves, wave_cycles);
  // For its waves this run is watched anyway.
  if (result->page.empty()) words.insert(words.end(), {"--report", page});
  const auto ending =
      run(command_of(words, folder + "waves.txt"),
          std::min(kWavesTakeLonger * job.time_limit, std::max(kLongForWaves, job.time_limit)),
          signals, &result->repeat_seconds);
  if (!ending) return false;
  const bool passed = ending->exit_status == 0 && !ending->timed_out;
  if (result->page.empty()) {
    // It would show nothing of the failure.
    if (passed) fs::remove(page);
    take_page(page, *ending, result);
  }
  if (ending->timed_out) {
    result->repeated =
        fmt::format("no waves: not done after {:.0f} s with them", result->repeat_seconds);
    return true;
  }
  // A run that finds no room for them fails as it did before.
  if (!passed && (ending->exit_status != 1 || !fs::exists(waves))) {
    const std::string word = last_word(ending->output);
    result->repeated = fmt::format("no waves: what it said with them is in {}waves.txt{}{}", folder,
                                   word.empty() ? "" : ": ", word);
    return true;
  }
  if (passed) return explain_pass(folder, signals, result);
  result->repeated = word_on_repetition(job, broken_off);
  result->waves = waves;
  if (fs::exists(folder + "waves.gtkw")) result->view = folder + "waves.gtkw";
  return true;
}

Job read_job(const std::string& path, Extras* extras) {
  const std::string text = read_file(path + "job.json");
  try {
    const auto json = nlohmann::json::parse(text);
    json.at("wave_cycles").get_to(extras->wave_cycles);
    json.at("page").get_to(extras->page);
    return job_from_json(json.at("job"));
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("{}job.json: {}", path, error.what()));
  }
}

}  // namespace

void write_job(const RunFolder& folder, const Job& job, const Extras& extras) {
  const std::string path = folder.of_job(job.number);
  make_folder(path);
  const nlohmann::json json = {
      {"job", job_to_json(job)}, {"wave_cycles", extras.wave_cycles}, {"page", extras.page}};
  write_whole(path + "job.json", json_text(json));
}

Job read_job(const RunFolder& folder, std::size_t number) {
  Extras extras;
  return read_job(folder.of_job(number), &extras);
}

int run_task(const RunFolder& folder, std::size_t number, const MachineTests* machines) {
  const std::string path = folder.of_job(number);
  Result result;
  Extras extras;
  result.job = read_job(path, &extras);
  Signals signals;
  const Job& job = result.job;
  result.output = path + "output.txt";
  const std::string json = path + "run.json", page = path + "report.html";
  // A task that is run again has nothing from before.
  for (const char* file : {"result.json", "run.json", "report.html", "cycle", "waves.fst",
                           "waves.gtkw", "waves.sucl", "waves.txt", "again.txt", "again.json"}) {
    fs::remove(path + file);
  }
  if (!job.results.empty()) fs::remove(job.results);
  Command command = command_of_job(job, result.output, json);
  if (job.has_waves()) {
    command.words.insert(command.words.end(), {"--cycle-file", path + "cycle"});
    // A bench would measure less speed.
    if (extras.page) command.words.insert(command.words.end(), {"--report", page});
  }
  result.host = host_name();
  result.started =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto ending = run(command, job.time_limit, &signals, &result.seconds);
  if (!ending) return 1;
  take_page(page, *ending, &result);
  ending->json = text_of(job.results.empty() ? json : job.results);
  ending->lacks_page = extras.page && job.has_waves() && result.page.empty();
  judge(*ending, &result);
  // A figure beyond its limit is there without a repetition and waves.
  const bool fulfilled = result.passed();
  if (fulfilled) judge_limits(&result);
  // What did not come to its end has told nothing of its cycles.
  const bool broken_off = !fulfilled && result.cycles == 0;
  if (broken_off) result.cycles = read_cycle_file(path + "cycle").value_or(0);
  // Of a run whose checks all passed, though one was to fail, waves have nothing to show.
  const bool passed_against_the_plan =
      result.status == Status::kFailed && result.failures.empty() && job.expect == Expect::kFail;
  if (!fulfilled && !passed_against_the_plan && extras.wave_cycles != 0) {
    const bool repeated = job.has_waves() ? repeat_with_waves(path, extras.wave_cycles, broken_off,
                                                              machines, &signals, &result)
                                          : repeat_without_waves(path, &signals, &result);
    if (!repeated) return 1;
  }
  write_whole(path + "result.json", json_text(result_to_json(result)));
  return 0;
}

}  // namespace torusmu::lab
