// SPDX-License-Identifier: Apache-2.0
// Processes that the runner starts, and the signals that tell of them.
#ifndef TORUSMU_TB_LAB_CHILD_H_
#define TORUSMU_TB_LAB_CHILD_H_

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace torusmu::lab {

using Clock = std::chrono::steady_clock;

// While it lives, SIGCHLD, SIGINT, SIGTERM and SIGHUP come to wait() instead of ending the process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Returns early for a signal. True: the user or the system wants this process to end. Once true
  // it stays so.
  bool wait(std::chrono::milliseconds at_most);
  [[nodiscard]] bool end_wanted() const { return end_wanted_; }

 private:
  sigset_t waited_for_{}, before_{};
  bool end_wanted_ = false;
};

struct Command {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  // besides what there is
  std::string output;                                            // file for both its streams
  // Comes to it if this process ends first, however that ends.
  int signal_if_orphaned = SIGKILL;
};

// A process in a group of its own; whatever of the group is left goes with it.
class Child {
 public:
  // Throws UsageError with the system's reason if it cannot be started.
  explicit Child(const Command& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True once it has ended; from then on the rest is known.
  bool has_ended();
  // To all of its group.
  void send(int signal) const;
  // Asks it to end, and after `patience` makes it end. Returns when it has.
  void end(std::chrono::milliseconds patience);

  [[nodiscard]] int exit_status() const;  // -1: a signal ended it
  [[nodiscard]] int end_signal() const;   // 0: none
  [[nodiscard]] Clock::time_point started() const { return started_; }

 private:
  pid_t pid_ = 0;
  bool ended_ = false;
  int status_ = 0;
  Clock::time_point started_ = Clock::now();
};

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_CHILD_H_
