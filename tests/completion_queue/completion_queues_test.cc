// SPDX-License-Identifier: Apache-2.0
// bgp:
// model: Vmu_completion_queues_short mu_completion_queues -GINDEX_BITS=6 -GPOSITION_BITS=4

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "Vmu_completion_queues.h"
#include "Vmu_completion_queues/Vmu_completion_queues___024root.h"
#include "Vmu_completion_queues_short.h"
#include "tests/support/completion_bench.h"
#include "tests/support/few_numbers.h"

namespace torusmu::testing::completion {
namespace {

constexpr std::uint64_t kMostEntries = 1U << 24;
constexpr std::uint8_t kLast = kQueues - 1;
constexpr std::uint64_t kShortIndices = 64;
constexpr std::uint64_t kShortEntries = 16;

class CompletionQueues : public ::testing::Test {
 protected:
  std::uint64_t head(std::uint8_t queue) { return bench.read(queue_registers::head(queue)); }
  std::uint64_t tail(std::uint8_t queue) { return bench.read(queue_registers::tail(queue)); }
  std::uint64_t lost(std::uint8_t queue) { return bench.read(queue_registers::status(queue)); }
  void put_and_drain(std::uint8_t queue, std::uint8_t client) {
    bench.put(queue, client);
    bench.drain();
  }

