// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/json_text.h"

#include <cstdint>

namespace torusmu {

std::string json_text(const nlohmann::json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

nlohmann::json word_to_json(const std::string& word) {
  if (is_utf8(word)) return word;
  nlohmann::json bytes = nlohmann::json::array();
  for (const char c : word) bytes.push_back(static_cast<std::uint8_t>(c));
  return bytes;
}

std::string word_from_json(const nlohmann::json& json) {
  if (!json.is_array()) return json.get<std::string>();
  std::string word;
  for (const nlohmann::json& byte : json) word += static_cast<char>(byte.get<std::uint8_t>());
  return word;
}

}  // namespace torusmu
