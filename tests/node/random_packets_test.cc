// SPDX-License-Identifier: Apache-2.0
// Packets with random fields, from any node and with any numbers: whatever they are, node and
// reference model end with the same registers, memory and packets.
#include <gtest/gtest.h>

#include "tests/support/every_client.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr unsigned kRounds = 8;
constexpr unsigned kSteps = 24;
constexpr unsigned kPacketsOfStep = 5;
constexpr QueueId kReceive{14}, kDynamicReceive{15}, kPeerQueue{9};
constexpr Coordinates kPeer{0, 1, 1};

class Packets {
 public:
  Packets(Random& random, NodeJudge& judge)
      : random_(random), judge_(judge), old_(judge), clients_(random) {
    open_everything(judge.device(), false);
    open_for_every_client(judge, clients_, random);
    judge.raw().connect(kReceive, kPeer, kPeerQueue);
    judge.raw().connect_dynamically(kDynamicReceive);
    for (const QueueId queue : {kReceive, kDynamicReceive}) {
      judge.raw().open_queue(queue, ring_of(queue), kRingSlots, QueueMode::kReceive);
    }
    tails_ = {any32(), any32()};
    old_.age(kReceive, tails_[0], any32());
    old_.age(kDynamicReceive, tails_[1], 0);
    for (const FifoId fifo : {kFifo, kForeignFifo, kReplyFifo}) {
      const std::uint32_t index = any32();
      old_.age(fifo, index, any32());
    }
    open_any_queue(judge.device(), kGetQueue, QueueMode::kRemoteGet, kOwner, random);
    open_any_queue(judge.device(), kReflectionQueue, QueueMode::kReflection, kOwner, random);
    for (const QueueId queue : {kGetQueue, kReflectionQueue}) {
      old_.age(queue, any_index(random), 0);
    }
  }

  void run() {
    for (unsigned step = 0; step < kSteps && judge_.differences() == 0; ++step) {
      post_receives();
      for (unsigned i = 0; i < kPacketsOfStep; ++i) {
        const auto from = static_cast<unsigned>(random_.below(6));
        judge_.deliver_sealed(random_packet(), from);
      }
      judge_.settle("step " + std::to_string(step));
    }
  }

 private:
  std::uint32_t any32() { return static_cast<std::uint32_t>(random_.bits64()); }
  bool often(unsigned percent) { return random_.chance(percent); }
  // One of those that are open or nearly so, or any.
  std::uint64_t any_number() { return often(90) ? clients_.in_use(random_) : random_.below(256); }
  static Address ring_of(QueueId queue) { return 0x40000 + queue.value * Address{0x400}; }

  // Of buffers that are larger than any message, or nearly as small.
  void post_receives() {
    for (unsigned i = 0; i < 2; ++i) {
      const QueueId queue = i == 0 ? kReceive : kDynamicReceive;
      const auto head = static_cast<std::uint32_t>(judge_.reference().queue(queue.value).head);
      while (tails_[i] - head < kRingSlots) {
        const Bytes length = often(50) ? random_.bits64() >> 27 : 1 + random_.below(600);
        const Source buffer{kHugeRegion, kTarget + random_.below(kRegionBytes), length};
        const bool fits = buffer.offset + length <= Bytes{1} << 37;
        judge_.raw().write_descriptor(
            ring_of(queue), kRingSlots, tails_[i]++,
            receive_descriptor(fits ? buffer : Source{kTargetRegion, 0, kRegionBytes})
                .set<layout::descriptor::sequence_number>(any32()));
      }
      judge_.raw().ring_doorbell(queue, tails_[i]);
    }
    judge_.settle("RECEIVEs");
  }

  Kind random_kind(bool reply) {
    constexpr std::array kRequests{Kind::kPut,         Kind::kFifo, Kind::kGet,
                                   Kind::kCreditQuery, Kind::kSend, Kind::kFence};
    constexpr std::array kReplies{Kind::kPut,    Kind::kFifo, Kind::kNotice,
                                  Kind::kCredit, Kind::kAck,  Kind::kFence};
    if (!often(95)) return static_cast<Kind>(random_.below(10));
    return reply ? kReplies.at(random_.below(6)) : kRequests.at(random_.below(6));
  }
  std::size_t random_size(bool reply, Kind kind) {
    if (reply) return random_.below(33);
    if (kind == Kind::kGet && often(90)) return 64 * (1 + random_.below(4));
    if (kind == Kind::kFence || kind == Kind::kCreditQuery) return often(90) ? 0 : 16;
    return often(30) ? random_.below(33) : random_.below(513);
  }
  model::Packet random_packet() {
    const bool reply = often(35);
    const Kind kind = random_kind(reply);
    std::vector<std::uint8_t> payload(random_size(reply, kind));
    for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random_.bits64());
    const bool near = often(60);
    const auto place = [&](std::uint32_t of_peer) {
      return near ? of_peer : static_cast<std::uint32_t>(random_.below(16));
    };
    const Bytes offset = often(70) ? random_.below(kRegionBytes) : random_.bits64() >> 27;
    model::Packet packet =
        put_packet({place(kPeer.x), place(kPeer.y), place(kPeer.z)}, judge_.here(),
                   std::move(payload), static_cast<std::uint32_t>(any_number()), offset);
    packet.header.set<h::kind>(kind)
        .set<h::reply>(reply)
        .set<h::client>(often(80) ? random_.below(4) : random_.below(16))
        .set<h::on_behalf>(often(20))
        .set<h::word>(any32());
    packet.trailer.set<t::counter>(any_number())
        .set<t::counter_valid>(often(25))
        .set<t::event_counter>(any_number())
        .set<t::event_valid>(often(25))
        .set<t::interrupt>(often(20))
        .set<t::last>(often(80))
        .set<t::queue>(random_.below(256))
        .set<t::index>(any32())
        .set<t::sequence_number>(any32())
        .set<t::reflected>(often(20));
    if (kind == Kind::kSend && often(85)) make_message(packet);
    return packet;
  }
  // A packet of a message that one of the two receive queues may take: mostly the only one, or
  // the last of a long message.
  void make_message(model::Packet& packet) {
    const bool dynamic = often(70);
    const bool whole = often(90);
    packet.header.set<h::target>(dynamic ? kDynamicReceive.value : kReceive.value)
        .set<h::offset>(0)
        .set<h::reply>(0)
        .set<h::on_behalf>(0);
    packet.trailer.set<t::last>(whole).set<t::dynamic>(dynamic);
    const bool waits = judge_.reference().queue(kReceive.value).receiving.waiting;
    const std::uint64_t before = dynamic || !waits || often(60) ? 0 : 1 + random_.below(0xfffff000);
    packet.header.set<h::offset>(before);
    if (whole) packet.trailer.set<t::index>(before + packet.payload.size());
    if (dynamic) return;
    if (before != 0) old_.age_message(kReceive, static_cast<std::uint32_t>(before));
    packet.header.set<h::src_x>(kPeer.x).set<h::src_y>(kPeer.y).set<h::src_z>(kPeer.z);
    packet.trailer.set<t::queue>(kPeerQueue.value)
        .set<t::sequence_number>(judge_.reference().queue(kReceive.value).number);
  }

  Random& random_;
  NodeJudge& judge_;
  OldNode old_;
  ClientNumbers clients_;
  std::array<std::uint32_t, 2> tails_{};
};

TEST(RandomPackets, DoWhatTheyDoInTheModel) {
  Random random(20'001);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    NodeJudge judge(anywhere(random));
    Packets packets(random, judge);
    packets.run();
    ASSERT_EQ(judge.differences(), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
