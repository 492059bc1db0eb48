// SPDX-License-Identifier: Apache-2.0
// Sizes of a plan: whatever is asked for lies in the memory without overlap, or is refused with the
// option and its range.
#include "torusmu/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "host/src/segment_layout.h"
#include "tests/host/job.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Bytes kMemory = Bytes{1} << 30;

Result<NodePlan> plan_of(const PlanOptions& options, Bytes memory = kMemory) {
  return NodePlan::make({2, 1, 1}, kSim, memory, options);
}

struct BadOption {
  const char* name;
  std::uint64_t value;
  std::string range;
  std::function<void(PlanOptions&, std::uint64_t)> set;
};
template <typename T>
std::function<void(PlanOptions&, std::uint64_t)> setter(T PlanOptions::*option) {
  return [option](PlanOptions& options, std::uint64_t value) {
    options.*option = static_cast<T>(value);
  };
}

TEST(Plan, LeavesTheEndOfTheAddressSpaceToTheUnitsMemory) {
  constexpr Bytes kAll = Bytes{1} << 40;
  PlanOptions options;
  const Address end = plan_of(options, kAll).value().end();
  options.base = (unit_memory_base(kSim) - end) / 4096 * 4096;
  EXPECT_TRUE(plan_of(options, kAll));
  options.base += 4096;
  EXPECT_FALSE(plan_of(options, kAll));
}

TEST(Plan, RoundsRingsUpToAPowerOfTwo) {
  std::uint32_t PlanOptions::*const rings[] = {
      &PlanOptions::queue_slots,   &PlanOptions::get_slots,        &PlanOptions::fifo_slots,
      &PlanOptions::reply_slots,   &PlanOptions::notice_slots,     &PlanOptions::reflection_slots,
      &PlanOptions::offload_slots, &PlanOptions::queue_pair_slots, &PlanOptions::completion_entries,
      &PlanOptions::push_slots,    &PlanOptions::segment_lines,    &PlanOptions::store_entries};
  PlanOptions options;
  for (const auto ring : rings) options.*ring = 33;
  auto plan = plan_of(options);
  ASSERT_TRUE(plan) << plan.message();
  for (const auto ring : rings) EXPECT_EQ(plan->options().*ring, 64U);
}

TEST(Plan, KeepsRingsThatArePowersOfTwo) {
  PlanOptions options;
  options.queue_slots = 65536;
  options.reflection_slots = 0;
  auto plan = plan_of(options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->options().queue_slots, 65536U);
  EXPECT_EQ(plan->options().reflection_slots, 0U);
}

