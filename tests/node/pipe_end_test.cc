// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for a PIPE that is refused, fails or is flushed, one by one, on
// the reference model and on the node. The test is the peer of both queues.
#include <gtest/gtest.h>

#include "tests/support/pipe_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;

class PipeEnd : public PipeTest {};

// --- how it is refused --------------------------------------------------------------------------

TEST_P(PipeEnd, WithoutMessagesOrBytesIsRefused) {
  const auto of = [](std::uint32_t messages, std::uint32_t buffer_bytes, Bytes length) {
    return pipe_descriptor({kTargetRegion, 0, length}, {messages, kReceive, buffer_bytes}, 0);
  };
  EXPECT_EQ(ends(of(0, 100, 400)), Status::kLengthZero);
  EXPECT_EQ(ends(of(4, 0, 400)), Status::kLengthZero);
  EXPECT_EQ(ends(of(4, 100, 0)), Status::kLengthZero);
  EXPECT_EQ(ends(of(4, 401, 400)), Status::kLengthTooLong);
}

TEST_P(PipeEnd, OfPiecesWithoutBytesIsRefused) {
  for (const bool origin : {false, true}) {
    const auto of = [&](std::uint32_t piece, Bytes length) {
      const Source buffer{kTargetRegion, 0, length};
      return origin ? pipe_from(buffer, piece, 0) : pipe_into(buffer, kReceive, piece);
    };
    EXPECT_EQ(ends(of(0, 400)), Status::kLengthZero);
    EXPECT_EQ(ends(of(100, 0)), Status::kLengthZero);
    EXPECT_EQ(ends(of(401, 400)), Status::kLengthTooLong);
    EXPECT_EQ(ends(of(8, 400).set<d::source_region>(kForeignRegion.value)), Status::kPermission);
    EXPECT_EQ(ends(of(8, kRegionBytes + 1)), Status::kRegionBounds);
  }
}

