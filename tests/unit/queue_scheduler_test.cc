// SPDX-License-Identifier: Apache-2.0
// verilator: -GQUEUES=8

#include <gtest/gtest.h>

#include <vector>

#include "Vmu_queue_scheduler.h"
#include "tests/support/clocked.h"
#include "tests/support/queue_scheduler_model.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class QueueScheduler : public ::testing::Test {
 protected:
  QueueScheduler() {
    dut_->room_request_i = 1;
    dut_->room_reply_i = 1;
  }
  void update(unsigned queue, bool work, bool reflection = false, bool park = false) {
    dut_->update_i = 1;
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_->work_i = work;
    dut_->reflection_i = reflection;
    dut_->park_i = park;
    dut_.tick();
    dut_->update_i = dut_->park_i = 0;
    dut_.settle();
  }
  // The choice, or -1; takes it.
  int take() {
    dut_.settle();
    if (!dut_->choice_valid_o) return -1;
    const int queue = dut_->choice_queue_o;
    dut_->taken_i = 1;
    dut_.tick();
    dut_->taken_i = 0;
    dut_.settle();
    return queue;
  }

  Clocked<Vmu_queue_scheduler> dut_;
};

TEST_F(QueueScheduler, ChoosesNothingWithoutWork) {
  EXPECT_EQ(take(), -1);
  update(3, true);
  update(3, false);
  EXPECT_EQ(take(), -1);
}

TEST_F(QueueScheduler, GoesRoundQueuesWithWork) {
  for (const unsigned queue : {1U, 4U, 6U}) update(queue, true);
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) order.push_back(take());
  EXPECT_EQ(order, (std::vector<int>{1, 4, 6, 1, 4, 6}));
}

TEST_F(QueueScheduler, TakesReflectionsFirstAndEachClassOnlyWithRoom) {
  update(5, true);
  update(2, true, true);
  EXPECT_EQ(take(), 2);
  EXPECT_EQ(take(), 2);
  dut_->room_reply_i = 0;
  EXPECT_EQ(take(), 5);
  dut_->room_request_i = 0;
  EXPECT_EQ(take(), -1);
  dut_->room_reply_i = 1;
  EXPECT_EQ(take(), 2);
}

TEST_F(QueueScheduler, LeavesAParkedQueueOutUntilTheNextUnpark) {
  update(5, true);
  update(6, true, false, true);
  EXPECT_EQ(take(), 5);
  EXPECT_EQ(take(), 5);
  update(6, true);
  EXPECT_EQ(take(), 5) << "an update does not unpark";
  dut_->unpark_i = 1;
  dut_.tick();
  dut_->unpark_i = 0;
  EXPECT_EQ(take(), 6);
}

TEST_F(QueueScheduler, StartsAParkedQueueAfresh) {
  update(6, true, false, true);
  EXPECT_EQ(take(), -1);
  dut_->afresh_i = 1;
  update(6, false);
  dut_->afresh_i = 0;
  update(6, true);
  EXPECT_EQ(take(), 6);
}

TEST_F(QueueScheduler, ParksEvenIfEverybodyElseIsUnparkedInThatCycle) {
  update(5, true, false, true);
  dut_->unpark_i = 1;
  update(6, true, false, true);
  dut_->unpark_i = 0;
  EXPECT_EQ(take(), 5);
  EXPECT_EQ(take(), 5);
}

TEST_F(QueueScheduler, LeavesTheHeldQueueOut) {
  update(5, true);
  update(6, true);
  dut_->hold_i = 1;
  dut_->hold_queue_i = 5;
  EXPECT_EQ(take(), 6);
  EXPECT_EQ(take(), 6);
  dut_->hold_i = 0;
  EXPECT_EQ(take(), 5);
}

TEST_F(QueueScheduler, GivesAStoppedQueueOneMoreTurnAtMost) {
  for (const bool one_more : {false, true}) {
    update(2, true);
    dut_->stop_i = 1;
    dut_->one_more_i = one_more;
    update(2, true);
    dut_->stop_i = dut_->one_more_i = 0;
    EXPECT_EQ(take(), one_more ? 2 : -1);
    EXPECT_EQ(take(), -1);
    update(2, true);  // a doorbell
    EXPECT_EQ(take(), -1);
    dut_->release_i = 1;
    dut_->release_queue_i = 2;
    dut_.tick();
    dut_->release_i = 0;
    EXPECT_EQ(take(), 2);
  }
}

