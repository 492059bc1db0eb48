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
  }
  EXPECT_EQ(arrives(message(0, 10)), Status::kFifoInvalid);
}

TEST_P(BootBuffer, OpensEmptyForItsOwnerAlone) {
  configure(kBootFifo, kBoots);
  EXPECT_EQ(config(kBootFifo), kBoots.bits());
  EXPECT_TRUE(buffer().is_open());
  EXPECT_EQ(buffer().tail(), 0U);
  EXPECT_FALSE(buffer(kForeigner).is_open());
}

TEST_P(BootBuffer, KeepsPacketsAndMovesThemOnceTheFifoIsThere) {
  configure(kBootFifo, kBoots);
  std::uint32_t slots = 0;
  std::vector<Packet> packets;
  for (const Bytes bytes : {0U, 1U, 31U, 32U, 33U, 64U, 511U, 512U}) {
    packets.push_back(message(static_cast<std::uint32_t>(bytes), bytes));
    EXPECT_EQ(arrives(packets.back()), Status::kOk) << bytes;
    slots += slots_of_packet(bytes);
    EXPECT_EQ(buffer().tail(), slots) << bytes;
  }
  EXPECT_EQ(in_memory(slots), zeros(slots));
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(tail_of(kBootFifo), slots);
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(buffer().head(), slots);
  EXPECT_EQ(buffer().tail(), slots);
  packets.push_back(message(99, 70));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(buffer().tail(), slots);
}

TEST_P(BootBuffer, RaisesCausesWhenPacketsAreMovedAndNotBefore) {
  device().write64(registers::reception_fifo::threshold(kBootFifo.value), 6);
  configure(kBootFifo, kBoots);
  Packet packet = message(1, 100);
  packet.trailer.set<t::interrupt>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(buffer().tail(), slots_of_packet(100));
  EXPECT_EQ(own().causes(), 0U);
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  start();
  EXPECT_TRUE(has_cause(Cause::kArrived));
  EXPECT_FALSE(has_cause(Cause::kFifoThreshold));
  clear_causes();
  configure(kBootFifo, kBoots);
  EXPECT_EQ(arrives(message(2, 30)), Status::kOk);
  EXPECT_EQ(arrives(message(3, 512)), Status::kOk);
  start(kBootFifo, {.enable = true, .interrupt = true});
  EXPECT_TRUE(has_cause(Cause::kArrived));
  EXPECT_TRUE(has_cause(Cause::kFifoThreshold));
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
  start(kForeignBootFifo, kTakesForForeigner);
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_EQ(in_memory(tail_of(kForeignBootFifo), kForeignBootRing), as_entries(packets[1]));
  start();
  EXPECT_EQ(moved(), as_entries(packets[0]));
}

TEST_P(BootBuffer, OfTwoClientsIsMovedAtOnce) {
  configure(kBootFifo, kBoots);
  configure(kForeignBootFifo, kBootsForForeigner);
  std::array<std::vector<Packet>, 2> packets;
  for (std::uint32_t i = 0; i < 14; ++i) {
    packets.at(i % 2).push_back(message(i, 250, i % 2 == 0 ? kBootFifo : kForeignBootFifo));
    deliver(packets.at(i % 2).back());
  }
  configure(kBootFifo, kTakes);
  start(kForeignBootFifo, kTakesForForeigner);
  EXPECT_EQ(moved(), as_entries(packets[0]));
  EXPECT_EQ(in_memory(tail_of(kForeignBootFifo), kForeignBootRing), as_entries(packets[1]));
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
  EXPECT_EQ(arrives(message(100, 0)), Status::kFifoFull);
  EXPECT_EQ(buffer().tail(), kBootSlots);
  start();
  EXPECT_EQ(moved(), as_entries(packets));
}

