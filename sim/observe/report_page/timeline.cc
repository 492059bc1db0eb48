// SPDX-License-Identifier: Apache-2.0
// Messages as bars across the nodes, and where the time of the slowest went.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/observe/report_page/plot.h"

namespace torusmu::report_page {
namespace {

constexpr std::size_t kMostSlow = 100;    // bars in the timeline: these, ...
constexpr std::size_t kMostSample = 400;  // ... and every n-th of the others
constexpr std::size_t kMostRows = 64;     // nodes
constexpr std::size_t kMostLanes = 6;     // bars of a node one above the other
constexpr std::size_t kMostStages = 20;   // messages in the picture of stages
constexpr std::size_t kOnTheWay = 2;      // of kStageNames: first flit to last at the target
constexpr double kWidth = 1060, kLeft = 90, kRight = 20;

std::string hover_of(const RunRecord& run, const Message& message) {
  std::string text =
      fmt::format("{} to {}: {}\n{} cycles: ", place(run.shape, message.from),
                  place(run.shape, message.to), message.what, with_commas(message.latency()));
  const auto add = [&](const char* name, Cycles at) {
    if (at != kNever) text += fmt::format("\n  {} {}", with_commas(at), name);
  };
  add("the program sends", message.called);
  add("doorbell", message.posted);
  add("first flit on a link", message.first_out);
  add("last flit at the target", message.arrived);
  add("in the target's memory", message.in_memory);
  add("the receiving program has it", message.complete);
  add("the receiving program asks for it", message.awaited);
  if (!message.has_arrived()) text += "\n  not arrived";
  if (message.lost != kNever) text += fmt::format(", a packet lost on link {}", message.lost_at);
  return text;
}

// Indices of messages by falling latency.
std::vector<std::size_t> by_latency(const std::vector<Message>& messages) {
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return messages[a].latency() > messages[b].latency();
  });
  return order;
}

// The bars: the slowest, and every n-th of the others; by their begin.
std::vector<std::size_t> choose(const std::vector<Message>& messages) {
  const std::vector<std::size_t> order = by_latency(messages);
  const std::size_t slow = std::min(kMostSlow, order.size());
  std::set<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(slow));
  const std::size_t step = std::max<std::size_t>(1, (messages.size() - slow) / kMostSample + 1);
  for (std::size_t i = 0; i < messages.size() && messages.size() > slow; i += step)
    chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

struct Lane {
  std::size_t row;
  std::size_t lane;
};

// A row for each node that sends, in it lanes in which bars do not cover one another while there
// are enough of them.
class Rows {
 public:
  Rows(const std::vector<Message>& messages, const std::vector<std::size_t>& chosen) {
    std::vector<std::size_t> bars;  // by node
    for (const std::size_t i : chosen) {
      const std::size_t node = messages[i].from.value;
      if (node >= bars.size()) bars.resize(node + 1);
      ++bars[node];
    }
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < bars.size(); ++n) {
      if (bars[n] != 0) nodes.push_back(n);
    }
    senders_ = nodes.size();
    if (nodes.size() > kMostRows) {
      std::stable_sort(nodes.begin(), nodes.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return bars[a] > bars[b]; });
      nodes.resize(kMostRows);
      std::sort(nodes.begin(), nodes.end());
    }
    nodes_ = nodes;
    ends_.resize(nodes_.size());
  }

  [[nodiscard]] std::size_t senders() const { return senders_; }
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t lanes(std::size_t row) const {
    return std::max<std::size_t>(1, ends_[row].size());
  }
  // Row nodes().size() if the node has none. Call by rising begin.
  Lane put(const Message& message) {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), message.from.value);
    if (at == nodes_.end() || *at != message.from.value) return {nodes_.size(), 0};
    const auto row = static_cast<std::size_t>(at - nodes_.begin());
    std::vector<Cycles>& ends = ends_[row];
    std::size_t lane = 0;
    while (lane < ends.size() && ends[lane] > message.begin()) ++lane;
    if (lane == ends.size() && lane < kMostLanes) ends.push_back(0);
    if (lane == ends.size()) {
      lane = static_cast<std::size_t>(std::min_element(ends.begin(), ends.end()) - ends.begin());
    }
    ends[lane] = message.end();
    return {row, lane};
  }

 private:
  std::size_t senders_ = 0;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::vector<Cycles>> ends_;  // by row, then lane: where its last bar ends
};

