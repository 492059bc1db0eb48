// SPDX-License-Identifier: Apache-2.0
// The rules of docs/fences.md for the queue that holds a FENCE, one by one, on the reference model
// and on the node. The test makes the answers.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/fence_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class Fence : public FenceTest {
 protected:
  static constexpr QueueId kThird{16};
  Packet get_of(const Descriptor& descriptor) {
    const auto bytes = descriptor.bytes();
    Packet get = put_packet(kPeer, here_, {bytes.begin(), bytes.end()}, kGetQueue.value, 0);
    get.header.set<h::kind>(Kind::kGet);
    return get;
  }
};

// --- what goes out ------------------------------------------------------------------------------

TEST_P(Fence, PacketNamesItsQueueAndItsIndex) {
  open_send();
  run(kSend, Descriptor());
  const auto packets = run(kSend, fence_of(kPeer, {33}, 0x1'2345'6789).set<d::sequence_number>(55));
  ASSERT_EQ(packets.size(), 1U);
  const Packet& packet = packets[0];
  EXPECT_EQ(kind_of(packet), Kind::kFence);
  EXPECT_FALSE(packet.reply());
  EXPECT_TRUE(packet.payload.empty());
  EXPECT_EQ(packet.header.get<h::dst_x>(), kPeer.x);
  EXPECT_EQ(packet.header.get<h::client>(), kOwner.value);
  EXPECT_EQ(packet.header.get<h::on_behalf>(), 0U);
  EXPECT_EQ(packet.header.get<h::target>(), 33U);
  EXPECT_EQ(packet.header.get<h::offset>(), 0x1'2345'6789U);
  EXPECT_EQ(packet.trailer.get<t::queue>(), kSend.value);
  EXPECT_EQ(packet.trailer.get<t::index>(), 1U);
  EXPECT_EQ(packet.trailer.get<t::sequence_number>(), 55U);
  EXPECT_EQ(packet.trailer.get<t::counter_valid>(), 0U);
  EXPECT_EQ(packet.trailer.get<t::event_valid>(), 0U);
}

TEST_P(Fence, LeavesBehindWhatItsQueueHasSentBefore) {
  open_send();
  write(kSend, put_descriptor(kPeer, source(0, 1300), kTargetRegion, 0, {}));
  write(kSend, fifo_descriptor(kPeer, source(1, 600), kFifo, 0, {}));
  write(kSend, increment_descriptor(kPeer, kTargetRegion, kEvent));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_EQ(kinds(settle("four messages")),
            (std::vector{Kind::kPut, Kind::kPut, Kind::kPut, Kind::kFifo, Kind::kFifo, Kind::kPut,
                         Kind::kFence}));
  EXPECT_EQ(head(kSend), 3U);
}

TEST_P(Fence, HoldsWhatStandsBehindItUntilItIsAnswered) {
  open_send();
  write(kSend, fence_of(kPeer));
  write(kSend, put_descriptor(kPeer, source(0, 100), kTargetRegion, 0, {}));
  ring(kSend);
  EXPECT_EQ(kinds(settle("held")), std::vector{Kind::kFence});
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(kinds(take(told(0))), std::vector{Kind::kPut});
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(Fence, ReadsNoSource) {
  open_send();
  EXPECT_EQ(run(kSend, fence_of(kPeer).set<d::source_region>(255).set<d::source_offset>(1)).size(),
            1U);
  take(told(0));
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Fence, IsPushed) {
  device().write64(registers::client_page::push_queue(0), kPushQueue.value);
  const Descriptor descriptor = fence_of(kPeer);
  for (std::uint32_t w = 0; w < 8; ++w) {
    device().write64(registers::client_page::push_data(0, w), descriptor.words()[w]);
  }
  EXPECT_EQ(asked(settle("pushed")), (Asked{{kPushQueue.value, 0}}));
  take(told(0, kPushQueue));
  EXPECT_EQ(head(kPushQueue), 1U);
}

// --- its end ------------------------------------------------------------------------------------

TEST_P(Fence, IsDoneOnlyWhenItIsAnswered) {
  open_send(kTold);
  run(kSend, told_of(fence_of(kPeer)).set<d::sequence_number>(77));
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  EXPECT_TRUE(take(told(0)).empty());
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kFence);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kOk);
  EXPECT_EQ(entry(0).get<e::queue>(), kSend.value);
  EXPECT_EQ(entry(0).get<e::index>(), 0U);
  EXPECT_EQ(entry(0).get<e::bytes>(), 0U);
  EXPECT_EQ(entry(0).get<e::sequence_number>(), 77U);
}

