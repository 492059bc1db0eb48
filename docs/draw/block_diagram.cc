// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/block_diagram.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "docs/draw/netlist.h"
#include "docs/draw/picture_file.h"

namespace torusmu::draw {
namespace {

constexpr int kNameSize = 13, kTextSize = 11, kLabelSize = 11;

using Names = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;  // from, to: ids of blocks

class Diagram {
 public:
  Diagram(PictureFile picture, Netlist design)
      : picture_(std::move(picture)), design_(std::move(design)) {
    place_instances();
    for (const Wire& wire : design_.wires) add_wire(wire);
    check_routes();
    if (complaints_.empty()) return;
    std::string text = "the picture does not fit the design:";
    for (const std::string& complaint : complaints_) text += "\n  " + complaint;
    throw std::runtime_error(text);
  }

  std::string draw() const {
    Svg svg(picture_.width, picture_.height, picture_.title);
    svg.text({20, 28}, picture_.title, "name", 16);
    for (const PictureFile::Block& block : picture_.blocks) draw_sheets(svg, block);
    for (const PictureFile::Route& route : picture_.routes) {
      svg.arrow(route.points, route.look, route.both_ways);
    }
    for (const PictureFile::Block& block : picture_.blocks) draw_block(svg, block);
    for (const PictureFile::Route& route : picture_.routes) draw_label(svg, route);
    draw_legend(svg);
    for (const auto& [at, text] : picture_.notes) svg.text(at, text, "dim", kTextSize);
    return svg.str();
  }

 private:
  // Which block each instance is in.
  void place_instances() {
    for (const PictureFile::Block& block : picture_.blocks) {
      if (block.is_pins) continue;
      for (const std::string& path : block.members) {
        if (!design_.instances.contains(path)) complaints_.push_back("no instance " + path);
        block_of_[path] = block.id;
      }
    }
    for (const auto& [path, instance] : design_.instances) {
      if (!block_of_.contains(path)) {
        complaints_.push_back("instance " + path + " of " + instance.module + " has no place");
      }
    }
  }

