// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/observe/output_file.h"
#include "sim/observe/view_items.h"
#include "sim/observe/wave_view.h"

namespace torusmu {
namespace {

// Flags of a save file that stand before titles.
constexpr const char* kComment = "@200";
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kCloseGroup = "@1000200";
// Of a group that is folded up.
constexpr const char* kOpenFolded = "@c00200";
constexpr const char* kCloseFolded = "@1401200";

// The window, in pixels: fits a common screen; what lies left and right of the waves takes its
// part.
constexpr int kWindowWidth = 1600, kWindowHeight = 1030;
constexpr int kNamesWidth = 400, kTreeWidth = 30;
constexpr int kWavesWidth = kWindowWidth - kNamesWidth - 60;
constexpr int kFrameWidth = 200;
constexpr std::size_t kMostMarks = 26;  // A to Z
constexpr std::size_t kLongMarkText = 26;
constexpr double kCharacterWidth = 8;  // of the name of a marker, in pixels

// `text` as a line that the part with the names has room for.
std::string fitting(const std::string& text) {
  if (text.size() <= kMostCharacters) return text;
  return fmt::format("{:.{}}...", text, kMostCharacters - 3);
}

class SaveFile final : public ViewWriter {
 public:
  void open(const std::string& title, bool folded) override {
    line(folded ? kOpenFolded : kOpenGroup);
    line("-" + fitting(title));
  }
  void close(const std::string& title, bool folded) override {
    line(folded ? kCloseFolded : kCloseGroup);
    line("-" + fitting(title));
  }
  void signal(const ViewFormat& format, const std::string& label,
              const std::string& name) override {
    line(format.gtkwave);
    line(fmt::format("+{{{}}} {}", label, name));
  }
  void comment(const std::string& text) override {
    line(kComment);
    line("-" + fitting(text));
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Whether the name of a marker ends before the next marker, or the window, does.
bool has_room(const WaveView& view, std::size_t number) {
  const double pixels_of_cycle =
      kWavesWidth / static_cast<double>(std::max<Cycles>(view.to - view.from, 1));
  Cycles next = view.to;
  for (const Act::Mark& mark : view.marks) {
    if (mark.cycle >= view.marks[number].cycle && &mark != &view.marks[number]) {
      next = std::min(next, mark.cycle);
    }
  }
  const Cycles room = next - std::min(next, view.marks[number].cycle);
  return static_cast<double>(room) * pixels_of_cycle >=
         kCharacterWidth * static_cast<double>(view.marks[number].text.size());
}

// What the markers stand for, before all signals.
void add_marks(SaveFile& save, const WaveView& view) {
  for (std::size_t i = 0; i < std::min(view.marks.size(), kMostMarks); ++i) {
    save.comment(fmt::format("{}: cycle {}, {}", static_cast<char>('A' + i), view.marks[i].cycle,
                             view.marks[i].text));
  }
}

// Where the window stands, and the named markers.
void add_window(SaveFile& save, const WaveView& view) {
  const double units =
      static_cast<double>(std::max<Cycles>(view.to - view.from, 1) * kWaveUnitsPerCycle);
  save.line(fmt::format("[timestart] {}", view.from * kWaveUnitsPerCycle));
  save.line(fmt::format("[size] {} {}", kWindowWidth, kWindowHeight));
  save.line("[pos] 0 0");
  // Zoom z shows 2^-z units in a frame of 200 pixels. Behind it the unnamed marker and A to Z, -1
  // where there is none.
  std::string markers = fmt::format("*{:.6f}", -std::log2(units * kFrameWidth / kWavesWidth));
  // The unnamed one stands on the last: its values are those beside the names.
  markers +=
      view.marks.empty() ? " -1" : fmt::format(" {}", view.marks.back().cycle * kWaveUnitsPerCycle);
  for (std::size_t i = 0; i < kMostMarks; ++i) {
    markers += i < view.marks.size() ? fmt::format(" {}", view.marks[i].cycle * kWaveUnitsPerCycle)
                                     : " -1";
  }
  save.line(markers);
  for (std::size_t i = 0; i < std::min(view.marks.size(), kMostMarks); ++i) {
    const std::string& text = view.marks[i].text;
    if (!has_room(view, i)) continue;  // its letter is shown, and the list says what it stands for
    save.line(fmt::format("[markername{}] {}{}", text.size() > kLongMarkText ? "long" : "",
                          static_cast<char>('A' + i), text));
  }
  save.line(fmt::format("[sst_width] {}", kTreeWidth));
  save.line(fmt::format("[signals_width] {}", kNamesWidth));
  save.line("[sst_expanded] 0");
}

}  // namespace

std::string view_file_of(const std::string& fst_file) {
  constexpr std::string_view kEnd = ".fst";
  std::string path = fst_file;
  if (path.ends_with(kEnd)) path.resize(path.size() - kEnd.size());
  return path + ".gtkw";
}

void write_gtkwave_save_file(const std::string& fst_file, const WaveView& view) {
  SaveFile save;
  add_window(save, view);
  add_marks(save, view);
  write_view_items(view, save);
  write_output_file("view of the waves", view_file_of(fst_file), save.text());
}

}  // namespace torusmu
