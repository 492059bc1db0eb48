// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for RECEIVE and what a receive queue takes, one by one, on the
// reference model and on the node. The test makes the packets of the other end.
#include <gtest/gtest.h>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class Receive : public QueuePairTest {};

TEST_P(Receive, MessageWithoutAReceiveIsDiscardedWholeAndRefusedOnce) {
  open_receive();
  deliver_all(message(1, 1300), 0);
  const auto packets = settle("nobody receives");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kReceiveDisabled));
  EXPECT_EQ(packets[0].trailer.get<t::queue>(), kPeerQueue.value);
  EXPECT_EQ(packets[0].trailer.get<t::sequence_number>(), 0U);
}

TEST_P(Receive, PostedBehindTheFirstPacketTakesTheMessageOnlyFromItsBeginning) {
  open_receive();
  const auto whole = message(1, 1300);
  deliver(packet_of(whole, 0, 0));
  post(kReceive, receive_descriptor(buffer(0, 1300)));
  deliver(packet_of(whole, 512, 0));
  deliver(packet_of(whole, 1024, 0));
  settle("refused");
  EXPECT_EQ(received(0, 1300), nothing(1300));
  EXPECT_EQ(head(kReceive), 0U);
  deliver_all(whole, 0);
  settle("taken");
  EXPECT_EQ(received(0, 1300), as_stored(whole));
  EXPECT_EQ(head(kReceive), 1U);
}

TEST_P(Receive, OlderMessageIsAcknowledgedAgainByItsLastPacketAlone) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 1300)));
  post(kReceive, receive_descriptor(buffer(1, 1300)));
  deliver_all(message(1, 1300), 0);
  settle("taken");
  deliver_all(message(2, 1300), 0);
  const auto packets = settle("older");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(acknowledges(packets[0], 0));
  EXPECT_EQ(received(1, 1300), nothing(1300));
}

TEST_P(Receive, OlderMeansModulo2To32) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  deliver_all(message(1, 100), ~std::uint32_t{0});
  const auto packets = settle("number -1");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(acknowledges(packets[0], ~std::uint32_t{0}));
  EXPECT_EQ(head(kReceive), 0U);
}

TEST_P(Receive, NewerMessageIsDropped) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  deliver_all(message(1, 100), 1);
  EXPECT_TRUE(settle("newer").empty());
  EXPECT_EQ(head(kReceive), 0U);
}

TEST_P(Receive, MessageOfAnyoneButThePeerIsRefused) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  Packet of_another_queue = packet_of(message(1, 100), 0, 0);
  of_another_queue.trailer.set<t::queue>(kPeerQueue.value + 1);
  deliver(of_another_queue);
  auto packets = settle("another queue");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kPermission));
  Packet of_another_node = packet_of(message(1, 100), 0, 0);
  of_another_node.header.set<h::src_x>(kStranger.x);
  deliver(of_another_node);
  packets = settle("another node");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kPermission));
  EXPECT_EQ(received(0, 100), nothing(100));
}

TEST_P(Receive, MessageForNoReceiveQueueIsRefused) {
  open_receive();
  own().open_queue(kOther, ring_of(kOther), kSlots, QueueMode::kReceive);  // without a peer
  open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue);
  for (const QueueId queue : {QueueId{200}, kOffQueue, kSend, kOther}) {
    Packet packet = packet_of(message(1, 100), 0, 0);
    packet.header.set<h::target>(queue.value);
    deliver(packet);
    const auto packets = settle("queue " + std::to_string(queue.value));
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_TRUE(refuses(packets[0], Status::kQueueInvalid)) << queue.value;
  }
}

TEST_P(Receive, MessageLongerThanTheBufferIsRefusedAndTheReceiveWaitsOn) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 1299)));
  deliver_all(message(1, 1300), 0);
  const auto packets = settle("too long");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kLengthTooLong));
  EXPECT_EQ(received(0, 1299), nothing(1299));
  deliver_all(message(2, 1299), 0);
  settle("it fits");
  EXPECT_EQ(received(0, 1299), as_stored(message(2, 1299)));
}

