// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "sim/observe/note.h"

namespace torusmu {

std::function<void(const Machine&, bool stopped)> terminal_progress(bool quiet) {
  if (quiet || isatty(STDERR_FILENO) == 0) return {};
  using Clock = std::chrono::steady_clock;
  return [begin = Clock::now(), shown = false](const Machine& machine, bool stopped) mutable {
    if (stopped) {
      if (shown) note("\r\033[K");
      shown = false;
    } else if (Clock::now() - begin > std::chrono::seconds(2)) {
      shown = true;
      note(fmt::format("\r{}: cycle {}, {:.1f} million node-cycles a second \033[K",
                       shape_name(machine.shape()), machine.now(),
                       static_cast<double>(machine.elapsed_node_cycles()) /
                           std::chrono::duration<double>(Clock::now() - begin).count() / 1e6));
    }
  };
}

}  // namespace torusmu