TEST(Plan, NamesEachOptionThatIsOutOfItsRange) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
  const BadOption bad[] = {
      {"clients", 0, "1 to ", setter(&PlanOptions::clients)},
      {"contexts", 17, "1 to 16", setter(&PlanOptions::contexts)},
      {"queue_slots", 3, "4 to 65536", setter(&PlanOptions::queue_slots)},
      {"queue_slots", 0xFFFFFFFF, "4 to 65536", setter(&PlanOptions::queue_slots)},
      {"get_slots", 0, "1 to 65536", setter(&PlanOptions::get_slots)},
      {"fifo_slots", 31, "32 to 65536", setter(&PlanOptions::fifo_slots)},
      {"reply_slots", 65537, "32 to 65536", setter(&PlanOptions::reply_slots)},
      {"mailboxes", 0, "1 to 65536", setter(&PlanOptions::mailboxes)},
      {"store_entries", 65537, "0 to 65536", setter(&PlanOptions::store_entries)},
      {"notice_slots", 0, "1 to 65536", setter(&PlanOptions::notice_slots)},
      {"reflection_slots", 129, "0 to 128", setter(&PlanOptions::reflection_slots)},
      {"offload_slots", 3, "4 to 65536", setter(&PlanOptions::offload_slots)},
      {"queue_pairs", 65537, "0 to 65536", setter(&PlanOptions::queue_pairs)},
      {"dynamic_pairs", 65537, "0 to 65536", setter(&PlanOptions::dynamic_pairs)},
      {"queue_pair_slots", 0, "1 to 65536", setter(&PlanOptions::queue_pair_slots)},
      {"completion_entries", 0, "1 to 65536", setter(&PlanOptions::completion_entries)},
      {"segment_lines", 65537, "0 to 65536", setter(&PlanOptions::segment_lines)},
      {"push_slots", 65537, "0 to 65536", setter(&PlanOptions::push_slots)},
      {"boot_buffers", 2, "0 to 1", setter(&PlanOptions::boot_buffers)},
      {"boot_slots", 16, "0 or 32 to 65536", setter(&PlanOptions::boot_slots)},
      {"boot_slots", 65537, "0 to 65536", setter(&PlanOptions::boot_slots)},
      {"buffer_bytes", 4095, "4096 to ", setter(&PlanOptions::buffer_bytes)},
      {"buffer_bytes", kHuge, "4096 to ", setter(&PlanOptions::buffer_bytes)},
      {"buffer_bytes", kAll, "4096 to ", setter(&PlanOptions::buffer_bytes)},
      {"heap_bytes", kHuge, "0 to 137438953472", setter(&PlanOptions::heap_bytes)},
      {"heap_bytes", kHuge / 2, "0 to 137438953472", setter(&PlanOptions::heap_bytes)},
      {"heap_bytes", kAll, "0 to 137438953472", setter(&PlanOptions::heap_bytes)},
      {"offload_window", kHuge, "0 to ", setter(&PlanOptions::offload_window)},
      {"offload_window", kAll, "0 to ", setter(&PlanOptions::offload_window)},
      {"base", kAll - 4095, "0 to ", setter(&PlanOptions::base)},
      {"base", 100, "a multiple of 4096", setter(&PlanOptions::base)},
  };
  for (const BadOption& one : bad) {
    PlanOptions options;
    one.set(options, one.value);
    const auto plan = plan_of(options);
    const std::string said = one.name + std::string(" is ") + std::to_string(one.value) + ": must";
    EXPECT_EQ(plan.error(), Errc::kBadArgument) << said;
    EXPECT_THAT(plan.message(), AllOf(HasSubstr(said), HasSubstr(one.range)));
  }
}

TEST(Plan, NamesTheResourceThatTheNodeHasTooLittleOf) {
  const auto said = [](const PlanOptions& options, Bytes memory = kMemory) {
    const auto plan = plan_of(options, memory);
    EXPECT_EQ(plan.error(), Errc::kOutOfResources);
    return plan.message();
  };
  EXPECT_THAT(said({.clients = 1U << 31, .contexts = 2}), HasSubstr("2147483648 clients"));
  EXPECT_THAT(said({.boot_buffers = 1, .boot_slots = 1024}),
              HasSubstr("32768 bytes of the unit's own memory and the node has 16384"));
  Sizes without_engines = kSim;
  without_engines.calc_engines = 0;
  const PlanOptions copies{.boot_buffers = 1, .boot_copy = BootCopy::kByProcess};
  EXPECT_THAT(NodePlan::make({1, 1, 1}, without_engines, kMemory, copies).message(),
              HasSubstr("1 CALC engines and the node has 0: boot_copy by the unit"));
  EXPECT_THAT(NodePlan::make({1, 1, 1}, without_engines, kMemory, {.store_entries = 1}).message(),
              HasSubstr("1 CALC engines and the node has 0: no store_entries"));
  Sizes with_few_queues = kSim;
  with_few_queues.completion_queues = 3;
  const PlanOptions both{.contexts = 2, .store_entries = 1, .dynamic_pairs = 1};
  EXPECT_THAT(
      NodePlan::make({1, 1, 1}, with_few_queues, kMemory, both).message(),
      AllOf(HasSubstr("4 completion queues and the node has 3"), HasSubstr("no store_entries")));
  EXPECT_THAT(said({.queue_pairs = 100}), HasSubstr("injection queues and the node has"));
  EXPECT_THAT(said({.contexts = 16}), HasSubstr("fewer clients, contexts"));
  EXPECT_THAT(said({.heap_bytes = Bytes{1} << 37}),
              AllOf(HasSubstr("bytes of memory and the node has 1073741824"),
                    HasSubstr("smaller heap_bytes"), HasSubstr("the heaps take 137438953472")));
  EXPECT_THAT(said({.base = (Bytes{1} << 40) - 4096}), HasSubstr("bytes of memory"));
  EXPECT_THAT(said({}, 0), HasSubstr("the node has 0"));
  EXPECT_TRUE(plan_of({.offload_groups = 1}, Bytes{8} << 20));
  EXPECT_THAT(said({.offload_groups = 22}, Bytes{8} << 20), HasSubstr("or offload_groups"));
}

