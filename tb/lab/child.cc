// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "sim/machine/errors.h"

namespace torusmu::lab {
namespace {

constexpr std::array kWaitedFor{SIGCHLD, SIGINT, SIGTERM, SIGHUP};
constexpr unsigned kReadable = 0644;

// In the new process: becomes the command, or reports errno to `report` and ends.
[[noreturn]] void become(const Command& command, pid_t parent, int report) {
  const auto give_up = [report] {
    const int reason = errno;
    const ssize_t written = write(report, &reason, sizeof reason);
    _exit(written == sizeof reason ? 127 : 126);
  };
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // The parent may have ended before prctl.
  if (prctl(PR_SET_PDEATHSIG, command.signal_if_orphaned) != 0 || getppid() != parent) give_up();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadable);
  if (nothing < 0 || out < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(out, STDERR_FILENO) < 0) {
    give_up();
  }
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  words.reserve(command.words.size() + 1);
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  give_up();
  _exit(127);
}

}  // namespace

Signals::Signals() {
  sigemptyset(&waited_for_);
  // Nobody is told of the end of a child if that is ignored, as a parent may have left it.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, nullptr);
  for (const int signal : kWaitedFor) {
    // What is ignored stays so: nohup, or a job in the background of a script.
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&waited_for_, signal);
  }
  sigprocmask(SIG_BLOCK, &waited_for_, &before_);
}

Signals::~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool Signals::wait(std::chrono::milliseconds at_most) {
  constexpr long kNanoseconds = 1'000'000;
  const timespec limit{.tv_sec = at_most.count() / 1000,
                       .tv_nsec = at_most.count() % 1000 * kNanoseconds};
  const int signal = sigtimedwait(&waited_for_, nullptr, &limit);
  end_wanted_ |= signal > 0 && signal != SIGCHLD;
  return end_wanted_;
}

Child::Child(const Command& command) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw UsageError("no pipe for a child process");
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(command, parent, pipe[1]);
  int reason = pid_ < 0 ? errno : 0;
  close(pipe[1]);
  // The pipe closes without a word when the child has become the command.
  if (pid_ > 0) {
    setpgid(pid_, pid_);
    while (read(pipe[0], &reason, sizeof reason) < 0 && errno == EINTR) continue;
  }
  close(pipe[0]);
  if (reason == 0) return;
  if (pid_ > 0) waitpid(pid_, &status_, 0);
  throw UsageError(fmt::format("cannot start {} with its output in {}: {}", command.words.front(),
                               command.output, std::strerror(reason)));
}

Child::~Child() {
  if (!ended_) end(std::chrono::milliseconds(0));
}

bool Child::has_ended() {
  if (ended_) return true;
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
  // As long as it has not been waited for, nobody else can get its number.
  send(SIGKILL);
  ended_ = waitpid(pid_, &status_, 0) == pid_;
  return ended_;
}

void Child::send(int signal) const { kill(-pid_, signal); }

void Child::end(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kStep{10};
  send(SIGTERM);
  for (const auto deadline = Clock::now() + patience; Clock::now() < deadline;) {
    if (has_ended()) return;
    std::this_thread::sleep_for(kStep);
  }
  while (!has_ended()) {
    send(SIGKILL);
    std::this_thread::sleep_for(kStep);
  }
}

int Child::exit_status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
int Child::end_signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

}  // namespace torusmu::lab
