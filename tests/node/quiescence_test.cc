// SPDX-License-Identifier: Apache-2.0
// quiescent_o is exact: while it is high and nothing comes in, a clock edge of every block changes
// no bit of the node. That is what lets the engine put nodes to sleep, and silicon stop their
// clocks.
#include <Vmu_gated_node.h>
#include <Vmu_gated_node___024root.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/machine/fast_node.h"
#include "sim/play/scenario/raw_node.h"
#include "tests/support/seed.h"

namespace torusmu {
namespace {

constexpr RegionId kSource{1}, kTarget{2};
constexpr QueueId kQueue{3};
constexpr FifoId kFifo{1};
constexpr EventId kEvent{0};
constexpr std::uint32_t kSlots = 16;

// Puts, FIFO packets, refusals and register accesses, with pauses in which the node falls asleep.
void busy_program(Device& device, testing::Random& random) {
  RawNode node(device);
  node.open_region(kSource, 0x10000, 0x10000, {.remote_write = false});
  node.open_region(kTarget, 0x30000, 0x10000);
  node.open_queue(kQueue, 0x1000, kSlots, QueueMode::kDoorbell);
  node.open_fifo(kFifo, 0x2000, 17, true);
  node.open_notices(0x3000, 8);
  node.open_event(kEvent);
  const std::array causes{Cause::kArrived, Cause::kNotice};
  node.enable_interrupts(causes);
  for (std::uint32_t i = 0; i < 60; ++i) {
    const Bytes length = 1 + random.below(1500);
    const Source source{kSource, random.below(4000), length};
    Descriptor descriptor = put_descriptor({0, 0, 0}, source, kTarget, random.below(4000),
                                           {.event = static_cast<int>(kEvent.value)});
    if (random.chance(40)) descriptor = fifo_descriptor({0, 0, 0}, source, kFifo, i, {});
    if (random.chance(10)) descriptor.set<layout::descriptor::length>(1ULL << 30);
    node.write_descriptor(0x1000, kSlots, i, descriptor);
    while (i + 1 - node.queue_head(kQueue) > kSlots) device.compute(50);
    node.ring_doorbell(kQueue, i + 1);
    if (random.chance(50)) device.compute(random.below(600));
    if (random.chance(30)) node.set_fifo_head(kFifo, node.fifo_tail(kFifo));
    if (random.chance(20)) node.clear_causes(~std::uint64_t{0});
  }
}

std::vector<unsigned char> state_of(Vmu_gated_node___024root& root) {
  std::vector<unsigned char> state(sizeof root);
  std::memcpy(state.data(), static_cast<const void*>(&root), state.size());
  return state;
}

// Clocks every block once, in a cycle of its own; then time stands where it was, so that what is
// computed from it alone is as before, and what is left are the bits that the edge has changed.
std::ptrdiff_t first_change_at_an_edge(FastNode& node) {
  Vmu_gated_node& model = node.model();
  Vmu_gated_node___024root& root = *model.rootp;
  model.eval();
  const std::vector<unsigned char> before = state_of(root);
  const auto now = root.now_i;
  root.now_i = now + 1;
#define FALL(bit, name) root.clk_##name##_i = 0;
  TORUSMU_CLOCKS(FALL)
  model.eval();
#define RISE(bit, name) root.clk_##name##_i = 1;
  TORUSMU_CLOCKS(RISE)
  model.eval();
  root.now_i = now;
  model.eval();
  const std::vector<unsigned char> after = state_of(root);
  const auto differ = std::mismatch(before.begin(), before.end(), after.begin());
  return differ.first == before.end() ? -1 : differ.first - before.begin();
}

TEST(Quiescence, NoBitChangesWhileTheNodeSleeps) {
  testing::Random random(21);
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  const Shape shape;
  NodeShell shell(shape, {0}, Bytes{1} << 20, {.random_extra = 10}, random.seed());
  FastNode node(&context, shape, 1, shell, "node");
  node.set_gating(false);
  const Core& core = shell.add_core(
      {}, [&random](Device& device) { busy_program(device, random); }, 1);
  unsigned slept = 0, busy = 0;
  // The first edge asleep lets flags of Verilator's fall, which stand for a write to a memory.
  bool clocked_asleep = false;
  Cycles t = 1;
  for (; core.state() == Core::State::kRunning && t < 1'000'000; ++t) {
    const bool settled = clocked_asleep;
    clocked_asleep = node.asleep();
    if (node.asleep() && settled) {
      ++slept;
      ASSERT_EQ(first_change_at_an_edge(node), -1)
          << "cycle " << t << ": the byte of the model that changed";
    } else {
      ++busy;
    }
    node.begin_window(t, t);
    node.step(t);
  }
  EXPECT_EQ(core.state(), Core::State::kDone) << core.failure() << " in cycle " << t;
  EXPECT_GT(slept, 1000U);
  EXPECT_GT(busy, 1000U);

  // The comparison itself: a node with work does change.
  const auto step_until = [&](const auto& over) {
    for (const Cycles end = t + 100'000; t != end && !over(); ++t) {
      node.begin_window(t, t);
      node.step(t);
    }
  };
  step_until([&] { return node.asleep(); });
  shell.add_core(
      {}, [](Device& device) { (void)device.read64(0x20000); }, t);
  step_until([&] { return node.model().s_axil_arvalid != 0; });
  EXPECT_NE(first_change_at_an_edge(node), -1);
}

}  // namespace
}  // namespace torusmu
