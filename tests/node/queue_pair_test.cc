// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for SEND and RECEIVE, one by one, on the reference model and on
// the node. Either both ends are queues of the node, or the test makes the packets of the other.
#include <gtest/gtest.h>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class Send : public QueuePairTest {};
class QueuePair : public QueuePairTest {};

// --- both ends ----------------------------------------------------------------------------------

TEST_P(QueuePair, TakesMessagesInOrderIntoTheBuffersPosted) {
  open_pair();
  constexpr std::array<Bytes, 6> kLengths{1, 512, 513, 31, 1500, 3};
  for (std::uint32_t i = 0; i < kLengths.size(); ++i) {
    write(kReceive, receive_descriptor(buffer(i, 2000)));
    write(kSend, send_descriptor(source(i, kLengths.at(i)), i));
  }
  ring(kReceive);
  ring(kSend);
  settle("all sent");
  EXPECT_EQ(head(kSend), kLengths.size());
  EXPECT_EQ(head(kReceive), kLengths.size());
  for (std::uint32_t i = 0; i < kLengths.size(); ++i) {
    EXPECT_EQ(received(i, kLengths.at(i)), sent(i, kLengths.at(i))) << i;
    EXPECT_EQ(memory(kTarget + buffer(i, 0).offset + kLengths.at(i), 16), nothing(16)) << i;
  }
  EXPECT_EQ(notices(), 0U);
}

TEST_P(QueuePair, CarriesAnImmediate) {
  open_pair();
  post(kReceive, receive_descriptor(buffer(0, 16)));
  std::array<std::uint8_t, 16> data{};
  for (std::uint8_t i = 0; i < 16; ++i) data.at(i) = static_cast<std::uint8_t>(i + 1);
  post(kSend, Descriptor()
                  .set<d::opcode>(Opcode::kSend)
                  .set<d::immediate_valid>(1)
                  .set<d::length>(5)
                  .set<d::immediate>(data));
  settle("sent");
  EXPECT_EQ(received(0, 6), (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3},
                                                    std::byte{4}, std::byte{5}, std::byte{0}}));
}

