// SPDX-License-Identifier: Apache-2.0
// verilator: -GQUEUES=8
// model: Vmu_queue_scheduler_sim mu_queue_scheduler -GQUEUES=32
// model: Vmu_queue_scheduler_bgp mu_queue_scheduler -GQUEUES=128

#include <gtest/gtest.h>

#include <bitset>
#include <vector>

#include "Vmu_queue_scheduler.h"
#include "Vmu_queue_scheduler_bgp.h"
#include "Vmu_queue_scheduler_sim.h"
#include "tests/support/clocked.h"
#include "tests/support/queue_scheduler_model.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned queues>
struct Size {
  using Model = M;
  static constexpr unsigned kQueues = queues;
};
using Sizes = ::testing::Types<Size<Vmu_queue_scheduler, 8>, Size<Vmu_queue_scheduler_sim, 32>,
                               Size<Vmu_queue_scheduler_bgp, 128>>;

template <typename S>
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

  Clocked<typename S::Model> dut_;
};

TYPED_TEST_SUITE(QueueScheduler, Sizes);

TYPED_TEST(QueueScheduler, ChoosesNothingWithoutWork) {
  EXPECT_EQ(this->take(), -1);
  this->update(3, true);
  this->update(3, false);
  EXPECT_EQ(this->take(), -1);
}

TYPED_TEST(QueueScheduler, GoesRoundQueuesWithWork) {
  for (const unsigned queue : {1U, 4U, 6U}) this->update(queue, true);
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) order.push_back(this->take());
  EXPECT_EQ(order, (std::vector<int>{1, 4, 6, 1, 4, 6}));
}

TYPED_TEST(QueueScheduler, TakesReflectionsFirstAndEachClassOnlyWithRoom) {
  this->update(5, true);
  this->update(2, true, true);
  EXPECT_EQ(this->take(), 2);
  EXPECT_EQ(this->take(), 2);
  this->dut_->room_reply_i = 0;
  EXPECT_EQ(this->take(), 5);
  this->dut_->room_request_i = 0;
  EXPECT_EQ(this->take(), -1);
  this->dut_->room_reply_i = 1;
  EXPECT_EQ(this->take(), 2);
}

TYPED_TEST(QueueScheduler, LeavesAParkedQueueOutUntilTheNextUnpark) {
  this->update(5, true);
  this->update(6, true, false, true);
  EXPECT_EQ(this->take(), 5);
  EXPECT_EQ(this->take(), 5);
  this->update(6, true);
  EXPECT_EQ(this->take(), 5) << "an this->update does not unpark";
  this->dut_->unpark_i = 1;
  this->dut_.tick();
  this->dut_->unpark_i = 0;
  EXPECT_EQ(this->take(), 6);
}

TYPED_TEST(QueueScheduler, StartsAParkedQueueAfresh) {
  this->update(6, true, false, true);
  EXPECT_EQ(this->take(), -1);
  this->dut_->afresh_i = 1;
  this->update(6, false);
  this->dut_->afresh_i = 0;
  this->update(6, true);
  EXPECT_EQ(this->take(), 6);
}

TYPED_TEST(QueueScheduler, ParksEvenIfEverybodyElseIsUnparkedInThatCycle) {
  this->update(5, true, false, true);
  this->dut_->unpark_i = 1;
  this->update(6, true, false, true);
  this->dut_->unpark_i = 0;
  EXPECT_EQ(this->take(), 5);
  EXPECT_EQ(this->take(), 5);
}

TYPED_TEST(QueueScheduler, LeavesTheHeldQueueOut) {
  this->update(5, true);
  this->update(6, true);
  this->dut_->hold_i = 1;
  this->dut_->hold_queue_i = 5;
  EXPECT_EQ(this->take(), 6);
  EXPECT_EQ(this->take(), 6);
  this->dut_->hold_i = 0;
  EXPECT_EQ(this->take(), 5);
}

TYPED_TEST(QueueScheduler, GivesAStoppedQueueOneMoreTurnAtMost) {
  for (const bool one_more : {false, true}) {
    this->update(2, true);
    this->dut_->stop_i = 1;
    this->dut_->one_more_i = one_more;
    this->update(2, true);
    this->dut_->stop_i = this->dut_->one_more_i = 0;
    EXPECT_EQ(this->take(), one_more ? 2 : -1);
    EXPECT_EQ(this->take(), -1);
    this->update(2, true);  // a doorbell
    EXPECT_EQ(this->take(), -1);
    this->dut_->release_i = 1;
    this->dut_->release_queue_i = 2;
    this->dut_.tick();
    this->dut_->release_i = 0;
    EXPECT_EQ(this->take(), 2);
  }
}

