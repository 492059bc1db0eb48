// SPDX-License-Identifier: Apache-2.0
// How long messages took, and how much stood in queues.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/observe/percentile.h"
#include "sim/observe/report_page/plot.h"

namespace torusmu::report_page {
namespace {

constexpr double kWidth = 1060, kLeft = 90, kRight = 20, kTop = 10, kBottom = 46;

// One curve over time: in each of `bins` parts of the axis the most that it came to.
class Curve {
 public:
  Curve(const TimeAxis& axis, std::size_t bins) : axis_(&axis), most_(bins) {}

  // Takes the steps of one series by rising time.
  void add(const Series::Step& step) {
    advance(bin_of(step.cycle));
    level_ = std::max<std::int64_t>(0, level_ + step.change);
    most_[bin_] = std::max(most_[bin_], level_);
  }
  void end() { advance(most_.size() - 1); }

  [[nodiscard]] const std::vector<std::int64_t>& most() const { return most_; }
  [[nodiscard]] std::int64_t peak() const { return *std::max_element(most_.begin(), most_.end()); }

 private:
  [[nodiscard]] std::size_t bin_of(Cycles cycle) const {
    return std::min(most_.size() - 1,
                    static_cast<std::size_t>(axis_->at(cycle) * static_cast<double>(most_.size()) /
                                             axis_->length()));
  }
  void advance(std::size_t bin) {
    while (bin_ < bin) most_[++bin_] = level_;
  }

  const TimeAxis* axis_;
  std::vector<std::int64_t> most_;
  std::size_t bin_ = 0;
  std::int64_t level_ = 0;
};

constexpr std::size_t kBins = 450;

Curve curve_of(const Series& series, const TimeAxis& axis) {
  Curve curve(axis, kBins);
  for (const Series::Step& step : series.steps) curve.add(step);
  curve.end();
  return curve;
}

Curve curve_of_all(const std::vector<Series>& nodes, const TimeAxis& axis) {
  Series all;
  for (const Series& series : nodes) {
    all.steps.insert(all.steps.end(), series.steps.begin(), series.steps.end());
  }
  std::stable_sort(all.steps.begin(), all.steps.end(),
                   [](const Series::Step& a, const Series::Step& b) { return a.cycle < b.cycle; });
  return curve_of(all, axis);
}

std::string points_of(const Chart& chart, const Curve& curve, const TimeAxis& axis) {
  std::string points;
  const std::vector<std::int64_t>& most = curve.most();
  const double width = axis.length() / static_cast<double>(most.size());
  for (std::size_t i = 0; i < most.size(); ++i) {
    const double y = chart.y(static_cast<double>(most[i])) - chart.top();
    points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", width * static_cast<double>(i), y,
                          width * static_cast<double>(i + 1), y);
  }
  return points;
}

std::string depth_chart(const std::string& id, const RunRecord& run, const TimeAxis& axis,
                        const std::vector<Series>& nodes, const std::string& unit,
                        const std::string& title) {
  const Curve all = curve_of_all(nodes, axis);
  if (all.peak() == 0) return fmt::format("<p>{}: none seen.</p>\n", title);
  std::size_t fullest = 0;
  Curve worst = curve_of(nodes[0], axis);
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    Curve curve = curve_of(nodes[n], axis);
    if (curve.peak() > worst.peak()) {
      worst = std::move(curve);
      fullest = n;
    }
  }
  constexpr double kHeight = 130;
  Picture picture(id, title, static_cast<int>(kWidth), static_cast<int>(kTop + kHeight + kBottom));
  Chart chart(picture, kLeft, kTop, kWidth - kLeft - kRight, kHeight,
              {0, axis.length(), "cycle", false},
              {0, static_cast<double>(all.peak()), unit, false});
  chart.draw_axis_of_y();
  picture.begin_time(axis, kLeft, kTop, kWidth - kLeft - kRight, kHeight);
  picture.polyline(points_of(chart, all, axis), "curve all");
  picture.polyline(points_of(chart, worst, axis), "curve worst");
  picture.end_of_time();
  const std::string node = place(run.shape, {static_cast<std::uint32_t>(fullest)});
  return fmt::format(
      "<h4>{}</h4><p class=\"legend\"><span><svg width=\"22\" height=\"10\" aria-hidden=\"true\">"
      "<line x1=\"0\" y1=\"5\" x2=\"22\" y2=\"5\" class=\"curve all\"/></svg> all nodes together, "
      "at most {}</span> <span><svg width=\"22\" height=\"10\" aria-hidden=\"true\"><line x1=\"0\" "
      "y1=\"5\" x2=\"22\" y2=\"5\" class=\"curve worst\"/></svg> node {}, the fullest, at most "
      "{}</span></p>\n<figure>{}</figure>\n",
      title, with_commas(static_cast<std::uint64_t>(all.peak())), node,
      with_commas(static_cast<std::uint64_t>(worst.peak())), picture.str());
}

}  // namespace

