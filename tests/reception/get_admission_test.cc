// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "Vmu_get_admission.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using RingSlots = Record<layout::ring_slots::Layout>;
namespace s = layout::ring_slots;

TEST(GetAdmission, AsksOnceAndPassesTheAnswerOn) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_get_admission> get(random.seed());
  for (int i = 0; i < 2000; ++i) {
    const auto queue = static_cast<std::uint8_t>(random.below(256));
    const auto count = static_cast<std::uint8_t>(1 + random.below(8));
    const std::uint64_t size = std::bit_ceil(std::uint64_t{count}) << random.below(22);
    const std::uint64_t position =
        random.chance(50) ? random.below(size) : size - 1 - random.below(count);
    const std::uint64_t base = random.below((1ULL << 40) - 64 * size + 1);
    const bool good = random.chance(70);
    ASSERT_TRUE(get->idle_o);
    get->queue_i = queue;
    get->count_i = count;
    get->reflected_i = random.chance(50);
    get->start_i = 1;
    get.tick();
    get->start_i = 0;
    for (std::uint64_t wait = random.below(4);; --wait) {
      get->get_reserve_ready_i = wait == 0;
      get.settle();
      ASSERT_TRUE(get->get_reserve_valid_o);
      ASSERT_EQ(get->get_reserve_queue_o, queue);
      ASSERT_EQ(get->get_reserve_count_o, count);
      ASSERT_EQ(get->get_reserve_reflected_o, get->reflected_i);
      get.tick();
      if (wait == 0) break;
    }
    get->get_reserve_ready_i = 0;
    for (std::uint64_t wait = random.below(4); wait > 0; --wait) {
      get.settle();
      ASSERT_FALSE(get->get_reserve_valid_o || get->admitted_o || get->refuse_o || get->idle_o);
      get.tick();
    }
    RingSlots slots;
    slots.set<s::base>(base).set<s::size>(size).set<s::position>(position);
    slots.set<s::status>(good ? Status::kOk : Status::kQueueFull);
    drive(get->get_slots_i, slots);
    get->get_slots_valid_i = 1;
    get.tick();
    get->get_slots_valid_i = 0;
    get.settle();
    ASSERT_FALSE(get->idle_o);
    ASSERT_EQ(get->admitted_o, good);
    ASSERT_EQ(get->refuse_o, !good);
    if (good) {
      const std::uint64_t first = std::min<std::uint64_t>(count, size - position);
      ASSERT_EQ(get->address_o, base + position * 64);
      ASSERT_EQ(get->first_count_o, first);
      ASSERT_EQ(get->split_o, first < count);
      ASSERT_EQ(get->second_address_o, base);
      ASSERT_EQ(get->second_count_o, count - first);
    } else {
      ASSERT_EQ(get->refuse_status_o, static_cast<unsigned>(Status::kQueueFull));
    }
    get.tick();
  }
}

TEST(GetAdmission, RefusesWithEveryStatusThatIsNotOk) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_get_admission> get(random.seed());
  for (unsigned status = 0; status < 256; ++status) {
    get->count_i = 1;
    get->start_i = 1;
    get.tick();
    get->start_i = 0;
    get->get_reserve_ready_i = 1;
    get.tick();
    get->get_reserve_ready_i = 0;
    const auto base = random.bits64() >> 24;
    drive(get->get_slots_i, RingSlots{}.set<s::base>(base).set<s::size>(8).set<s::status>(
                                static_cast<Status>(status)));
    get.settle();
    ASSERT_FALSE(get->admitted_o || get->refuse_o) << "no answer yet";
    get->get_slots_valid_i = 1;
    get.tick();
    get->get_slots_valid_i = 0;
    get.settle();
    ASSERT_EQ(get->admitted_o, status == 0) << status;
    ASSERT_EQ(get->refuse_o, status != 0) << status;
    ASSERT_EQ(get->refuse_status_o, status);
    ASSERT_EQ(get->second_address_o, base);
    get.tick();
    ASSERT_TRUE(get->idle_o);
  }
}

TEST(GetAdmission, IsIdleAndSilentUntilItIsStarted) {
  Clocked<Vmu_get_admission> get;
  get->count_i = 1;
  get->get_reserve_ready_i = 1;
  for (int cycle = 0; cycle < 5; ++cycle) {
    get.tick();
    ASSERT_TRUE(get->idle_o);
    ASSERT_FALSE(get->get_reserve_valid_o || get->admitted_o || get->refuse_o);
  }
  for (const bool waiting : {false, true}) {
    get->start_i = 1;
    get->get_reserve_ready_i = 0;
    get.tick();
    get->start_i = 0;
    get->get_reserve_ready_i = waiting;
    if (waiting) get.tick();
    get->get_reserve_ready_i = 0;
    get.settle();
    ASSERT_FALSE(get->idle_o);
    get.reset(1);
    ASSERT_TRUE(get->idle_o);
    ASSERT_FALSE(get->get_reserve_valid_o);
  }
}

TEST(GetAdmission, SeesACountThatNoGetMayHoldAsAnError) {
  for (const unsigned count : {0U, 9U, 15U}) {
    Clocked<Vmu_get_admission> get;
    get->count_i = static_cast<CData>(count);
    get->start_i = 1;
    get.tick();
    get->start_i = 0;
    EXPECT_THROW(get.tick(), std::runtime_error) << count;
  }
}

}  // namespace
}  // namespace torusmu::testing