TEST_P(Fence, LeavesTheCounterOfThePeerRegisterAsItIs) {
  open_send({.event = static_cast<int>(kEvent.value)});
  run(kSend, fence_of(kPeer));
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kEvent), 0U);
}

TEST_P(Fence, TakesNoAnswerToAnotherIndexOrQueue) {
  open_send();
  run(kSend, Descriptor());
  run(kSend, fence_of(kPeer));
  take(told(0));
  take(told(2));
  take(told(1, kOther));
  take(refused(0, Status::kPermission));
  take(refused(2, Status::kPermission));
  take(refused(1, Status::kPermission, kOther));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
  take(told(1));
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(Fence, TakesNoAnswerOfAnotherNode) {
  open_send();
  run(kSend, fence_of(kPeer));
  take(told(0, kSend, kStranger));
  take(refused(0, Status::kPermission, kSend, kStranger));
  EXPECT_EQ(head(kSend), 0U);
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Fence, AnswersToNothingChangeNothing) {
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  ring(kSend);
  settle("a SEND waits for its acknowledgement");
  run_now(wait_for_event(kEvent, 1));
  for (const QueueId queue :
       {kSend, kDoorbellQueue, kPushQueue, kGetQueue, kOffQueue, QueueId{200}, QueueId{255}}) {
    deliver(told(0, queue));
    deliver(refused(0, Status::kPermission, queue));
  }
  EXPECT_TRUE(settle("answers").empty());
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(notices(), 0U);
  EXPECT_EQ(device().read64(registers::node::dropped_replies()), 0U);
}

TEST_P(Fence, AcknowledgementOfASendDoesNotEndIt) {
  open_send();
  run(kSend, fence_of(kPeer));
  take(acknowledgement(0));
  take(refusal(0, Status::kPermission));
  EXPECT_EQ(head(kSend), 0U);
}

TEST_P(Fence, LateAnswerEndsNoLaterOne) {
  open_send();
  retry_after(kRetry);
  run(kSend, told_of(fence_of(kPeer)));
  EXPECT_EQ(asked(after(9 * kRetry)), (Asked{{kSend.value, 0}})) << "the answer is late";
  take(told(0));
  run(kSend, told_of(fence_of(kPeer)));
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  take(told(1));
  EXPECT_EQ(own().read_event(kDoneEvent), 2U);
}

TEST_P(Fence, EndsWithTheStatusOfItsRefusalAndTheQueueGoesOn) {
  std::uint32_t index = 0;
  open_send(kTold);
  for (const Status refusal :
       {Status::kRegionInvalid, Status::kRegionBounds, Status::kPermission, Status::kMemoryError}) {
    run(kSend, told_of(fence_of(kPeer)));
    EXPECT_TRUE(take(refused(index, refusal)).empty());
    EXPECT_EQ(entry(index).get<e::status>(), refusal);
    EXPECT_EQ(head(kSend), ++index) << name_of(refusal);
  }
  EXPECT_EQ(queue_state(device(), kSend).count, index);
  EXPECT_EQ(queue_state(device(), kSend).status, Status::kRegionInvalid);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  EXPECT_TRUE(has_cause(Cause::kError));
}

TEST_P(Fence, RefusalsDoNotReachTheNoticeRing) {
  open_send();
  run(kSend, fence_of(kPeer));
  take(refused(0, Status::kPermission));
  take(refused(0, Status::kPermission));
  EXPECT_EQ(notices(), 0U);
  EXPECT_FALSE(has_cause(Cause::kNotice));
}

TEST_P(Fence, ThatFailsHaltsAQueueThatHaltsOnErrors) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.halt_on_error = true});
  write(kSend, fence_of(kPeer));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_EQ(asked(settle("the first")), (Asked{{kSend.value, 0}}));
  EXPECT_TRUE(take(refused(0, Status::kPermission)).empty());
  EXPECT_TRUE(queue_state(device(), kSend).halted);
}

