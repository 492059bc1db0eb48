// SPDX-License-Identifier: Apache-2.0
// bgp:
// verilator: --output-split-cfuncs 200000

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/reception_fixture.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

TEST_F(ReceptionEngine, StoresAPutWhereItsRegionSays) {
  Packet put = packet_of(Kind::kPut, false, 0, 100);
  put.header.set<h::offset>(0x123);
  put.trailer.set<t::counter>(1)
      .set<t::counter_valid>(1)
      .set<t::event_counter>(5)
      .set<t::event_valid>(1);
  put.seal();
  send(put);
  judge();
  ASSERT_EQ(bench.parts.size(), 1U);
  EXPECT_EQ(bench.parts[0].address, 0x10123U);
}

TEST_F(ReceptionEngine, StoresAPutForTheOwnerOfItsRegion) {
  for (unsigned owner = 0; owner < 16; ++owner) {
    bench.regions[0].set<layout::region_entry::owner>(owner);
    for (const bool reply : {false, true}) {
      send(packet_of(Kind::kPut, reply, 0, 32));
      judge();
      ASSERT_EQ(bench.parts.back().action.get<layout::write_action::client>(), owner);
    }
  }
}

TEST_F(ReceptionEngine, CountsAtCountersOfTheOwnerOfTheRegionAlone) {
  for (unsigned owner = 0; owner < 16; ++owner) {
    bench.regions[0].set<layout::region_entry::owner>(owner);
    for (unsigned other = 0; other < 16; ++other) {
      bench.counters[9] = bench.events[10] = {true, static_cast<std::uint8_t>(other)};
      for (const bool event : {false, true}) {
        Packet put = packet_of(Kind::kPut, false, 0, 16);
        put.trailer.set<t::counter>(9).set<t::counter_valid>(event ? 0 : 1);
        put.trailer.set<t::event_counter>(10).set<t::event_valid>(event ? 1 : 0);
        put.seal();
        send(put);
      }
      judge();
    }
  }
  EXPECT_EQ(bench.parts.size(), 2U * 16);
}

TEST_F(ReceptionEngine, OffersTheWriteCommandWithinFiveCyclesOfTheTail) {
  make_fifo(0, 64, kEnable);
  make_queue(20, QueueMode::kRemoteGet, 16);
  bench.drain();
  std::uint64_t longest = 0;
  for (const Kind kind : {Kind::kPut, Kind::kFifo}) {
    for (const bool reply : {false, true}) {
      bench.first_command_cycle = 0;
      send(packet_of(kind, reply, 0, 32));
      bench.drain();
      longest = std::max(longest, bench.first_command_cycle - bench.last_tail_cycle);
    }
  }
  EXPECT_LE(longest, 5U);
  judge();
}

TEST_F(ReceptionEngine, TakesAFullPacketEvery34Cycles) {
  constexpr unsigned kPackets = 40;
  for (unsigned i = 0; i < kPackets; ++i) send(packet_of(Kind::kPut, false, 0, 512));
  const std::uint64_t start = bench.cycle();
  while (!bench.all_sent()) bench.tick();
  EXPECT_LE(bench.cycle() - start, kPackets * 34 + 2);
  judge();
}

TEST_F(ReceptionEngine, TakesFullFifoPacketsAtTheSameRate) {
  make_fifo(0, 1024, kEnable);
  constexpr unsigned kPackets = 40;
  for (unsigned i = 0; i < kPackets; ++i) send(packet_of(Kind::kFifo, false, 0, 512));
  const std::uint64_t start = bench.cycle();
  while (!bench.all_sent()) bench.tick();
  EXPECT_LE(bench.cycle() - start, kPackets * 34 + 2);
  judge();
}

TEST_F(ReceptionEngine, CutsAFifoEntryAtTheEndOfTheRing) {
  make_fifo(3, 32, kEnable | 2U << kOwnerLsb);
  for (unsigned bytes = 0; bytes <= 512; bytes += 37) {
    send(packet_of(Kind::kFifo, false, 3, bytes));
    judge();
    const std::uint32_t tail = oracle.fifos[3].tail;
    EXPECT_EQ(bench.get(true, registers::reception_fifo::tail(3)), tail);
    ASSERT_EQ(bench.move_head(2, 3, tail), Status::kOk);
    oracle.fifos[3].move_head(tail);
  }
}

TEST_F(ReceptionEngine, CutsAGetAtTheEndOfTheQueue) {
  for (const unsigned queue : {20U, 64U, 128U}) {
    make_queue(queue, QueueMode::kRemoteGet, 16);
    for (unsigned i = 0; i < 20; ++i) {
      const unsigned count = 1 + i % 8;
      Packet get = packet_of(Kind::kGet, false, queue, count * 64);
      get.header.set<h::client>(i % 16);
      get.seal();
      send(get);
      judge();
      bench.queues[queue].used = 0;
      oracle.queues[queue].used = 0;
    }
  }
}

