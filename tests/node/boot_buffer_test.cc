// SPDX-License-Identifier: Apache-2.0
// The rules of docs/boot_buffers.md, one by one, on the reference model and on the node.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/boot_buffer_fixture.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace page = registers::client_page;

class BootBuffer : public BootBufferTest {
 protected:
  Status register_status() {
    const std::uint64_t value = device().read64(registers::node::register_errors());
    return static_cast<Status>(extract(value, registers::node::register_errors_field::status));
  }
  void clear_errors() { device().write64(registers::node::error_clear(), std::uint64_t{1} << 63); }
  // Status of an access that is refused.
  Status refused_write(std::uint32_t address, std::uint64_t data, bool wide = true) {
    clear_errors();
    if (wide) {
      device().write64(address, data);
    } else {
      device().write32(address, static_cast<std::uint32_t>(data));
    }
    return register_status();
  }
  Status refused_read(std::uint32_t address) {
    clear_errors();
    EXPECT_EQ(device().read64(address), 0U);
    return register_status();
  }
};

// --- what is stored -----------------------------------------------------------------------------

TEST_P(BootBuffer, IsClosedAndEmptyAfterReset) {
  for (std::uint32_t client = 0; client < kSim.clients; ++client) {
    EXPECT_FALSE(buffer({client}).is_open());
    EXPECT_EQ(buffer({client}).head(), 0U);
    EXPECT_EQ(buffer({client}).tail(), 0U);
    EXPECT_EQ(buffer({client}).refused(), 0U);
    EXPECT_EQ(buffer({client}).all_slots(), zeros(kBootSlots));
  }
  EXPECT_EQ(arrives(message(0, 10)), Status::kFifoInvalid);
}

TEST_P(BootBuffer, OpensEmptyForItsOwnerAlone) {
  configure(kBootFifo, kBoots);
  EXPECT_EQ(config(kBootFifo), kBoots.bits());
  EXPECT_TRUE(buffer().is_open());
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_EQ(buffer().all_slots(), zeros(kBootSlots));
  EXPECT_FALSE(buffer(kForeigner).is_open());
}

TEST_P(BootBuffer, KeepsAPacketAsAFifoWouldHaveIt) {
  configure(kBootFifo, kBoots);
  std::uint32_t slots = 0;
  std::vector<Packet> packets;
  for (const Bytes bytes : {0U, 1U, 31U, 32U, 33U, 64U, 511U, 512U}) {
    packets.push_back(message(static_cast<std::uint32_t>(bytes), bytes));
    EXPECT_EQ(arrives(packets.back()), Status::kOk) << bytes;
    slots += slots_of_packet(bytes);
    EXPECT_EQ(buffer().tail(), slots) << bytes;
    EXPECT_EQ(buffer().unread(), as_entries(packets)) << bytes;
  }
  configure(kBootFifo, kTakes);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(arrives(packets[i]), Status::kOk);
  EXPECT_EQ(in_memory(7), as_entries({packets[0], packets[1], packets[2], packets[3]}));
}

TEST_P(BootBuffer, RaisesNoCauseAndTouchesNoFifo) {
  device().write64(registers::reception_fifo::threshold(kBootFifo.value), 1);
  configure(kBootFifo, {.interrupt = true, .boot = true});
  Packet packet = message(1, 100);
  packet.trailer.set<t::interrupt>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(buffer().tail(), slots_of_packet(100));
  EXPECT_EQ(own().causes(), 0U);
  EXPECT_EQ(device().read64(registers::reception_fifo::tail(kBootFifo.value)), 0U);
  EXPECT_EQ(device().read64(registers::reception_fifo::head(kBootFifo.value)), 0U);
  EXPECT_EQ(in_memory(4), zeros(4));
}