// Every range of a client.
std::vector<Range> ranges_of(const NodePlan& plan, ClientId c) {
  std::vector<Range> ranges{plan.notice_ring(c), plan.offload_area(c), plan.pushed_ring(c)};
  for (std::uint32_t k = 0; k < plan.options().contexts; ++k) {
    for (const Range& range :
         {plan.send_ring(c, {k}), plan.get_ring(c, {k}), plan.message_ring(c, {k}),
          plan.reply_ring(c, {k}), plan.mailboxes(c, {k}), plan.buffers(c, {k}), plan.heap(c, {k}),
          plan.completion_ring(c, {k}), plan.store_ring(c, {k})}) {
      ranges.push_back(range);
    }
  }
  for (std::uint32_t g = 0; g < plan.offload_groups(); ++g) {
    ranges.push_back(plan.offload_ring(c, g));
    if (plan.offload_sums_beside()) ranges.push_back(plan.offload_sum_ring(c, g));
  }
  for (std::uint32_t n = 0; n < plan.pairs(); ++n) {
    ranges.push_back(plan.pair_ring(c, n, NodePlan::End::kSend));
    ranges.push_back(plan.pair_ring(c, n, NodePlan::End::kReceive));
  }
  return ranges;
}

TEST(Plan, OfAnySizesLiesInTheMemoryWithoutOverlapOrIsRefused) {
  Random random;
  SCOPED_TRACE(random.replay());
  constexpr int kPlans = 20'000;
  int made = 0;
  const auto size = [&] {
    const std::uint64_t power = std::uint64_t{1} << random.below(64);
    switch (random.below(4)) {
      case 0:
        return power;
      case 1:
        return power - 1;
      case 2:
        return std::uint64_t{0} - power;
      default:
        return random.below(Bytes{1} << 20);
    }
  };
  for (int i = 0; i < kPlans; ++i) {
    PlanOptions options;
    options.clients = static_cast<std::uint32_t>(1 + random.below(4));
    options.contexts = static_cast<std::uint32_t>(1 + random.below(2));
    options.dynamic_pairs = static_cast<std::uint32_t>(random.below(3));
    options.offload_groups = static_cast<std::uint32_t>(random.below(3));
    options.segment_lines = static_cast<std::uint32_t>(random.below(100));
    options.push_slots = static_cast<std::uint32_t>(random.below(300));
    options.store_entries = static_cast<std::uint32_t>(random.below(300));
    if (random.chance(50)) options.heap_bytes = size();
    if (random.chance(50)) options.buffer_bytes = size();
    if (random.chance(50)) options.offload_window = size();
    if (random.chance(10)) options.base = size() / 4096 * 4096;
    const auto plan = plan_of(options);
    if (!plan) continue;
    ++made;
    std::vector<Range> ranges{plan.value().segment()};
    for (std::uint32_t c = 0; c < options.clients; ++c) {
      const auto its = ranges_of(plan.value(), {c});
      ranges.insert(ranges.end(), its.begin(), its.end());
      ASSERT_GE(plan.value().heap({c}, {0}).bytes, options.heap_bytes);
      ASSERT_GE(plan.value().buffers({c}, {0}).bytes, options.buffer_bytes);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.address < b.address; });
    Address end = options.base;
    for (const Range& range : ranges) {
      if (range.bytes == 0) continue;
      ASSERT_GE(range.address, end);
      ASSERT_TRUE((Range{0, kMemory}.holds(range.address, range.bytes)));
      end = range.address + range.bytes;
    }
    ASSERT_GE(plan.value().end(), end);
    ASSERT_LE(plan.value().end(), kMemory);
  }
  EXPECT_GT(made, kPlans / 20);
}

