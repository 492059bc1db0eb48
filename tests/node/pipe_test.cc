// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for PIPE, one by one, on the reference model and on the node:
// what the receive queue receives goes out of the send queue. The test is the peer of both.
#include <gtest/gtest.h>

#include "tests/support/pipe_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class Pipe : public PipeTest {};

// --- what it does -------------------------------------------------------------------------------

TEST_P(Pipe, SendsOnWhatTheReceiveQueueReceives) {
  open_queues();
  post(kSend, pipe(3));
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto packets = arrive(i);
    EXPECT_TRUE(has_acknowledged(packets, i));
    EXPECT_EQ(bytes_sent(packets, i), message(i, 700));
    EXPECT_EQ(head(kSend), 0U);
    answer_well(i);
  }
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
  EXPECT_EQ(head(kReceive), 0U);
}

TEST_P(Pipe, SendsAreThoseOfItsQueue) {
  open_queues();
  post(kSend, pipe(1));
  std::vector<Packet> sent_on;
  for (const Packet& packet : arrive(0)) {
    if (kind_of(packet) == Kind::kSend) sent_on.push_back(packet);
  }
  ASSERT_EQ(sent_on.size(), 2U);
  for (const Packet& packet : sent_on) {
    EXPECT_EQ(packet.header.get<h::dst_x>(), kPeer.x);
    EXPECT_EQ(packet.header.get<h::target>(), kPeerQueue.value);
    EXPECT_EQ(word_of(packet), kPipeWord);
    EXPECT_EQ(packet.trailer.get<t::queue>(), kSend.value);
    EXPECT_EQ(packet.trailer.get<t::index>(), 700U);
    EXPECT_EQ(packet.trailer.get<t::sequence_number>(), 0U);
    EXPECT_EQ(packet.trailer.get<t::counter_valid>(), 0U);
  }
  EXPECT_EQ(sent_on[1].header.get<h::offset>(), 512U);
}

TEST_P(Pipe, MessageMayBeShorterThanTheBuffer) {
  open_queues();
  post(kSend, pipe(3));
  EXPECT_EQ(bytes_sent(arrive(0, kBytes), 0), message(0, kBytes));
  EXPECT_EQ(bytes_sent(arrive(1, 1), 1), message(1, 1));
  answer_well(0);
  EXPECT_EQ(bytes_sent(arrive(2, 513), 2), message(2, 513));
}

// Its SEND begins while the last packet is on its way to the memory.
TEST_P(Pipe, SendsTheLastPacketOfAMessageAsItIsInMemory) {
  open_queues();
  post(kSend, pipe(8));
  std::uint32_t number = 0;
  for (const Bytes length : {Bytes{513}, Bytes{700}, kBytes}) {
    for (const bool ahead : {false, true}) {
      SCOPED_TRACE(length * 10 + ahead);
      const auto whole = message(number, length);
      deliver(packet_of(whole, 0, number));
      EXPECT_TRUE(settle("the first packet").empty());
      deliver(packet_of(whole, kSim.payload_bytes, number));
      EXPECT_EQ(bytes_sent(settle("the last"), number), whole);
      ++number;
    }
    answer_well(number - 2);
    answer_well(number - 1);
  }
}

TEST_P(Pipe, MessageLongerThanTheBufferIsRefusedAndTheNextTaken) {
  open_queues();
  post(kSend, pipe(1));
  deliver_all(message(9, kBytes + 1), 0);
  const auto packets = settle("too long");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kLengthTooLong));
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(bytes_sent(arrive(0, kBytes), 0), message(0, kBytes));
  answer_well(0);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Pipe, MessagesFillOneBufferAfterTheOther) {
  open_queues();
  post(kSend, pipe(6));
  for (std::uint32_t i = 0; i < 4; ++i) arrive(i);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(in_buffer(i, 700), as_stored(message(i, 700))) << i;
    EXPECT_EQ(in_buffer(i, kBytes).at(700), std::byte{0}) << i;
  }
  answer_well(0);
  arrive(4);
  EXPECT_EQ(in_buffer(0, 700), as_stored(message(4, 700)));
  EXPECT_EQ(in_buffer(1, 700), as_stored(message(1, 700)));
}