TEST_P(PipeEnd, OfPiecesUsesNoFieldsButItsOwn) {
  namespace p = layout::pipe_operation;
  const Source buffer{kTargetRegion, 0, 400};
  const auto with = [](Descriptor descriptor, auto set) {
    auto operation = PipeOperation::from_bytes(descriptor.get<d::immediate>());
    set(operation);
    return descriptor.set<d::immediate>(operation.bytes());
  };
  const auto messages = [](PipeOperation& x) { x.set<p::messages>(1); };
  const auto receive_queue = [](PipeOperation& x) { x.set<p::receive_queue>(kReceive.value); };
  const auto both = [](PipeOperation& x) { x.set<p::origin>(1).set<p::target>(1); };
  const Descriptor from = pipe_from(buffer, 100, 0), into = pipe_into(buffer, kReceive, 100);
  EXPECT_EQ(ends(with(from, messages)), Status::kReservedBits);
  EXPECT_EQ(ends(with(into, messages)), Status::kReservedBits);
  EXPECT_EQ(ends(with(from, receive_queue)), Status::kReservedBits);
  EXPECT_EQ(ends(with(from, both)), Status::kReservedBits);
  EXPECT_EQ(ends(with(into, both)), Status::kReservedBits);
  // What it stores tells no counter but its own.
  EXPECT_EQ(ends(Descriptor(into).set<d::counter_valid>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(Descriptor(into).set<d::event_valid>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(Descriptor(into).set<d::interrupt_target>(1)), Status::kReservedBits);
}

TEST_P(PipeEnd, UsesNoFieldsButItsOwn) {
  const auto in_header = [](auto set) {
    PacketHeader header = PacketHeader().set<h::word>(kPipeWord);
    set(header);
    return pipe(1).set<d::header>(header);
  };
  const auto in_operation = [](unsigned byte) {
    auto bytes = pipe(1).get<d::immediate>();
    bytes.at(byte) = 1;
    return pipe(1).set<d::immediate>(bytes);
  };
  EXPECT_EQ(ends(pipe(1).set<d::immediate_valid>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(pipe(1).set<d::on_queue>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(pipe(1).set<d::relative>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(pipe(1).set<d::operands>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(pipe(1).set<d::reflect>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(pipe(1).set<d::injection_counter_valid>(1)), Status::kReservedBits);
  EXPECT_EQ(ends(in_header([](PacketHeader& x) { x.set<h::dst_x>(1); })), Status::kReservedBits);
  EXPECT_EQ(ends(in_header([](PacketHeader& x) { x.set<h::target>(1); })), Status::kReservedBits);
  EXPECT_EQ(ends(in_header([](PacketHeader& x) { x.set<h::offset>(1); })), Status::kReservedBits);
  for (const unsigned byte : {9U, 11U, 12U, 15U}) {
    EXPECT_EQ(ends(in_operation(byte)), Status::kReservedBits) << byte;
  }
}

// --- a list of buffers --------------------------------------------------------------------------

TEST_P(PipeEnd, OfAListThatMayNotBeIsRefused) {
  namespace p = layout::pipe_operation;
  const auto of = [](Source list, std::uint32_t messages = 1) {
    return pipe_through(list, {messages, kReceive}, 0);
  };
  const auto with = [&](auto set) {
    PipeOperation operation = PipeOperation::from_bytes(of({}).get<d::immediate>());
    set(operation);
    return of({kSourceRegion, 0, 32}).set<d::immediate>(operation.bytes());
  };
  EXPECT_EQ(ends(of({kSourceRegion, 0, 0})), Status::kLengthZero);
  EXPECT_EQ(ends(of({kSourceRegion, 0, 32}, 0)), Status::kLengthZero);
  EXPECT_EQ(ends(of({kSourceRegion, 0, 24})), Status::kLengthTooLong);
  EXPECT_EQ(ends(of({kSourceRegion, 0, 17 * 16})), Status::kLengthTooLong);
  EXPECT_EQ(ends(of({kClosedRegion, 0, 32})), Status::kRegionInvalid);
  EXPECT_EQ(ends(of({kForeignRegion, 0, 32})), Status::kPermission);
  EXPECT_EQ(ends(of({kSourceRegion, kRegionBytes - 16, 32})), Status::kRegionBounds);
  EXPECT_EQ(ends(with([](auto& x) { x.template set<p::buffer_bytes>(8); })), Status::kReservedBits);
  EXPECT_EQ(ends(with([](auto& x) { x.template set<p::target>(1).template set<p::messages>(0); })),
            Status::kReservedBits);
  EXPECT_EQ(ends(with([](auto& x) {
              x.template set<p::origin>(1).template set<p::messages>(0);
              x.template set<p::receive_queue>(0);
            })),
            Status::kReservedBits);
}

// Whichever of its entries it is; the others are good.
TEST_P(PipeEnd, OfAListWithABadBufferIsRefusedAndNothingIsWritten) {
  const std::vector<std::pair<Source, Status>> bad{
      {{kTargetRegion, 0, 0}, Status::kLengthZero},
      {{kClosedRegion, 0, 8}, Status::kRegionInvalid},
      {{kForeignRegion, 0, 8}, Status::kPermission},
      {{kTargetRegion, kRegionBytes - 15, 16}, Status::kRegionBounds}};
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}, std::size_t{15}}) {
    for (const auto& [source, status_of_it] : bad) {
      std::vector<Source> buffers(16, Source{kTargetRegion, 0x100, kBytes});
      buffers[at] = source;
      EXPECT_EQ(ends(pipe_of(buffers, 1)), status_of_it) << at;
      expect_refused(0);
    }
    for (const unsigned bit : {45U, 63U, 96U, 127U}) {
      std::vector<Source> buffers(16, Source{kTargetRegion, 0x100, kBytes});
      const Descriptor descriptor = pipe_of(buffers, 1);
      device().store(kList + 16 * at + bit / 8,
                     std::array{memory(kList + 16 * at + bit / 8, 1).at(0) |
                                static_cast<std::byte>(1U << bit % 8)});
      EXPECT_EQ(ends(descriptor), Status::kReservedBits) << at << " " << bit;
    }
  }
  // The first that applies, entry by entry.
  const std::array two{Source{kForeignRegion, 0, 8}, Source{kTargetRegion, 0, 0}};
  EXPECT_EQ(ends(pipe_of(two, 1)), Status::kPermission);
  EXPECT_EQ(memory(kTarget + 0x100, kBytes), nothing(kBytes));
}

TEST_P(PipeEnd, IntoMemoryThatIsNotItsOwnersIsRefused) {
  const auto into = [](Source buffers) { return pipe_descriptor(buffers, {1, kReceive, 8}, 0); };
  EXPECT_EQ(ends(into({kClosedRegion, 0, 8})), Status::kRegionInvalid);
  EXPECT_EQ(ends(into({kForeignRegion, 0, 8})), Status::kPermission);
  EXPECT_EQ(ends(into({kTargetRegion, kRegionBytes - 15, 16})), Status::kRegionBounds);
}

TEST_P(PipeEnd, ThatNamesACounterOfAnotherClientIsRefused) {
  EXPECT_EQ(ends(pipe(1).set<d::done_event_valid>(1).set<d::done_event>(kForeignEvent.value)),
            Status::kCounterInvalid);
  open_queues({.event = static_cast<int>(kForeignEvent.value)});
  post(kSend, pipe(1));
  settle("the counter of the peer");
  EXPECT_EQ(status(kSend), Status::kCounterInvalid);
}

TEST_P(PipeEnd, FromAQueueThatIsNotAPipedOneOfItsOwnerIsRefused) {
  RawNode foreign(device(), kForeigner);
  foreign.connect(kOtherReceive, kPeer, kPeerQueue);
  foreign.open_queue(kOtherReceive, ring_of(kOtherReceive), kSlots, QueueMode::kPiped);
  open(kOther, QueueMode::kReceive, kPeer, kPeerQueue);
  for (const QueueId from :
       {QueueId{200}, kOffQueue, kOther, kSend, kDoorbellQueue, kOtherReceive}) {
    EXPECT_EQ(ends(pipe_descriptor({kTargetRegion, 0, 8}, {1, from, 8}, 0)), Status::kQueueInvalid)
        << from.value;
  }
}

TEST_P(PipeEnd, WithoutAPeerIsRefused) {
  open_queues();
  run_now(pipe(1));
  settle("no peer");
  EXPECT_EQ(status(kDoorbellQueue), Status::kQueueInvalid);
  run_now(pipe_from({kTargetRegion, 0, 400}, 100, 0));
  settle("no peer, with origin");
  EXPECT_EQ(status(kDoorbellQueue), Status::kQueueInvalid);
}

TEST_P(PipeEnd, BehindASendThatHadAllItsRetriesIsRefused) {
  open_queues();
  retry_after(4096, 0);
  post(kSend, send_descriptor(source(0, 8), 0));
  post(kSend, pipe(1));
  pass(20 * 4096);
  settle("never answered");
  const QueueState state = queue_state(device(), kSend);
  EXPECT_EQ(state.status, Status::kRetryExceeded);
  EXPECT_EQ(state.count, 2U);
  expect_refused(0);
}

TEST_P(PipeEnd, StandsInNoQueueThatOthersFillOrThatReceives) {
  open(kOther, QueueMode::kReceive, kPeer, kPeerQueue);
  post(kOther, pipe(1));
  settle("a receive queue");
  EXPECT_EQ(status(kOther), Status::kOpcodeForbidden);
  const auto bytes = pipe(1).bytes();
  Packet get = put_packet(kPeer, here_, {bytes.begin(), bytes.end()}, kGetQueue.value, 0);
  get.header.set<h::kind>(Kind::kGet);
  deliver(get);
  const auto packets = settle("a queue that the network fills");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(word_of(packets[0]) & 0xFF, static_cast<std::uint64_t>(Status::kOpcodeForbidden));
}

// --- how it fails -------------------------------------------------------------------------------

TEST_P(PipeEnd, EndsWithTheStatusOfASendThatFails) {
  open_queues({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, pipe(5).set<d::signal>(1));
  arrive(0);
  arrive(1);
  deliver(refusal(0, Status::kLengthTooLong));
  EXPECT_TRUE(settle("refused").empty());
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kLengthTooLong);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kLengthTooLong);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kPipe);
  expect_refused(2);
  post(kSend, send_descriptor(source(0, 8), 1));
  EXPECT_EQ(sends(settle("its number is used again")), (Sends{{0, 1}}));
}

TEST_P(PipeEnd, EndsWithAMemoryErrorOfThePeerWhichUsesTheNumberUp) {
  open_queues();
  post(kSend, pipe(5));
  arrive(0);
  deliver(refusal(0, Status::kMemoryError));
  settle("refused");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  post(kSend, send_descriptor(source(0, 8), 1));
  EXPECT_EQ(sends(settle("the next")), (Sends{{1, 1}}));
}

TEST_P(PipeEnd, EndsWhenASendHasHadAllItsRetries) {
  open_queues();
  retry_after(4096, 1);
  post(kSend, pipe(5));
  arrive(0);
  pass(40 * 4096);
  settle("never answered");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
  expect_refused(1);
}

TEST_P(PipeEnd, EndsWithAMemoryErrorOfItsBuffers) {
  open_queues();
  post(kSend, pipe_descriptor({kHugeRegion, Bytes{1} << 30, 4 * kBytes}, {5, kReceive, kBytes}, 0));
  auto packets = arrive(0);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  packets = arrive(0);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError)) << "the same message again";
  expect_refused(1);
  post(kSend, send_descriptor(source(0, 8), 1));
  EXPECT_EQ(sends(settle("nothing was sent")), (Sends{{0, 1}}));
}

