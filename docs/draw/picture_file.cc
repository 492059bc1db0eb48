// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/picture_file.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace torusmu::draw {
namespace {

class Line {
 public:
  Line(std::string where, const std::string& text) : where_(std::move(where)), words_(text) {}

  std::string word() {
    std::string text;
    if (!(words_ >> text)) fail("a word is missing");
    return text;
  }
  int number() { return number_of(word()); }
  // "12,34"
  Point point(const std::string& text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) fail("\"" + text + "\" is no point X,Y");
    return {number_of(text.substr(0, comma)), number_of(text.substr(comma + 1))};
  }
  std::string rest() {
    std::string text;
    std::getline(words_ >> std::ws, text);
    return text;
  }
  std::vector<std::string> words() {
    std::vector<std::string> list;
    for (std::string text; words_ >> text;) list.push_back(text);
    return list;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(where_ + ": " + why);
  }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  int number_of(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      fail("\"" + text + "\" is no number");
    }
    return value;
  }

  std::string where_;
  std::istringstream words_;
};

PictureFile::Block read_block(Line& line, bool is_pins) {
  PictureFile::Block block;
  block.id = line.word();
  block.box.x = line.number();
  block.box.y = line.number();
  block.box.width = line.number();
  block.box.height = line.number();
  block.is_pins = is_pins;
  block.members = line.words();
  if (block.members.empty()) line.fail("nothing of the design in this block");
  return block;
}

PictureFile::Route read_route(Line& line) {
  PictureFile::Route route;
  route.where = line.where();
  route.look = line.word();
  if (route.look != "data" && route.look != "control" && route.look != "lookup") {
    line.fail("\"" + route.look + "\": a route is data, control or lookup");
  }
  route.from = line.word();
  route.to = line.word();
  route.both_ways = route.to == "both";
  if (route.both_ways) route.to = line.word();
  std::string text = line.word();
  for (; text != "at"; text = line.word()) route.points.push_back(line.point(text));
  if (route.points.size() < 2) line.fail("a route has two points or more");
  route.label = line.point(line.word());
  if (const std::string anchor = line.rest(); !anchor.empty()) route.anchor = anchor;
  return route;
}

void read_line(PictureFile& picture, const std::string& keyword, Line& line) {
  if (keyword == "size") {
    picture.width = line.number();
    picture.height = line.number();
  } else if (keyword == "title") {
    picture.title = line.rest();
  } else if (keyword == "top") {
    picture.top = line.word();
  } else if (keyword == "expand") {
    for (const std::string& module : line.words()) picture.expand.insert(module);
  } else if (keyword == "block" || keyword == "pins") {
    picture.blocks.push_back(read_block(line, keyword == "pins"));
  } else if (keyword == "same") {
    const std::string pattern = line.word();
    picture.renames.push_back({std::regex(pattern), line.rest()});
  } else if (keyword == "tag") {
    const std::string text = line.word();
    picture.tags.emplace_back(text, std::regex(line.word()));
  } else if (keyword == "route") {
    picture.routes.push_back(read_route(line));
  } else if (keyword == "legend") {
    const std::string look = line.word();
    picture.legend.emplace_back(look, line.rest());
  } else if (keyword == "note") {
    const int x = line.number();
    const int y = line.number();
    picture.notes.push_back({{x, y}, line.rest()});
  } else {
    line.fail("\"" + keyword + "\" is no word of a picture file");
  }
}

}  // namespace

PictureFile read_picture_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  PictureFile picture;
  int number = 0;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    if (text.empty() || text.starts_with("#")) continue;
    Line line(file.string() + ":" + std::to_string(number), text);
    try {
      read_line(picture, line.word(), line);
    } catch (const std::regex_error& error) {
      line.fail(error.what());
    }
  }
  if (picture.width <= 0 || picture.height <= 0 || picture.top.empty()) {
    throw std::runtime_error(file.string() + ": size and top are missing");
  }
  return picture;
}

}  // namespace torusmu::draw