TEST_P(BootBuffer, RefusesAPacketWithoutRoomForAllOfIt) {
  configure(kBootFifo, kBoots);
  const std::vector<Packet> packets = fill();
  const std::uint32_t left = kBootSlots % kLargest;
  EXPECT_EQ(arrives(message(99, left * Bytes{kSim.fifo_slot_bytes})), Status::kFifoFull);
  EXPECT_EQ(buffer().refused(), 1U);
  EXPECT_EQ(device().read64(registers::reception_fifo::refused(kBootFifo.value)), 0U);
  start();
  EXPECT_EQ(moved(), as_entries(packets));
}

TEST_P(BootBuffer, ThatHasRefusedRefusesUntilItIsOpenedAnew) {
  configure(kBootFifo, kBoots);
  fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  EXPECT_EQ(arrives(message(51, 0)), Status::kFifoFull) << "it would fit, and overtake";
  EXPECT_EQ(buffer().refused(), 2U);
  EXPECT_TRUE(buffer().is_open());
  configure(kBootFifo, kBoots);
  EXPECT_EQ(buffer().refused(), 0U);
  EXPECT_EQ(arrives(message(53, 0)), Status::kOk);
  start();
  EXPECT_EQ(moved(), as_entries({message(53, 0)}));
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

TEST_P(BootBuffer, ServesOneLifeAfterTheOther) {
  std::uint32_t number = 0;
  for (unsigned life = 0; life < 12; ++life) {
    configure(kBootFifo, kBoots);
    std::vector<Packet> packets;
    for (unsigned i = 0; i < 5; ++i) {
      packets.push_back(message(number, 37 * Bytes{number} % 513));
      deliver(packets.back());
      ++number;
    }
    start();
    EXPECT_EQ(moved(), as_entries(packets)) << life;
    EXPECT_EQ(buffer().head(), buffer().tail());
    EXPECT_EQ(buffer().refused(), 0U);
  }
}

// --- registers that are not there ---------------------------------------------------------------

TEST_P(BootBuffer, TakesNoWrite) {
  namespace r = registers::boot_buffer;
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  for (const std::uint32_t address : {r::head(0), r::tail(0), r::refused(0), r::head(0) + 0x18,
                                      r::head(kSim.clients), r::kBase + 0x1000}) {
    EXPECT_EQ(refused_write(address, 1), Status::kRegisterUnknown) << register_name(address);
  }
  EXPECT_EQ(refused_write(r::head(0), 1, false), Status::kRegisterUnknown);
  EXPECT_EQ(buffer().head(), 0U);
  settle("all refused");
}

TEST_P(BootBuffer, ShowsNothingElse) {
  namespace r = registers::boot_buffer;
  for (const std::uint32_t address : {r::head(0) + 0x18, r::head(kSim.clients), r::head(15),
                                      r::kBase + 0x200, r::kBase + 0x1000, r::kBase + 0x2000}) {
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
  EXPECT_EQ(buffer().tail(), 5U) << "a refused write opens nothing";
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
  EXPECT_EQ(buffer().tail(), 5U);
}

TEST_P(BootBuffer, OpenedAnewIsEmpty) {
  configure(kBootFifo, kBoots);
  fill();
  configure(kBootFifo, kBoots);
  EXPECT_EQ(buffer().tail(), 0U);
  deliver(message(3, 40));
  start();
  EXPECT_EQ(moved(), as_entries({message(3, 40)}));
}

TEST_P(BootBuffer, OfAnotherOwnerIsAnotherBuffer) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  configure(kBootFifo, kBootsForForeigner);
  EXPECT_FALSE(buffer().is_open());
  EXPECT_TRUE(buffer(kForeigner).is_open());
  deliver(message(2, 200));
  start(kBootFifo, kTakesForForeigner);
  EXPECT_EQ(moved(), as_entries({message(2, 200)}));
  start();
  EXPECT_EQ(tail_of(kBootFifo), 0U);
}

// --- the process starts -------------------------------------------------------------------------

TEST_P(BootBuffer, FifoIsMadeWhileItIsOpen) {
  namespace r = registers::reception_fifo;
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  device().write64(r::base(kBootFifo.value), kBootRing + 0x1000);
  device().write64(r::size(kBootFifo.value), 32);
  device().write64(r::threshold(kBootFifo.value), 3);
  EXPECT_EQ(device().read64(r::base(kBootFifo.value)), kBootRing + 0x1000);
  EXPECT_EQ(device().read64(r::size(kBootFifo.value)), 32U);
  EXPECT_EQ(device().read64(r::threshold(kBootFifo.value)), 3U);
  EXPECT_TRUE(buffer().is_open());
  EXPECT_EQ(buffer().tail(), 5U);
  settle("made");
}

TEST_P(BootBuffer, SwitchOfAnEmptyOneMovesNothing) {
  configure(kBootFifo, kBoots);
  start();
  EXPECT_FALSE(buffer().is_open());
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_EQ(arrives(message(2, 200)), Status::kOk);
  EXPECT_EQ(moved(), as_entries({message(2, 200)}));
}

TEST_P(BootBuffer, IsMovedRoundTheEndOfTheRing) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  std::vector<Packet> packets;
  configure(kBootFifo, kBoots);
  for (std::uint32_t i = 0; i < 5; ++i) {
    packets.push_back(message(i, 160));
    deliver(packets.back());
  }
  start();
  EXPECT_EQ(moved(), as_entries(packets));
  own().set_fifo_head(kBootFifo, 30);
  const Packet next = message(9, 160);
  EXPECT_EQ(arrives(next), Status::kOk);
  Entries wanted = as_entries({next});
  wanted.resize(2 * Bytes{kSim.fifo_slot_bytes});
  const Address last = kBootRing + 30 * Address{kSim.fifo_slot_bytes};
  EXPECT_EQ(in_memory(2, last), wanted);
}

