// SPDX-License-Identifier: Apache-2.0
// Looking into a machine whose programs have come to a bad end.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sim/machine.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kBound = 10'000;

MachineConfig config_of() {
  MachineConfig config;
  config.engine.shape = {2, 1, 1};
  config.memory_size = Bytes{1} << 20;
  return config;
}

std::vector<std::uint64_t> identities(Machine& machine, bool* ended) {
  std::vector<std::uint64_t> read(machine.shape().nodes());
  *ended = machine.inspect(
      [&read](Device& device) {
        for (int i = 0; i < 100; ++i) {
          read.at(device.node().value) = device.read64(registers::node::identity());
        }
      },
      kBound);
  for (std::uint64_t& value : read) value &= 0xffffffff;
  return read;
}

TEST(MachineInspection, ReadsRegistersThoughACoreHasFailed) {
  Machine machine(config_of());
  machine.add_core({0}, [](Device&) { throw std::runtime_error("no"); });
  EXPECT_TRUE(machine.run(kBound).broken);
  bool ended = false;
  EXPECT_EQ(identities(machine, &ended), (std::vector<std::uint64_t>(2, registers::kSignature)));
  EXPECT_TRUE(ended);
}

TEST(MachineInspection, ReadsRegistersBesideACoreThatWaits) {
  Machine machine(config_of());
  machine.add_core({0}, [](Device& device) { device.wait_interrupt({0}, kNever); });
  EXPECT_FALSE(machine.run(kBound).done);
  bool ended = false;
  EXPECT_EQ(identities(machine, &ended), (std::vector<std::uint64_t>(2, registers::kSignature)));
  EXPECT_TRUE(ended);
}

TEST(MachineInspection, EndsIfItTakesTooLong) {
  Machine machine(config_of());
  const Cycles start = machine.now();
  EXPECT_FALSE(machine.inspect([](Device& device) { device.compute(2 * kBound); }, kBound));
  EXPECT_EQ(machine.now(), start + kBound);
}

}  // namespace
}  // namespace torusmu::testing
