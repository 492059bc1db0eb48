// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/outstanding_requests_bench.h"
#include "tests/support/port_bits.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;

using OutstandingSends = OutstandingRequestsBench;

TEST_F(OutstandingSends, EndsASendThatIsAcknowledgedAndNumbersTheNext) {
  for (std::uint32_t n = 0; n < 5; ++n) {
    begin(7);
    EXPECT_EQ(number(7), n);
    answer(make(7, n, Status::kOk));
    const auto ended = end();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->get<layout::queue_end::queue>(), 7U);
    EXPECT_EQ(ended->get<layout::queue_end::status>(), Status::kOk);
  }
  begin(8);
  EXPECT_EQ(number(8), 0U) << "each queue has numbers of its own";
}

TEST_F(OutstandingSends, TakesNoAnswerThatIsNotForTheOpenSend) {
  begin(3);
  answer(make(3, 1, Status::kOk));
  answer(make(4, 0, Status::kOk));
  answer(make(200, 0, Status::kOk));
  answer(make(3, 0, Status::kOk, kNode ^ 1));
  EXPECT_FALSE(end());
  answer(make(3, 0, Status::kOk));
  EXPECT_TRUE(end());
  answer(make(3, 0, Status::kOk));
  EXPECT_FALSE(end()) << "it has ended";
}

TEST_F(OutstandingSends, SendsARefusedOneAgainAtTheNextTick) {
  begin(5);
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_FALSE(end());
  EXPECT_EQ(tick(), 5U);
  answer(make(5, 0, Status::kOk));
  EXPECT_TRUE(end());
  begin(5);
  EXPECT_EQ(number(5), 1U);
}

TEST_F(OutstandingSends, SendsThatOfAnyQueueAgain) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    begin(queue);
    answer(make(queue, 0, Status::kReceiveDisabled));
    EXPECT_EQ(tick(), queue);
    answer(make(queue, 0, Status::kOk));
    EXPECT_TRUE(end());
  }
}

// A copy that is chosen already may leave after the acknowledgement of the one before.
TEST_F(OutstandingSends, KeepsTheNumberOfALateCopy) {
  begin(5);
  answer(make(5, 0, Status::kOk));
  EXPECT_TRUE(end());
  EXPECT_EQ(number(5), 0U);
}

TEST_F(OutstandingSends, CountsNoTicksWhileTheSendIsStillGoingOut) {
  begin(5, false);
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(tick());
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_FALSE(tick());
  leave(5);
  EXPECT_EQ(tick(), 5U);
}

TEST_F(OutstandingSends, BreaksTheQueueOfASendThatIsRefusedAfterItWentOutUnanswered) {
  begin(5);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
  answer(make(5, 0, Status::kLengthTooLong));
  EXPECT_TRUE(end());
  EXPECT_TRUE(broken(5)) << "the first copy may have been taken";
}

TEST_F(OutstandingSends, BreaksTheQueueOfASendThatFailedHalfSent) {
  begin(5);
  failure(make(5, 0, Status::kMemoryError, 1));
  EXPECT_TRUE(end());
  EXPECT_TRUE(broken(5));
  for (unsigned more = kQueues; more < 256; more *= 2) EXPECT_FALSE(broken(5 + more)) << more;
}

TEST_F(OutstandingSends, SendsOneWithoutAnAnswerAgainAtTheEighthTick) {
  begin(5);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
}

TEST_F(OutstandingSends, GivesUpAfterAllRetriesAndBreaksTheQueue) {
  begin(9);
  for (int i = 0; i < 3; ++i) {
    answer(make(9, 0, Status::kReceiveDisabled));
    EXPECT_EQ(tick(), 9U);
  }
  answer(make(9, 0, Status::kReceiveDisabled));
  EXPECT_FALSE(broken(9));
  dut_->end_ready_i = 0;
  EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  const auto ended = end();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->get<layout::queue_end::status>(), Status::kRetryExceeded);
  EXPECT_TRUE(broken(9));
  configure(9);
  EXPECT_FALSE(broken(9));
}