// The MU may read what lies there, for its client alone; nothing else of the client does.
TEST(Plan, HasARegionOverTheRingsOfEachClientThatStoresByTheMu) {
  const PlanOptions options{.clients = 2,
                            .contexts = 2,
                            .store_entries = 8,
                            .boot_buffers = 1,
                            .boot_copy = BootCopy::kByProcess};
  const NodePlan plan = plan_of(options).value();
  PlanOptions without = options;
  without.store_entries = 0;
  EXPECT_EQ(plan.user_regions() + 1, plan_of(without).value().user_regions());
  for (std::uint32_t c = 0; c < 2; ++c) {
    const Range rings = plan.rings({c});
    EXPECT_EQ(plan.rings_region({c}).value + 1, plan.user_region({c}, 0).value);
    EXPECT_EQ(plan.rings_region({c}).value, plan.boot_region({c}).value + 1);
    for (std::uint32_t k = 0; k < 2; ++k) {
      const Range ring = plan.message_ring({c}, {k});
      EXPECT_TRUE(rings.holds(ring.address, ring.bytes));
      EXPECT_EQ(plan.store_ring({c}, {k}).bytes, 8 * Bytes{kSim.completion_bytes});
      EXPECT_EQ(plan.store_completions({c}, {k}).value, kSim.completion_queues - 4 + 2 * c + k);
    }
    EXPECT_LE(rings.address + rings.bytes, plan.library({c}).address);
  }
}

TEST(Plan, GivesEachClientAPushedQueueOfItsOwn) {
  PlanOptions options{.clients = 2, .queue_pairs = 3, .dynamic_pairs = 1, .push_slots = 8};
  options.offload_groups = 100;
  auto plan = plan_of(options);
  ASSERT_TRUE(plan) << plan.message();
  std::vector<std::uint32_t> queues;
  for (const ClientId c : {ClientId{0}, ClientId{1}}) {
    queues.push_back(plan->pushed_queue(c).value);
    queues.push_back(plan->send_queue(c).value);
    queues.push_back(plan->get_queue(c).value);
    for (std::uint32_t g = 0; g < plan->offload_groups(); ++g) {
      queues.push_back(plan->offload_queue(c, g).value);
      if (plan->offload_sums_beside()) queues.push_back(plan->offload_sum_queue(c, g).value);
    }
    for (std::uint32_t n = 0; n < plan->pairs(); ++n) {
      queues.push_back(plan->pair_queue(c, n, NodePlan::End::kSend).value);
      queues.push_back(plan->pair_queue(c, n, NodePlan::End::kReceive).value);
    }
  }
  std::sort(queues.begin(), queues.end());
  EXPECT_EQ(std::adjacent_find(queues.begin(), queues.end()), queues.end()) << "one has two uses";
  EXPECT_GE(queues.front(), kSim.reflection_queues);
  EXPECT_LT(queues.back(), kSim.injection_queues);
  EXPECT_FALSE(plan_of({.clients = 4, .queue_pairs = 2, .push_slots = 8})) << "33 queues";
}

// Of 16 groups of a node of four processes, or 64 of one of sixteen, each has a queue and a counter
// of each window; a few have two queues and eight counters.
TEST(Plan, SharesQueuesAndCountersAmongTheGroupsThatAreAskedFor) {
  struct Share {
    Sizes sizes;
    std::uint32_t clients, asked, groups;
    bool sums_beside;
    std::uint32_t counters;
  };
  for (const Share& share : {Share{kSim, 1, 1, 1, true, 8}, Share{kSim, 1, 4, 4, true, 7},
                             Share{kSim, 4, 1, 1, true, 5}, Share{kSim, 4, 2, 2, true, 2},
                             Share{kSim, 4, 4, 4, false, 1}, Share{kSim, 4, 9, 4, false, 1},
                             Share{kBgp, 16, 1, 1, true, 5}, Share{kBgp, 16, 4, 4, false, 1}}) {
    const PlanOptions options{
        .clients = share.clients, .heap_bytes = 0, .offload_groups = share.asked};
    auto plan = NodePlan::make(Shape{2, 2, 2}, share.sizes, Bytes{256} << 20, options);
    ASSERT_TRUE(plan) << plan.message();
    SCOPED_TRACE(std::to_string(share.clients) + " clients, " + std::to_string(share.asked));
    EXPECT_EQ(plan->offload_groups(), share.groups);
    EXPECT_EQ(plan->offload_sums_beside(), share.sums_beside);
    EXPECT_EQ(plan->offload_counters(), share.counters);
    std::vector<std::uint32_t> events;
    for (std::uint32_t c = 0; c < share.clients; ++c) {
      events.push_back(plan->event_counter({c}, 0).value);
      events.push_back(plan->fence_event({c}).value);
      for (std::uint32_t g = 0; g < share.groups; ++g) {
        for (std::uint32_t n = 0; n < share.counters; ++n) {
          events.push_back(plan->offload_event({c}, g, 0, n).value);
          events.push_back(plan->offload_event({c}, g, 1, n).value);
        }
      }
    }
    std::sort(events.begin(), events.end());
    EXPECT_EQ(std::adjacent_find(events.begin(), events.end()), events.end()) << "one has two uses";
    EXPECT_LT(events.back(), share.sizes.event_counters);
  }
}

