// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "docs/draw/svg.h"

namespace torusmu::draw {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

constexpr int kTextSize = 11, kTitleSize = 16;
constexpr int kBoxHeight = 38, kTrack = 8, kMargin = 20;
constexpr int kLeastGap = 16, kLeastGutter = 24;
constexpr int kTop = 84;  // of the first row of boxes
constexpr int kPadding = 18;
constexpr int kLine = 17, kLeastWidth = 660;

// Arrows have the colour of the member that sends.
constexpr std::array kColours{"#1565c0", "#b5651d", "#2e7d32", "#8e24aa",
                              "#00838f", "#c62828", "#5d4037", "#546e7a"};

struct Cell {
  std::string name, text;
  std::string look = "field";
  int row = 0;
};

// From the PUT `from` to the WAIT `to`: member and place in its list.
struct Release {
  std::pair<std::size_t, std::size_t> from, to;
};

// Words for a list of descriptors, and which of them releases which.
class Reading {
 public:
  explicit Reading(const QueueLists& queues) : queues_(queues), cells_(queues.lists.size()) {
    // One descriptor at a time of every member in turn, as far as counts allow.
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t m = 0; m < cells_.size(); ++m) {
        while (cells_[m].size() < list(m).size() && take(m)) moved = true;
      }
    }
    for (std::size_t m = 0; m < cells_.size(); ++m) {
      if (cells_[m].size() < list(m).size()) {
        throw std::runtime_error(
            fmt::format("member {}: descriptor {} waits for ever", member(m), cells_[m].size()));
      }
    }
    for (const auto& [counter, bumps] : bumps_) {
      std::uint64_t most = 0;
      for (std::size_t m = 0; m < cells_.size(); ++m) {
        if (member(m) == counter.first) most = std::max(most, awaited_[{m, counter.second}]);
      }
      if (most < bumps.size()) {
        throw std::runtime_error(fmt::format("member {}: nobody waits for bump {} of counter {}",
                                             counter.first, bumps.size(), counter.second));
      }
    }
  }

  [[nodiscard]] const std::vector<std::vector<Cell>>& cells() const { return cells_; }
  [[nodiscard]] const std::vector<Release>& releases() const { return releases_; }

 private:
  using Counter = std::pair<std::size_t, std::uint64_t>;  // member or list, event counter

  [[nodiscard]] const std::vector<Descriptor>& list(std::size_t m) const {
    return queues_.lists[m].descriptors;
  }
  [[nodiscard]] std::size_t member(std::size_t m) const { return queues_.lists[m].member; }

  // False if the descriptor waits for a count that is not there yet.
  bool take(std::size_t own) {
    const std::size_t index = cells_[own].size();
    const Descriptor& descriptor = list(own)[index];
    const auto opcode = descriptor.get<d::opcode>();
    Cell cell;
    cell.row = index == 0 ? 0 : cells_[own].back().row + 1;
    if (opcode == Opcode::kWait) {
      if (!take_wait(own, index, descriptor, cell)) return false;
    } else if (opcode == Opcode::kPut) {
      take_put(own, index, descriptor, cell);
    } else if (opcode == Opcode::kCalc) {
      take_calc(own, descriptor, cell);
    } else {
      throw std::runtime_error(fmt::format("no words for {}", name_of(opcode)));
    }
    cells_[own].push_back(cell);
    return true;
  }

  bool take_wait(std::size_t own, std::size_t index, const Descriptor& descriptor, Cell& cell) {
    const auto value = WaitOperation::from_bytes(descriptor.get<d::immediate>())
                           .get<layout::wait_operation::value>();
    cell.look = "enum";
    if (descriptor.get<d::on_queue>() != 0) return take_queue_wait(own, index, value, cell);
    const std::uint64_t event = descriptor.get<d::event_counter>();
    const auto& bumps = bumps_[{member(own), event}];
    if (bumps.size() < value) return false;
    std::uint64_t& awaited = awaited_[{own, event}];
    std::string sources;
    for (; awaited < value; ++awaited) {
      const auto& [source, put] = bumps[awaited];
      cell.row = std::max(cell.row, cells_[source][put].row + 1);
      sources += fmt::format("{}{}", sources.empty() ? "" : ", ", member(source));
      releases_.push_back({bumps[awaited], {own, index}});
    }
    cell.name = fmt::format("WAIT counter {} >= {}", counter(event), value);
    cell.text = "bumped by member " + sources;
    return true;
  }

  // For the descriptors done of the member's other queue.
  bool take_queue_wait(std::size_t own, std::size_t index, std::uint64_t value, Cell& cell) {
    const PacketHeader header = list(own)[index].get<d::header>();
    std::size_t other = 0;
    while (other < cells_.size() && (member(other) != member(own) ||
                                     queues_.lists[other].queue.value != header.get<h::target>())) {
      ++other;
    }
    if (other == cells_.size() || value == 0) throw std::runtime_error("a WAIT for no queue");
    if (cells_[other].size() < value) return false;
    cell.row = std::max(cell.row, cells_[other][value - 1].row + 1);
    releases_.push_back({{other, value - 1}, {own, index}});
    cell.name = fmt::format("WAIT {} done >= {}", queues_.lists[other].name, value);
    cell.text = "descriptors of that queue";
    return true;
  }

  void take_put(std::size_t own, std::size_t index, const Descriptor& descriptor, Cell& cell) {
    const PacketHeader header = descriptor.get<d::header>();
    const auto to = static_cast<std::size_t>(header.get<h::dst_x>());
    if (descriptor.get<d::event_valid>() == 0) {
      if (to != member(own) || descriptor.get<d::interrupt_target>() == 0) {
        throw std::runtime_error("no words for a PUT that neither bumps nor completes");
      }
      cell.name = fmt::format("PUT to {}, interrupt", to);
      cell.text = "completion word";
      cell.look = "reserved";
      return;
    }
    const std::uint64_t event = descriptor.get<d::event_counter>();
    bumps_[{to, event}].emplace_back(own, index);
    cell.name = fmt::format("PUT to {}, counter {}", to, counter(event));
    const Bytes bytes = descriptor.get<d::length>();
    cell.text =
        descriptor.get<d::immediate_valid>() != 0
            ? "a signal"
            : fmt::format("its {} = {}",
                          place(to, header.get<h::target>(), header.get<h::offset>(), bytes),
                          place(member(own), descriptor.get<d::source_region>(),
                                descriptor.get<d::source_offset>(), bytes));
    cell.look = "block";
  }

  void take_calc(std::size_t own, const Descriptor& descriptor, Cell& cell) {
    namespace c = layout::calc_operation;
    const PacketHeader header = descriptor.get<d::header>();
    const Bytes bytes = descriptor.get<d::length>();
    const std::size_t count = descriptor.get<d::operands>();
    cell.look = "struct";
    cell.name =
        count == 1 ? "CALC copy" : fmt::format("CALC {}", name_of(descriptor.get<d::reduction>()));
    cell.text = place(member(own), header.get<h::target>(), header.get<h::offset>(), bytes);
    for (std::size_t i = 0; i < count; ++i) {
      RegionPlace at;
      if (descriptor.get<d::immediate_valid>() != 0) {
        const auto both = CalcOperation::from_bytes(descriptor.get<d::immediate>());
        at = i == 0 ? place_at(both.get<c::left_region>(), both.get<c::left_offset>())
                    : place_at(both.get<c::right_region>(), both.get<c::right_offset>());
      } else {
        const QueueLists::Operands& all = queues_.operands[member(own)];
        const Bytes first = descriptor.get<d::source_offset>() - all.at.offset;
        const Operand& operand = all.operands.at(first / Operand::kBytes + i);
        at = place_at(operand.get<layout::operand::region>(),
                      operand.get<layout::operand::offset>());
      }
      cell.text += (i == 0 ? " = " : " + ") + place(member(own), at.region.value, at.offset, bytes);
    }
  }
  static RegionPlace place_at(std::uint64_t region, Bytes offset) {
    return {{static_cast<std::uint32_t>(region)}, offset};
  }

  [[nodiscard]] std::uint64_t counter(std::uint64_t event) const {
    return event - queues_.first_event;
  }
  // "in[2]", "out[0..511]".
  [[nodiscard]] std::string place(std::size_t member, std::uint64_t region, Bytes offset,
                                  Bytes bytes) const {
    for (const QueueLists::Place& place : queues_.places[member]) {
      if (place.region.value != region || offset < place.from || offset + bytes > place.to) {
        continue;
      }
      const Bytes first = (offset - place.from) / queues_.element;
      const Bytes count = bytes / queues_.element;
      if (count == 1) return fmt::format("{}[{}]", place.name, first);
      return fmt::format("{}[{}..{}]", place.name, first, first + count - 1);
    }
    throw std::runtime_error(
        fmt::format("member {}: no name for region {} at {}", member, region, offset));
  }

  const QueueLists& queues_;
  std::vector<std::vector<Cell>> cells_;
  std::vector<Release> releases_;
  std::map<Counter, std::vector<std::pair<std::size_t, std::size_t>>> bumps_;
  std::map<Counter, std::uint64_t> awaited_;
};

