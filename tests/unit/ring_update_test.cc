// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "Vmu_ring_update.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// A ring with registers around the module under test. Indices begin shortly before they wrap.
struct Ring {
  std::uint32_t head = 0xFFFFFFF0U, fetch = head, published = head, reserved = head;
  std::uint32_t fetch_position = 0, reserve_position = 0;
  std::uint32_t size;
  Vmu_ring_update model;

  explicit Ring(std::uint32_t slots) : size(slots) {}

  void apply(std::uint8_t& operation) {
    operation = 1;
    model.size_i = size;
    model.head_i = head;
    model.fetch_index_i = fetch;
    model.published_i = published;
    model.reserved_i = reserved;
    model.fetch_position_i = fetch_position;
    model.reserve_position_i = reserve_position;
    model.eval();
    operation = 0;
    head = model.head_o;
    fetch = model.fetch_index_o;
    published = model.published_o;
    reserved = model.reserved_o;
    fetch_position = model.fetch_position_o;
    reserve_position = model.reserve_position_o;
  }
};

TEST(RingUpdate, TakesDoorbellsUpToTheSizeAndNeverBackwards) {
  for (const std::uint32_t size : {1U, 2U, 3U, 1U << 24}) {
    Ring ring(size);
    const auto doorbell = [&ring](std::uint32_t tail) {
      ring.model.index_i = tail;
      ring.apply(ring.model.doorbell_i);
      return ring.model.accept_o != 0;
    };
    EXPECT_FALSE(doorbell(ring.head + size + 1));
    EXPECT_FALSE(doorbell(ring.head - 1));
    EXPECT_EQ(ring.published, ring.head) << "refused: unchanged";
    EXPECT_TRUE(doorbell(ring.head + 1));
    EXPECT_TRUE(doorbell(ring.head + 1));
    EXPECT_FALSE(doorbell(ring.head));
    EXPECT_TRUE(doorbell(ring.head + size));
    EXPECT_EQ(ring.published, ring.head + size);
    EXPECT_EQ(ring.reserved, ring.published);
  }
}

TEST(RingUpdate, KeepsIndicesAndPositionsThroughRandomWork) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 40; ++round) {
    Ring ring(static_cast<std::uint32_t>(1 + random.below(20)));
    std::map<std::uint32_t, std::uint32_t> slots;  // of each reserved index
    std::uint32_t next_slot = 0;
    for (int step = 0; step < 400; ++step) {
      switch (random.below(5)) {
        case 0: {
          const auto count = static_cast<std::uint32_t>(1 + random.below(8));
          const bool fits = ring.reserved - ring.head + count <= ring.size;
          const std::uint32_t first = ring.reserved;
          EXPECT_EQ(ring.reserve_position, next_slot);
          ring.model.count_i = static_cast<std::uint8_t>(count);
          ring.apply(ring.model.reserve_i);
          ASSERT_EQ(ring.model.accept_o != 0, fits);
          if (!fits) break;
          ASSERT_EQ(ring.reserved, first + count);
          for (std::uint32_t i = 0; i < count; ++i) {
            slots[first + i] = next_slot;
            next_slot = (next_slot + 1) % ring.size;
          }
          break;
        }
        case 1:
          if (ring.reserved == ring.published) break;
          ring.model.count_i = 1;
          ring.apply(ring.model.publish_i);
          break;
        case 2:
          if (ring.fetch == ring.published) break;
          ASSERT_EQ(ring.fetch_position, slots[ring.fetch]) << "the slot that was reserved for it";
          ring.apply(ring.model.fetch_i);
          break;
        case 3:
          if (ring.head == ring.fetch) break;
          ring.model.index_i = ring.head;
          ring.apply(ring.model.retire_i);
          break;
        default:
          if (ring.head == ring.fetch) break;
          ring.model.index_i =
              ring.head + static_cast<std::uint32_t>(random.below(ring.fetch - ring.head));
          ring.model.position_i = slots[ring.model.index_i];
          ring.apply(ring.model.rewind_i);
          EXPECT_EQ(ring.fetch, ring.model.index_i);
      }
      ASSERT_LE(ring.fetch - ring.head, ring.published - ring.head);
      ASSERT_LE(ring.published - ring.head, ring.reserved - ring.head);
      ASSERT_LE(ring.reserved - ring.head, ring.size);
    }
  }
}

