// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/faults.h"

#include "torusmu/layout.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;

PacketHeader header_of(const Link::Slot& header) {
  const auto low = header.data[0] | static_cast<std::uint64_t>(header.data[1]) << 32;
  const auto high = header.data[2] | static_cast<std::uint64_t>(header.data[3]) << 32;
  std::array<std::uint8_t, 16> bytes{};
  for (unsigned i = 0; i < 16; ++i) {
    bytes[i] = static_cast<std::uint8_t>((i < 8 ? low : high) >> (i % 8 * 8));
  }
  return PacketHeader::from_bytes(bytes);
}

template <auto X, auto Y, auto Z>
NodeId node_of(const Shape& shape, const PacketHeader& header) {
  return shape.node({static_cast<std::uint32_t>(header.get<X>()),
                     static_cast<std::uint32_t>(header.get<Y>()),
                     static_cast<std::uint32_t>(header.get<Z>())});
}

}  // namespace

void FaultInjector::apply(std::vector<std::unique_ptr<FastNode>>& nodes, std::uint64_t window,
                          Cycles start, unsigned latency) {
  if (place_ && !in_packet_) return;
  for (unsigned k = 0; k < latency; ++k) {
    for (const auto& node : nodes) {
      for (unsigned d = 0; d < kDirections; ++d) {
        Link::Half& half = node->link(d).halves[window & 1U];
        if (half.window == window && (half.flits >> k & 1U) != 0)
          visit(*node, d, half, k, start + k);
      }
    }
  }
}

void FaultInjector::visit(FastNode& node, unsigned direction, Link::Half& half, unsigned k,
                          Cycles cycle) {
  Link::Slot& slot = half.slots[k];
  const bool flip = fault_.kind == Fault::Kind::kFlipPayloadBit;
  if (in_packet_ && node.shell().node() == place_->node && direction == place_->direction &&
      slot.reply == header_.reply) {
    if (flip) {
      const auto bit = static_cast<unsigned>(fault_.number % 128);
      slot.data[bit / 32] ^= std::uint32_t{1} << bit % 32;
      place_->cycle = cycle;
      in_packet_ = false;
      return;
    }
    half.flits &= ~(std::uint32_t{1} << k);
    if (slot.tail == 0) return;
    in_packet_ = false;
    if (NodeObserver* const observer = node.shell().observer())
      observer->lost(cycle, direction, header_.data.data(), slot.data.data());
    return;
  }
  if (slot.head == 0 || place_) return;
  const PacketHeader header = header_of(slot);
  if (flip && header.get<h::bytes>() == 0) return;
  if (++packets_ != fault_.number) return;
  in_packet_ = true;
  header_ = slot;
  place_ = FaultPlace{.cycle = cycle,
                      .node = node.shell().node(),
                      .direction = direction,
                      .from = node_of<h::src_x, h::src_y, h::src_z>(shape_, header),
                      .to = node_of<h::dst_x, h::dst_y, h::dst_z>(shape_, header),
                      .kind = header.get<h::kind>(),
                      .reply = header.get<h::reply>() != 0,
                      .bytes = header.get<h::bytes>()};
  if (!flip) half.flits &= ~(std::uint32_t{1} << k);
}

}  // namespace torusmu
