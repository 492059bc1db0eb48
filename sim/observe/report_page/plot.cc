// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/report_page/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torusmu::report_page {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if ((code < ' ' && c != '\n' && c != '\t') || code == 0x7f) {
      result += "&#xfffd;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string place(const Shape& shape, NodeId node) {
  const Coordinates at = shape.coordinates(node);
  return fmt::format("({},{},{})", at.x, at.y, at.z);
}

std::vector<double> ticks(double from, double to, unsigned wanted) {
  if (!(to > from)) return {from};
  const double rough = (to - from) / std::max(1U, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> result;
  for (double i = std::ceil(from / step); i * step <= to * (1 + 1e-9); ++i) {
    result.push_back(i * step);
  }
  return result;
}

// --- time ---------------------------------------------------------------------------------------

TimeAxis::TimeAxis(const RunRecord& run) {
  std::vector<std::pair<Cycles, Cycles>> spans;
  for (const auto* list : {&run.messages, &run.transfers}) {
    for (const Message& message : *list) spans.emplace_back(message.begin(), message.end());
  }
  if (spans.empty()) spans.emplace_back(0, std::max<Cycles>(run.cycles, 1));
  std::sort(spans.begin(), spans.end());
  Cycles last = 0;
  for (const auto& span : spans) last = std::max(last, span.second);
  // An idle stretch as long as this part of the whole is cut.
  constexpr Cycles kLeastPart = 25, kLeastIdle = 100;
  const Cycles least = std::max((last - spans.front().first) / kLeastPart, kLeastIdle);
  for (const auto& [from, to] : spans) {
    if (pieces_.empty() || from > pieces_.back().to + least) {
      pieces_.push_back({from, to, 0});
    } else {
      pieces_.back().to = std::max(pieces_.back().to, to);
    }
  }
  Cycles busy = 0;
  for (const Piece& piece : pieces_) busy += piece.to - piece.from;
  // Some room around what happened, and the width of a cut.
  const Cycles margin = std::min(busy / 100 + 1, least / 3);
  const double cut = 0.02 * static_cast<double>(busy) + 1;
  double at = 0;
  for (Piece& piece : pieces_) {
    piece.from -= std::min(piece.from, margin);
    piece.to += margin;
    piece.at = at;
    at = end_of(piece) + cut;
  }
}

double TimeAxis::at(Cycles cycle) const {
  double before = 0;  // where the piece before ends
  Cycles end = 0;
  for (const Piece& piece : pieces_) {
    if (cycle < piece.from) {
      if (&piece == pieces_.data()) return 0;
      const double part = static_cast<double>(cycle - end) / static_cast<double>(piece.from - end);
      return before + part * (piece.at - before);
    }
    if (cycle <= piece.to) return piece.at + static_cast<double>(cycle - piece.from);
    before = end_of(piece);
    end = piece.to;
  }
  return length();
}

std::string TimeAxis::str() const {
  std::string text;
  for (const Piece& piece : pieces_) {
    text += fmt::format("{}{},{},{:.0f}", text.empty() ? "" : ";", piece.from, piece.to, piece.at);
  }
  return text;
}

// --- picture ------------------------------------------------------------------------------------

Picture::Picture(const std::string& id, const std::string& title, int width, int height)
    : width_(width) {
  text_ = fmt::format(
      "<svg id=\"{}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
      "height=\"{}\" role=\"img\" aria-label=\"{}\">\n",
      escaped(id), width, height, width, height, escaped(title));
}

void Picture::box(double x, double y, double width, double height, const std::string& look,
                  const std::string& hover) {
  text_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "class=\"{}\"{}",
      x, y, width, height, look, take_attribute());
  text_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(hover));
}

void Picture::line(double x1, double y1, double x2, double y2, const std::string& look,
                   const std::string& hover) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"",
                       x1, y1, x2, y2, look);
  text_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></line>\n", escaped(hover));
}

void Picture::text(double x, double y, const std::string& text, const std::string& look,
                   const std::string& anchor) {
  text_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                  look.empty() ? "" : fmt::format(" class=\"{}\"", look), escaped(text));
}

void Picture::upright_text(double x, double y, const std::string& text) {
  text_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"label\" "
      "transform=\"rotate(-90 {:.1f} {:.1f})\">{}</text>\n",
      x, y, x, y, escaped(text));
}

void Picture::polygon(const std::string& corners, const std::string& look,
                      const std::string& hover) {
  text_ += fmt::format("<polygon points=\"{}\" class=\"{}\"{}", corners, look, take_attribute());
  text_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></polygon>\n", escaped(hover));
}

void Picture::polyline(const std::string& points, const std::string& look) {
  text_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", points, look);
}

void Picture::begin_group(const std::string& look) {
  text_ += fmt::format("<g class=\"{}\">\n", look);
}

void Picture::next_has(const std::string& attribute, const std::string& value) {
  attribute_ = fmt::format(" {}=\"{}\"", attribute, escaped(value));
}

