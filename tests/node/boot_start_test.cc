// SPDX-License-Identifier: Apache-2.0
// What becomes of a boot buffer when its process starts, by the rules of docs/boot_buffers.md, on
// the reference model and on the node.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/boot_buffer_fixture.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace page = registers::client_page;

using BootBufferAtTheStart = BootBufferTest;

// --- the process starts -------------------------------------------------------------------------

TEST_P(BootBufferAtTheStart, FifoIsMadeWhileItIsOpen) {
  namespace r = registers::reception_fifo;
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  device().write64(r::base(kBootFifo.value), kBootRing + 0x1000);
  device().write64(r::size(kBootFifo.value), 32);
  device().write64(r::threshold(kBootFifo.value), 3);
  EXPECT_EQ(device().read64(r::base(kBootFifo.value)), kBootRing + 0x1000);
  EXPECT_EQ(device().read64(r::size(kBootFifo.value)), 32U);
  EXPECT_EQ(device().read64(r::threshold(kBootFifo.value)), 3U);
  EXPECT_EQ(buffer().tail(), 5U);
  settle("made");
}

TEST_P(BootBufferAtTheStart, SwitchOfAnEmptyOneMovesNothing) {
  configure(kBootFifo, kBoots);
  start();
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_EQ(arrives(message(2, 200)), Status::kOk);
  EXPECT_EQ(moved(), as_entries({message(2, 200)}));
  EXPECT_EQ(buffer().tail(), 0U);
}

TEST_P(BootBufferAtTheStart, IsMovedRoundTheEndOfBothRings) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  open_boot_buffer(device(), kOwner, 32);
  for (std::uint32_t life = 0; life < 16; ++life) {
    configure(kBootFifo, kBoots);
    std::vector<Packet> packets{message(2 * life, 31 * Bytes{life}), message(2 * life + 1, 300)};
    for (const Packet& packet : packets) deliver(packet);
    start();
    EXPECT_EQ(moved(), as_entries(packets)) << life;
    own().set_fifo_head(kBootFifo, tail_of(kBootFifo));
    const Packet next = message(90 + life, 512);
    EXPECT_EQ(arrives(next), Status::kOk);
  }
}

// What was kept is final: it waits for room, and nobody is told.
TEST_P(BootBufferAtTheStart, KeepsWhatTheFifoHasNoRoomFor) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets = deliver_five_slots(8);
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(moved(), as_entries(part(packets, 0, 6)));
  EXPECT_EQ(buffer().head(), 30U);
  EXPECT_EQ(device().read64(registers::reception_fifo::refused(kBootFifo.value)), 0U);
  // What comes now is behind it, even where it would fit.
  packets.push_back(message(8, 8));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(tail_of(kBootFifo), 30U);
  own().set_fifo_head(kBootFifo, 30);
  EXPECT_TRUE(settle("room").empty());
  EXPECT_EQ(tail_of(kBootFifo), 42U);
  EXPECT_EQ(buffer().head(), 42U);
  const Entries first = as_entries({packets[6]});
  EXPECT_EQ(in_memory(2, kBootRing + 30 * Address{kSim.fifo_slot_bytes}),
            Entries(first.begin(), first.begin() + 64));
  own().set_fifo_head(kBootFifo, 42);
  packets.push_back(message(9, 8));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(buffer().tail(), 42U) << "it is empty, and the FIFO takes packets itself";
}

TEST_P(BootBufferAtTheStart, HoldsUpNobodyElseWhileItWaits) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  device().write64(registers::node::fifo_hold_cycles(), 0xFFFF);
  configure(kBootFifo, kBoots);
  configure(kForeignBootFifo, kBootsForForeigner);
  deliver_five_slots(8);
  const std::vector<Packet> foreign = deliver_five_slots(3, kForeignBootFifo);
  start();
  EXPECT_EQ(arrives(message(1, 100, kFifo)), Status::kOk);
  EXPECT_EQ(own().fifo_tail(kFifo), slots_of_packet(100));
  start(kForeignBootFifo, kMovesForForeigner);
  EXPECT_EQ(in_memory(tail_of(kForeignBootFifo), kForeignBootRing), as_entries(foreign));
}

TEST_P(BootBufferAtTheStart, WaitsForTheFifoThatIsNotThereYet) {
  configure(kBootFifo, kBoots);
  configure(kOtherFifo, kBoots);
  const std::vector<Packet> others = deliver_five_slots(2, kOtherFifo);
  const std::vector<Packet> packets = deliver_five_slots(2);
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_TRUE(start(kOtherFifo).empty());
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(in_memory(tail_of(kOtherFifo), kOtherRing), as_entries(others));
}

// The process is there, so its counters are: they count when the packet comes to its FIFO.
TEST_P(BootBufferAtTheStart, CountsWhatComesBehindWhenItIsMoved) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  configure(kBootFifo, kBoots);
  deliver_five_slots(7);
  start();
  Packet packet = message(9, 16);
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value).set<t::interrupt>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(own().read_event(kEvent), 0U);
  EXPECT_FALSE(has_cause(Cause::kArrived));
  own().set_fifo_head(kBootFifo, 30);
  settle("room");
  EXPECT_EQ(own().read_event(kEvent), 1U);
  EXPECT_TRUE(has_cause(Cause::kArrived));
}

