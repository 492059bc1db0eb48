// SPDX-License-Identifier: Apache-2.0
// A node with queues that hold FENCEs, and the packets that the other end of one would send.
#ifndef TORUSMU_TESTS_SUPPORT_FENCE_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_FENCE_FIXTURE_H_

#include <utility>
#include <vector>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {

// A FENCE of what its queue has sent to `to`, where the byte at `offset` of `region` may be
// written.
inline Descriptor fence_of(Coordinates to, RegionId region = kTargetRegion, Bytes offset = 0) {
  namespace h = layout::packet_header;
  PacketHeader image;
  image.set<h::dst_x>(to.x).set<h::dst_y>(to.y).set<h::dst_z>(to.z);
  image.set<h::target>(region.value).set<h::offset>(offset);
  return Descriptor()
      .set<layout::descriptor::opcode>(Opcode::kFence)
      .set<layout::descriptor::header>(image);
}

class FenceTest : public QueuePairTest {
 protected:
  static constexpr Cycles kRetry = 1 << 14;
  static constexpr Cycles kRoom = 3000;

  // What the target says of FENCE `index` of `queue`.
  Packet told(std::uint32_t index, QueueId queue = kSend, Coordinates from = kPeer) {
    namespace h = layout::packet_header;
    return said_by(from, answer(Kind::kFence, index).header.set<h::target>(queue.value), {});
  }
  Packet refused(std::uint32_t index, Status status, QueueId queue = kSend,
                 Coordinates from = kPeer) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const std::uint64_t word =
        static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(Kind::kFence) << 8;
    PacketHeader header = answer(Kind::kNotice, 0).header;
    header.set<h::word>(word).set<h::target>(kTargetRegion.value);
    return said_by(from, header, PacketTrailer().set<t::queue>(queue.value).set<t::index>(index));
  }
  // What a FENCE asks of this node, as FENCE `index` of queue kPeerQueue of the peer.
  Packet arriving(std::uint32_t index = 0, RegionId region = kTargetRegion, Bytes offset = 0) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    Packet packet = put_packet(kPeer, here_, {}, region.value, offset);
    packet.header.set<h::kind>(Kind::kFence);
    packet.trailer.set<t::queue>(kPeerQueue.value).set<t::index>(index);
    return packet;
  }

  // Queue and index of each FENCE that goes out.
  using Asked = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  static Asked asked(const std::vector<Packet>& packets) {
    namespace t = layout::packet_trailer;
    Asked found;
    for (const Packet& packet : packets) {
      if (kind_of(packet) != Kind::kFence || packet.reply()) continue;
      found.emplace_back(static_cast<std::uint32_t>(packet.trailer.get<t::queue>()),
                         static_cast<std::uint32_t>(packet.trailer.get<t::index>()));
    }
    return found;
  }
  static std::vector<Kind> kinds(const std::vector<Packet>& packets) {
    std::vector<Kind> found;
    for (const Packet& packet : packets) found.push_back(kind_of(packet));
    return found;
  }
  std::vector<Packet> run(QueueId queue, const Descriptor& descriptor) {
    post(queue, descriptor);
    return settle("posted");
  }
  std::vector<Packet> take(const Packet& packet) {
    deliver(packet);
    return settle("a reply");
  }
  std::vector<Packet> after(Cycles cycles) {
    pass(cycles + kRoom);
    return settle("later");
  }
  // With everything that tells of its end.
  static Descriptor told_of(Descriptor descriptor) {
    namespace d = layout::descriptor;
    return descriptor.set<d::done_event_valid>(1)
        .set<d::done_event>(kDoneEvent.value)
        .set<d::interrupt_done>(1)
        .set<d::signal>(1);
  }
  static constexpr QueueTells kTold{.completion = static_cast<int>(kCompletions.value)};

 private:
  static Packet said_by(Coordinates from, PacketHeader header, PacketTrailer trailer) {
    namespace h = layout::packet_header;
    Packet packet;
    packet.header = header.set<h::src_x>(from.x).set<h::src_y>(from.y).set<h::src_z>(from.z);
    packet.trailer = trailer;
    return packet;
  }
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_FENCE_FIXTURE_H_