TEST(RingUpdate, LeavesNothingToFetchBehindAHalt) {
  Ring ring(8);
  ring.published = ring.reserved = ring.head + 5;
  ring.fetch = ring.head + 4;
  ring.model.index_i = ring.head;
  ring.model.halt_i = 1;
  ring.apply(ring.model.retire_i);
  EXPECT_EQ(ring.head, 0xFFFFFFF1U);
  EXPECT_EQ(ring.fetch, ring.head);
}

TEST(RingUpdate, PostsALoopAgainAsItIsDone) {
  Ring ring(4);
  ring.model.cyclic_i = 1;
  ring.published = ring.reserved = ring.head + 4;
  ring.fetch = ring.head + 3;
  ring.model.index_i = ring.head + 1;  // retires the one before it too
  ring.apply(ring.model.retire_i);
  EXPECT_EQ(ring.head, 0xFFFFFFF2U);
  EXPECT_EQ(ring.published, ring.head + 4);
  EXPECT_EQ(ring.reserved, ring.published);
}

TEST(RingUpdate, TakesADoorbellOfALoopOnlyForAllOfIt) {
  Ring ring(4);
  ring.model.cyclic_i = 1;
  for (const std::uint32_t posted : {0U, 1U, 3U, 4U, 5U}) {
    ring.model.index_i = ring.head + posted;
    ring.apply(ring.model.doorbell_i);
    EXPECT_EQ(ring.model.accept_o != 0, posted == 0 || posted == 4) << posted;
  }
}

TEST(RingUpdate, CountsLapsAndGoesBackBehindWhatIsHeld) {
  Ring ring(3);
  ring.published = ring.reserved = ring.head + 3;
  for (int i = 0; i < 3; ++i) {
    ring.apply(ring.model.fetch_i);
    EXPECT_EQ(ring.model.fetch_lap_o, i == 2 ? 1U : 0U);
  }
  ring.model.index_i = ring.head + 1;
  ring.model.position_i = 1;
  ring.model.lap_i = 7;
  ring.apply(ring.model.hold_i);
  EXPECT_EQ(ring.fetch, ring.head + 2);
  EXPECT_EQ(ring.fetch_position, 2U);
  EXPECT_EQ(ring.model.fetch_lap_o, 7U);
  ring.model.index_i = ring.head + 2;
  ring.model.position_i = 2;
  ring.apply(ring.model.hold_i);
  EXPECT_EQ(ring.fetch_position, 0U);
  EXPECT_EQ(ring.model.fetch_lap_o, 8U);
}

TEST(RingUpdate, ResetsToZero) {
  Ring ring(8);
  ring.fetch_position = ring.reserve_position = 5;
  ring.apply(ring.model.reset_i);
  EXPECT_EQ(ring.head | ring.fetch | ring.published | ring.reserved, 0U);
  EXPECT_EQ(ring.fetch_position | ring.reserve_position, 0U);
}

