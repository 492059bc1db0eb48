// SPDX-License-Identifier: Apache-2.0
// Notices that find the ring full while the library reads it, on the reference model: no fence may
// end as if nothing had been refused.
#include <gtest/gtest.h>

#include "tests/host/job.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kPatience = 1'000'000;
constexpr std::uint32_t kSlots = 64;
constexpr Bytes kBytes = 8;

struct Outcome {
  std::error_code fence;
  std::uint64_t dropped = 0;  // notices, by the MU
};

// One context fills the ring with notices of refused puts; then the other one has a put refused
// while it reads them, and fences.
Outcome fence_behind_a_full_ring(std::uint64_t seed, bool asks_for_discards) {
  JobOptions options;
  options.machine.shape = shape_of(2);
  options.machine.seed = seed;
  options.machine.most_delay = 800;
  options.plan.contexts = 2;
  options.plan.notice_slots = kSlots;
  Job job(options);
  Outcome outcome;
  EXPECT_EQ(job.run([&](Context& context) {
    Device& device = context.device();
    if (context.task() == Task{1}) return require(context.linger(200'000), "linger");
    const RemoteMemory closed{Task{1}, context.plan().library_region({0}), 0};
    const Address from = require(context.take_heap(kBytes), "heap");
    PutOptions injected;
    injected.notify = Notify::kInjected;
    const auto put = [&] { return require(context.put(closed, from, kBytes, injected), "put"); };
    while (context.now() < 30'000) device.compute(10);
    if (context.id().value == 1) {
      for (std::uint32_t i = 0; i < kSlots; ++i) put();
      while (context.now() < 200'000) {
        device.compute(60);
        if (asks_for_discards) require(context.discards().error(), "discards");
      }
      return;
    }
    device.compute(60'000);
    put();
    context.advance();
    const auto fence = require(context.fence(Task{1}), "fence");
    outcome.fence = require(context.wait(fence, context.now() + kPatience), "wait").error;
    outcome.dropped = device.read64(registers::node::dropped_replies());
  }),
            "");
  return outcome;
}

void expect_no_good_fence(bool asks_for_discards) {
  unsigned dropped = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Outcome outcome = fence_behind_a_full_ring(seed, asks_for_discards);
    if (outcome.dropped != 0) ++dropped;
    EXPECT_TRUE(outcome.fence == Errc::kNoticesLost || outcome.fence == Errc::kRefused)
        << "seed " << seed << ": " << outcome.fence.message() << ", " << outcome.dropped
        << " notices dropped";
  }
  // Whoever asks for discards reads the ring, which has room then.
  if (!asks_for_discards) {
    EXPECT_GT(dropped, 5U) << "the ring was not full";
  }
}

TEST(LostNotices, AreKnownToAFenceWhenTheyComeWhileTheRingIsRead) { expect_no_good_fence(false); }

TEST(LostNotices, AreKnownToAFenceThoughAnotherContextAsksForDiscards) {
  expect_no_good_fence(true);
}

}  // namespace
}  // namespace torusmu::testing