// Each has a counter of both windows, or there is no such group.
TEST(Plan, HasNoMoreGroupsThanCountersForBothWindows) {
  auto plan = plan_of({.event_counters = 40, .offload_groups = 100});
  EXPECT_EQ(plan->offload_groups(), (kSim.event_counters - 40 - 1) / 2);
  EXPECT_EQ(plan->offload_counters(), 1U);
  auto none = plan_of({.event_counters = 62, .offload_groups = 100});
  EXPECT_EQ(none->offload_groups(), 0U);
}

TEST(Plan, HasASegmentIfEndpointsOfANodeCanShareIt) {
  const auto has = [](const PlanOptions& options) { return plan_of(options)->has_segment(); };
  EXPECT_TRUE(has({.clients = 2}));
  EXPECT_TRUE(has({.contexts = 2}));
  EXPECT_FALSE(has({})) << "one endpoint";
  EXPECT_FALSE(has({.clients = 2, .segment_lines = 0}));
}

TEST(Plan, SegmentHasAWordAndARingForEachPairOfEndpointsWithoutOverlap) {
  for (const std::uint32_t contexts : {1U, 2U}) {
    auto plan = plan_of({.clients = 2, .contexts = contexts, .segment_lines = 8});
    ASSERT_TRUE(plan) << plan.message();
    const SegmentLayout layout(plan.value());
    std::vector<Range> ranges;
    for (std::uint32_t area = 0; area < 2 * contexts; ++area) {
      ranges.push_back({layout.asleep(area), SegmentLayout::kWord});
      for (std::uint32_t of = 0; of < 2 * contexts; ++of) {
        for (const Address word :
             {layout.tail(area, of), layout.fences(area, of), layout.head(area, of)}) {
          EXPECT_TRUE(layout.words(area).holds(word, SegmentLayout::kWord));
          ranges.push_back({word, SegmentLayout::kWord});
        }
        EXPECT_TRUE(layout.tails(area).holds(layout.tail(area, of), SegmentLayout::kWord));
        ranges.push_back(layout.ring(area, of));
        EXPECT_EQ(ranges.back().bytes, 8 * SegmentLayout::kLine);
      }
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.address < b.address; });
    Address end = plan->segment().address;
    for (const Range& range : ranges) {
      EXPECT_GE(range.address, end);
      EXPECT_TRUE(plan->segment().holds(range.address, range.bytes));
      end = range.address + range.bytes;
    }
  }
}

TEST(Heap, OfMoreBytesThanThereAreNamesThem) {
  JobOptions options;
  options.machine.shape = {1, 1, 1};
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    for (const Bytes bytes : {~Bytes{0}, ~Bytes{0} - 62, Bytes{1} << 63, Bytes{1} << 30}) {
      const auto heap = context.take_heap(bytes);
      check(heap.error() == Errc::kOutOfResources, "taken");
      check(heap.message().find(std::to_string(bytes) + " bytes") != std::string::npos, "bytes");
      check(heap.message().find("heap_bytes in the plan") != std::string::npos, "what would help");
    }
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing
