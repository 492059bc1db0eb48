// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for RECEIVEs of dynamically connected queues, and what such a
// queue takes of whom, one by one, on the reference model and on the node. The test is all senders.
#include <gtest/gtest.h>

#include "tests/support/dynamic_queue_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class DynamicReceive : public DynamicQueueTest {
 protected:
  static constexpr QueueId kUnconnected{17};
  static Descriptor into_no_memory() {
    return receive_descriptor({kHugeRegion, Bytes{1} << 30, kBytes}).set<d::signal>(1);
  }
};

// --- the RECEIVE --------------------------------------------------------------------------------

TEST_P(DynamicReceive, LeavesItsQueueWithTheFirstPacketAndIsDoneWithTheLast) {
  open_dynamic_receive(kTold);
  post(kReceive, receive_descriptor(buffer(0, kBytes))
                     .set<d::done_event_valid>(1)
                     .set<d::done_event>(kDoneEvent.value)
                     .set<d::interrupt_done>(1)
                     .set<d::signal>(1));
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_EQ(head(kReceive), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  EXPECT_EQ(arrives({0}, 2), Told{kStored});
  expect_stored(0, {0});
  EXPECT_EQ(head(kReceive), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
}

TEST_P(DynamicReceive, FreesItsSlotWithTheFirstPacket) {
  open_dynamic_receive({}, {}, 2);
  post_receives(2);
  begin_messages(2);
  post_receives(2, 2);
  EXPECT_EQ(device().read64(registers::injection_queue::tail(kReceive.value)), 4U);
  EXPECT_EQ(arrives({2}), Told{kStored});
  expect_stored(2, {2});
}

TEST_P(DynamicReceive, IsCountedByAWaitWithItsFirstPacket) {
  open_dynamic_receive();
  post_receives(1);
  open_send();
  post(kSend, wait_for_queue(kReceive, 1));
  settle("it waits");
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(DynamicReceive, BumpsTheCounterOfThePeerRegisterUnlessADoneEventIsNamed) {
  open_dynamic_receive({.event = static_cast<int>(kEvent.value)});
  post(kReceive, receive_descriptor(buffer(0, kBytes)));
  post(kReceive, receive_descriptor(buffer(1, kBytes))
                     .set<d::done_event_valid>(1)
                     .set<d::done_event>(kDoneEvent.value));
  take_messages(2);
  EXPECT_EQ(own().read_event(kEvent), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
}

TEST_P(DynamicReceive, BumpsTheCountersThatTheSendNamesAtTheEndOfTheMessage) {
  open_dynamic_receive();
  post_receives(1);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(own().read_counter(kCounter), kPreload);
    EXPECT_EQ(own().read_event(kEvent), 0U);
    EXPECT_FALSE(has_cause(Cause::kArrived));
    Packet part = packet({0}, i);
    part.trailer.set<t::counter_valid>(1)
        .set<t::counter>(kCounter.value)
        .set<t::event_valid>(1)
        .set<t::event_counter>(kEvent.value)
        .set<t::interrupt>(1);
    told({0}, {part});
  }
  EXPECT_EQ(own().read_counter(kCounter), kPreload - kBytes);
  EXPECT_EQ(own().read_event(kEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kArrived));
}

TEST_P(DynamicReceive, EntriesComeInTheOrderInWhichMessagesEnd) {
  open_dynamic_receive(kTold);
  for (std::uint32_t i = 0; i < 3; ++i) {
    post(kReceive,
         receive_descriptor(buffer(i, kBytes)).set<d::signal>(1).set<d::sequence_number>(50 + i));
  }
  begin_messages(3);
  constexpr std::array<std::uint32_t, 3> kOrder{1, 2, 0};
  for (const std::uint32_t i : kOrder) {
    EXPECT_EQ(arrives({i}, 1), Told{});
    EXPECT_EQ(arrives({i}, 2), Told{kStored});
  }
  ASSERT_EQ(own().completion_tail(kCompletions), 3U);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    const std::uint32_t i = kOrder.at(slot);
    const CompletionEntry found = entry(slot);
    EXPECT_EQ(found.get<e::status>(), Status::kOk);
    EXPECT_EQ(found.get<e::opcode>(), Opcode::kReceive);
    EXPECT_EQ(found.get<e::queue>(), kReceive.value);
    EXPECT_EQ(found.get<e::index>(), i);
    EXPECT_EQ(found.get<e::bytes>(), kBytes);
    EXPECT_EQ(found.get<e::word>(), kWord + i);
    EXPECT_EQ(found.get<e::sequence_number>(), 50 + i);
    EXPECT_EQ(found.get<e::peer_x>(), sender(i).node.x);
    EXPECT_EQ(found.get<e::peer_y>(), 1U);
    EXPECT_EQ(found.get<e::peer_z>(), 1U);
    EXPECT_EQ(found.get<e::peer_queue>(), sender(i).queue.value);
  }
}

TEST_P(DynamicReceive, ManagedQueueTakesOnlyWhatIsEnabled) {
  open_dynamic_receive({}, {.managed = true});
  post_receives(3);
  EXPECT_EQ(arrives({0}), Told{Status::kReceiveDisabled});
  run_now(enable_receives(kReceive, 1));
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(arrives({1}), Told{Status::kReceiveDisabled}) << "the one enabled has left the queue";
  run_now(enable_receives(kReceive, 3, true));
  EXPECT_EQ(arrives({1}), Told{kStored});
  EXPECT_EQ(arrives({2}), Told{kStored});
  EXPECT_EQ(head(kReceive), 3U);
}

TEST_P(DynamicReceive, CyclicQueuePostsItsReceivesAgain) {
  open_dynamic_receive(kTold, {.cyclic = true}, 2);
  post_receives(2);
  take_messages(5);
  EXPECT_EQ(head(kReceive), 5U);
  EXPECT_EQ(entry(4).get<e::index>(), 4U);
  expect_stored(0, {4});
  expect_stored(1, {3});
}

TEST_P(DynamicReceive, ThatIsBadEndsAndTheNextTakesTheMessage) {
  open_dynamic_receive();
  post(kReceive, receive_descriptor({kForeignRegion, 0, kBytes}));
  post(kReceive, send_descriptor(source(0, 10), 0));
  post_receives(1);
  EXPECT_EQ(arrives({0}), Told{kStored});
  expect_stored(0, {0});
  const QueueState state = queue_state(device(), kReceive);
  EXPECT_EQ(state.status, Status::kPermission);
  EXPECT_EQ(state.count, 2U);
  EXPECT_EQ(head(kReceive), 3U);
}

TEST_P(DynamicReceive, ThatWaitsIsFlushedByTheConfiguration) {
  open_dynamic_receive(kTold);
  post_receives(1);
  settle("it waits");
  open_dynamic_receive(kTold);
  settle("configured anew");
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  EXPECT_TRUE(has_cause(Cause::kError));
}

// --- errors of the memory -----------------------------------------------------------------------

TEST_P(DynamicReceive, MemoryErrorIsToldToEntryAndSenderAndDoesNotHaltTheQueue) {
  open_dynamic_receive(kTold, {.halt_on_error = true});
  post(kReceive, into_no_memory());
  post_receives(1);
  EXPECT_EQ(arrives({0}), Told{Status::kMemoryError});
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kMemoryError);
  EXPECT_EQ(entry(0).get<e::index>(), 0U);
  EXPECT_EQ(entry(0).get<e::peer_queue>(), sender(0).queue.value);
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_FALSE(queue_state(device(), kReceive).halted);
  EXPECT_EQ(arrives({1}), Told{kStored});
  expect_stored(0, {1});
}

TEST_P(DynamicReceive, ThatFailedBumpsNothing) {
  open_dynamic_receive({.event = static_cast<int>(kEvent.value)});
  post(kReceive, into_no_memory().set<d::interrupt_done>(1));
  Packet whole = packet({.length = 100}, 0);
  whole.trailer.set<t::event_valid>(1).set<t::event_counter>(kDoneEvent.value);
  EXPECT_EQ(told({.length = 100}, {whole}), Told{Status::kMemoryError});
  EXPECT_EQ(own().read_event(kEvent), 0U);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
}

// --- who may send -------------------------------------------------------------------------------

TEST_P(DynamicReceive, QueueThatIsNoReceiveQueueIsInvalid) {
  own().open_queue(kOther, ring_of(kOther), kSlots, QueueMode::kReceive);  // without a peer
  open_dynamic(kSend, QueueMode::kDoorbell);
  open_with(kUnconnected, QueueMode::kReceive, peer_of_no_account(0));
  for (const QueueId queue : {QueueId{200}, kOffQueue, kSend, kOther, kUnconnected}) {
    std::vector<Packet> packets{packet({0}, 0), packet({0}, 1), packet({0}, 2)};
    for (Packet& each : packets) each.header.set<h::target>(queue.value);
    EXPECT_EQ(told({0}, packets), Told{Status::kQueueInvalid}) << queue.value;
  }
}

TEST_P(DynamicReceive, QueueWithAPeerOfItsOwnRefusesADynamicSend) {
  open_receive();
  post_receives(1);
  EXPECT_EQ(sender(0).queue.value, kPeerQueue.value) << "its peer, were it not dynamic";
  EXPECT_EQ(arrives({0}), Told{Status::kPermission});
  EXPECT_EQ(head(kReceive), 0U);
}

TEST_P(DynamicReceive, SendOfAQueueWithAPeerIsRefused) {
  open_with(kReceive, QueueMode::kReceive, peer_of_no_account(1));
  post_receives(1);
  deliver_all(message(1, kBytes), 0);
  const auto packets = settle("a SEND of a pair");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kPermission));
  EXPECT_EQ(head(kReceive), 0U);
}

