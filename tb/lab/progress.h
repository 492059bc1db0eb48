// SPDX-License-Identifier: Apache-2.0
// A line on a terminal that tells how far a run is. Into a pipe or a file it writes nothing.
#ifndef TORUSMU_TB_LAB_PROGRESS_H_
#define TORUSMU_TB_LAB_PROGRESS_H_

#include <cstddef>

#include "tb/lab/child.h"

namespace torusmu::lab {

class Progress {
 public:
  explicit Progress(std::size_t tests);

  void add(bool passed);
  void show(std::size_t running);
  // Takes the line away, for other text to be printed.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::size_t tests_, done_ = 0, failed_ = 0;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_PROGRESS_H_
