// SPDX-License-Identifier: Apache-2.0
// verilator: -GDEPTH=7

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_router_buffer.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kDepth = 7;

TEST(RouterBuffer, HandsOutFlitsAndTailsInTheOrderInWhichTheyCame) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_router_buffer> buffer(random.seed());
  std::deque<std::uint32_t> inside;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    const auto word = static_cast<std::uint32_t>(random.bits64());
    const bool write = inside.size() < kDepth && random.chance(60);
    const bool load = !inside.empty() && random.chance(60);
    buffer->write_i = write;
    buffer->load_i = load;
    for (unsigned i = 0; i < 4; ++i) buffer->data_i[i] = word + i;
    buffer->tail_i = word % 2;
    buffer.tick();
    if (load) {
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(buffer->data_o[i], inside.front() + i);
      ASSERT_EQ(buffer->tail_o, inside.front() % 2);
      inside.pop_front();
    }
    if (write) inside.push_back(word);
  }
}

}  // namespace
}  // namespace torusmu::testing
