// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/torus.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

#include "docs/draw/netlist.h"
#include "docs/draw/svg.h"

namespace torusmu::draw {
namespace {

constexpr int kSide = 3;
constexpr std::array<const char*, 6> kPins{"xp", "xm", "yp", "ym", "zp", "zm"};
constexpr std::array<const char*, 6> kNames{"x+", "x-", "y+", "y-", "z+", "z-"};

struct Hop {
  int node;
  std::string pin;  // where it enters
};

// What mu_torus connects, by node and output.
class Links {
 public:
  explicit Links(const Netlist& design) {
    for (const Wire& wire : design.wires) {
      if (wire.from_port == "valid_o") enters_[wire.from] = wire;
    }
    for (const Wire& wire : design.wires) {
      if (wire.to_port == "valid_i" && wire.from_port.starts_with("link_"))
        leaves_[key(wire)] = wire;
    }
  }
  [[nodiscard]] Hop from(int node, const std::string& pin) const {
    const auto leaves = leaves_.find(instance(node) + ".link_" + pin + "_valid_o");
    if (leaves == leaves_.end()) throw std::runtime_error("no link leaves on " + pin);
    const auto enters = enters_.find(leaves->second.to);
    if (enters == enters_.end()) throw std::runtime_error(leaves->second.to + " leads nowhere");
    for (int to = 0; to < kSide * kSide * kSide; ++to) {
      if (enters->second.to == instance(to)) return {to, enters->second.to_port.substr(5, 2)};
    }
    throw std::runtime_error(enters->second.to + " is no node");
  }

 private:
  static std::string instance(int node) { return fmt::format("gen_node[{}].u_node", node); }
  static std::string key(const Wire& wire) { return wire.from + "." + wire.from_port; }
  std::map<std::string, Wire> enters_, leaves_;
};

constexpr int kBoxSize = 96, kStep = 210, kLeft = 130, kTop = 130, kApart = 14;

Point corner(int node) {
  return {kLeft + node % kSide * kStep, kTop + (kSide - 1 - node / kSide % kSide) * kStep};
}

// From the middle of a side of one node to the middle of a side of another, the two ways apart.
void draw_link(Svg& svg, int from, const std::string& pin, const Hop& to) {
  constexpr int kMiddle = kBoxSize / 2;
  const Point a = corner(from);
  const Point b = corner(to.node);
  const bool along_x = pin[0] == 'x';
  const bool plus = pin[1] == 'p';
  const int shift = kMiddle + (plus ? -kApart / 2 : kApart / 2);
  // y grows downward on paper, upward in the machine.
  const Point out = along_x ? Point{plus ? a.x + kBoxSize : a.x, a.y + shift}
                            : Point{a.x + shift, plus ? a.y : a.y + kBoxSize};
  const bool enters_plus = to.pin[1] == 'p';
  const Point in = along_x ? Point{enters_plus ? b.x + kBoxSize : b.x, b.y + shift}
                           : Point{b.x + shift, enters_plus ? b.y : b.y + kBoxSize};
  const int way = along_x ? in.x - out.x : out.y - in.y;
  if ((way > 0) == plus) {
    svg.arrow({out, in}, "data");
    return;
  }
  // Round the ring: out beyond the edge, back behind the row, and in from the other edge.
  const int reach = plus ? 44 : 56;
  const int side = kBoxSize / 2 + (plus ? 16 : 28);
  if (along_x) {
    const int back = a.y + kMiddle + side;
    const int step = plus ? reach : -reach;
    svg.arrow({out,
               {out.x + step, out.y},
               {out.x + step, back},
               {in.x - step, back},
               {in.x - step, in.y},
               in},
              "control");
  } else {
    const int back = a.x + kMiddle - side;
    const int step = plus ? -reach : reach;
    svg.arrow({out,
               {out.x, out.y + step},
               {back, out.y + step},
               {back, in.y - step},
               {in.x, in.y - step},
               in},
              "control");
  }
}

}  // namespace

std::string draw_torus(const std::filesystem::path& design) {
  const Links links(read_netlist(design, "mu_torus", {}));
  constexpr int kSize = kLeft + (kSide - 1) * kStep + kBoxSize + 90;
  Svg svg(kSize + 20, kSize + 96, "A torus of 3 x 3 x 3: the layer z = 0");
  svg.text({20, 28}, "A torus of 3 x 3 x 3: the layer z = 0", "name", 16);
  for (int node = 0; node < kSide * kSide; ++node) {
    for (std::size_t d = 0; d < 4; ++d) draw_link(svg, node, kPins[d], links.from(node, kPins[d]));
  }
  for (int node = 0; node < kSide * kSide; ++node) {
    const Point at = corner(node);
    svg.box({at.x, at.y, kBoxSize, kBoxSize}, "block");
    const auto place = [](int n) {
      return fmt::format("({},{},{})", n % kSide, n / kSide % kSide, n / kSide / kSide);
    };
    svg.text({at.x + kBoxSize / 2, at.y + 26}, place(node), "name", 13, "middle");
    svg.text({at.x + kBoxSize / 2, at.y + 42}, fmt::format("node {}", node), "dim", 11, "middle");
    for (std::size_t d = 4; d < 6; ++d) {
      const Hop hop = links.from(node, kPins[d]);
      svg.text({at.x + kBoxSize / 2, at.y + 62 + static_cast<int>(d - 4) * 15},
               fmt::format("{} {}", kNames[d], place(hop.node)), "", 11, "middle");
    }
  }
  const int y = kSize + 30;
  svg.arrow({{20, y - 4}, {54, y - 4}}, "data");
  svg.text({62, y}, "to the next node: out on x+, in on x-; out on y+ (up), in on y-", "", 11);
  svg.arrow({{20, y + 18}, {54, y + 18}}, "control");
  svg.text({62, y + 22}, "round the ring; a strap bit for each dimension takes these away (mesh)",
           "", 11);
  svg.text({20, y + 46}, "Each arrow is a link of L cycles with credits the other way: mu_link",
           "dim", 11);
  return svg.str();
}

}  // namespace torusmu::draw
