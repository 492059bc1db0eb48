// SPDX-License-Identifier: Apache-2.0
#include "host/src/site.h"

#include <algorithm>

#include "host/src/wire.h"

namespace torusmu {

ContextOptions within_range(ContextOptions options) {
  for (Cycles* cycles : {&options.ack_delay, &options.retry_least, &options.retry_most,
                         &options.probe_after, &options.probe_most, &options.patience}) {
    *cycles = std::min(*cycles, kMostCycles);
  }
  options.eager_limit = std::min<Bytes>(options.eager_limit, wire::kMostEagerBytes);
  options.window = std::clamp<std::uint32_t>(options.window, 1, 1024);
  options.ack_every = std::clamp<std::uint32_t>(options.ack_every, 1, options.window);
  options.retry_least = std::max<Cycles>(options.retry_least, 1);
  options.retry_most = std::max(options.retry_most, options.retry_least);
  options.probe_after = std::max<Cycles>(options.probe_after, 1);
  options.probe_most = std::max(options.probe_most, options.probe_after);
  return options;
}

PacketHeader header_to(const NodePlan& plan, Place place) {
  namespace h = layout::packet_header;
  const Coordinates to = plan.shape().coordinates(place.node);
  PacketHeader header;
  header.set<h::dst_x>(to.x).set<h::dst_y>(to.y).set<h::dst_z>(to.z);
  return header;
}

std::uint64_t lines_of(Bytes bytes) {
  constexpr Bytes kLine = 64;
  return (bytes + kLine - 1) / kLine;
}

void copy_out(Device& device, Address to, std::span<const std::byte> data) {
  if (data.empty()) return;
  device.work(Work::kCopyLine, lines_of(data.size()));
  device.store(to, data);
}

}  // namespace torusmu
