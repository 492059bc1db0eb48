// SPDX-License-Identifier: Apache-2.0
// What packets say at the pins.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_PINS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_PINS_H_

#include <array>
#include <cstring>

#include "sim/machine/events.h"
#include "torusmu/layout.h"

namespace torusmu {

// Of the first flit of a packet.
inline PacketHeader header_of(const Flit& flit) {
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), flit.data.data(), bytes.size());
  return PacketHeader::from_bytes(bytes);
}

inline Coordinates source_of(const PacketHeader& header) {
  return {static_cast<std::uint32_t>(header.get<layout::packet_header::src_x>()),
          static_cast<std::uint32_t>(header.get<layout::packet_header::src_y>()),
          static_cast<std::uint32_t>(header.get<layout::packet_header::src_z>())};
}

inline Coordinates target_of(const PacketHeader& header) {
  return {static_cast<std::uint32_t>(header.get<layout::packet_header::dst_x>()),
          static_cast<std::uint32_t>(header.get<layout::packet_header::dst_y>()),
          static_cast<std::uint32_t>(header.get<layout::packet_header::dst_z>())};
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_PINS_H_
