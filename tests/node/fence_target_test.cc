// SPDX-License-Identifier: Apache-2.0
// The rules of docs/fences.md for the node that a FENCE names, one by one, on the reference model
// and on the node: another's FENCE, made by the test, and FENCEs of the node's own queues to
// itself.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/fence_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

// --- another's ----------------------------------------------------------------------------------

class FenceTarget : public FenceTest {
 protected:
  static bool answers(const Packet& packet, std::uint32_t index) {
    return kind_of(packet) == Kind::kFence && packet.reply() && packet.payload.empty() &&
           packet.header.get<h::dst_x>() == kPeer.x && packet.header.get<h::dst_y>() == kPeer.y &&
           packet.header.get<h::target>() == kPeerQueue.value && word_of(packet) == index;
  }
  // The status in the notice that goes to the origin, OK for an answer.
  Status ends(const Packet& packet, std::uint32_t index) {
    const auto back = take(packet);
    EXPECT_EQ(back.size(), 1U);
    if (back.size() != 1) return Status::kOk;
    if (answers(back[0], index)) return Status::kOk;
    EXPECT_EQ(kind_of(back[0]), Kind::kNotice);
    EXPECT_EQ(back[0].header.get<h::dst_x>(), kPeer.x);
    EXPECT_EQ(word_of(back[0]) >> 8, static_cast<std::uint64_t>(Kind::kFence));
    EXPECT_EQ(back[0].trailer.get<t::queue>(), kPeerQueue.value);
    EXPECT_EQ(back[0].trailer.get<t::index>(), index);
    return static_cast<Status>(word_of(back[0]) & 0xFF);
  }
};

TEST_P(FenceTarget, AnswersWithQueueAndIndex) {
  const auto back = take(arriving(0x8765'4321, kTargetRegion, 77));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_TRUE(answers(back[0], 0x8765'4321));
}

TEST_P(FenceTarget, AnswersEveryCopy) {
  for (unsigned copy = 0; copy < 3; ++copy) EXPECT_EQ(ends(arriving(5), 5), Status::kOk);
}

TEST_P(FenceTarget, ChangesNothing) {
  namespace f = registers::touch_range::config_field;
  device().write64(registers::touch_range::base(0), kTarget);
  device().write64(registers::touch_range::length(0), kRegionBytes);
  device().write64(registers::touch_range::config(0),
                   insert(insert(insert(0, f::enable, 1), f::on_read, 1), f::on_write, 1));
  device().store(kTarget, pattern(9, 64));
  EXPECT_EQ(ends(arriving(0, kTargetRegion, 3), 0), Status::kOk);
  EXPECT_EQ(memory(kTarget, 64), pattern(9, 64));
  EXPECT_EQ(own().causes(), 0U);
  EXPECT_EQ(notices(), 0U);
}

TEST_P(FenceTarget, RefusesWhereItRefusesAPut) {
  EXPECT_EQ(ends(arriving(1, kClosedRegion), 1), Status::kRegionInvalid);
  EXPECT_EQ(ends(arriving(2, {64}), 2), Status::kRegionInvalid);
  EXPECT_EQ(ends(arriving(3, {255}), 3), Status::kRegionInvalid);
  EXPECT_EQ(ends(arriving(4, kSourceRegion), 4), Status::kPermission);
  EXPECT_EQ(ends(arriving(5, kTargetRegion, kRegionBytes + 1), 5), Status::kRegionBounds);
  EXPECT_EQ(ends(arriving(6, kTargetRegion, (Bytes{1} << 37) - 1), 6), Status::kRegionBounds);
  EXPECT_EQ(ends(arriving(7, kEndRegion, 4097), 7), Status::kRegionBounds);
  EXPECT_EQ(ends(arriving(8, kTargetRegion, kRegionBytes - 1), 8), Status::kOk);
  EXPECT_EQ(own().causes(), 0U);
}

TEST_P(FenceTarget, WritesNothingNotEvenWhereThereIsNoMemory) {
  EXPECT_EQ(ends(arriving(1, kHugeRegion, Bytes{1} << 30), 1), Status::kOk);
  EXPECT_FALSE(has_cause(Cause::kError));
}

TEST_P(FenceTarget, RefusesOneThatCarriesSomething) {
  Packet packet = arriving(1);
  packet.payload = bytes_of(1, 16);
  packet.header.set<h::bytes>(16);
  EXPECT_EQ(ends(packet, 1), Status::kPacketKind);
  packet = arriving(2);
  packet.trailer.set<t::counter_valid>(1).set<t::counter>(kCounter.value);
  EXPECT_EQ(ends(packet, 2), Status::kPacketKind);
  packet = arriving(3);
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value);
  EXPECT_EQ(ends(packet, 3), Status::kPacketKind);
  EXPECT_EQ(own().read_counter(kCounter), kPreload);
  EXPECT_EQ(own().read_event(kEvent), 0U);
}

TEST_P(FenceTarget, DropsOneWithReservedBits) {
  Packet packet = arriving();
  auto bytes = packet.header.bytes();
  bytes[15] |= 0x80;
  packet.header = PacketHeader::from_bytes(bytes);
  EXPECT_TRUE(take(packet).empty());
  EXPECT_EQ(device().read64(registers::node::bad_packets()), 1U);
}

TEST_P(FenceTarget, TellsRefusalsBeforeTheAnswer) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    Packet message = put_packet(kPeer, here_, bytes_of(i, 100), kClosedFifo.value, 0);
    message.header.set<h::kind>(Kind::kFifo);
    message.trailer.set<t::queue>(kPeerQueue.value).set<t::index>(i);
    deliver(message);
  }
  EXPECT_EQ(kinds(take(arriving(3))),
            (std::vector{Kind::kNotice, Kind::kNotice, Kind::kNotice, Kind::kFence}));
}

// --- the own node -------------------------------------------------------------------------------

class FenceOfItself : public FenceTest {
 protected:
  // Of a FENCE to this node, with that region and place.
  Status ends(RegionId region, Bytes offset) {
    open(kSend, QueueMode::kDoorbell, here_, kReceive);
    EXPECT_TRUE(run(kSend, fence_of(here_, region, offset)).empty());
    EXPECT_EQ(head(kSend), 1U);
    return status(kSend);
  }
};

TEST_P(FenceOfItself, IsDoneWithEverythingBeforeItInMemory) {
  open(kSend, QueueMode::kDoorbell, here_, kReceive, kTold);
  for (std::uint32_t i = 0; i < 5; ++i) {
    write(kSend, put_descriptor(here_, source(i, 900), kTargetRegion, buffer(i, 0).offset, {}));
  }
  write(kSend, told_of(fence_of(here_)));
  ring(kSend);
  EXPECT_TRUE(settle("all").empty());
  EXPECT_EQ(head(kSend), 6U);
  EXPECT_EQ(own().read_event(kDoneEvent), 1U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kOk);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(received(i, 900), sent(i, 900)) << i;
}

TEST_P(FenceOfItself, EndsWithTheStatusOfTheRegion) {
  EXPECT_EQ(ends(kTargetRegion, 100), Status::kOk);
  EXPECT_EQ(ends(kClosedRegion, 0), Status::kRegionInvalid);
  EXPECT_EQ(ends({200}, 0), Status::kRegionInvalid);
  EXPECT_EQ(ends(kForeignRegion, 0), Status::kPermission);
  EXPECT_EQ(ends(kSourceRegion, 0), Status::kPermission);
  EXPECT_EQ(ends(kTargetRegion, kRegionBytes + 1), Status::kRegionBounds);
  EXPECT_EQ(ends(kHugeRegion, Bytes{1} << 30), Status::kOk) << "nothing is written";
  EXPECT_EQ(notices(), 0U);
}

TEST_P(FenceOfItself, FindsRefusalsInTheRing) {
  open(kSend, QueueMode::kDoorbell, here_, kReceive);
  for (std::uint32_t i = 0; i < 4; ++i) {
    write(kSend, fifo_descriptor(here_, source(i, 600), kClosedFifo, i, {}));
  }
  write(kSend, fence_of(here_));
  ring(kSend);
  settle("all");
  EXPECT_EQ(head(kSend), 5U);
  EXPECT_EQ(notices(), 8U) << "of two packets each";
}

TEST_P(FenceOfItself, EndsAmongSends) {
  open_pair();
  for (std::uint32_t i = 0; i < 3; ++i) write(kReceive, receive_descriptor(buffer(i, 700)));
  ring(kReceive);
  for (std::uint32_t i = 0; i < 3; ++i) {
    write(kSend, send_descriptor(source(i, 700), i));
    write(kSend, fence_of(here_));
  }
  ring(kSend);
  settle("all");
  EXPECT_EQ(head(kSend), 6U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(received(i, 700), sent(i, 700)) << i;
}

TEST_P(FenceOfItself, OfManyQueuesAtOnceAllEnd) {
  constexpr std::uint32_t kFirst = 13, kCount = 18, kFences = 6;
  for (std::uint32_t q = kFirst; q < kFirst + kCount; ++q) {
    open({q}, QueueMode::kDoorbell, here_, kReceive);
    write({q}, put_descriptor(here_, source(0, 40), kTargetRegion, q * Bytes{64}, {}));
    for (std::uint32_t i = 0; i < kFences; ++i) write({q}, fence_of(here_));
    ring({q});
  }
  EXPECT_TRUE(settle("all").empty());
  for (std::uint32_t q = kFirst; q < kFirst + kCount; ++q) {
    EXPECT_EQ(head({q}), 1 + kFences) << q;
    EXPECT_EQ(memory(kTarget + q * Bytes{64}, 40), sent(0, 40)) << q;
  }
}

TEST_P(FenceOfItself, InALoopEndsInEveryLap) {
  open(kSend, QueueMode::kDoorbell, here_, kReceive, {}, {.cyclic = true}, 4);
  write(kSend,
        wait_for_event(kEvent, 1).set<d::immediate>(WaitOperation()
                                                        .set<layout::wait_operation::value>(1)
                                                        .set<layout::wait_operation::step>(1)
                                                        .bytes()));
  write(kSend, put_descriptor(here_, source(0, 600), kTargetRegion, 0, {}));
  write(kSend, fence_of(here_).set<d::done_event_valid>(1).set<d::done_event>(kDoneEvent.value));
  write(kSend, Descriptor().set<d::opcode>(Opcode::kNop));
  ring(kSend);
  run_now(add_to_event(kEvent, 7));
  settle("seven laps");
  EXPECT_EQ(head(kSend), 28U);
  EXPECT_EQ(own().read_event(kDoneEvent), 7U);
}

INSTANTIATE_TEST_SUITE_P(On, FenceTarget, ::testing::Values(On::kModel, On::kNode), name_of_case);
INSTANTIATE_TEST_SUITE_P(On, FenceOfItself, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
