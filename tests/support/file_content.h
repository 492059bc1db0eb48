// SPDX-License-Identifier: Apache-2.0
// The text of a file of the tree, for tests that look into it.

#ifndef TESTS_SUPPORT_FILE_CONTENT_H_
#define TESTS_SUPPORT_FILE_CONTENT_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace torusmu::testing {

/// Every byte of it; nothing if there is no such file.
inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_FILE_CONTENT_H_