// Its first packet may have been read before; still nothing of it leaves.
TEST_P(PipeEnd, SendsNothingOfAMessageWhoseLastPacketCouldNotBeStored) {
  open_queues();
  const Address end = device().memory_size() - kSim.payload_bytes;
  post(kSend, pipe_descriptor({kHugeRegion, end, 2 * kBytes}, {5, kReceive, kBytes}, 0));
  const auto whole = message(0, 700);
  deliver(packet_of(whole, 0, 0));
  EXPECT_TRUE(settle("the first packet").empty());
  deliver(packet_of(whole, kSim.payload_bytes, 0));
  const auto packets = settle("the last");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_TRUE(refuses(packets[0], Status::kMemoryError));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  post(kSend, send_descriptor(source(0, 8), 1));
  EXPECT_EQ(sends(settle("nothing was sent")), (Sends{{0, 1}}));
}

// What is under way may still be taken, under the number that the next one would have.
TEST_P(PipeEnd, ThatFailsHereWaitsForTheSendsUnderWay) {
  open_queues();
  const Address last = device().memory_size() - kBytes;
  post(kSend, pipe_descriptor({kHugeRegion, last, 2 * kBytes}, {5, kReceive, kBytes}, kPipeWord));
  EXPECT_EQ(bytes_sent(arrive(0), 0), message(0, 700));
  EXPECT_TRUE(has_refused(arrive(1), Status::kMemoryError));
  EXPECT_EQ(head(kSend), 0U);
  post(kSend, send_descriptor(source(0, 8), 1));
  EXPECT_EQ(sends(answer_well(0)), (Sends{{1, 1}}));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kMemoryError);
}

