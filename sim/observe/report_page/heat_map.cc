// SPDX-License-Identifier: Apache-2.0
// Links of the torus, layer by layer, coloured by how much of the time they carried a flit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/observe/report_page/plot.h"

namespace torusmu::report_page {
namespace {

constexpr unsigned kColours = 8;                  // heat0 is no flit at all
constexpr std::uint32_t kMostNodesByClass = 512;  // of larger machines both classes in one map
constexpr std::size_t kMostBusiest = 10;

enum class Which { kAll, kRequests, kReplies };

std::uint64_t flits_of(const LinkLoad& load, Which which) {
  return which == Which::kAll        ? load.all()
         : which == Which::kRequests ? load.requests
                                     : load.replies;
}

double percent(std::uint64_t flits, Cycles cycles) {
  return cycles == 0 ? 0 : 100.0 * static_cast<double>(flits) / static_cast<double>(cycles);
}

class Map {
 public:
  // The most flits of a link, in the whole run and in one slice.
  struct Most {
    std::uint64_t whole = 0, slice = 0;
  };
  // `scale` enlarges everything but the text.
  Map(Picture& picture, const RunRecord& run, Which which, const Most& most, double scale)
      : picture_(picture), run_(run), which_(which), most_(most), scale_(scale) {}

  static constexpr double kCell = 46, kNode = 16, kBar = 5, kSide = 0.75;
  static constexpr double kGap = 20, kHead = 22, kNumbers = 24;  // around a layer, not scaled

  static double layer_width(const Shape& shape, double scale) {
    return kNumbers + kCell * scale * shape.x + kGap;
  }
  static double layer_height(const Shape& shape, double scale) {
    return kHead + kCell * scale * shape.y + kNumbers;
  }

  void draw_layer(std::uint32_t z, double left, double top) {
    const Shape& shape = run_.shape;
    const double cell = kCell * scale_;
    const auto column = [&](std::uint32_t x) { return left + kNumbers + cell * (x + 0.5); };
    // y grows upwards, as in a plot.
    const auto row = [&](std::uint32_t y) { return top + kHead + cell * (shape.y - 1 - y + 0.5); };
    picture_.text(left + kNumbers, top + 14, fmt::format("z = {}", z), "label");
    for (std::uint32_t x = 0; x < shape.x; ++x) {
      picture_.text(column(x), top + kHead + cell * shape.y + 14, fmt::format("{}", x), "label",
                    "middle");
    }
    for (std::uint32_t y = 0; y < shape.y; ++y) {
      picture_.text(left + kNumbers - 8, row(y) + 4, fmt::format("{}", y), "label", "end");
      for (std::uint32_t x = 0; x < shape.x; ++x) draw_node({x, y, z}, column(x), row(y));
    }
  }

  // Which colour.
  [[nodiscard]] static unsigned level(std::uint64_t flits, std::uint64_t most) {
    if (flits == 0 || most == 0) return 0;
    const double part = static_cast<double>(flits) / static_cast<double>(most);
    const auto level = static_cast<unsigned>(std::ceil(part * (kColours - 1)));
    return std::clamp(level, 1U, kColours - 1);
  }

 private:
  // Links leave the node: towards x and y as bars that reach the neighbour, beside those that come
  // back, or half as long where they go round the ring; towards z as triangles in the node.
  void draw_node(const Coordinates& at, double x, double y) {
    const Shape& shape = run_.shape;
    const NodeId node = shape.node(at);
    const double half = kNode * scale_ / 2, bar = kBar * scale_;
    const double whole = (kCell - kNode) * scale_, round = whole / 2 - 1;
    picture_.box(x - half, y - half, 2 * half, 2 * half, "node",
                 fmt::format("node {} {}", node.value, place(shape, node)));
    if (const auto hover = hover_of(node, 0)) {
      const double length = at.x + 1 < shape.x ? whole : round;
      picture_.box(x + half, y - bar - kSide, length, bar, look_of(node, 0), *hover);
    }
    if (const auto hover = hover_of(node, 1)) {
      const double length = at.x != 0 ? whole : round;
      picture_.box(x - half - length, y + kSide, length, bar, look_of(node, 1), *hover);
    }
    if (const auto hover = hover_of(node, 2)) {
      const double length = at.y + 1 < shape.y ? whole : round;
      picture_.box(x - bar - kSide, y - half - length, bar, length, look_of(node, 2), *hover);
    }
    if (const auto hover = hover_of(node, 3)) {
      const double length = at.y != 0 ? whole : round;
      picture_.box(x + kSide, y + half, bar, length, look_of(node, 3), *hover);
    }
    for (const unsigned direction : {4U, 5U}) {
      const double way = direction == 4 ? -1 : 1;
      if (const auto hover = hover_of(node, direction)) {
        picture_.polygon(fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x - half + 1,
                                     y + way, x + half - 1, y + way, x, y + way * half),
                         look_of(node, direction), *hover);
      }
    }
  }

