// SPDX-License-Identifier: Apache-2.0
// A wave file that cannot be written whole, told and taken away. The writer of FST looks at no
// answer of the system, and maps files that it believes to have written.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_WRITING_H_
#define TORUSMU_SIM_OBSERVE_WAVE_WRITING_H_

#include <csignal>
#include <string>

namespace torusmu {

// Stands for one file, from before it is opened until it is closed; one at a time.
class WaveWriting {
 public:
  // `else_there` is said behind the reason: what there is though the file could not be written.
  explicit WaveWriting(std::string file, const std::string& else_there = "");
  ~WaveWriting();
  WaveWriting(const WaveWriting&) = delete;
  WaveWriting& operator=(const WaveWriting&) = delete;

  // Throws UsageError if anything could not be written so far; the file is gone then. It says so
  // once only.
  void check();
  // The same for a file that the writer could not open.
  [[noreturn]] void fail();

 private:
  static void on_bus_error(int signal, siginfo_t* info, void* context);
  void remove_files() const;

  std::string file_, hierarchy_;  // the writer's own, beside it until it is closed
  std::string begin_, end_;       // of what is said, around the reason
  bool told_ = false;
  struct sigaction before_ {};
};

// For the wrappers around what the writer calls: the first reason since the last reset counts.
void note_wave_error(int reason);
// 0: none.
int wave_error();
void reset_wave_error();

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_WRITING_H_