TEST_P(Pipe, BufferTakesAnotherMessageOnlyWhenItsSendIsAcknowledged) {
  open_queues();
  post(kSend, pipe(20));
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(has_acknowledged(arrive(i), i)) << i;
  expect_refused(4);
  deliver(acknowledgement(1));  // the SEND of the second buffer, not of the first
  settle("not in its turn");
  expect_refused(4);
  answer_well(0);
  EXPECT_TRUE(has_acknowledged(arrive(4), 4));
  EXPECT_TRUE(has_acknowledged(arrive(5), 5));
  expect_refused(6);
}

TEST_P(Pipe, TwoSendsAreUnderWayAtMost) {
  open_queues();
  post(kSend, pipe(4));
  EXPECT_EQ(sends(arrive(0, 100)), (Sends{{0, kPipeWord}}));
  EXPECT_EQ(sends(arrive(1, 100)), (Sends{{1, kPipeWord}}));
  EXPECT_TRUE(sends(arrive(2, 100)).empty());
  EXPECT_TRUE(sends(arrive(3, 100)).empty());
  EXPECT_EQ(sends(answer_well(0)), (Sends{{2, kPipeWord}}));
  EXPECT_EQ(sends(answer_well(1)), (Sends{{3, kPipeWord}}));
  answer_well(2);
  EXPECT_EQ(head(kSend), 0U);
  answer_well(3);
  EXPECT_EQ(head(kSend), 1U);
}

// --- through a list of buffers -------------------------------------------------------------------

TEST_P(Pipe, FillsTheBuffersOfItsListInTurn) {
  open_queues();
  // In two regions, at odd places, not in the order of memory, of three sizes.
  const std::array buffers{Source{kTargetRegion, 0x3001, kBytes}, Source{kSourceRegion, 0x801, 20},
                           Source{kTargetRegion, 0x107, 2 * kBytes}};
  constexpr std::array kAt{kTarget + 0x3001, kSource + 0x801, kTarget + 0x107};
  post(kSend, pipe_of(buffers, 7));
  for (std::uint32_t i = 0; i < 7; ++i) {
    const Bytes length = buffers.at(i % 3).length;
    const auto whole = message(i, length);
    const auto before = memory(kAt.at(i % 3) + length, 8);
    const auto packets = arrive(i, length);
    EXPECT_TRUE(has_acknowledged(packets, i)) << i;
    EXPECT_EQ(bytes_sent(packets, i), whole) << i;
    EXPECT_EQ(memory(kAt.at(i % 3), length), as_stored(whole)) << i;
    EXPECT_EQ(memory(kAt.at(i % 3) + length, 8), before) << i;
    answer_well(i);
  }
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Pipe, MessageLongerThanItsOwnBufferOfTheListIsRefused) {
  open_queues();
  const std::array buffers{Source{kTargetRegion, 0, 100}, Source{kTargetRegion, 0x800, 700}};
  post(kSend, pipe_of(buffers, 3));
  deliver_all(message(9, 101), 0);
  EXPECT_TRUE(has_refused(settle("too long for the first"), Status::kLengthTooLong));
  EXPECT_EQ(bytes_sent(arrive(0, 100), 0), message(0, 100));
  EXPECT_EQ(bytes_sent(arrive(1, 700), 1), message(1, 700));
  answer_well(0);
  answer_well(1);
  deliver_all(message(9, 700), 2);
  EXPECT_TRUE(has_refused(settle("too long for the first again"), Status::kLengthTooLong));
  EXPECT_EQ(bytes_sent(arrive(2, 1), 2), message(2, 1));
}

TEST_P(Pipe, ListHasOneToSixteenBuffers) {
  for (const std::uint32_t count : {1U, 2U, 15U, 16U}) {
    SCOPED_TRACE(count);
    open_queues();
    std::vector<Source> buffers;
    for (std::uint32_t i = 0; i < count; ++i) {
      buffers.push_back({kTargetRegion, (5 * i + 3) % 16 * Bytes{0x400}, 0x400 - i});
    }
    post(kSend, pipe_of(buffers, 100));
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(has_acknowledged(arrive(i, 60), i));
    expect_refused(count);
    answer_well(0);
    EXPECT_TRUE(has_acknowledged(arrive(count, 60), count));
    expect_refused(count + 1);
  }
}

