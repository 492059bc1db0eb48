// SPDX-License-Identifier: Apache-2.0
// Counts of a node that has been at work for long, and that no random test of descriptors or
// packets comes by.
#include <gtest/gtest.h>

#include "tests/support/boot_buffer_fixture.h"
#include "tests/support/every_client.h"

namespace torusmu::testing {
namespace {

TEST(OldNode, DrainsBootBuffersWhoseSlotsHaveBeenCountedForLong) {
  Random random(20'002);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 4; ++round) {
    NodeJudge judge(anywhere(random));
    open_everything(judge.device(), false);
    open_for_every_client(judge, ClientNumbers(random), random);
    Device& device = judge.device();
    for (std::uint32_t c = 1; c < kSim.clients; ++c) {
      const FifoId keeper = boot_buffer_of({c});
      open_boot_buffer(device, {c});
      write_config(device, fifo_of({c}), {.boot = true, .owner = {c}, .keeper = keeper});
      OldNode(judge).age(keeper, random.bits64() & 0xFFFFFFFF,
                         static_cast<std::uint32_t>(random.bits64()));
      for (std::uint32_t i = 0; i < 20; ++i) {
        judge.deliver_sealed(
            fifo_packet(i, random.below(513), fifo_of({c}), {0, 1, 1}, judge.here()));
      }
    }
    judge.settle("nobody is there");
    for (std::uint32_t c = 1; c < kSim.clients; ++c) {
      const FifoId keeper = boot_buffer_of({c});
      write_config(device, fifo_of({c}),
                   {.enable = true, .boot = true, .owner = {c}, .keeper = keeper});
    }
    judge.settle("all are there");
    ASSERT_EQ(judge.differences(), 0U);
  }
}

TEST(OldNode, ShowsWhatItsRouterHasCounted) {
  namespace reg = registers::performance;
  constexpr std::uint32_t kPorts = 7;
  Random random(20'003);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 6; ++round) {
    NodeBench bench({.seed = random.bits64()});
    // The lowest 7 bits of a count stand elsewhere, and are zero without traffic.
    auto& root = bench.node().root();
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      std::array<std::array<std::uint32_t, 2>, 3> counts{};  // of packets, flits, stalls
      for (auto& both : counts) {
        for (std::uint32_t& count : both)
          count = static_cast<std::uint32_t>(random.bits64()) & ~127U;
      }
      root.mu_gated_node__DOT__u_router__DOT__u_counters__DOT__first_q = 0;
      for (std::uint32_t kind = 0; kind < 6; ++kind) {
        root.mu_gated_node__DOT__u_router__DOT__u_counters__DOT__high[8 * kind + port] =
            counts[kind / 2][kind % 2] >> 7;
      }
      bench.run([&](Device& device) {
        for (std::uint32_t reply = 0; reply < 2; ++reply) {
          const std::uint32_t index = 2 * port + reply;
          EXPECT_EQ(device.read32(reg::packets(0, index)), counts[0][reply]) << index;
          EXPECT_EQ(device.read32(reg::flits(0, index)), counts[1][reply]) << index;
          EXPECT_EQ(device.read32(reg::stalls(0, index)), counts[2][reply]) << index;
        }
      });
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
