// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reception_engine mu_reception_engine --output-split-cfuncs 200000
// bgp:
//
// SENDs and FENCEs of others: what is stored of them, and what their senders are told then.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/reception_fixture.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;
namespace h = layout::packet_header;
namespace p = layout::queue_peer;
namespace t = layout::packet_trailer;

constexpr unsigned kQueue = 3, kOtherQueue = 6;
constexpr std::size_t kPayload = 512;  // of a packet at most

class ReceptionMessages : public ReceptionEngine {
 protected:
  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random, RecordType::kBytes));
  }
  static PacketHeader from(const QueuePeer& sender, PacketHeader header) {
    return header.set<h::src_x>(sender.get<p::x>())
        .set<h::src_y>(sender.get<p::y>())
        .set<h::src_z>(sender.get<p::z>());
  }
  // A packet of message `number`, of `message_bytes`, of `sender` to `queue`.
  void send_part(unsigned queue, const QueuePeer& sender, std::uint32_t number,
                 std::size_t message_bytes, std::size_t offset, std::span<const std::uint8_t> part,
                 bool doubtful = false) {
    Packet packet = packet_of(Kind::kSend, false, queue, 0);
    packet.header = from(sender, packet.header)
                        .set<h::bytes>(part.size())
                        .set<h::offset>(offset)
                        .set<h::word>(random.bits64() & 0xFFFFFFFF)
                        .set<h::client>(random.below(16));
    packet.trailer.set<t::queue>(sender.get<p::queue>())
        .set<t::sequence_number>(number)
        .set<t::index>(message_bytes)
        .set<t::dynamic>(sender.get<p::dynamic>())
        .set<t::doubtful>(doubtful ? 1 : 0)
        .set<t::interrupt>(random.below(2))
        .set<t::event_counter>(random.below(256))
        .set<t::counter>(random.below(256))
        .set<t::last>(offset + part.size() == message_bytes ? 1 : 0);
    packet.payload.assign(part.begin(), part.end());
    packet.seal();
    send(packet);
  }
  // All of them.
  void send_message(unsigned queue, const QueuePeer& sender, std::uint32_t number,
                    const Bytes& message, bool doubtful = false) {
    std::size_t offset = 0;
    do {
      const std::size_t bytes = std::min(kPayload, message.size() - offset);
      send_part(queue, sender, number, message.size(), offset,
                std::span(message).subspan(offset, bytes), doubtful);
      offset += bytes;
    } while (offset < message.size());
  }
  // As if so many bytes of the message that has begun had come.
  void have_received(unsigned queue, std::uint32_t bytes) {
    auto& model = oracle.messages.queue(queue);
    model.slots[model.now()].bytes = bytes;
    bench.have_received(queue, model.now(), bytes);
  }
  void send_fence(const QueuePeer& source, std::uint32_t region, std::uint32_t index) {
    Packet packet = packet_of(Kind::kFence, false, region, 0);
    packet.header = from(source, packet.header).set<h::offset>(random.below(0x10100));
    packet.trailer.set<t::queue>(source.get<p::queue>()).set<t::index>(index);
    packet.seal();
    send(packet);
  }
  void offer_buffer(unsigned queue, Address address, std::uint64_t length) {
    offer(any<ReceiveBuffer>()
              .set<b::queue>(queue)
              .set<b::owner>(random.below(kProfile.clients))
              .set<b::address>(address)
              .set<b::length>(length));
  }
  QueuePeer any_peer(bool dynamic) {
    return any<QueuePeer>().set<p::connected>(1).set<p::dynamic>(dynamic ? 1 : 0);
  }
  std::vector<Kind> kinds_back() const {
    std::vector<Kind> kinds;
    for (const Packet& packet : bench.packets_back) kinds.push_back(packet.header.get<h::kind>());
    return kinds;
  }
  // What is stored is answered when it is: nobody says in which order its answer and the refusal
  // of what came later leave.
  void judge_in_any_order() {
    bench.drain();
    for (std::vector<Packet>* packets : {&bench.packets_back, &oracle.packets_back}) {
      std::ranges::sort(*packets, {}, &Packet::bytes);
    }
    judge();
  }
};

