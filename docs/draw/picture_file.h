// SPDX-License-Identifier: Apache-2.0
// What a .picture file says, see block_diagram.h.
#ifndef TORUSMU_DOCS_DRAW_PICTURE_FILE_H_
#define TORUSMU_DOCS_DRAW_PICTURE_FILE_H_

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "docs/draw/svg.h"

namespace torusmu::draw {

struct PictureFile {
  struct Block {
    std::string id;
    Box box;
    bool is_pins = false;
    std::vector<std::string> members;  // paths of instances, or patterns of ports
  };
  struct Route {
    std::string look, from, to;
    bool both_ways = false;
    std::vector<Point> points;
    Point label;
    std::string anchor = "middle";
    std::string where;  // file and line, for complaints
  };
  struct Rename {
    std::regex pattern;
    std::string text;  // "-" leaves the port out
  };
  int width = 0, height = 0;
  std::string title, top;
  std::set<std::string> expand;
  std::vector<Block> blocks;
  std::vector<Rename> renames;
  std::vector<std::pair<std::string, std::regex>> tags;
  std::vector<Route> routes;
  std::vector<std::pair<std::string, std::string>> legend;  // look, text
  std::vector<std::pair<Point, std::string>> notes;
};

// Throws std::runtime_error with file and line for what it does not understand.
PictureFile read_picture_file(const std::filesystem::path& file);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_PICTURE_FILE_H_