TEST_P(BootBufferAtTheStart, OfAFifoThatIsOffIsRefusedWhenItWouldBeMoved) {
  configure(kBootFifo, kBoots);
  configure(kOtherFifo, kBoots);
  deliver_five_slots(2);
  const std::vector<Packet> others = deliver_five_slots(1, kOtherFifo);
  EXPECT_TRUE(start(kBootFifo, kOff).empty());
  EXPECT_EQ(statuses_of(start(kOtherFifo)), std::vector<Status>(2, Status::kFifoInvalid));
  EXPECT_EQ(in_memory(tail_of(kOtherFifo), kOtherRing), as_entries(others));
  EXPECT_EQ(buffer().head(), buffer().tail());
}

TEST_P(BootBufferAtTheStart, IsNotMovedToAnotherOwnerNorWhereOnlyRepliesAreTaken) {
  configure(kOtherFifo, kBoots);
  for (const FifoConfig& other :
       {kTakesForForeigner, FifoConfig{.enable = true, .reply_only = true}}) {
    configure(kBootFifo, kBoots);
    configure(kOtherFifo, kBoots);
    deliver(message(1, 100));
    configure(kBootFifo, other);
    EXPECT_EQ(statuses_of(start(kOtherFifo)), std::vector<Status>(1, Status::kFifoInvalid));
    EXPECT_EQ(tail_of(kBootFifo), 0U);
  }
}

TEST_P(BootBufferAtTheStart, HeadIsTheUnitsWhileItIsMoved) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  configure(kBootFifo, kBoots);
  deliver_five_slots(8);
  start();
  EXPECT_EQ(own().fifo_tail(kKeeper), 40U);
  own().set_fifo_head(kKeeper, 40);
  EXPECT_EQ(page_status(), Status::kDoorbellRange);
  EXPECT_EQ(buffer().head(), 30U);
  device().write32(page::fifo_index(kForeigner.value, kKeeper.value), 40);
  EXPECT_EQ(buffer().head(), 30U);
  settle("refused");
}

TEST_P(BootBufferAtTheStart, DropsWhatIsNoPacketAndAllBehindIt) {
  const auto first = static_cast<std::uint32_t>(boot_ring_of(kOwner) - unit_memory_base(kSim)) / 8;
  const std::array<PacketHeader, 4> bad{
      PacketHeader().set<h::kind>(Kind::kPut).set<h::target>(kBootFifo.value),
      PacketHeader().set<h::kind>(Kind::kFifo).set<h::target>(kBootFifo.value).set<h::reply>(1),
      PacketHeader().set<h::kind>(Kind::kFifo).set<h::target>(kBootFifo.value).set<h::bytes>(513),
      PacketHeader().set<h::kind>(Kind::kFifo).set<h::target>(kBootFifo.value).set<h::bytes>(321)};
  std::uint64_t counted = 0;
  for (const PacketHeader& header : bad) {
    configure(kKeeper, kKeeps);
    configure(kBootFifo, kBoots);
    const std::vector<Packet> packets = deliver_five_slots(3);
    const auto bytes = header.bytes();
    for (std::uint32_t i = 0; i < 2; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + std::size_t{8} * i, 8);
      device().write64(registers::unit_memory::word(first + 5 * 4 + i), word);
    }
    EXPECT_TRUE(start().empty());
    EXPECT_EQ(moved(), as_entries(part(packets, 0, 1)));
    EXPECT_EQ(buffer().head(), 15U);
    EXPECT_EQ(device().read64(registers::node::bad_packets()), ++counted);
  }
}

TEST_P(BootBufferAtTheStart, OpensForAFifoThatTookPackets) {
  configure(kBootFifo, kTakes);
  deliver(message(1, 100));
  settle("in memory");
  configure(kBootFifo, kBoots);
  deliver(message(2, 100));
  settle("in the buffer");
  EXPECT_EQ(buffer().tail(), 5U);
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  start();
  EXPECT_EQ(moved(), as_entries({message(2, 100)}));
}

TEST_P(BootBufferAtTheStart, DoorbellPageKnowsNoFifoBeforeTheSwitch) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  EXPECT_EQ(device().read32(page::fifo_index(kOwner.value, kBootFifo.value)), 0U);
  device().write32(page::fifo_index(kOwner.value, kBootFifo.value), 0);
  const std::uint64_t status = device().read64(page::page_status(kOwner.value));
  EXPECT_EQ(static_cast<Status>(extract(status, page::page_status_field::status)),
            Status::kFifoInvalid);
  EXPECT_EQ(extract(status, page::page_status_field::errors), 2U);
  settle("two refused");
}

INSTANTIATE_TEST_SUITE_P(On, BootBufferAtTheStart, ::testing::Values(On::kModel, On::kNode),
                         name_of_case);

}  // namespace
}  // namespace torusmu::testing