// Two at once, each with its own, and one without.
TEST_P(Pipe, ListsOfSeveralAreTheirOwn) {
  open_queues();
  open(kOtherReceive, QueueMode::kPiped, kPeer, kPeerQueue);
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  const std::array one{Source{kTargetRegion, 0x100, 70}, Source{kTargetRegion, 0x200, 70}};
  post(kSend, pipe_of(one, 2));
  settle("the first has begun");
  const std::array two{Source{kTargetRegion, 0x4000, 70}};
  device().store(kList + 0x100, list_of(two));
  post(kOther, pipe_through({kSourceRegion, kListOffset + 0x100, 16}, {1, kOtherReceive}, 5));
  settle("both have begun");
  // The first list is not looked at any more.
  device().store(kList, std::vector<std::byte>(32));
  EXPECT_EQ(bytes_sent(arrive(0, 70), 0), message(0, 70));
  EXPECT_EQ(bytes_sent(arrive(1, 70), 1), message(1, 70));
  EXPECT_EQ(memory(kTarget + 0x200, 70), as_stored(message(1, 70)));
  answer_well(0);
  answer_well(1);
  EXPECT_EQ(status(kSend), Status::kOk);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(head(kOther), 0U);
}

// --- at the origin and at the target -------------------------------------------------------------

TEST_P(Pipe, SendsABufferInPieces) {
  open_queues();
  post(kSend, pipe_from({kSourceRegion, 40, 2 * kBytes + 300}, kBytes, kPipeWord));
  const auto packets = settle("two pieces");
  const auto piece = [&](std::uint32_t i, Bytes length) {
    return memory(kSource + 40 + i * kBytes, length);
  };
  EXPECT_EQ(as_stored(bytes_sent(packets, 0)), piece(0, kBytes));
  EXPECT_EQ(as_stored(bytes_sent(packets, 1)), piece(1, kBytes));
  EXPECT_TRUE(bytes_sent(packets, 2).empty()) << "two are under way at most";
  EXPECT_EQ(as_stored(bytes_sent(answer_well(0), 2)), piece(2, 300));
  answer_well(1);
  EXPECT_EQ(head(kSend), 0U);
  answer_well(2);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Pipe, StoresMessagesOneBehindTheOther) {
  open_queues();
  run_now(pipe_into({kTargetRegion, 40, 2 * kBytes + 300}, kReceive, kBytes));
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(head(kDoorbellQueue), 0U);
    const Bytes length = i == 2 ? 300 : kBytes;
    const auto packets = arrive(i, length);
    EXPECT_TRUE(has_acknowledged(packets, i));
    EXPECT_EQ(count(packets, Kind::kSend), 0U);
    EXPECT_EQ(memory(kTarget + 40 + i * kBytes, length), as_stored(message(i, length))) << i;
  }
  EXPECT_EQ(head(kDoorbellQueue), 1U);
  EXPECT_EQ(status(kDoorbellQueue), Status::kOk);
  expect_refused(3);
}

TEST_P(Pipe, StoresNoMoreOfTheLastMessageThanFits) {
  open_queues();
  run_now(pipe_into({kTargetRegion, 0, kBytes + 300}, kReceive, kBytes));
  arrive(0, kBytes);
  deliver_all(message(1, 301), 1);
  EXPECT_TRUE(has_refused(settle("too long"), Status::kLengthTooLong));
  EXPECT_TRUE(has_acknowledged(arrive(1, 300), 1));
  EXPECT_EQ(head(kDoorbellQueue), 1U);
}

TEST_P(Pipe, WorksWithOneBuffer) {
  open_queues();
  post(kSend, pipe(3, 1));
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bytes_sent(arrive(i), i), message(i, 700));
    EXPECT_FALSE(has_acknowledged(arrive(i + 1), i + 1)) << "there is no other buffer";
    answer_well(i);
  }
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(Pipe, UsesSixteenBuffersAtMost) {
  open_queues();
  post(kSend, pipe_descriptor({kTargetRegion, 0, 20 * 64}, {100, kReceive, 64}, kPipeWord));
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_TRUE(has_acknowledged(arrive(i, 64), i)) << i;
  expect_refused(16);
  EXPECT_EQ(memory(kTarget + 16 * Bytes{64}, 64), nothing(64));
}

