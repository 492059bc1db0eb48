// SPDX-License-Identifier: Apache-2.0
// Queues that wait for, enable and calculate anything, loop or not: when they are configured anew,
// whatever they were doing is over.
#include "tests/fuzz/meant.h"

namespace {

using namespace torusmu;
using namespace torusmu::testing;
namespace f = registers::injection_queue::config_field;

constexpr std::uint32_t kQueues = 4, kFirst = 13, kSlots = 8;
constexpr Cycles kWhile = 3'000;  // that they run

Address ring_of(std::uint32_t queue) { return 0x40000 + queue * 0x400; }

// Queues 13 and 14, and 15 and 16, are the two ends of a pair; the second may receive.
void configure(Device& device, std::uint32_t queue, std::uint32_t bits) {
  const std::uint32_t peer = kFirst + ((queue - kFirst) ^ 1U);
  device.write64(registers::injection_queue::config(queue), 0);
  RawNode(device, kOwner).connect({queue}, {1, 1, 1}, {peer});
  device.write64(registers::injection_queue::base(queue), ring_of(queue));
  device.write64(registers::injection_queue::size(queue), kSlots);
  const bool receives = peer < queue && (bits & 8) != 0;
  const QueueMode mode = receives ? QueueMode::kReceive : QueueMode::kDoorbell;
  std::uint64_t config = queue_config(mode, kOwner, (bits & 1) != 0);
  config = insert(insert(config, f::cyclic, bits >> 1 & 1), f::managed, bits >> 2 & 1);
  device.write64(registers::injection_queue::config(queue), config);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  fuzz::FuzzedNode node;
  node.allow(kSource, kRegionBytes);
  node.allow(kReadable, kRegionBytes);
  const std::uint32_t bits = input.take<std::uint16_t>();
  std::array<std::uint32_t, kQueues> tails{};
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    tails[q] = input.below(kSlots + 1);
    for (std::uint32_t k = 0; k < kSlots; ++k) {
      node.store(ring_of(kFirst + q) + Address{k} * Descriptor::kBytes,
                 fuzz::any_descriptor(input, kFirst, 0));
    }
  }
  node.bench().start([&](Device& device) {
    for (std::uint32_t e = 0; e < 4; ++e) RawNode(device, kOwner).open_event({e});
    for (std::uint32_t q = 0; q < kQueues; ++q) configure(device, kFirst + q, bits >> (4 * q));
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      device.write32(registers::client_page::queue_index(kOwner.value, kFirst + q), tails[q]);
    }
  });
  node.bench().pass(kWhile);
  node.bench().start([](Device& device) {
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      device.write64(registers::injection_queue::config(kFirst + q), 0);
    }
  });
  node.finish();
  return 0;
}
