// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/reception_bench.h"
#include "tests/support/reception_oracle.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint64_t kEnable = 1;
constexpr std::uint64_t kReplyOnly = 2;
constexpr std::uint64_t kTellsArrived = 4;
constexpr unsigned kOwnerLsb = 4;

Packet packet_of(Kind kind, bool reply, std::uint32_t target, std::size_t bytes) {
  Packet packet;
  packet.header.set<h::kind>(kind)
      .set<h::reply>(reply ? 1 : 0)
      .set<h::target>(target)
      .set<h::bytes>(bytes)
      .set<h::src_x>(4)
      .set<h::src_y>(5)
      .set<h::src_z>(6)
      .set<h::dst_x>(1)
      .set<h::dst_y>(2)
      .set<h::dst_z>(3);
  packet.trailer.set<t::queue>(9).set<t::index>(77).set<t::sequence_number>(88).set<t::last>(1);
  packet.payload.resize(bytes);
  for (std::size_t i = 0; i < bytes; ++i) packet.payload[i] = static_cast<std::uint8_t>(i + 1);
  packet.seal();
  return packet;
}

class ReceptionEngine : public ::testing::Test {
 protected:
  ReceptionEngine() : bench(random), oracle(bench) {
    // Region 0: 64 KiB of client 1 that anybody may write; 1: the same, nobody may.
    for (unsigned r = 0; r < 2; ++r) {
      bench.regions[r]
          .set<layout::region_entry::base>(0x10000 + r * 0x10000)
          .set<layout::region_entry::length>(0x10000)
          .set<layout::region_entry::enable>(1)
          .set<layout::region_entry::remote_write>(r == 0 ? 1 : 0)
          .set<layout::region_entry::owner>(1);
    }
    for (unsigned c = 0; c < 8; ++c) {
      bench.counters[c] = {c != 7, static_cast<std::uint8_t>(c % 4)};
      bench.events[c] = {c != 7, static_cast<std::uint8_t>(c % 4)};
    }
  }

  void make_fifo(std::uint32_t number, std::uint32_t slots, std::uint64_t config) {
    auto& fifo = oracle.fifos[number];
    fifo = {};
    fifo.base = 0x80000 + number * 0x10000 + 8 * number;
    fifo.size = slots;
    fifo.enable = (config & kEnable) != 0;
    fifo.reply_only = (config & kReplyOnly) != 0;
    fifo.owner = static_cast<std::uint8_t>(config >> kOwnerLsb & 0xF);
    bench.make_fifo(number, fifo.base, slots, config);
  }
  void make_notice_ring(std::uint32_t client, std::uint32_t entries) {
    auto& ring = oracle.notice_rings[client];
    ring = {};
    ring.base = 0x200000 + client * 0x1000 + 4;
    ring.size = entries;
    bench.set(false, registers::notice_ring::base(client), ring.base);
    bench.set(false, registers::notice_ring::size(client), entries);
  }
  void make_queue(std::uint32_t number, QueueMode mode, std::uint32_t size) {
    QueueModel& queue = bench.queues[number];
    queue = {};
    queue.mode = mode;
    queue.base = 0x300000 + number * 0x10000 + 16;
    queue.size = size;
    oracle.queues[number] = queue;
  }

  void send(const Packet& packet) {
    bench.send(packet);
    oracle.receive(packet);
  }
  void send_bad(bool reply, const std::vector<Flit>& flits) {
    bench.send(reply, flits);
    ++oracle.bad_packets;
  }