TEST_F(OutstandingSends, EndsWithAnyOtherStatusAndUsesTheNumberAgain) {
  begin(1);
  answer(make(1, 0, Status::kOk));
  EXPECT_TRUE(end());
  begin(1);
  answer(make(1, 1, Status::kLengthTooLong));
  auto ended = end();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->get<layout::queue_end::status>(), Status::kLengthTooLong);
  begin(1);
  EXPECT_EQ(number(1), 1U);
  failure(make(1, 0, Status::kMemoryError, 0));
  EXPECT_FALSE(end()) << "a failure of the SEND before";
  failure(make(1, 1, Status::kMemoryError, 0));
  ended = end();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->get<layout::queue_end::status>(), Status::kMemoryError);
}

TEST_F(OutstandingSends, ForgetsASendThatIsCancelledAndNumbersAnewOnceConfigured) {
  begin(2);
  answer(make(2, 0, Status::kOk));
  EXPECT_TRUE(end());
  begin(2);
  cancel(2);
  EXPECT_EQ(bits_of(dut_->may_ahead_o), 0U);
  answer(make(2, 1, Status::kOk));
  EXPECT_FALSE(end());
  begin(2);
  EXPECT_EQ(number(2), 1U);
  configure(2);
  begin(2);
  EXPECT_EQ(number(2), 0U);
}

TEST_F(OutstandingSends, SleepsBetweenTicks) {
  EXPECT_EQ(dut_->wake_at_o, kNever);
  dut_->now_i = 1000;
  begin(2);
  dut_.tick();
  EXPECT_FALSE(dut_->busy_o);
  EXPECT_EQ(dut_->wake_at_o, 1000 + kRetryCycles);
  answer(make(2, 0, Status::kOk));
  EXPECT_TRUE(end());
  tick();
  EXPECT_EQ(dut_->wake_at_o, kNever);
}

// --- a SEND that goes ahead: the second of its queue ------------------------------------------

TEST_F(OutstandingSends, LetsTheNextGoAheadOnceAllOfTheFirstHasLeft) {
  EXPECT_FALSE(may_ahead(5)) << "there is none";
  begin(5, false);
  EXPECT_FALSE(may_ahead(5));
  leave(5);
  EXPECT_TRUE(may_ahead(5));
  EXPECT_EQ(go_ahead(5), 1U);
  EXPECT_EQ(number(5), 0U) << "the first keeps its own";
  EXPECT_EQ(bits_of(dut_->under_way_o), bit(5));
}

TEST_F(OutstandingSends, DoesNotTakeTheLastPacketOfTheSecondForThatOfTheFirst) {
  begin(5, false);
  dut_->number_ahead_i = 1;
  leave(5);
  dut_->number_ahead_i = 0;
  EXPECT_FALSE(may_ahead(5));
  leave(5);
  EXPECT_TRUE(may_ahead(5));
}

TEST_F(OutstandingSends, LetsNoneGoAheadOfOneThatIsRefusedOrHasEnded) {
  begin(5);
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_FALSE(may_ahead(5)) << "it goes out again first";
  EXPECT_EQ(tick(), 5U);
  EXPECT_TRUE(may_ahead(5));
  dut_->end_ready_i = 0;
  answer(make(5, 0, Status::kOk));
  EXPECT_FALSE(may_ahead(5));
}

TEST_F(OutstandingSends, LetsNoneGoAheadOfOneThatIsToBeCancelled) {
  begin(5);
  begin(6);
  dut_->cancel_i = 1;
  dut_->configure_queue_i = 5;
  dut_.tick();
  dut_->cancel_i = 0;
  dut_->number_queue_i = 5;
  dut_.settle();
  EXPECT_TRUE(may_ahead(5));
  EXPECT_FALSE(dut_->ahead_good_o);
  dut_->number_queue_i = 6;
  dut_.settle();
  EXPECT_TRUE(dut_->ahead_good_o);
}

TEST_F(OutstandingSends, ShowsNoEndOfOneThatIsToBeCancelled) {
  dut_->end_ready_i = 0;
  begin(5);
  answer(make(5, 0, Status::kOk));
  EXPECT_TRUE(dut_->end_valid_o);
  cancel(6);
  EXPECT_TRUE(dut_->end_valid_o);
  dut_->cancel_i = 1;
  dut_->configure_queue_i = 5;
  dut_.tick();
  dut_->cancel_i = 0;
  begin(6);  // goes first
  EXPECT_FALSE(dut_->end_valid_o);
  dut_->end_ready_i = 1;
  EXPECT_FALSE(end());
}

