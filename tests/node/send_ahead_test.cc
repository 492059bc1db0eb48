// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for a SEND that goes ahead, behind one that is not acknowledged,
// one by one, on the reference model and on the node. The test makes the answers of the other end.
#include <gtest/gtest.h>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;

class SendAhead : public QueuePairTest {
 protected:
  // Longer than all that a test does before the tick of it is due.
  static constexpr Cycles kRetry = 1 << 18;
  static constexpr Cycles kRoom = 5000;

  // SEND i has word i.
  static Descriptor numbered(std::uint32_t i, Bytes length = 100) {
    return send_descriptor(source(i, length), i);
  }
  // So many with one doorbell.
  void post_sends(std::uint32_t count, bool signal = false) {
    for (std::uint32_t i = 0; i < count; ++i) {
      write(kSend, numbered(i).set<d::signal>(signal ? 1 : 0));
    }
    ring(kSend);
  }
  void answer_well(std::uint32_t number) { deliver(acknowledgement(number)); }
  void tick() { pass(kRetry + kRoom); }
  std::uint64_t errors() { return queue_state(device(), kSend).count; }
};

// --- what goes ahead ----------------------------------------------------------------------------

TEST_P(SendAhead, LeavesBeforeTheFirstIsAcknowledged) {
  open_send();
  post_sends(2);
  EXPECT_EQ(sends(settle("both")), (Sends{{0, 0}, {1, 1}}));
  EXPECT_EQ(head(kSend), 0U);
  answer_well(0);
  answer_well(1);
  EXPECT_TRUE(settle("acknowledged").empty());
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(SendAhead, LeavesBehindAllOfTheFirst) {
  open_send();
  write(kSend, numbered(0, 1100));
  write(kSend, numbered(1, 600));
  ring(kSend);
  EXPECT_EQ(sends(settle("both")), (Sends{{0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}));
}

TEST_P(SendAhead, LeavesWhenItIsPostedLater) {
  open_send();
  post(kSend, numbered(0));
  EXPECT_EQ(sends(settle("the first")), (Sends{{0, 0}}));
  post(kSend, numbered(1));
  EXPECT_EQ(sends(settle("the second")), (Sends{{1, 1}}));
}

TEST_P(SendAhead, LeavesTheThirdBehindUntilTheFirstIsAcknowledged) {
  open_send();
  post_sends(4);
  EXPECT_EQ(sends(settle("two")), (Sends{{0, 0}, {1, 1}}));
  answer_well(0);
  EXPECT_EQ(sends(settle("the third")), (Sends{{2, 2}}));
  EXPECT_EQ(head(kSend), 1U);
  answer_well(1);
  EXPECT_EQ(sends(settle("the fourth")), (Sends{{3, 3}}));
  answer_well(2);
  answer_well(3);
  settle("all");
  EXPECT_EQ(head(kSend), 4U);
}

TEST_P(SendAhead, StandsDirectlyBehindTheFirst) {
  open_send();
  write(kSend, numbered(0));
  write(kSend, Descriptor());
  write(kSend, numbered(2));
  ring(kSend);
  EXPECT_EQ(sends(settle("a NOP between")), (Sends{{0, 0}}));
  answer_well(0);
  EXPECT_EQ(sends(settle("acknowledged")), (Sends{{1, 2}}));
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(SendAhead, DoesNotExistInAQueueThatHaltsOnErrors) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.halt_on_error = true});
  post_sends(2);
  EXPECT_EQ(sends(settle("one")), (Sends{{0, 0}}));
  answer_well(0);
  EXPECT_EQ(sends(settle("the other")), (Sends{{1, 1}}));
}

TEST_P(SendAhead, LeavesOnlyWhenItIsEnabled) {
  const Descriptor enable_one = enable_receives(kSend, 1).set<d::opcode>(Opcode::kSendEn);
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.managed = true});
  post_sends(2);
  EXPECT_TRUE(settle("none is enabled").empty());
  run_now(enable_one);
  EXPECT_EQ(sends(settle("one")), (Sends{{0, 0}}));
  run_now(enable_one);
  EXPECT_EQ(sends(settle("two")), (Sends{{1, 1}}));
}

TEST_P(SendAhead, LeavesInACyclicQueueToo) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.cyclic = true}, 2);
  post_sends(2);
  EXPECT_EQ(sends(settle("a lap")), (Sends{{0, 0}, {1, 1}}));
  answer_well(0);
  EXPECT_EQ(sends(settle("the next lap")), (Sends{{2, 0}}));
  answer_well(1);
  EXPECT_EQ(sends(settle("and the next")), (Sends{{3, 1}}));
}

