// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

#include "sim/observe/report_page/page.h"
#include "sim/observe/report_page/plot.h"
#include "tb/lab/files.h"

namespace torusmu::lab {
namespace {

namespace fs = std::filesystem;
using report_page::Chart;
using report_page::escaped;
using report_page::Picture;
using report_page::with_commas;

constexpr double kWidth = 1060, kTop = 8, kBottom = 46, kRow = 20;
constexpr std::size_t kMostBars = 1000;        // in the picture of when tests ran
constexpr std::size_t kMostRows = 64;          // in it
constexpr std::size_t kMostSlow = 20;          // tests in the picture of the slowest
constexpr std::size_t kMostShown = 3;          // tests whose machines the page shows, ...
constexpr std::size_t kMostFailedShown = 2;    // ... of them failed ones while others are there
constexpr std::size_t kMostOfOne = 3U << 20U;  // bytes that the machines of one may take
constexpr std::size_t kLongestName = 48;

// Axes have whole numbers.
struct Unit {
  double per_second;
  const char* name;
};
Unit unit_for(double longest) {
  constexpr double kShort = 10;
  return longest < kShort ? Unit{1000, "milliseconds"} : Unit{1, "seconds"};
}

// With the repetition with waves.
double whole_seconds(const Result& result) { return result.seconds + result.repeat_seconds; }

bool failed_then_slow(const Result* a, const Result* b) {
  if (a->passed() != b->passed()) return b->passed();
  return whole_seconds(*a) > whole_seconds(*b);
}

std::string address_of(const std::string& target, const std::string& page) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(page).parent_path());
  const std::string path = fs::weakly_canonical(target).lexically_relative(folder).string();
  std::string address;
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(code) != 0 || std::string_view("/._-~").find(c) != std::string::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", code);
  }
  return address;
}

std::string hover_of(const Result& result) {
  std::string text = fmt::format("{}: {}\n{} by itself", result.job.name,
                                 status_name(result.status), duration_text(result.seconds));
  if (result.repeat_seconds > 0) {
    text += fmt::format(", {} once more", duration_text(result.repeat_seconds));
  }
  if (result.cycles != 0) {
    text += fmt::format("\n{} cycles", with_commas(result.cycles));
    if (result.seconds > 0) {
      text +=
          fmt::format(", {:.0f} in a second", static_cast<double>(result.cycles) / result.seconds);
    }
  }
  return text;
}

void draw_bar(Picture& picture, const Chart& chart, const Result& result, double from, double y,
              const Unit& unit) {
  const double run = from + result.seconds * unit.per_second;
  const double end = run + result.repeat_seconds * unit.per_second;
  const std::string hover = hover_of(result);
  const auto box = [&](double begin, double to, const char* look) {
    const double left = chart.x(begin);
    picture.box(left, y + 3, std::max(chart.x(to) - left, 1.0), kRow - 6, look, hover);
  };
  box(from, run, result.passed() ? "bar" : "bar bad");
  if (result.repeat_seconds > 0) box(run, end, "bar again");
}

std::string legend(bool failed, bool repeated, bool usual) {
  const auto entry = [](const char* drawing, const char* text) {
    return fmt::format(
        "<span><svg width=\"14\" height=\"10\" aria-hidden=\"true\">{}</svg> {}</span> ", drawing,
        text);
  };
  std::string html = "<p class=\"legend\">";
  html += entry("<rect width=\"14\" height=\"10\" class=\"bar\"/>", "passed");
  if (failed) html += entry("<rect width=\"14\" height=\"10\" class=\"bar bad\"/>", "not passed");
  if (repeated) {
    html += entry("<rect width=\"14\" height=\"10\" class=\"bar again\"/>", "once more");
  }
  if (usual) {
    html += entry("<line x1=\"7\" y1=\"0\" x2=\"7\" y2=\"10\" class=\"mark\"/>",
                  "what it usually took on this host: the median of runs before");
  }
  return html + "</p>\n";
}

std::string legend_of(const std::vector<const Result*>& results, bool usual) {
  const auto any = [&](const auto& is_one) {
    return std::any_of(results.begin(), results.end(), is_one);
  };
  return legend(any([](const Result* result) { return !result->passed(); }),
                any([](const Result* result) { return result->repeat_seconds > 0; }), usual);
}

// What ran at once on a host stands one above the other.
struct Lane {
  std::string host, label;
  double end = 0;
};

// "node17 2": the second of what ran at once on node17.cluster.
std::string label_of(const std::string& host, std::size_t number) {
  constexpr std::size_t kLongestHost = 16;
  return fmt::format("{} {}", host.substr(0, std::min(host.find('.'), kLongestHost)), number);
}