TEST_P(Pipe, UsesOnlyBuffersThatFitInWhole) {
  open_queues();
  post(kSend, pipe_descriptor({kTargetRegion, 0, 3 * kBytes - 1}, {100, kReceive, kBytes}, 0));
  EXPECT_TRUE(has_acknowledged(arrive(0), 0));
  EXPECT_TRUE(has_acknowledged(arrive(1), 1));
  expect_refused(2);
}

TEST_P(Pipe, TakesNoMoreMessagesThanItIsToldTo) {
  open_queues();
  post(kSend, pipe(2));
  arrive(0);
  arrive(1);
  expect_refused(2);
}

TEST_P(Pipe, RefusedSendGoesOutAgainFromItsBuffer) {
  open_queues();
  retry_after(kRetry);
  post(kSend, pipe(2));
  arrive(0);
  arrive(1);
  deliver(refusal(0, Status::kReceiveDisabled));
  pass(kRetry + 5000);
  const auto packets = settle("both again");
  EXPECT_EQ(bytes_sent(packets, 0), message(0, 700));
  EXPECT_EQ(bytes_sent(packets, 1), message(1, 700));
  answer_well(0);
  answer_well(1);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(Pipe, HoldsItsQueueUntilTheLastSendIsAcknowledged) {
  open_queues();
  write(kSend, pipe(1));
  write(kSend, put_descriptor(here_, source(0, 40), kTargetRegion, 0x8000, {}));
  ring(kSend);
  arrive(0);
  EXPECT_EQ(memory(kTarget + 0x8000, 40), nothing(40));
  answer_well(0);
  EXPECT_EQ(memory(kTarget + 0x8000, 40), sent(0, 40));
  EXPECT_EQ(head(kSend), 2U);
}

TEST_P(Pipe, MessageIsRefusedWithoutItAndTakenWithIt) {
  open_queues();
  expect_refused(0);
  post(kSend, pipe(1));
  EXPECT_EQ(bytes_sent(arrive(0), 0), message(0, 700));
  answer_well(0);
  expect_refused(1);
}

TEST_P(Pipe, NumbersAreThoseOfTheQueue) {
  open_queues();
  post(kSend, send_descriptor(source(0, 8), 1));
  write(kSend, pipe(1));
  write(kSend, pipe(1));
  write(kSend, send_descriptor(source(1, 8), 2));
  ring(kSend);
  EXPECT_EQ(sends(settle("a SEND")), (Sends{{0, 1}}));
  answer_well(0);
  EXPECT_EQ(sends(arrive(0, 8)), (Sends{{1, kPipeWord}}));
  expect_refused(1);
  answer_well(1);
  EXPECT_EQ(sends(arrive(1, 8)), (Sends{{2, kPipeWord}}));
  EXPECT_EQ(sends(answer_well(2)), (Sends{{3, 2}}));
  answer_well(3);
  EXPECT_EQ(head(kSend), 4U);
}

TEST_P(Pipe, FourRunAtOnceAndTheNextWaitsUntilOneHasEnded) {
  constexpr std::uint32_t kPipes = 5, kFirst = 22;
  const auto receive = [](std::uint32_t i) { return QueueId{kFirst + 2 * i}; };
  const auto send = [](std::uint32_t i) { return QueueId{kFirst + 2 * i + 1}; };
  const auto arrive_at = [&](std::uint32_t i, std::uint32_t number) {
    Packet packet = packet_of(message(i, 80), 0, number);
    packet.header.set<h::target>(receive(i).value);
    deliver(packet);
    return settle("a message for PIPE " + std::to_string(i));
  };
  for (std::uint32_t i = 0; i < kPipes; ++i) {
    open(receive(i), QueueMode::kPiped, kPeer, kPeerQueue);
    open(send(i), QueueMode::kDoorbell, kPeer, kPeerQueue);
    post(send(i), pipe_descriptor({kTargetRegion, i * 0x800, 500}, {2, receive(i), 100}, i));
    settle("it starts");
  }
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(sends(arrive_at(i, 0)), (Sends{{0, i}})) << i;
  EXPECT_TRUE(has_refused(arrive_at(4, 0), Status::kReceiveDisabled));
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(sends(arrive_at(i, 1)), (Sends{{1, i}})) << i;
  for (const std::uint32_t number : {0U, 1U}) {
    EXPECT_TRUE(has_refused(arrive_at(4, 0), Status::kReceiveDisabled));
    Packet answer = acknowledgement(number);
    answer.header.set<h::target>(send(2).value);
    deliver(answer);
    settle("acknowledged");
  }
  EXPECT_EQ(head(send(2)), 1U);
  EXPECT_EQ(sends(arrive_at(4, 0)), (Sends{{0, 4}}));
  for (std::uint32_t i = 0; i < kPipes; ++i) {
    EXPECT_EQ(memory(kTarget + i * 0x800, 80), as_stored(message(i, 80))) << i;
  }
}

TEST_P(Pipe, AnotherFromTheSameQueueWaitsUntilItHasEnded) {
  open_queues();
  open(kOtherReceive, QueueMode::kPiped, kPeer, kPeerQueue);
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  post(kSend, pipe(1));
  settle("it runs");
  post(kOther, pipe_descriptor({kTargetRegion, 0x8000, 500}, {1, kReceive, 100}, 6));
  run_now(pipe_into({kTargetRegion, 0x9000, 100}, kOtherReceive, 100));
  settle("the others wait, or run");
  Packet packet = packet_of(message(5, 80), 0, 0);
  packet.header.set<h::target>(kOtherReceive.value);
  deliver(packet);
  settle("a message for one that has its own");
  EXPECT_EQ(head(kDoorbellQueue), 1U);
  arrive(0);
  expect_refused(1);
  answer_well(0);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(sends(arrive(1, 80)), (Sends{{0, 6}}));
}

TEST_P(Pipe, JoinsTwoPairsOfThisNode) {
  constexpr std::uint32_t kMessages = 8;
  constexpr Cycles kShort = 1 << 13;
  retry_after(kShort);
  open(kOther, QueueMode::kDoorbell, here_, kReceive);
  open(kReceive, QueueMode::kPiped, here_, kOther);
  open(kSend, QueueMode::kDoorbell, here_, kOtherReceive);
  open(kOtherReceive, QueueMode::kReceive, here_, kSend);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    write(kOther, send_descriptor(source(i, 700 + i), i));
    write(kOtherReceive, receive_descriptor({kReadableRegion, i * kBytes, kBytes}));
  }
  ring(kOtherReceive);
  ring(kOther);
  post(kSend, pipe(kMessages));
  pass(40 * kShort);
  settle("all");
  EXPECT_EQ(head(kOther), kMessages);
  EXPECT_EQ(head(kOtherReceive), kMessages);
  EXPECT_EQ(head(kSend), 1U);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    EXPECT_EQ(memory(kReadable + i * kBytes, 700 + i), sent(i, 700 + i)) << i;
  }
}