TEST_P(SendAhead, DoesNotLeaveIfItFailsItsCheckAndIsJudgedWhenItStandsFirst) {
  open_send();
  write(kSend, numbered(0));
  write(kSend, send_descriptor({kClosedRegion, 0, 8}, 1));
  write(kSend, numbered(2));
  ring(kSend);
  EXPECT_EQ(sends(settle("the first alone")), (Sends{{0, 0}}));
  EXPECT_EQ(errors(), 0U);
  answer_well(0);
  EXPECT_EQ(sends(settle("the third")), (Sends{{1, 2}}));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kRegionInvalid);
}

// --- it is done in its turn ---------------------------------------------------------------------

TEST_P(SendAhead, AcknowledgedBeforeTheFirstIsDoneBehindIt) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  post_sends(2, true);
  settle("both");
  answer_well(1);
  EXPECT_TRUE(settle("the second").empty());
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  answer_well(0);
  settle("the first");
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(entry(0).get<e::index>(), 0U);
  EXPECT_EQ(entry(1).get<e::index>(), 1U);
  EXPECT_EQ(entry(1).get<e::word>(), 1U);
}

TEST_P(SendAhead, RefusedForGoodEndsWhenItStandsFirst) {
  open_send();
  post_sends(3);
  settle("two");
  deliver(refusal(1, Status::kLengthTooLong));
  EXPECT_TRUE(settle("the second").empty());
  EXPECT_EQ(errors(), 0U);
  answer_well(0);
  EXPECT_EQ(sends(settle("its number is used again")), (Sends{{1, 2}}));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kLengthTooLong);
}

TEST_P(SendAhead, WhoseSourceFailsEndsWhenItStandsFirst) {
  open_send();
  write(kSend, numbered(0));
  write(kSend, send_descriptor({kHugeRegion, Bytes{1} << 30, 100}, 1));
  write(kSend, numbered(2));
  ring(kSend);
  EXPECT_EQ(sends(settle("the first")), (Sends{{0, 0}}));
  EXPECT_EQ(errors(), 0U);
  answer_well(0);
  EXPECT_EQ(sends(settle("the third")), (Sends{{1, 2}}));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
}

TEST_P(SendAhead, WhoseSourceFailsHalfWayIsTheLastOfItsQueue) {
  open_send();
  const Address in_memory = device().memory_size() - kSim.payload_bytes;
  write(kSend, numbered(0));
  write(kSend, send_descriptor({kHugeRegion, in_memory, 2 * kSim.payload_bytes}, 1));
  write(kSend, numbered(2));
  ring(kSend);
  EXPECT_EQ(sends(settle("half of the second")), (Sends{{0, 0}, {1, 1}}));
  answer_well(0);
  EXPECT_TRUE(settle("acknowledged").empty());
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  EXPECT_EQ(errors(), 2U);
}

TEST_P(SendAhead, TakesNoAnswerOfAnotherNode) {
  open_send();
  post_sends(2);
  settle("both");
  Packet stranger = acknowledgement(1);
  stranger.header.set<layout::packet_header::src_x>(kStranger.x);
  deliver(stranger);
  answer_well(0);
  settle("a stranger's");
  EXPECT_EQ(head(kSend), 1U);
}

// --- the first is refused, or not answered ------------------------------------------------------

TEST_P(SendAhead, FollowsTheFirstThatGoesOutAgain) {
  open_send();
  retry_after(kRetry);
  post_sends(2);
  settle("both");
  deliver(refusal(0, Status::kReceiveDisabled));
  EXPECT_TRUE(settle("refused").empty());
  tick();
  EXPECT_EQ(sends(settle("both again")), (Sends{{0, 0}, {1, 1}}));
  answer_well(0);
  answer_well(1);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(errors(), 0U);
}

TEST_P(SendAhead, DoesNotLeaveBehindOneThatIsRefusedUntilThatGoesOutAgain) {
  open_send();
  retry_after(kRetry);
  post(kSend, numbered(0));
  settle("the first");
  deliver(refusal(0, Status::kReceiveDisabled));
  post(kSend, numbered(1));
  EXPECT_TRUE(settle("the second").empty());
  tick();
  EXPECT_EQ(sends(settle("both")), (Sends{{0, 0}, {1, 1}}));
}