void draw_bar(Picture& picture, const TimeAxis& axis, const RunRecord& run, const Message& message,
              double y, double height) {
  const std::string hover = hover_of(run, message);
  std::vector<StageTime> stages = stages_of(message);
  // Of a lost message without a doorbell the first flit is all that was seen.
  if (stages.empty()) stages.push_back({kOnTheWay, message.begin(), message.begin()});
  for (const StageTime& stage : stages) {
    const double from = axis.at(stage.from);
    picture.box(from, y, axis.at(stage.to) - from, height,
                fmt::format("stage{}{}", stage.stage, message.has_arrived() ? "" : " lost"), hover);
  }
}

}  // namespace

std::vector<StageTime> stages_of(const Message& m) {
  const std::array moments{m.called, m.posted, m.first_out, m.arrived, m.in_memory, m.complete};
  std::vector<StageTime> stages;
  Cycles before = kNever;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (moments[i] == kNever) continue;
    // Memory may have the last byte before the next stage is seen at the pins.
    if (before != kNever && moments[i] >= before) stages.push_back({i - 1, before, moments[i]});
    before = before == kNever ? moments[i] : std::max(before, moments[i]);
  }
  return stages;
}

std::string stage_legend(const std::vector<const Message*>& messages) {
  std::array<bool, kStageNames.size()> seen{};
  for (const Message* message : messages) {
    for (const StageTime& stage : stages_of(*message)) seen[stage.stage] = true;
  }
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    if (!seen[i]) continue;
    html += fmt::format(
        "<span><svg width=\"14\" height=\"10\" aria-hidden=\"true\"><rect width=\"14\" "
        "height=\"10\" class=\"stage{}\"/></svg> {}</span> ",
        i, kStageNames[i]);
  }
  return html + "</p>\n";
}

std::string timeline(const std::string& id, const RunRecord& run, const TimeAxis& axis) {
  if (run.messages.empty()) return "<p>No message went over a link.</p>\n";
  const std::vector<std::size_t> chosen = choose(run.messages);
  Rows rows(run.messages, chosen);
  std::vector<Lane> lanes;
  lanes.reserve(chosen.size());
  for (const std::size_t i : chosen) lanes.push_back(rows.put(run.messages[i]));
  constexpr double kLane = 7, kBetween = 7, kTop = 8, kBottom = 46;
  std::vector<double> tops;
  double height = kTop;
  for (std::size_t row = 0; row < rows.nodes().size(); ++row) {
    tops.push_back(height);
    height += kLane * static_cast<double>(rows.lanes(row)) + kBetween;
  }
  std::vector<const Message*> shown;
  for (const std::size_t i : chosen) shown.push_back(&run.messages[i]);
  Picture picture(id, "messages over time", static_cast<int>(kWidth),
                  static_cast<int>(height + kBottom));
  for (std::size_t row = 0; row < tops.size(); ++row) {
    const double lanes_height = kLane * static_cast<double>(rows.lanes(row));
    picture.box(kLeft, tops[row] - kBetween / 2, kWidth - kLeft - kRight, lanes_height + kBetween,
                row % 2 == 0 ? "row" : "row other");
    picture.text(kLeft - 8, tops[row] + lanes_height / 2 + 4, place(run.shape, {rows.nodes()[row]}),
                 "", "end");
  }
  picture.upright_text(14, height / 2, "sender");
  picture.begin_time(axis, kLeft, kTop, kWidth - kLeft - kRight, height - kTop);
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (lanes[i].row == tops.size()) continue;
    ++drawn;
    draw_bar(picture, axis, run, run.messages[chosen[i]],
             tops[lanes[i].row] - kTop + kLane * static_cast<double>(lanes[i].lane), kLane - 1);
  }
  picture.end_of_time();
  std::string caption =
      fmt::format("{} of {} {}", with_commas(drawn), with_commas(run.messages.size()),
                  run.are_of_program ? "messages" : "transfers");
  if (drawn < run.messages.size()) {
    caption += fmt::format(": the {} slowest and a sample of the others, evenly over time",
                           std::min(kMostSlow, drawn));
  }
  if (rows.senders() > rows.nodes().size()) {
    caption += fmt::format("; {} of {} nodes that send", rows.nodes().size(), rows.senders());
  }
  if (axis.pieces().size() > 1) caption += "; grey: idle cycles, cut short";
  return stage_legend(shown) + "<figure>" + picture.str() + "<figcaption>" + caption +
         ". Hover for what each bar is.</figcaption></figure>\n";
}