TEST_F(ReceptionEngine, RefusesAGetWithTheStatusOfItsQueue) {
  make_queue(20, QueueMode::kRemoteGet, 8);
  for (unsigned status = 1; status < 256; ++status) {
    bench.queues[20].refuses = static_cast<Status>(status);
    bench.send(packet_of(Kind::kGet, false, 20, 64));
    bench.drain();
    ASSERT_EQ(bench.packets_back.size(), status);
    ASSERT_EQ(bench.packets_back.back().header.get<h::word>() & 0xFF, status);
  }
  EXPECT_TRUE(bench.parts.empty());
}

TEST_F(ReceptionEngine, StampsSourceClientAndReflectionNumberOfAGet) {
  make_queue(2, QueueMode::kReflection, 4);
  Packet get = packet_of(Kind::kGet, false, 2, 64);
  get.header.set<h::client>(3);
  get.trailer.set<t::reflected>(1).set<t::sequence_number>(0x1234BEEF);
  get.seal();
  send(get);
  judge();
  ASSERT_EQ(bench.parts.size(), 1U);
  ASSERT_EQ(bench.parts[0].data.size(), Descriptor::kBytes);
  const auto stored = Descriptor::from_bytes(bench.parts[0].data);
  EXPECT_EQ(stored.get<layout::descriptor::reflection_number>(), 0xBEEFU);
  EXPECT_EQ(stored.get<layout::descriptor::header>().get<h::src_y>(), 5U);
  EXPECT_EQ(stored.get<layout::descriptor::header>().get<h::client>(), 3U);
}

TEST_F(ReceptionEngine, HoldsARequestForAFullFifoUntilItsTimeIsUp) {
  std::size_t refused = 0;
  for (const unsigned cycles : {200U, 1U << 14, 1U << 15}) {
    make_fifo(0, 32, kEnable);
    bench->fifo_hold_cycles_i = static_cast<SData>(cycles);
    send(packet_of(Kind::kFifo, false, 0, 512));
    send(packet_of(Kind::kFifo, false, 0, 448));
    bench.drain();
    send(
        packet_of(Kind::kFifo, false, 0, 0));  // the oracle refuses at once; here it takes its time
    while (!bench.all_sent()) bench.tick();
    bench.ticks(cycles - 5);
    EXPECT_EQ(bench.packets_back.size(), refused);
    bench.ticks(15);
    EXPECT_EQ(bench.packets_back.size(), ++refused);
    judge();
  }
}

TEST_F(ReceptionEngine, StoresAHeldRequestAsSoonAsThereIsRoom) {
  make_fifo(0, 32, kEnable);
  bench->fifo_hold_cycles_i = 500;
  send(packet_of(Kind::kFifo, false, 0, 512));
  send(packet_of(Kind::kFifo, false, 0, 448));
  bench.drain();
  const Packet third = packet_of(Kind::kFifo, false, 0, 480);
  bench.send(third);
  bench.ticks(100);
  EXPECT_EQ(bench.parts.size(), 2U);
  ASSERT_EQ(bench.move_head(0, 0, 16), Status::kOk);
  oracle.fifos[0].move_head(16);
  oracle.receive(third);
  bench.ticks(100);
  judge();
}

TEST_F(ReceptionEngine, HoldsTheNextRequestAnewAfterAHeldOneWasStored) {
  make_fifo(0, 32, kEnable);
  bench->fifo_hold_cycles_i = 100;
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.drain();
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.ticks(120);  // 34 to arrive, then held
  ASSERT_TRUE(bench.packets_back.empty());
  ASSERT_EQ(bench.move_head(0, 0, 17), Status::kOk);
  bench.drain();
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.ticks(34 + 90);
  EXPECT_TRUE(bench.packets_back.empty());
  bench.ticks(30);
  EXPECT_EQ(bench.packets_back.size(), 1U);
}

TEST_F(ReceptionEngine, RefusesAtOnceUntilAQuarterOfTheFifoIsFree) {
  make_fifo(0, 32, kEnable);
  bench->fifo_hold_cycles_i = 0;
  for (int i = 0; i < 4; ++i) send(packet_of(Kind::kFifo, false, 0, 7 * 32));
  send(packet_of(Kind::kFifo, false, 0, 0));  // full: refused
  judge();
  for (const std::uint32_t head : {1U, 7U, 8U}) {
    ASSERT_EQ(bench.move_head(0, 0, head), Status::kOk);
    oracle.fifos[0].move_head(head);
    bench->fifo_hold_cycles_i = 1000;  // a refusing FIFO does not hold
    send(packet_of(Kind::kFifo, false, 0, 0));
    judge();
  }
  EXPECT_EQ(bench.packets_back.size(), 3U);
  EXPECT_EQ(bench.get(true, registers::reception_fifo::refused(0)), 3U);
}