TEST_P(BootBuffer, OfTwoClientsKeepsEachItsOwn) {
  configure(kBootFifo, kBoots);
  configure(kForeignBootFifo, kBootsForForeigner);
  std::array<std::vector<Packet>, 2> packets;
  for (std::uint32_t i = 0; i < 10; ++i) {
    packets.at(i % 2).push_back(message(i, 30 * i, i % 2 == 0 ? kBootFifo : kForeignBootFifo));
    deliver(packets.at(i % 2).back());
  }
  settle("ten packets");
  EXPECT_EQ(buffer().unread(), as_entries(packets[0]));
  EXPECT_EQ(buffer(kForeigner).unread(), as_entries(packets[1]));
}

// --- what is not taken --------------------------------------------------------------------------

TEST_P(BootBuffer, DropsAndCountsReplies) {
  configure(kBootFifo, kBoots);
  Packet packet = message(0, 16);
  packet.header.set<h::reply>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(device().read64(registers::node::dropped_replies()), 1U);
  EXPECT_EQ(buffer().tail(), 0U);
}

TEST_P(BootBuffer, RefusesPacketsThatNameCounters) {
  configure(kBootFifo, kBoots);
  Packet packet = message(0, 16);
  packet.trailer.set<t::counter_valid>(1).set<t::counter>(kCounter.value);
  EXPECT_EQ(arrives(packet), Status::kFifoInvalid);
  packet = message(0, 16);
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value).set<t::last>(0);
  EXPECT_EQ(arrives(packet), Status::kFifoInvalid);
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_EQ(buffer().refused(), 0U);
  EXPECT_EQ(own().read_event(kEvent), 0U);
  EXPECT_EQ(arrives(message(1, 16)), Status::kOk);
}

TEST_P(BootBuffer, TakesOnBehalfOfItsOwnerAlone) {
  configure(kBootFifo, kBoots);
  Packet packet = message(0, 16);
  packet.header.set<h::on_behalf>(1).set<h::client>(kForeigner.value);
  deliver(packet);
  settle("on behalf of another");
  EXPECT_EQ(notices(), 0U);
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_EQ(
      extract(device().read64(page::notice_tail(kForeigner.value)), page::notice_tail_field::tail),
      1U);
  packet.header.set<h::client>(kOwner.value);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(buffer().tail(), 2U);
}

TEST_P(BootBuffer, AsksForCountersBeforeOwnership) {
  configure(kBootFifo, kBootsForForeigner);
  Packet packet = message(0, 16);
  packet.header.set<h::on_behalf>(1).set<h::client>(kOwner.value);
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value);
  deliver(packet);
  settle("refused");
  ASSERT_EQ(notices(), 1U);
  std::array<std::uint8_t, PacketHeader::kBytes> notice{};
  device().load(kNoticeRing, std::as_writable_bytes(std::span(notice)));
  EXPECT_EQ(PacketHeader::from_bytes(notice).get<h::word>() & 0xFF,
            static_cast<std::uint64_t>(Status::kFifoInvalid));
}

TEST_P(BootBuffer, LeavesOtherFifosOfTheClientAsTheyAre) {
  configure(kBootFifo, kBoots);
  EXPECT_EQ(arrives(message(1, 100, kFifo)), Status::kOk);
  EXPECT_EQ(own().fifo_tail(kFifo), slots_of_packet(100));
  EXPECT_EQ(arrives(message(2, 100, kClosedFifo)), Status::kFifoInvalid);
  EXPECT_EQ(buffer().tail(), 0U);
}

// --- room ---------------------------------------------------------------------------------------

TEST_P(BootBuffer, TakesUntilItsLastSlot) {
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets = fill();
  const std::uint32_t left = kBootSlots % kLargest;
  packets.push_back(message(99, (left - 1) * Bytes{kSim.fifo_slot_bytes}));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(buffer().tail(), kBootSlots);
  EXPECT_EQ(buffer().unread(), as_entries(packets));
  EXPECT_EQ(arrives(message(100, 0)), Status::kFifoFull);
  EXPECT_EQ(buffer().unread(), as_entries(packets));
}