std::string never_arrived(const std::string& id, const RunRecord& run) {
  constexpr std::size_t kMost = 100;
  std::string rows;
  std::size_t count = 0;
  // A program tells of messages that have arrived alone.
  for (const Message& m : run.are_of_program ? run.transfers : run.messages) {
    if (m.has_arrived() || ++count > kMost) continue;
    const auto at = [](Cycles cycle) { return cycle == kNever ? "" : with_commas(cycle); };
    rows += fmt::format(
        "<tr data-from=\"{}\" data-to=\"{}\"><td>{}<td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}"
        "<td>{}</tr>\n",
        m.begin(), m.end(), place(run.shape, m.from), place(run.shape, m.to), escaped(m.what),
        at(m.posted), at(m.first_out),
        m.lost == kNever
            ? "not seen"
            : fmt::format("a packet lost on link {} in cycle {}", m.lost_at, with_commas(m.lost)));
  }
  if (count == 0) return "";
  return fmt::format(
      "<h3>What never arrived</h3>\n<table id=\"{}\"><caption>{} of {} transfers</caption><tr>"
      "<th>from<th>to<th>what<th>doorbell, cycle<th>first flit<th>why</tr>\n{}</table>\n",
      escaped(id), with_commas(count),
      with_commas((run.are_of_program ? run.transfers : run.messages).size()), rows);
}

namespace {

// Each of the slowest with the command that plays the run once more, with waves of its time alone.
std::string slowest_table(const RunRecord& run, const std::vector<const Message*>& messages,
                          const std::string& wave_command) {
  std::string html =
      "<table class=\"slowest\"><caption>The slowest, and how to see each in the waves</caption>"
      "<tr><th>from<th>to<th>latency<th>cycles<th>command</tr>\n";
  for (const Message* m : messages) {
    std::string command;
    if (!wave_command.empty()) {
      constexpr Cycles kAround = 50;
      const std::string nodes = m->from == m->to ? fmt::format("{}", m->from.value)
                                                 : fmt::format("{},{}", m->from.value, m->to.value);
      command = fmt::format(
          "<code class=\"copy\">{} --wave slow.fst --wave-nodes {} --wave-window {}:{} &amp;&amp; "
          "gtkwave -a slow.gtkw slow.fst</code>",
          escaped(wave_command), nodes, m->begin() - std::min(m->begin(), kAround),
          m->end() + kAround);
    }
    html += fmt::format(
        "<tr data-from=\"{}\" data-to=\"{}\"><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{} to {}"
        "<td>{}</tr>\n",
        m->begin(), m->end(), place(run.shape, m->from), place(run.shape, m->to),
        with_commas(m->latency()), with_commas(m->begin()), with_commas(m->end()), command);
  }
  return html + "</table>\n";
}

}  // namespace

