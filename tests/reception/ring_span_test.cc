// SPDX-License-Identifier: Apache-2.0
// model: Vmu_ring_span_descriptors mu_ring_span -GSLOT_BYTES_LOG2=6

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_ring_span.h"
#include "Vmu_ring_span_descriptors.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// All positions of all small rings, their ends among them, places far before the end, and random
// ones up to the largest ring.
template <typename Model>
void compare_with_addresses(unsigned slot_bytes, unsigned most_slots) {
  Random random;
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  Model span(&context);
  const auto compare = [&](std::uint64_t base, std::uint64_t size, std::uint64_t position,
                           std::uint64_t slots) {
    span.enable_i = 1;
    span.base_i = base;
    span.size_i = static_cast<std::uint32_t>(size);
    span.position_i = static_cast<std::uint32_t>(position);
    span.slots_i = static_cast<std::uint8_t>(slots);
    span.eval();
    const std::uint64_t first = std::min(slots, size - position);
    ASSERT_EQ(span.address_o, base + position * slot_bytes);
    ASSERT_EQ(span.bytes_o, first * slot_bytes);
    ASSERT_EQ(span.split_o, slots > first);
    ASSERT_EQ(span.second_bytes_o, (slots - first) * slot_bytes);
    span.enable_i = 0;
    span.eval();
    ASSERT_EQ(span.address_o | span.bytes_o | span.split_o | span.second_bytes_o, 0U);
  };
  for (std::uint64_t size = 1; size <= 24; ++size) {
    for (std::uint64_t position = 0; position <= size; ++position) {
      for (std::uint64_t slots = 1; slots <= std::min<std::uint64_t>(size, most_slots); ++slots) {
        compare(0x12345, size, position, slots);
      }
    }
  }
  // Ends that are far away, whose distance is a short run in its low bits.
  for (unsigned bit = 5; bit < 24; ++bit) {
    for (std::uint64_t low = 0; low < most_slots; ++low) {
      const std::uint64_t to_end = (1ULL << bit) + low;
      const std::uint64_t position = random.below((1ULL << 24) - to_end + 1);
      for (std::uint64_t slots = 1; slots <= most_slots; ++slots) {
        compare(0x12345, position + to_end, position, slots);
      }
    }
  }
  for (std::uint64_t slots = 1; slots <= most_slots; ++slots) compare(0x12345, 1U << 24, 0, slots);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t size = most_slots + random.below((1U << 24) - most_slots) + 1;
    const std::uint64_t base = random.below((1ULL << 40) - size * slot_bytes);
    const std::uint64_t position =
        random.chance(50) ? size - 1 - random.below(most_slots) : random.below(size);
    compare(base, size, position, 1 + random.below(most_slots));
  }
}

TEST(RingSpan, CutsARunOfFifoSlotsAtTheEndOfTheRing) {
  compare_with_addresses<Vmu_ring_span>(32, 17);
}

TEST(RingSpan, CutsARunOfDescriptorsAtTheEndOfTheRing) {
  compare_with_addresses<Vmu_ring_span_descriptors>(64, 8);
}

}  // namespace
}  // namespace torusmu::testing
