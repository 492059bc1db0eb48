// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "Vmu_held_queues.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/held_queues_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
using Fetched = HeldQueuesModel::Fetched;
using Place = HeldQueuesModel::Place;

constexpr unsigned kQueue = kProfile.injection_queues / 2 + 1, kOther = 3;

class HeldQueues : public ::testing::Test {
 protected:
  HeldQueues() { queues_->out_ready_i = 1; }

  static Fetched make(Opcode opcode, unsigned index, unsigned queue = kQueue, bool signal = true) {
    return Fetched{}
        .set<f::descriptor>(Descriptor{}.set<d::opcode>(opcode).set<d::signal>(signal))
        .set<f::queue>(queue)
        .set<f::index>(index)
        .set<f::lap>(index * 3);
  }
  static Place place_of(const Fetched& fetched) {
    return Place{}
        .set<layout::queue_place::queue>(fetched.get<f::queue>())
        .set<layout::queue_place::index>(fetched.get<f::index>())
        .set<layout::queue_place::lap>(fetched.get<f::lap>());
  }
  static Fetched run(Fetched fetched, Status status) {
    return fetched.set<f::run>(1).set<f::run_status>(status);
  }
  // In the coming cycle; end_cycle() takes it away.
  void offer(const Fetched& fetched) {
    drive(queues_->in_data_i, fetched);
    queues_->in_valid_i = 1;
    queues_.settle();
  }
  void take(const Fetched& fetched) {
    drive(queues_->take_data_i, fetched);
    queues_->take_i = 1;
    queues_.settle();
  }
  void finish(Status status, unsigned queue = kQueue) {
    queues_->finish_one_i = 1;
    queues_->finish_queue_i = static_cast<CData>(queue);
    queues_->finish_status_i = static_cast<CData>(status);
  }
  void go_again(unsigned queue = kQueue) {
    queues_->again_valid_i = 1;
    queues_->again_queue_i = static_cast<CData>(queue);
  }
  void end_cycle() {
    queues_.tick();
    queues_->in_valid_i = queues_->take_i = queues_->finish_one_i = queues_->again_valid_i = 0;
    drive_bits(queues_->finish_i, 0);
    queues_.settle();
  }
  // A descriptor holds its queue, and one is kept behind it.
  void hold(const Fetched& held, const Fetched& kept) {
    take(held);
    end_cycle();
    offer(kept);
    EXPECT_TRUE(queues_->in_ready_o);
    EXPECT_FALSE(queues_->out_valid_o);
    end_cycle();
  }
  void expect_out(const Fetched& fetched) {
    ASSERT_TRUE(queues_->out_valid_o);
    EXPECT_EQ(sample_record<Fetched>(queues_->out_data_o), fetched);
  }
  void expect_nothing_out() { EXPECT_FALSE(queues_->out_valid_o); }
  // The queues of what leaves until nothing is left to do.
  std::vector<unsigned> let_go() {
    std::vector<unsigned> queues;
    for (unsigned cycle = 0; queues_->busy_o && cycle < 20; ++cycle) {
      if (queues_->out_valid_o) {
        const auto fetched = sample_record<Fetched>(queues_->out_data_o);
        queues.push_back(static_cast<unsigned>(fetched.get<f::queue>()));
      }
      end_cycle();
    }
    return queues;
  }
  void expect_release(bool released) {
    EXPECT_EQ(queues_->release_valid_o, released);
    if (released) {
      EXPECT_EQ(queues_->release_queue_o, kQueue);
    }
  }
  // What is chosen in this cycle goes out in the next.
  void expect_next(const Fetched& fetched, bool releases) {
    end_cycle();
    expect_out(fetched);
    expect_release(releases);
    end_cycle();
  }

  Random random_;
  Clocked<Vmu_held_queues> queues_{random_.seed()};
};