TEST_F(ReceptionEngine, ServesRepliesWhileARequestIsHeld) {
  make_fifo(0, 32, kEnable);
  make_fifo(1, 128, kEnable | kReplyOnly);
  make_notice_ring(0, 4);
  bench->fifo_hold_cycles_i = 5000;
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.send(packet_of(Kind::kFifo, false, 0, 448));
  bench.drain();
  bench.send(packet_of(Kind::kFifo, false, 0, 0));
  bench.ticks(20);
  const std::size_t before = bench.parts.size();
  for (int i = 0; i < 10; ++i) {
    bench.send(packet_of(Kind::kPut, true, 0, 16));
    bench.send(packet_of(Kind::kFifo, true, 1, 16));
  }
  bench.send(packet_of(Kind::kNotice, true, 0, 0));
  bench.ticks(21 * 6 + 20);
  EXPECT_EQ(bench.parts.size() - before, 21U);
  EXPECT_TRUE(bench.packets_back.empty());
}

TEST_F(ReceptionEngine, ServesRepliesWhileNobodyTakesItsNotices) {
  bench.sink_chance = 0;
  for (int i = 0; i < 8; ++i) bench.send(packet_of(Kind::kPut, false, 1, 16));
  bench.ticks(60);
  EXPECT_FALSE(bench.all_sent());
  bench.send(packet_of(Kind::kPut, true, 0, 16));
  bench.ticks(20);
  EXPECT_EQ(bench.parts.size(), 1U);
  bench.sink_chance = 100;
  bench.drain();
  EXPECT_EQ(bench.packets_back.size(), 8U);
}

TEST_F(ReceptionEngine, AnswersAQueryOnlyWhenTheQueueIsEmpty) {
  make_queue(4, QueueMode::kReflection, 8);
  make_queue(5, QueueMode::kRemoteGet, 8);
  make_queue(8, QueueMode::kReflection, 8);
  for (const std::uint32_t queue : {4U, 5U, 8U, 31U, 200U}) {
    Packet query = packet_of(Kind::kCreditQuery, false, queue, 0);
    query.header.set<h::word>(0xABCD);
    query.seal();
    send(query);
  }
  Packet get = packet_of(Kind::kGet, false, 4, 64);
  get.trailer.set<t::reflected>(1);
  get.seal();
  send(get);
  send(packet_of(Kind::kCreditQuery, false, 4, 0));
  judge();
  EXPECT_EQ(bench.packets_back.size(), 1U);
}

TEST_F(ReceptionEngine, ReturnsTheCreditOfAReplyEvenIfItIsDropped) {
  Packet put = packet_of(Kind::kPut, true, 1, 16);
  put.trailer.set<t::reflected>(1).set<t::queue>(3).set<t::index>(0x54321);
  put.seal();
  send(put);
  judge();
  ASSERT_EQ(bench.credits.size(), 1U);
  EXPECT_EQ(bench.credits[0].number, 0x4321U);
  EXPECT_EQ(bench.dropped_replies, 1U);
}

TEST_F(ReceptionEngine, KeepsTheOrderOfReservationsWhenBothClassesShareAFifo) {
  make_fifo(0, 4096, kEnable);
  bench.memory_chance = 30;
  for (int i = 0; i < 60; ++i) {
    bench.send(packet_of(Kind::kFifo, false, 0, 512));
    for (int k = 0; k < 5; ++k) bench.send(packet_of(Kind::kFifo, true, 0, 32));
  }
  bench.drain(50000);
  // Entries lie side by side in the order in which their commands were taken.
  Address next = oracle.fifos[0].base;
  for (const Part& part : bench.parts) {
    ASSERT_EQ(part.address, next);
    next += part.bytes;
  }
  EXPECT_EQ(bench.parts.size(), 360U);
}

TEST_F(ReceptionEngine, RaisesArrivedAndThresholdOnceItsSlotsArePublished) {
  make_fifo(2, 128, kEnable | kTellsArrived | 3U << kOwnerLsb);
  bench.set(true, registers::reception_fifo::threshold(2), 5);
  bench.publish_stopped = true;
  send(packet_of(Kind::kFifo, false, 2, 96));
  send(packet_of(Kind::kFifo, false, 2, 32));
  bench.ticks(100);
  EXPECT_EQ(bench.get(true, registers::reception_fifo::tail(2)), 0U);
  for (const unsigned pulses : bench.causes) EXPECT_EQ(pulses, 0U);
  bench.publish_stopped = false;
  judge();
  EXPECT_EQ(bench.causes[3 * 8 + 0], 2U);
  EXPECT_EQ(bench.causes[3 * 8 + 2], 1U);
}