// What the network brings, to where words of memory begin and between, one packet at a time.
TEST_F(ReceptionMessages, AndAllElseIsStoredAtEveryLengthAndAlignmentWhetherMemoryWaitsOrNot) {
  SCOPED_TRACE(random.replay());
  constexpr unsigned kClient = 1;  // who owns region 0
  const QueuePeer peer = any_peer(false);
  make_receive_queue(kQueue, peer);
  std::uint32_t messages = 0;
  for (const unsigned chance : {100U, 10U}) {
    for (const Address shift : {0, 1, 24}) {
      make_fifo(2, 0x80000 + shift, 128, kEnable | kClient << kOwnerLsb);
      make_queue(20, QueueMode::kRemoteGet, 64);
      bench.queues[20].base += shift - 16;
      oracle.queues[20] = bench.queues[20];
      bench.memory_chance = chance;
      const auto stores = [&](const Packet& packet) {
        send(packet);
        judge();
        ASSERT_FALSE(HasFailure()) << name_of(packet.header.get<h::kind>()) << " of "
                                   << packet.payload.size() << " bytes, " << shift;
      };
      const auto put = [&](bool reply, std::size_t bytes) {
        Packet packet = packet_of(Kind::kPut, reply, 0, bytes);
        packet.header.set<h::offset>(shift);
        packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kClient);
        packet.seal();
        stores(packet);
      };
      const auto append = [&](bool reply, std::size_t bytes) {
        stores(packet_of(Kind::kFifo, reply, 2, bytes));
        const std::uint32_t tail = oracle.fifos[2].tail;
        ASSERT_EQ(bench.move_head(kClient, 2, tail), Status::kOk);
        oracle.fifos[2].move_head(tail);
      };
      for (const std::size_t bytes : {1, 16, 17, 300, 511, 512, 512}) {
        put(false, bytes);
        append(false, bytes);
        offer_buffer(kQueue, 0x40000 + shift, bytes);
        send_message(kQueue, peer, messages++, random_bytes(random, bytes));
        judge();
      }
      for (const std::size_t bytes : {64, 448, 512, 512}) {
        stores(packet_of(Kind::kGet, false, 20, bytes));
        bench.queues[20].used = oracle.queues[20].used = 0;
      }
      for (const std::size_t bytes : {1, 3, 16}) {
        put(true, bytes);
        append(true, bytes);
      }
      put(false, 0);
      stores(packet_of(Kind::kFence, false, 0, 0));
    }
  }
  EXPECT_EQ(bench.receives_ended, messages);
  EXPECT_EQ(bench.parts.size(), 6U * (7 * 3 + 4 + 3 * 2 + 2)) << "nothing was refused";
}

TEST_F(ReceptionMessages, AreAnsweredOnceTheyAreInMemory) {
  SCOPED_TRACE(random.replay());
  const QueuePeer peer = any_peer(false);
  make_receive_queue(kQueue, peer);
  offer_buffer(kQueue, 0x40000, 2000);
  bench.publish_stopped = true;
  send_message(kQueue, peer, 0, random_bytes(random, 1300));
  bench.ticks(300);
  EXPECT_EQ(bench.parts.size(), 3U);
  EXPECT_TRUE(bench.packets_back.empty());
  EXPECT_EQ(bench.receives_ended, 0U);
  bench.publish_stopped = false;
  judge();
  EXPECT_EQ(kinds_back(), std::vector{Kind::kAck});
}

TEST_F(ReceptionMessages, ThatCouldNotBeStoredAreRefusedThen) {
  SCOPED_TRACE(random.replay());
  bench.broken_from = 0x40000;
  const QueuePeer peer = any_peer(false);
  make_receive_queue(kQueue, peer);
  offer_buffer(kQueue, 0x40000 - kPayload, 600);
  send_message(kQueue, peer, 0, random_bytes(random, 600));
  judge();
  ASSERT_EQ(kinds_back(), std::vector{Kind::kNotice});
  EXPECT_EQ(bench.packets_back[0].header.get<h::word>() & 0xFF,
            static_cast<std::uint64_t>(Status::kMemoryError));
}

TEST_F(ReceptionMessages, AreAcknowledgedAgainIfTheyComeAgain) {
  SCOPED_TRACE(random.replay());
  const QueuePeer peer = any_peer(false);
  const Bytes message = random_bytes(random, 100);
  make_receive_queue(kQueue, peer);
  offer_buffer(kQueue, 0x40000, 100);
  for (int i = 0; i < 2; ++i) {
    send_message(kQueue, peer, 0, message);
    judge();
  }
  EXPECT_EQ(bench.parts.size(), 1U);
  EXPECT_EQ(kinds_back(), (std::vector{Kind::kAck, Kind::kAck}));
}

TEST_F(ReceptionMessages, ThatMayHaveBeenTakenBeforeTheirQueueWasConfiguredAnewAreRefused) {
  SCOPED_TRACE(random.replay());
  const QueuePeer sender = any_peer(true);
  const Bytes message = random_bytes(random, 100);
  for (const bool doubtful : {false, true}) {
    make_receive_queue(kQueue, any_peer(true));
    offer_buffer(kQueue, 0x40000, 100);
    send_message(kQueue, sender, 7, message, doubtful);
    judge();
  }
  EXPECT_EQ(bench.parts.size(), 1U);
  ASSERT_EQ(kinds_back(), (std::vector{Kind::kAck, Kind::kNotice}));
  EXPECT_EQ(bench.packets_back[1].header.get<h::word>() & 0xFF,
            static_cast<std::uint64_t>(Status::kDeliveryUnknown));
}