TEST_F(HeldQueues, PassWhatComesOfAFreeQueueInTheSameCycle) {
  offer(make(Opcode::kPut, 5));
  expect_out(make(Opcode::kPut, 5));
  EXPECT_TRUE(queues_->in_ready_o);
  queues_->out_ready_i = 0;
  queues_.settle();
  EXPECT_FALSE(queues_->in_ready_o);
}

TEST_F(HeldQueues, LetTheHeldOneGoFirstThenTheKeptOneBehindIt) {
  hold(make(Opcode::kWait, 1), make(Opcode::kPut, 2));
  EXPECT_EQ(bits_of(queues_->held_o), bit(kQueue));
  EXPECT_FALSE(queues_->busy_o);
  finish(Status::kMemoryError);
  end_cycle();
  EXPECT_EQ(bits_of(queues_->held_o), 0U);
  EXPECT_TRUE(queues_->busy_o);
  expect_next(run(make(Opcode::kWait, 1), Status::kMemoryError), false);
  expect_next(make(Opcode::kPut, 2), true);
  EXPECT_FALSE(queues_->busy_o);
}

TEST_F(HeldQueues, TakeTheQueueBackToTheFirstThatWasDropped) {
  hold(make(Opcode::kSend, 1), make(Opcode::kPut, 2));
  for (unsigned index = 3; index < 5; ++index) {
    offer(make(Opcode::kPut, index));
    EXPECT_TRUE(queues_->in_ready_o);
    end_cycle();
  }
  finish(Status::kOk);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(queues_->resume_valid_o);
    EXPECT_EQ(sample_record<Place>(queues_->resume_place_o), place_of(make(Opcode::kPut, 3)));
    expect_nothing_out();  // before the queue is taken back
    end_cycle();
  }
  queues_->resume_ready_i = 1;
  end_cycle();
  EXPECT_FALSE(queues_->resume_valid_o);
  expect_next(run(make(Opcode::kSend, 1), Status::kOk), false);
  expect_next(make(Opcode::kPut, 2), true);
}

TEST_F(HeldQueues, TakeAQueueBackOnceMoreIfOneIsDroppedJustThen) {
  hold(make(Opcode::kSend, 1), make(Opcode::kPut, 2));
  offer(make(Opcode::kPut, 3));
  end_cycle();
  end_cycle();
  queues_->resume_ready_i = 1;
  offer(make(Opcode::kPut, 4));
  end_cycle();
  EXPECT_FALSE(queues_->resume_valid_o);
  end_cycle();
  EXPECT_TRUE(queues_->resume_valid_o);
  EXPECT_EQ(sample_record<Place>(queues_->resume_place_o), place_of(make(Opcode::kPut, 3)));
  end_cycle();
  EXPECT_FALSE(queues_->resume_valid_o);
}

TEST_F(HeldQueues, LetTheOneBehindASilentWaitRetireBoth) {
  hold(make(Opcode::kWait, 1, kQueue, false), make(Opcode::kPut, 2));
  drive_bits(queues_->finish_i, bit(kQueue));
  end_cycle();
  expect_next(make(Opcode::kPut, 2), true);
  end_cycle();
  expect_nothing_out();
}

TEST_F(HeldQueues, ReportASilentWaitThatFailed) {
  const auto wait = make(Opcode::kWait, 1, kQueue, false);
  for (unsigned number = 1; number < 256; ++number) {
    SCOPED_TRACE(number);
    hold(wait, make(Opcode::kPut, 2));
    finish(static_cast<Status>(number));
    end_cycle();
    expect_next(run(wait, static_cast<Status>(number)), false);
    expect_next(make(Opcode::kPut, 2), true);
  }
}