// Lines side by side: each gets the first place in which it touches no other.
class Tracks {
 public:
  int take(int from, int to) {
    if (from > to) std::swap(from, to);
    std::size_t track = 0;
    const auto touches = [&](const std::pair<int, int>& other) {
      return from <= other.second && other.first <= to;
    };
    while (track < taken_.size() &&
           std::any_of(taken_[track].begin(), taken_[track].end(), touches)) {
      ++track;
    }
    if (track == taken_.size()) taken_.emplace_back();
    taken_[track].emplace_back(from, to);
    return static_cast<int>(track);
  }
  [[nodiscard]] int size() const { return static_cast<int>(taken_.size()); }

 private:
  std::vector<std::vector<std::pair<int, int>>> taken_;
};

// An arrow leaves a PUT at the side, runs down beside the column, along in the space above the row
// of its WAIT, and enters it from above. So it crosses no box.
class QueueDrawing {
 public:
  QueueDrawing(const QueueLists& queues, const Reading& reading)
      : queues_(queues), cells_(reading.cells()), releases_(reading.releases()) {
    int longest = 0;
    for (const auto& column : cells_) {
      for (const Cell& cell : column) {
        rows_ = std::max(rows_, static_cast<std::size_t>(cell.row) + 1);
        longest = std::max(
            {longest, text_width(cell.name, kTextSize + 1), text_width(cell.text, kTextSize)});
      }
    }
    box_width_ = longest + kPadding;
    gutters_.resize(cells_.size() + 1);
    gaps_.resize(rows_);
    find_tracks();
    place_columns();
    place_rows();
  }