TEST(RingUpdate, CalculatesWithEveryBitOfIndicesAndPositions) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_ring_update model;
  CData* const operations[] = {&model.reset_i,   &model.doorbell_i, &model.reserve_i,
                               &model.publish_i, &model.fetch_i,    &model.retire_i,
                               &model.rewind_i,  &model.hold_i};
  const auto word = [&random] { return static_cast<std::uint32_t>(random.bits64()); };
  for (int run = 0; run < 200000; ++run) {
    const auto operation = static_cast<unsigned>(random.below(9));  // 8: none
    const std::uint32_t size =
        random.chance(30) ? 1U << random.below(25) : 1 + (word() >> 8 >> random.below(24));
    const auto below_size = [&] {
      return random.chance(40) ? size - 1 : static_cast<std::uint32_t>(random.below(size));
    };
    // Mostly within the ring, at its ends, or one bit away from there.
    const auto distance = [&]() -> std::uint32_t {
      const std::uint32_t some = random.chance(40) ? size
                                 : random.chance(30)
                                     ? 0
                                     : static_cast<std::uint32_t>(random.below(size));
      return random.chance(70) ? some : some + (random.chance(50) ? 1 : 1U << random.below(32));
    };
    const std::uint32_t head = word(), fetch = word();
    const std::uint32_t published = head + distance(), reserved = head + distance();
    const std::uint32_t index = random.chance(30) ? published : head + distance();
    const std::uint32_t lap = random.chance(30) ? (1U << random.below(32)) - 1 : word();
    const std::uint32_t position = below_size(), fetch_position = below_size();
    const std::uint32_t reserve_position = below_size();
    const std::uint32_t fetch_lap = random.chance(30) ? (1U << random.below(32)) - 1 : word();
    const auto count = static_cast<std::uint32_t>(random.below(size < 8 ? size + 1 : 9));
    const bool cyclic = random.chance(40), halt = random.chance(50);
    for (unsigned i = 0; i < 8; ++i) *operations[i] = i == operation;
    model.size_i = size;
    model.head_i = head;
    model.fetch_index_i = fetch;
    model.published_i = published;
    model.reserved_i = reserved;
    model.index_i = index;
    model.lap_i = lap;
    model.position_i = position;
    model.fetch_position_i = fetch_position;
    model.reserve_position_i = reserve_position;
    model.fetch_lap_i = fetch_lap;
    model.count_i = static_cast<CData>(count);
    model.cyclic_i = cyclic;
    model.halt_i = halt;
    model.eval();
    struct State {
      std::uint32_t head, fetch, published, reserved, position, lap, reserve_position;
      bool accepted = true;
      bool operator==(const State&) const = default;
    };
    State next{head, fetch, published, reserved, fetch_position, fetch_lap, reserve_position};
    const auto step = [&](std::uint32_t from, std::uint32_t from_lap) {
      next.position = from + 1 == size ? 0 : from + 1;
      next.lap = from + 1 == size ? from_lap + 1 : from_lap;
    };
    const std::uint32_t ahead = index - head, posted = published - head;
    switch (operation) {
      case 0:
        next = {};
        break;
      case 1:
        next.accepted =
            ahead <= size && ahead >= posted && (!cyclic || ahead == size || ahead == posted);
        if (next.accepted) next.published = next.reserved = index;
        break;
      case 2:
        next.accepted = std::uint64_t{reserved - head} + count <= size;
        if (!next.accepted) break;
        next.reserved += count;
        next.reserve_position = (reserve_position + count) % size;
        break;
      case 3:
        next.published += count;
        break;
      case 4:
        ++next.fetch;
        step(fetch_position, fetch_lap);
        break;
      case 5:
        next.head = index + 1;
        if (halt) next.fetch = index + 1;
        if (cyclic) next.published += next.head - head, next.reserved += next.head - head;
        break;
      case 6:
        next.fetch = index;
        next.position = position;
        next.lap = lap;
        break;
      case 7:
        next.fetch = index + 1;
        step(position, lap);
        break;
      default:
        break;
    }
    const State seen{
        model.head_o,           model.fetch_index_o, model.published_o,        model.reserved_o,
        model.fetch_position_o, model.fetch_lap_o,   model.reserve_position_o, model.accept_o != 0};
    ASSERT_EQ(seen, next) << "operation " << operation << " run " << run;
  }
}

}  // namespace
}  // namespace torusmu::testing
