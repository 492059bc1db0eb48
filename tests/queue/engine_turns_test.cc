// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128
// model: Vmu_engine_turns_four mu_engine_turns -GQUEUES=4

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "Vmu_engine_turns.h"
#include "Vmu_engine_turns_four.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/engine_turns_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;

class EngineTurns : public ::testing::Test {
 protected:
  void make_due(const PortBits& queues) {
    drive_bits(turns_->due_i, queues);
    turns_.tick();
    drive_bits(turns_->due_i, 0);
    turns_.settle();
  }
  // The queue whose descriptor the engine takes next, if there is one within a few cycles.
  std::optional<unsigned> take() {
    for (int cycle = 0; cycle < 3 && !turns_->start_valid_o; ++cycle) turns_.tick();
    if (!turns_->start_valid_o) return std::nullopt;
    const unsigned queue = turns_->queue_o;
    turns_->start_ready_i = 1;
    turns_.tick();
    turns_->start_ready_i = 0;
    turns_.settle();
    return queue;
  }
  void end() {
    turns_->done_i = 1;
    turns_.tick();
    turns_->done_i = 0;
    turns_.settle();
  }
  // In the order in which they run until none is left.
  std::vector<unsigned> run_all() {
    std::vector<unsigned> order;
    while (const auto queue = take()) {
      order.push_back(*queue);
      end();
    }
    return order;
  }
  // Whether it was taken away.
  bool flush(unsigned queue) {
    turns_->flush_i = 1;
    turns_->flush_queue_i = static_cast<std::uint8_t>(queue);
    turns_.settle();
    const bool taken_away = turns_->flush_o;
    turns_.tick();
    turns_->flush_i = 0;
    turns_.settle();
    return taken_away;
  }
  Clocked<Vmu_engine_turns> turns_;
};

TEST_F(EngineTurns, OfferWhatIsDueTwoCyclesLater) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    EXPECT_FALSE(turns_->busy_o);
    make_due(bit(queue));
    EXPECT_TRUE(turns_->busy_o);
    EXPECT_FALSE(turns_->start_valid_o);
    turns_.tick();
    EXPECT_TRUE(turns_->busy_o);
    ASSERT_TRUE(turns_->start_valid_o);
    EXPECT_EQ(turns_->queue_o, queue);
    EXPECT_EQ(take(), queue);
    EXPECT_TRUE(turns_->running_o);
    end();
    EXPECT_FALSE(turns_->running_o);
  }
}

TEST_F(EngineTurns, KeepAnOfferUntilTheEngineTakesIt) {
  make_due(bit(9));
  turns_.tick();
  make_due(bit(3));
  for (int cycle = 0; cycle < 10; ++cycle) {
    ASSERT_TRUE(turns_->start_valid_o);
    ASSERT_EQ(turns_->queue_o, 9U);
    turns_.tick();
  }
  EXPECT_EQ(take(), 9U);
  EXPECT_FALSE(turns_->start_valid_o);
}

TEST_F(EngineTurns, RunOneAtATime) {
  make_due(bit(5) | bit(20));
  EXPECT_EQ(take(), 5U);
  for (int cycle = 0; cycle < 10; ++cycle) {
    ASSERT_TRUE(turns_->running_o);
    ASSERT_EQ(turns_->queue_o, 5U);
    ASSERT_FALSE(turns_->start_valid_o);
    ASSERT_FALSE(turns_->busy_o) << "nothing can begin before it has ended";
    turns_.tick();
  }
  end();
  EXPECT_TRUE(turns_->busy_o);
  EXPECT_EQ(take(), 20U);
}

TEST_F(EngineTurns, GoRoundFromTheOneThatRanLast) {
  make_due(~PortBits());
  std::vector<unsigned> all(kQueues);
  for (unsigned queue = 0; queue < kQueues; ++queue) all[queue] = queue;
  EXPECT_EQ(run_all(), all);
  make_due(bit(12));
  EXPECT_EQ(run_all(), std::vector<unsigned>{12});
  make_due(bit(1) | bit(12) | bit(13) | bit(kQueues - 1));
  EXPECT_EQ(run_all(), (std::vector<unsigned>{13, kQueues - 1, 1, 12}));
}

TEST_F(EngineTurns, ALowerQueueThatIsDueAgainLetsTheOthersGoFirst) {
  make_due(bit(2) | bit(7));
  EXPECT_EQ(take(), 2U);
  end();
  make_due(bit(2));
  EXPECT_EQ(run_all(), (std::vector<unsigned>{7, 2}));
}