TEST_F(ReceptionEngine, DropsNoticesThatFindTheRingFull) {
  make_notice_ring(2, 4);
  for (int i = 0; i < 6; ++i) {
    Packet notice = packet_of(Kind::kNotice, true, 0, 0);
    notice.header.set<h::client>(2);
    notice.seal();
    send(notice);
  }
  Packet nobody = packet_of(Kind::kNotice, true, 0, 0);
  nobody.header.set<h::client>(9);
  nobody.seal();
  send(nobody);
  judge();
  EXPECT_EQ(bench.dropped_replies, 3U);
  RegisterRequest tail;
  tail.set<layout::register_request::page>(1)
      .set<layout::register_request::client>(2)
      .set<layout::register_request::address>(registers::client_page::notice_tail.offset);
  EXPECT_EQ(bench.access(false, tail).get<layout::register_response::data>(), (1ULL << 32) + 4);
  ASSERT_EQ(bench.page_write(2, registers::client_page::notice_head.offset, 4, true, false),
            Status::kOk);
  EXPECT_EQ(bench.access(false, tail).get<layout::register_response::data>(), 4U);
}

TEST_F(ReceptionEngine, CountsDiscardsAndTellsOfThemWhereTheyAreWanted) {
  make_notice_ring(1, 4, true);
  make_notice_ring(2, 4);
  for (const Status status : {Status::kReceiveDisabled, Status::kLengthTooLong}) {
    for (const std::uint32_t client : {1, 2, 9}) {
      for (int i = 0; i < 6; ++i) {
        Packet notice = packet_of(Kind::kNotice, true, 0, 0);
        notice.header.set<h::client>(client).set<h::word>(
            static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(Kind::kSend) << 8U);
        notice.seal();
        send(notice);
      }
    }
  }
  judge();  // the ring of client 1, and nothing dropped
  for (const std::uint32_t client : {1, 2}) {
    RegisterRequest discards;
    discards.set<layout::register_request::page>(1)
        .set<layout::register_request::client>(client)
        .set<layout::register_request::address>(registers::client_page::notice_tail.offset);
    const auto tail = bench.access(false, discards).get<layout::register_response::data>();
    EXPECT_EQ(extract(tail, registers::client_page::notice_tail_field::discards), 6U) << client;
  }
  EXPECT_EQ(bench.dropped_replies, 0U);
}

TEST_F(ReceptionEngine, CountsBothOfTwoBadPacketsThatEndTogether) {
  for (const bool stops_clocks : {false, true}) {
    bench.stops_clocks = stops_clocks;
    for (const bool reply : {false, true}) {
      auto flits = flits_of(packet_of(Kind::kPut, reply, 0, 32));
      flits[1].data[0] ^= 1U;
      send_bad(reply, flits);
    }
    judge();
    bench.ticks(5);
    EXPECT_EQ(bench.bad_packets, oracle.bad_packets);
  }
}

TEST_F(ReceptionEngine, ForgetsABadPacketThatIsNotYetCountedAtAReset) {
  for (const bool reply : {false, true}) {
    auto flits = flits_of(packet_of(Kind::kPut, reply, 0, 32));
    flits[1].data[0] ^= 1U;
    bench.send(reply, flits);
  }
  for (int cycle = 0; cycle < 100 && !bench->bad_packet_o; ++cycle) bench.tick();
  ASSERT_TRUE(bench->bad_packet_o);
  bench->rst_ni = 0;
  bench.tick();
  bench->rst_ni = 1;
  bench.ticks(5);
  EXPECT_EQ(bench.bad_packets, 1U) << "that of the cycle in which the reset came";
}

TEST_F(ReceptionEngine, IsBusyInTheCycleBehindThePublishOfANotice) {
  make_notice_ring(0, 4);
  bench.send(packet_of(Kind::kNotice, true, 0, 0));
  for (int cycle = 0; cycle < 100 && !bench.notice_is_published(); ++cycle) bench.tick();
  ASSERT_TRUE(bench.notice_is_published());
  EXPECT_TRUE(bench->decision_busy_o);
}

TEST_F(ReceptionEngine, IsNotBusyBetweenPackets) {
  EXPECT_FALSE(bench.busy());
  auto flits = flits_of(packet_of(Kind::kPut, false, 0, 32));
  const Flit tail = flits.back();
  flits.pop_back();
  bench.send(false, flits);
  bench.ticks(10);
  EXPECT_FALSE(bench.busy());  // half a packet: nothing to do until more of it comes
  bench.send(false, {tail});
  bench.ticks(2);
  EXPECT_TRUE(bench.busy());
  bench.drain();
  EXPECT_EQ(bench.parts.size(), 1U);
}

}  // namespace
}  // namespace torusmu::testing