  // Everything that was expected has happened, and nothing else.
  void judge() {
    bench.drain();
    std::array<std::vector<Part>, 3> seen;
    for (const Part& part : bench.parts) seen[static_cast<std::size_t>(part.port)].push_back(part);
    for (std::size_t port = 0; port < seen.size(); ++port) {
      ASSERT_EQ(seen[port].size(), oracle.parts[port].size()) << "writes of port " << port;
      for (std::size_t i = 0; i < seen[port].size(); ++i) {
        const Part& is = seen[port][i];
        const Part& due = oracle.parts[port][i];
        ASSERT_EQ(is.address, due.address) << "port " << port << " part " << i;
        ASSERT_EQ(is.bytes, due.bytes) << "port " << port << " part " << i;
        ASSERT_EQ(is.final_part, due.final_part) << "port " << port << " part " << i;
        ASSERT_EQ(is.data, due.data) << "port " << port << " part " << i;
        ASSERT_EQ(is.action.bytes(), due.action.bytes()) << "port " << port << " part " << i;
      }
    }
    ASSERT_EQ(bench.packets_back.size(), oracle.packets_back.size());
    for (std::size_t i = 0; i < bench.packets_back.size(); ++i) {
      ASSERT_EQ(bench.packets_back[i].header.bytes(), oracle.packets_back[i].header.bytes()) << i;
      ASSERT_EQ(bench.packets_back[i].trailer.bytes(), oracle.packets_back[i].trailer.bytes()) << i;
    }
    ASSERT_EQ(bench.credits, oracle.credits);
    ASSERT_EQ(bench.bad_packets, oracle.bad_packets);
    ASSERT_EQ(bench.dropped_replies, oracle.dropped_replies);
  }

  Random random;
  ReceptionBench bench;
  ReceptionOracle oracle;
};

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
  EXPECT_LE(longest, 3U);
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
  make_fifo(0, 1000, kEnable);
  constexpr unsigned kPackets = 40;
  for (unsigned i = 0; i < kPackets; ++i) send(packet_of(Kind::kFifo, false, 0, 512));
  const std::uint64_t start = bench.cycle();
  while (!bench.all_sent()) bench.tick();
  EXPECT_LE(bench.cycle() - start, kPackets * 34 + 2);
  judge();
}

TEST_F(ReceptionEngine, CutsAFifoEntryAtTheEndOfTheRing) {
  make_fifo(3, 19, kEnable | 2U << kOwnerLsb);
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
  make_queue(20, QueueMode::kRemoteGet, 11);
  for (unsigned i = 0; i < 20; ++i) {
    const unsigned count = 1 + i % 8;
    Packet get = packet_of(Kind::kGet, false, 20, count * 64);
    send(get);
    judge();
    bench.queues[20].used = 0;
    oracle.queues[20].used = 0;
  }
}

TEST_F(ReceptionEngine, StampsSourceClientAndReflectionNumberOfAGet) {
  make_queue(2, QueueMode::kReflection, 4);
  Packet get = packet_of(Kind::kGet, false, 2, 64);
  get.header.set<h::client>(3);
  get.trailer.set<t::reflected>(1).set<t::sequence_number>(0x1234BEEF);
  get.seal();
  send(get);
  judge();
  const auto stored = Descriptor::from_bytes(bench.parts.at(0).data);
  EXPECT_EQ(stored.get<layout::descriptor::reflection_number>(), 0xBEEFU);
  EXPECT_EQ(stored.get<layout::descriptor::header>().get<h::src_y>(), 5U);
  EXPECT_EQ(stored.get<layout::descriptor::header>().get<h::client>(), 3U);
}

TEST_F(ReceptionEngine, HoldsARequestForAFullFifoUntilItsTimeIsUp) {
  make_fifo(0, 17, kEnable);
  bench->fifo_hold_cycles_i = 200;
  send(packet_of(Kind::kFifo, false, 0, 512));
  bench.drain();
  send(packet_of(Kind::kFifo, false, 0, 0));  // the oracle refuses at once; here it takes its time
  while (!bench.all_sent()) bench.tick();
  bench.ticks(195);
  EXPECT_TRUE(bench.packets_back.empty());
  bench.ticks(15);
  EXPECT_EQ(bench.packets_back.size(), 1U);
  judge();
}