// --- what it tells ------------------------------------------------------------------------------

TEST_P(Pipe, TellsWhenTheLastMessageIsAcknowledged) {
  open_queues({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, pipe(2)
                  .set<d::done_event_valid>(1)
                  .set<d::done_event>(kDoneEvent.value)
                  .set<d::interrupt_done>(1)
                  .set<d::signal>(1)
                  .set<d::sequence_number>(77));
  arrive(0);
  arrive(1);
  answer_well(0);
  EXPECT_EQ(own().read_event(kDoneEvent), 0U);
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  answer_well(1);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kOk);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kPipe);
  EXPECT_EQ(entry(0).get<e::queue>(), kSend.value);
  EXPECT_EQ(entry(0).get<e::bytes>(), 4 * kBytes);
  EXPECT_EQ(entry(0).get<e::word>(), kPipeWord);
  EXPECT_EQ(entry(0).get<e::sequence_number>(), 77U);
}

TEST_P(Pipe, BumpsTheCounterOfThePeerOnceUnlessADoneEventIsNamed) {
  open_queues({.event = static_cast<int>(kEvent.value)});
  post(kSend, pipe(2));
  for (std::uint32_t i = 0; i < 2; ++i) {
    arrive(i);
    answer_well(i);
  }
  EXPECT_EQ(own().read_event(kEvent), 1U);
}

