// SPDX-License-Identifier: Apache-2.0
// Register accesses to any address with any value: each is answered, and the node comes to rest.
#include "tests/fuzz/node_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torusmu;
  constexpr std::uint32_t kAccesses = 48;
  constexpr std::uint32_t kSpace = 1 << 20;
  fuzz::Input input(data, size);
  testing::NodeBench bench({.seed = 1});
  const auto play = [&](Device& device) {
    testing::open_everything(device, false);
    for (std::uint32_t n = 0; n < kAccesses && !input.empty(); ++n) {
      const auto kind = input.below(4);
      // Every second address is one of a register that can be read.
      const auto any = input.take<std::uint32_t>();
      const auto& known = testing::readable_registers();
      const std::uint32_t address =
          any % 2 != 0 ? known[any / 2 % known.size()] : any / 2 % kSpace & ~3U;
      const auto value = input.take<std::uint64_t>();
      if (kind == 0) (void)device.read32(address);
      if (kind == 1) (void)device.read64(address & ~7U);
      if (kind == 2) device.write32(address, static_cast<std::uint32_t>(value));
      if (kind == 3) device.write64(address & ~7U, value);
    }
    fuzz::require(static_cast<std::uint32_t>(device.read64(registers::node::identity())) ==
                      registers::kSignature,
                  "the node does not say what it is any more");
  };
  try {
    bench.run(play);
  } catch (const std::exception& error) {
    fuzz::require(false, error.what());
  }
  return 0;
}
