// SPDX-License-Identifier: Apache-2.0
#include "tests/support/browser.h"

#include <regex>

namespace torusmu::testing {
namespace {

// Whole matches, or those of the first group if there is one.
std::vector<std::string> matches_of(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.push_back(at->str(pattern.mark_count() == 0 ? 0 : 1));
  }
  return found;
}

}  // namespace

Output browsed(const std::filesystem::path& page, const std::filesystem::path& profile) {
  return shell(
      "timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --disable-quic "
      "--no-first-run --disable-background-networking --disable-component-update "
      "--disable-sync --enable-logging=stderr --user-data-dir=" +
      profile.string() + " --dump-dom 'file://" + page.string() + "'");
}

std::vector<std::string> addresses_in(const std::string& page) {
  static const std::regex kAddress(
      "(?:https?:)?//[a-zA-Z][^\"' )<]*|@import|src=|srcdoc=|<link|<iframe|<object");
  std::vector<std::string> found = matches_of(page, kAddress);
  std::erase(found, "http://www.w3.org/2000/svg");
  return found;
}

std::vector<std::string> links_in(const std::string& page) {
  static const std::regex kLink("href=\"([^\"]*)\"");
  return matches_of(page, kLink);
}

std::string size_of(const std::string& page, const std::string& id) {
  std::smatch match;
  const std::regex kSvg("<svg id=\"" + id + "\"[^>]*width=\"([0-9]+)\" height=\"([0-9]+)\"");
  return std::regex_search(page, match, kSvg) ? match[1].str() + "x" + match[2].str() : "";
}

}  // namespace torusmu::testing