TEST_F(ReceptionEngine, StoresAHeldRequestAsSoonAsThereIsRoom) {
  make_fifo(0, 17, kEnable);
  bench->fifo_hold_cycles_i = 500;
  send(packet_of(Kind::kFifo, false, 0, 512));
  bench.drain();
  const Packet second = packet_of(Kind::kFifo, false, 0, 480);
  bench.send(second);
  bench.ticks(100);
  EXPECT_EQ(bench.parts.size(), 1U);
  ASSERT_EQ(bench.move_head(0, 0, 16), Status::kOk);
  oracle.fifos[0].move_head(16);
  oracle.receive(second);
  bench.ticks(100);
  judge();
}

TEST_F(ReceptionEngine, HoldsTheNextRequestAnewAfterAHeldOneWasStored) {
  make_fifo(0, 17, kEnable);
  bench->fifo_hold_cycles_i = 100;
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.drain();
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
  bench.ticks(120);  // 34 to arrive, then held
  ASSERT_TRUE(bench.packets_back.empty());
  ASSERT_EQ(bench.move_head(0, 0, 17), Status::kOk);
  bench.drain();
  bench.send(packet_of(Kind::kFifo, false, 0, 0));
  bench.ticks(90);
  EXPECT_TRUE(bench.packets_back.empty());
  bench.ticks(30);
  EXPECT_EQ(bench.packets_back.size(), 1U);
}

TEST_F(ReceptionEngine, RefusesAtOnceUntilAQuarterOfTheFifoIsFree) {
  make_fifo(0, 40, kEnable);
  bench->fifo_hold_cycles_i = 0;
  for (int i = 0; i < 5; ++i) send(packet_of(Kind::kFifo, false, 0, 7 * 32));
  send(packet_of(Kind::kFifo, false, 0, 0));  // full: refused
  judge();
  for (const std::uint32_t head : {1U, 9U, 10U}) {
    ASSERT_EQ(bench.move_head(0, 0, head), Status::kOk);
    oracle.fifos[0].move_head(head);
    bench->fifo_hold_cycles_i = 1000;  // a refusing FIFO does not hold
    send(packet_of(Kind::kFifo, false, 0, 0));
    judge();
  }
  EXPECT_EQ(bench.packets_back.size(), 3U);
  EXPECT_EQ(bench.get(true, registers::reception_fifo::refused(0)), 3U);
}

TEST_F(ReceptionEngine, StopsRefusingWhenASmallFifoHasRunEmpty) {
  make_fifo(0, 17, kEnable);
  send(packet_of(Kind::kFifo, false, 0, 32));
  send(packet_of(Kind::kFifo, false, 0, 512));  // one slot too many
  judge();
  ASSERT_EQ(bench.move_head(0, 0, 2), Status::kOk);
  oracle.fifos[0].move_head(2);
  send(packet_of(Kind::kFifo, false, 0, 512));
  judge();
  EXPECT_EQ(bench.packets_back.size(), 1U);
}

