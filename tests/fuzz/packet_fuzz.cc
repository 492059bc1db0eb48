// SPDX-License-Identifier: Apache-2.0
// Packets of any words with a good CRC, as a neighbour could send them.
#include "tests/fuzz/node_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torusmu;
  namespace h = layout::packet_header;
  constexpr std::uint32_t kPackets = 8;
  // What a neighbour's router has credits for: it counts packets, and no source makes longer ones.
  constexpr Bytes kMostPayload = 512, kMostReply = 32;
  fuzz::Input input(data, size);
  fuzz::FuzzedNode node;
  for (std::uint32_t n = 0; n < kPackets && !input.empty(); ++n) {
    model::Packet packet;
    packet.header =
        PacketHeader::from_bytes(input.take<std::array<std::uint8_t, PacketHeader::kBytes>>());
    packet.trailer =
        PacketTrailer::from_bytes(input.take<std::array<std::uint8_t, PacketTrailer::kBytes>>());
    // The router of the neighbour sends only what is for this node, in as many flits as the header
    // says.
    const auto here = node.here();
    packet.header.set<h::dst_x>(here.x).set<h::dst_y>(here.y).set<h::dst_z>(here.z);
    packet.header.set<h::bytes>(packet.header.get<h::bytes>() %
                                (1 + (packet.reply() ? kMostReply : kMostPayload)));
    packet.payload.resize(packet.header.get<h::bytes>());
    for (std::uint8_t& byte : packet.payload)
      byte = static_cast<std::uint8_t>(packet.payload.size() * 7 + n);
    packet.seal();
    node.bench().send(input.below(6), packet);
  }
  node.finish();
  return 0;
}