TEST_P(QueuePair, DeliversWhatWasRefusedOnceTheReceiveIsThere) {
  open_pair();
  retry_after(4096);
  post(kSend, send_descriptor(source(0, 1200), 0));
  settle("nobody receives");
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(received(0, 1200), nothing(1200));
  post(kReceive, receive_descriptor(buffer(0, 1200)));
  pass(10'000);
  settle("sent again");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(received(0, 1200), sent(0, 1200));
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(QueuePair, HoldsWhatStandsBehindTheSend) {
  open_pair();
  post(kSend, send_descriptor(source(0, 40), 0));
  post(kSend, put_descriptor(here_, source(1, 40), kTargetRegion, 0x8000, {}));
  settle("nobody receives");
  EXPECT_EQ(memory(kTarget + 0x8000, 40), nothing(40));
  EXPECT_EQ(head(kSend), 0U);
}

TEST_P(QueuePair, BumpsTheCountersThatTheSendNames) {
  open_pair();
  post(kReceive, receive_descriptor(buffer(0, 2000)));
  post(kSend, send_descriptor(source(0, 1300), 0,
                              {.counter = static_cast<int>(kCounter.value),
                               .event = static_cast<int>(kEvent.value),
                               .interrupt = true}));
  settle("sent");
  EXPECT_EQ(own().read_counter(kCounter), kPreload - 1300);
  EXPECT_EQ(own().read_event(kEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kArrived));
}

TEST_P(QueuePair, BumpsTheCounterOfThePeerUnlessADoneEventIsNamed) {
  open_pair({.event = static_cast<int>(kEvent.value)}, {.event = static_cast<int>(kEvent.value)});
  const auto with_done_event = [](Descriptor descriptor) {
    return descriptor.set<d::done_event_valid>(1).set<d::done_event>(kDoneEvent.value);
  };
  post(kReceive, receive_descriptor(buffer(0, 64)));
  post(kSend, send_descriptor(source(0, 64), 0));
  settle("told by the peer's counter");
  EXPECT_EQ(own().read_event(kEvent), 2U);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  post(kReceive, with_done_event(receive_descriptor(buffer(1, 64))));
  post(kSend, with_done_event(send_descriptor(source(1, 64), 0)));
  settle("told by done_event");
  EXPECT_EQ(own().read_event(kEvent), 2U);
  EXPECT_EQ(own().read_event(kDoneEvent), 2U);
}

TEST_P(QueuePair, OfBothDirectionsGoesBetweenTwoPairsOfQueues) {
  open_pair();
  open(kOther, QueueMode::kDoorbell, here_, {16});
  open({16}, QueueMode::kReceive, here_, kOther);
  post({16}, receive_descriptor(buffer(1, 100)));
  post(kReceive, receive_descriptor(buffer(0, 100)));
  post(kSend, send_descriptor(source(0, 100), 0));
  post(kOther, send_descriptor(source(1, 100), 0));
  settle("sent");
  EXPECT_EQ(received(0, 100), sent(0, 100));
  EXPECT_EQ(received(1, 100), sent(1, 100));
}

TEST_P(QueuePair, CyclicReceiveQueuePostsItsReceivesAgain) {
  open(kSend, QueueMode::kDoorbell, here_, kReceive);
  open(kReceive, QueueMode::kReceive, here_, kSend, {}, {.cyclic = true}, 2);
  write(kReceive, receive_descriptor(buffer(0, 100)));
  write(kReceive, receive_descriptor(buffer(1, 100)));
  ring(kReceive);
  for (std::uint32_t i = 2; i < 7; ++i) post(kSend, send_descriptor(source(i, 100), 0));
  settle("sent");
  EXPECT_EQ(head(kReceive), 5U);
  EXPECT_EQ(received(0, 100), sent(6, 100));
  EXPECT_EQ(received(1, 100), sent(5, 100));
}

TEST_P(QueuePair, CyclicSendQueueSendsTheNextLapAfterTheAcknowledgement) {
  open(kSend, QueueMode::kDoorbell, here_, kReceive, {}, {.cyclic = true}, 1);
  open(kReceive, QueueMode::kReceive, here_, kSend);
  for (std::uint32_t i = 0; i < 3; ++i) write(kReceive, receive_descriptor(buffer(i, 64)));
  ring(kReceive);
  post(kSend, send_descriptor(source(0, 64), 0));
  settle("three laps");
  EXPECT_EQ(head(kSend), 3U);
  EXPECT_EQ(received(2, 64), sent(0, 64));
}

// --- RECV_EN -------------------------------------------------------------------------------------

TEST_P(QueuePair, ManagedReceiveQueueTakesOnlyWhatIsEnabled) {
  open_pair({}, {}, {.managed = true});
  retry_after(4096);
  for (std::uint32_t i = 0; i < 3; ++i) {
    write(kReceive, receive_descriptor(buffer(i, 100)));
    write(kSend, send_descriptor(source(i, 100), 0));
  }
  ring(kReceive);
  ring(kSend);
  settle("nothing is enabled");
  EXPECT_EQ(head(kReceive), 0U);
  run_now(enable_receives(kReceive, 1));
  pass(10'000);
  settle("one more");
  EXPECT_EQ(head(kReceive), 1U);
  run_now(enable_receives(kReceive, 3, true));
  pass(20'000);
  settle("three in all");
  EXPECT_EQ(head(kReceive), 3U);
  EXPECT_EQ(received(2, 100), sent(2, 100));
}

TEST_P(QueuePair, EnableLimitNeverMovesBack) {
  open_receive({}, {.managed = true});
  run_now(enable_receives(kReceive, 3, true));
  run_now(enable_receives(kReceive, 1, true));
  settle("enabled");
  EXPECT_EQ(device().read64(registers::injection_queue::limit(kReceive.value)), 3U);
}

TEST_P(QueuePair, EachEnableIsForItsOwnKindOfQueue) {
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, {}, {.managed = true});
  open_receive({}, {.managed = true});
  run_now(enable_receives(kSend, 1));
  run_now(enable_receives(kReceive, 1).set<d::opcode>(Opcode::kSendEn));
  settle("neither is right");
  const QueueState state = queue_state(device(), kDoorbellQueue);
  EXPECT_EQ(state.status, Status::kQueueInvalid);
  EXPECT_EQ(state.count, 2U);
}

TEST_P(QueuePair, EnableOfAQueueThatIsNotManagedIsInvalid) {
  open_receive();
  run_now(enable_receives(kReceive, 1));
  settle("not managed");
  EXPECT_EQ(status(kDoorbellQueue), Status::kQueueInvalid);
}

// --- WAIT ----------------------------------------------------------------------------------------

TEST_P(QueuePair, WaitOnAReceiveQueueCountsMessages) {
  open_receive();
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  for (std::uint32_t i = 0; i < 2; ++i) write(kReceive, receive_descriptor(buffer(i, 100)));
  ring(kReceive);
  post(kOther, wait_for_queue(kReceive, 2));
  deliver_all(message(1, 100), 0);
  settle("one message");
  EXPECT_EQ(head(kOther), 0U);
  deliver_all(message(2, 60), 1);
  settle("two messages");
  EXPECT_EQ(head(kOther), 1U);
}

// --- SEND ----------------------------------------------------------------------------------------

TEST_P(Send, PacketsSayNumberLengthAndPlace) {
  open_send();
  post(kSend, send_descriptor(source(0, 700), kWord));
  const auto packets = settle("sent");
  ASSERT_EQ(packets.size(), 2U);
  for (const Packet& packet : packets) {
    EXPECT_EQ(kind_of(packet), Kind::kSend);
    EXPECT_EQ(packet.header.get<h::target>(), kPeerQueue.value);
    EXPECT_EQ(packet.header.get<h::dst_x>(), kPeer.x);
    EXPECT_EQ(word_of(packet), kWord);
    EXPECT_EQ(packet.trailer.get<t::queue>(), kSend.value);
    EXPECT_EQ(packet.trailer.get<t::index>(), 700U);
    EXPECT_EQ(packet.trailer.get<t::sequence_number>(), 0U);
  }
  EXPECT_EQ(packets[1].header.get<h::offset>(), 512U);
  EXPECT_EQ(packets[1].trailer.get<t::last>(), 1U);
}

TEST_P(Send, IsDoneOnlyWhenItIsAcknowledged) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, send_descriptor(source(0, 64), 0)
                  .set<d::done_event_valid>(1)
                  .set<d::done_event>(kDoneEvent.value)
                  .set<d::interrupt_done>(1)
                  .set<d::signal>(1));
  settle("sent");
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  deliver(acknowledgement(0));
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
}

// What the memory answers with its error is junk: the entry tells the status, the queue and the
// index.
TEST_P(Send, ThatCannotBeReadIsToldOfByAnEntryThatSaysNothingElse) {
  namespace e = layout::completion_entry;
  open_send({.completion = static_cast<int>(kCompletions.value)});
  device().write64(registers::injection_queue::config(kSend.value), 0);
  own().open_queue(kSend, device().memory_size(), kSlots, QueueMode::kDoorbell, {});
  own().ring_doorbell(kSend, 1);
  settle("from no memory");
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  const CompletionEntry told = entry(0);
  EXPECT_EQ(told.get<e::status>(), Status::kMemoryError);
  EXPECT_EQ(told.get<e::queue>(), kSend.value);
  EXPECT_EQ(told.get<e::index>(), 0U);
  EXPECT_EQ(told.get<e::opcode>(), Opcode::kNop);
  EXPECT_EQ(told.get<e::bytes>(), 0U);
  EXPECT_EQ(told.get<e::word>(), 0U);
  EXPECT_EQ(told.get<e::sequence_number>(), 0U);
}

TEST_P(Send, NumbersRiseWithEachAcknowledgement) {
  open_send();
  for (std::uint32_t i = 0; i < 4; ++i) {
    post(kSend, send_descriptor(source(i, 8), 0));
    const auto packets = settle("sent");
    ASSERT_EQ(packets.size(), 1U) << i;
    EXPECT_EQ(packets[0].trailer.get<t::sequence_number>(), i);
    deliver(acknowledgement(i));
  }
  settle("all");
  EXPECT_EQ(head(kSend), 4U);
}

TEST_P(Send, NumbersBeginAnewWithTheConfiguration) {
  open_send();
  post(kSend, send_descriptor(source(0, 8), 0));
  deliver(acknowledgement(0));
  open_send();
  post(kSend, send_descriptor(source(1, 8), 0));
  const auto packets = settle("sent");
  ASSERT_FALSE(packets.empty());
  EXPECT_EQ(packets.back().trailer.get<t::sequence_number>(), 0U);
}

TEST_P(Send, TakesNoAnswerToAnotherNumber) {
  open_send();
  post(kSend, send_descriptor(source(0, 64), 0));
  settle("sent");
  deliver(acknowledgement(1));
  deliver(acknowledgement(~std::uint32_t{0}));
  deliver(refusal(1, Status::kPermission));
  settle("stale answers");
  EXPECT_EQ(head(kSend), 0U);
}

TEST_P(Send, TakesNoAnswerOfAnotherNode) {
  open_send();
  post(kSend, send_descriptor(source(0, 64), 0));
  settle("sent");
  Packet packet = acknowledgement(0);
  packet.header.set<h::src_x>(kStranger.x);
  deliver(packet);
  settle("a stranger's");
  EXPECT_EQ(head(kSend), 0U);
}

TEST_P(Send, AnswersToNothingChangeNothing) {
  open_send();
  deliver(acknowledgement(0));
  Packet nowhere = acknowledgement(0);
  nowhere.header.set<h::target>(200);
  deliver(nowhere);
  deliver(refusal(0, Status::kReceiveDisabled));
  post(kSend, send_descriptor(source(0, 64), 0));
  settle("sent");
  EXPECT_EQ(head(kSend), 0U);
}

TEST_P(Send, RefusedGoesOutAgainWholeWithTheSameNumber) {
  open_send();
  constexpr Cycles kRetry = 1 << 16;
  retry_after(kRetry);
  post(kSend, send_descriptor(source(0, 1000), 0));
  const auto first = settle("sent");
  deliver(refusal(0, Status::kReceiveDisabled));
  EXPECT_TRUE(settle("refused").empty());
  pass(kRetry + 5000);
  const auto second = settle("sent again");
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(second[i].bytes(), first[i].bytes());
  deliver(acknowledgement(0));
  settle("acknowledged");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Send, UnansweredGoesOutAgainAfterEightTimesAsLong) {
  open_send();
  constexpr Cycles kRetry = 1 << 14;
  retry_after(kRetry);
  post(kSend, send_descriptor(source(0, 100), 0));
  EXPECT_EQ(settle("sent").size(), 1U);
  pass(4 * kRetry);
  EXPECT_TRUE(settle("early").empty());
  pass(5 * kRetry);
  EXPECT_EQ(settle("late").size(), 1U);
}

TEST_P(QueuePair, AcknowledgesAgainWhatComesAgain) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  deliver_all(message(1, 100), 0);
  const auto first = settle("received");
  deliver_all(message(1, 100), 0);
  const auto second = settle("once more");
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_TRUE(acknowledges(first[0], 0));
  EXPECT_TRUE(acknowledges(second[0], 0));
  EXPECT_EQ(head(kReceive), 1U);
}