  // The block of pins that a port of the top belongs to.
  std::optional<std::string> pins_with(const std::string& port) const {
    for (const PictureFile::Block& block : picture_.blocks) {
      if (!block.is_pins) continue;
      for (const std::string& pattern : block.members) {
        if (std::regex_match(port, std::regex(pattern))) return block.id;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> block_with(const std::string& path, const std::string& port) const {
    if (path.empty()) return pins_with(port);
    const auto found = block_of_.find(path);
    return found == block_of_.end() ? std::nullopt : std::optional(found->second);
  }

  // By what name a port goes; nothing if it is left out.
  std::optional<std::string> name_of(std::string port) const {
    if (port.ends_with("_i") || port.ends_with("_o")) port.resize(port.size() - 2);
    for (const PictureFile::Rename& rename : picture_.renames) {
      std::smatch match;
      if (!std::regex_match(port, match, rename.pattern)) continue;
      if (rename.text == "-") return std::nullopt;
      return match.format(rename.text);
    }
    return port;
  }

  void add_wire(const Wire& wire) {
    const auto from = block_with(wire.from, wire.from_port);
    const auto to = block_with(wire.to, wire.to_port);
    if (!from || !to || *from == *to) return;
    const auto name = name_of(wire.from.empty() ? wire.to_port : wire.from_port);
    if (!name) return;
    Names& names = names_[{*from, *to}];
    if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
  }

  [[nodiscard]] const Box* box_of(const std::string& id) const {
    for (const PictureFile::Block& block : picture_.blocks) {
      if (block.id == id) return &block.box;
    }
    return nullptr;
  }

  // Names of the wires that a route stands for.
  [[nodiscard]] Names names_on(const PictureFile::Route& route) const {
    Names names;
    const auto add = [&](const Pair& pair) {
      const auto found = names_.find(pair);
      if (found == names_.end()) return;
      for (const std::string& name : found->second) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    };
    add({route.from, route.to});
    if (route.both_ways) add({route.to, route.from});
    return names;
  }

  void check_routes() {
    std::map<Pair, int> routes;
    for (const PictureFile::Route& route : picture_.routes) {
      ++routes[{route.from, route.to}];
      if (route.both_ways) ++routes[{route.to, route.from}];
      const Box* from = box_of(route.from);
      const Box* to = box_of(route.to);
      if (from == nullptr || to == nullptr) {
        complaints_.push_back(route.where + ": no such block");
        continue;
      }
      if (!from->has_on_its_edge(route.points.front()) ||
          !to->has_on_its_edge(route.points.back())) {
        complaints_.push_back(route.where + ": begins or ends beside its block");
      }
      if (names_on(route).empty()) {
        complaints_.push_back(route.where + ": the design has no wires from " + route.from +
                              " to " + route.to);
      }
    }
    for (const auto& [pair, names] : names_) {
      if (routes[pair] == 1) continue;
      std::string list;
      for (const std::string& name : names) list += " " + name;
      complaints_.push_back(pair.first + " to " + pair.second + " has " +
                            std::to_string(routes[pair]) + " routes:" + list);
    }
  }

  // What is behind the first of several instances.
  static void draw_sheets(Svg& svg, const PictureFile::Block& block) {
    if (block.is_pins) return;
    constexpr int kStep = 4, kMost = 3;
    const Box& box = block.box;
    for (int i = std::min<int>(static_cast<int>(block.members.size()), kMost) - 1; i > 0; --i) {
      svg.box({box.x + i * kStep, box.y - i * kStep, box.width, box.height}, "behind");
    }
  }

  void draw_block(Svg& svg, const PictureFile::Block& block) const {
    const Box& box = block.box;
    if (block.is_pins) {
      svg.box(box, "pins");
      int y = box.y + box.height / 2 + 4;
      svg.text({box.x + box.width / 2, y}, block.id, "name", kTextSize, "middle");
      return;
    }
    const Netlist::Instance& instance = design_.instances.at(block.members.front());
    svg.box(box, "block");
    std::string name = instance.module;
    if (block.members.size() > 1) name += " x " + std::to_string(block.members.size());
    int y = box.y + 20;
    svg.text({box.x + 10, y}, name, "name", kNameSize);
    const std::string folder = instance.source.substr(0, instance.source.rfind('/') + 1);
    svg.text({box.x + 10, y += 15}, folder, "dim", kTextSize - 1);
    const Names tags = tags_of(block);
    const int last = box.bottom() - (tags.empty() ? 6 : 26);
    for (const std::string& line : lines_of(title_of(instance), kTextSize, box.width - 20)) {
      if ((y += 15) > last) break;
      svg.text({box.x + 10, y}, line, "", kTextSize);
    }
    int x = box.x + 8;
    for (const std::string& tag : tags) {
      const int width = text_width(tag, kTextSize - 1) + 10;
      svg.box({x, box.bottom() - 20, width, 15}, "tag", 7);
      svg.text({x + 5, box.bottom() - 9}, tag, "dim", kTextSize - 1);
      x += width + 6;
    }
  }

  [[nodiscard]] Names tags_of(const PictureFile::Block& block) const {
    Names tags;
    const auto& ports = design_.instances.at(block.members.front()).ports;
    for (const auto& tag : picture_.tags) {
      const bool has = std::any_of(ports.begin(), ports.end(), [&](const std::string& port) {
        return std::regex_match(port, tag.second);
      });
      if (has) tags.push_back(tag.first);
    }
    return tags;
  }

  void draw_label(Svg& svg, const PictureFile::Route& route) const {
    int y = route.label.y;
    for (const std::string& name : names_on(route)) {
      svg.text({route.label.x, y}, name, "label l" + route.look, kLabelSize, route.anchor);
      y += kLabelSize + 2;
    }
  }

  void draw_legend(Svg& svg) const {
    int x = 20;
    const int y = picture_.height - 16;
    for (const auto& [look, text] : picture_.legend) {
      if (look == "tag") {
        svg.box({x, y - 11, 34, 15}, "tag", 7);
      } else {
        svg.arrow({{x, y - 4}, {x + 34, y - 4}}, look);
      }
      svg.text({x + 42, y}, text, "", kTextSize);
      x += 42 + text_width(text, kTextSize) + 24;
    }
  }

  PictureFile picture_;
  Netlist design_;
  std::map<std::string, std::string> block_of_;
  std::map<Pair, Names> names_;
  Names complaints_;
};

}  // namespace

std::string draw_blocks(const std::filesystem::path& picture, const std::filesystem::path& design) {
  PictureFile file = read_picture_file(picture);
  Netlist netlist = read_netlist(design, file.top, file.expand);
  try {
    return Diagram(std::move(file), std::move(netlist)).draw();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(picture.string() + ": " + error.what());
  }
}

}  // namespace torusmu::draw
