// SPDX-License-Identifier: Apache-2.0
// verilator: -GQUEUES=8
// model: Vmu_queue_scheduler_sim mu_queue_scheduler -GQUEUES=32
// model: Vmu_queue_scheduler_bgp mu_queue_scheduler -GQUEUES=128

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "Vmu_queue_scheduler.h"
#include "Vmu_queue_scheduler_bgp.h"
#include "Vmu_queue_scheduler_sim.h"
#include "tests/support/clocked.h"
#include "tests/support/queue_scheduler_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace c = layout::queue_change;
using Change = QueueSchedulerModel::Change;

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
  static Change change_of(unsigned queue, bool work = true) {
    return Change().set<c::valid>(1).set<c::queue>(queue).set<c::work>(work);
  }
  static Change reflection_of(unsigned queue) { return change_of(queue).set<c::reflection>(1); }
  static Change park(unsigned queue) { return change_of(queue).set<c::park>(1); }
  void change(const Change& change) {
    drive(dut_->change_i, change);
    dut_.tick();
    dut_->change_i = 0;
    dut_.settle();
  }
  void change(unsigned queue, bool work = true) { change(change_of(queue, work)); }
  void pulse(CData& pin) {
    pin = 1;
    dut_.tick();
    pin = 0;
    dut_.settle();
  }
  // The choice, or -1; takes it.
  int take() {
    dut_.settle();
    for (int i = 0; i < 3 && !dut_->choice_valid_o; ++i) dut_.tick();
    if (!dut_->choice_valid_o) return -1;
    const int queue = dut_->choice_queue_o;
    dut_->busy_i = 1;
    dut_->busy_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    EXPECT_FALSE(dut_->choice_valid_o) << "taken once";
    pulse(dut_->taken_i);
    dut_->busy_i = 0;
    dut_.settle();
    return queue;
  }

  Clocked<typename S::Model> dut_;
};

TYPED_TEST_SUITE(QueueScheduler, Sizes);

TYPED_TEST(QueueScheduler, ChoosesNothingWithoutWork) {
  EXPECT_EQ(this->take(), -1);
  this->change(3);
  this->change(3, false);
  EXPECT_EQ(this->take(), -1);
  EXPECT_FALSE(this->dut_->active_o);
}

TYPED_TEST(QueueScheduler, OffersAChoiceTwoCyclesAfterTheChange) {
  this->change(3);
  EXPECT_TRUE(this->dut_->active_o);
  EXPECT_FALSE(this->dut_->choice_valid_o);
  this->dut_.tick();
  EXPECT_TRUE(this->dut_->choice_valid_o);
}

TYPED_TEST(QueueScheduler, GoesRoundQueuesWithWork) {
  for (const unsigned queue : {1U, 4U, 6U}) this->change(queue);
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) order.push_back(this->take());
  EXPECT_EQ(order, (std::vector<int>{1, 4, 6, 1, 4, 6}));
}

TYPED_TEST(QueueScheduler, TakesReflectionsFirstAndEachClassOnlyWithRoom) {
  this->change(this->reflection_of(2));
  this->change(5);
  EXPECT_EQ(this->take(), 2);
  EXPECT_EQ(this->take(), 2);
  this->dut_->room_reply_i = 0;
  EXPECT_EQ(this->take(), 5);
  this->dut_->room_request_i = 0;
  EXPECT_EQ(this->take(), -1);
  this->dut_->room_reply_i = 1;
  EXPECT_EQ(this->take(), 2);
}

TYPED_TEST(QueueScheduler, KeepsItsChoiceWhateverComesLater) {
  this->change(5);
  this->dut_.tick();
  this->change(this->reflection_of(2));
  EXPECT_EQ(this->take(), 5);
  EXPECT_EQ(this->take(), 2);
}

TYPED_TEST(QueueScheduler, DropsAChoiceWhoseQueueChanges) {
  this->change(5);
  this->dut_.tick();
  this->change(5, false);
  EXPECT_EQ(this->take(), -1);
  // The same while another turn has the table for that queue, and changes nothing.
  this->change(5);
  this->dut_.tick();
  ASSERT_TRUE(this->dut_->choice_valid_o);
  this->dut_->busy_i = 1;
  this->dut_->busy_queue_i = 5;
  this->change(5, false);
  this->dut_->busy_i = 0;
  EXPECT_EQ(this->take(), -1);
}

TYPED_TEST(QueueScheduler, OffersNoChoiceWhileTheTableWorksOnItsQueue) {
  this->change(5);
  this->dut_.tick();
  this->dut_->busy_i = 1;
  for (const unsigned queue : {4U, 5U, 6U}) {
    this->dut_->busy_queue_i = static_cast<CData>(queue);
    this->dut_.settle();
    EXPECT_EQ(this->dut_->choice_valid_o, queue != 5);
    this->dut_.tick();
  }
}

TYPED_TEST(QueueScheduler, LeavesAParkedQueueOutUntilTheNextUnpark) {
  this->change(5);
  this->change(this->park(6));
  EXPECT_EQ(this->take(), 5);
  EXPECT_EQ(this->take(), 5);
  this->change(6);
  EXPECT_EQ(this->take(), 5) << "a change does not unpark";
  this->pulse(this->dut_->unpark_i);
  EXPECT_EQ(this->take(), 5) << "it was chosen in that cycle";
  EXPECT_EQ(this->take(), 6);
}