std::vector<std::size_t> put_into_lanes(std::vector<const Result*>* bars,
                                        std::vector<Lane>* lanes) {
  std::stable_sort(bars->begin(), bars->end(), [](const Result* a, const Result* b) {
    return a->host != b->host ? a->host < b->host : a->started < b->started;
  });
  std::vector<std::size_t> places;
  std::size_t first = 0;  // lane of this host
  for (const Result* bar : *bars) {
    if (!lanes->empty() && lanes->back().host != bar->host) first = lanes->size();
    std::size_t lane = first;
    while (lane < lanes->size() && (*lanes)[lane].end > bar->started) ++lane;
    if (lane == lanes->size()) {
      lanes->push_back({bar->host, label_of(bar->host, lane - first + 1)});
    }
    (*lanes)[lane].end = bar->started + whole_seconds(*bar);
    places.push_back(lane);
  }
  return places;
}

std::string schedule(const Summary& summary) {
  std::vector<const Result*> bars;
  double first = 0, last = 0;
  for (const Result& result : summary.results) {
    if (result.started == 0) continue;
    bars.push_back(&result);
    first = bars.size() == 1 ? result.started : std::min(first, result.started);
    last = std::max(last, result.started + whole_seconds(result));
  }
  if (bars.empty()) return "<p>No test has left word of when it ran.</p>\n";
  const std::size_t ran = bars.size();
  if (bars.size() > kMostBars) {
    std::stable_sort(bars.begin(), bars.end(), failed_then_slow);
    bars.resize(kMostBars);
  }
  std::vector<Lane> lanes;
  const std::vector<std::size_t> places = put_into_lanes(&bars, &lanes);
  const std::size_t rows = std::min(lanes.size(), kMostRows);
  constexpr double kLeft = 160, kRight = 20;
  const Unit unit = unit_for(last - first);
  const double height = kRow * static_cast<double>(rows);
  Picture picture("schedule", "which test ran when", static_cast<int>(kWidth),
                  static_cast<int>(kTop + height + kBottom));
  Chart chart(picture, kLeft, kTop, kWidth - kLeft - kRight, height,
              {0, std::max((last - first) * unit.per_second, 1.0),
               fmt::format("{} since the first test began", unit.name), false},
              {0, 0, "", false});
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = kTop + kRow * static_cast<double>(row);
    picture.box(kLeft, y, kWidth - kLeft - kRight, kRow, row % 2 == 0 ? "row" : "row other");
    picture.text(kLeft - 8, y + kRow / 2 + 4, lanes[row].label, "", "end");
  }
  chart.draw_grid_of_x();
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (places[i] >= rows) continue;
    ++drawn;
    draw_bar(picture, chart, *bars[i], (bars[i]->started - first) * unit.per_second,
             kTop + kRow * static_cast<double>(places[i]), unit);
  }
  std::string caption = fmt::format("{} of {} tests, at most {} at once", with_commas(drawn),
                                    with_commas(summary.results.size()), lanes.size());
  if (drawn < ran) caption += ": those that did not pass and the longest";
  return legend_of(bars, false) + "<figure>" + picture.str() + "<figcaption>" + caption +
         ". Hover for what each bar is.</figcaption></figure>\n";
}

std::string times(const Summary& summary) {
  std::vector<std::uint64_t> milliseconds;
  for (const Result& result : summary.results) {
    if (result.started != 0) {
      milliseconds.push_back(static_cast<std::uint64_t>(std::lround(1000 * result.seconds)));
    }
  }
  if (milliseconds.empty()) return "<p>No test has left word of how long it took.</p>\n";
  return report_page::histogram("times", {"times of the tests", "time", "tests", "milliseconds"},
                                std::move(milliseconds));
}

// The end of a name tells its variants apart.
std::string shortened(const std::string& name) {
  return name.size() <= kLongestName ? name : "…" + name.substr(name.size() - kLongestName + 1);
}

std::string slowest(const Summary& summary, const Past& past) {
  std::vector<const Result*> tests;
  for (const Result& result : summary.results) {
    if (result.started != 0) tests.push_back(&result);
  }
  if (tests.empty()) return "";
  const std::size_t ran = tests.size();
  std::stable_sort(tests.begin(), tests.end(), [](const Result* a, const Result* b) {
    return whole_seconds(*a) > whole_seconds(*b);
  });
  tests.resize(std::min(kMostSlow, ran));
  const auto usual_of = [&](const Result& result) {
    const auto found = past.usual_seconds.find(result.job.name);
    return found == past.usual_seconds.end() ? 0 : found->second;
  };
  double longest = whole_seconds(*tests[0]);
  bool any_usual = false;
  for (const Result* test : tests) {
    longest = std::max(longest, usual_of(*test));
    any_usual |= usual_of(*test) > 0;
  }
  constexpr double kNames = 330, kNumbers = 190;
  const Unit unit = unit_for(longest);
  const double height = kRow * static_cast<double>(tests.size());
  Picture picture("slowest", "where the time of the slowest tests went", static_cast<int>(kWidth),
                  static_cast<int>(kTop + height + kBottom));
  Chart chart(picture, kNames, kTop, kWidth - kNames - kNumbers, height,
              {0, std::max(longest * unit.per_second, 1.0), unit.name, false}, {0, 0, "", false});
  chart.draw_grid_of_x();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Result& test = *tests[i];
    const double y = kTop + kRow * static_cast<double>(i);
    const double usual = usual_of(test);
    picture.text(kNames - 8, y + kRow / 2 + 4, shortened(test.job.name), "", "end");
    draw_bar(picture, chart, test, 0, y, unit);
    std::string text = fmt::format("{:.2f} s", whole_seconds(test));
    if (usual > 0) {
      const double x = chart.x(usual * unit.per_second);
      picture.line(x, y + 1, x, y + kRow - 1, "mark");
      text += fmt::format(", {:+.0f} % on {:.2f} s", 100 * (test.seconds / usual - 1), usual);
    }
    picture.text(chart.x(std::max(whole_seconds(test), usual) * unit.per_second) + 6,
                 y + kRow / 2 + 4, text);
  }
  return legend_of(tests, any_usual) + "<figure>" + picture.str() +
         fmt::format("<figcaption>The {} slowest of {}.</figcaption></figure>\n", tests.size(),
                     with_commas(ran));
}

