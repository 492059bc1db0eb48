// SPDX-License-Identifier: Apache-2.0
// docs/status.md says of each module what the tree has today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;

TEST(Status, IsWhatTheTreeHasToday) {
  std::FILE* pipe = popen("docs/status.sh " TORUSMU_BUILD "/closures.mk", "r");
  ASSERT_NE(pipe, nullptr);
  std::string fresh;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    fresh.append(buffer.data(), got);
  }
  ASSERT_EQ(pclose(pipe), 0);
  // A module of each kind: proved, tested, and in two readers by itself; tested within another.
  EXPECT_THAT(fresh, HasSubstr("(../rtl/common/mu_fifo.sv) | yes | yes: WIDTH=2 DEPTH=1; "));
  EXPECT_THAT(fresh, HasSubstr("| in `mu_memory_port` | "));
  // Each rule of the AXI ports has a proof, and a bug that it sees.
  const std::size_t rules = fresh.find("## Rules of the AXI ports");
  ASSERT_NE(rules, std::string::npos);
  EXPECT_EQ(fresh.find("| - |", rules), std::string::npos) << fresh.substr(rules);
  std::ifstream file("docs/status.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(page == fresh) << "make status writes it again";
}

}  // namespace
}  // namespace torusmu::testing