// The script draws the numbers anew, in the same way, for a part that is enlarged.
void Picture::begin_time(const TimeAxis& axis, double left, double top, double width,
                         double height) {
  constexpr double kLeastBetween = 66;
  const double scale = width / axis.length(), bottom = top + height;
  const std::vector<double> steps = ticks(0, axis.length(), 8);
  const double step = std::max(1.0, steps.size() > 1 ? steps[1] - steps[0] : 1.0);
  begin_group("ticks");
  double before = left - kLeastBetween;
  for (const TimeAxis::Piece& piece : axis.pieces()) {
    const auto from = static_cast<double>(piece.from), to = static_cast<double>(piece.to);
    double cycle = std::ceil(from / step) * step;
    if (cycle > to) cycle = from;  // at least one number for each piece
    for (; cycle <= to; cycle += step) {
      const double x = left + (piece.at + cycle - from) * scale;
      if (x < before + kLeastBetween) continue;
      line(x, top, x, bottom, "grid");
      this->text(x, bottom + 17, with_commas(static_cast<std::uint64_t>(cycle)), "", "middle");
      before = x;
    }
  }
  end_of_group();
  line(left, bottom, left + width, bottom, "axis");
  this->text(left + width / 2, bottom + 36, "cycle", "label", "middle");
  text_ += fmt::format(
      "<svg class=\"zoom\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "viewBox=\"0 0 {:.0f} {:.1f}\" preserveAspectRatio=\"none\">\n"
      "<rect width=\"{:.0f}\" height=\"{:.1f}\" class=\"ground\"/>\n",
      left, top, width, height, axis.length(), height, axis.length(), height);
  for (std::size_t i = 1; i < axis.pieces().size(); ++i) {
    const TimeAxis::Piece& last = axis.pieces()[i - 1];
    const TimeAxis::Piece& next = axis.pieces()[i];
    const double from = TimeAxis::end_of(last);
    box(from, 0, next.at - from, height, "cut",
        fmt::format("{} cycles, {} to {}, in which no message was under way",
                    with_commas(next.from - last.to), with_commas(last.to),
                    with_commas(next.from)));
  }
}

// --- chart --------------------------------------------------------------------------------------

Chart::Chart(Picture& picture, double left, double top, double width, double height, const Scale& x,
             const Scale& y)
    : picture_(picture), left_(left), top_(top), width_(width), height_(height), x_(x), y_(y) {}

double Chart::part_of(const Scale& scale, double value) {
  const auto at = [&](double v) { return scale.is_logarithmic ? std::log10(std::max(v, 1.0)) : v; };
  const double span = at(scale.to) - at(scale.from);
  return span > 0 ? (at(value) - at(scale.from)) / span : 0;
}

double Chart::x(double value) const { return left_ + width_ * part_of(x_, value); }
double Chart::y(double value) const { return top_ + height_ * (1 - part_of(y_, value)); }

namespace {

std::string number(double value) {
  return with_commas(static_cast<std::uint64_t>(std::llround(value)));
}

// Nothing here has halves.
std::vector<double> whole_numbers(double from, double to, unsigned wanted) {
  std::vector<double> result = ticks(from, to, wanted);
  std::erase_if(result, [](double value) { return std::abs(value - std::round(value)) > 1e-6; });
  return result;
}

}  // namespace

void Chart::draw_axes() {
  const auto values = [](const Scale& scale, unsigned wanted) {
    if (!scale.is_logarithmic) return whole_numbers(scale.from, scale.to, wanted);
    std::vector<double> result;
    for (double v = 1; v <= scale.to * (1 + 1e-9); v *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = v * factor;
        if (value >= scale.from && value <= scale.to) result.push_back(value);
      }
    }
    return result;
  };
  for (const double value : values(x_, 8)) {
    picture_.line(x(value), bottom(), x(value), bottom() + 4, "axis");
    picture_.text(x(value), bottom() + 17, number(value), "", "middle");
  }
  picture_.line(left_, bottom(), right(), bottom(), "axis");
  picture_.text(left_ + width_ / 2, bottom() + 34, x_.label, "label", "middle");
  draw_axis_of_y();
}

void Chart::draw_axis_of_y() {
  for (const double value : whole_numbers(y_.from, y_.to, 5)) {
    picture_.line(left_, y(value), right(), y(value), "grid");
    picture_.text(left_ - 6, y(value) + 4, number(value), "", "end");
  }
  picture_.line(left_, top_, left_, bottom(), "axis");
  picture_.upright_text(left_ - 58, top_ + height_ / 2, y_.label);
}

void Chart::draw_grid_of_x() {
  for (const double value : ticks(x_.from, x_.to, 8)) {
    picture_.line(x(value), top_, x(value), bottom(), "grid");
    picture_.text(x(value), bottom() + 17, with_commas(static_cast<std::uint64_t>(value)), "",
                  "middle");
  }
  picture_.line(left_, bottom(), right(), bottom(), "axis");
  picture_.text(left_ + width_ / 2, bottom() + 36, x_.label, "label", "middle");
}

}  // namespace torusmu::report_page