TEST_F(EngineTurns, AFlushTakesAwayWhatWaits) {
  make_due(bit(4) | bit(6) | bit(8));
  EXPECT_EQ(take(), 4U);
  EXPECT_TRUE(flush(6));
  EXPECT_FALSE(flush(6)) << "it is gone";
  EXPECT_FALSE(flush(7)) << "it was not due";
  end();
  EXPECT_EQ(run_all(), std::vector<unsigned>{8});
}

TEST_F(EngineTurns, AFlushComesTooLateForWhatIsOfferedOrRuns) {
  make_due(bit(4));
  turns_.tick();
  EXPECT_FALSE(flush(4)) << "offered";
  EXPECT_EQ(take(), 4U);
  EXPECT_FALSE(flush(4)) << "running";
  EXPECT_TRUE(turns_->running_o);
  end();
}

TEST_F(EngineTurns, AFlushReachesOneThatWouldBeChosenInItsCycle) {
  make_due(bit(4) | bit(5));
  EXPECT_TRUE(flush(4));
  EXPECT_EQ(run_all(), std::vector<unsigned>{5});
}

TEST_F(EngineTurns, AFlushReachesAnotherInTheCycleThatChooses) {
  make_due(bit(4) | bit(5));
  EXPECT_TRUE(flush(5));
  EXPECT_EQ(run_all(), std::vector<unsigned>{4});
}

template <typename Model>
class AtRandom {
 public:
  AtRandom(Random& random, unsigned queues)
      : random_(random), queues_(queues), model_(queues), turns_(random.seed()) {}
  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (cycle % 200 == 0)
        due_percent_ = static_cast<unsigned>(random_.below(random_.chance(50) ? 30 : 4));
      draw();
      turns_.settle();
      ASSERT_NO_FATAL_FAILURE(compare()) << queues_ << " queues, cycle " << cycle;
      model_.clock(in_);
      if (!turns_->rst_ni) model_.reset();
      turns_.tick();
    }
  }

 private:
  void draw() {
    turns_->rst_ni = !random_.chance(1);
    in_.due.reset();
    const unsigned percent = random_.chance(2) ? 90 : due_percent_;  // or most of them at once
    for (unsigned queue = 0; queue < queues_; ++queue) {
      const bool may_be = !model_.is_due(queue) && !model_.is_under_way(queue);
      if (may_be && random_.chance(percent)) in_.due.set(queue);
    }
    drive_bits(turns_->due_i, in_.due);
    turns_->flush_i = random_.chance(50);
    turns_->flush_queue_i = static_cast<CData>(random_.below(queues_));
    // Those that are under way are flushed often, too.
    if (const auto chosen = model_.choice(); chosen && random_.chance(20)) {
      turns_->flush_queue_i = static_cast<CData>(*chosen);
    }
    in_.flush = turns_->flush_i ? std::optional<unsigned>(turns_->flush_queue_i) : std::nullopt;
    in_.start_ready = random_.chance(60);
    in_.done = model_.is_running() && random_.chance(60);
    turns_->start_ready_i = in_.start_ready;
    turns_->done_i = in_.done;
  }
  void compare() {
    ASSERT_EQ(turns_->start_valid_o, model_.is_offered());
    ASSERT_EQ(turns_->running_o, model_.is_running());
    ASSERT_EQ(turns_->busy_o, model_.busy());
    if (model_.queue()) {
      ASSERT_EQ(turns_->queue_o, *model_.queue());
    }
    const auto choice = model_.choice(in_.flush);
    ASSERT_EQ(turns_->choose_o, choice.has_value());
    if (choice) {
      ASSERT_EQ(turns_->choice_o, *choice);
    }
    ASSERT_EQ(turns_->flush_o, model_.flushes(in_));
  }
  Random& random_;
  unsigned queues_, due_percent_ = 0;
  EngineTurnsModel model_;
  EngineTurnsModel::Cycle in_;
  Clocked<Model> turns_;
};

TEST(EngineTurnsAtRandom, AgreeWithALineOfQueuesInEveryCycle) {
  Random random;
  SCOPED_TRACE(random.replay());
  ASSERT_NO_FATAL_FAILURE(AtRandom<Vmu_engine_turns_four>(random, 4).run(20000));
  ASSERT_NO_FATAL_FAILURE(AtRandom<Vmu_engine_turns>(random, kQueues).run(40000));
}

}  // namespace
}  // namespace torusmu::testing