  Random random;
  Bench<Vmu_completion_queues> bench{&random, 0xFFFFFFFF, kMostEntries};
};

class ShortCompletionQueues : public ::testing::Test {
 protected:
  Random random;
  Bench<Vmu_completion_queues_short> bench{&random, kShortIndices - 1, kShortEntries};
};

TEST_F(CompletionQueues, AreOffAfterReset) {
  for (std::uint8_t queue = 0; queue < kQueues; ++queue) {
    for (const std::uint32_t address : {queue_registers::base(queue), queue_registers::size(queue),
                                        queue_registers::config(queue)}) {
      EXPECT_EQ(bench.read(address), 0U);
    }
    bench.put(queue, 1);
    EXPECT_EQ(lost(queue), 1U);
  }
  EXPECT_EQ(bench.writes, 0U);
  EXPECT_EQ(bench.errors[1], kQueues);
}

TEST_F(CompletionQueues, WriteEntriesInTurnAndStartAnewAtTheEnd) {
  bench.configure(2, {.base = 0x1004, .size = 4, .owner = 1});
  for (std::uint64_t i = 0; i < 10; ++i) {
    bench.memory.clear();
    put_and_drain(2, 1);
    ASSERT_EQ(bench.memory.size(), 1U);
    EXPECT_EQ(bench.memory.begin()->first, 0x1004 + i % 4 * 32);
    EXPECT_EQ(tail(2), i + 1);
    EXPECT_EQ(bench.write_head(1, 2, i + 1), Status::kOk);
    EXPECT_EQ(head(2), i + 1);
  }
  EXPECT_EQ(lost(2), 0U);
}

TEST_F(CompletionQueues, TellANewEntryByItsPhase) {
  constexpr std::uint64_t kSize = 4;
  bench.configure(0, {.base = 0, .size = kSize, .owner = 0});
  for (std::uint64_t slot = 0; slot < kSize; ++slot) bench.memory[slot * 32] = Bytes(32);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const unsigned wanted = i / kSize % 2 == 0 ? 1 : 0;
    EXPECT_NE(bench.memory[i % kSize * 32][0] & 1U, wanted)
        << "entry " << i << " is not written yet";
    put_and_drain(0, 0);
    EXPECT_EQ(bench.memory[i % kSize * 32][0] & 1U, wanted) << "entry " << i;
    EXPECT_EQ(bench.write_head(0, 0, i + 1), Status::kOk);
  }
}

TEST_F(CompletionQueues, LoseAnEntryThatFindsTheRingFull) {
  bench.configure(5, {.base = 0x100, .size = 2, .owner = 3});
  for (int i = 0; i < 5; ++i) put_and_drain(5, 3);
  EXPECT_EQ(bench.writes, 2U);
  EXPECT_EQ(tail(5), 2U);
  EXPECT_EQ(head(5), 0U);
  EXPECT_EQ(lost(5), 3U);
  EXPECT_EQ(bench.errors[3], 3U);
  EXPECT_EQ(bench.write_head(3, 5, 1), Status::kOk);
  put_and_drain(5, 3);
  EXPECT_EQ(tail(5), 3U);
  EXPECT_EQ(lost(5), 3U);
}

TEST_F(CompletionQueues, OverwriteTheOldestIfTheyShall) {
  bench.configure(5, {.base = 0, .size = 2, .owner = 3, .overwrite = true});
  for (std::uint64_t i = 1; i <= 7; ++i) {
    put_and_drain(5, 3);
    EXPECT_EQ(tail(5), i);
    EXPECT_EQ(head(5), i < 2 ? 0 : i - 2);
    EXPECT_EQ(lost(5), i < 2 ? 0 : i - 2);
  }
  EXPECT_EQ(bench.writes, 7U);
  EXPECT_EQ(bench.errors[3], 5U);
  EXPECT_EQ(bench.write_head(3, 5, 4), Status::kDoorbellRange);  // it has moved past that
  EXPECT_EQ(bench.write_head(3, 5, 6), Status::kOk);
}

TEST_F(CompletionQueues, NeverOverwriteWhatIsOnItsWayNorWaitForIt) {
  bench.configure(5, {.base = 0, .size = 2, .owner = 3, .overwrite = true});
  bench.pace.publish = 0;
  for (int i = 0; i < 6; ++i) bench.put(5, 3);
  for (int i = 0; i < 20; ++i) bench.step();
  EXPECT_EQ(bench.writes, 2U);
  EXPECT_EQ(bench.errors[3], 4U);
  bench.drain();
  EXPECT_EQ(tail(5), 2U);
  EXPECT_EQ(head(5), 0U);
  EXPECT_EQ(lost(5), 4U);
  put_and_drain(5, 3);
  EXPECT_EQ(tail(5), 3U);
  EXPECT_EQ(head(5), 1U);
}

TEST_F(CompletionQueues, ShowAnEntryOnlyOnceItIsInMemory) {
  bench.configure(1, {.base = 0, .size = 8, .owner = 2, .interrupt = true});
  bench.pace.publish = 0;
  for (int i = 0; i < 4; ++i) bench.put(1, 2);
  for (int i = 0; i < 30; ++i) bench.step();
  EXPECT_EQ(bench.writes, 4U);
  EXPECT_EQ(tail(1), 0U);
  EXPECT_EQ(bench.counts, 0U);
  EXPECT_EQ(bench.completions[2], 0U);
  EXPECT_EQ(bench.write_head(2, 1, 1), Status::kDoorbellRange);
  bench.drain();
  EXPECT_EQ(tail(1), 4U);
  EXPECT_EQ(bench.counts, 4U);
  EXPECT_EQ(bench.last_count, 4U);
  EXPECT_EQ(bench.completions[2], 4U);
}

TEST_F(CompletionQueues, InterruptOnlyIfAskedTo) {
  bench.configure(1, {.base = 0, .size = 8, .owner = 2});
  put_and_drain(1, 2);
  EXPECT_EQ(bench.completions[2], 0U);
  EXPECT_EQ(bench.counts, 1U);
}

TEST_F(CompletionQueues, TakeEntriesOfTheirOwnerOnly) {
  bench.configure(4, {.base = 0, .size = 8, .owner = 2, .overwrite = true});
  bench.put(4, 1);
  EXPECT_EQ(lost(4), 1U);
  EXPECT_EQ(bench.errors[1], 1U);
  EXPECT_EQ(bench.errors[2], 0U);
  put_and_drain(4, 2);
  EXPECT_EQ(bench.writes, 1U);
}

TEST_F(CompletionQueues, LoseEntriesForNoQueueAndForOneThatDoesNotExist) {
  for (std::uint8_t queue = 0; queue < kQueues; ++queue) {
    bench.configure(queue, {.base = 0, .size = 8, .owner = 0});
  }
  bench.put(0, 0, false);
  bench.put(kQueues, 0);
  bench.put(255, 0);
  bench.put(kQueues, 9);  // of another client
  bench.drain();
  EXPECT_EQ(bench.writes, 0U);
  EXPECT_EQ(bench.errors[0], 3U);
  for (std::uint8_t queue = 0; queue < kQueues; ++queue) EXPECT_EQ(lost(queue), 0U);
}

TEST_F(CompletionQueues, ShowTheirTailAndTakeTheirHeadThroughThePageOfTheirOwnerOnly) {
  bench.configure(kLast, {.base = 0, .size = 8, .owner = 2});
  put_and_drain(kLast, 2);
  EXPECT_EQ(bench.read_tail(2, kLast).get<layout::register_response::data>(), 0x1'0000'0001U);
  for (std::uint8_t other = 0; other < 16; ++other) {
    if (other == 2) continue;
    EXPECT_EQ(bench.read_tail(other, kLast).get<layout::register_response::status>(),
              Status::kDoorbellOwner);
    EXPECT_EQ(bench.write_head(other, kLast, 1), Status::kDoorbellOwner);
  }
  EXPECT_EQ(bench.write_head(2, kLast - 1, 0), Status::kDoorbellOwner);  // that one is off
  EXPECT_EQ(bench.write_head(2, kQueues, 0), Status::kRegisterUnknown);
  EXPECT_EQ(bench.write_head(2, kLast, 1, true), Status::kRegisterPartial);
  EXPECT_EQ(bench.write_head(2, kLast, 2), Status::kDoorbellRange);
  EXPECT_EQ(bench.write_head(2, kLast, 0xFFFFFFFF), Status::kDoorbellRange);
  EXPECT_EQ(bench.write_head(2, kLast, 1), Status::kOk);
  EXPECT_EQ(bench.write_head(2, kLast, 0), Status::kDoorbellRange);
}

TEST_F(CompletionQueues, RefuseBadValues) {
  const auto config = queue_registers::config(3);
  const auto base = queue_registers::base(3);
  const auto size = queue_registers::size(3);
  EXPECT_EQ(bench.write(config, 1), Status::kRegisterValue);  // no size yet
  EXPECT_EQ(bench.write(size, 0), Status::kRegisterValue);
  EXPECT_EQ(bench.write(size, kMostEntries * 2), Status::kRegisterValue);
  EXPECT_EQ(bench.write(size, kMostEntries), Status::kOk);
  EXPECT_EQ(bench.write(base, kAddressSpace), Status::kRegisterValue);
  EXPECT_EQ(bench.write(base, kAddressSpace - kMostEntries * 32 + 1), Status::kOk);
  EXPECT_EQ(bench.write(config, 1), Status::kRegisterValue);  // runs past the end of memory
  EXPECT_EQ(bench.write(config, 0), Status::kOk);
  EXPECT_EQ(bench.write(base, kAddressSpace - kMostEntries * 32), Status::kOk);
  EXPECT_EQ(bench.write(config, kClients << 4), Status::kRegisterValue);  // no such client
  EXPECT_EQ(bench.write(config, 0x08), Status::kRegisterValue);
  EXPECT_EQ(bench.write(config, 0x101), Status::kRegisterValue);
  EXPECT_EQ(bench.write(config, kConfigBits), Status::kOk);
  EXPECT_EQ(bench.read(config), kConfigBits);
  EXPECT_EQ(bench.write(base, 0), Status::kRegisterValue);  // not while it is on
  EXPECT_EQ(bench.write(size, 1), Status::kRegisterValue);
  EXPECT_EQ(bench.write(config, 0, false), Status::kRegisterPartial);
  for (const auto address :
       {queue_registers::head(3), queue_registers::tail(3), queue_registers::status(3),
        config + 0x20, block_of(kQueues) + queue_registers::config.offset}) {
    EXPECT_EQ(bench.write(address, 0), Status::kRegisterUnknown);
  }
  EXPECT_EQ(bench.access(RegisterRequest{}.set<q::address>(base + 0x30))
                .get<layout::register_response::status>(),
            Status::kRegisterUnknown);
}

TEST_F(CompletionQueues, RefuseEveryReservedBitOfTheirConfig) {
  for (unsigned bit = 4 + std::bit_width(kClients - 1); bit < 64; ++bit) {
    EXPECT_EQ(bench.write(queue_registers::config(3), 1ULL << bit), Status::kRegisterValue) << bit;
  }
}

TEST_F(CompletionQueues, RefuseEveryBitAboveTheLargestBaseAndSize) {
  for (unsigned bit = 40; bit < 64; ++bit) {
    EXPECT_EQ(bench.write(queue_registers::base(3), 64 | 1ULL << bit), Status::kRegisterValue);
  }
  for (unsigned bit = 25; bit < 64; ++bit) {
    EXPECT_EQ(bench.write(queue_registers::size(3), 64 | 1ULL << bit), Status::kRegisterValue);
  }
}

TEST_F(CompletionQueues, CountWhatIsLostWhateverWasLostBefore) {
  bench.configure(6, {.base = 0, .size = 4, .owner = 1});
  for (unsigned bit = 0; bit < 32; ++bit) {
    for (const std::uint64_t before :
         {1ULL << bit, (1ULL << bit) - 1, 0xFFFFFFFFULL ^ 1ULL << bit}) {
      bench.make_old(6, 4, 9, 4, before);
      bench.put(6, 1);
      EXPECT_EQ(lost(6), before + 1);
    }
  }
}

TEST_F(CompletionQueues, TakeAHeadUpToTheirTailAndNoFurtherHoweverManyEntriesTheyHold) {
  SCOPED_TRACE(random.replay());
  bench.configure(6, {.base = 0, .size = kMostEntries, .owner = 1});
  for (std::uint64_t held = 1; held <= kMostEntries; held *= 2) {
    const std::uint64_t entries = kMostEntries + (random.bits64() >> 32U);
    bench.make_old(6, kMostEntries, entries, held, 0);
    for (std::uint64_t behind = 1; behind <= kMostEntries; behind *= 2) {
      EXPECT_EQ(bench.write_head(1, 6, (entries + behind) & 0xFFFFFFFFU), Status::kDoorbellRange)
          << held << " entries, " << behind << " behind";
    }
    EXPECT_EQ(bench.write_head(1, 6, entries & 0xFFFFFFFFU), Status::kOk) << held;
  }
}

TEST_F(CompletionQueues, GoOnAndEndAfterTheirHeadHasMovedWhateverWasBefore) {
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t size = 1ULL << random.below(25);
    const std::uint64_t base = random.below(kAddressSpace - size * 32 + 1);
    const std::uint64_t held = random.below(size + 1);
    const std::uint64_t entries = kMostEntries + (random.bits64() >> 32U);
    bench.configure(6, {.base = base, .size = size, .owner = 1, .overwrite = random.chance(50)});
    bench.make_old(6, size, entries, held, random.bits64() >> 32U);
    const std::uint64_t moved = entries - held + random.below(held + 1);
    ASSERT_EQ(bench.write_head(1, 6, moved & 0xFFFFFFFFU), Status::kOk);
    ASSERT_EQ(head(6), moved & 0xFFFFFFFFU);
    put_and_drain(6, 1);
    ASSERT_EQ(bench.write(queue_registers::config(6), 0), Status::kOk);
  }
}

