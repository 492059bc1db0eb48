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
  std::uint32_t lap = 0;
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
    model.fetch_lap_i = lap;
    model.eval();
    operation = 0;
    head = model.head_o;
    fetch = model.fetch_index_o;
    published = model.published_o;
    reserved = model.reserved_o;
    lap = model.fetch_lap_o;
  }
};

TEST(RingUpdate, TakesDoorbellsUpToTheSizeAndNeverBackwards) {
  for (const std::uint32_t size : {1U, 2U, 4U, 1U << 24}) {
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

TEST(RingUpdate, KeepsIndicesAndLapsThroughRandomWork) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 40; ++round) {
    Ring ring(1U << random.below(5));             // the first index is that of its first slot
    std::map<std::uint32_t, std::uint32_t> laps;  // of each reserved index
    std::uint32_t next_slot = 0, next_lap = 0;
    for (int step = 0; step < 400; ++step) {
      switch (random.below(5)) {
        case 0: {
          const auto count = static_cast<std::uint32_t>(1 + random.below(8));
          const bool fits = ring.reserved - ring.head + count <= ring.size;
          const std::uint32_t first = ring.reserved;
          ring.model.count_i = static_cast<std::uint8_t>(count);
          ring.apply(ring.model.reserve_i);
          ASSERT_EQ(ring.model.accept_o != 0, fits);
          if (!fits) break;
          ASSERT_EQ(ring.reserved, first + count);
          for (std::uint32_t i = 0; i < count; ++i) {
            laps[first + i] = next_lap;
            if (++next_slot < ring.size) continue;
            next_slot = 0;
            ++next_lap;
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
          ASSERT_EQ(ring.lap, laps[ring.fetch]) << "that of the slot that was reserved for it";
          ring.apply(ring.model.fetch_i);
          break;
        case 3:
          if (ring.head == ring.fetch) break;
          ring.model.index_i = ring.head;
          ring.apply(ring.model.retire_i);
          break;
        default: {
          if (ring.head == ring.fetch) break;
          const bool holds = random.chance(50);
          ring.model.index_i =
              ring.head + static_cast<std::uint32_t>(random.below(ring.fetch - ring.head));
          ring.model.lap_i = laps[ring.model.index_i];
          ring.apply(holds ? ring.model.hold_i : ring.model.rewind_i);
          EXPECT_EQ(ring.fetch, ring.model.index_i + (holds ? 1 : 0));
        }
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
  Ring ring(4);
  ring.published = ring.reserved = ring.head + 4;
  for (int i = 0; i < 4; ++i) {
    ring.apply(ring.model.fetch_i);
    EXPECT_EQ(ring.lap, i == 3 ? 1U : 0U);
  }
  ring.model.index_i = ring.head + 2;
  ring.model.lap_i = 7;
  ring.apply(ring.model.hold_i);
  EXPECT_EQ(ring.fetch, ring.head + 3);
  EXPECT_EQ(ring.lap, 7U);
  ring.model.index_i = ring.head + 3;
  ring.apply(ring.model.hold_i);
  EXPECT_EQ(ring.fetch, ring.head + 4);
  EXPECT_EQ(ring.lap, 8U);
  ring.model.index_i = ring.head + 3;
  ring.apply(ring.model.rewind_i);
  EXPECT_EQ(ring.fetch, ring.head + 3);
  EXPECT_EQ(ring.lap, 7U) << "what is fetched next has not left its lap";
}

// Only the bits of the slot tell, and all of them do.
TEST(RingUpdate, EndsALapBehindTheLastSlotOfARingOfAnySize) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (unsigned power = 0; power <= 24; ++power) {
    Ring ring(1U << power);
    const auto last = static_cast<std::uint32_t>(random.bits64()) | (ring.size - 1);
    const auto laps_behind = [&ring](std::uint32_t index, bool holds) {
      ring.lap = ring.model.lap_i = 41;
      ring.fetch = holds ? ~index : index;  // the other one is of no account
      ring.model.index_i = holds ? index : ~index;
      ring.apply(holds ? ring.model.hold_i : ring.model.fetch_i);
      EXPECT_EQ(ring.fetch, index + 1);
      return ring.lap - 41;
    };
    for (const bool holds : {false, true}) {
      EXPECT_EQ(laps_behind(last, holds), 1U) << "size 2^" << power;
      for (unsigned bit = 0; bit < 32; ++bit)
        EXPECT_EQ(laps_behind(last ^ 1U << bit, holds), bit < power ? 0U : 1U)
            << "size 2^" << power << ", bit " << bit;
    }
  }
}

TEST(RingUpdate, ResetsToZero) {
  Ring ring(8);
  ring.lap = 5;
  ring.apply(ring.model.reset_i);
  EXPECT_EQ(ring.head | ring.fetch | ring.published | ring.reserved | ring.lap, 0U);
}

// What an operation is given, and what a ring is before and after it.
struct RingState {
  std::uint32_t head, fetch, published, reserved, lap;
  bool accepted = true;
  bool operator==(const RingState&) const = default;
};
enum RingOperation : unsigned {
  kReset,
  kDoorbell,
  kReserve,
  kPublish,
  kFetch,
  kRetire,
  kRewind,
  kHold,
  kNone
};
struct RingInputs {
  unsigned operation;
  std::uint32_t size, index, lap, count;
  bool cyclic, halt;
};

class RingDraw {
 public:
  explicit RingDraw(Random& random)
      : random_(random), size_(1U << random.below(random.chance(30) ? 4 : 25)), head_(word()) {}
  RingState state() { return {head_, fetched(), distant(), distant(), lap()}; }
  RingInputs inputs(const RingState& state) {
    return {static_cast<unsigned>(random_.below(kNone + 1)),
            size_,
            random_.chance(30)   ? state.published
            : random_.chance(50) ? fetched()
                                 : distant(),
            lap(),
            static_cast<std::uint32_t>(random_.below(size_ < 8 ? size_ + 1 : 9)),
            random_.chance(40),
            random_.chance(50)};
  }

 private:
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  std::uint32_t below_size() { return static_cast<std::uint32_t>(random_.below(size_)); }
  // Often in the last slot of a lap, or in one that differs from it in one bit.
  std::uint32_t fetched() {
    if (random_.chance(30)) return word();
    const std::uint32_t last = word() | (size_ - 1);
    return random_.chance(50) ? last : last ^ 1U << random_.below(32);
  }
  std::uint32_t lap() { return random_.chance(30) ? (1U << random_.below(32)) - 1 : word(); }
  // Mostly within the ring, at its ends, or one bit away from there.
  std::uint32_t distant() {
    const std::uint32_t some = random_.chance(40) ? size_ : random_.chance(30) ? 0 : below_size();
    return head_ +
           (random_.chance(70) ? some : some + (random_.chance(50) ? 1 : 1U << random_.below(32)));
  }

  Random& random_;
  std::uint32_t size_, head_;
};

// The slot behind one of a lap.
void step(RingState& state, const RingInputs& in, std::uint32_t index, std::uint32_t lap) {
  state.fetch = index + 1;
  state.lap = state.fetch % in.size == 0 ? lap + 1 : lap;
}

RingState after(const RingState& before, const RingInputs& in) {
  RingState next = before;
  const std::uint32_t ahead = in.index - before.head, posted = before.published - before.head;
  switch (in.operation) {
    case kReset:
      return {};
    case kDoorbell:
      next.accepted = ahead <= in.size && ahead >= posted &&
                      (!in.cyclic || ahead == in.size || ahead == posted);
      if (next.accepted) next.published = next.reserved = in.index;
      return next;
    case kReserve:
      next.accepted = std::uint64_t{before.reserved - before.head} + in.count <= in.size;
      if (!next.accepted) return next;
      next.reserved += in.count;
      return next;
    case kPublish:
      next.published += in.count;
      return next;
    case kFetch:
      step(next, in, before.fetch, before.lap);
      return next;
    case kRetire:
      next.head = in.index + 1;
      if (in.halt) next.fetch = next.head;
      if (in.cyclic) next.published += next.head - before.head;
      if (in.cyclic) next.reserved += next.head - before.head;
      return next;
    case kRewind:
      next.fetch = in.index;
      next.lap = in.lap;
      return next;
    case kHold:
      step(next, in, in.index, in.lap);
      return next;
    default:
      return next;
  }
}

RingState run(Vmu_ring_update& model, const RingState& state, const RingInputs& in) {
  CData* const operations[] = {&model.reset_i,   &model.doorbell_i, &model.reserve_i,
                               &model.publish_i, &model.fetch_i,    &model.retire_i,
                               &model.rewind_i,  &model.hold_i};
  for (unsigned i = 0; i < kNone; ++i) *operations[i] = i == in.operation;
  model.size_i = in.size;
  model.index_i = in.index;
  model.lap_i = in.lap;
  model.count_i = static_cast<CData>(in.count);
  model.cyclic_i = in.cyclic;
  model.halt_i = in.halt;
  model.head_i = state.head;
  model.fetch_index_i = state.fetch;
  model.published_i = state.published;
  model.reserved_i = state.reserved;
  model.fetch_lap_i = state.lap;
  model.eval();
  return {model.head_o,     model.fetch_index_o, model.published_o,
          model.reserved_o, model.fetch_lap_o,   model.accept_o != 0};
}

TEST(RingUpdate, CalculatesWithEveryBitOfIndicesAndLaps) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_ring_update model;
  for (int n = 0; n < 200000; ++n) {
    RingDraw draw(random);
    const RingState before = draw.state();
    const RingInputs inputs = draw.inputs(before);
    ASSERT_EQ(run(model, before, inputs), after(before, inputs))
        << "operation " << inputs.operation << ", the " << n << "th";
  }
}

}  // namespace
}  // namespace torusmu::testing