TEST_F(QueueScheduler, KeepsAStopThatNobodyCouldUseForLater) {
  dut_->stop_i = dut_->one_more_i = 1;
  update(2, false);
  dut_->stop_i = dut_->one_more_i = 0;
  EXPECT_EQ(take(), -1);
  update(2, true);
  EXPECT_EQ(take(), 2) << "the one turn, when there is work";
  EXPECT_EQ(take(), -1);
}

TEST_F(QueueScheduler, LetsNoQueueWaitForMoreThanOneTurnOfEachOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::vector<unsigned> waited(8, 0);
  std::vector<bool> work(8, false);
  for (int step = 0; step < 5000; ++step) {
    const auto queue = static_cast<unsigned>(random.below(8));
    work[queue] = random.chance(80);
    update(queue, work[queue]);
    if (!work[queue]) waited[queue] = 0;
    const int chosen = take();
    if (chosen < 0) continue;
    ASSERT_TRUE(work[static_cast<unsigned>(chosen)]);
    for (unsigned i = 0; i < 8; ++i)
      waited[i] = work[i] && i != static_cast<unsigned>(chosen) ? waited[i] + 1 : 0;
    for (unsigned i = 0; i < 8; ++i) ASSERT_LE(waited[i], 7U);
  }
}

TEST_F(QueueScheduler, ChoosesTheNextReadyQueueOfTheClassThatHasRoom) {
  Random random;
  SCOPED_TRACE(random.replay());
  QueueSchedulerModel model(8);
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random.chance(1)) {
      dut_->update_i = dut_->taken_i = dut_->unpark_i = dut_->release_i = 0;
      dut_.reset(1);
      model = QueueSchedulerModel(8);
    }
    const auto updated = static_cast<unsigned>(random.below(8));
    const auto released = static_cast<unsigned>(random.below(8));
    const auto held = static_cast<unsigned>(random.below(8));
    const auto draw = [&random](unsigned percent) { return random.chance(percent); };
    dut_->update_i = draw(40);
    dut_->queue_i = static_cast<CData>(updated);
    dut_->work_i = draw(cycle / 100 % 2 == 0 ? 90 : 40);
    dut_->reflection_i = draw(40);
    dut_->park_i = draw(15);
    dut_->afresh_i = !dut_->park_i && draw(15);
    dut_->stop_i = draw(15);
    dut_->one_more_i = draw(50);
    dut_->unpark_i = draw(5);
    dut_->release_i = draw(20);
    dut_->release_queue_i = static_cast<CData>(released);
    dut_->hold_i = draw(30);
    dut_->hold_queue_i = static_cast<CData>(held);
    dut_->room_request_i = draw(70);
    dut_->room_reply_i = draw(70);
    dut_->taken_i = 0;
    dut_.settle();
    QueueSchedulerModel::Cycle in{.room_request = dut_->room_request_i != 0,
                                  .room_reply = dut_->room_reply_i != 0,
                                  .unpark = dut_->unpark_i != 0};
    if (dut_->hold_i) in.hold = 1ULL << held;
    if (dut_->release_i) in.release = 1ULL << released;
    const auto choice = model.choice(in);
    const auto wanted = choice.value_or(QueueSchedulerModel::Choice{0, false});
    ASSERT_EQ(dut_->choice_valid_o, choice.has_value()) << "cycle " << cycle;
    ASSERT_EQ(dut_->choice_reply_o, wanted.reply) << "cycle " << cycle;
    ASSERT_EQ(dut_->choice_queue_o, wanted.queue) << "cycle " << cycle;
    in.taken = choice && draw(70);
    dut_->taken_i = in.taken;
    dut_.tick();
    const QueueSchedulerModel::Update update{.queue = updated,
                                             .work = dut_->work_i != 0,
                                             .reflection = dut_->reflection_i != 0,
                                             .park = dut_->park_i != 0,
                                             .afresh = dut_->afresh_i != 0,
                                             .stop = dut_->stop_i != 0,
                                             .one_more = dut_->one_more_i != 0};
    if (dut_->update_i) in.update = &update;
    model.clock(in);
  }
}

}  // namespace
}  // namespace torusmu::testing
