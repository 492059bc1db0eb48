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

using BootBuffer = BootBufferTest;

// --- what is kept -------------------------------------------------------------------------------

TEST_P(BootBuffer, KeepsPacketsAndTheUnitMovesThemOnceTheFifoIsThere) {
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
  packets.push_back(message(99, 70));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(moved(), as_entries(packets));
  EXPECT_EQ(buffer().tail(), slots) << "nothing more comes by the boot buffer";
}

TEST_P(BootBuffer, KeepsPacketsForTheProcessToCopy) {
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets = deliver_five_slots(3);
  start(kBootFifo, kTakes);
  EXPECT_EQ(tail_of(kBootFifo), 0U);
  EXPECT_EQ(own().fifo_tail(kKeeper), 15U);
  EXPECT_EQ(kept(), as_entries(packets));
  own().set_fifo_head(kKeeper, 15);
  EXPECT_EQ(buffer().head(), 15U);
  const Packet later = message(9, 100);
  EXPECT_EQ(arrives(later), Status::kOk);
  EXPECT_EQ(moved(), as_entries({later}));
  EXPECT_EQ(buffer().tail(), 15U);
}

// A region over what was kept and no more, and a PUT of the process to itself.
TEST_P(BootBuffer, IsCopiedByAPutOfTheProcess) {
  constexpr RegionId kKept{12};
  configure(kBootFifo, kBoots);
  const std::vector<Packet> packets = deliver_five_slots(3);
  start(kBootFifo, kTakes);
  const Bytes bytes = 15 * Bytes{kSim.fifo_slot_bytes};
  own().open_region(kKept, boot_ring_of(kOwner), bytes, {});
  run_now(put_descriptor(here_, {kKept, 0, bytes}, kTargetRegion, 0, {}));
  settle("copied");
  EXPECT_EQ(in_memory(15, kTarget), as_entries(packets));
}

TEST_P(BootBuffer, KeepsForSeveralFifosOfAClientInOneOrder) {
  configure(kBootFifo, kBoots);
  configure(kOtherFifo, kBoots);
  std::vector<Packet> all;
  std::array<std::vector<Packet>, 2> packets;
  for (std::uint32_t i = 0; i < 8; ++i) {
    all.push_back(message(i, 40 * Bytes{i}, i % 2 == 0 ? kBootFifo : kOtherFifo));
    packets.at(i % 2).push_back(all.back());
    deliver(all.back());
  }
  settle("eight packets");
  EXPECT_EQ(kept(), as_entries(all));
  configure(kBootFifo, kMoves);
  start(kOtherFifo);
  EXPECT_EQ(moved(), as_entries(packets[0]));
  EXPECT_EQ(in_memory(tail_of(kOtherFifo), kOtherRing), as_entries(packets[1]));
}

TEST_P(BootBuffer, RaisesCausesWhenPacketsAreMovedAndNotBefore) {
  device().write64(registers::reception_fifo::threshold(kBootFifo.value), 6);
  configure(kBootFifo, kBoots);
  Packet packet = message(1, 100);
  packet.trailer.set<t::interrupt>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(own().causes(), 0U);
  start();
  EXPECT_TRUE(has_cause(Cause::kArrived));
  EXPECT_FALSE(has_cause(Cause::kFifoThreshold));
  clear_causes();
  configure(kBootFifo, kBoots);
  EXPECT_EQ(arrives(message(2, 30)), Status::kOk);
  EXPECT_EQ(arrives(message(3, 512)), Status::kOk);
  FifoConfig tells = kMoves;
  tells.interrupt = true;
  start(kBootFifo, tells);
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
  start(kForeignBootFifo, kMovesForForeigner);
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
  configure(kBootFifo, kMoves);
  start(kForeignBootFifo, kMovesForForeigner);
  EXPECT_EQ(moved(), as_entries(packets[0]));
  EXPECT_EQ(in_memory(tail_of(kForeignBootFifo), kForeignBootRing), as_entries(packets[1]));
}

