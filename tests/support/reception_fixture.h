// SPDX-License-Identifier: Apache-2.0
// A mu_reception_engine in its bench with the oracle beside it: what is sent goes to both, judge()
// compares.

#ifndef TESTS_SUPPORT_RECEPTION_FIXTURE_H_
#define TESTS_SUPPORT_RECEPTION_FIXTURE_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/reception_bench.h"
#include "tests/support/reception_oracle.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

// Bits of reception_fifo.config.
inline constexpr std::uint64_t kEnable = 1;
inline constexpr std::uint64_t kReplyOnly = 2;
inline constexpr std::uint64_t kTellsArrived = 4;
inline constexpr unsigned kOwnerLsb = 4;

// From node (4, 5, 6) to (1, 2, 3), client 0, sealed.
inline Packet packet_of(Kind kind, bool reply, std::uint32_t target, std::size_t bytes) {
  namespace h = layout::packet_header;
  namespace t = layout::packet_trailer;
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
    make_fifo(number, 0x80000 + number * 0x10000 + 8 * number, slots, config);
  }
  void make_fifo(std::uint32_t number, Address base, std::uint32_t slots, std::uint64_t config) {
    auto& fifo = oracle.fifos[number];
    fifo = {};
    fifo.base = base;
    fifo.size = slots;
    fifo.enable = (config & kEnable) != 0;
    fifo.reply_only = (config & kReplyOnly) != 0;
    fifo.owner = static_cast<std::uint8_t>(config >> kOwnerLsb & 0xF);
    bench.make_fifo(number, fifo.base, slots, config);
  }
  void make_notice_ring(std::uint32_t client, std::uint32_t entries, bool tells_discards = false) {
    auto& ring = oracle.notice_rings[client];
    ring = {.discards = ring.discards, .tells_discards = tells_discards};
    bench.set(false, registers::notice_ring::config(client), tells_discards ? 1 : 0);
    ring.base = (bench.any_address() & ~Address{0xFFF}) + 4;
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
  // One that receives, from now on; nothing has come yet.
  void make_receive_queue(unsigned number, const QueuePeer& peer) {
    bench.peers[number] = peer;
    bench.configure_receive(number);
    MessageReceptionModel::Cycle cycle;
    cycle.reset = MessageReceptionModel::Reset::kConfigure;
    cycle.reset_queue = number;
    cycle.receives = true;
    oracle.messages.clock(cycle);
  }
  void offer(const ReceiveBuffer& buffer) {
    bench.offer(buffer);
    MessageReceptionModel::Cycle cycle;
    cycle.buffer = buffer;
    oracle.messages.clock(cycle);
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
    ASSERT_EQ(bench.receives_ended, oracle.receives_ended);
  }

  Random random;
  ReceptionBench bench;
  ReceptionOracle oracle;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_FIXTURE_H_
