// SPDX-License-Identifier: Apache-2.0
// model: Vmu_packet_receiver_reply mu_packet_receiver -GPACKETS=4 -GFLITS=4 -GREPLY=1
// Every way to break a packet is tried in reception_engine_test.cc; here the buffers and their
// pace.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_packet_receiver.h"
#include "Vmu_packet_receiver_reply.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using model::Packet;
namespace h = layout::packet_header;

Packet put_of(bool reply, const Bytes& payload) {
  Packet packet;
  packet.header.set<h::kind>(Kind::kPut).set<h::reply>(reply ? 1 : 0).set<h::bytes>(payload.size());
  packet.payload = payload;
  packet.seal();
  return packet;
}

template <typename Model>
class Receiver {
 public:
  explicit Receiver(std::uint64_t seed) : dut(seed) {}

  // Offers flit `i` of the packet; true if it is taken at the next edge.
  bool offer(const Packet& packet, std::size_t i) {
    const Bytes bytes = packet.bytes();
    dut->flit_valid_i = 1;
    dut->flit_head_i = i == 0;
    dut->flit_tail_i = (i + 1) * 16 == bytes.size();
    drive(dut->flit_data_i, std::span(bytes).subspan(i * 16, 16));
    dut.settle();
    return dut->flit_ready_o != 0;
  }
  void send(const Packet& packet) {
    for (std::size_t i = 0; i < packet.flits(); ++i) {
      ASSERT_TRUE(offer(packet, i));
      dut.tick();
    }
    dut->flit_valid_i = 0;
    dut.settle();
  }
  void finish() {
    dut->packet_done_i = 1;
    dut.tick();
    dut->packet_done_i = 0;
    dut.settle();
  }

  Clocked<Model> dut;
};

// Random packets in, random readers of beats; what comes out must be what went in.
template <typename Model>
void pass_packets_in_order(bool reply, std::size_t most_bytes) {
  Random random;
  SCOPED_TRACE(random.replay());
  Receiver<Model> receiver(random.seed());
  auto& dut = receiver.dut;
  std::deque<Packet> inside;
  Packet coming = put_of(reply, random_bytes(random, random.below(most_bytes + 1)));
  std::size_t next_flit = 0;
  bool offered = false;
  Bytes beats;
  unsigned passed = 0;
  for (int cycle = 0; cycle < 30000; ++cycle) {
    offered = offered || random.chance(80);
    bool taken = false;
    dut->flit_valid_i = 0;
    if (offered) taken = receiver.offer(coming, next_flit);
    dut->beat_ready_i = random.chance(60);
    dut.settle();
    ASSERT_EQ(dut->packet_valid_o, !inside.empty());
    ASSERT_EQ(dut->bad_packet_o, 0);
    dut->packet_done_i = 0;
    if (!inside.empty()) {
      const Packet& oldest = inside.front();
      ASSERT_EQ(sample_record<PacketHeader>(dut->packet_header_o), oldest.header);
      ASSERT_EQ(sample_record<PacketTrailer>(dut->packet_trailer_o), oldest.trailer);
      if (dut->beat_valid_o && dut->beat_ready_i) {
        const Bytes beat = sample(dut->beat_data_o, 32);
        beats.insert(beats.end(), beat.begin(), beat.end());
      }
      if (beats.size() >= oldest.payload.size() && random.chance(50)) {
        Bytes padded = oldest.payload;
        padded.resize((padded.size() + 31) / 32 * 32);
        ASSERT_EQ(beats, padded);
        dut->packet_done_i = 1;
        beats.clear();
        inside.pop_front();
        ++passed;
      }
    }
    dut.tick();
    if (taken) {
      offered = false;
      if (++next_flit == coming.flits()) {
        inside.push_back(coming);
        coming = put_of(reply, random_bytes(random, random.below(most_bytes + 1)));
        next_flit = 0;
      }
    }
  }
  EXPECT_GT(passed, 500U);
}