TEST_P(BootBuffer, RefusesAPacketWithoutRoomForAllOfIt) {
  configure(kBootFifo, kBoots);
  const std::vector<Packet> packets = fill();
  const std::uint32_t left = kBootSlots % kLargest;
  EXPECT_EQ(arrives(message(99, left * Bytes{kSim.fifo_slot_bytes})), Status::kFifoFull);
  EXPECT_EQ(buffer().unread(), as_entries(packets));
  EXPECT_EQ(buffer().refused(), 1U);
  EXPECT_EQ(device().read64(registers::reception_fifo::refused(kBootFifo.value)), 0U);
}

TEST_P(BootBuffer, ThatHasRefusedRefusesUntilItIsOpenedAnew) {
  configure(kBootFifo, kBoots);
  fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  EXPECT_EQ(arrives(message(51, 0)), Status::kFifoFull) << "it would fit, and overtake";
  buffer().take();
  EXPECT_EQ(arrives(message(52, 0)), Status::kFifoFull) << "though all is free";
  EXPECT_EQ(buffer().refused(), 3U);
  EXPECT_TRUE(buffer().is_open());
  configure(kBootFifo, kBoots);
  EXPECT_EQ(buffer().refused(), 0U);
  EXPECT_EQ(arrives(message(53, 0)), Status::kOk);
  EXPECT_EQ(buffer().unread(), as_entries({message(53, 0)}));
}

TEST_P(BootBuffer, DoesNotHoldWhatItRefuses) {
  constexpr Cycles kHold = 0xFFFF;
  device().write64(registers::node::fifo_hold_cycles(), kHold);
  configure(kBootFifo, kBoots);
  fill();
  const Cycles before = device().now();
  deliver(message(50, 512));
  EXPECT_LT(device().now() - before, kHold);
  EXPECT_EQ(kind_of(settle("refused").at(0)), Kind::kNotice);
}

TEST_P(BootBuffer, ThatIsFullIsNoMatterForAnother) {
  configure(kBootFifo, kBoots);
  configure(kForeignBootFifo, kBootsForForeigner);
  fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  EXPECT_EQ(arrives(message(51, 512, kForeignBootFifo)), Status::kOk);
  EXPECT_EQ(buffer(kForeigner).tail(), kLargest);
}

TEST_P(BootBuffer, GoesRoundManyTimes) {
  configure(kBootFifo, kBoots);
  std::uint32_t number = 0;
  for (unsigned round = 0; round < 12; ++round) {
    std::vector<Packet> packets;
    for (unsigned i = 0; i < 5; ++i) {
      packets.push_back(message(number, 37 * Bytes{number} % 513));
      deliver(packets.back());
      ++number;
    }
    settle("five packets");
    EXPECT_EQ(buffer().take(), as_entries(packets)) << round;
  }
  EXPECT_GT(buffer().tail(), 3 * kBootSlots);
  EXPECT_EQ(buffer().refused(), 0U);
}

// --- head ---------------------------------------------------------------------------------------

TEST_P(BootBuffer, SlotsThatAreFreedReadAsZero) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  deliver(message(2, 100));
  buffer().set_head(3);
  EXPECT_EQ(buffer().head(), 3U);
  Entries wanted = as_entries({message(1, 100), message(2, 100)});
  std::fill_n(wanted.begin(), 3 * kSim.fifo_slot_bytes, std::uint8_t{0});
  wanted.resize(kBootSlots * Bytes{kSim.fifo_slot_bytes});
  EXPECT_EQ(buffer().all_slots(), wanted);
  settle("three slots are freed");
}

