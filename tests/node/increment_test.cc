// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for a message that carries nothing but an increment of an event
// counter, one by one, on the reference model and on the node.
#include <gtest/gtest.h>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class Increment : public QueuePairTest {
 protected:
  static constexpr int kBumped = static_cast<int>(kEvent.value);

  static Descriptor increment(Coordinates to, Arrival arrival = {.event = kBumped}) {
    return increment_of(to, kTargetRegion, 0, arrival);
  }
  static Descriptor increment_of(Coordinates to, RegionId region, Bytes offset, Arrival arrival) {
    constexpr std::array kNothing{std::byte{0}};
    return immediate_put(to, kNothing, region, offset, arrival).set<d::length>(0);
  }
  // The packet that arrives of one.
  Packet arriving() {
    Packet packet = put_packet(kPeer, here_, {}, kTargetRegion.value, 0);
    packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value);
    return packet;
  }
  // Status of the notice that goes back, if one does.
  Status refused(const Packet& packet) {
    deliver(packet);
    const auto packets = settle("an increment");
    if (packets.empty()) return Status::kOk;
    EXPECT_EQ(packets.size(), 1U);
    EXPECT_EQ(kind_of(packets[0]), Kind::kNotice);
    EXPECT_EQ(word_of(packets[0]) >> 8, static_cast<std::uint64_t>(Kind::kPut));
    return static_cast<Status>(word_of(packets[0]) & 0xFF);
  }
  std::uint32_t count() { return own().read_event(kEvent); }
};

// --- what it does -------------------------------------------------------------------------------

TEST_P(Increment, IsOnePacketWithoutPayload) {
  run_now(increment(kPeer).set<d::sequence_number>(9));
  const auto packets = settle("sent");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].flits(), 2U);
  EXPECT_EQ(kind_of(packets[0]), Kind::kPut);
  EXPECT_EQ(packets[0].header.get<h::bytes>(), 0U);
  EXPECT_EQ(packets[0].header.get<h::target>(), kTargetRegion.value);
  EXPECT_EQ(packets[0].trailer.get<t::last>(), 1U);
  EXPECT_EQ(packets[0].trailer.get<t::event_valid>(), 1U);
  EXPECT_EQ(packets[0].trailer.get<t::event_counter>(), kEvent.value);
  EXPECT_EQ(packets[0].trailer.get<t::sequence_number>(), 9U);
}

TEST_P(Increment, BumpsTheEventCounterAndWritesNothing) {
  device().store(kTarget, pattern(3, 64));
  run_now(increment(here_));
  run_now(increment(here_));
  EXPECT_TRUE(settle("two of them").empty());
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(memory(kTarget, 64), pattern(3, 64));
  EXPECT_FALSE(has_cause(Cause::kArrived));
  EXPECT_FALSE(has_cause(Cause::kError));
}

TEST_P(Increment, RaisesArrivedIfItIsToldTo) {
  run_now(increment(here_, {.event = kBumped, .interrupt = true}));
  settle("arrived");
  EXPECT_TRUE(has_cause(Cause::kArrived));
}

TEST_P(Increment, LeavesAByteCounterAsItIs) {
  own().preload(kLoudCounter, 0);
  run_now(increment(here_, {.counter = static_cast<int>(kCounter.value), .event = kBumped}));
  run_now(increment(here_, {.counter = static_cast<int>(kLoudCounter.value), .event = kBumped}));
  settle("two byte counters");
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(own().read_counter(kCounter), kPreload);
  EXPECT_EQ(own().read_counter(kLoudCounter), 0U);
  EXPECT_FALSE(has_cause(Cause::kCounterZero));
  EXPECT_FALSE(has_cause(Cause::kError));
}

TEST_P(Increment, LeavesTheInjectionCounterAsItIs) {
  run_now(increment(here_).set<d::injection_counter_valid>(1).set<d::injection_counter>(
      kCounter.value));
  settle("sent");
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(own().read_counter(kCounter), kPreload);
}

TEST_P(Increment, IsDoneAsAnyDescriptor) {
  open_send({.completion = static_cast<int>(kCompletions.value)});
  post(kSend, increment(kPeer)
                  .set<d::done_event_valid>(1)
                  .set<d::done_event>(kDoneEvent.value)
                  .set<d::interrupt_done>(1)
                  .set<d::signal>(1));
  EXPECT_EQ(settle("sent").size(), 1U);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kDone));
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kPut);
  EXPECT_EQ(entry(0).get<e::bytes>(), 0U);
}

TEST_P(Increment, LeavesBehindWhatItsQueueHasSentBefore) {
  open_send();
  write(kSend, put_descriptor(kPeer, source(0, 700), kTargetRegion, 0, {}));
  write(kSend, increment(kPeer));
  write(kSend, put_descriptor(kPeer, source(1, 100), kTargetRegion, 0, {}));
  ring(kSend);
  std::vector<std::size_t> sizes;
  for (const Packet& packet : settle("three messages")) sizes.push_back(packet.payload.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{512, 188, 0, 100}));
}

TEST_P(Increment, IsPushed) {
  device().write64(registers::client_page::push_queue(0), kPushQueue.value);
  const Descriptor descriptor = increment(here_);
  for (std::uint32_t w = 0; w < 8; ++w) {
    device().write64(registers::client_page::push_data(0, w), descriptor.words()[w]);
  }
  settle("pushed");
  EXPECT_EQ(count(), 1U);
}