TEST_P(Send, EndsAfterAllItsRetriesAndSoDoLaterOnes) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  constexpr Cycles kRetry = 4096;
  retry_after(kRetry, 2);
  post(kSend, send_descriptor(source(0, 100), 0).set<d::signal>(1));
  pass(40 * kRetry);
  EXPECT_EQ(settle("never answered").size(), 3U);
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(entry(0).get<layout::completion_entry::status>(), Status::kRetryExceeded);
  post(kSend, send_descriptor(source(1, 100), 0));
  EXPECT_TRUE(settle("not tried").empty());
  EXPECT_EQ(head(kSend), 2U);
  open_send();
  post(kSend, send_descriptor(source(1, 100), 0));
  EXPECT_EQ(settle("configured anew").size(), 1U);
}

TEST_P(Send, OtherRefusalEndsItWithThatStatusAndItsNumberIsUsedAgain) {
  for (const Status refused : {Status::kLengthTooLong, Status::kPermission, Status::kQueueInvalid,
                               Status::kCounterInvalid}) {
    open_send();
    post(kSend, send_descriptor(source(0, 100), 0));
    settle("sent");
    deliver(refusal(0, refused));
    settle("refused");
    EXPECT_EQ(head(kSend), 1U);
    EXPECT_EQ(status(kSend), refused);
    post(kSend, send_descriptor(source(1, 100), 0));
    const auto packets = settle("next");
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_EQ(packets[0].trailer.get<t::sequence_number>(), 0U);
    device().write64(registers::injection_queue::config(kSend.value), 0);
  }
}