std::string latency_histogram(const std::string& id, const RunRecord& run) {
  if (run.messages.empty()) return "<p>No message went over a link.</p>\n";
  std::vector<std::uint64_t> latencies;
  latencies.reserve(run.messages.size());
  for (const Message& message : run.messages) {
    if (message.has_arrived()) latencies.push_back(message.latency());
  }
  if (latencies.empty()) return "<p>No message arrived.</p>\n";
  return histogram(
      id,
      {"latency of messages", "latency", run.are_of_program ? "messages" : "transfers", "cycles",
       run.are_of_program ? "Latency counts from the later of the two calls, as in the figures. "
                          : "Latency counts from the first to the last moment that is known. "},
      std::move(latencies));
}

std::string histogram(const std::string& id, const HistogramTexts& texts,
                      std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  // Bars of equal width on a logarithmic scale.
  // One value alone stands in the middle, where there is room for its numbers.
  constexpr double kAround = 1.1;
  const double around = values.front() == values.back() ? kAround : 1;
  const double least = static_cast<double>(std::max<std::uint64_t>(values.front(), 1)) / around;
  const double most =
      std::max(static_cast<double>(values.back()) * around, least * kAround) * 1.0001;
  constexpr std::size_t kBars = 48;
  std::vector<std::uint64_t> bars(kBars);
  const double step = std::log(most / least) / static_cast<double>(kBars);
  for (const std::uint64_t value : values) {
    const double at_least_1 = std::max(static_cast<double>(value), 1.0);
    const auto bar = static_cast<std::size_t>(std::max(0.0, std::log(at_least_1 / least) / step));
    ++bars[std::min(bar, kBars - 1)];
  }
  constexpr double kHeight = 200, kMarks = 26;
  Picture picture(id, texts.title, static_cast<int>(kWidth),
                  static_cast<int>(kTop + kMarks + kHeight + kBottom));
  const auto highest = static_cast<double>(*std::max_element(bars.begin(), bars.end()));
  Chart chart(picture, kLeft, kTop + kMarks, kWidth - kLeft - kRight, kHeight,
              {least, most, fmt::format("{}, {} (logarithmic)", texts.axis, texts.unit), true},
              {0, highest, texts.what, false});
  chart.draw_axes();
  for (std::size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    const double from = least * std::exp(step * static_cast<double>(i));
    const double to = least * std::exp(step * static_cast<double>(i + 1));
    const double y = chart.y(static_cast<double>(bars[i]));
    picture.box(chart.x(from), y, std::max(chart.x(to) - chart.x(from) - 1, 1.0),
                chart.bottom() - y, "bar",
                fmt::format("{} {} of {:.0f} to {:.0f} {}", with_commas(bars[i]), texts.what,
                            std::ceil(from), std::floor(to), texts.unit));
  }
  double left_of_last = kWidth;
  // Texts end at their lines, from the right, and give way to one another.
  for (const unsigned percent : {99U, 90U, 50U}) {
    const std::uint64_t value = percentile(values, percent);
    const double x = chart.x(static_cast<double>(value));
    picture.line(x, kTop + kMarks - 4, x, chart.bottom(), "mark");
    const std::string text = fmt::format("{} %: {}", percent, with_commas(value));
    const double end = std::min(x, left_of_last);
    picture.text(end, kTop + 14, text, "", "end");
    left_of_last = end - 8 * static_cast<double>(text.size());
  }
  return "<figure>" + picture.str() +
         fmt::format(
             "<figcaption>{}{} {}, {} to {} {}; the lines are what 50, 90 and 99 % of "
             "them did not exceed.</figcaption></figure>\n",
             texts.definition, with_commas(values.size()), texts.what, with_commas(values.front()),
             with_commas(values.back()), texts.unit);
}

std::string queue_depths(const std::string& id, const RunRecord& run, const TimeAxis& axis) {
  return depth_chart(id + "-posted", run, axis, run.posted, "descriptors",
                     "Descriptors posted and not yet wholly sent") +
         depth_chart(id + "-on-the-way", run, axis, run.on_the_way, "transfers",
                     "Transfers between the first flit and the last at the target") +
         depth_chart(id + "-fifo", run, axis, run.fifo_bytes, "bytes", "Bytes in reception FIFOs");
}

}  // namespace torusmu::report_page