TEST_F(HeldQueues, LetASilentWaitGoItselfBeforeWhatHoldsAlone) {
  const auto wait = make(Opcode::kWait, 1, kQueue, false);
  for (unsigned number = 0; number < 256; ++number) {
    SCOPED_TRACE(number);
    const auto opcode = static_cast<Opcode>(number);
    hold(wait, make(opcode, 2));
    drive_bits(queues_->finish_i, bit(kQueue));
    end_cycle();
    if (HeldQueuesModel::may_hold(opcode)) expect_next(run(wait, Status::kOk), false);
    expect_next(make(opcode, 2), true);
    expect_nothing_out();
  }
}

TEST_F(HeldQueues, LetASendGoAgainAndTheOneBehindItFollow) {
  hold(make(Opcode::kSend, 1), make(Opcode::kSend, 2));
  drive_bits(queues_->may_ahead_i, bit(kQueue));
  const auto first = make(Opcode::kSend, 1).set<f::again>(1);
  const auto second = make(Opcode::kSend, 2).set<f::again>(1).set<f::ahead>(1);
  queues_.settle();
  expect_next(second, false);
  end_cycle();
  expect_nothing_out();
  go_again();
  end_cycle();
  expect_next(first, false);
  expect_next(second, false);
  EXPECT_EQ(bits_of(queues_->held_o), bit(kQueue));
}

// Of two queues that differ in one bit, each first.
TEST_F(HeldQueues, LetASendGoAgainWithoutThatOfAnotherQueue) {
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    for (unsigned other = 1; other < kProfile.injection_queues; other *= 2) {
      if ((queue & other) != 0) continue;
      const unsigned above = queue + other;
      SCOPED_TRACE(above);
      for (const unsigned held : {queue, above}) {
        take(make(Opcode::kSend, 1, held));
        end_cycle();
      }
      for (const std::vector<unsigned>& turns :
           {std::vector{queue}, std::vector{above, queue}, std::vector{queue, above}}) {
        queues_->out_ready_i = 0;
        for (const unsigned again : turns) {
          go_again(again);
          end_cycle();
        }
        queues_->out_ready_i = 1;
        queues_.settle();
        auto left = let_go();
        ASSERT_EQ(left, turns);
      }
      for (const unsigned held : {queue, above}) {
        finish(Status::kOk, held);
        end_cycle();
        let_go();
      }
    }
  }
}

TEST_F(HeldQueues, MarkTheKeptOneThatIsUnderWayAndReleaseTheQueueTwice) {
  hold(make(Opcode::kReceive, 1), make(Opcode::kReceive, 2));
  drive_bits(queues_->under_way_i, bit(kQueue));
  finish(Status::kOk);
  end_cycle();
  expect_next(run(make(Opcode::kReceive, 1), Status::kOk), true);
  expect_next(make(Opcode::kReceive, 2).set<f::ahead>(1), true);
}

TEST_F(HeldQueues, LetAFenceGoAheadOfTheEndOfASendAlone) {
  drive_bits(queues_->may_ahead_i, ~PortBits());
  drive_bits(queues_->fence_ahead_i, ~PortBits());
  hold(make(Opcode::kFence, 1), make(Opcode::kFence, 2));
  end_cycle();
  expect_nothing_out();
  finish(Status::kOk);
  end_cycle();
  let_go();
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    take(make(Opcode::kSend, 1, queue));
    end_cycle();
    offer(make(Opcode::kFence, 2, queue));
    end_cycle();
    expect_next(make(Opcode::kFence, 2, queue).set<f::again>(1).set<f::ahead>(1), false);
  }
}

TEST_F(HeldQueues, EndOneThatIsFinishedAsItWouldGoAgain) {
  hold(make(Opcode::kSend, 1), make(Opcode::kPut, 2));
  go_again();
  end_cycle();
  finish(Status::kRetryExceeded);
  expect_next(run(make(Opcode::kSend, 1), Status::kRetryExceeded), false);
  expect_next(make(Opcode::kPut, 2), true);
}