TEST_P(Send, MemoryErrorOfThePeerUsesItsNumberUp) {
  open_send();
  post(kSend, send_descriptor(source(0, 100), 0));
  settle("sent");
  deliver(refusal(0, Status::kMemoryError));
  settle("refused");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  post(kSend, send_descriptor(source(1, 100), 1));
  EXPECT_EQ(sends(settle("next")), (Sends{{1, 1}}));
}

// What has left may still be taken as a part of a message with its number.
TEST_P(Send, FailedHalfWayIsTheLastOfItsQueue) {
  open_send();
  const Address in_memory = device().memory_size() - kSim.payload_bytes;
  post(kSend, send_descriptor({kHugeRegion, in_memory, 2 * kSim.payload_bytes}, 0));
  EXPECT_EQ(sends(settle("half of it")), (Sends{{0, 0}}));
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  post(kSend, send_descriptor(source(1, 100), 1));
  EXPECT_TRUE(settle("not tried").empty());
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(Send, FailedBeforeAnyOfItHasLeftLeavesItsNumberToTheNext) {
  open_send();
  post(kSend, send_descriptor({kHugeRegion, Bytes{1} << 30, 1000}, 0));
  EXPECT_TRUE(settle("no such memory").empty());
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  post(kSend, send_descriptor(source(1, 100), 1));
  EXPECT_EQ(sends(settle("the next")), (Sends{{0, 1}}));
}

// A second copy may still arrive, and be taken: then the next SEND would be taken for that.
TEST_P(Send, RefusedAfterItWentOutUnansweredIsTheLastOfItsQueue) {
  open_send();
  constexpr Cycles kRetry = 1 << 14;
  retry_after(kRetry);
  post(kSend, send_descriptor(source(0, 100), 0));
  pass(10 * kRetry);
  EXPECT_EQ(settle("twice").size(), 2U);
  deliver(refusal(0, Status::kPermission));
  settle("refused");
  EXPECT_EQ(status(kSend), Status::kPermission);
  post(kSend, send_descriptor(source(1, 100), 0));
  EXPECT_TRUE(settle("not tried").empty());
  const QueueState state = queue_state(device(), kSend);
  EXPECT_EQ(state.count, 2U);
  EXPECT_EQ(head(kSend), 2U);
  open_send();
  post(kSend, send_descriptor(source(1, 100), 0));
  EXPECT_EQ(settle("configured anew").size(), 1U);
}

TEST_P(Send, RefusalsDoNotReachTheNoticeRing) {
  open_send();
  post(kSend, send_descriptor(source(0, 100), 0));
  deliver(refusal(0, Status::kPermission));
  deliver(refusal(7, Status::kPermission));
  settle("refused");
  EXPECT_EQ(notices(), 0U);
  EXPECT_FALSE(has_cause(Cause::kNotice));
}

TEST_P(Send, WithoutAPeerIsInvalid) {
  run_now(send_descriptor(source(0, 100), 0));
  EXPECT_TRUE(settle("no peer").empty());
  EXPECT_EQ(status(kDoorbellQueue), Status::kQueueInvalid);
}

TEST_P(Send, HeaderHoldsNothingButTheWord) {
  const auto spoilt = [](auto set) {
    PacketHeader header = PacketHeader().set<h::word>(5);
    set(header);
    return send_descriptor(source(0, 10), 0).set<d::header>(header);
  };
  open_send();
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::dst_x>(1); }));
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::target>(kPeerQueue.value); }));
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::offset>(4); }));
  EXPECT_TRUE(settle("none is sent").empty());
  const QueueState state = queue_state(device(), kSend);
  EXPECT_EQ(state.status, Status::kReservedBits);
  EXPECT_EQ(state.count, 3U);
}