TEST(PacketReceiver, PassesRequestsInOrder) {
  pass_packets_in_order<Vmu_packet_receiver>(false, 512);
}

TEST(PacketReceiver, PassesRepliesInOrder) {
  pass_packets_in_order<Vmu_packet_receiver_reply>(true, 32);
}

TEST(PacketReceiver, ShowsAPacketTheCycleAfterItsTailAndABeatACycleLater) {
  Receiver<Vmu_packet_receiver> receiver(1);
  receiver.send(put_of(false, Bytes(64, 7)));
  EXPECT_TRUE(receiver.dut->packet_valid_o);
  receiver.dut->beat_ready_i = 1;
  for (int beat = 0; beat < 2; ++beat) {
    receiver.dut.tick();
    EXPECT_TRUE(receiver.dut->beat_valid_o);
  }
  receiver.dut.tick();
  EXPECT_FALSE(receiver.dut->beat_valid_o);
}

TEST(PacketReceiver, TakesTheNextPacketWhileOneIsStoredButNotAThird) {
  Receiver<Vmu_packet_receiver> receiver(1);
  receiver.send(put_of(false, Bytes(512, 1)));
  receiver.send(put_of(false, Bytes(512, 2)));
  EXPECT_FALSE(receiver.offer(put_of(false, Bytes(16)), 0));
  receiver.finish();
  EXPECT_TRUE(receiver.offer(put_of(false, Bytes(16)), 0));
}

TEST(PacketReceiver, KeepsFourReplies) {
  Receiver<Vmu_packet_receiver_reply> receiver(1);
  for (std::uint8_t i = 0; i < 4; ++i) receiver.send(put_of(true, Bytes(32, i)));
  EXPECT_FALSE(receiver.offer(put_of(true, Bytes(16)), 0));
}

TEST(PacketReceiver, PulsesOnceForABadPacketAndForgetsIt) {
  Receiver<Vmu_packet_receiver> receiver(1);
  Packet bad = put_of(false, Bytes(100, 3));
  bad.payload[50] ^= 4;  // the CRC no longer fits
  receiver.send(bad);
  EXPECT_TRUE(receiver.dut->bad_packet_o);
  EXPECT_FALSE(receiver.dut->packet_valid_o);
  receiver.dut.tick();
  EXPECT_FALSE(receiver.dut->bad_packet_o);
  EXPECT_FALSE(receiver.dut->busy_o);
  receiver.send(put_of(false, Bytes(100, 3)));
  EXPECT_TRUE(receiver.dut->packet_valid_o);
}

TEST(PacketReceiver, PassesWhatADynamicSendSaysAndDropsAReservedBit) {
  namespace t = layout::packet_trailer;
  Receiver<Vmu_packet_receiver> receiver(1);
  Packet packet = put_of(false, Bytes(32, 9));
  packet.header.set<h::kind>(Kind::kSend);
  packet.trailer.set<t::dynamic>(1).set<t::doubtful>(1);
  packet.seal();
  receiver.send(packet);
  EXPECT_TRUE(receiver.dut->packet_valid_o);
  EXPECT_EQ(sample_record<PacketTrailer>(receiver.dut->packet_trailer_o), packet.trailer);
  receiver.finish();
  auto bytes = packet.trailer.bytes();
  bytes[11] |= 0x80;
  packet.trailer = PacketTrailer::from_bytes(bytes);
  packet.seal();
  receiver.send(packet);
  EXPECT_TRUE(receiver.dut->bad_packet_o);
}

TEST(PacketReceiver, DropsAPacketWhosePadIsNotZero) {
  Receiver<Vmu_packet_receiver> receiver(1);
  // The CRC is made for 32 bytes, then the header says 20: the CRC is made again over the same
  // flits.
  Packet packet = put_of(false, Bytes(32, 9));
  packet.header.set<h::bytes>(20);
  packet.seal();
  receiver.send(packet);
  EXPECT_TRUE(receiver.dut->bad_packet_o);
}

}  // namespace
}  // namespace torusmu::testing