// --- messages side by side ----------------------------------------------------------------------

TEST_P(DynamicReceive, MessagesOfSeveralSendersInterleavePacketByPacket) {
  open_dynamic_receive();
  post_receives(4);
  begin_messages(4);
  for (const std::uint32_t i : {3U, 1U, 0U, 2U}) EXPECT_EQ(arrives({i}, 1), Told{}) << i;
  for (const std::uint32_t i : {2U, 0U, 3U, 1U}) EXPECT_EQ(arrives({i}, 2), Told{kStored}) << i;
  for (std::uint32_t i = 0; i < 4; ++i) expect_stored(i, {i});
}

TEST_P(DynamicReceive, MessagesMayBeOfAnyLengths) {
  open_dynamic_receive();
  post_receives(4);
  constexpr std::array<Bytes, 4> kLengths{1, 512, 513, kBytes};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Copy copy{.sender = i, .length = kLengths.at(i)};
    EXPECT_EQ(arrives(copy), Told{kStored});
    expect_stored(i, copy);
    EXPECT_EQ(memory(kTarget + buffer(i, 0).offset + copy.length, 16), nothing(16));
  }
}

TEST_P(DynamicReceive, MessagesOfOneSenderToTwoQueuesAreTwoMessages) {
  open_dynamic_receive();
  open_dynamic(kOtherReceive, QueueMode::kReceive);
  post_receives(1);
  post(kOtherReceive, receive_descriptor(buffer(1, kBytes)));
  EXPECT_EQ(arrives({0}, 0), Told{});
  std::vector<Packet> others;
  for (unsigned i = 0; i < 3; ++i) {
    others.push_back(packet({.number = 1}, i));
    others.back().header.set<h::target>(kOtherReceive.value);
  }
  EXPECT_EQ(told({.number = 1}, others), Told{kStored});
  expect_stored(1, {.number = 1});
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_EQ(arrives({0}, 2), Told{kStored});
  expect_stored(0, {0});
}