// --- lost packets -------------------------------------------------------------------------------

TEST_P(Fence, UnansweredGoesOutAgainAtTheEighthTick) {
  open_send();
  retry_after(kRetry);
  const auto first = run(kSend, fence_of(kPeer));
  pass(6 * kRetry);
  EXPECT_TRUE(settle("early").empty());
  const auto again = after(3 * kRetry);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].bytes(), first[0].bytes());
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_TRUE(after(20 * kRetry).empty());
}

TEST_P(Fence, AnsweredTwiceIsDoneOnce) {
  open_send(kTold);
  retry_after(kRetry);
  run(kSend, told_of(fence_of(kPeer)));
  EXPECT_EQ(after(9 * kRetry).size(), 1U);
  take(told(0));
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
}

TEST_P(Fence, WithoutAnyAnswerEndsAfterItsRetriesAndSpoilsNothingBehindIt) {
  open_send(kTold);
  constexpr Cycles kShort = 4096;
  retry_after(kShort, 2);
  write(kSend, told_of(fence_of(kPeer)));
  write(kSend, send_descriptor(source(0, 100), 5));
  ring(kSend);
  EXPECT_EQ(kinds(after(27 * kShort)),
            (std::vector{Kind::kFence, Kind::kFence, Kind::kFence, Kind::kSend}));
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kRetryExceeded);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  take(acknowledgement(0));
  EXPECT_EQ(run(kSend, fence_of(kPeer)).size(), 1U);
  take(told(2));
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(queue_state(device(), kSend).count, 1U);
}

TEST_P(Fence, WithNoRetriesEndsAtTheEighthTick) {
  open_send();
  retry_after(4096, 0);
  EXPECT_EQ(run(kSend, fence_of(kPeer)).size(), 1U);
  EXPECT_TRUE(after(9 * Cycles{4096}).empty());
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
}

// --- configuration ------------------------------------------------------------------------------

TEST_P(Fence, IsFlushedByTheConfiguration) {
  open_send(kTold);
  run(kSend, told_of(fence_of(kPeer)));
  clear_causes();
  device().write64(registers::injection_queue::config(kSend.value), 0);
  settle("off");
  EXPECT_TRUE(has_cause(Cause::kError));
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kFence);
  take(told(0));
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
}

TEST_P(Fence, ConfiguredAwayDoesNotGoOutAgain) {
  open_send();
  retry_after(kRetry);
  run(kSend, fence_of(kPeer));
  open_send();
  settle("configured anew");
  EXPECT_TRUE(after(20 * kRetry).empty());
  EXPECT_EQ(asked(run(kSend, fence_of(kPeer))), (Asked{{kSend.value, 0}}));
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
}

// --- among SENDs --------------------------------------------------------------------------------

// --- it goes ahead of an acknowledgement ---------------------------------------------------------