TEST_F(OutstandingSends, AsksForNoneAgainThatEndsOrIsToBeCancelled) {
  dut_->again_ready_i = 0;
  for (const bool ends : {false, true}) {
    configure(5);
    begin(5);
    answer(make(5, 0, Status::kReceiveDisabled));
    EXPECT_EQ(tick(), 5U);
    EXPECT_TRUE(dut_->again_valid_o);
    if (ends) {
      answer(make(5, 0, Status::kOk));
    } else {
      cancel(5);
    }
    EXPECT_FALSE(dut_->again_valid_o);
  }
}

// The packetiser's report goes first in each cycle.
TEST_F(OutstandingSends, KeepsAnAnswerAndAFailureWhileOthersAreServed) {
  begin(1);
  begin(2);
  begin(3, false);
  dut_->answer_valid_i = 1;
  drive(dut_->answer_i, make(1, 0, Status::kOk));
  drive(dut_->failure_i, outcome(make(2, 0, Status::kMemoryError, 0), true));
  dut_->left_i = 1, dut_->number_queue_i = 3;
  dut_.tick();
  dut_->answer_valid_i = dut_->left_i = 0;
  drive(dut_->failure_i, outcome({}, false));
  begin(4, false);
  expect_end(1, Status::kOk);
  expect_end(2, Status::kMemoryError);
}

