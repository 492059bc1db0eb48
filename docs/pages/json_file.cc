// SPDX-License-Identifier: Apache-2.0
#include "docs/pages/json_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace torusmu::pages {
namespace {

bool has_records(const Json& json) {
  if (!json.is_structured()) return false;
  return std::any_of(json.begin(), json.end(), [&](const Json& item) {
    return (json.is_array() && item.is_object()) || has_records(item);
  });
}

std::string lines(const Json& json, const std::string& indent) {
  if (!has_records(json)) return json.dump();
  std::string text;
  for (const auto& [key, item] : json.items()) {
    text += (text.empty() ? "\n" : ",\n") + indent + " ";
    if (json.is_object()) text += Json(key).dump() + ": ";
    text += lines(item, indent + " ");
  }
  text += "\n" + indent;
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text).flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

std::string json_lines(const Json& json) { return lines(json, "") + "\n"; }

}  // namespace torusmu::pages