TYPED_TEST(QueueScheduler, KeepsAStopThatNobodyCouldUseForLater) {
  this->dut_->stop_i = this->dut_->one_more_i = 1;
  this->update(2, false);
  this->dut_->stop_i = this->dut_->one_more_i = 0;
  EXPECT_EQ(this->take(), -1);
  this->update(2, true);
  EXPECT_EQ(this->take(), 2) << "the one turn, when there is work";
  EXPECT_EQ(this->take(), -1);
}

TYPED_TEST(QueueScheduler, LetsNoQueueWaitForMoreThanOneTurnOfEachOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::vector<unsigned> waited(TypeParam::kQueues, 0);
  std::vector<bool> work(TypeParam::kQueues, false);
  for (int step = 0; step < 20000; ++step) {
    const auto queue = static_cast<unsigned>(random.below(TypeParam::kQueues));
    work[queue] = random.chance(80);
    this->update(queue, work[queue]);
    if (!work[queue]) waited[queue] = 0;
    const int chosen = this->take();
    if (chosen < 0) continue;
    ASSERT_TRUE(work[static_cast<unsigned>(chosen)]);
    for (unsigned i = 0; i < TypeParam::kQueues; ++i)
      waited[i] = work[i] && i != static_cast<unsigned>(chosen) ? waited[i] + 1 : 0;
    for (unsigned i = 0; i < TypeParam::kQueues; ++i) ASSERT_LT(waited[i], TypeParam::kQueues);
  }
}

TYPED_TEST(QueueScheduler, ChoosesTheNextReadyQueueOfTheClassThatHasRoom) {
  Random random;
  SCOPED_TRACE(random.replay());
  QueueSchedulerModel model(TypeParam::kQueues);
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random.chance(1)) {
      this->dut_->update_i = this->dut_->taken_i = this->dut_->unpark_i = this->dut_->release_i = 0;
      this->dut_.reset(1);
      model = QueueSchedulerModel(TypeParam::kQueues);
    }
    const auto updated = static_cast<unsigned>(random.below(TypeParam::kQueues));
    const auto released = static_cast<unsigned>(random.below(TypeParam::kQueues));
    const auto held = static_cast<unsigned>(random.below(TypeParam::kQueues));
    const auto draw = [&random](unsigned percent) { return random.chance(percent); };
    this->dut_->update_i = draw(40);
    this->dut_->queue_i = static_cast<CData>(updated);
    this->dut_->work_i = draw(cycle / 100 % 2 == 0 ? 90 : 40);
    this->dut_->reflection_i = draw(40);
    this->dut_->park_i = draw(15);
    this->dut_->afresh_i = !this->dut_->park_i && draw(15);
    this->dut_->stop_i = draw(15);
    this->dut_->one_more_i = draw(50);
    this->dut_->unpark_i = draw(5);
    this->dut_->release_i = draw(20);
    this->dut_->release_queue_i = static_cast<CData>(released);
    this->dut_->hold_i = draw(30);
    this->dut_->hold_queue_i = static_cast<CData>(held);
    this->dut_->room_request_i = draw(70);
    this->dut_->room_reply_i = draw(70);
    this->dut_->taken_i = 0;
    this->dut_.settle();
    QueueSchedulerModel::Cycle in{.room_request = this->dut_->room_request_i != 0,
                                  .room_reply = this->dut_->room_reply_i != 0,
                                  .unpark = this->dut_->unpark_i != 0};
    if (this->dut_->hold_i) in.hold = std::bitset<128>(1) << held;
    if (this->dut_->release_i) in.release = std::bitset<128>(1) << released;
    const auto choice = model.choice(in);
    const auto wanted = choice.value_or(QueueSchedulerModel::Choice{0, false});
    ASSERT_EQ(this->dut_->choice_valid_o, choice.has_value()) << "cycle " << cycle;
    ASSERT_EQ(this->dut_->choice_reply_o, wanted.reply) << "cycle " << cycle;
    ASSERT_EQ(this->dut_->choice_queue_o, wanted.queue) << "cycle " << cycle;
    in.taken = choice && draw(70);
    this->dut_->taken_i = in.taken;
    this->dut_.tick();
    const QueueSchedulerModel::Update update{.queue = updated,
                                             .work = this->dut_->work_i != 0,
                                             .reflection = this->dut_->reflection_i != 0,
                                             .park = this->dut_->park_i != 0,
                                             .afresh = this->dut_->afresh_i != 0,
                                             .stop = this->dut_->stop_i != 0,
                                             .one_more = this->dut_->one_more_i != 0};
    if (this->dut_->update_i) in.update = &update;
    model.clock(in);
  }
}

}  // namespace
}  // namespace torusmu::testing