TEST_F(ReceptionMessages, AreCountedUpToEveryLength) {
  SCOPED_TRACE(random.replay());
  constexpr std::size_t kMessage = std::size_t{1} << 31;
  constexpr Address kBehindMemory = 0xF0'0000'0000;  // wherever that begins
  const QueuePeer peer = any_peer(false);
  for (unsigned bit = 10; bit < 31; ++bit) {
    const auto offset = static_cast<std::uint32_t>((std::size_t{1} << bit) - kPayload);
    make_receive_queue(kQueue, peer);
    offer_buffer(kQueue, kBehindMemory, kMessage);
    send_part(kQueue, peer, 0, kMessage, 0, random_bytes(random, kPayload));
    judge();
    have_received(kQueue, offset);
    send_part(kQueue, peer, 0, kMessage, offset, random_bytes(random, kPayload));
    judge();
    ASSERT_EQ(bench.parts.back().action.get<layout::write_action::bytes>(), 1ULL << bit);
  }
}

TEST_F(ReceptionMessages, AreAnsweredBehindFences) {
  SCOPED_TRACE(random.replay());
  bench.sink_chance = 0;
  send(packet_of(Kind::kPut, false, 1, 16));  // its refusal is in the way of all answers
  for (const unsigned queue : {kQueue, kOtherQueue}) {
    const QueuePeer peer = any_peer(false);
    make_receive_queue(queue, peer);
    offer_buffer(queue, 0x40000 + queue * 0x1000, 100);
    send_message(queue, peer, 0, random_bytes(random, 100));
  }
  for (std::uint32_t i = 0; i < 2; ++i) send_fence(any_peer(false), 0, i);
  bench.ticks(200);
  bench.sink_chance = 100;
  judge_in_any_order();
}

// Queues of any peer below kPaired, with a peer of their own from there on.
class RandomMessages : public ReceptionMessages {
 protected:
  static constexpr unsigned kPaired = 16, kQueues = MessageReceptionModel::kQueues;

  RandomMessages() {
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      make_receive_queue(queue, any_peer(queue < kPaired));
    }
  }
  void draw_surroundings() {
    bench.flit_chance = random.chance(50) ? 100 : 20;
    bench.memory_chance = random.chance(50) ? 100 : 30;
    bench.publish_chance = random.chance(50) ? 100 : 10;
    bench.sink_chance = random.chance(50) ? 100 : 10;
    bench.broken_from = random.chance(50) ? bench.any_address() : Address{1} << 40;
  }
  // Mostly one that is taken and that fits.
  void send_random_message(unsigned queue) {
    const std::size_t length = 1 + random.below(1200);
    const bool more = random.chance(5);
    const std::size_t bytes = more ? length + 1 + random.below(200) : 1 + random.below(length);
    if (queue >= kPaired && random.chance(30)) make_receive_queue(queue, any_peer(false));
    const auto& model = oracle.messages.queue(queue);
    if (model.room() && random.chance(90)) offer_buffer(queue, bench.any_address(), length);
    if (queue < kPaired) {
      const auto number = static_cast<std::uint32_t>(random.bits64());
      send_message(queue, any_peer(true), number, random_bytes(random, bytes));
    } else {
      const std::uint32_t number = model.expected + (random.chance(10) ? 1 : 0);
      const bool again = model.expected != 0 && random.chance(10);
      const QueuePeer sender = random.chance(95) ? bench.peers[queue] : any_peer(false);
      send_message(queue, sender, again ? number - 1 : number, random_bytes(random, bytes));
    }
  }
  // No queue gets more than one.
  void exchange(unsigned messages) {
    auto queue = static_cast<unsigned>(random.below(kQueues));
    for (unsigned i = 0; i < messages; ++i) {
      queue = (queue + 1 + static_cast<unsigned>(random.below(4))) % kQueues;
      if (random.chance(30)) {
        const auto region = static_cast<std::uint32_t>(random.chance(80) ? 0 : 1 + random.below(2));
        send_fence(any_peer(false), region, static_cast<std::uint32_t>(random.bits64()));
      }
      send_random_message(queue);
    }
    judge_in_any_order();
  }
  // Answers of each kind.
  void expect_many() const {
    const std::vector<Kind> kinds = kinds_back();
    for (const Kind kind : {Kind::kAck, Kind::kFence, Kind::kNotice}) {
      EXPECT_GT(std::ranges::count(kinds, kind), 40) << name_of(kind);
    }
  }
};

TEST_F(RandomMessages, AreStoredWhereTheirBufferSaysAndAnswered) {
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 150 && !HasFatalFailure(); ++round) {
    draw_surroundings();
    exchange(1 + static_cast<unsigned>(random.below(6)));
  }
  expect_many();
}

TEST_F(RandomMessages, AreNotLostIfTheClocksStandStillWhileThereIsNoWork) {
  SCOPED_TRACE(random.replay());
  bench.stops_clocks = true;
  for (int round = 0; round < 250 && !HasFatalFailure(); ++round) {
    draw_surroundings();
    exchange(1 + static_cast<unsigned>(random.below(2)));
  }
  expect_many();
  EXPECT_GT(bench.stopped, 10000U);
}

}  // namespace
}  // namespace torusmu::testing