  std::string str() const {
    const int width = std::max(right_, kLeastWidth);
    const std::vector<std::string> legend = lines_of(
        "An arrow leads from the PUT that bumps a counter, or from the last descriptor of another "
        "queue, to the WAIT that the count releases. in, out: the caller's; s, o: scratch and "
        "output in the group's window; "
        "[i]: doubles, a piece of s begins at a multiple of 8.",
        kTextSize, width - 2 * kMargin);
    int y = row_y_.back() + kBoxHeight + 34;
    Svg svg(width, y + static_cast<int>(legend.size()) * kLine, queues_.title, strokes());
    svg.text({kMargin, 30}, queues_.title, "name", kTitleSize);
    for (std::size_t m = 0; m < cells_.size(); ++m) {
      svg.text({middle(m), kTop - 24}, title_of(m), "name", 12, "middle");
      svg.line({middle(m), kTop - 18}, {middle(m), bottom(cells_[m].back())}, "tick");
    }
    for (const Route& route : routes_) draw(svg, route);
    for (std::size_t m = 0; m < cells_.size(); ++m) {
      for (const Cell& cell : cells_[m]) {
        svg.box({column_x_[m], row_y_[row(cell)], box_width_, kBoxHeight}, cell.look);
        svg.text({middle(m), row_y_[row(cell)] + 16}, cell.name, "name", kTextSize, "middle");
        svg.text({middle(m), row_y_[row(cell)] + 31}, cell.text, "", kTextSize, "middle");
      }
    }
    for (const std::string& line : legend) {
      svg.text({kMargin, y}, line, "dim", kTextSize);
      y += kLine;
    }
    return svg.str();
  }