TEST_F(CompletionQueues, AreConfiguredOnlyOnceEverythingOnItsWayIsPublished) {
  bench.configure(3, {.base = 0, .size = 4, .owner = 1, .interrupt = true});
  bench.configure(7, {.base = 0x1000, .size = 4, .owner = 1});
  bench.pace.publish = 0;
  bench.put(3, 1);
  bench.put(7, 1);
  bench.put(3, 1);
  bench.begin(decltype(bench)::write_request(queue_registers::config(3), 0x21));
  for (int i = 0; i < 50; ++i) bench.step();
  EXPECT_TRUE(bench.accessing());
  // Meanwhile it takes nothing more, so that it is not kept waiting for ever; others do.
  bench.put(3, 1);
  bench.put(7, 1);
  EXPECT_EQ(bench.errors[1], 1U);
  EXPECT_TRUE(bench.accessing());
  bench.drain();
  EXPECT_EQ(bench.writes, 4U);
  EXPECT_EQ(bench.completions[1], 2U);
  EXPECT_EQ(tail(3), 0U);
  EXPECT_EQ(lost(3), 0U);
  EXPECT_EQ(bench.read(queue_registers::config(3)), 0x21U);
  EXPECT_EQ(tail(7), 2U);
  bench.memory.clear();
  put_and_drain(3, 2);
  EXPECT_EQ(bench.memory.begin()->first, 0U);           // from the first slot on
  EXPECT_EQ(bench.memory.begin()->second[0] & 1U, 1U);  // in the first phase
}