TEST_P(BootBuffer, InNodeMemoryIsOneAsWell) {
  configure(kKeeper, kOff);
  device().write64(registers::reception_fifo::base(kKeeper.value), 0x60007);
  configure(kKeeper, kKeeps);
  configure(kBootFifo, kBoots);
  const std::vector<Packet> packets = deliver_five_slots(4);
  EXPECT_EQ(in_memory(20, 0x60007), as_entries(packets));
  start();
  EXPECT_EQ(moved(), as_entries(packets));
}

// --- what is not kept ---------------------------------------------------------------------------

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

TEST_P(BootBuffer, IsForNobodyDirectly) {
  EXPECT_EQ(arrives(message(1, 100, kKeeper)), Status::kFifoInvalid);
  EXPECT_EQ(buffer().tail(), 0U);
  Packet packet = message(0, 16, kKeeper);
  packet.header.set<h::reply>(1);
  EXPECT_EQ(arrives(packet), Status::kOk);
  EXPECT_EQ(device().read64(registers::node::dropped_replies()), 1U);
}

TEST_P(BootBuffer, IsOfTheOwnerOfTheFifo) {
  for (const FifoId keeper : {kForeignKeeper, kFifo, kClosedFifo, kBootFifo}) {
    configure(kBootFifo, {.boot = true, .keeper = keeper});
    EXPECT_EQ(arrives(message(1, 100)), Status::kFifoInvalid) << keeper.value;
    start(kBootFifo, {.enable = true, .boot = true, .keeper = keeper});
    EXPECT_EQ(own().fifo_tail(kFifo), 0U);
  }
  EXPECT_EQ(buffer(kForeigner).tail(), 0U);
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

TEST_P(BootBuffer, ThatHasRefusedRefusesUntilItIsRead) {
  configure(kBootFifo, kBoots);
  std::vector<Packet> packets = fill();
  EXPECT_EQ(arrives(message(50, 512)), Status::kFifoFull);
  EXPECT_EQ(arrives(message(51, 0)), Status::kFifoFull) << "it would fit, and overtake";
  EXPECT_EQ(buffer().refused(), 2U);
  start();
  packets.push_back(message(50, 512));
  EXPECT_EQ(arrives(packets.back()), Status::kOk);
  EXPECT_EQ(moved(), as_entries(packets));
  configure(kBootFifo, kBoots);
  EXPECT_EQ(arrives(message(52, 0)), Status::kOk);
  EXPECT_EQ(buffer().refused(), 2U);
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
    open_boot_buffer(device(), kOwner, life % 2 == 0 ? kBootSlots : kBootSlots / 2);
    configure(kBootFifo, kBoots);
    std::vector<Packet> packets;
    for (unsigned i = 0; i < 5; ++i) {
      packets.push_back(message(number, 37 * Bytes{number} % 400));
      deliver(packets.back());
      ++number;
    }
    start();
    EXPECT_EQ(moved(), as_entries(packets)) << life;
    EXPECT_EQ(buffer().head(), buffer().tail());
    EXPECT_EQ(buffer().refused(), 0U);
  }
}

// --- boot.expected ------------------------------------------------------------------------------

namespace e = registers::boot::expected_field;
std::uint64_t expected(std::uint64_t clients, std::uint64_t fifos, std::uint64_t slots) {
  return insert(insert(insert(0, e::clients, clients), e::fifos, fifos), e::slots, slots);
}

