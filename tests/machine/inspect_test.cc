// SPDX-License-Identifier: Apache-2.0
// Looking into a machine whose programs have come to a bad end.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sim/machine/machine.h"
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

// An object that a program holds, and that must be gone while what it refers to is there.
struct Held {
  explicit Held(int& count) : held(count) { ++held; }
  ~Held() { --held; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  int& held;
};

TEST(MachineRun, LeavesNoProgramBehindThatHasNotEnded) {
  Machine machine(config_of());
  int held = 0;
  machine.add_core({0}, [&held](Device& device) {
    const Held one(held);
    device.compute(2 * kBound);
    throw std::runtime_error("it has gone on");
  });
  machine.add_core({1}, [&held](Device& device) {
    const Held one(held);
    device.write64(registers::node::send_retry_cycles(), 500);
    (void)device.read64(registers::node::identity());
    device.wait_interrupt({0}, kNever);
  });
  EXPECT_FALSE(machine.run(kBound).done);
  EXPECT_EQ(held, 0);
  EXPECT_EQ(machine.cores({0}).front()->state(), Core::State::kAbandoned);
  EXPECT_TRUE(machine.run(machine.now() + 3 * kBound).failure.empty());
}

TEST(MachineRun, LeavesNoProgramBehindWhenAnotherFails) {
  Machine machine(config_of());
  int held = 0;
  machine.add_core({0}, [&held](Device& device) {
    const Held one(held);
    (void)device.read64(registers::node::identity());  // its answer comes for nobody
  });
  machine.add_core({1}, [](Device& device) {
    device.compute(81);
    throw std::runtime_error("no");
  });
  EXPECT_TRUE(machine.run(kBound).broken);
  EXPECT_EQ(held, 0);
  bool ended = false;
  EXPECT_EQ(identities(machine, &ended), (std::vector<std::uint64_t>(2, registers::kSignature)));
  EXPECT_TRUE(ended);
}

TEST(MachineRun, LeavesNoProgramBehindWhenItIsStopped) {
  MachineConfig config = config_of();
  config.stop_at = 100;
  Machine machine(config);
  int held = 0;
  machine.add_core({0}, [&held](Device& device) {
    const Held one(held);
    device.compute(kBound);
  });
  EXPECT_THROW(machine.run(kBound), Stopped);
  EXPECT_EQ(held, 0);
}

TEST(MachineInspection, LeavesNoProgramBehind) {
  Machine machine(config_of());
  int held = 0;
  EXPECT_FALSE(machine.inspect(
      [&held](Device& device) {
        const Held one(held);
        device.compute(2 * kBound);
      },
      kBound));
  EXPECT_EQ(held, 0);
}

TEST(MachineInspection, EndsIfItTakesTooLong) {
  Machine machine(config_of());
  const Cycles start = machine.now();
  EXPECT_FALSE(machine.inspect([](Device& device) { device.compute(2 * kBound); }, kBound));
  EXPECT_EQ(machine.now(), start + kBound);
}

}  // namespace
}  // namespace torusmu::testing