TEST_F(CompletionQueues, SwitchOffWhileEntriesComeWithoutEnd) {
  bench.configure(3, {.base = 0, .size = 64, .owner = 1, .overwrite = true});
  for (int i = 0; i < 40; ++i) bench.put(3, 1);
  bench.begin(decltype(bench)::write_request(queue_registers::config(3), 0));
  for (int i = 0; i < 60; ++i) {
    if (!bench.offering()) bench.offer({3, true, 1, bench.entry_data()});
    bench.step();
  }
  EXPECT_FALSE(bench.accessing());
  bench.drain();
  EXPECT_EQ(bench.read(queue_registers::config(3)), 0U);
}

TEST_F(CompletionQueues, OfferTheWriteFourCyclesAfterTheEntry) {
  bench.configure(0, {.base = 0, .size = 8, .owner = 0});
  bench.offer({0, true, 0, bench.entry_data()});
  bench.pace.command = 0;
  const std::uint64_t begin = bench.cycle();
  while (!bench.command_offered()) bench.step();
  EXPECT_EQ(bench.cycle() - begin, 4U);
}

TEST_F(CompletionQueues, TakeAnEntryEveryThreeCycles) {
  bench.configure(0, {.base = 0, .size = 1024, .owner = 0});
  const std::uint64_t begin = bench.cycle();
  for (int i = 0; i < 100; ++i) {
    bench.offer({0, true, 0, bench.entry_data()});
    while (bench.offering()) bench.step();
  }
  EXPECT_LE(bench.cycle() - begin, 300U);
  bench.drain();
  EXPECT_EQ(tail(0), 100U);
}