// --- flush --------------------------------------------------------------------------------------

TEST_P(PipeEnd, IsFlushedByTheConfigurationOfItsQueue) {
  open_queues({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, pipe(5).set<d::signal>(1));
  arrive(0);
  clear_causes();
  device().write64(registers::injection_queue::config(kSend.value), 0);
  settle("off");
  EXPECT_TRUE(has_cause(Cause::kError));
  ASSERT_EQ(own().completion_tail(kCompletions), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kPipe);
  expect_refused(1);
  open_send();
  post(kSend, pipe(5));
  EXPECT_EQ(sends(arrive(1, 100)), (Sends{{0, kPipeWord}}));
}

TEST_P(PipeEnd, IsFlushedByTheConfigurationOfItsReceiveQueue) {
  open_queues({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, pipe(5).set<d::signal>(1));
  settle("it runs");
  clear_causes();
  open(kReceive, QueueMode::kPiped, kPeer, kPeerQueue);
  settle("configured anew");
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kFlushed);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  expect_refused(0);
  post(kSend, pipe(5));
  EXPECT_EQ(sends(arrive(0, 100)), (Sends{{0, kPipeWord}}));
}

TEST_P(PipeEnd, MessageOfBeforeIsTakenOnlyFromItsBeginning) {
  open_queues();
  post(kSend, pipe(5));
  const auto whole = message(1, 900);
  deliver(packet_of(whole, 0, 0));
  settle("half a message");
  open_send();
  post(kSend, pipe(5));
  deliver(packet_of(whole, 512, 0));
  EXPECT_TRUE(settle("the other half").empty());
  deliver_all(whole, 0);
  EXPECT_EQ(bytes_sent(settle("all of it"), 0), whole);
}

INSTANTIATE_TEST_SUITE_P(On, PipeEnd, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