TEST_P(Fence, GoesOutBehindASendThatIsNotAcknowledged) {
  open_send();
  for (std::uint32_t i = 0; i < 2; ++i) write(kSend, send_descriptor(source(i, 64), i));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_EQ(kinds(settle("two SENDs")), (std::vector{Kind::kSend, Kind::kSend}));
  EXPECT_EQ(asked(take(acknowledgement(0))), (Asked{{kSend.value, 2}}));
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(Fence, ThatWentAheadAndIsAnsweredEndsBehindItsSend) {
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_EQ(kinds(settle("both")), (std::vector{Kind::kSend, Kind::kFence}));
  EXPECT_TRUE(take(told(1)).empty());
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_TRUE(take(acknowledgement(0)).empty()) << "it does not go out again";
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(Fence, ThatWentAheadWaitsForItsAnswerBehindItsSend) {
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  write(kSend, fence_of(kPeer));
  write(kSend, put_descriptor(kPeer, source(0, 100), kTargetRegion, 0, {}));
  ring(kSend);
  settle("both");
  EXPECT_TRUE(take(acknowledgement(0)).empty());
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(kinds(take(told(1))), std::vector{Kind::kPut});
  EXPECT_EQ(head(kSend), 3U);
}

TEST_P(Fence, FollowsASendThatGoesOutAgain) {
  retry_after(kRetry);
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  settle("both");
  EXPECT_TRUE(take(told(1)).empty());
  deliver(refusal(0, Status::kReceiveDisabled));
  EXPECT_EQ(kinds(after(kRetry)), (std::vector{Kind::kSend, Kind::kFence}));
  EXPECT_TRUE(take(acknowledgement(0)).empty());
  EXPECT_EQ(head(kSend), 2U) << "the first answer has said of all before it";
}

TEST_P(Fence, ThatWentAheadIsRefusedBehindItsSend) {
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  settle("both");
  EXPECT_TRUE(take(refused(1, Status::kRegionBounds)).empty());
  EXPECT_EQ(head(kSend), 0U);
  take(acknowledgement(0));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(status(kSend), Status::kRegionBounds);
}

TEST_P(Fence, ThatWentAheadIsFlushedWithItsSend) {
  open_send();
  write(kSend, send_descriptor(source(0, 64), 0));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  settle("both");
  open_send();
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_EQ(asked(settle("anew")), (Asked{{kSend.value, 0}}));
  EXPECT_TRUE(take(told(1)).empty()) << "of the one before";
  EXPECT_EQ(head(kSend), 0U);
  take(told(0));
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(Fence, SendBehindItDoesNotGoAhead) {
  open_send();
  write(kSend, fence_of(kPeer));
  for (std::uint32_t i = 0; i < 2; ++i) write(kSend, send_descriptor(source(i, 64), i));
  ring(kSend);
  EXPECT_EQ(kinds(settle("the FENCE")), std::vector{Kind::kFence});
  EXPECT_EQ(sends(take(told(0))), (Sends{{0, 0}, {1, 1}}));
}

TEST_P(Fence, UsesUpNoNumber) {
  open_send();
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sends(run(kSend, send_descriptor(source(i, 64), i))), (Sends{{i, i}}));
    take(acknowledgement(i));
    EXPECT_EQ(asked(run(kSend, fence_of(i == 1 ? kStranger : kPeer))),
              (Asked{{kSend.value, 2 * i + 1}}));
    take(i == 1 ? refused(3, Status::kPermission, kSend, kStranger) : told(2 * i + 1));
  }
  EXPECT_EQ(head(kSend), 6U);
}

TEST_P(Fence, RunsInAQueueThatALostSendHasBroken) {
  open_send();
  constexpr Cycles kShort = 4096;
  retry_after(kShort, 0);
  run(kSend, send_descriptor(source(0, 100), 0));
  after(9 * kShort);
  ASSERT_EQ(status(kSend), Status::kRetryExceeded);
  retry_after(kNever);
  EXPECT_EQ(run(kSend, fence_of(kPeer)).size(), 1U);
  take(told(1));
  EXPECT_TRUE(run(kSend, send_descriptor(source(0, 100), 0)).empty());
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(queue_state(device(), kSend).count, 2U);
}

TEST_P(Fence, InADynamicQueueLeavesItsNumbersAsTheyAre) {
  open_dynamic(kSend, QueueMode::kDoorbell);
  const auto send = [](std::uint32_t i) {
    return dynamic_send_descriptor(kPeer, kPeerQueue, source(i, 64), i);
  };
  EXPECT_EQ(sends(run(kSend, send(0))), (Sends{{0, 0}}));
  take(acknowledgement(0));
  EXPECT_EQ(run(kSend, fence_of(kStranger)).size(), 1U);
  take(told(1));
  EXPECT_EQ(head(kSend), 1U) << "an answer of another node";
  take(told(1, kSend, kStranger));
  EXPECT_EQ(sends(run(kSend, send(1))), (Sends{{1, 1}}));
  take(acknowledgement(1));
  run(kSend, fence_of(kPeer));
  open_dynamic(kSend, QueueMode::kDoorbell);
  EXPECT_EQ(sends(run(kSend, send(2))), (Sends{{2, 2}})) << "a FENCE was flushed";
}

// --- in loops, behind limits, waited for --------------------------------------------------------

TEST_P(Fence, InACyclicQueueIsAskedInEveryLap) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.cyclic = true}, 2);
  write(kSend,
        wait_for_event(kEvent, 1).set<d::immediate>(WaitOperation()
                                                        .set<layout::wait_operation::value>(1)
                                                        .set<layout::wait_operation::step>(1)
                                                        .bytes()));
  write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_TRUE(settle("waits").empty());
  for (std::uint32_t lap = 0; lap < 3; ++lap) {
    run_now(add_to_event(kEvent, 1));
    EXPECT_EQ(asked(settle("a lap")), (Asked{{kSend.value, 2 * lap + 1}}));
    EXPECT_TRUE(take(told(2 * lap + 1)).empty());
    EXPECT_EQ(head(kSend), 2 * lap + 2);
  }
}