TEST_P(Receive, PacketBehindAGapIsDropped) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 2000)));
  const auto whole = message(1, 1600);
  deliver(packet_of(whole, 0, 0));
  deliver(packet_of(whole, 1024, 0));
  deliver(packet_of(whole, 1536, 0));
  EXPECT_TRUE(settle("a gap").empty());
  EXPECT_EQ(head(kReceive), 0U);
  EXPECT_EQ(memory(kTarget + 1024, 512), nothing(512));
}

TEST_P(Receive, MessageThatBeginsAnewIsTakenFromItsBeginning) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 2000)));
  const auto whole = message(1, 1600);
  deliver(packet_of(whole, 0, 0));
  deliver(packet_of(whole, 512, 0));
  deliver(packet_of(whole, 0, 0));
  deliver(packet_of(whole, 1024, 0));  // belongs to the first time
  EXPECT_TRUE(settle("half").empty());
  deliver(packet_of(whole, 512, 0));
  deliver(packet_of(whole, 1024, 0));
  deliver(packet_of(whole, 1536, 0));
  const auto packets = settle("all");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(acknowledges(packets[0], 0));
  EXPECT_EQ(received(0, 1600), as_stored(whole));
}

TEST_P(Receive, SendThatNamesACounterOfAnotherClientIsRefused) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  Packet byte = packet_of(message(1, 100), 0, 0);
  byte.trailer.set<t::counter_valid>(1).set<t::counter>(kForeignCounter.value);
  deliver(byte);
  auto packets = settle("a byte counter");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kCounterInvalid));
  Packet event = packet_of(message(1, 100), 0, 0);
  event.trailer.set<t::event_valid>(1).set<t::event_counter>(kForeignEvent.value);
  deliver(event);
  packets = settle("an event counter");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kCounterInvalid));
}

TEST_P(Receive, IntoMemoryOfAnotherEndsAndTheNextTakesTheMessage) {
  open_receive();
  post(kReceive, receive_descriptor({kForeignRegion, 0, 100}));
  post(kReceive, receive_descriptor({kTargetRegion, kRegionBytes - 99, 100}));
  post(kReceive, receive_descriptor(buffer(0, 100)));
  deliver_all(message(1, 100), 0);
  settle("received");
  const QueueState state = queue_state(device(), kReceive);
  EXPECT_EQ(state.status, Status::kPermission);
  EXPECT_EQ(state.count, 2U);
  EXPECT_EQ(head(kReceive), 3U);
  EXPECT_EQ(received(0, 100), as_stored(message(1, 100)));
}

TEST_P(Receive, ErrorOfTheMemoryEndsReceiveAndSend) {
  open_receive();
  post(kReceive, receive_descriptor({kHugeRegion, Bytes{1} << 30, 1000}));
  post(kReceive, receive_descriptor(buffer(0, 1000)));
  deliver_all(message(1, 1000), 0);
  const auto packets = settle("no such memory");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError));
  EXPECT_EQ(status(kReceive), Status::kMemoryError);
  EXPECT_EQ(head(kReceive), 1U);
  deliver_all(message(2, 1000), 1);
  settle("its number is used up");
  EXPECT_EQ(received(0, 1000), as_stored(message(2, 1000)));
}

TEST_P(Receive, LateCopyOfAMessageThatFailedIsRefusedAgainByItsLastPacketAlone) {
  open_receive();
  post(kReceive, receive_descriptor({kHugeRegion, Bytes{1} << 30, 1000}));
  post(kReceive, receive_descriptor(buffer(0, 1000)));
  deliver_all(message(1, 1000), 0);
  settle("no such memory");
  deliver_all(message(1, 1000), 0);
  const auto packets = settle("once more");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError));
  EXPECT_EQ(packets[0].trailer.get<t::sequence_number>(), 0U);
  EXPECT_EQ(received(0, 1000), nothing(1000));
  EXPECT_EQ(head(kReceive), 1U);
}

