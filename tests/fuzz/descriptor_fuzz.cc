// SPDX-License-Identifier: Apache-2.0
// Descriptors, good, spoiled or of any 64 bytes, which software writes into a ring.
#include "tests/fuzz/meant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torusmu;
  using namespace torusmu::testing;
  namespace d = layout::descriptor;
  constexpr std::uint32_t kDescriptors = 12;
  constexpr Bytes kLongest = 4096;  // so that what is good ends soon
  fuzz::Input input(data, size);
  fuzz::FuzzedNode node;
  // Its own client's regions may be written on this client's behalf.
  node.allow(kSource, kRegionBytes);
  node.allow(kReadable, kRegionBytes);
  for (std::uint32_t tail = 0; tail < kDescriptors && !input.empty();) {
    for (std::uint32_t k = input.below(kRingSlots) + 1; k > 0 && !input.empty(); --k, ++tail) {
      auto any = fuzz::any_descriptor(input, 0, kEvent.value);
      if (any.get<d::length>() > kLongest && input.below(8) != 0)
        any.set<d::length>(any.get<d::length>() % kLongest);
      node.store(kDoorbellRing + Address{tail % kRingSlots} * Descriptor::kBytes, any);
    }
    node.bench().start([tail](Device& device) {
      device.write32(registers::client_page::queue_index(kOwner.value, kDoorbellQueue.value), tail);
    });
    // A queue that waits for ever is a good end too; that of a client that configures it anew.
    node.settle();
  }
  node.bench().run([](Device& device) {
    device.write64(registers::injection_queue::config(kDoorbellQueue.value), 0);
  });
  node.finish();
  return 0;
}