// --- what is no increment -----------------------------------------------------------------------

TEST_P(Increment, TransferOfNoBytesThatIsNoIncrementIsNotSent) {
  const auto ends = [this](const Descriptor& descriptor) {
    open_send();
    post(kSend, descriptor);
    EXPECT_TRUE(settle("of no bytes").empty());
    return status(kSend);
  };
  EXPECT_EQ(ends(increment(kPeer, {})), Status::kLengthZero);
  EXPECT_EQ(ends(increment(kPeer, {.counter = static_cast<int>(kCounter.value)})),
            Status::kLengthZero);
  EXPECT_EQ(ends(increment(kPeer).set<d::immediate_valid>(0)), Status::kLengthZero);
  for (const Opcode opcode : {Opcode::kFifo, Opcode::kGet}) {
    EXPECT_EQ(ends(increment(kPeer).set<d::opcode>(opcode)), Status::kLengthZero);
  }
  EXPECT_EQ(ends(send_descriptor({{0}, 0, 0}, 0, {.event = kBumped}).set<d::immediate_valid>(1)),
            Status::kLengthZero);
  EXPECT_EQ(ends(increment({3, 1, 1})), Status::kUnreachable);
}

TEST_P(Increment, IsLengthZeroInAQueueThatTheNetworkFills) {
  const auto bytes = increment(kPeer).bytes();
  const std::vector<std::uint8_t> payload(bytes.begin(), bytes.end());
  Packet get = put_packet(kPeer, here_, payload, kGetQueue.value, 0);
  get.header.set<h::kind>(Kind::kGet);
  EXPECT_EQ(refused(get), Status::kLengthZero);
  EXPECT_EQ(status(kGetQueue), Status::kLengthZero);
  Packet reflected = put_packet(kPeer, here_, payload, kReflectionQueue.value, 0);
  reflected.header.set<h::kind>(Kind::kGet);
  reflected.trailer.set<t::reflected>(1).set<t::sequence_number>(0);
  deliver(reflected);
  EXPECT_TRUE(settle("a reflection").empty());
  EXPECT_EQ(status(kReflectionQueue), Status::kLengthZero);
}

// --- what its target judges ---------------------------------------------------------------------

TEST_P(Increment, ArrivesFromElsewhere) {
  EXPECT_EQ(refused(arriving()), Status::kOk);
  EXPECT_EQ(count(), 1U);
}

TEST_P(Increment, PacketWithoutPayloadAndWithoutEventCounterIsRefused) {
  Packet packet = arriving();
  packet.trailer.set<t::event_valid>(0).set<t::counter_valid>(1).set<t::counter>(kCounter.value);
  EXPECT_EQ(refused(packet), Status::kPacketKind);
}

TEST_P(Increment, RegionIsJudgedAsForAnyPut) {
  const auto into = [this](RegionId region, Bytes offset = 0) {
    Packet packet = arriving();
    packet.header.set<h::target>(region.value).set<h::offset>(offset);
    return refused(packet);
  };
  EXPECT_EQ(into(kClosedRegion), Status::kRegionInvalid);
  EXPECT_EQ(into({200}), Status::kRegionInvalid);
  EXPECT_EQ(into(kSourceRegion), Status::kPermission);
  EXPECT_EQ(into(kTargetRegion, kRegionBytes + 1), Status::kRegionBounds);
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(into(kTargetRegion, kRegionBytes), Status::kOk);
  EXPECT_EQ(count(), 1U);
}

TEST_P(Increment, CounterBelongsToTheOwnerOfTheRegion) {
  const auto of = [this](std::uint32_t event) {
    Packet packet = arriving();
    packet.trailer.set<t::event_counter>(event);
    return refused(packet);
  };
  EXPECT_EQ(of(kForeignEvent.value), Status::kCounterInvalid);
  EXPECT_EQ(of(kClosedEvent.value), Status::kCounterInvalid);
  EXPECT_EQ(of(255), Status::kCounterInvalid);
  Packet byte = arriving();
  byte.trailer.set<t::counter_valid>(1).set<t::counter>(kForeignCounter.value);
  EXPECT_EQ(refused(byte), Status::kCounterInvalid);
  EXPECT_EQ(count(), 0U);
}

TEST_P(Increment, TouchesNoMemory) {
  namespace f = registers::touch_range::config_field;
  device().write64(registers::touch_range::base(0), kTarget);
  device().write64(registers::touch_range::length(0), kRegionBytes);
  device().write64(registers::touch_range::config(0),
                   insert(insert(insert(0, f::enable, 1), f::on_read, 1), f::on_write, 1));
  run_now(increment_of(here_, kTargetRegion, 100, {.event = kBumped}));
  settle("in a marked range");
  EXPECT_EQ(count(), 1U);
  EXPECT_FALSE(has_cause(Cause::kTouch));
  EXPECT_FALSE(has_cause(Cause::kError));
}

TEST_P(Increment, WritesNothingNotEvenWhereThereIsNoMemory) {
  run_now(increment_of(here_, kHugeRegion, Bytes{1} << 30, {.event = kBumped}));
  settle("where there is no memory");
  EXPECT_EQ(count(), 1U);
  EXPECT_FALSE(has_cause(Cause::kError));
}

INSTANTIATE_TEST_SUITE_P(On, Increment, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