// Senders are told, in order; what has been refused once is not overtaken.
TEST_P(BootBuffer, IsRefusedWhatTheFifoHasNoRoomFor) {
  device().write64(registers::reception_fifo::size(kBootFifo.value), 32);
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < 8; ++i) {
    packets.push_back(message(i, i == 7 ? 8 : 160));
    deliver(packets.back());
  }
  const std::vector<Packet> back = start();
  EXPECT_EQ(statuses_of(back), std::vector<Status>(3, Status::kFifoFull));
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].trailer.get<t::index>(), 5 + i);
  }
  packets.resize(5);
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(buffer().head(), buffer().tail());
  EXPECT_EQ(buffer().refused(), 0U);
  EXPECT_EQ(device().read64(registers::reception_fifo::refused(kBootFifo.value)), 3U);
  EXPECT_EQ(arrives(message(7, 8)), Status::kFifoFull);
  own().set_fifo_head(kBootFifo, 8);
  EXPECT_EQ(arrives(message(5, 160)), Status::kOk);
}

TEST_P(BootBuffer, ThatHasRefusedNoMoreDoesSoOnceTheFifoIsThere) {
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets = fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  start();
  packets.push_back(message(50, 512));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(buffer().refused(), 1U);
}

TEST_P(BootBuffer, OfAClientThatNeverStartsIsClosedAndDropped) {
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  configure(kBootFifo, kOff);
  EXPECT_FALSE(buffer().is_open());
  EXPECT_EQ(arrives(message(2, 100)), Status::kFifoInvalid);
  EXPECT_EQ(buffer().head(), 0U);
  EXPECT_EQ(buffer().tail(), 5U);
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_EQ(arrives(message(3, 100)), Status::kOk);
  EXPECT_EQ(moved(), as_entries({message(3, 100)}));
}

TEST_P(BootBuffer, IsNotMovedForAnotherOwnerNorWhereOnlyRepliesAreTaken) {
  for (const FifoConfig& other :
       {kTakesForForeigner, FifoConfig{.enable = true, .reply_only = true}}) {
    configure(kBootFifo, kBoots);
    deliver(message(1, 100));
    EXPECT_TRUE(start(kBootFifo, other).empty());
    EXPECT_TRUE(start().empty());
    EXPECT_EQ(tail_of(kBootFifo), 0U);
  }
}

TEST_P(BootBuffer, OpensForAFifoThatTookPackets) {
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