TEST_P(Fence, InAManagedQueueRunsBelowTheLimit) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.managed = true});
  for (std::uint32_t i = 0; i < 2; ++i) write(kSend, fence_of(kPeer));
  ring(kSend);
  EXPECT_TRUE(settle("not enabled").empty());
  const Descriptor enable = enable_receives(kSend, 1).set<d::opcode>(Opcode::kSendEn);
  run_now(enable);
  EXPECT_EQ(asked(settle("one")), (Asked{{kSend.value, 0}}));
  EXPECT_TRUE(take(told(0)).empty());
  run_now(enable);
  EXPECT_EQ(asked(settle("another")), (Asked{{kSend.value, 1}}));
}

TEST_P(Fence, IsWaitedForByItsDoneEventAndByItsQueue) {
  open_send();
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  open(kThird, QueueMode::kDoorbell, kPeer, kPeerQueue);
  run(kSend, told_of(fence_of(kPeer)));
  post(kOther, wait_for_event(kDoneEvent, 1));
  post(kThird, wait_for_queue(kSend, 1));
  settle("two wait");
  EXPECT_EQ(head(kOther), 0U);
  EXPECT_EQ(head(kThird), 0U);
  take(told(0));
  EXPECT_EQ(head(kOther), 1U);
  EXPECT_EQ(head(kThird), 1U);
}

TEST_P(Fence, OfManyQueuesAreAnsweredInAnyOrder) {
  constexpr std::uint32_t kFirst = 13, kCount = 18;
  for (std::uint32_t q = kFirst; q < kFirst + kCount; ++q) {
    open({q}, QueueMode::kDoorbell, kPeer, kPeerQueue);
    write({q}, fence_of(q % 2 == 0 ? kPeer : kStranger));
    ring({q});
  }
  EXPECT_EQ(asked(settle("all")).size(), kCount);
  for (std::uint32_t q = kFirst + kCount; q-- > kFirst;) {
    deliver(told(0, {q}, q % 2 == 0 ? kPeer : kStranger));
    EXPECT_EQ(head({q}), 1U) << q;
  }
  settle("all answered");
}

// --- what is no FENCE ---------------------------------------------------------------------------

// True if a FENCE says something with that bit, right or wrong.
bool is_used(unsigned bit) {
  const auto in = [bit](unsigned lsb, unsigned width) { return bit >= lsb && bit < lsb + width; };
  const unsigned image = d::header.lsb;
  return in(d::opcode.lsb, d::opcode.width) || bit == d::done_event_valid.lsb ||
         bit == d::interrupt_done.lsb || bit == d::signal.lsb ||
         in(d::injection_counter.lsb, d::injection_counter.width) ||
         in(d::done_event.lsb, d::done_event.width) ||
         in(d::source_region.lsb, d::source_region.width) ||
         in(d::source_offset.lsb, d::source_offset.width) || in(d::length.lsb, d::length.width) ||
         in(d::counter.lsb, d::counter.width) || in(d::event_counter.lsb, d::event_counter.width) ||
         in(d::sequence_number.lsb, d::sequence_number.width) ||
         in(d::immediate.lsb, d::immediate.width) || in(image + h::dst_x.lsb, 12) ||
         in(image + h::target.lsb, h::target.width) || in(image + h::offset.lsb, h::offset.width) ||
         in(image + h::word.lsb, h::word.width);
}

