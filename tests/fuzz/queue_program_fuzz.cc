// SPDX-License-Identifier: Apache-2.0
// Queues that wait for, enable and calculate anything, loop or not: when they are configured anew,
// whatever they were doing is over.
#include "tests/fuzz/node_fuzz.h"

namespace {

using namespace torusmu;
using namespace torusmu::testing;
namespace d = layout::descriptor;
namespace f = registers::injection_queue::config_field;

constexpr std::uint32_t kQueues = 4, kFirst = 13, kSlots = 8;
constexpr Cycles kWhile = 3'000;  // that they run

Address ring_of(std::uint32_t queue) { return 0x40000 + queue * 0x400; }

// Few numbers, so that queues meet: queues 13 to 16, counters 0 to 3.
Descriptor any_descriptor(fuzz::Input& input) {
  constexpr std::array kOpcodes{Opcode::kWait,    Opcode::kSendEn, Opcode::kRecvEn, Opcode::kCalc,
                                Opcode::kCtrAdd,  Opcode::kCtrSet, Opcode::kPut,    Opcode::kSend,
                                Opcode::kReceive, Opcode::kPipe,   Opcode::kFence,  Opcode::kNop};
  auto any = Descriptor::from_bytes(input.take<std::array<std::uint8_t, Descriptor::kBytes>>());
  const Bytes length = any.get<d::length>() % 2048, offset = any.get<d::source_offset>();
  any.set<d::opcode>(kOpcodes[input.below(kOpcodes.size())])
      .set<d::length>(length)
      .set<d::source_region>(kSourceRegion.value + input.below(2))
      .set<d::source_offset>(offset % kRegionBytes)
      .set<d::event_counter>(any.get<d::event_counter>() % 4);
  return any;
}

void configure(Device& device, std::uint32_t queue, std::uint32_t bits) {
  device.write64(registers::injection_queue::config(queue), 0);
  device.write64(registers::injection_queue::base(queue), ring_of(queue));
  device.write64(registers::injection_queue::size(queue), kSlots);
  std::uint64_t config = queue_config(QueueMode::kDoorbell, kOwner, (bits & 1) != 0);
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
      node.store(ring_of(kFirst + q) + Address{k} * Descriptor::kBytes, any_descriptor(input));
    }
  }
  node.bench().start([&](Device& device) {
    for (std::uint32_t e = 0; e < 4; ++e) RawNode(device, kOwner).open_event({e});
    for (std::uint32_t q = 0; q < kQueues; ++q) configure(device, kFirst + q, bits >> (3 * q));
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