TEST_P(Send, OfABadLengthOrSourceIsNotSent) {
  const auto refused = [this](const Descriptor& descriptor) {
    open_send();
    post(kSend, descriptor);
    EXPECT_TRUE(settle("bad").empty());
    return status(kSend);
  };
  EXPECT_EQ(refused(send_descriptor(source(0, 0), 0)), Status::kLengthZero);
  EXPECT_EQ(refused(send_descriptor({kHugeRegion, 0, Bytes{1} << 32}, 0)), Status::kLengthTooLong);
  EXPECT_EQ(refused(send_descriptor(source(0, 17), 0).set<d::immediate_valid>(1)),
            Status::kLengthTooLong);
  EXPECT_EQ(refused(send_descriptor({kClosedRegion, 0, 8}, 0)), Status::kRegionInvalid);
  EXPECT_EQ(refused(send_descriptor({kForeignRegion, 0, 8}, 0)), Status::kPermission);
  EXPECT_EQ(refused(send_descriptor({kSourceRegion, kRegionBytes - 7, 8}, 0)),
            Status::kRegionBounds);
  EXPECT_EQ(refused(send_descriptor(source(0, 8), 0)
                        .set<d::done_event_valid>(1)
                        .set<d::done_event>(kForeignEvent.value)),
            Status::kCounterInvalid);
}

