// SPDX-License-Identifier: Apache-2.0
// Where a node sits is what its straps say when it is reset.
#include <gtest/gtest.h>

#include "tests/support/node_bench.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(NodeStraps, AreLatchedByEveryReset) {
  namespace f = registers::node::straps_field;
  Random random(20'004);
  SCOPED_TRACE(random.replay());
  NodeBench bench({.seed = random.bits64()});
  auto& root = bench.node().root();
  for (unsigned round = 0; round < 12; ++round) {
    std::array<std::uint64_t, 3> last{};
    std::array<std::uint64_t, 3> own{};
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      last.at(dimension) = random.below(16);
      own.at(dimension) = random.below(last.at(dimension) + 1);
    }
    const std::uint64_t torus = random.below(8);
    root.strap_x_i = static_cast<CData>(own[0]);
    root.strap_y_i = static_cast<CData>(own[1]);
    root.strap_z_i = static_cast<CData>(own[2]);
    root.strap_last_x_i = static_cast<CData>(last[0]);
    root.strap_last_y_i = static_cast<CData>(last[1]);
    root.strap_last_z_i = static_cast<CData>(last[2]);
    root.strap_torus_i = static_cast<CData>(torus);
    root.rst_ni = 0;
    for (unsigned cycle = 0; cycle < 8; ++cycle) bench.node().rise(~kAssertions);
    root.rst_ni = 1;
    std::uint64_t straps = 0;
    bench.run([&](Device& device) { straps = device.read64(registers::node::straps()); });
    EXPECT_EQ((std::array{extract(straps, f::x), extract(straps, f::y), extract(straps, f::z)}),
              own);
    EXPECT_EQ((std::array{extract(straps, f::last_x), extract(straps, f::last_y),
                          extract(straps, f::last_z)}),
              last);
    EXPECT_EQ(extract(straps, f::torus), torus);
  }
}

}  // namespace
}  // namespace torusmu::testing