TEST_P(Pipe, NothingHereTellsOfASingleMessage) {
  open(kReceive, QueueMode::kPiped, kPeer, kPeerQueue,
       {.event = static_cast<int>(kEvent.value),
        .completion = static_cast<int>(kCompletions.value)});
  open_send();
  post(kSend, pipe(2));
  arrive(0);
  answer_well(0);
  EXPECT_EQ(own().read_event(kEvent), 0U);
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
  EXPECT_FALSE(has_cause(Cause::kDone));
  EXPECT_FALSE(has_cause(Cause::kArrived));
}

TEST_P(Pipe, MessageThatArrivesBumpsTheCountersItNames) {
  open_queues();
  post(kSend, pipe(2));
  for (const Bytes offset : {0, 512}) {
    Packet packet = packet_of(message(0, 700), offset, 0);
    packet.trailer.set<t::counter_valid>(1)
        .set<t::counter>(kCounter.value)
        .set<t::event_valid>(1)
        .set<t::event_counter>(kEvent.value)
        .set<t::interrupt>(1);
    deliver(packet);
  }
  settle("stored");
  EXPECT_EQ(own().read_counter(kCounter), kPreload - 700);
  EXPECT_EQ(own().read_event(kEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kArrived));
}

TEST_P(Pipe, SendsNameTheCountersOfThePipe) {
  open_queues();
  post(kSend, pipe(1, 4, {.counter = 3, .event = 9}));
  for (const Packet& packet : arrive(0)) {
    if (kind_of(packet) != Kind::kSend) continue;
    EXPECT_EQ(packet.trailer.get<t::counter_valid>(), 1U);
    EXPECT_EQ(packet.trailer.get<t::counter>(), 3U);
    EXPECT_EQ(packet.trailer.get<t::event_valid>(), 1U);
    EXPECT_EQ(packet.trailer.get<t::event_counter>(), 9U);
  }
  answer_well(0);
  EXPECT_EQ(head(kSend), 1U);
}

// --- mode PIPED ---------------------------------------------------------------------------------

TEST_P(Pipe, ItsReceiveQueueTakesNothingFromSoftwareOrTheNetwork) {
  open_queues();
  post(kReceive, receive_descriptor(buffer(0, 100)));
  const std::uint64_t page = device().read64(registers::client_page::page_status(kOwner.value));
  EXPECT_EQ(static_cast<Status>(extract(page, registers::client_page::page_status_field::status)),
            Status::kDoorbellOwner);
  const auto bytes = Descriptor().bytes();
  Packet get = put_packet(kPeer, here_, {bytes.begin(), bytes.end()}, kReceive.value, 0);
  get.header.set<h::kind>(Kind::kGet);
  deliver(get);
  const auto packets = settle("neither");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(word_of(packets[0]) & 0xFF, static_cast<std::uint64_t>(Status::kQueueInvalid));
  EXPECT_EQ(device().read64(registers::injection_queue::tail(kReceive.value)), 0U);
}

TEST_P(Pipe, ItsReceiveQueueTakesMessagesOfItsPeerAlone) {
  open_queues();
  post(kSend, pipe(1));
  Packet packet = packet_of(message(1, 100), 0, 0);
  packet.header.set<h::src_x>(kStranger.x);
  deliver(packet);
  EXPECT_TRUE(has_refused(settle("a stranger's"), Status::kPermission));
  EXPECT_TRUE(has_acknowledged(arrive(0), 0));
}

TEST_P(Pipe, ItsReceiveQueueIsNeitherCyclicNorManaged) {
  for (const QueueRules rules : {QueueRules{.cyclic = true}, QueueRules{.managed = true}}) {
    open(kReceive, QueueMode::kPiped, kPeer, kPeerQueue, {}, rules);
    EXPECT_EQ(device().read64(registers::injection_queue::config(kReceive.value)), 0U);
  }
  settle("refused");
}

INSTANTIATE_TEST_SUITE_P(On, Pipe, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