TEST_P(BootBuffer, HeadMovesForwardUpToTheTail) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  const std::uint32_t head = registers::boot_buffer::head(kOwner.value);
  EXPECT_EQ(refused_write(head, 6), Status::kDoorbellRange);
  EXPECT_EQ(refused_write(head, 0xFFFF'FFFF), Status::kDoorbellRange);
  EXPECT_EQ(refused_write(head, 2), Status::kOk);
  EXPECT_EQ(refused_write(head, 1), Status::kDoorbellRange);
  EXPECT_EQ(refused_write(head, 2), Status::kOk);
  EXPECT_EQ(refused_write(head, 5), Status::kOk);
  EXPECT_EQ(refused_write(head, 6), Status::kDoorbellRange);
  EXPECT_EQ(buffer().head(), 5U);
  settle("all is freed");
}

TEST_P(BootBuffer, HeadIsOneWordOf32Bits) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  const std::uint32_t head = registers::boot_buffer::head(kOwner.value);
  EXPECT_EQ(refused_write(head, std::uint64_t{1} << 32 | 1), Status::kRegisterValue);
  EXPECT_EQ(refused_write(head, 1, false), Status::kRegisterPartial);
  EXPECT_EQ(buffer().head(), 0U);
  settle("two refused");
}

// --- registers that are not there ---------------------------------------------------------------

TEST_P(BootBuffer, TakesNoOtherWrite) {
  namespace r = registers::boot_buffer;
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  for (const std::uint32_t address :
       {r::data(0, 0), r::data(0, 4), r::data(0, 511), r::tail(0), r::refused(0), r::head(0) + 0x18,
        r::head(0) + 0xFF8, r::head(kSim.clients), r::data(kSim.clients, 0)}) {
    EXPECT_EQ(refused_write(address, 1), Status::kRegisterUnknown) << register_name(address);
  }
  EXPECT_EQ(refused_write(r::data(0, 0), 1, false), Status::kRegisterUnknown);
  EXPECT_EQ(buffer().unread(), as_entries({message(1, 100)}));
  settle("all refused");
}

TEST_P(BootBuffer, ShowsNothingElse) {
  namespace r = registers::boot_buffer;
  for (const std::uint32_t address :
       {r::head(0) + 0x18, r::head(0) + 0x20, r::head(0) + 0xFF8, r::head(kSim.clients),
        r::data(kSim.clients, 0), r::kBase + 15 * r::kStride + 0x1008}) {
    EXPECT_EQ(refused_read(address), Status::kRegisterUnknown) << register_name(address);
  }
  settle("all refused");
}

// --- config -------------------------------------------------------------------------------------

TEST_P(BootBuffer, IsNotForAFifoThatTakesPackets) {
  const std::uint32_t address = registers::reception_fifo::config(kBootFifo.value);
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  for (const FifoConfig& bad :
       {FifoConfig{.enable = true, .boot = true}, FifoConfig{.reply_only = true, .boot = true},
        FifoConfig{.boot = true, .owner = {kSim.clients}}}) {
    EXPECT_EQ(refused_write(address, bad.bits()), Status::kRegisterValue);
  }
  EXPECT_EQ(config(kBootFifo), kBoots.bits());
  EXPECT_EQ(buffer().unread(), as_entries({message(1, 100)})) << "a refused write opens nothing";
  settle("three refused");
}

TEST_P(BootBuffer, OfAClientIsForOneFifoAtATime) {
  const std::uint32_t other = registers::reception_fifo::config(kOtherFifo.value);
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  EXPECT_EQ(refused_write(other, kBoots.bits()), Status::kRegisterValue);
  EXPECT_EQ(config(kOtherFifo), 0U);
  EXPECT_EQ(buffer().tail(), 5U);
  EXPECT_EQ(arrives(message(2, 100, kOtherFifo)), Status::kFifoInvalid);
  configure(kBootFifo, kOff);
  EXPECT_EQ(refused_write(other, kBoots.bits()), Status::kOk);
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_EQ(arrives(message(3, 100, kOtherFifo)), Status::kOk);
  EXPECT_EQ(buffer().unread(), as_entries({message(3, 100, kOtherFifo)}));
}