TEST_P(DynamicReceive, NinthMessageIsRefusedAndTakenOnceAContextIsFree) {
  open_dynamic_receive();
  post_receives(kContexts + 1);
  begin_messages(kContexts);
  EXPECT_EQ(arrives({kContexts}), Told{Status::kReceiveDisabled});
  EXPECT_EQ(head(kReceive), kContexts);
  EXPECT_EQ(arrives({5}, 1), Told{});
  EXPECT_EQ(arrives({5}, 2), Told{kStored});
  EXPECT_EQ(arrives({kContexts}), Told{kStored});
  expect_stored(5, {5});
  expect_stored(kContexts, {kContexts});
  for (const std::uint32_t i : {0U, 7U}) {
    EXPECT_EQ(arrives({i}, 1), Told{});
    EXPECT_EQ(arrives({i}, 2), Told{kStored});
    expect_stored(i, {i});
  }
}

TEST_P(DynamicReceive, MessageThatFindsNoReceiveIsRefusedWholeAndOnce) {
  open_dynamic_receive();
  EXPECT_EQ(arrives({0}), Told{Status::kReceiveDisabled});
  EXPECT_EQ(arrives({0}, 0), Told{Status::kReceiveDisabled});
  post_receives(1);
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_EQ(arrives({0}, 2), Told{});
  expect_empty(0);
  EXPECT_EQ(head(kReceive), 0U);
  EXPECT_EQ(arrives({0}), Told{kStored});
  expect_stored(0, {0});
}

TEST_P(DynamicReceive, MessageLongerThanTheBufferIsRefusedAndTheReceiveWaitsOn) {
  open_dynamic_receive();
  post_receives(1);
  EXPECT_EQ(arrives({.length = kBytes + 1}), Told{Status::kLengthTooLong});
  EXPECT_EQ(head(kReceive), 0U);
  expect_empty(0);
  EXPECT_EQ(arrives({1}), Told{kStored});
  expect_stored(0, {1});
}

TEST_P(DynamicReceive, SendThatNamesACounterOfAnotherClientIsRefusedAndTheReceiveWaitsOn) {
  open_dynamic_receive();
  post_receives(1);
  Packet byte = packet({0}, 0);
  byte.trailer.set<t::counter_valid>(1).set<t::counter>(kForeignCounter.value);
  EXPECT_EQ(told({0}, {byte}), Told{Status::kCounterInvalid});
  Packet event = packet({0}, 0);
  event.trailer.set<t::event_valid>(1).set<t::event_counter>(kForeignEvent.value);
  EXPECT_EQ(told({0}, {event}), Told{Status::kCounterInvalid});
  EXPECT_EQ(head(kReceive), 0U);
}

INSTANTIATE_TEST_SUITE_P(On, DynamicReceive, ::testing::Values(On::kModel, On::kNode),
                         name_of_case);

}  // namespace
}  // namespace torusmu::testing
