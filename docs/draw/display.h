// SPDX-License-Identifier: Apache-2.0
// A display that nobody sees, and pictures of what programs draw on it.
#ifndef TORUSMU_DOCS_DRAW_DISPLAY_H_
#define TORUSMU_DOCS_DRAW_DISPLAY_H_

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "docs/draw/picture.h"

namespace torusmu::draw {

// Xvfb on a display number of its own. What runs on it should end, or be ended, before it does.
class Display {
 public:
  // Throws std::runtime_error if Xvfb does not start within 20 seconds.
  Display(unsigned width, unsigned height);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // What is to be seen at this moment.
  [[nodiscard]] Picture picture() const;
  // Waits until `good` holds of a picture that has not changed for half a second, or until `limit`
  // is over; returns the last picture either way.
  [[nodiscard]] Picture wait_for(const std::function<bool(const Picture&)>& good,
                                 std::chrono::seconds limit) const;
  // The variables of a program's environment that make it draw here, whatever settings the user
  // has: words for env(1).
  [[nodiscard]] std::string environment() const;

 private:
  std::filesystem::path folder_;
  pid_t server_ = -1;
  std::string number_;
};

// A shell command with a process group of its own; at the end of its life all of the group is
// killed. Its output goes to `log`.
class Background {
 public:
  Background(const std::string& command, const std::filesystem::path& log);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  pid_t leader_ = -1;
};

// Does a picture show GTKWave with the names and the waves of at least `least` signals?
bool shows_waves(const Picture& picture, unsigned least);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_DISPLAY_H_
