// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/bit_layout.h"

#include <algorithm>
#include <stdexcept>

#include "docs/draw/svg.h"
#include "rtl/package/layout_tables.h"

namespace torusmu::draw {
namespace {

using layout_gen::Field;
using layout_gen::Layout;

constexpr int kRowBits = 32, kBitWidth = 34, kRowHeight = 36;
constexpr int kLeft = 70, kTop = 44, kLayoutGap = 56, kTextSize = 12;

const Layout& find_layout(const layout_gen::Tables& tables, const std::string& name) {
  for (const auto* group : {&tables.packet, &tables.descriptor}) {
    for (const Layout& layout : *group) {
      if (layout.name == name) return layout;
    }
  }
  throw std::runtime_error("no layout " + name);
}

std::string look_of(const Field& field) {
  switch (field.type) {
    case Field::Type::kEnum:
      return "enum";
    case Field::Type::kStruct:
      return "struct";
    case Field::Type::kReserved:
      return "reserved";
    case Field::Type::kPlain:
      break;
  }
  return "field";
}

// A name that is too long for its box stands in the list below, by its first bit.
class LayoutDrawing {
 public:
  LayoutDrawing(Svg& svg, const Layout& layout, int y) : svg_(svg), layout_(layout), y_(y) {}

  static int rows(const Layout& layout) {
    return (static_cast<int>(layout.width) + kRowBits - 1) / kRowBits;
  }
  static int height(const Layout& layout) {
    return rows(layout) * kRowHeight + static_cast<int>(small_lines(layout)) * 15 + kLayoutGap;
  }

  void draw() {
    svg_.text({kLeft, y_ - 22}, layout_.name + ", " + std::to_string(layout_.width) + " bits",
              "name", 14);
    for (int bit = 0; bit <= kRowBits - 1; bit += 4) {
      svg_.text({x_of(bit) + kBitWidth / 2, y_ - 5}, std::to_string(bit), "dim", 10, "middle");
    }
    for (int row = 0; row < rows(layout_); ++row) {
      svg_.text({kLeft - 8, y_ + row * kRowHeight + kRowHeight / 2 + 4},
                std::to_string(row * kRowBits), "dim", 10, "end");
    }
    for (const Field& field : layout_.fields) draw_field(field);
    int y = y_ + rows(layout_) * kRowHeight + 18;
    for (const std::string& line : lines_of(list_of_small(layout_), 11, kRowBits * kBitWidth)) {
      svg_.text({kLeft, y}, line, "dim", 11);
      y += 15;
    }
  }

 private:
  // The left edge of a bit of a row.
  static int x_of(int bit) { return kLeft + (kRowBits - 1 - bit) * kBitWidth; }

  static std::string shown_name(const Field& field) {
    return field.type == Field::Type::kReserved ? "0" : field.name;
  }
  static bool fits(const std::string& name, int bits) {
    return text_width(name, kTextSize) <= bits * kBitWidth - 6;
  }
  // The most bits that a field has in one row.
  static int widest_part(const Field& field) {
    int widest = 0;
    const int end = static_cast<int>(field.lsb + field.width);
    for (int from = static_cast<int>(field.lsb); from < end;) {
      const int to = std::min(end, (from / kRowBits + 1) * kRowBits);
      widest = std::max(widest, to - from);
      from = to;
    }
    return widest;
  }
  static std::string list_of_small(const Layout& layout) {
    std::string list;
    for (const Field& field : layout.fields) {
      if (fits(shown_name(field), widest_part(field))) continue;
      list += (list.empty() ? "" : "; ") + std::to_string(field.lsb) + " " + field.name;
    }
    return list.empty() ? list : "By first bit: " + list;
  }
  static std::size_t small_lines(const Layout& layout) {
    return lines_of(list_of_small(layout), 11, kRowBits * kBitWidth).size();
  }

  // A field that goes on in another row is named in each, with the bits that stand there.
  void draw_field(const Field& field) {
    const int lsb = static_cast<int>(field.lsb);
    const int end = lsb + static_cast<int>(field.width);
    const bool narrow = !fits(shown_name(field), widest_part(field));
    for (int from = lsb; from < end;) {
      const int row = from / kRowBits;
      const int to = std::min(end, (row + 1) * kRowBits);
      const Box box{x_of((to - 1) % kRowBits), y_ + row * kRowHeight, (to - from) * kBitWidth,
                    kRowHeight};
      svg_.box(box, look_of(field), 0);
      const int middle = box.x + box.width / 2;
      if (narrow) {
        svg_.text({middle, box.y + 16}, std::to_string(lsb), "dim", 10, "middle");
      } else if (fits(shown_name(field), to - from)) {
        svg_.text({middle, box.y + 16}, shown_name(field), "", kTextSize, "middle");
      }
      const bool whole = from == lsb && to == end;
      svg_.text({middle, box.y + 30},
                whole ? std::to_string(field.width)
                      : std::to_string(to - 1 - lsb) + ":" + std::to_string(from - lsb),
                "dim", 9, "middle");
      from = to;
    }
  }

  Svg& svg_;
  const Layout& layout_;
  int y_;
};

}  // namespace

std::string draw_layouts(const std::string& title, const std::vector<std::string>& names) {
  const layout_gen::Tables tables = layout_gen::load_tables();
  int height = kTop + 30;
  for (const std::string& name : names) height += LayoutDrawing::height(find_layout(tables, name));
  Svg svg(kLeft + kRowBits * kBitWidth + 20, height, title);
  svg.text({20, 28}, title, "name", 16);
  int y = kTop + 40;
  for (const std::string& name : names) {
    const Layout& layout = find_layout(tables, name);
    LayoutDrawing(svg, layout, y).draw();
    y += LayoutDrawing::height(layout);
  }
  return svg.str();
}

}  // namespace torusmu::draw