// Of tests that this run has.
std::string trends(const Summary& summary, const Past& past) {
  std::set<std::string> names;
  for (const Result& result : summary.results) names.insert(result.job.name);
  const auto is_other = [&](const auto& test) { return !names.contains(test.name); };
  Trends here = past.trends;
  std::erase_if(here.flaky, is_other);
  std::erase_if(here.slowing, is_other);
  std::erase_if(here.moved, [&](const Moved& moved) { return !names.contains(moved.test); });
  return fmt::format("<pre id=\"history\">{}</pre>\n", escaped(history_text(here)));
}

std::vector<const Result*> shown_tests(const Summary& summary) {
  std::vector<const Result*> tests;
  for (const Result& result : summary.results) {
    if (!result.page.empty() && fs::exists(result.page)) tests.push_back(&result);
  }
  std::stable_sort(tests.begin(), tests.end(), failed_then_slow);
  const auto passed = std::find_if(tests.begin(), tests.end(),
                                   [](const Result* result) { return result->passed(); });
  // The slowest of those that passed is worth its place.
  if (passed - tests.begin() > static_cast<std::ptrdiff_t>(kMostFailedShown) &&
      passed != tests.end()) {
    std::rotate(tests.begin() + kMostFailedShown, passed, passed + 1);
  }
  tests.resize(std::min(kMostShown, tests.size()));
  return tests;
}

std::string machines(const Summary& summary, const std::string& file) {
  std::string html;
  for (const Result* test : shown_tests(summary)) {
    const std::string name = fmt::format("test-{}", test->job.number);
    const std::string part = report_page::machines_in(read_file(test->page), name + "-");
    html += fmt::format(
        "<h2 id=\"{}\">{}: {}</h2>\n<p>{}. Checks and figures are in <a href=\"{}\">its "
        "page</a>.</p>\n",
        name, test->passed() ? "Among the slowest" : "Not passed", escaped(test->job.name),
        escaped(test->passed() ? duration_text(test->seconds) : test->reason),
        escaped(address_of(test->page, file)));
    if (part.size() > kMostOfOne) {
      html += "<p class=\"note\">Its pictures are too large for this page.</p>\n";
    } else {
      html += "<details open><summary>Links, messages, latency, queues</summary>\n" + part +
              "</details>\n";
    }
  }
  return html;
}

// Of a test that was to fail, or might.
std::string expected_text(const Result& result) {
  if (result.failures.empty()) return "";
  return fmt::format(", failed as expected: {}: {}", result.failures.front().check,
                     result.failures.front().detail);
}

std::string tables(const Summary& summary, const std::string& file, bool passed) {
  std::vector<report_page::TestResult> tests;
  for (const Result& result : summary.results) {
    if (result.passed() != passed) continue;
    tests.push_back({fmt::format("{}, seed {}", result.job.name, result.job.seed), passed,
                     passed ? fmt::format("{}, {} cycles{}", duration_text(result.seconds),
                                          result.cycles, expected_text(result)) +
                                  (result.warnings.empty() ? "" : "\n" + warning_text(result))
                            : failure_text(result),
                     result.page.empty() ? "" : address_of(result.page, file)});
  }
  if (tests.empty()) return "";
  return fmt::format("<h2>{}</h2>\n", passed ? "Tests that passed" : "Tests that did not pass") +
         report_page::result_table(passed ? "passed-tests" : "failed-tests", tests);
}

}  // namespace

std::string html_page(const Summary& summary, const Past& past, const std::string& file) {
  return report_page::html_page(
      "torusmu regress " + summary.run.plan, summary.failed() == 0,
      fmt::format("{} of {} tests passed", summary.count(Status::kPassed), summary.results.size()),
      fmt::format("<pre>{}</pre>\n", escaped(summary_text(summary))) +
          tables(summary, file, false) + "<h2>Which test ran when</h2>\n" + schedule(summary) +
          "<h2>How long they took</h2>\n" + times(summary) +
          "<h2>Where the time of the slowest went</h2>\n" + slowest(summary, past) +
          trends(summary, past) + machines(summary, file) + tables(summary, file, true));
}

}  // namespace torusmu::lab
