// SPDX-License-Identifier: Apache-2.0
// What a program that is compiled as older C++ is told by the headers.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

TEST(Headers, SayFirstThatTheyNeedNewerCpp) {
  unsigned refused = 0;
  for (const auto& header : fs::directory_iterator("host/include/torusmu")) {
    const std::string name = header.path().filename();
    const std::string compile = "g++ -std=c++17 -fsyntax-only -I. -Ihost/include -x c++ ";
    const Output output = shell(compile + header.path().string());
    if (output.status == 0) continue;  // it needs nothing newer
    ++refused;
    const std::size_t first = output.text.find("error: ");
    ASSERT_NE(first, std::string::npos) << output.text;
    EXPECT_EQ(output.text.substr(first, output.text.find('\n', first) - first),
              "error: #error \"the headers of torusmu need C++20: compile with -std=c++20 or "
              "later\"")
        << name;
  }
  EXPECT_GE(refused, 10U);
}

}  // namespace
}  // namespace torusmu::testing
