// SPDX-License-Identifier: Apache-2.0
#include "sim/quoted.h"

namespace torusmu {
namespace {

bool is_plain(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%";
  if (word.empty() || word.find_first_not_of(kPlain) != std::string::npos) return false;
  // In front of a command A=B is no word of it.
  return word.front() == '-' || word.find('=') == std::string::npos;
}

}  // namespace

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
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