TEST_F(OutstandingSends, EndsTheSecondWhenItStandsFirst) {
  begin(5);
  answer(make(5, 1, Status::kOk));  // it has not gone out yet
  go_ahead(5);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  EXPECT_EQ(number(5), 1U);
  EXPECT_TRUE(may_ahead(5)) << "all of it has left";
  EXPECT_EQ(go_ahead(5), 2U);
  answer(make(5, 1, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  answer(make(5, 2, Status::kOk));
  expect_end(5, Status::kOk);
  begin(5);
  EXPECT_EQ(number(5), 3U);
}

TEST_F(OutstandingSends, KeepsTheAcknowledgementOfTheSecondUntilItStandsFirst) {
  begin(5);
  go_ahead(5);
  answer(make(5, 1, Status::kOk));
  EXPECT_FALSE(end());
  EXPECT_FALSE(may_ahead(5)) << "it needs not go out again";
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  expect_end(5, Status::kOk);
  begin(5);
  EXPECT_EQ(number(5), 2U);
}

TEST_F(OutstandingSends, TakesAnAnswerOfTheSecondAsItComesToStandFirst) {
  for (const Status status : {Status::kOk, Status::kCounterInvalid, Status::kReceiveDisabled}) {
    configure(5);
    begin(5);
    go_ahead(5);
    answer(make(5, 0, Status::kOk));
    expect_end(5, Status::kOk);
    drive(dut_->answer_i, make(5, 1, status));
    dut_->answer_valid_i = 1;
    begin_second(5);
    dut_->answer_valid_i = 0;
    dut_.tick();  // it was there for one cycle
    if (status == Status::kReceiveDisabled) {
      EXPECT_FALSE(end());
      EXPECT_EQ(tick(), 5U);
      answer(make(5, 1, Status::kOk));
    }
    (void)end();
    begin(5);
    EXPECT_EQ(number(5), status == Status::kCounterInvalid ? 1U : 2U);
    cancel(5);
  }
}

TEST_F(OutstandingSends, TakesNoAnswerOfAnotherQueueForTheSecondThatComesToStandFirst) {
  dut_->retries_i = 0;
  begin(5);
  go_ahead(5);
  begin(6);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  drive(dut_->answer_i, make(6, 0, Status::kOk));
  dut_->answer_valid_i = 1;
  begin_second(5);
  dut_->answer_valid_i = 0;
  expect_end(6, Status::kOk);
  go_ahead(5);
  dut_->end_ready_i = 0;
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  expect_end(5, Status::kRetryExceeded);
  EXPECT_FALSE(is_second(5)) << "the number of the first is not used up";
}

TEST_F(OutstandingSends, TakesNoAnswerOfAnotherSecondForThatWhichComesToStandFirst) {
  for (unsigned bit = 1; bit < kQueues; bit *= 2) {
    const unsigned other = 5 ^ bit;
    for (const unsigned queue : {5U, other}) {
      configure(queue);
      begin(queue);
      go_ahead(queue);
    }
    answer(make(5, 0, Status::kOk));
    expect_end(5, Status::kOk);
    drive(dut_->answer_i, make(other, 1, Status::kOk));
    dut_->answer_valid_i = 1;
    begin_second(5);
    dut_->answer_valid_i = 0;
    dut_.tick();
    EXPECT_FALSE(end()) << "the second of 5 is open, and so is the first of " << other;
    answer(make(5, 1, Status::kOk));
    expect_end(5, Status::kOk);
    answer(make(other, 0, Status::kOk));
    expect_end(other, Status::kOk);
    begin_second(other);
    expect_end(other, Status::kOk);
  }
}

TEST_F(OutstandingSends, SendsARefusedSecondAgainWhenItStandsFirst) {
  begin(5);
  go_ahead(5);
  answer(make(5, 1, Status::kReceiveDisabled));
  EXPECT_FALSE(tick());
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  EXPECT_FALSE(may_ahead(5));
  EXPECT_EQ(tick(), 5U);
  EXPECT_EQ(number(5), 1U);
  EXPECT_TRUE(may_ahead(5));
}

TEST_F(OutstandingSends, LetsTheSecondFollowAFirstThatWentOutAgain) {
  begin(5);
  go_ahead(5);
  answer(make(5, 0, Status::kReceiveDisabled));
  answer(make(5, 1, Status::kReceiveDisabled));
  EXPECT_EQ(tick(), 5U);
  EXPECT_EQ(go_ahead(5), 1U);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  EXPECT_FALSE(tick()) << "it was refused before it went out again";
  answer(make(5, 1, Status::kOk));
  expect_end(5, Status::kOk);
}

TEST_F(OutstandingSends, SendsTheSecondAtOnceThatDidNotFollowAFirstThatWentOutAgain) {
  begin(5);
  go_ahead(5);
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_EQ(tick(), 5U);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  dut_->again_ready_i = 0;
  begin_second(5);
  EXPECT_TRUE(goes_again(5));
}

TEST_F(OutstandingSends, CountsTheTicksOfASecondFromWhenItStandsFirst) {
  begin(5);
  go_ahead(5);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(tick());
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
}

TEST_F(OutstandingSends, GivesTheNumberOfAFirstThatFailedToTheNext) {
  begin(5);
  go_ahead(5);
  answer(make(5, 0, Status::kLengthTooLong));
  expect_end(5, Status::kLengthTooLong);
  EXPECT_FALSE(is_second(5)) << "it goes out once more, with another number";
  EXPECT_FALSE(broken(5));
  begin(5);
  EXPECT_EQ(number(5), 0U);
  answer(make(5, 1, Status::kOk));
  EXPECT_FALSE(end()) << "of the copy that went ahead";
  EXPECT_EQ(go_ahead(5), 1U);
  failure(make(5, 0, Status::kMemoryError, 0));
  expect_end(5, Status::kMemoryError);
  EXPECT_FALSE(is_second(5)) << "nor if its source could not be read";
}

TEST_F(OutstandingSends, UsesUpTheNumberOfAFirstThatThePeerCouldNotStore) {
  begin(5);
  go_ahead(5);
  answer(make(5, 0, Status::kMemoryError));
  expect_end(5, Status::kMemoryError);
  EXPECT_FALSE(broken(5));
  begin_second(5);
  EXPECT_EQ(number(5), 1U);
  answer(make(5, 1, Status::kMemoryError));
  expect_end(5, Status::kMemoryError);
  begin(5);
  EXPECT_EQ(number(5), 2U);
}

TEST_F(OutstandingSends, EndsASecondThatFailedOnceItStandsFirst) {
  begin(5);
  go_ahead(5);
  answer(make(5, 1, Status::kCounterInvalid));
  EXPECT_FALSE(end());
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  expect_end(5, Status::kCounterInvalid);
  EXPECT_FALSE(broken(5));
  begin(5);
  EXPECT_EQ(number(5), 1U);
}

TEST_F(OutstandingSends, BreaksTheQueueOfASecondThatFailedHalfSent) {
  begin(5);
  go_ahead(5);
  failure(make(5, 1, Status::kMemoryError, 1));
  EXPECT_FALSE(broken(5)) << "the first may still end well";
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  EXPECT_TRUE(broken(5));
  expect_end(5, Status::kMemoryError);
}

// The first of its copies may have been taken, and its acknowledgement may be lost.
TEST_F(OutstandingSends, DoubtsASecondThatWentOutAgainBehindAnUnansweredFirst) {
  begin(5);
  go_ahead(5);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
  go_ahead(5);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  answer(make(5, 1, Status::kCounterInvalid));
  expect_end(5, Status::kCounterInvalid);
  EXPECT_TRUE(broken(5));
}

TEST_F(OutstandingSends, DoesNotDoubtASecondThatWasRefusedBeforeItWentOutAgain) {
  begin(5);
  go_ahead(5);
  answer(make(5, 1, Status::kReceiveDisabled));
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
  go_ahead(5);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin_second(5);
  answer(make(5, 1, Status::kCounterInvalid));
  expect_end(5, Status::kCounterInvalid);
  EXPECT_FALSE(broken(5));
}

TEST_F(OutstandingSends, GivesUpTheSecondWithAFirstThatHadAllItsRetries) {
  dut_->retries_i = 1;
  begin(5);
  go_ahead(5);
  for (int i = 0; i < 8; ++i) tick();
  go_ahead(5);
  for (int i = 0; i < 7; ++i) tick();
  dut_->end_ready_i = 0;
  tick();
  dut_->end_ready_i = 1;
  expect_end(5, Status::kRetryExceeded);
  EXPECT_TRUE(broken(5));
  EXPECT_FALSE(is_second(5));
}

TEST_F(OutstandingSends, CancelsBoth) {
  begin(5);
  go_ahead(5);
  answer(make(5, 1, Status::kOk));
  cancel(5);
  EXPECT_FALSE(is_second(5));
  EXPECT_FALSE(may_ahead(5));
  answer(make(5, 0, Status::kOk));
  EXPECT_FALSE(end());
  configure(5);
  begin(5);
  EXPECT_EQ(number(5), 0U);
  EXPECT_FALSE(end()) << "what was told of the second is forgotten";
}

TEST_F(OutstandingSends, KeepsTheSecondsOfQueuesApart) {
  for (const unsigned queue : {0U, 13U, kQueues - 1}) {
    begin(queue);
    go_ahead(queue);
  }
  EXPECT_EQ(bits_of(dut_->under_way_o), bit(kQueues - 1) | bit(13) | bit(0));
  answer(make(13, 1, Status::kOk));
  answer(make(0, 1, Status::kReceiveDisabled));
  for (const unsigned queue : {kQueues - 1, 13U, 0U}) {
    answer(make(queue, 0, Status::kOk));
    expect_end(queue, Status::kOk);
    begin_second(queue);
    if (queue == 13) expect_end(queue, Status::kOk);
    EXPECT_FALSE(end());
  }
  EXPECT_EQ(tick(), 0U);
  for (const unsigned queue : {0U, kQueues - 1}) {
    answer(make(queue, 1, Status::kOk));
    expect_end(queue, Status::kOk);
  }
}

// Only then nothing tells whether the first of its copies was taken.
TEST_F(OutstandingSends, DoubtsASecondOfAnyQueueIfNeitherItNorTheFirstWasRefused) {
  for (unsigned n = 0; n < kQueues * 8; ++n) {
    const unsigned queue = n / 8;
    const bool first_refused = n & 1, second_refused = n & 2, follows = n & 4;
    SCOPED_TRACE(n);
    begin(queue);
    go_ahead(queue);
    if (second_refused) answer(make(queue, 1, Status::kReceiveDisabled));
    if (first_refused) answer(make(queue, 0, Status::kReceiveDisabled));
    for (int i = 0; i < (first_refused ? 0 : 7); ++i) EXPECT_FALSE(tick());
    EXPECT_EQ(tick(), queue);
    if (follows) go_ahead(queue);
    answer(make(queue, 0, Status::kOk));
    expect_end(queue, Status::kOk);
    begin_second(queue);
    if (!follows) {
      EXPECT_TRUE(goes_again(queue));
      dut_.tick();
      leave(queue);
    }
    answer(make(queue, 1, Status::kCounterInvalid));
    expect_end(queue, Status::kCounterInvalid);
    EXPECT_EQ(broken(queue), !first_refused && !second_refused);
    configure(queue);
  }
}

}  // namespace
}  // namespace torusmu::testing