std::string slowest_stages(const std::string& id, const RunRecord& run,
                           const std::string& wave_command) {
  if (run.messages.empty()) return "<p>No message went over a link.</p>\n";
  const std::vector<std::size_t> order = by_latency(run.messages);
  const std::size_t shown = std::min(kMostStages, order.size());
  constexpr double kRow = 20, kTop = 8, kNames = 330, kBottom = 46, kNumbers = 90;
  const double height = kTop + kRow * static_cast<double>(shown);
  Cycles longest = 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const Message& message = run.messages[order[i]];
    longest = std::max(longest, message.end() - message.begin());
  }
  const auto most = static_cast<double>(longest);
  Picture picture(id, "where the time of the slowest messages went", static_cast<int>(kWidth),
                  static_cast<int>(height + kBottom));
  Chart chart(picture, kNames, kTop, kWidth - kNames - kNumbers, height - kTop,
              {0, most, "cycles since the message began", false}, {0, 0, "", false});
  chart.draw_grid_of_x();
  std::vector<const Message*> messages;
  for (std::size_t i = 0; i < shown; ++i) {
    const Message& message = run.messages[order[i]];
    messages.push_back(&message);
    const double y = kTop + kRow * static_cast<double>(i);
    const double middle = y + kRow / 2 + 4;
    picture.text(
        kNames - 8, middle,
        fmt::format("{} → {}  {} bytes, {}", place(run.shape, message.from),
                    place(run.shape, message.to), with_commas(message.bytes), message.kind),
        "", "end");
    for (const StageTime& stage : stages_of(message)) {
      const double from = chart.x(static_cast<double>(stage.from - message.begin()));
      const double to = chart.x(static_cast<double>(stage.to - message.begin()));
      picture.box(from, y + 3, std::max(to - from, 0.6), kRow - 6,
                  fmt::format("stage{}", stage.stage),
                  fmt::format("{}: {} cycles, {} to {}\n{}", kStageNames[stage.stage],
                              with_commas(stage.to - stage.from), with_commas(stage.from),
                              with_commas(stage.to), hover_of(run, message)));
    }
    if (message.awaited != kNever && message.awaited > message.begin()) {
      const double x = chart.x(static_cast<double>(message.awaited - message.begin()));
      picture.line(x, y + 1, x, y + kRow - 1, "mark",
                   fmt::format("the receiving program asks for it in cycle {}",
                               with_commas(message.awaited)));
    }
    picture.text(chart.x(static_cast<double>(message.end() - message.begin())) + 6, middle,
                 with_commas(message.latency()));
  }
  std::string html = stage_legend(messages) + "<figure>" + picture.str() +
                     fmt::format(
                         "<figcaption>The {} slowest of {}. A stage whose begin was not "
                         "seen at the pins is part of the next.{}</figcaption></figure>\n",
                         shown, with_commas(run.messages.size()),
                         run.are_of_program ? " Dashed: the call that receives, from which the "
                                              "latency counts if it is the later one."
                                            : "") +
                     slowest_table(run, messages, wave_command);
  // All messages together.
  std::array<std::uint64_t, kStageNames.size()> sums{}, counts{};
  std::uint64_t all = 0;
  for (const Message& message : run.messages) {
    for (const StageTime& stage : stages_of(message)) {
      sums[stage.stage] += stage.to - stage.from;
      ++counts[stage.stage];
      all += stage.to - stage.from;
    }
  }
  html +=
      "<table><caption>Stages of all messages</caption><tr><th>stage<th>messages<th>mean, "
      "cycles<th>share of the time</tr>\n";
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] == 0) continue;
    html += fmt::format(
        "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{:.1f}<td class=\"n\">{:.1f} %</tr>\n",
        kStageNames[i], with_commas(counts[i]),
        static_cast<double>(sums[i]) / static_cast<double>(counts[i]),
        all == 0 ? 0.0 : 100.0 * static_cast<double>(sums[i]) / static_cast<double>(all));
  }
  return html + "</table>\n";
}

}  // namespace torusmu::report_page
