// SPDX-License-Identifier: Apache-2.0
// A packet of the torus as a value: header flit, payload, trailer flit.
#ifndef TORUSMU_TB_REFERENCE_MODEL_PACKET_H_
#define TORUSMU_TB_REFERENCE_MODEL_PACKET_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "torusmu/crc32c.h"
#include "torusmu/layout.h"

namespace torusmu::model {

struct Packet {
  PacketHeader header;
  PacketTrailer trailer;
  std::vector<std::uint8_t> payload;  // without the pad bytes of the last flit

  [[nodiscard]] bool reply() const { return header.get<layout::packet_header::reply>() != 0; }
  [[nodiscard]] std::size_t flits() const {
    return 2 + (payload.size() + kFlitBytes - 1) / kFlitBytes;
  }

  // The packet as the link carries it, byte 0 first; pad bytes of the payload are zero.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> all(flits() * kFlitBytes);
    const auto head = header.bytes();
    const auto tail = trailer.bytes();
    std::copy(head.begin(), head.end(), all.begin());
    std::copy(payload.begin(), payload.end(), all.begin() + kFlitBytes);
    std::copy(tail.begin(), tail.end(), all.end() - kFlitBytes);
    return all;
  }

  // Puts the right CRC into the trailer: the last thing done before the packet leaves.
  void seal() {
    trailer.set<layout::packet_trailer::crc>(0);
    trailer.set<layout::packet_trailer::crc>(packet_crc(bytes()));
  }
  [[nodiscard]] bool crc_is_good() const {
    return trailer.get<layout::packet_trailer::crc>() == packet_crc(bytes());
  }
};

// Header flit, trailer flit, payload padded with zeros to whole slots: an entry of a ring of
// packets.
inline std::vector<std::uint8_t> ring_entry(const Packet& packet, std::uint32_t slot_bytes) {
  const std::size_t slots = 1 + (packet.payload.size() + slot_bytes - 1) / slot_bytes;
  std::vector<std::uint8_t> entry(slots * slot_bytes);
  const auto head = packet.header.bytes();
  const auto tail = packet.trailer.bytes();
  std::copy(head.begin(), head.end(), entry.begin());
  std::copy(tail.begin(), tail.end(), entry.begin() + kFlitBytes);
  std::copy(packet.payload.begin(), packet.payload.end(), entry.begin() + 2 * kFlitBytes);
  return entry;
}

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_PACKET_H_
