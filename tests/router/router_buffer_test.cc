// SPDX-License-Identifier: Apache-2.0
// verilator: -GDEPTH=7
// model: Vmu_router_buffer_local mu_router_buffer -GDEPTH=8
// model: Vmu_router_buffer_reply mu_router_buffer -GDEPTH=48
// model: Vmu_router_buffer_request mu_router_buffer -GDEPTH=204

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_router_buffer.h"
#include "Vmu_router_buffer_local.h"
#include "Vmu_router_buffer_reply.h"
#include "Vmu_router_buffer_request.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned depth>
struct Size {
  using Model = M;
  static constexpr unsigned kDepth = depth;
};
using Sizes =
    ::testing::Types<Size<Vmu_router_buffer, 7>, Size<Vmu_router_buffer_local, 8>,
                     Size<Vmu_router_buffer_reply, 48>, Size<Vmu_router_buffer_request, 204>>;

template <typename S>
class RouterBuffer : public ::testing::Test {};
TYPED_TEST_SUITE(RouterBuffer, Sizes);

TYPED_TEST(RouterBuffer, HandsOutFlitsAndTailsInTheOrderInWhichTheyCame) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> buffer(random.seed());
  std::deque<std::uint32_t> inside;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    const auto word = static_cast<std::uint32_t>(random.bits64());
    const bool write = inside.size() < TypeParam::kDepth && random.chance(60);
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

TYPED_TEST(RouterBuffer, KeepsAFlitUntilTheNextIsLoaded) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> buffer(random.seed());
  for (unsigned flit = 0; flit < 4 * TypeParam::kDepth; ++flit) {
    std::array<std::uint32_t, 4> words;
    buffer->write_i = 1;
    for (unsigned i = 0; i < 4; ++i) {
      words.at(i) = static_cast<std::uint32_t>(random.bits64());
      buffer->data_i[i] = words.at(i);
    }
    buffer->tail_i = flit % 2;
    buffer.tick();
    buffer->write_i = 0;
    buffer->load_i = 1;
    buffer.tick();
    buffer->load_i = 0;
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(buffer->data_o[i], words.at(i)) << "flit " << flit;
      ASSERT_EQ(buffer->tail_o, flit % 2) << "flit " << flit;
      for (unsigned i = 0; i < 4; ++i) buffer->data_i[i] = ~words.at(i);
      buffer->tail_i = !(flit % 2);
      buffer.tick();
    }
  }
}

TYPED_TEST(RouterBuffer, BeginsAnewAfterReset) {
  for (unsigned before = 1; before < TypeParam::kDepth; ++before) {
    Clocked<typename TypeParam::Model> buffer(before);
    buffer->write_i = 1;
    for (unsigned i = 0; i < before; ++i) buffer.tick();
    buffer.reset();
    buffer->data_i[0] = before;
    buffer.tick();
    buffer->write_i = 0;
    buffer->load_i = 1;
    buffer.tick();
    EXPECT_EQ(buffer->data_o[0], before);
  }
}

}  // namespace
}  // namespace torusmu::testing
