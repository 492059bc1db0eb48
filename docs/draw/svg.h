// SPDX-License-Identifier: Apache-2.0
// Drawings in SVG: the same bytes on every machine, no matter which fonts it has.
#ifndef TORUSMU_DOCS_DRAW_SVG_H_
#define TORUSMU_DOCS_DRAW_SVG_H_

#include <string>
#include <string_view>
#include <vector>

namespace torusmu::draw {

struct Point {
  int x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Box {
  int x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] int right() const { return x + width; }
  [[nodiscard]] int bottom() const { return y + height; }
  [[nodiscard]] bool has_on_its_edge(Point at) const {
    const bool beside = at.x >= x && at.x <= right() && at.y >= y && at.y <= bottom();
    return beside && (at.x == x || at.x == right() || at.y == y || at.y == bottom());
  }
};

// How wide a text is at most: letters of a fixed width, in pixels.
int text_width(std::string_view text, int size);

// The lines of a text that is broken between words to be at most `width` pixels wide.
std::vector<std::string> lines_of(const std::string& text, int size, int width);

// Classes name looks that the style sheet of every drawing has; see svg.cc.
class Svg {
 public:
  Svg(int width, int height, const std::string& title);

  void box(const Box& box, const std::string& look, int rounding = 4);
  // Anchor: start, middle or end. `at` is on the line on which the letters stand.
  void text(Point at, const std::string& text, const std::string& look, int size,
            const std::string& anchor = "start");
  // Arrow heads at the end, and at the start if it goes both ways.
  void arrow(const std::vector<Point>& points, const std::string& look, bool both_ways = false);

  // All of it.
  [[nodiscard]] std::string str() const;

 private:
  std::string text_;
};

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_SVG_H_