TEST_F(CompletionQueues, HoldEachStreamUntilItIsTaken) {
  bench.configure(0, {.base = 0, .size = 128, .owner = 0, .interrupt = true});
  unsigned Pace::*const streams[] = {&Pace::command, &Pace::beat, &Pace::publish, &Pace::count};
  std::uint64_t entries = 0;
  for (unsigned Pace::*const stream : streams) {
    bench.pace.*stream = 0;
    for (int i = 0; i < 2; ++i, ++entries) bench.put(0, 0);
    for (int i = 0; i < 50; ++i) bench.step();
    EXPECT_TRUE(bench.busy());
    bench.drain();
    EXPECT_EQ(tail(0), entries);
    EXPECT_EQ(bench.completions[0], entries);
  }
}

// --- what holds of both
// --------------------------------------------------------------------------- A ring may end where
// memory does, but no byte later.
template <typename Model>
void refuse_rings_that_end_behind_memory(Bench<Model>* bench, std::uint64_t most_entries) {
  for (std::uint64_t size = 1; size <= most_entries; size *= 2) {
    ASSERT_EQ(bench->write(queue_registers::size(3), size), Status::kOk);
    const std::uint64_t last = kAddressSpace - size * 32;
    ASSERT_EQ(bench->write(queue_registers::base(3), last), Status::kOk);
    EXPECT_EQ(bench->write(queue_registers::config(3), 1), Status::kOk) << size;
    EXPECT_EQ(bench->write(queue_registers::config(3), 0), Status::kOk);
    for (std::uint64_t behind = 1; behind < size * 32; behind *= 2) {
      ASSERT_EQ(bench->write(queue_registers::base(3), last + behind), Status::kOk);
      EXPECT_EQ(bench->write(queue_registers::config(3), 1), Status::kRegisterValue)
          << size << " entries, " << behind << " bytes behind";
    }
  }
  // One that goes over another boundary ends before it.
  ASSERT_EQ(bench->write(queue_registers::size(3), 2), Status::kOk);
  for (std::uint64_t boundary = 64; boundary < kAddressSpace; boundary *= 2) {
    const std::uint64_t base = kAddressSpace - boundary - 32;
    ASSERT_EQ(bench->write(queue_registers::base(3), base), Status::kOk);
    EXPECT_EQ(bench->write(queue_registers::config(3), 1), Status::kOk) << boundary;
    EXPECT_EQ(bench->write(queue_registers::config(3), 0), Status::kOk) << boundary;
  }
}
TEST_F(CompletionQueues, RefuseRingsThatEndBehindMemory) {
  refuse_rings_that_end_behind_memory(&bench, kMostEntries);
}
TEST_F(ShortCompletionQueues, RefuseRingsThatEndBehindMemory) {
  refuse_rings_that_end_behind_memory(&bench, kShortEntries);
}

