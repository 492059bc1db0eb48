// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/display.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>

namespace torusmu::draw {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "torusmu-display-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

void send_output_to(const fs::path& log) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
}

// Says "end" to a process, or to a group if `pid` is negative; after five seconds "die".
void finish(pid_t pid) {
  kill(pid, SIGTERM);
  const pid_t child = pid < 0 ? -pid : pid;
  for (int i = 0; i < 100; ++i) {
    if (waitpid(child, nullptr, WNOHANG) == child) {
      if (pid < 0) kill(pid, SIGKILL);
      return;
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  kill(pid, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

Display::Display(unsigned width, unsigned height) : folder_(new_folder()) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe to be had");
  const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
  const std::string number_to = std::to_string(ends[1]);
  server_ = fork();
  if (server_ == 0) {
    close(ends[0]);
    send_output_to(folder_ / "Xvfb.log");
    execlp("Xvfb", "Xvfb", "-displayfd", number_to.c_str(), "-screen", "0", screen.c_str(),
           "-fbdir", folder_.c_str(), "-nolisten", "tcp", nullptr);
    _exit(127);
  }
  close(ends[1]);
  // The server writes its number and a newline once it can be reached; if it ends, so does the
  // pipe.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  bool open = server_ > 0;
  while (open && !number_.ends_with('\n') && steady_clock::now() < deadline) {
    std::array<char, 16> text{};
    const ssize_t got = read(ends[0], text.data(), text.size());
    if (got > 0) number_.append(text.data(), static_cast<std::size_t>(got));
    open = got != 0;
    std::this_thread::sleep_for(milliseconds(20));
  }
  close(ends[0]);
  if (!number_.ends_with('\n')) {
    if (server_ > 0) finish(server_);
    fs::remove_all(folder_);
    throw std::runtime_error("Xvfb did not start within 20 seconds");
  }
  number_.pop_back();
}

Display::~Display() {
  finish(server_);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Picture Display::picture() const { return read_xwd(folder_ / "Xvfb_screen0"); }

Picture Display::wait_for(const std::function<bool(const Picture&)>& good,
                          std::chrono::seconds limit) const {
  const auto deadline = steady_clock::now() + limit;
  Picture last = picture();
  while (steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(500));
    Picture next = picture();
    if (next == last && good(next)) return next;
    last = std::move(next);
  }
  return last;
}

std::string Display::environment() const {
  return "-u WAYLAND_DISPLAY DISPLAY=:" + number_ +
         " GDK_BACKEND=x11 NO_AT_BRIDGE=1 HOME=" + folder_.string() +
         " XDG_CONFIG_HOME=" + folder_.string();
}

Background::Background(const std::string& command, const fs::path& log) {
  leader_ = fork();
  if (leader_ == 0) {
    setpgid(0, 0);
    send_output_to(log);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (leader_ < 0) throw std::runtime_error("cannot start " + command);
  setpgid(leader_, leader_);
}

Background::~Background() { finish(-leader_); }

bool shows_waves(const Picture& picture, unsigned least) {
  // GTKWave draws waves in bright green on black, and names in black on a light ground left of
  // them. Rows that have some make up a line of either; lines are apart.
  const auto is_wave = [](Colour c) { return c.green > 150 && c.red < 90 && c.blue < 90; };
  const auto is_dark = [](Colour c) { return c.red < 60 && c.green < 60 && c.blue < 60; };
  const auto is_light = [](Colour c) { return c.red > 200 && c.green > 200 && c.blue > 200; };
  constexpr unsigned kWaveWidth = 100;  // pixels of a row that tell a wave from an edge
  unsigned waves = 0, names = 0;
  bool in_wave = false, in_name = false;
  for (unsigned y = 0; y < picture.height; ++y) {
    unsigned green = 0, dark = 0, light = 0;
    for (unsigned x = 0; x < picture.width; ++x) {
      const Colour colour = picture.at(x, y);
      green += is_wave(colour) ? 1 : 0;
      if (x >= picture.width / 4) continue;
      dark += is_dark(colour) ? 1 : 0;
      light += is_light(colour) ? 1 : 0;
    }
    const bool wave = green >= kWaveWidth;
    const bool name = dark > 2 && dark < light;
    waves += wave && !in_wave ? 1 : 0;
    names += name && !in_name ? 1 : 0;
    in_wave = wave;
    in_name = name;
  }
  return waves >= least && names >= least;
}

}  // namespace torusmu::draw
