// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=16

#include <gtest/gtest.h>

#include <deque>

#include "Vmu_skid_buffer.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(SkidBuffer, KeepsOrderUnderRandomBackPressure) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_skid_buffer> buffer(random.seed());
  std::deque<std::uint16_t> inside;
  unsigned passed = 0;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    const auto word = static_cast<std::uint16_t>(random.bits64());
    buffer->in_valid_i = random.chance(60);
    buffer->in_data_i = word;
    buffer->out_ready_i = random.chance(60);
    buffer.settle();
    ASSERT_EQ(buffer->out_valid_o, !inside.empty()) << "cycle " << cycle;
    ASSERT_EQ(buffer->in_ready_o, inside.size() < 2) << "cycle " << cycle;
    if (!inside.empty()) {
      ASSERT_EQ(buffer->out_data_o, inside.front()) << "cycle " << cycle;
    }
    const bool push = buffer->in_valid_i && buffer->in_ready_o;
    if (buffer->out_valid_o && buffer->out_ready_i) {
      inside.pop_front();
      ++passed;
    }
    if (push) inside.push_back(word);
    buffer.tick();
  }
  EXPECT_GT(passed, 1000U);
}

TEST(SkidBuffer, ReadyDoesNotLookAtTheReceiverInTheSameCycle) {
  Clocked<Vmu_skid_buffer> buffer;
  buffer->in_valid_i = 1;
  buffer.tick();
  buffer.tick();
  buffer->in_valid_i = 0;
  buffer->out_ready_i = 1;
  buffer.settle();
  EXPECT_FALSE(buffer->in_ready_o);
  buffer.tick();
  EXPECT_TRUE(buffer->in_ready_o);
}

TEST(SkidBuffer, PassesAWordACycle) {
  Clocked<Vmu_skid_buffer> buffer;
  buffer->in_valid_i = 1;
  buffer->out_ready_i = 1;
  buffer.tick();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(buffer->in_ready_o && buffer->out_valid_o);
    buffer.tick();
  }
}

TEST(SkidBuffer, IsEmptyAfterAReset) {
  for (const unsigned words : {1U, 2U}) {
    Clocked<Vmu_skid_buffer> buffer;
    buffer->in_valid_i = 1;
    for (unsigned i = 0; i < words; ++i) buffer.tick();
    buffer.reset(1);
    EXPECT_FALSE(buffer->out_valid_o) << words;
    EXPECT_TRUE(buffer->in_ready_o) << words;
  }
}

}  // namespace
}  // namespace torusmu::testing
