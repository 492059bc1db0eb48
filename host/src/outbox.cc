// SPDX-License-Identifier: Apache-2.0
#include "host/src/outbox.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

}  // namespace

Outbox::Outbox(const Site& site, Liveness& liveness)
    : site_(site),
      liveness_(liveness),
      queue_(site.device, site.plan, site.client, site.context),
      buffers_(site.plan.buffers(site.client, site.context)) {}

bool Outbox::claim_room(std::uint32_t count) {
  if (queue_.has_room(count)) return true;
  is_starved_ = true;
  return false;
}

std::uint32_t Outbox::post_to(NodeId node, bool is_put, const Descriptor& descriptor) {
  note_unfenced(node, is_put);
  return queue_.post(descriptor);
}

std::error_code Outbox::run(const Descriptor& descriptor) {
  if (!queue_.has_room(1)) return queue_.device_gone() ? liveness_.check() : Errc::kAgain;
  const auto opcode = descriptor.get<d::opcode>();
  if (opcode == Opcode::kPut || opcode == Opcode::kFifo) {
    const PacketHeader header = descriptor.get<d::header>();
    const NodeId to = site_.plan.shape().node({static_cast<std::uint32_t>(header.get<h::dst_x>()),
                                               static_cast<std::uint32_t>(header.get<h::dst_y>()),
                                               static_cast<std::uint32_t>(header.get<h::dst_z>())});
    post_to(to, true, descriptor);
  } else {
    post(descriptor);
  }
  queue_.ring();
  return {};
}

std::vector<Outbox::Destination> Outbox::take_unfenced(
    const std::function<bool(NodeId)>& is_meant) {
  std::vector<Destination> taken;
  std::erase_if(unfenced_, [&](const auto& item) {
    if (!is_meant({item.first})) return false;
    taken.emplace_back(item.first, item.second);
    return true;
  });
  return taken;
}

void Outbox::set_source(Descriptor& descriptor, Address buffer) const {
  descriptor.set<d::source_region>(site_.plan.library_region(site_.client).value)
      .set<d::source_offset>(buffer - site_.plan.library(site_.client).address);
}

void Outbox::write(Address buffer, const Descriptor& descriptor) {
  site_.device.work(Work::kBuildDescriptor, 1);
  const auto bytes = descriptor.bytes();
  site_.device.store(buffer, std::as_bytes(std::span(bytes)));
}

}  // namespace torusmu