 private:
  struct Route {
    Release release;
    std::size_t gutter = 0;  // beside the PUT
    std::size_t gap = 0;     // above the row of the WAIT
    int gutter_track = 0, gap_track = 0;
    int entry = 0, entries = 1;  // place among the arrows that enter the WAIT
  };

  // Arrows to the right keep left in it, and those to the left keep right.
  struct Gutter {
    Tracks right, left;
    [[nodiscard]] int size() const { return right.size() + left.size(); }
  };

  static std::size_t row(const Cell& cell) { return static_cast<std::size_t>(cell.row); }
  [[nodiscard]] const Cell& cell(std::pair<std::size_t, std::size_t> at) const {
    return cells_[at.first][at.second];
  }
  [[nodiscard]] std::string title_of(std::size_t m) const {
    const bool one = queues_.lists.size() == queues_.places.size();
    const QueueLists::List& list = queues_.lists[m];
    return one ? fmt::format("queue of member {}", list.member)
               : fmt::format("member {}: {}", list.member, list.name);
  }
  [[nodiscard]] int middle(std::size_t m) const { return column_x_[m] + box_width_ / 2; }
  [[nodiscard]] int bottom(const Cell& cell) const { return row_y_[row(cell)] + kBoxHeight; }

  // In units in which a column is 100 wide and a row is 100 high: widths are not known yet.
  void find_tracks() {
    constexpr int kUnit = 100;
    std::map<std::pair<std::size_t, std::size_t>, int> entries;
    for (const Release& release : releases_) {
      Route route{.release = release};
      const std::size_t from = release.from.first;
      const std::size_t to = release.to.first;
      route.gutter = from < to ? from + 1 : from;
      route.gap = row(cell(release.to));
      route.entry = entries[release.to]++;
      const int start = cell(release.from).row * kUnit;
      Gutter& gutter = gutters_[route.gutter];
      Tracks& tracks = from < to ? gutter.right : gutter.left;
      route.gutter_track = tracks.take(start + 1, static_cast<int>(route.gap) * kUnit - 1);
      const int side = static_cast<int>(route.gutter) * kUnit;
      const int entry = static_cast<int>(to) * kUnit + kUnit / 2;
      route.gap_track = gaps_[route.gap].take(side, entry);
      routes_.push_back(route);
    }
    for (Route& route : routes_) route.entries = entries[route.release.to];
  }

  void place_columns() {
    int x = kMargin;
    for (std::size_t m = 0; m < cells_.size(); ++m) {
      x += gutter_width(m);
      column_x_.push_back(x);
      x += box_width_;
    }
    right_ = x + gutter_width(cells_.size()) + kMargin;
  }
  [[nodiscard]] int gutter_width(std::size_t gutter) const {
    const bool outer = gutter == 0 || gutter == cells_.size();
    if (outer && gutters_[gutter].size() == 0) return 0;
    return kLeastGutter + kTrack * gutters_[gutter].size();
  }
  void place_rows() {
    int y = kTop;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (r != 0) y += kLeastGap + kTrack * gaps_[r].size();
      row_y_.push_back(y);
      y += kBoxHeight;
    }
  }

  [[nodiscard]] std::vector<Stroke> strokes() const {
    std::vector<Stroke> strokes;
    for (std::size_t m = 0; m < queues_.places.size(); ++m) {
      strokes.push_back({fmt::format("from{}", m), kColours[m % kColours.size()]});
    }
    return strokes;
  }

  void draw(Svg& svg, const Route& route) const {
    const auto [from, from_index] = route.release.from;
    const std::size_t to = route.release.to.first;
    const bool rightward = route.gutter > from;
    const int aside = kLeastGutter / 2 + kTrack * route.gutter_track;
    const int x = rightward ? column_x_[from] + box_width_ + aside : column_x_[from] - aside;
    const Point start{rightward ? column_x_[from] + box_width_ : column_x_[from],
                      row_y_[row(cells_[from][from_index])] + kBoxHeight / 2};
    const int top = row_y_[route.gap];
    const int y = top - kLeastGap / 2 - 4 - kTrack * route.gap_track;
    // Beside the line of the queue, which enters in the middle.
    const int entry = column_x_[to] + box_width_ * (2 * route.entry + 1) / (2 * route.entries + 2);
    svg.arrow({start, {x, start.y}, {x, y}, {entry, y}, {entry, top}},
              fmt::format("from{}", queues_.lists[from].member));
  }

  const QueueLists& queues_;
  const std::vector<std::vector<Cell>>& cells_;
  const std::vector<Release>& releases_;
  std::size_t rows_ = 1;
  int box_width_ = 0, right_ = 0;
  std::vector<Gutter> gutters_;
  std::vector<Tracks> gaps_;
  std::vector<Route> routes_;
  std::vector<int> column_x_, row_y_;
};