TYPED_TEST(QueueScheduler, StartsAParkedQueueAfresh) {
  this->change(this->park(6));
  EXPECT_EQ(this->take(), -1);
  this->change(this->change_of(6, false).template set<c::restart>(1));
  this->change(6);
  EXPECT_EQ(this->take(), 6);
}

TYPED_TEST(QueueScheduler, UnparksWhatIsParkedInThatCycle) {
  this->change(this->park(5));
  this->dut_->unpark_i = 1;
  this->change(this->park(6));
  this->dut_->unpark_i = 0;
  EXPECT_EQ(this->take(), 5);
  EXPECT_EQ(this->take(), 6);
}

TYPED_TEST(QueueScheduler, LeavesTheHeldQueueOut) {
  this->change(5);
  this->change(6);
  this->dut_->hold_i = 1;
  this->dut_->hold_queue_i = 5;
  EXPECT_EQ(this->take(), 6);
  EXPECT_EQ(this->take(), 6);
  this->dut_->hold_i = 0;
  EXPECT_EQ(this->take(), 5);
}

TYPED_TEST(QueueScheduler, GivesAStoppedQueueOneMoreTurnAtMost) {
  for (const bool one_more : {false, true}) {
    this->change(2);
    const Change stop = this->change_of(2).template set<c::stop>(1);
    this->change(Change(stop).template set<c::one_more>(one_more));
    EXPECT_EQ(this->take(), one_more ? 2 : -1);
    EXPECT_EQ(this->take(), -1);
    this->change(2);  // a doorbell
    EXPECT_EQ(this->take(), -1);
    this->dut_->release_queue_i = 2;
    this->pulse(this->dut_->release_i);
    EXPECT_EQ(this->take(), 2);
    this->dut_->release_i = 1;
    this->change(stop);
    this->dut_->release_i = 0;
    EXPECT_EQ(this->take(), 2) << "released in that cycle";
  }
}

TYPED_TEST(QueueScheduler, KeepsAStopThatNobodyCouldUseForLater) {
  this->change(this->change_of(2, false).template set<c::stop>(1).template set<c::one_more>(1));
  EXPECT_EQ(this->take(), -1);
  this->change(2);
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
    this->change(queue, work[queue]);
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
  unsigned fetching = 0;  // cycles of the turn that takes the choice which have begun
  for (int cycle = 0; cycle < 80000; ++cycle) {
    auto& m = *this->dut_.operator->();
    if (random.chance(1)) {
      m.change_i = m.taken_i = m.unpark_i = m.release_i = m.busy_i = 0;
      this->dut_.reset(1);
      model = QueueSchedulerModel(TypeParam::kQueues);
      fetching = 0;
    }
    const auto draw = [&random](unsigned percent) { return random.chance(percent); };
    // Now and then that of the choice.
    const auto queue = [&] {
      return model.choice() && draw(30) ? model.choice()->queue
                                        : static_cast<unsigned>(random.below(TypeParam::kQueues));
    };
    const auto maybe = [&](unsigned percent) {
      return draw(percent) ? std::optional(queue()) : std::nullopt;
    };
    QueueSchedulerModel::Cycle in{.hold = maybe(20), .release = maybe(20), .busy = maybe(40)};
    if (draw(40)) {
      in.change = this->change_of(queue(), draw(cycle / 100 % 2 == 0 ? 90 : 40));
      const bool parks = draw(15);
      in.change.template set<c::reflection>(draw(40))
          .template set<c::park>(parks)
          .template set<c::restart>(!parks && draw(15))
          .template set<c::stop>(draw(15))
          .template set<c::one_more>(draw(50))
          .template set<c::done>(draw(50))
          .template set<c::head>(static_cast<std::uint32_t>(random.bits64()));
    }
    in.unpark = draw(5);
    in.room_request = draw(70);
    in.room_reply = draw(70);
    // The table works on the queue of the choice from when that is taken up, and nothing of before
    // changes that queue any more.
    if (fetching != 0) {
      in.busy = model.choice()->queue;
      if (in.change.template get<c::queue>() == *in.busy) in.change = Change();
      in.taken = ++fetching == 3;
    }
    drive(m.change_i, in.change);
    m.hold_i = in.hold.has_value();
    m.release_i = in.release.has_value();
    m.busy_i = in.busy.has_value();
    m.hold_queue_i = static_cast<CData>(in.hold.value_or(queue()));
    m.release_queue_i = static_cast<CData>(in.release.value_or(queue()));
    m.busy_queue_i = static_cast<CData>(in.busy.value_or(queue()));
    m.unpark_i = in.unpark;
    m.room_request_i = in.room_request;
    m.room_reply_i = in.room_reply;
    m.taken_i = in.taken;
    this->dut_.settle();
    const auto offered = model.offered(in);
    ASSERT_EQ(m.choice_valid_o, offered.has_value()) << "cycle " << cycle;
    if (offered) {
      ASSERT_EQ(m.choice_queue_o, offered->queue) << "cycle " << cycle;
      ASSERT_EQ(m.choice_reply_o, offered->reply) << "cycle " << cycle;
    }
    ASSERT_EQ(m.active_o, model.active(in)) << "cycle " << cycle;
    this->dut_.tick();
    model.clock(in);
    if (in.taken) fetching = 0;
    if (offered && draw(40)) fetching = 1;
  }
}

}  // namespace
}  // namespace torusmu::testing