TEST_P(Send, ThatIsNotAcknowledgedIsFlushedByTheConfiguration) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, send_descriptor(source(0, 100), 0).set<d::signal>(1));
  settle("sent");
  clear_causes();
  device().write64(registers::injection_queue::config(kSend.value), 0);
  settle("off");
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<layout::completion_entry::status>(), Status::kFlushed);
  deliver(acknowledgement(0));
  settle("too late");
  EXPECT_EQ(head(kSend), 0U);
}

// --- registers -----------------------------------------------------------------------------------

TEST_P(QueuePair, PeerIsWrittenOnlyWhileTheQueueIsOff) {
  const std::uint32_t peer = registers::injection_queue::peer(kSend.value);
  open_send();
  const std::uint64_t before = device().read64(peer);
  device().write64(peer, 0);
  EXPECT_EQ(device().read64(peer), before);
  device().write64(registers::injection_queue::config(kSend.value), 0);
  EXPECT_EQ(device().read64(peer), before) << "a write of config leaves it";
  device().write64(peer, 0);
  EXPECT_EQ(device().read64(peer), 0U);
  settle("one refused");
}

TEST_P(QueuePair, PeerIsAQueueOfTheMachine) {
  namespace f = registers::injection_queue::peer_field;
  const std::uint32_t peer = registers::injection_queue::peer(kSend.value);
  device().write64(registers::injection_queue::config(kSend.value), 0);
  for (const std::uint64_t bad :
       {insert(0, f::x, 3), insert(0, f::y, 3), insert(0, f::z, 15),
        insert(0, f::queue, kSim.injection_queues), std::uint64_t{1} << 40}) {
    device().write64(peer, bad);
    EXPECT_EQ(device().read64(peer), 0U);
  }
  device().write64(peer, insert(0, f::queue, kSim.injection_queues - 1));
  EXPECT_NE(device().read64(peer), 0U);
  settle("five refused");
}

TEST_P(QueuePair, RetryRegistersTakeWhatThePagesSay) {
  const std::uint32_t cycles = registers::node::send_retry_cycles();
  const std::uint32_t retries = registers::node::send_retries();
  retry_after(1024);
  device().write64(cycles, 0);
  device().write64(cycles, (1U << 24) + 1);
  device().write64(retries, 256);
  EXPECT_EQ(device().read64(cycles), 1024U);
  EXPECT_EQ(device().read64(retries), 255U);
  device().write64(cycles, 1U << 24);
  device().write64(retries, 0);
  EXPECT_EQ(device().read64(cycles), 1U << 24);
  EXPECT_EQ(device().read64(retries), 0U);
  settle("three refused");
}

INSTANTIATE_TEST_SUITE_P(On, Send, ::testing::Values(On::kModel, On::kNode), name_of_case);
INSTANTIATE_TEST_SUITE_P(On, QueuePair, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
