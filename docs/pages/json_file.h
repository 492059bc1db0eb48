// SPDX-License-Identifier: Apache-2.0
// The files of docs/results/, and those that the tools leave in build/.
#ifndef TORUSMU_DOCS_PAGES_JSON_FILE_H_
#define TORUSMU_DOCS_PAGES_JSON_FILE_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace torusmu::pages {

using Json = nlohmann::ordered_json;

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

// Calls `use` with what is in the file, and returns what that does. Throws std::runtime_error with
// the file's name if it cannot be read, is no JSON, or has not what `use` wants of it.
template <typename Use>
auto use_json(const std::filesystem::path& path, const Use& use) {
  try {
    return use(Json::parse(read_text(path)));
  } catch (const Json::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

// A record, that is an object in a list, has a line of its own: changes of results can be read.
std::string json_lines(const Json& json);

}  // namespace torusmu::pages

#endif  // TORUSMU_DOCS_PAGES_JSON_FILE_H_
