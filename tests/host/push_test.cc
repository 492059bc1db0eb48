// SPDX-License-Identifier: Apache-2.0
// Contexts of a client that push descriptors into one queue: the MU gives each the first free slot.
#include <gtest/gtest.h>

#include "tests/host/one_sided.h"

namespace torusmu::testing {
namespace {

constexpr std::uint32_t kPushes = 20;  // of a context
constexpr Bytes kBytes = 8;

JobOptions pushing(std::uint32_t contexts, std::uint32_t slots) {
  JobOptions options = shape({2, 1, 1});
  options.plan.contexts = contexts;
  options.plan.push_slots = slots;
  return options;
}

PutOptions with(EventId event) {
  PutOptions options;
  options.event = event;
  return options;
}

// Tries again while somebody else is inserting, or the queue is full. Returns how often it tried.
std::uint32_t push(Context& context, const Descriptor& descriptor) {
  for (std::uint32_t tries = 1;; ++tries) {
    const std::error_code error = context.push(descriptor);
    if (error != Errc::kAgain) return require(error, "push"), tries;
    require(context.advance(), "advance");
    context.device().compute(20);
  }
}

std::uint32_t events(Context& context, EventId event) {
  return context.device().read32(registers::client_page::event_counter(0, event.value));
}

TEST(Pushes, OfSeveralContextsAreEachRunOnce) {
  constexpr std::uint32_t kContexts = 2;
  Job job(pushing(kContexts, 4));
  const NodePlan& plan = job.plan();
  const EventId arrived = plan.event_counter({0}, 0);
  std::uint32_t refused = 0;
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    const std::uint32_t k = context.id().value;
    // The heap of both tasks is the same; each context of the other has a part of it.
    const Address window = plan.heap({0}, {0}).address + 4096;
    for (std::uint32_t i = 0; i < kPushes; ++i) {
      const Address data = put_into_heap(context, pattern(self * 1000 + k * 100 + i, kBytes));
      const RemoteMemory to{{1 - self}, plan.heap_region({0}), 4096 + (k * kPushes + i) * kBytes};
      const auto put = context.describe_put(to, data, kBytes, with(arrived));
      refused += push(context, require(put, "describe")) - 1;
    }
    const auto all_are_here = [&] { return events(context, arrived) == kContexts * kPushes; };
    require(context.advance_until(all_are_here, context.now() + 1'000'000), "arrivals");
    for (std::uint32_t n = 0; n < kContexts * kPushes; ++n) {
      const std::uint64_t seed = (1 - self) * 1000 + n / kPushes * 100 + n % kPushes;
      check(get_from(context, window + n * kBytes, kBytes) == pattern(seed, kBytes), "bytes");
    }
  }),
            "");
  EXPECT_GT(refused, 0U) << "the queue was never full";
}

// What one context has inserted behind the WAIT of another waits with it.
TEST(Pushes, AreRunInTheOrderInWhichTheyWereInserted) {
  Job job(pushing(2, 8));
  const NodePlan& plan = job.plan();
  const EventId go = plan.event_counter({0}, 0);
  const EventId arrived = plan.event_counter({0}, 1);
  bool is_held = false;
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value != 0) return;
    if (context.id().value == 0) {
      push(context, context.wait_for_event(go, 1));
      is_held = true;
      return;
    }
    while (!is_held) context.device().compute(100);
    const Address data = put_into_heap(context, pattern(1, kBytes));
    const RemoteMemory self = require(context.name_memory(data, kBytes), "name");
    const auto put = context.describe_put(self, data, kBytes, with(arrived));
    push(context, require(put, "describe"));
    context.device().compute(20'000);
    check(events(context, arrived) == 0, "it did not wait");
    require(context.post_increment({0}, go), "go");
    const auto is_here = [&] { return events(context, arrived) == 1; };
    require(context.advance_until(is_here, context.now() + 100'000), "arrival");
  }),
            "");
}

TEST(Pushes, NeedAPushedQueueAndNoSequenceNumber) {
  for (const std::uint32_t slots : {0U, 8U}) {
    Job job(pushing(1, slots));
    EXPECT_EQ(job.run([&](Context& context) {
      if (context.task().value != 0) return;
      Descriptor nop;
      nop.set<layout::descriptor::opcode>(Opcode::kNop);
      check(context.push(nop) ==
                (slots == 0 ? make_error_code(Errc::kBadArgument) : std::error_code()),
            "queue");
      nop.set<layout::descriptor::sequence_number>(1);
      check(context.push(nop) == Errc::kBadArgument, "sequence number");
    }),
              "");
  }
}

}  // namespace
}  // namespace torusmu::testing
