// SPDX-License-Identifier: Apache-2.0
// The pieces that pictures of the report page are made of: SVG by hand, looks by the style sheet of
// the page.
#ifndef TORUSMU_SIM_OBSERVE_REPORT_PAGE_PLOT_H_
#define TORUSMU_SIM_OBSERVE_REPORT_PAGE_PLOT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/observe/report_page/run_record.h"

namespace torusmu::report_page {

// Text for HTML and SVG, attributes too: & < > " ' as entities, control characters as U+FFFD.
std::string escaped(std::string_view text);
// "12,345"
std::string with_commas(std::uint64_t number);
// "(1,0,2)"
std::string place(const Shape& shape, NodeId node);

// Round numbers from 0 or `from` to `to` at most, about `wanted` of them.
std::vector<double> ticks(double from, double to, unsigned wanted);

// The cycles of a run along a picture. Stretches in which no message was under way are cut short,
// so that what happened has the room. Positions go from 0 to length(), one a cycle outside of cuts.
class TimeAxis {
 public:
  struct Piece {
    Cycles from, to;
    double at;  // position of `from`
  };
  explicit TimeAxis(const RunRecord& run);

  [[nodiscard]] double at(Cycles cycle) const;
  [[nodiscard]] double length() const { return end_of(pieces_.back()); }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  // Position behind a piece.
  static double end_of(const Piece& piece) {
    return piece.at + static_cast<double>(piece.to - piece.from);
  }
  // For the script of the page: "from,to,at;from,to,at".
  [[nodiscard]] std::string str() const;

 private:
  std::vector<Piece> pieces_;
};

// An SVG picture of fixed size that scales with the page. Text of callers is escaped here.
class Picture {
 public:
  Picture(const std::string& id, const std::string& title, int width, int height);

  void box(double x, double y, double width, double height, const std::string& look,
           const std::string& hover = "");
  void line(double x1, double y1, double x2, double y2, const std::string& look,
            const std::string& hover = "");
  // Anchor: start, middle or end.
  void text(double x, double y, const std::string& text, const std::string& look = "",
            const std::string& anchor = "start");
  void upright_text(double x, double y, const std::string& text);
  // Corners as "x,y x,y ..."
  void polygon(const std::string& corners, const std::string& look, const std::string& hover = "");
  void polyline(const std::string& points, const std::string& look);

  // What is drawn until end_of_time() has positions of `axis` for x and starts at `top` for y, and
  // the script of the page can enlarge a part of it. Cuts and the numbers below are drawn too.
  void begin_time(const TimeAxis& axis, double left, double top, double width, double height);
  void end_of_time() { text_ += "</svg>\n"; }

  // What is drawn until end_of_group() is one group of that class.
  void begin_group(const std::string& look);
  void end_of_group() { text_ += "</g>\n"; }
  // The next shape has that attribute.
  void next_has(const std::string& attribute, const std::string& value);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] std::string str() const { return text_ + "</svg>\n"; }

 private:
  std::string take_attribute() { return std::exchange(attribute_, {}); }

  int width_;
  std::string text_;
  std::string attribute_;  // of the next shape
};

// A part of a picture with a scale on each side.
class Chart {
 public:
  struct Scale {
    double from = 0, to = 1;
    std::string label;  // with the unit
    bool is_logarithmic = false;
  };
  // The inner area; labels stand left of it and below.
  Chart(Picture& picture, double left, double top, double width, double height, const Scale& x,
        const Scale& y);

  // Lines of the grid, numbers and labels.
  void draw_axes();
  // The same of x alone, for rows of bars.
  void draw_grid_of_x();
  // The same of y alone, where x is time.
  void draw_axis_of_y();
  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return left_ + width_; }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] double bottom() const { return top_ + height_; }

 private:
  static double part_of(const Scale& scale, double value);

  Picture& picture_;
  double left_, top_, width_, height_;
  Scale x_, y_;
};

// --- the pictures
// --------------------------------------------------------------------------------- `id` names the
// picture in the page. Each is a <figure> or a sentence that says why there is none.

std::string heat_map(const std::string& id, const RunRecord& run);
std::string busiest_links(const RunRecord& run);
std::string timeline(const std::string& id, const RunRecord& run, const TimeAxis& axis);
// A table of what was sent and did not arrive; empty if all did.
std::string never_arrived(const std::string& id, const RunRecord& run);
std::string latency_histogram(const std::string& id, const RunRecord& run);
struct HistogramTexts {
  std::string title, axis, what, unit;  // "latency of messages", "latency", "messages", "cycles"
  std::string definition = {};          // what the axis is, in words, for the caption
};
// At least one value; they come in any order.
std::string histogram(const std::string& id, const HistogramTexts& texts,
                      std::vector<std::uint64_t> values);
std::string queue_depths(const std::string& id, const RunRecord& run, const TimeAxis& axis);
// With `wave_command`, to which --wave can be added, each of the slowest has the command that shows
// it in the waves.
std::string slowest_stages(const std::string& id, const RunRecord& run,
                           const std::string& wave_command);

// What the stages of a message are called, in their order; look "stageN" colours them.
inline constexpr std::array<const char*, 5> kStageNames{
    "call to doorbell", "doorbell to first flit", "first flit to last at the target",
    "there to in memory", "in memory to the program"};
struct StageTime {
  std::size_t stage;  // of kStageNames: the one that ends here
  Cycles from, to;
};
// The stages of a message; one that is not known is part of the next that is.
std::vector<StageTime> stages_of(const Message& message);
// The colours of the stages that occur in `messages`, with their names.
std::string stage_legend(const std::vector<const Message*>& messages);

}  // namespace torusmu::report_page

#endif  // TORUSMU_SIM_OBSERVE_REPORT_PAGE_PLOT_H_