// Right after reset, with no other one in use.
template <typename Model>
void work_alone(Bench<Model>* bench, std::uint8_t queue) {
  bench->configure(queue, {.base = 0x40, .size = 4, .owner = 3, .interrupt = true});
  bench->put(queue, 3);
  bench->drain();
  EXPECT_EQ(bench->read(queue_registers::config(queue)), 0x35U) << "queue " << unsigned{queue};
  EXPECT_EQ(bench->read(queue_registers::tail(queue)), 1U) << "queue " << unsigned{queue};
  EXPECT_EQ(bench->completions[3], 1U) << "queue " << unsigned{queue};
}
TEST(EachCompletionQueue, WorksWithoutTheOthers) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (std::uint8_t queue = 0; queue < kQueues; ++queue) {
    Bench<Vmu_completion_queues> whole{&random, 0xFFFFFFFF, kMostEntries};
    work_alone(&whole, queue);
    Bench<Vmu_completion_queues_short> with_few_bits{&random, kShortIndices - 1, kShortEntries};
    work_alone(&with_few_bits, queue);
  }
}

template <typename Model>
void take_entries_as_fast_while_a_config_write_waits(Bench<Model>* bench) {
  bench->configure(3, {.base = 0, .size = 4, .owner = 1});
  bench->configure(7, {.base = 0x1000, .size = 16, .owner = 1});
  for (int i = 0; i < 3; ++i) bench->put(7, 1);
  bench->drain();
  bench->pace.publish = 0;
  bench->put(3, 1);
  bench->begin(Bench<Model>::write_request(queue_registers::config(3), 0));
  for (int i = 0; i < 10; ++i) bench->step();
  const std::uint64_t begin = bench->cycle();
  for (int i = 0; i < 10; ++i) {
    bench->offer({7, true, 1, bench->entry_data()});
    while (bench->offering()) bench->step();
  }
  EXPECT_LE(bench->cycle() - begin, 30U);
  EXPECT_TRUE(bench->accessing());
  bench->drain();
}
TEST_F(CompletionQueues, TakeEntriesAsFastWhileAConfigWriteWaits) {
  take_entries_as_fast_while_a_config_write_waits(&bench);
}
TEST_F(ShortCompletionQueues, TakeEntriesAsFastWhileAConfigWriteWaits) {
  take_entries_as_fast_while_a_config_write_waits(&bench);
}