TEST_P(SendAhead, FollowsTheFirstThatIsNotAnswered) {
  open_send();
  constexpr Cycles kShort = 1 << 14;
  retry_after(kShort);
  post_sends(2);
  settle("both");
  pass(9 * kShort);
  EXPECT_EQ(sends(settle("both again")), (Sends{{0, 0}, {1, 1}}));
}

TEST_P(SendAhead, ThatIsAcknowledgedDoesNotGoOutAgain) {
  open_send();
  constexpr Cycles kShort = 1 << 14;
  retry_after(kShort);
  post_sends(2);
  settle("both");
  answer_well(1);
  pass(9 * kShort);
  EXPECT_EQ(sends(settle("the first again")), (Sends{{0, 0}}));
  answer_well(0);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(SendAhead, RefusedGoesOutAgainWhenItStandsFirst) {
  open_send();
  retry_after(kRetry);
  post_sends(2);
  settle("both");
  deliver(refusal(1, Status::kReceiveDisabled));
  tick();
  EXPECT_TRUE(settle("the first is not acknowledged").empty());
  answer_well(0);
  tick();
  EXPECT_EQ(sends(settle("the second again")), (Sends{{1, 1}}));
  answer_well(1);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(errors(), 0U);
}

TEST_P(SendAhead, HasAllItsRetriesWhenItStandsFirst) {
  open_send();
  retry_after(kRetry, 1);
  post_sends(2);
  settle("both");
  deliver(refusal(0, Status::kReceiveDisabled));
  tick();
  EXPECT_EQ(sends(settle("both again")), (Sends{{0, 0}, {1, 1}}));
  answer_well(0);
  deliver(refusal(1, Status::kReceiveDisabled));
  tick();
  EXPECT_EQ(sends(settle("the second once more")), (Sends{{1, 1}}));
  answer_well(1);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(errors(), 0U);
}

TEST_P(SendAhead, EndsBehindOneThatHasHadAllItsRetries) {
  open_send();
  constexpr Cycles kShort = 4096;
  retry_after(kShort, 1);
  post_sends(2);
  pass(40 * kShort);
  EXPECT_EQ(sends(settle("never answered")), (Sends{{0, 0}, {1, 1}, {0, 0}, {1, 1}}));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
  EXPECT_EQ(errors(), 2U);
}

// --- the first ends -----------------------------------------------------------------------------

TEST_P(SendAhead, GoesOutAgainWithTheNumberThatTheFirstHasNotUsed) {
  for (const Status refused : {Status::kLengthTooLong, Status::kPermission, Status::kQueueInvalid,
                               Status::kCounterInvalid}) {
    open_send();
    post_sends(3);
    EXPECT_EQ(sends(settle("two")), (Sends{{0, 0}, {1, 1}}));
    deliver(refusal(0, refused));
    EXPECT_EQ(sends(settle("the first is refused")), (Sends{{0, 1}, {1, 2}}));
    EXPECT_EQ(head(kSend), 1U);
    answer_well(0);
    answer_well(1);
    settle("acknowledged");
    EXPECT_EQ(head(kSend), 3U);
    EXPECT_EQ(status(kSend), refused);
    EXPECT_EQ(errors(), 1U);
    device().write64(registers::injection_queue::config(kSend.value), 0);
  }
}

TEST_P(SendAhead, TakesNoAnswerToTheNumberThatItHadBehindOneThatFailed) {
  open_send();
  post_sends(2);
  settle("both");
  deliver(refusal(0, Status::kLengthTooLong));
  settle("the second again");
  answer_well(1);
  settle("to the number it had");
  EXPECT_EQ(head(kSend), 1U);
  answer_well(0);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(SendAhead, OutlivesAMemoryErrorOfThePeerForTheFirst) {
  open_send();
  post_sends(3);
  settle("two");
  deliver(refusal(0, Status::kMemoryError));
  EXPECT_EQ(sends(settle("the third")), (Sends{{2, 2}}));
  EXPECT_EQ(head(kSend), 1U);
  answer_well(1);
  answer_well(2);
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  EXPECT_EQ(errors(), 1U);
}

TEST_P(SendAhead, MemoryErrorOfThePeerForItUsesItsNumberUp) {
  open_send();
  post_sends(3);
  settle("two");
  deliver(refusal(1, Status::kMemoryError));
  settle("the second");
  answer_well(0);
  EXPECT_EQ(sends(settle("the third")), (Sends{{2, 2}}));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
}

// --- who may still be taken ---------------------------------------------------------------------

TEST_P(SendAhead, SentAgainForWantOfAnAnswerToTheFirstIsTheLastOfItsQueueIfItFails) {
  open_send();
  constexpr Cycles kShort = 1 << 14;
  retry_after(kShort);
  post_sends(2);
  settle("both");
  pass(9 * kShort);
  EXPECT_EQ(settle("both again").size(), 2U);
  retry_after(kNever);
  answer_well(0);
  deliver(refusal(1, Status::kCounterInvalid));
  post(kSend, numbered(2));
  EXPECT_TRUE(settle("the third is not tried").empty());
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(status(kSend), Status::kCounterInvalid);
  EXPECT_EQ(errors(), 2U);
}

TEST_P(SendAhead, SentAgainBehindARefusalOfTheFirstMayFailAndTheNextGoesOn) {
  open_send();
  retry_after(kRetry);
  post_sends(2);
  settle("both");
  deliver(refusal(0, Status::kReceiveDisabled));
  tick();
  EXPECT_EQ(settle("both again").size(), 2U);
  answer_well(0);
  deliver(refusal(1, Status::kCounterInvalid));
  post(kSend, numbered(2));
  EXPECT_EQ(sends(settle("the third")), (Sends{{1, 2}}));
}

TEST_P(SendAhead, SentAgainAfterItWasRefusedMayFailAndTheNextGoesOn) {
  open_send();
  constexpr Cycles kShort = 1 << 14;
  retry_after(kShort);
  post_sends(2);
  settle("both");
  deliver(refusal(1, Status::kReceiveDisabled));
  pass(9 * kShort);
  EXPECT_EQ(sends(settle("both again")), (Sends{{0, 0}, {1, 1}}));
  retry_after(kNever);
  answer_well(0);
  deliver(refusal(1, Status::kCounterInvalid));
  post(kSend, numbered(2));
  EXPECT_EQ(sends(settle("the third")), (Sends{{1, 2}}));
}

// --- flush --------------------------------------------------------------------------------------

TEST_P(SendAhead, IsGoneWithoutAnEntryWhenTheQueueIsConfigured) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  post_sends(2, true);
  settle("both");
  clear_causes();
  open_send({.completion = static_cast<int>(kCompletions.value)});
  settle("configured anew");
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  EXPECT_EQ(entry(0).get<e::word>(), 0U);
  answer_well(0);
  answer_well(1);
  settle("too late");
  EXPECT_EQ(head(kSend), 0U);
  post_sends(2);
  EXPECT_EQ(sends(settle("numbers begin anew")), (Sends{{0, 0}, {1, 1}}));
}

// --- both ends ----------------------------------------------------------------------------------

TEST_P(SendAhead, ArrivesBehindOneThatWasTooLong) {
  open_pair();
  write(kReceive, receive_descriptor(buffer(0, 100)));
  write(kReceive, receive_descriptor(buffer(1, 100)));
  ring(kReceive);
  write(kSend, numbered(0, 700));
  write(kSend, numbered(1));
  write(kSend, numbered(2));
  ring(kSend);
  settle("sent");
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(status(kSend), Status::kLengthTooLong);
  EXPECT_EQ(received(0, 100), sent(1, 100));
  EXPECT_EQ(received(1, 100), sent(2, 100));
}

TEST_P(SendAhead, ArrivesBehindTheFirstThatHadNoReceive) {
  open_pair();
  constexpr Cycles kShort = 1 << 14;
  retry_after(kShort);
  post_sends(4);
  settle("nobody receives");
  for (std::uint32_t i = 0; i < 4; ++i) write(kReceive, receive_descriptor(buffer(i, 100)));
  ring(kReceive);
  pass(20 * kShort);
  settle("all");
  EXPECT_EQ(head(kSend), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(received(i, 100), sent(i, 100)) << i;
}

TEST_P(SendAhead, ArrivesBehindOneThatCouldNotBeStored) {
  open_pair();
  write(kReceive, receive_descriptor({kHugeRegion, Bytes{1} << 30, 100}));
  write(kReceive, receive_descriptor(buffer(1, 100)));
  ring(kReceive);
  post_sends(2);
  settle("sent");
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  EXPECT_EQ(errors(), 1U);
  EXPECT_EQ(received(1, 100), sent(1, 100));
}

INSTANTIATE_TEST_SUITE_P(On, SendAhead, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