TEST_F(ReceptionEngine, ServesRepliesWhileARequestIsHeld) {
  make_fifo(0, 17, kEnable);
  make_fifo(1, 100, kEnable | kReplyOnly);
  make_notice_ring(0, 4);
  bench->fifo_hold_cycles_i = 5000;
  bench.send(packet_of(Kind::kFifo, false, 0, 512));
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
  make_fifo(0, 4000, kEnable);
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
  make_fifo(2, 100, kEnable | kTellsArrived | 3U << kOwnerLsb);
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
  make_notice_ring(2, 3);
  for (int i = 0; i < 5; ++i) {
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
  EXPECT_EQ(bench.access(false, tail).get<layout::register_response::data>(), (1ULL << 32) + 3);
  ASSERT_EQ(bench.page_write(2, registers::client_page::notice_head.offset, 3, true, false),
            Status::kOk);
  EXPECT_EQ(bench.access(false, tail).get<layout::register_response::data>(), 3U);
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

// --- random traffic
// -------------------------------------------------------------------------------

class RandomReception : public ReceptionEngine {
 protected:
  Packet random_packet() {
    constexpr Kind kRequests[] = {Kind::kPut,  Kind::kPut, Kind::kFifo,
                                  Kind::kFifo, Kind::kGet, Kind::kCreditQuery};
    constexpr Kind kReplies[] = {Kind::kPut, Kind::kFifo, Kind::kNotice, Kind::kCredit};
    const bool reply = random.chance(40);
    const Kind kind = reply ? kReplies[random.below(4)] : kRequests[random.below(6)];
    const std::size_t most = reply ? 32 : 512;
    std::size_t bytes = random.chance(30) ? most : random.below(most + 1);
    if (kind == Kind::kGet && random.chance(90)) bytes = 64 * (1 + random.below(8));
    if (kind == Kind::kNotice || kind == Kind::kCredit || kind == Kind::kCreditQuery) bytes = 0;
    // Requests use the even FIFOs, replies the odd ones: their order in a FIFO is then known.
    std::uint64_t target = random.below(kind == Kind::kFifo ? 5 : 2);
    if (kind == Kind::kFifo) target = target * 2 + (reply ? 1 : 0);
    if (kind == Kind::kGet || kind == Kind::kCreditQuery) target = random.below(8);
    if (random.chance(3)) target = random.below(256);
    if (kind == Kind::kFifo && (target % 2 == 1) != reply) target ^= 1U;
    Packet packet = packet_of(kind, reply, static_cast<std::uint32_t>(target), bytes);
    packet.payload = random_bytes(random, bytes);
    packet.header.set<h::client>(random.below(random.chance(5) ? 16 : 4))
        .set<h::on_behalf>(random.chance(20) ? 1 : 0)
        .set<h::offset>(random.chance(90) ? random.below(0x10100)
                                          : random.bits64() & ((1ULL << 37) - 1))
        .set<h::word>(random.bits64() & 0xFFFFFFFF)
        .set<h::src_x>(random.below(16))
        .set<h::src_y>(random.below(16))
        .set<h::src_z>(random.below(16));
    packet.trailer.set<t::counter>(random.below(random.chance(5) ? 256 : 8))
        .set<t::counter_valid>(random.chance(12) ? 1 : 0)
        .set<t::event_counter>(random.below(random.chance(5) ? 256 : 8))
        .set<t::event_valid>(random.chance(12) ? 1 : 0)
        .set<t::interrupt>(random.below(2))
        .set<t::last>(random.below(2))
        .set<t::queue>(random.below(256))
        .set<t::index>(random.bits64() & 0xFFFFFFFF)
        .set<t::sequence_number>(random.bits64() & 0xFFFFFFFF)
        .set<t::reflected>(random.below(2));
    packet.seal();
    return packet;
  }

  // Sends something that must be dropped: broken in one of many ways.
  void send_broken() {
    Packet packet = random_packet();
    auto flits = flits_of(packet);
    const bool reply = packet.reply();
    switch (random.below(9)) {
      case 0:  // one bit of anything but the CRC
        flits[random.below(flits.size() - 1)].data[random.below(16)] ^=
            static_cast<std::uint8_t>(1U << random.below(8));
        break;
      case 1:  // of the CRC
        flits.back().data[12 + random.below(4)] ^= static_cast<std::uint8_t>(1U << random.below(8));
        break;
      case 2:  // no tail: the next head cuts it short
        flits.pop_back();
        send_bad(reply, flits);
        send(random_packet_of(reply));
        return;
      case 3:  // no head
        flits.erase(flits.begin());
        break;
      case 4:  // a flit too many
        flits.insert(flits.begin() + 1, flits[flits.size() - 1]);
        flits[1].tail = false;
        break;
      case 5:  // a class that it is not
        packet.header.set<h::reply>(reply ? 0 : 1);
        packet.seal();
        flits = flits_of(packet);
        break;
      case 6:  // a kind that is not of its class, or of none
        packet.header.set<h::kind>(
            static_cast<Kind>(random.chance(50) ? 7 + random.below(9) : (reply ? 3 : 4)));
        packet.seal();
        flits = flits_of(packet);
        break;
      case 7:  // longer than its class allows, told the truth
        packet.payload = random_bytes(random, (reply ? 33 : 513) + random.below(400));
        packet.header.set<h::bytes>(packet.payload.size());
        packet.seal();
        flits = flits_of(packet);
        break;
      default:  // one flit
        flits.resize(1);
        flits[0].tail = true;
        break;
    }
    send_bad(reply, flits);
  }

  Packet random_packet_of(bool reply) {
    for (;;) {
      Packet packet = random_packet();
      if (packet.reply() == reply) return packet;
    }
  }

  void move_heads() {
    for (std::uint32_t f = 0; f < 8; ++f) {
      auto& fifo = oracle.fifos[f];
      if (!fifo.enable) continue;
      EXPECT_EQ(bench.get(true, registers::reception_fifo::tail(f)), fifo.tail);
      EXPECT_EQ(bench.get(true, registers::reception_fifo::refused(f)), fifo.refused);
      const auto to =
          fifo.head + static_cast<std::uint32_t>(random.below(fifo.tail - fifo.head + 1));
      ASSERT_EQ(bench.move_head(fifo.owner, f, to), Status::kOk);
      fifo.move_head(to);
    }
    for (std::uint8_t c = 0; c < 4; ++c) {
      auto& ring = oracle.notice_rings[c];
      ring.head = ring.tail;
      ring.overflow = false;
      ASSERT_EQ(
          bench.page_write(c, registers::client_page::notice_head.offset, ring.tail, true, false),
          Status::kOk);
    }
    for (std::size_t q = 0; q < bench.queues.size(); ++q) {
      bench.queues[q].used = oracle.queues[q].used = 0;
    }
  }
};

TEST_F(RandomReception, DoesWithEveryPacketWhatItsContentsSay) {
  SCOPED_TRACE(random.replay());
  make_fifo(0, 40, kEnable);
  make_fifo(1, 23, kEnable | kReplyOnly | 1U << kOwnerLsb);
  make_fifo(2, 61, kEnable | kTellsArrived | 1U << kOwnerLsb);
  make_fifo(3, 17, kEnable | 2U << kOwnerLsb);
  make_fifo(4, 33, kEnable | kReplyOnly);
  make_fifo(5, 50, kEnable);
  for (std::uint32_t c = 0; c < 3; ++c) make_notice_ring(c, 3 + c);
  make_queue(1, QueueMode::kReflection, 5);
  make_queue(2, QueueMode::kReflection, 20);
  make_queue(5, QueueMode::kRemoteGet, 9);
  make_queue(7, QueueMode::kRemoteGet, 40);
  for (int burst = 0; burst < 60; ++burst) {
    bench.flit_chance = random.chance(50) ? 100 : 40;
    bench.memory_chance = random.chance(50) ? 100 : 20 + static_cast<unsigned>(random.below(60));
    bench.publish_chance = random.chance(50) ? 100 : 10;
    bench.sink_chance = random.chance(50) ? 100 : 20;
    for (int i = 0; i < 40; ++i) {
      if (random.chance(15)) {
        send_broken();
      } else {
        send(random_packet());
      }
    }
    judge();
    if (HasFatalFailure()) return;
    move_heads();
  }
  EXPECT_GT(bench.parts.size(), 400U);
  EXPECT_GT(bench.packets_back.size(), 200U);
  EXPECT_GT(bench.credits.size(), 200U);
  EXPECT_GT(bench.dropped_replies, 100U);
  EXPECT_GT(bench.bad_packets, 200U);
}

}  // namespace
}  // namespace torusmu::testing
