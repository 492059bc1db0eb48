// SPDX-License-Identifier: Apache-2.0
#include "host/src/boot_copy.h"

#include "host/src/calc_copy.h"

namespace torusmu {
namespace {

constexpr Cycles kLongest = Cycles{1} << 16;
constexpr Cycles kBetweenLooks = 4;

std::uint64_t word_at(Device& device, Address address) {
  std::uint64_t word = 0;
  device.load(address, std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

// Into the library's memory of the client.
Descriptor copy_of(const Site& site, InRegion from, Address to, Bytes bytes) {
  const RegionId library = site.plan.library_region(site.client);
  return calc_copy(from, {library, to - site.plan.library(site.client).address}, bytes,
                   Element::kU64);
}

}  // namespace

std::optional<PacketRing> copy_boot_buffer(const Site& site, Outbox& outbox) {
  Device& device = site.device;
  const Range area = site.plan.kept(site.client, site.context);
  const auto slots = static_cast<std::uint32_t>(word_at(device, area.address));
  if (slots == 0) return std::nullopt;
  // The second copy, of that word, says that the first is in memory: a CALC holds its queue.
  const Address flag = area.address + NodePlan::kKeptLine;
  const Range copy{flag + NodePlan::kKeptLine, area.bytes - 2 * NodePlan::kKeptLine};
  outbox.post(copy_of(site, {site.plan.boot_region(site.client), 0}, copy.address,
                      Bytes{slots} * site.plan.sizes().fifo_slot_bytes));
  outbox.post(copy_of(site,
                      {site.plan.library_region(site.client),
                       area.address - site.plan.library(site.client).address},
                      flag, sizeof(std::uint64_t)));
  outbox.ring();
  const Cycles begin = device.now();
  while (word_at(device, flag) == 0) {
    if (device.now() - begin > kLongest) return std::nullopt;
    device.compute(kBetweenLooks);
  }
  // Every context has its own copy; one of them says what has been read.
  std::optional<PacketRing::Registers> buffer;
  if (site.context.value == 0) {
    buffer = fifo_registers(site.client, site.plan.boot_buffer(site.client));
  }
  return PacketRing(device, copy, buffer, slots);
}

}  // namespace torusmu
