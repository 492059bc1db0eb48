// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "sim/observe/note.h"
#include "tb/lab/summary.h"

namespace torusmu::lab {

Progress::Progress(std::size_t tests) : terminal_(isatty(STDERR_FILENO) != 0), tests_(tests) {}

void Progress::add(bool passed) {
  ++done_;
  failed_ += passed ? 0 : 1;
}

// The tests that are left are taken to need what those that are done needed in the mean.
void Progress::show(std::size_t running) {
  if (!terminal_) return;
  std::string left;
  if (done_ != 0) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    left =
        ", about " +
        duration_text(seconds * static_cast<double>(tests_ - done_) / static_cast<double>(done_)) +
        " left";
  }
  note(fmt::format("\r{} of {} tests done, {} failed, {} running{}\033[K", done_, tests_, failed_,
                   running, left));
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  note("\r\033[K");
  shown_ = false;
}

}  // namespace torusmu::lab