TEST_P(BootBuffer, OpenedAnewIsEmptyAndShowsNothingOfBefore) {
  configure(kBootFifo, kBoots);
  fill();
  configure(kBootFifo, kBoots);
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_EQ(buffer().all_slots(), zeros(kBootSlots));
  deliver(message(3, 40));
  Entries wanted = as_entries({message(3, 40)});
  wanted.resize(kBootSlots * Bytes{kSim.fifo_slot_bytes});
  EXPECT_EQ(buffer().all_slots(), wanted);
  settle("one packet");
}

TEST_P(BootBuffer, OfAnotherOwnerIsAnotherBuffer) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  configure(kBootFifo, kBootsForForeigner);
  EXPECT_FALSE(buffer().is_open());
  EXPECT_TRUE(buffer(kForeigner).is_open());
  deliver(message(2, 200));
  EXPECT_EQ(buffer().unread(), as_entries({message(1, 100)}));
  EXPECT_EQ(buffer(kForeigner).unread(), as_entries({message(2, 200)}));
  settle("two buffers");
}

// --- the process starts -------------------------------------------------------------------------

TEST_P(BootBuffer, FifoIsMadeWhileItIsOpen) {
  namespace r = registers::reception_fifo;
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  device().write64(r::base(kBootFifo.value), kBootRing + 0x1000);
  device().write64(r::size(kBootFifo.value), 20);
  device().write64(r::threshold(kBootFifo.value), 3);
  EXPECT_EQ(device().read64(r::base(kBootFifo.value)), kBootRing + 0x1000);
  EXPECT_EQ(device().read64(r::size(kBootFifo.value)), 20U);
  EXPECT_EQ(device().read64(r::threshold(kBootFifo.value)), 3U);
  EXPECT_TRUE(buffer().is_open());
  EXPECT_EQ(buffer().tail(), 5U);
  settle("made");
}

TEST_P(BootBuffer, SwitchSendsTheNextPacketIntoTheFifo) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  configure(kBootFifo, kTakes);
  EXPECT_FALSE(buffer().is_open());
  EXPECT_EQ(buffer().tail(), 5U);
  deliver(message(2, 200));
  settle("one each");
  EXPECT_EQ(own().fifo_tail(kBootFifo), slots_of_packet(200));
  EXPECT_EQ(in_memory(slots_of_packet(200)), as_entries({message(2, 200)}));
  EXPECT_EQ(buffer().take(), as_entries({message(1, 100)}));
  EXPECT_EQ(buffer().head(), 5U);
  EXPECT_EQ(buffer().all_slots(), zeros(kBootSlots));
}

TEST_P(BootBuffer, ThatHasRefusedNoMoreDoesSoOnceTheFifoIsThere) {
  configure(kBootFifo, kBoots);
  fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  configure(kBootFifo, kTakes);
  EXPECT_EQ(arrives(message(50, 512)), Status::kOk);
  EXPECT_EQ(in_memory(kLargest), as_entries({message(50, 512)}));
  EXPECT_EQ(buffer().refused(), 1U);
}

TEST_P(BootBuffer, OfAClientThatNeverStartsIsClosed) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  configure(kBootFifo, kOff);
  EXPECT_FALSE(buffer().is_open());
  EXPECT_EQ(arrives(message(2, 100)), Status::kFifoInvalid);
  EXPECT_EQ(buffer().unread(), as_entries({message(1, 100)}));
}

TEST_P(BootBuffer, OpensForAFifoThatTookPackets) {
  configure(kBootFifo, kTakes);
  deliver(message(1, 100));
  settle("in memory");
  configure(kBootFifo, kBoots);
  deliver(message(2, 100));
  settle("in the buffer");
  EXPECT_EQ(buffer().unread(), as_entries({message(2, 100)}));
  EXPECT_EQ(device().read64(registers::reception_fifo::tail(kBootFifo.value)), 0U);
}

TEST_P(BootBuffer, DoorbellPageKnowsNoFifoBeforeTheSwitch) {
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

INSTANTIATE_TEST_SUITE_P(On, BootBuffer, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
