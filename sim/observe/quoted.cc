// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/quoted.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/observe/json_text.h"

namespace torusmu {
namespace {

bool is_plain(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%";
  if (word.empty() || word.find_first_not_of(kPlain) != std::string::npos) return false;
  // In front of a command A=B is no word of it.
  return word.front() == '-' || word.find('=') == std::string::npos;
}

// What a terminal, or a file of UTF-8, would not keep: its bytes by number, as bash reads them.
std::string by_number(const std::string& word) {
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '\'' || c == '\\') {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + "'";
}

bool has_control(const std::string& word) {
  return std::any_of(word.begin(), word.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
  if (has_control(word) || !is_utf8(word)) return by_number(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace torusmu