TEST_F(ShortCompletionQueues, KeepSlotPhaseAndRoomWhenTheIndicesWrap) {
  for (const std::uint64_t size : {1U, 2U, 4U, 8U, 16U}) {
    bench.configure(1, {.base = 0x40, .size = size, .owner = 3});
    for (std::uint64_t i = 0; i < 5 * kShortIndices; ++i) {
      bench.put(1, 3);
      if (i % size == size - 1) {
        bench.drain();
        EXPECT_EQ(bench.write_head(3, 1, (i + 2) % kShortIndices), Status::kDoorbellRange);
        EXPECT_EQ(bench.write_head(3, 1, (i + 1) % kShortIndices), Status::kOk);
      }
    }
    bench.drain();
    EXPECT_EQ(bench.read(queue_registers::status(1)), 0U);
  }
}

TEST_F(ShortCompletionQueues, OverwriteAcrossTheWrapAndCountNoFurtherThanTheyCan) {
  bench.configure(1, {.base = 0, .size = 4, .owner = 3, .overwrite = true});
  for (std::uint64_t i = 0; i < 5 * kShortIndices; ++i) {
    bench.put(1, 3);
    bench.drain();
  }
  EXPECT_EQ(bench.read(queue_registers::tail(1)), 0U);
  EXPECT_EQ(bench.read(queue_registers::head(1)), kShortIndices - 4);
  EXPECT_EQ(bench.read(queue_registers::status(1)), kShortIndices - 1);
}

TEST_F(ShortCompletionQueues, CountLostEntriesNoFurtherThanTheyCan) {
  for (std::uint64_t i = 0; i < kShortIndices + 5; ++i) bench.put(1, 3);
  EXPECT_EQ(bench.read(queue_registers::status(1)), kShortIndices - 1);
}

// Any entries, accesses and neighbours; the bench judges every cycle.
template <typename Model>
void run_at_random(
    Random* random, Bench<Model>* bench, std::uint64_t index_mask, unsigned cycles,
    const std::function<void()>& between = [] {}) {
  const auto some = [&](std::initializer_list<std::uint64_t> values) {
    return values.begin()[random->below(values.size())];
  };
  const auto percent = [&] { return static_cast<unsigned>(some({2, 10, 30, 60, 100})); };
  // An access; now and then its data or its address is another.
  const auto begin = [&](RegisterRequest request) {
    if (random->chance(8)) request.set<q::data>(request.get<q::data>() ^ 1ULL << random->below(64));
    const std::uint32_t other = 1U << (3 + random->below(17));
    if (random->chance(5)) request.set<q::address>(request.get<q::address>() ^ other);
    if (random->chance(5)) request.set<q::address>((request.get<q::address>() + other) & 0xfffffU);
    if (random->chance(5))
      request.set<q::address>(request.get<q::address>() | static_cast<unsigned>(random->below(8)));
    bench->begin(request);
  };
  FewNumbers few(kQueues);
  unsigned entries = 50;
  unsigned accesses = 10;
  unsigned configs = 10;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (cycle % 128 == 0) {
      bench->pace = {percent(), percent(), percent(), percent()};
      if (cycle % 1024 == 0) few.choose(*random, 3);
      entries = percent();
      accesses = percent();
      configs = percent();
    }
    if (!bench->busy() && !bench->offering() && !bench->accessing()) between();
    if (!bench->offering() && random->chance(entries)) {
      const auto queue =
          static_cast<std::uint8_t>(random->chance(90) ? few.any(*random) : random->below(256));
      const std::uint8_t owner =
          queue < kQueues ? bench->queues[queue].setup.owner : std::uint8_t{0};
      const auto client = static_cast<std::uint8_t>(random->chance(90) ? owner : random->below(16));
      bench->offer({queue, random->chance(95), client, bench->entry_data()});
    }
    if (!bench->accessing() && random->chance(accesses)) {
      const auto queue = static_cast<std::uint8_t>(random->chance(90) ? few.any(*random)
                                                                      : random->below(kQueues + 4));
      const Queue state = queue < kQueues ? bench->queues[queue] : Queue{};
      const auto owner = static_cast<std::uint8_t>(random->chance(90) ? state.setup.owner
                                                                      : random->below(kClients));
      const bool wide = random->chance(95);
      const std::uint32_t block = block_of(queue);
      if (random->chance(configs / 4)) {
        const std::uint64_t config =
            random->chance(90) ? (random->bits64() & kConfigBits) | 1U : random->bits64() & 0x1FF;
        begin(
            bench->write_request(block + 0x10, random->chance(30) ? config & ~1ULL : config, wide));
      } else if (random->chance(20)) {
        const std::uint64_t size =
            random->chance(90) ? 1U << random->below(5) : some({0, 3, 1U << 24, (1U << 24) + 1});
        begin(bench->write_request(block + 8, size, wide));
      } else if (random->chance(20)) {
        const std::uint64_t base = random->chance(80) ? random->bits64() >> 25U
                                                      : kAddressSpace - some({0, 31, 32, 16 * 32});
        begin(bench->write_request(block, base, wide));
      } else if (random->chance(30)) {
        begin(RegisterRequest{}.set<q::address>(block + random->below(8) * 8));
      } else if (random->chance(5)) {
        begin(bench->write_request(block + static_cast<std::uint32_t>(random->below(8)) * 8, 1));
      } else if (random->chance(20)) {
        begin(bench->page_request(owner, queue));
      } else {
        const std::uint64_t there = state.tail - state.head;
        const std::uint64_t moved = random->chance(80)   ? random->below(there + 1)
                                    : random->chance(80) ? there + (1ULL << random->below(32))
                                                         : random->bits64();
        begin(bench->page_request(owner, queue)
                  .template set<q::data>((state.head + moved) & index_mask)
                  .template set<q::write>(1)
                  .template set<q::wide>(wide ? 0 : 1));
      }
    }
    bench->step();
  }
  bench->drain();
}

