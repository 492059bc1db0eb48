// SPDX-License-Identifier: Apache-2.0
// Pages in headless Chromium, and what a page would load.
#ifndef TESTS_SUPPORT_BROWSER_H_
#define TESTS_SUPPORT_BROWSER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/shell.h"

namespace torusmu::testing {

// What Chromium makes of the page, and all that it complains about. `profile` is a folder for it.
Output browsed(const std::filesystem::path& page, const std::filesystem::path& profile);

// What the page loads or leads to, but for the name of SVG itself: addresses of the network and
// elements that load something as they stand, links by their address.
std::vector<std::string> addresses_in(const std::string& page);
std::vector<std::string> links_in(const std::string& page);

// The size of the picture `id`, as "width x height" of its element; empty if it is not there.
std::string size_of(const std::string& page, const std::string& id);

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_BROWSER_H_