TEST_P(BootBuffer, IsOpenedByTheUnitForEachClientThatIsExpected) {
  namespace r = registers::reception_fifo;
  for (const FifoId fifo : {kKeeper, kForeignKeeper}) configure(fifo, kOff);
  const std::uint64_t value = expected(0b1010, 2, 32);
  device().write64(registers::boot::expected(), value);
  EXPECT_EQ(device().read64(registers::boot::expected()), value);
  for (std::uint32_t client = 0; client < kSim.clients; ++client) {
    const bool named = client % 2 == 1;
    const FifoId keeper = boot_buffer_of({client});
    const FifoConfig keeps{.enable = true, .owner = {client}, .keeps = true};
    const FifoConfig boots{.boot = true, .owner = {client}, .keeper = keeper};
    EXPECT_EQ(config(keeper), named ? keeps.bits() : kOff.bits()) << client;
    if (!named) continue;
    EXPECT_EQ(device().read64(r::base(keeper.value)), boot_ring_of({client}, 32));
    EXPECT_EQ(device().read64(r::size(keeper.value)), 32U);
    EXPECT_EQ(config({2 * client}), boots.bits());
    EXPECT_EQ(config({2 * client + 1}), boots.bits());
  }
  EXPECT_EQ(config({4}), 0U) << "of a client that is not expected";
  EXPECT_EQ(arrives(message(1, 70, {3})), Status::kOk);
  EXPECT_EQ(buffer(kForeigner).tail(), 4U);
  settle("opened");
}

TEST_P(BootBuffer, IsNotOpenedWhereThereIsNoRoom) {
  const std::uint32_t address = registers::boot::expected();
  const std::uint32_t most = kSim.reception_fifos - kSim.clients;
  const std::uint32_t slots = static_cast<std::uint32_t>(unit_memory_bytes(kSim)) / 32;
  device().write64(address, expected(1, most, slots));
  EXPECT_EQ(device().read64(address), expected(1, most, slots)) << "all of it for one client";
  const std::uint64_t before = config(kForeignKeeper);
  for (const std::uint64_t bad :
       {expected(1, most + 1, 32), expected(1, 0, 32), expected(1, 1, 2 * slots),
        expected(1, 1, 16), expected(1, 1, 0), expected(1, 1, 48), expected(2, most / 2 + 1, 32),
        expected(2, 1, slots), expected(std::uint64_t{1} << kSim.clients, 1, 32),
        expected(0, 1, 48), std::uint64_t{1} << 24, std::uint64_t{1} << 63}) {
    EXPECT_EQ(refused_write(address, bad), Status::kRegisterValue) << std::hex << bad;
  }
  EXPECT_EQ(device().read64(address), expected(1, most, slots));
  EXPECT_EQ(config(kForeignKeeper), before);
  EXPECT_EQ(refused_write(address + 8, 0), Status::kRegisterUnknown);
  EXPECT_EQ(refused_write(address, expected(0, 0, 0)), Status::kOk) << "nobody is expected";
  settle("refused");
}

// --- config -------------------------------------------------------------------------------------

TEST_P(BootBuffer, ConfigHasOneRoleAtATime) {
  const std::uint32_t address = registers::reception_fifo::config(kBootFifo.value);
  configure(kBootFifo, kBoots);
  deliver(message(1, 100));
  for (const FifoConfig& bad :
       {FifoConfig{.reply_only = true, .boot = true},
        FifoConfig{.enable = true, .boot = true, .keeps = true},
        FifoConfig{.enable = true, .reply_only = true, .keeps = true}, FifoConfig{.keeps = true},
        FifoConfig{.boot = true, .owner = {kSim.clients}},
        FifoConfig{.boot = true, .keeper = {kSim.reception_fifos}}}) {
    EXPECT_EQ(refused_write(address, bad.bits()), Status::kRegisterValue);
  }
  EXPECT_EQ(config(kBootFifo), kBoots.bits());
  settle("all refused");
  start();
  EXPECT_EQ(moved(), as_entries({message(1, 100)}));
}

TEST_P(BootBuffer, ConfiguredAnewIsEmpty) {
  configure(kBootFifo, kBoots);
  fill();
  settle("filled");
  configure(kKeeper, kKeeps);
  EXPECT_EQ(buffer().tail(), 0U);
  deliver(message(3, 40));
  start();
  EXPECT_EQ(moved(), as_entries({message(3, 40)}));
}

INSTANTIATE_TEST_SUITE_P(On, BootBuffer, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