  // Of the whole run; the script has the colours of the slices from the shape's own digits.
  [[nodiscard]] std::string look_of(NodeId node, unsigned direction) const {
    std::string levels;
    for (const LinkSlice& slice : run_.slices) {
      levels += static_cast<char>(
          '0' + level(flits_of(slice.links[node.value][direction], which_), most_.slice));
    }
    picture_.next_has("data-t", levels);
    return fmt::format("heat{}",
                       level(flits_of(run_.links[node.value][direction], which_), most_.whole));
  }

  [[nodiscard]] std::optional<std::string> hover_of(NodeId node, unsigned direction) const {
    if (!link_exists(run_.shape, node, direction)) return std::nullopt;
    const LinkLoad& load = run_.links[node.value][direction];
    return fmt::format("{} {} to {}: {} flits of requests ({:.2f} %), {} of replies ({:.2f} %)",
                       place(run_.shape, node), kDirectionNames[direction],
                       place(run_.shape, neighbour(run_.shape, node, direction)),
                       with_commas(load.requests), percent(load.requests, run_.program.cycles()),
                       with_commas(load.replies), percent(load.replies, run_.program.cycles()));
  }

  Picture& picture_;
  const RunRecord& run_;
  Which which_;
  Most most_;
  double scale_;
};

// `look` names the legend for the script, which shows that of slices in place of that of the whole.
void draw_legend(Picture& picture, const std::string& look, std::uint64_t most, Cycles cycles,
                 double y) {
  constexpr double kWidth = 84, kHeight = 12;
  picture.begin_group(look);
  picture.text(10, y + 10, "flits, % of the cycles", "label");
  for (unsigned i = 0; i < kColours; ++i) {
    const double x = 170 + kWidth * i;
    const std::uint64_t flits = most * i / (kColours - 1);
    picture.box(x, y, kWidth - 4, kHeight, fmt::format("heat{}", i));
    picture.text(x + (kWidth - 4) / 2, y + kHeight + 14,
                 i == 0 ? "none" : fmt::format("to {:.3g}", percent(flits, cycles)), "", "middle");
  }
  picture.end_of_group();
}

Map::Most most_of(const RunRecord& run) {
  const auto most_in = [](const auto& links) {
    std::uint64_t most = 0;
    for (const auto& node : links) {
      for (const LinkLoad& load : node) most = std::max(most, load.all());
    }
    return most;
  };
  Map::Most most{.whole = most_in(run.links)};
  for (const LinkSlice& slice : run.slices) most.slice = std::max(most.slice, most_in(slice.links));
  return most;
}

// "from,to;from,to", for the script.
std::string slices_of(const RunRecord& run) {
  std::string text;
  for (const LinkSlice& slice : run.slices) {
    text += fmt::format("{}{},{}", text.empty() ? "" : ";", slice.from, slice.to);
  }
  return text;
}

}  // namespace

