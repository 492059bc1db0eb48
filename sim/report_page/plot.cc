// SPDX-License-Identifier: Apache-2.0
#include "sim/report_page/plot.h"

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
      "class=\"{}\"",
      x, y, width, height, look);
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
  text_ += fmt::format("<polygon points=\"{}\" class=\"{}\"", corners, look);
  text_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></polygon>\n", escaped(hover));
}

void Picture::polyline(const std::string& points, const std::string& look) {
  text_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", points, look);
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

void Chart::draw_axes() {
  const auto values = [](const Scale& scale, unsigned wanted) {
    std::vector<double> result;
    if (!scale.is_logarithmic) {
      // Nothing here has halves.
      result = ticks(scale.from, scale.to, wanted);
      std::erase_if(result,
                    [](double value) { return std::abs(value - std::round(value)) > 1e-6; });
      return result;
    }
    for (double v = 1; v <= scale.to * (1 + 1e-9); v *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = v * factor;
        if (value >= scale.from && value <= scale.to) result.push_back(value);
      }
    }
    return result;
  };
  const auto number = [](double value) {
    return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  };
  for (const double value : values(y_, 5)) {
    picture_.line(left_, y(value), right(), y(value), "grid");
    picture_.text(left_ - 6, y(value) + 4, number(value), "", "end");
  }
  for (const double value : values(x_, 8)) {
    picture_.line(x(value), bottom(), x(value), bottom() + 4, "axis");
    picture_.text(x(value), bottom() + 17, number(value), "", "middle");
  }
  picture_.line(left_, bottom(), right(), bottom(), "axis");
  picture_.line(left_, top_, left_, bottom(), "axis");
  picture_.text(left_ + width_ / 2, bottom() + 34, x_.label, "label", "middle");
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