TEST_P(Receive, LateCopiesOfTheLastTwoMessagesAreAnsweredAsTheyWereBefore) {
  open_receive();
  post(kReceive, receive_descriptor({kHugeRegion, Bytes{1} << 30, 100}));
  post(kReceive, receive_descriptor(buffer(0, 100)));
  deliver_all(message(1, 100), 0);
  deliver_all(message(2, 100), 1);
  settle("one has failed, one is stored");
  deliver_all(message(1, 100), 0);
  auto packets = settle("the one that has failed");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError));
  deliver_all(message(2, 100), 1);
  packets = settle("the one that is stored");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(acknowledges(packets[0], 1));
}

TEST_P(Receive, TwoThatArePostedTakeTwoMessages) {
  open_receive();
  write(kReceive, receive_descriptor(buffer(0, 1300)));
  write(kReceive, receive_descriptor(buffer(1, 1300)));
  ring(kReceive);
  deliver_all(message(1, 1300), 0);
  deliver_all(message(2, 1200), 1);
  EXPECT_EQ(settle("two messages").size(), 2U);
  EXPECT_EQ(received(0, 1300), as_stored(message(1, 1300)));
  EXPECT_EQ(received(1, 1200), as_stored(message(2, 1200)));
}

TEST_P(Receive, StandsInReceiveQueuesAndNothingElseDoes) {
  open_receive();
  post(kReceive, Descriptor());
  post(kReceive, send_descriptor(source(0, 10), 0));
  settle("not for a receive queue");
  const QueueState state = queue_state(device(), kReceive);
  EXPECT_EQ(state.status, Status::kOpcodeForbidden);
  EXPECT_EQ(state.count, 2U);
  run_now(receive_descriptor(buffer(0, 100)));
  settle("not for a send queue");
  EXPECT_EQ(status(kDoorbellQueue), Status::kOpcodeForbidden);
}

TEST_P(Receive, IsDoneWhenTheWholeMessageIsInMemory) {
  open_receive();
  post(kReceive, receive_descriptor(buffer(0, 2000))
                     .set<d::done_event_valid>(1)
                     .set<d::done_event>(kDoneEvent.value)
                     .set<d::interrupt_done>(1));
  const auto whole = message(1, 600);
  deliver(packet_of(whole, 0, 0));
  settle("half");
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  deliver(packet_of(whole, 512, 0));
  const auto packets = settle("all");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(acknowledges(packets[0], 0));
  EXPECT_EQ(packets[0].header.get<h::target>(), kPeerQueue.value);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  EXPECT_EQ(head(kReceive), 1U);
}

TEST_P(Receive, ThatWaitsIsFlushedByTheConfiguration) {
  open_receive({.completion = static_cast<int>(kCompletions.value)});
  post(kReceive, receive_descriptor(buffer(0, 2000)).set<d::signal>(1));
  deliver(packet_of(message(1, 600), 0, 0));
  settle("half a message");
  clear_causes();
  open_receive({.completion = static_cast<int>(kCompletions.value)});
  settle("configured anew");
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(entry(0).get<layout::completion_entry::status>(), Status::kFlushed);
  EXPECT_EQ(head(kReceive), 0U);
  post(kReceive, receive_descriptor(buffer(1, 2000)));
  deliver(packet_of(message(1, 600), 512, 0));  // of the message of before
  deliver_all(message(2, 300), 0);
  settle("a new message");
  EXPECT_EQ(received(1, 300), as_stored(message(2, 300)));
}

TEST_P(Receive, QueueIsNotFilledByPushesOrGets) {
  open_receive();
  device().write64(registers::client_page::push_queue(0), kReceive.value);
  const Descriptor descriptor = receive_descriptor(buffer(0, 100));
  for (std::uint32_t w = 0; w < 8; ++w) {
    device().write64(registers::client_page::push_data(0, w), descriptor.words()[w]);
  }
  const auto bytes = descriptor.bytes();
  Packet get = put_packet(kPeer, here_, {bytes.begin(), bytes.end()}, kReceive.value, 0);
  get.header.set<h::kind>(Kind::kGet);
  deliver(get);
  const auto packets = settle("neither");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(word_of(packets[0]) & 0xFF, static_cast<std::uint64_t>(Status::kQueueInvalid));
  EXPECT_EQ(device().read64(registers::injection_queue::tail(kReceive.value)), 0U);
}

INSTANTIATE_TEST_SUITE_P(On, Receive, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