std::string heat_map(const std::string& id, const RunRecord& run) {
  std::uint64_t replies = 0;
  for (const auto& node : run.links) {
    for (const LinkLoad& load : node) replies += load.replies;
  }
  const Map::Most most = most_of(run);
  if (most.whole == 0) return "<p>No flit was on any link.</p>\n";
  const Shape& shape = run.shape;
  const bool by_class = shape.nodes() <= kMostNodesByClass;
  constexpr double kPage = 1060, kTop = 10, kLegend = 46, kTitle = 22;
  // As large as leaves all layers in one row, within reason.
  const double room = kPage / shape.z - Map::layer_width({0, 0, 0}, 1);
  const double scale = std::clamp(room / (Map::kCell * shape.x), 1.0, 1.8);
  const double layer_width = Map::layer_width(shape, scale);
  const double layer_height = Map::layer_height(shape, scale);
  const auto columns =
      std::clamp<std::uint32_t>(static_cast<std::uint32_t>(kPage / layer_width), 1, shape.z);
  const std::uint32_t rows = (shape.z + columns - 1) / columns;
  const double width = std::max(kPage, layer_width * columns);
  std::vector<std::pair<Which, const char*>> maps{{Which::kAll, "both classes"}};
  if (by_class) maps = {{Which::kRequests, "requests"}, {Which::kReplies, "replies"}};
  if (replies == 0) maps = {{Which::kRequests, "requests; there were no replies"}};
  const double height =
      kTop + kLegend + static_cast<double>(maps.size()) * (kTitle + rows * layer_height);
  Picture picture(id, "heat map of the links", static_cast<int>(width), static_cast<int>(height));
  draw_legend(picture, "whole", most.whole, run.program.cycles(), kTop);
  if (!run.slices.empty()) {
    const LinkSlice& slice = run.slices.front();
    draw_legend(picture, "slice", most.slice, slice.to - slice.from, kTop);
  }
  double top = kTop + kLegend;
  for (const auto& [which, name] : maps) {
    picture.text(10, top + 14, name, "title");
    Map map(picture, run, which, most, scale);
    for (std::uint32_t z = 0; z < shape.z; ++z) {
      map.draw_layer(z, layer_width * (z % columns), top + kTitle + (z / columns) * layer_height);
    }
    top += kTitle + rows * layer_height;
  }
  return fmt::format("<figure class=\"heat\" data-slices=\"{}\">", slices_of(run)) + picture.str() +
         "<figcaption>Each square is a node; x grows to the right, y upwards. Of the two bars "
         "between neighbours the upper one is x+ and the left one y+; short bars at an edge go "
         "round the ring. The triangles in the square are z+ (up) and z&#8722; (down). Hover for "
         "numbers.</figcaption></figure>\n";
}

std::string busiest_links(const RunRecord& run) {
  struct Sum {
    std::uint64_t links = 0, requests = 0, replies = 0, most = 0;
  };
  std::array<Sum, kDirections> sums{};
  std::vector<std::pair<std::uint32_t, unsigned>> links;
  for (std::uint32_t n = 0; n < run.links.size(); ++n) {
    for (unsigned d = 0; d < kDirections; ++d) {
      if (!link_exists(run.shape, {n}, d)) continue;
      const LinkLoad& load = run.links[n][d];
      ++sums[d].links;
      sums[d].requests += load.requests;
      sums[d].replies += load.replies;
      sums[d].most = std::max(sums[d].most, load.all());
      if (load.all() != 0) links.emplace_back(n, d);
    }
  }
  std::string html =
      "<div class=\"side\"><table><caption>By direction</caption><tr><th>direction<th>links"
      "<th>flits of requests<th>of replies<th>mean<th>busiest link</tr>\n";
  for (unsigned d = 0; d < kDirections; ++d) {
    const Sum& sum = sums[d];
    if (sum.links == 0) continue;
    html += fmt::format(
        "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{:.2f} %"
        "<td class=\"n\">{:.2f} %</tr>\n",
        kDirectionNames[d], sum.links, with_commas(sum.requests), with_commas(sum.replies),
        percent(sum.requests + sum.replies, run.program.cycles() * sum.links),
        percent(sum.most, run.program.cycles()));
  }
  html += "</table>\n";
  const std::size_t shown = std::min(kMostBusiest, links.size());
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), links.end(),
                    [&](const auto& a, const auto& b) {
                      const std::uint64_t left = run.links[a.first][a.second].all();
                      const std::uint64_t right = run.links[b.first][b.second].all();
                      return left != right ? left > right : a < b;
                    });
  html +=
      "<table><caption>Busiest links</caption><tr><th>from<th>direction<th>flits of requests"
      "<th>of replies<th>of the program's time</tr>\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const LinkLoad& load = run.links[links[i].first][links[i].second];
    html += fmt::format(
        "<tr><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{:.2f} %</tr>\n",
        place(run.shape, {links[i].first}), kDirectionNames[links[i].second],
        with_commas(load.requests), with_commas(load.replies),
        percent(load.all(), run.program.cycles()));
  }
  return html + "</table></div>\n";
}

}  // namespace torusmu::report_page
