// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=16 -GDEPTH=5
// model: Vmu_fifo_one mu_fifo -GWIDTH=16 -GDEPTH=1
// model: Vmu_fifo_two mu_fifo -GWIDTH=16 -GDEPTH=2
// model: Vmu_fifo_wide mu_fifo -GWIDTH=16 -GDEPTH=34
// The depths of the node:
// model: Vmu_fifo_of_4 mu_fifo -GWIDTH=16 -GDEPTH=4
// model: Vmu_fifo_of_8 mu_fifo -GWIDTH=16 -GDEPTH=8
// model: Vmu_fifo_of_9 mu_fifo -GWIDTH=16 -GDEPTH=9
// model: Vmu_fifo_of_16 mu_fifo -GWIDTH=16 -GDEPTH=16
// model: Vmu_fifo_of_32 mu_fifo -GWIDTH=16 -GDEPTH=32
// model: Vmu_fifo_of_64 mu_fifo -GWIDTH=16 -GDEPTH=64

#include <gtest/gtest.h>

#include <deque>

#include "Vmu_fifo.h"
#include "Vmu_fifo_of_16.h"
#include "Vmu_fifo_of_32.h"
#include "Vmu_fifo_of_4.h"
#include "Vmu_fifo_of_64.h"
#include "Vmu_fifo_of_8.h"
#include "Vmu_fifo_of_9.h"
#include "Vmu_fifo_one.h"
#include "Vmu_fifo_two.h"
#include "Vmu_fifo_wide.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename Model>
void compare_with_a_queue(unsigned depth, unsigned push_percent, unsigned pop_percent) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> fifo(random.seed());
  std::deque<std::uint16_t> inside;
  unsigned passed = 0;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    const auto word = static_cast<std::uint16_t>(random.bits64());
    fifo->in_valid_i = random.chance(push_percent);
    fifo->in_data_i = word;
    fifo->out_ready_i = random.chance(pop_percent);
    fifo.settle();
    ASSERT_EQ(fifo->level_o, inside.size()) << "cycle " << cycle;
    ASSERT_EQ(fifo->out_valid_o, !inside.empty()) << "cycle " << cycle;
    ASSERT_EQ(fifo->in_ready_o, inside.size() < depth) << "cycle " << cycle;
    if (!inside.empty()) {
      ASSERT_EQ(fifo->out_data_o, inside.front()) << "cycle " << cycle;
    }
    const bool push = fifo->in_valid_i && fifo->in_ready_o;
    if (fifo->out_valid_o && fifo->out_ready_i) {
      inside.pop_front();
      ++passed;
    }
    if (push) inside.push_back(word);
    fifo.tick();
  }
  EXPECT_GT(passed, 200U);
}

TEST(Fifo, BehavesAsAQueueUnderRandomTraffic) {
  compare_with_a_queue<Vmu_fifo>(5, 50, 50);
  compare_with_a_queue<Vmu_fifo_wide>(34, 50, 50);
}

TEST(Fifo, BehavesAsAQueueWhenMostlyFull) {
  compare_with_a_queue<Vmu_fifo>(5, 90, 40);
  compare_with_a_queue<Vmu_fifo_wide>(34, 90, 40);
}

TEST(Fifo, BehavesAsAQueueWhenMostlyEmpty) {
  compare_with_a_queue<Vmu_fifo>(5, 30, 90);
  compare_with_a_queue<Vmu_fifo_wide>(34, 30, 90);
}

TEST(Fifo, BehavesAsAQueueAtTheSmallestDepths) {
  compare_with_a_queue<Vmu_fifo_one>(1, 70, 70);
  compare_with_a_queue<Vmu_fifo_two>(2, 70, 70);
}

// Long enough to be full and empty in turn, and for pointers to go round.
template <typename Model>
void fill_and_drain(unsigned depth) {
  compare_with_a_queue<Model>(depth, 50, 50);
  compare_with_a_queue<Model>(depth, 90, 40);
  compare_with_a_queue<Model>(depth, 30, 90);
}

TEST(Fifo, BehavesAsAQueueAtTheDepthsOfTheNode) {
  fill_and_drain<Vmu_fifo_of_4>(4);
  fill_and_drain<Vmu_fifo_of_8>(8);
  fill_and_drain<Vmu_fifo_of_9>(9);
  fill_and_drain<Vmu_fifo_of_16>(16);
  fill_and_drain<Vmu_fifo_of_32>(32);
  fill_and_drain<Vmu_fifo_of_64>(64);
}

TEST(Fifo, ShowsAWordTheCycleAfterItWasTaken) {
  Clocked<Vmu_fifo> fifo;
  fifo->in_valid_i = 1;
  fifo->in_data_i = 0x1234;
  fifo.settle();
  EXPECT_FALSE(fifo->out_valid_o);
  fifo.tick();
  EXPECT_TRUE(fifo->out_valid_o);
  EXPECT_EQ(fifo->out_data_o, 0x1234);
}

template <typename Model>
void fill_after_reset(unsigned depth) {
  for (unsigned pushes = 1; pushes <= depth + 1; ++pushes) {
    Clocked<Model> fifo(pushes);  // what is not reset stands anywhere
    fifo.reset();
    for (unsigned i = 0; i < pushes; ++i) {
      fifo->in_valid_i = 1;
      fifo->out_ready_i = i % 2;
      fifo.tick();
    }
    fifo.reset();
    EXPECT_EQ(fifo->level_o, 0U);
    fifo->out_ready_i = 0;
    for (unsigned i = 0; i < depth; ++i) {
      fifo->in_data_i = static_cast<std::uint16_t>(pushes * 256 + i);
      fifo.tick();
    }
    fifo->in_valid_i = 0;
    fifo->out_ready_i = 1;
    for (unsigned i = 0; i < depth; ++i) {
      EXPECT_EQ(fifo->out_data_o, pushes * 256 + i) << "after " << pushes << " pushes";
      fifo.tick();
    }
    EXPECT_EQ(fifo->level_o, 0U);
  }
}

TEST(Fifo, BeginsEmptyAfterEachReset) {
  fill_after_reset<Vmu_fifo_two>(2);
  fill_after_reset<Vmu_fifo>(5);
}

TEST(Fifo, PassesAWordACycle) {
  Clocked<Vmu_fifo> fifo;
  fifo->in_valid_i = 1;
  fifo->out_ready_i = 1;
  fifo.tick();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(fifo->in_ready_o && fifo->out_valid_o);
    fifo.tick();
  }
}

TEST(Clocked, ATestThatWaitsForWhatNeverComesEnds) {
  Clocked<Vmu_fifo> fifo;
  try {
    while (!fifo->out_valid_o) fifo.tick();
    FAIL() << "a FIFO that nothing is written to has a word";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "still waiting in cycle 3000000, by which every test has ended");
  }
  EXPECT_EQ(fifo.cycle(), Clocked<Vmu_fifo>::kEnd);
}

}  // namespace
}  // namespace torusmu::testing