TEST_F(CompletionQueues, FollowTheModelAtRandom) {
  SCOPED_TRACE(random.replay());
  const auto make_old = [this] {
    const auto queue = static_cast<std::uint8_t>(random.below(kQueues));
    if (!bench.queues[queue].enable || !random.chance(10)) return;
    const std::uint64_t lost =
        random.chance(50) ? random.bits64() >> 32U : 0xffffffffU ^ 1U << random.below(32);
    const std::uint64_t wrapping = (1ULL << (4 + random.below(29))) - random.below(9);
    const std::uint64_t room = (kAddressSpace - bench.queues[queue].setup.base) / 32;
    const std::uint64_t powers = std::bit_width(std::min<std::uint64_t>(room, kMostEntries));
    const std::uint64_t size =
        1ULL << random.below(random.chance(50) ? std::min<std::uint64_t>(4, powers) : powers);
    // A ring that is nearly full, and whose next place is its last or behind many bits.
    const std::uint64_t held =
        size - std::min(size, random.chance(50) ? random.below(3) : random.below(size + 1));
    std::uint64_t entries = random.chance(50) ? wrapping : random.bits64() >> 31U;
    const std::uint64_t place = random.chance(50) ? size - 1 : (1ULL << random.below(24)) - 1;
    if (random.chance(50)) entries = entries - entries % size + std::min(place, size - 1);
    entries = std::max(entries, held);
    bench.make_old(queue, size, entries, held, lost);
  };
  run_at_random(&random, &bench, 0xFFFFFFFF, 100000, make_old);
  EXPECT_GT(bench.writes, 2000U);
}

TEST_F(ShortCompletionQueues, FollowTheModelAtRandom) {
  SCOPED_TRACE(random.replay());
  run_at_random(&random, &bench, kShortIndices - 1, 200000);
  EXPECT_GT(bench.writes, 4000U);
}

}  // namespace
}  // namespace torusmu::testing::completion
