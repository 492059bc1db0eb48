// SPDX-License-Identifier: Apache-2.0
#include "sim/app/wave_on_fail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "sim/app/wave_build.h"
#include "sim/machine/errors.h"
#include "sim/observe/note.h"
#include "sim/observe/output_file.h"
#include "sim/observe/quoted.h"
#include "sim/observe/wave_view.h"

namespace torusmu {
namespace {

// The words of this process, without what a repetition must not do again.
std::vector<std::string> words_to_repeat() {
  constexpr std::array kLeftOut{"--wave-on-fail", "--wave-cycles", "--json", "--report",
                                "--messages",     "--links",       "--ftr"};
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  bool skip = false;
  for (std::string word; std::getline(file, word, '\0');) {
    if (skip) {
      skip = false;
      continue;
    }
    const bool is_out = std::any_of(kLeftOut.begin(), kLeftOut.end(), [&](const char* option) {
      skip = skip || word == option;  // its value is the next word
      return word == option || word.starts_with(std::string(option) + "=");
    });
    if (!is_out && word != "--quiet") words.push_back(word);
  }
  return words;
}

struct Repetition {
  int status = -1;     // exit status; -1: a signal ended it
  std::string errors;  // what it printed to stderr; stdout is not kept
};

Repetition run_silently(const std::string& program, std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw UsageError("no pipe to start " + program);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  Repetition repetition;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 1; error == 0 && got != 0;) {
    got = read(pipe[0], buffer.data(), buffer.size());
    if (got < 0 && errno != EINTR) break;
    if (got > 0) repetition.errors.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(pipe[0]);
  if (error != 0) throw UsageError("cannot start " + program);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return repetition;
  }
  if (WIFEXITED(status)) repetition.status = WEXITSTATUS(status);
  return repetition;
}

// Of a repetition that ended with 2: its words have been good before, so this is about the waves.
std::string cause_of(const std::string& errors) {
  constexpr std::string_view kProgram = "torusmu: ";
  const std::size_t at = errors.rfind(kProgram);
  if (at == std::string::npos) return "exit status 2";
  const std::size_t from = at + kProgram.size();
  return errors.substr(from, errors.find('\n', from) - from);
}

}  // namespace

void require_wave_on_fail(const Options& options, const MachineConfig& config) {
  const std::string& file = options.wave_on_fail;
  if (file.empty()) return;
  if (!file.ends_with(".fst")) {
    throw UsageError(
        fmt::format("--wave-on-fail \"{}\": must be a file name that ends with .fst", file));
  }
  if (!options.wave.empty() || !options.wave_window.empty()) {
    throw UsageError("--wave-on-fail chooses the cycles by itself: not with --wave");
  }
  if (config.kind == EngineKind::kMesh) {
    throw UsageError("--wave-on-fail works with --engine fast only");
  }
  require_wave_program("--wave-on-fail");
  require_writable("--wave-on-fail", file);
}

void wave_the_failure(const Options& options, const std::optional<CycleWindow>& window) {
  const std::string& file = options.wave_on_fail;
  if (file.empty() || !window) return;
  std::vector<std::string> words = words_to_repeat();
  for (const std::string& word :
       {std::string("--quiet"), std::string("--wave"), file, std::string("--wave-window"),
        fmt::format("{}:{}", window->from, window->to)}) {
    words.push_back(word);
  }
  (void)std::fflush(stdout);
  const Repetition repetition = run_silently(wave_program(), words);
  const int status = repetition.status;
  if (status == 2) {
    fmt::print("waves of the failure: {}\n", cause_of(repetition.errors));
    return;
  }
  if (status != 1) {
    note(repetition.errors);
    fmt::print("waves of the failure: the run played again did not fail in the same way ({})\n",
               status < 0 ? "a signal ended it" : fmt::format("exit status {}", status));
    return;
  }
  fmt::print("waves of cycles {} to {}, {} the failure: {}\n", window->from, window->to,
             window->has_failure ? "before" : "of what came long before",
             quoted({"gtkwave", "-a", view_file_of(file), file}));
}

}  // namespace torusmu