constexpr Bytes kDouble = sizeof(double);

// As many doubles as show what the algorithm does.
std::uint64_t count_for(Collective what, Algorithm algorithm, std::uint32_t members) {
  if (what == Collective::kBarrier) return 0;
  if (algorithm == Algorithm::kChain) return 2 * kChainSegment / kDouble;
  const bool whole = what == Collective::kReduce || what == Collective::kAllreduce;
  const bool blocks = algorithm == Algorithm::kRing || algorithm == Algorithm::kDirect;
  return whole && blocks ? members : 1;  // a block for each
}

std::pair<Collective, Algorithm> find(const std::string& collective, const std::string& algorithm) {
  for (const AlgorithmRule& rule : algorithm_rules()) {
    for (const Algorithm candidate : {rule.shorter, rule.longer}) {
      if (name_of(rule.what) == collective && name_of(candidate) == algorithm) {
        return {rule.what, candidate};
      }
    }
  }
  for (const MuRule& rule : mu_rules()) {
    if (name_of(rule.what) == collective && name_of(rule.instead) == algorithm) {
      return {rule.what, rule.instead};
    }
  }
  throw std::runtime_error("no algorithm " + algorithm + " of " + collective);
}

}  // namespace

QueueLists lists_of(const std::string& collective, const std::string& algorithm,
                    std::uint32_t members) {
  const auto [what, how] = find(collective, algorithm);
  const Call call{
      .what = what, .count = count_for(what, how, members), .element = kDouble, .in_place = false};
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  const NodePlan plan = NodePlan::make(Shape{members, 1, 1}, kSim, Bytes{1} << 30).value();
  if (!is_translatable(call, sum, how, members, plan)) {
    throw std::runtime_error("the MU cannot run " + collective + " by " + algorithm);
  }
  constexpr ClientId kClient{0};
  const RegionPlace in{plan.user_region(kClient, 0), 0};
  const RegionPlace out{plan.user_region(kClient, 1), 0};
  std::vector<Task> tasks;
  for (std::uint32_t m = 0; m < members; ++m) tasks.push_back({m});
  QueueLists queues;
  queues.title = fmt::format("{} by {}, {} members", collective, algorithm, members);
  queues.element = kDouble;
  queues.first_event = plan.offload_event(kClient, 0, 0, 0).value;
  const Bytes window = plan.offload_window(0, 0);
  const Bytes window_end = window + plan.options().offload_window;
  for (std::uint32_t m = 0; m < members; ++m) {
    const TranslationTarget target{
        .plan = plan, .members = tasks, .in = in, .out = out, .completion = 1};
    const Translation translation = translate(call, sum, how, m, target);
    queues.lists.push_back({m, plan.offload_queue(kClient, 0), "sends", translation.descriptors});
    if (!translation.sums.empty()) {
      queues.lists.push_back({m, plan.offload_sum_queue(kClient, 0), "sums", translation.sums});
    }
    const RegionId own = plan.offload_region(kClient);
    queues.operands.push_back({{own, translation.operands_at}, translation.operands});
    const MemberView view = view_of(call, how, members, m);
    const Bytes staged = view.staged ? window + view.output_at : window_end;
    queues.places.push_back({{in.region, 0, window_end, "in"},
                             {out.region, 0, window_end, "out"},
                             {own, window, staged, "s"},
                             {own, staged, window_end, "o"}});
  }
  return queues;
}

std::string draw_queues(const QueueLists& queues) {
  const Reading reading(queues);
  return QueueDrawing(queues, reading).str();
}

}  // namespace torusmu::draw
