// SPDX-License-Identifier: Apache-2.0
// Packets with a good CRC, as a neighbour could send them: of any words, or good but for a few
// bits.
#include "tests/fuzz/meant.h"

namespace {

using namespace torusmu;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

PacketHeader any_header(fuzz::Input& input) {
  PacketHeader header;
  const Coordinates from = fuzz::any_place(input);
  header.set<h::src_x>(from.x).set<h::src_y>(from.y).set<h::src_z>(from.z);
  header.set<h::client>(input.below(4)).set<h::kind>(static_cast<Kind>(input.below(16)));
  header.set<h::reply>(input.below(4) == 0).set<h::on_behalf>(input.below(4) == 0);
  header.set<h::bytes>(input.take<std::uint16_t>() % 513).set<h::target>(input.below(20));
  return header.set<h::offset>(fuzz::any_offset(input)).set<h::word>(input.below(4));
}
PacketTrailer any_trailer(fuzz::Input& input) {
  PacketTrailer trailer;
  const std::uint32_t bits = input.take<std::uint16_t>();
  trailer.set<t::counter>(input.below(8)).set<t::counter_valid>(bits & 1);
  trailer.set<t::event_counter>(input.below(8)).set<t::event_valid>(bits >> 1 & 1);
  trailer.set<t::interrupt>(bits >> 2 & 1).set<t::last>((bits >> 3 & 3) != 0);
  trailer.set<t::reflected>((bits >> 5 & 3) == 0).set<t::dynamic>((bits >> 7 & 3) == 0);
  trailer.set<t::doubtful>((bits >> 9 & 3) == 0).set<t::queue>(input.below(20));
  return trailer.set<t::index>(input.below(8)).set<t::sequence_number>(input.below(8));
}

// On behalf of a client a PUT goes wherever the client itself may write, into regions that take
// nothing else from the network.
void allow_on_behalf(fuzz::FuzzedNode& node, const PacketHeader& header) {
  struct Owned {
    RegionId region;
    ClientId owner;
    Address base;
  };
  constexpr std::array kOwned{Owned{fuzz::kSourceRegion, fuzz::kOwner, fuzz::kSource},
                              Owned{fuzz::kReadableRegion, fuzz::kOwner, fuzz::kReadable},
                              Owned{fuzz::kForeignRegion, fuzz::kForeigner, fuzz::kForeign}};
  if (header.get<h::kind>() != Kind::kPut || header.get<h::on_behalf>() == 0) return;
  const Bytes offset = header.get<h::offset>(), bytes = header.get<h::bytes>();
  for (const Owned& owned : kOwned) {
    if (header.get<h::target>() == owned.region.value &&
        header.get<h::client>() == owned.owner.value && offset + bytes <= fuzz::kRegionBytes) {
      node.allow(owned.base + offset, bytes);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kPackets = 8;
  // What a neighbour's router has credits for: it counts packets, and no source makes longer ones.
  constexpr Bytes kMostPayload = 512, kMostReply = 32;
  fuzz::Input input(data, size);
  fuzz::FuzzedNode node;
  for (std::uint32_t n = 0; n < kPackets && !input.empty(); ++n) {
    model::Packet packet;
    if (input.below(8) == 0) {
      packet.header =
          PacketHeader::from_bytes(input.take<std::array<std::uint8_t, PacketHeader::kBytes>>());
      packet.trailer =
          PacketTrailer::from_bytes(input.take<std::array<std::uint8_t, PacketTrailer::kBytes>>());
    } else {
      packet.header = fuzz::spoiled(input, any_header(input));
      packet.trailer = fuzz::spoiled(input, any_trailer(input));
    }
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
    allow_on_behalf(node, packet.header);
    node.bench().send(input.below(6), packet);
  }
  node.finish();
  return 0;
}
