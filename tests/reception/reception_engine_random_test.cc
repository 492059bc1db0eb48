// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reception_engine mu_reception_engine --output-split-cfuncs 200000
// bgp:
//
// In one function, what the model writes in a cycle is no state of it that could change at rest.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/reception_fixture.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

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
    if (kind == Kind::kNotice && random.chance(30)) {
      packet.header.set<h::word>(static_cast<std::uint64_t>(Kind::kSend) << 8U |
                                 static_cast<std::uint64_t>(Status::kReceiveDisabled));
    }
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
            static_cast<Kind>(random.chance(50) ? 10 + random.below(6) : (reply ? 3 : 4)));
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

  void send_anything() {
    if (random.chance(15)) {
      send_broken();
    } else {
      send(random_packet());
    }
  }
  void draw_chances() {
    bench.flit_chance = random.chance(50) ? 100 : 40;
    bench.memory_chance = random.chance(50) ? 100 : 20 + static_cast<unsigned>(random.below(60));
    bench.publish_chance = random.chance(50) ? 100 : 10;
    bench.sink_chance = random.chance(50) ? 100 : 20;
  }
  void make_rings() {
    make_fifo(0, 64, kEnable);
    make_fifo(1, 32, kEnable | kReplyOnly | 1U << kOwnerLsb);
    make_fifo(2, 64, kEnable | kTellsArrived | 1U << kOwnerLsb);
    make_fifo(3, 32, kEnable | 2U << kOwnerLsb);
    make_fifo(4, 32, kEnable | kReplyOnly);
    make_fifo(5, 128, kEnable);
    for (std::uint32_t c = 0; c < 3; ++c) make_notice_ring(c, 2U << c, random.chance(50));
    make_queue(1, QueueMode::kReflection, 4);
    make_queue(2, QueueMode::kReflection, 16);
    make_queue(5, QueueMode::kRemoteGet, 8);
    make_queue(7, QueueMode::kRemoteGet, 32);
  }

  void move_heads() {
    for (std::uint32_t f = 0; f < kProfile.reception_fifos; ++f) {
      auto& fifo = oracle.fifos[f];
      if (!fifo.enable) continue;
      EXPECT_EQ(bench.get(true, registers::reception_fifo::tail(f)), fifo.tail);
      EXPECT_EQ(bench.get(true, registers::reception_fifo::refused(f)), fifo.refused);
      const auto to =
          fifo.head + static_cast<std::uint32_t>(random.below(fifo.tail - fifo.head + 1));
      ASSERT_EQ(bench.move_head(fifo.owner, f, to), Status::kOk);
      fifo.move_head(to);
    }
    for (std::uint8_t c = 0; c < kProfile.clients; ++c) {
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
  make_rings();
  for (int burst = 0; burst < 60; ++burst) {
    draw_chances();
    for (int i = 0; i < 40; ++i) send_anything();
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

TEST_F(RandomReception, LosesNothingIfItsClocksStandStillWhileThereIsNoWork) {
  SCOPED_TRACE(random.replay());
  bench.stops_clocks = true;
  make_rings();
  for (int burst = 0; burst < 300; ++burst) {
    draw_chances();
    if (random.chance(50)) bench.flit_chance = 10;
    for (std::uint64_t i = random.below(5); i != 0; --i) send_anything();
    judge();
    if (HasFatalFailure()) return;
    if (random.chance(20)) move_heads();
  }
  EXPECT_GT(bench.stopped, 10000U);
}

// What wraps is written in two parts.
TEST_F(RandomReception, StoresEntriesOfRingsThatLieAnywhere) {
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 300; ++round) {
    make_fifo(0, bench.any_address(), 32, kEnable);
    make_queue(3, QueueMode::kRemoteGet, 8U << random.below(2));
    QueueModel& queue = bench.queues[3];
    queue.base = bench.any_address();
    queue.reserved = static_cast<std::uint32_t>(random.bits64());
    oracle.queues[3] = queue;
    send(packet_of(Kind::kGet, false, 3, 64 * (1 + random.below(8))));
    for (int i = 0; i < 2; ++i) {
      send(packet_of(Kind::kFifo, false, 0, random.below(513)));
      judge();
      if (HasFatalFailure()) return;
      ASSERT_EQ(bench.move_head(0, 0, oracle.fifos[0].tail), Status::kOk);
      oracle.fifos[0].move_head(oracle.fifos[0].tail);
    }
  }
  const auto first_parts = std::ranges::count(bench.parts, false, &Part::final_part);
  EXPECT_GT(first_parts, 80);
}

TEST_F(RandomReception, StoresNothingOfFlitsThatMakeNoPacket) {
  SCOPED_TRACE(random.replay());
  for (const bool reply : {false, true}) {
    std::vector<Flit> flits(20000);
    for (Flit& flit : flits) {
      const Packet packet = random_packet_of(reply);
      flit.head = random.chance(15);
      flit.tail = random.chance(15);
      const auto header = packet.header.bytes();
      flit.data = flit.head ? Bytes(header.begin(), header.end()) : random_bytes(random, 16);
    }
    flits.back().tail = true;
    bench.send(reply, flits);
  }
  bench.drain(60000);
  EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty() && bench.credits.empty());
  EXPECT_GT(bench.bad_packets, 4000U);
  oracle.bad_packets = bench.bad_packets;
  send(packet_of(Kind::kPut, false, 0, 200));
  send(packet_of(Kind::kPut, true, 0, 20));
  judge();
  EXPECT_EQ(bench.parts.size(), 2U);
}

TEST_F(RandomReception, ChangesNothingWhileItSaysThatItIsAtRest) {
  SCOPED_TRACE(random.replay());
  make_fifo(0, 64, kEnable | kTellsArrived);
  make_fifo(1, 64, kEnable);
  for (std::uint32_t c = 0; c < 3; ++c) make_notice_ring(c, 2U << c, random.chance(50));
  make_queue(2, QueueMode::kReflection, 16);
  bench->fifo_hold_cycles_i = 20;
  bench.flit_chance = 10;
  unsigned rests = 0;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (bench.all_sent() && random.chance(20)) {
      if (random.chance(20)) {
        send_broken();
      } else {
        send(random_packet());
      }
    }
    bench.tick();
    if (!bench.at_rest()) continue;
    ++rests;
    ASSERT_TRUE(bench.another_cycle_changes_nothing()) << "cycle " << cycle;
  }
  EXPECT_GT(rests, 10000U);
}

}  // namespace
}  // namespace torusmu::testing