TEST_F(HeldQueues, FlushWhatIsKeptAndWhatStoodBehindIt) {
  const auto flushed = [](unsigned index) {
    return run(make(Opcode::kPut, index, kQueue, false), Status::kFlushed);
  };
  hold(make(Opcode::kSend, 1), make(Opcode::kPut, 2));
  queues_->flush_i = 1;
  queues_->flush_queue_i = kQueue;
  finish(Status::kFlushed);
  end_cycle();
  expect_next(run(make(Opcode::kSend, 1), Status::kFlushed), false);
  expect_next(flushed(2), true);
  offer(make(Opcode::kPut, 3));
  expect_out(flushed(3));
  end_cycle();
  offer(make(Opcode::kPut, 1, kOther));
  expect_out(make(Opcode::kPut, 1, kOther));
  end_cycle();
  EXPECT_TRUE(queues_->busy_o) << "until the queue is configured";
  queues_->flush_i = 0;
  end_cycle();
  EXPECT_FALSE(queues_->busy_o);
  offer(make(Opcode::kPut, 3));
  expect_out(make(Opcode::kPut, 3));
}

TEST_F(HeldQueues, FlushNothingThatComesOfAQueueThatHoldsNothing) {
  queues_->flush_i = 1;
  queues_->flush_queue_i = kQueue;
  for (unsigned index = 1; index < 3; ++index) {
    offer(make(Opcode::kPut, index));
    expect_out(make(Opcode::kPut, index));
    end_cycle();
  }
}

TEST_F(HeldQueues, TakeTurnsBetweenWhatTheyLetGoAndWhatComes) {
  for (unsigned queue : {kQueue, kOther}) {
    take(make(Opcode::kSend, 1, queue));
    end_cycle();
    finish(Status::kOk, queue);
    end_cycle();
  }
  // That of kQueue was chosen as it was finished, and has gone out; that of kOther goes next.
  offer(make(Opcode::kPut, 1, 9));
  expect_out(make(Opcode::kPut, 1, 9));
  end_cycle();
  offer(make(Opcode::kPut, 2, 9));
  expect_out(run(make(Opcode::kSend, 1, kOther), Status::kOk));
  EXPECT_FALSE(queues_->in_ready_o);
}

TEST_F(HeldQueues, LetWhatEndsAtOnceGoInOrderFromTheFirstQueueOn) {
  const auto wait = [](unsigned queue) { return make(Opcode::kWait, 1, queue); };
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    take(wait(queue));
    end_cycle();
  }
  drive_bits(queues_->finish_i, ~PortBits());
  end_cycle();
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    end_cycle();
    expect_out(run(wait(queue), Status::kOk));
    end_cycle();
  }
  expect_nothing_out();
}

TEST_F(HeldQueues, ShowWhatIsHeldFromTheCycleAfterOneAsks) {
  take(make(Opcode::kCalc, 1));
  end_cycle();
  take(make(Opcode::kPipe, 2, kOther));
  end_cycle();
  queues_->view_0_queue_i = kQueue;
  queues_->view_1_queue_i = kOther;
  queues_->view_0_read_i = queues_->view_1_read_i = 1;
  end_cycle();
  queues_->view_0_read_i = queues_->view_1_read_i = 0;
  queues_->view_0_queue_i = kOther;
  queues_->view_1_queue_i = kQueue;
  end_cycle();
  EXPECT_EQ(sample_record<Fetched>(queues_->view_0_data_o), make(Opcode::kCalc, 1));
  EXPECT_EQ(sample_record<Fetched>(queues_->view_1_data_o), make(Opcode::kPipe, 2, kOther));
}

TEST_F(HeldQueues, AssertThatOnlyWhatIsHeldEnds) {
  finish(Status::kOk);
  EXPECT_THROW(end_cycle(), std::runtime_error);
}

TEST_F(HeldQueues, AssertThatOnlyAFreeQueueIsTaken) {
  take(make(Opcode::kWait, 1));
  end_cycle();
  take(make(Opcode::kWait, 2));
  EXPECT_THROW(end_cycle(), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
