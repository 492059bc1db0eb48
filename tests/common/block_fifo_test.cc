// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=16 -GDEPTH=5
// model: Vmu_block_fifo_two mu_block_fifo -GWIDTH=16 -GDEPTH=2
// The depths of the node:
// model: Vmu_block_fifo_of_16 mu_block_fifo -GWIDTH=16 -GDEPTH=16
// model: Vmu_block_fifo_of_32 mu_block_fifo -GWIDTH=16 -GDEPTH=32
// model: Vmu_block_fifo_of_64 mu_block_fifo -GWIDTH=16 -GDEPTH=64

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_block_fifo.h"
#include "Vmu_block_fifo_of_16.h"
#include "Vmu_block_fifo_of_32.h"
#include "Vmu_block_fifo_of_64.h"
#include "Vmu_block_fifo_two.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

struct Word {
  std::uint16_t data;
  int taken;  // cycle
};

template <typename Model>
void compare_with_a_queue(unsigned depth, unsigned push_percent, unsigned pop_percent) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> fifo(random.seed());
  std::deque<Word> inside;
  unsigned passed = 0;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    if (random.below(300) == 0) {
      fifo->in_valid_i = 0;
      fifo.reset(1);
      inside.clear();
    }
    const auto word = static_cast<std::uint16_t>(random.bits64());
    fifo->in_valid_i = random.chance(push_percent);
    fifo->in_data_i = word;
    fifo->out_ready_i = random.chance(pop_percent);
    fifo.settle();
    // A word is offered two cycles after it came.
    const bool offered = !inside.empty() && inside.front().taken + 2 <= cycle;
    ASSERT_EQ(fifo->level_o, inside.size()) << "cycle " << cycle;
    ASSERT_EQ(fifo->out_valid_o, offered) << "cycle " << cycle;
    ASSERT_EQ(fifo->in_ready_o, inside.size() < depth) << "cycle " << cycle;
    if (offered) {
      ASSERT_EQ(fifo->out_data_o, inside.front().data) << "cycle " << cycle;
    }
    const bool push = fifo->in_valid_i && fifo->in_ready_o;
    if (fifo->out_valid_o && fifo->out_ready_i) {
      inside.pop_front();
      ++passed;
    }
    if (push) inside.push_back({word, cycle});
    fifo.tick();
  }
  EXPECT_GT(passed, 200U);
}

template <typename Model>
void compare_at_all_loads(unsigned depth) {
  compare_with_a_queue<Model>(depth, 50, 50);
  compare_with_a_queue<Model>(depth, 90, 40);
  compare_with_a_queue<Model>(depth, 30, 90);
}

TEST(BlockFifo, BehavesAsAQueueWhoseWordsComeOutTwoCyclesLater) {
  compare_at_all_loads<Vmu_block_fifo>(5);
  compare_at_all_loads<Vmu_block_fifo_two>(2);
}

TEST(BlockFifo, BehavesAsAQueueAtTheDepthsOfTheNode) {
  compare_at_all_loads<Vmu_block_fifo_of_16>(16);
  compare_at_all_loads<Vmu_block_fifo_of_32>(32);
  compare_at_all_loads<Vmu_block_fifo_of_64>(64);
}

TEST(BlockFifo, PassesAWordACycle) {
  Clocked<Vmu_block_fifo_of_16> fifo;
  fifo->in_valid_i = 1;
  fifo->out_ready_i = 1;
  for (unsigned cycle = 0; cycle < 100; ++cycle) {
    fifo->in_data_i = static_cast<std::uint16_t>(cycle);
    fifo.settle();
    EXPECT_TRUE(fifo->in_ready_o);
    EXPECT_EQ(fifo->out_valid_o, cycle >= 2);
    if (cycle >= 2) {
      EXPECT_EQ(fifo->out_data_o, cycle - 2);
    }
    fifo.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
