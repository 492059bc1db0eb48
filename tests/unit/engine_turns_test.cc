// SPDX-License-Identifier: Apache-2.0
// model: Vmu_engine_turns_four mu_engine_turns -GQUEUES=4

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "Vmu_engine_turns.h"
#include "Vmu_engine_turns_four.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class EngineTurns : public ::testing::Test {
 protected:
  // Queues as bits.
  void make_due(std::uint32_t queues) {
    turns_->due_i = queues;
    turns_.tick();
    turns_->due_i = 0;
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
  for (unsigned queue = 0; queue < 32; ++queue) {
    EXPECT_FALSE(turns_->busy_o);
    make_due(1U << queue);
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
  make_due(1U << 9);
  turns_.tick();
  make_due(1U << 3);
  for (int cycle = 0; cycle < 10; ++cycle) {
    ASSERT_TRUE(turns_->start_valid_o);
    ASSERT_EQ(turns_->queue_o, 9U);
    turns_.tick();
  }
  EXPECT_EQ(take(), 9U);
  EXPECT_FALSE(turns_->start_valid_o);
}

TEST_F(EngineTurns, RunOneAtATime) {
  make_due(1U << 5 | 1U << 20);
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
  make_due(~0U);
  std::vector<unsigned> all(32);
  for (unsigned queue = 0; queue < 32; ++queue) all[queue] = queue;
  EXPECT_EQ(run_all(), all);
  make_due(1U << 12);
  EXPECT_EQ(run_all(), std::vector<unsigned>{12});
  make_due(1U << 1 | 1U << 12 | 1U << 13 | 1U << 31);
  EXPECT_EQ(run_all(), (std::vector<unsigned>{13, 31, 1, 12}));
}

TEST_F(EngineTurns, ALowerQueueThatIsDueAgainLetsTheOthersGoFirst) {
  make_due(1U << 2 | 1U << 7);
  EXPECT_EQ(take(), 2U);
  end();
  make_due(1U << 2);
  EXPECT_EQ(run_all(), (std::vector<unsigned>{7, 2}));
}

TEST_F(EngineTurns, AFlushTakesAwayWhatWaits) {
  make_due(1U << 4 | 1U << 6 | 1U << 8);
  EXPECT_EQ(take(), 4U);
  EXPECT_TRUE(flush(6));
  EXPECT_FALSE(flush(6)) << "it is gone";
  EXPECT_FALSE(flush(7)) << "it was not due";
  end();
  EXPECT_EQ(run_all(), std::vector<unsigned>{8});
}

TEST_F(EngineTurns, AFlushComesTooLateForWhatIsChosenOfferedOrRuns) {
  make_due(1U << 4);
  EXPECT_FALSE(flush(4)) << "chosen in this cycle";
  EXPECT_FALSE(flush(4)) << "offered";
  EXPECT_EQ(take(), 4U);
  EXPECT_FALSE(flush(4)) << "running";
  EXPECT_TRUE(turns_->running_o);
  end();
}

TEST_F(EngineTurns, AFlushReachesAnotherInTheCycleThatChooses) {
  make_due(1U << 4 | 1U << 5);
  EXPECT_TRUE(flush(5));
  EXPECT_EQ(run_all(), std::vector<unsigned>{4});
}

// Said anew, by the list of queues instead of masks.
struct TurnsModel {
  explicit TurnsModel(unsigned number) : queues(number) {}
  bool is_due(unsigned which) const { return (due >> which & 1) != 0; }
  // The one that is chosen in this cycle.
  std::optional<unsigned> choice() const {
    if (due == 0 || valid || running) return std::nullopt;
    for (unsigned i = 0; i < queues; ++i) {
      if (is_due((first + i) % queues)) return (first + i) % queues;
    }
    return std::nullopt;
  }
  bool busy() const { return (due != 0 && !running) || valid; }
  void reset() { *this = TurnsModel(queues, queue); }

  unsigned queues;
  std::optional<unsigned> queue;  // unknown before the first one; a reset leaves it
  std::uint32_t due = 0;
  unsigned first = 0;
  bool valid = false, running = false;

 private:
  TurnsModel(unsigned number, std::optional<unsigned> last) : queues(number), queue(last) {}
};

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
      step();
      turns_.tick();
    }
  }

 private:
  void draw() {
    turns_->rst_ni = !random_.chance(1);
    std::uint32_t due = 0;
    for (unsigned queue = 0; queue < queues_; ++queue) {
      const bool under_way = (model_.valid || model_.running) && model_.queue == queue;
      if (!model_.is_due(queue) && !under_way && random_.chance(due_percent_)) due |= 1U << queue;
    }
    turns_->due_i = static_cast<std::remove_reference_t<decltype(turns_->due_i)>>(due);
    turns_->flush_i = random_.chance(50);
    turns_->flush_queue_i = static_cast<CData>(random_.below(queues_));
    // Those that are under way are flushed often, too.
    if (const auto chosen = model_.choice(); chosen && random_.chance(20)) {
      turns_->flush_queue_i = static_cast<CData>(*chosen);
    }
    turns_->start_ready_i = random_.chance(60);
    turns_->done_i = model_.running && random_.chance(60);
  }
  bool flushes() {
    const unsigned queue = turns_->flush_queue_i;
    return turns_->flush_i && model_.is_due(queue) && model_.choice() != queue;
  }
  void compare() {
    ASSERT_EQ(turns_->start_valid_o, model_.valid);
    ASSERT_EQ(turns_->running_o, model_.running);
    ASSERT_EQ(turns_->busy_o, model_.busy());
    if (model_.queue) {
      ASSERT_EQ(turns_->queue_o, *model_.queue);
    }
    ASSERT_EQ(turns_->flush_o, flushes());
  }
  // What the coming edge does.
  void step() {
    const auto chosen = model_.choice();
    TurnsModel next = model_;
    next.due |= turns_->due_i;
    if (flushes()) next.due &= ~(1U << turns_->flush_queue_i);
    if (model_.valid && turns_->start_ready_i) next.valid = false, next.running = true;
    if (turns_->done_i) next.running = false;
    if (chosen) {
      next.due &= ~(1U << *chosen);
      next.valid = true;
      next.first = (*chosen + 1) % queues_;
      next.queue = chosen;
    }
    if (!turns_->rst_ni) next.reset();
    model_ = next;
  }
  Random& random_;
  unsigned queues_, due_percent_ = 0;
  TurnsModel model_;
  Clocked<Model> turns_;
};

TEST(EngineTurnsAtRandom, AgreeWithALineOfQueuesInEveryCycle) {
  Random random;
  SCOPED_TRACE(random.replay());
  ASSERT_NO_FATAL_FAILURE(AtRandom<Vmu_engine_turns_four>(random, 4).run(20000));
  ASSERT_NO_FATAL_FAILURE(AtRandom<Vmu_engine_turns>(random, 32).run(40000));
}

}  // namespace
}  // namespace torusmu::testing