TEST_P(Fence, EveryOtherBitIsReserved) {
  std::vector<Descriptor> bad;
  for (unsigned bit = 0; bit < Descriptor::kBits; ++bit) {
    if (is_used(bit)) continue;
    auto bytes = fence_of(kPeer).bytes();
    bytes.at(bit / 8) = static_cast<std::uint8_t>(bytes.at(bit / 8) | 1U << bit % 8);
    bad.push_back(Descriptor::from_bytes(bytes));
  }
  EXPECT_GT(bad.size(), 100U);
  for (std::size_t first = 0; first < bad.size(); first += kSlots) {
    open_send();
    const std::size_t count = std::min<std::size_t>(kSlots, bad.size() - first);
    for (std::size_t i = 0; i < count; ++i) write(kSend, bad[first + i]);
    ring(kSend);
    EXPECT_TRUE(settle("reserved bits").empty()) << first;
    EXPECT_EQ(status(kSend), Status::kReservedBits) << first;
    EXPECT_EQ(queue_state(device(), kSend).count, count) << first;
  }
}

TEST_P(Fence, OfALengthOrToNoNodeOrWithAForeignEventIsNotSent) {
  const auto ends = [this](const Descriptor& descriptor) {
    open_send();
    EXPECT_TRUE(run(kSend, descriptor).empty());
    EXPECT_EQ(head(kSend), 1U);
    return status(kSend);
  };
  EXPECT_EQ(ends(fence_of(kPeer).set<d::length>(1)), Status::kLengthTooLong);
  EXPECT_EQ(ends(fence_of(kPeer).set<d::length>((Bytes{1} << 37) - 1)), Status::kLengthTooLong);
  EXPECT_EQ(ends(fence_of({3, 1, 1})), Status::kUnreachable);
  EXPECT_EQ(ends(fence_of({1, 15, 1})), Status::kUnreachable);
  EXPECT_EQ(
      ends(fence_of(kPeer).set<d::done_event_valid>(1).set<d::done_event>(kForeignEvent.value)),
      Status::kCounterInvalid);
  EXPECT_EQ(ends(fence_of({3, 1, 1}).set<d::length>(1).set<d::on_queue>(1)), Status::kReservedBits);
}

TEST_P(Fence, IsForbiddenInAReceiveQueue) {
  open_receive();
  EXPECT_TRUE(run(kReceive, fence_of(kPeer)).empty());
  EXPECT_EQ(status(kReceive), Status::kOpcodeForbidden);
}

TEST_P(Fence, IsForbiddenInQueuesThatTheNetworkFills) {
  Packet get = get_of(fence_of(kPeer));
  EXPECT_EQ(take(get).size(), 1U);
  EXPECT_EQ(status(kGetQueue), Status::kOpcodeForbidden);
  get.header.set<h::target>(kReflectionQueue.value);
  get.trailer.set<t::reflected>(1).set<t::sequence_number>(0);
  EXPECT_TRUE(take(get).empty());
  EXPECT_EQ(status(kReflectionQueue), Status::kOpcodeForbidden);
}

// Else a get could end a FENCE or a SEND of another client of the getter's node.
TEST_P(Fence, OfAGetIsToldToTheGetterAsNoneOfItsOwn) {
  for (const Descriptor& descriptor : {fence_of(kPeer), send_descriptor(source(0, 100), 0)}) {
    const auto notice = take(get_of(descriptor));
    ASSERT_EQ(notice.size(), 1U);
    EXPECT_EQ(kind_of(notice[0]), Kind::kNotice);
    EXPECT_EQ(word_of(notice[0]), static_cast<std::uint64_t>(Status::kOpcodeForbidden));
  }
}

INSTANTIATE_TEST_SUITE_P(On, Fence, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
