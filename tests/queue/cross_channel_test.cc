// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// Queues that wait, and queues that enable others, with the queue engine and the injection engine
// around mu_cross_channel.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;
namespace c = registers::injection_queue;

constexpr unsigned kEvent = 9;
constexpr unsigned kOther = 12;  // another queue of the same client
constexpr Address kOtherRing = 0x4000;
constexpr std::uint64_t kCyclic = insert(0, c::config_field::cyclic, 1);
constexpr std::uint64_t kManaged = insert(0, c::config_field::managed, 1);

class CrossChannel : public InjectionFixture {
 protected:
  static Descriptor with(Opcode opcode, std::uint32_t value, std::uint32_t step = 0) {
    WaitOperation operation;
    operation.set<w::value>(value).set<w::step>(step);
    return Descriptor().set<d::opcode>(opcode).set<d::immediate>(operation.bytes());
  }
  static Descriptor wait(std::uint32_t value, std::uint32_t step = 0, unsigned event = kEvent) {
    return with(Opcode::kWait, value, step).set<d::event_valid>(1).set<d::event_counter>(event);
  }
  static Descriptor to_queue(Descriptor descriptor, unsigned queue) {
    return descriptor.set<d::header>(PacketHeader().set<h::target>(queue));
  }
  static Descriptor wait_for_queue(unsigned queue, std::uint32_t value) {
    return to_queue(with(Opcode::kWait, value).set<d::on_queue>(1), queue);
  }
  static Descriptor enable(unsigned queue, std::uint32_t value, bool relative) {
    return to_queue(with(Opcode::kSendEn, value).set<d::relative>(relative), queue);
  }
  void make(unsigned queue, std::uint32_t size, std::uint64_t loops = 0, bool halts = false) {
    bench_.make_queue(queue, queue == kQueue ? kRing : kOtherRing, size, QueueMode::kDoorbell,
                      kOwner, halts, loops);
  }
  // By one write of config, so that it is never off.
  void begin_anew(unsigned queue) {
    const auto block = RegisterUnit::kQueue;
    const auto config = bench_.read(block, c::config(queue));
    ASSERT_EQ(bench_.write(block, c::config(queue), config), Status::kOk);
    bench_.rings[queue].tail = 0;
  }
  void post(unsigned queue, const std::vector<Descriptor>& descriptors) {
    for (const Descriptor& descriptor : descriptors) bench_.put(queue, descriptor);
    ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
  }
};

TEST_F(CrossChannel, HoldsTheQueueUntilTheCounterIsReached) {
  make(kQueue, 8);
  post(kQueue, {wait(3), immediate(4)});
  bench_.drain();
  bench_.bump(kEvent, 2);
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
  EXPECT_EQ(bench_.state(kQueue).head, 0U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  EXPECT_EQ(bench_.state(kQueue).head, 2U);
}

TEST_F(CrossChannel, GoesOnAtOnceIfTheCountWasReachedBefore) {
  bench_.bump(kEvent, 3);
  make(kQueue, 8);
  post(kQueue, {wait(3), immediate(4), wait(2), immediate(5)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
  EXPECT_EQ(bench_.state(kQueue).head, 4U);
}

TEST_F(CrossChannel, SendsTheFirstFlitNineCyclesAfterTheCount) {
  make(kQueue, 8);
  post(kQueue, {wait(1), immediate(4)});
  bench_.drain();
  const std::uint64_t counted = bench_.cycle();
  bench_.bump(kEvent, 1);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 1U);
  EXPECT_EQ(bench_.requests[0].first - counted, 9U);
}

TEST_F(CrossChannel, LosesNoCountThatComesWhileItBeginsToWait) {
  for (unsigned delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
    fresh.put(kQueue, wait(1));
    fresh.put(kQueue, immediate(4));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(delay);
    fresh.bump(kEvent, 1);
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), 1U);
  }
}

TEST_F(CrossChannel, HoldsUpNoOtherQueue) {
  make(kQueue, 8);
  make(kOther, 16);
  post(kQueue, {wait(1), immediate(4), immediate(4), immediate(4), immediate(4)});
  post(kOther, std::vector<Descriptor>(10, immediate(8)));
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 10U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 14U);
  EXPECT_EQ(bench_.state(kQueue).head, 5U);
}

TEST_F(CrossChannel, WaitsForDescriptorsDoneOfAnotherQueue) {
  make(kQueue, 8);
  make(kOther, 8);
  post(kQueue, {wait_for_queue(kOther, 2), immediate(4)});
  post(kOther, {immediate(5)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  post(kOther, {immediate(6)});
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 3U);
  EXPECT_EQ(bench_.requests[2].packet.trailer.get<layout::packet_trailer::queue>(), kQueue);
}

TEST_F(CrossChannel, RefusesToWaitForAQueueOfAnotherClient) {
  bench_.make_queue(kOther, kOtherRing, 8, QueueMode::kDoorbell, kOwner - 1);
  make(kQueue, 8);
  post(kQueue,
       {wait_for_queue(kOther, 1), wait_for_queue(31, 1), wait_for_queue(200, 1), immediate(4)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  const auto state = bench_.state(kQueue);
  EXPECT_EQ(state.status, Status::kQueueInvalid);
  EXPECT_EQ(state.count, 3U);
  EXPECT_EQ(state.head, 4U);
}

TEST_F(CrossChannel, ComparesAcrossTheWrapOfTheCounter) {
  bench_.event_values[kEvent] = 0xFFFFFFFE;
  make(kQueue, 8);
  post(kQueue, {wait(1), immediate(4)});
  bench_.drain();
  bench_.bump(kEvent, 2);  // zero
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(CrossChannel, CountsARelativeValueFromTheLastWait) {
  make(kQueue, 8);
  post(kQueue, {wait(3), immediate(4), wait(2).set<d::relative>(1), immediate(5)});
  bench_.bump(kEvent, 3);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
}

TEST_F(CrossChannel, RemembersTheLastWaitWhileAnotherQueueIsConfigured) {
  make(kOther, 8);
  for (int delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    bench_.event_values[kEvent] = 0;
    bench_.requests.clear();
    make(kQueue, 8);
    post(kQueue, {wait(3), wait(2).set<d::relative>(1), immediate(5)});
    bench_.ticks(static_cast<unsigned>(delay));
    make(kOther, 8);
    bench_.bump(kEvent, 3);
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 0U);
    bench_.bump(kEvent, 2);
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 1U);
  }
}

TEST_F(CrossChannel, RunsALoopWithoutTheHost) {
  make(kQueue, 2, kCyclic);
  post(kQueue, {wait(1, 1), immediate(4)});
  for (unsigned lap = 1; lap <= 20; ++lap) {
    bench_.bump(kEvent, 1);
    bench_.drain();
    ASSERT_EQ(bench_.requests.size(), lap);
    ASSERT_EQ(bench_.state(kQueue).head, 2 * lap);
  }
  bench_.bump(kEvent, 30);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 50U);
}

TEST_F(CrossChannel, PostsALoopOnlyAsAWhole) {
  make(kQueue, 4, kCyclic);
  EXPECT_EQ(bench_.doorbell(kQueue, 3), Status::kDoorbellRange);
  EXPECT_EQ(bench_.doorbell(kQueue, 0), Status::kOk);
}

TEST_F(CrossChannel, RunsAManagedQueueUpToItsLimit) {
  make(kQueue, 8);
  make(kOther, 16, kManaged);
  post(kOther, std::vector<Descriptor>(10, immediate(8)));
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
  post(kQueue, {enable(kOther, 3, false)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 3U);
  post(kQueue, {enable(kOther, 1, true), enable(kOther, 2, false)});  // the second is behind
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 4U);
  EXPECT_EQ(bench_.read(RegisterUnit::kQueue, c::limit(kOther)), 4U);
}

TEST_F(CrossChannel, EnablesBeforeOrAfterTheDoorbellAlike) {
  for (unsigned delay = 0; delay < 50; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
    fresh.make_queue(kOther, kOtherRing, 8, QueueMode::kDoorbell, kOwner, false, kManaged);
    fresh.put(kQueue, enable(kOther, 2, true));
    for (int i = 0; i < 3; ++i) fresh.put(kOther, immediate(8));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(delay);
    ASSERT_EQ(fresh.doorbell(kOther), Status::kOk);
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), 2U);
  }
}

TEST_F(CrossChannel, RefusesToEnableAQueueThatIsNotManagedOrNotItsOwn) {
  make(kQueue, 8);
  make(kOther, 8);
  bench_.make_queue(20, 0x6000, 8, QueueMode::kDoorbell, kOwner - 1, false, kManaged);
  post(kQueue,
       {enable(kOther, 1, true), enable(20, 1, true), enable(99, 1, true),
        enable(20, 1, true).set<d::done_event_valid>(1).set<d::done_event>(kEvent), immediate(4)});
  bench_.drain();
  const auto state = bench_.state(kQueue);
  EXPECT_EQ(state.status, Status::kQueueInvalid);
  EXPECT_EQ(state.count, 4U);
  EXPECT_EQ(bench_.event_values[kEvent], 0U);
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(CrossChannel, FlushesAHeldQueueThatIsConfigured) {
  make(kQueue, 8);
  post(kQueue, {wait(1), immediate(4), immediate(5), immediate(6)});
  bench_.drain();
  ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::config(kQueue), 0), Status::kOk);
  EXPECT_EQ(bench_.state(kQueue).head, 0U);
  EXPECT_GE(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kError)], 1U);
  EXPECT_TRUE(bench_.requests.empty());
  make(kQueue, 8);
  post(kQueue, {wait(1), immediate(7)});
  bench_.bump(kEvent, 1);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 1U);
  EXPECT_EQ(bench_.requests[0].packet.payload.size(), 7U);
}

// Whether it waits already or begins to while the other is configured.
TEST_F(CrossChannel, CountsNothingThatEndsOfAQueueThatIsConfigured) {
  for (unsigned delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    bench_.requests.clear();
    make(kQueue, 8);
    make(kOther, 8);
    post(kOther, {wait(1), immediate(4)});
    bench_.drain();
    post(kQueue, {wait_for_queue(kOther, 1), immediate(5)});
    bench_.ticks(delay);
    begin_anew(kOther);
    bench_.drain();
    EXPECT_TRUE(bench_.requests.empty());
    post(kOther, {immediate(6)});
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 2U);
  }
}

TEST_F(CrossChannel, FlushesWhatIsFetchedBehindAFlushedOneTooWheneverItComes) {
  for (unsigned delay = 20; delay < 320; delay += 3) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.fetch.beat_chance = 10;
    fresh.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
    fresh.put(kQueue, wait(1));
    for (unsigned n = 4; n < 8; ++n) fresh.put(kQueue, immediate(n));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(delay);
    ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::config(kQueue), 0), Status::kOk);
    fresh.drain();
    ASSERT_TRUE(fresh.requests.empty());
  }
}

TEST_F(CrossChannel, BeginsAPipeBehindWaitsOfOtherQueues) {
  constexpr unsigned kPiped = 20, kFirst = 21, kQueues = 8;
  namespace p = c::peer_field;
  const std::uint64_t peer = insert(insert(0, p::queue, 3), p::connected, 1);
  const Descriptor pipe =
      Descriptor()
          .set<d::opcode>(Opcode::kPipe)
          .set<d::source_region>(5)
          .set<d::length>(4096)
          .set<d::immediate>(PipeOperation()
                                 .set<layout::pipe_operation::messages>(1)
                                 .set<layout::pipe_operation::buffer_bytes>(4096)
                                 .set<layout::pipe_operation::receive_queue>(kPiped)
                                 .bytes());
  for (unsigned delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.operation_chance = 10;
    for (const unsigned queue : {kPiped, kQueue}) {
      ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::peer(queue), peer), Status::kOk);
    }
    fresh.make_queue(kPiped, 0x6000, 8, QueueMode::kPiped, kOwner);
    fresh.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
    fresh.put(kQueue, pipe);
    for (unsigned queue = kFirst; queue < kFirst + kQueues; ++queue) {
      fresh.make_queue(queue, queue * 0x400, 8, QueueMode::kDoorbell, kOwner);
      for (unsigned i = 0; i < 4; ++i) fresh.put(queue, wait(0));
      ASSERT_EQ(fresh.doorbell(queue), Status::kOk);
    }
    fresh.ticks(delay);
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.drain();
    EXPECT_EQ(fresh.state(kQueue).head, 0U) << "it is held until its messages have come";
    EXPECT_EQ(fresh.state(kQueue).count, 0U);
    for (unsigned queue = kFirst; queue < kFirst + kQueues; ++queue) {
      EXPECT_EQ(fresh.state(queue).head, 4U);
    }
  }
}

TEST_F(CrossChannel, FlushesACalcThatHasNotBegun) {
  make(kQueue, 8);
  make(kOther, 8);
  const Descriptor calc = Descriptor().set<d::opcode>(Opcode::kCalc);
  bench_.calc_latency = 300;
  post(kQueue, {calc});
  while (bench_.calcs.empty()) bench_.tick();
  post(kOther, {calc, immediate(5)});
  bench_.ticks(100);
  ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::config(kOther), 0), Status::kOk);
  bench_.drain();
  EXPECT_EQ(bench_.calcs.size(), 1U);
  EXPECT_TRUE(bench_.requests.empty());
  EXPECT_EQ(bench_.state(kQueue).head, 1U);
}

TEST_F(CrossChannel, EnablesAQueueThoughThereIsNoRoomForPacketsYet) {
  make(kOther, 8);
  for (const bool receives : {false, true}) {
    for (unsigned delay = 0; delay < 40; ++delay) {
      bench_.request_chance = 10;
      bench_.make_queue(kQueue, kRing, 16, receives ? QueueMode::kReceive : QueueMode::kDoorbell,
                        kOwner, false, kManaged);
      post(kOther, std::vector<Descriptor>(6, put(0, 512)));
      bench_.ticks(delay * 7);
      Descriptor one_more = enable(kQueue, 1, true);
      if (receives) one_more.set<d::opcode>(Opcode::kRecvEn);
      post(kOther, {one_more});
      bench_.request_chance = 100;
      bench_.drain();
      ASSERT_EQ(bench_.read(RegisterUnit::kQueue, c::limit(kQueue)), 1U) << delay;
    }
  }
}

TEST_F(CrossChannel, RefusesToSetACounterThatIsWaitedFor) {
  make(kQueue, 8);
  make(kOther, 8);
  post(kQueue, {wait(5)});
  bench_.drain();
  const Descriptor set = Descriptor()
                             .set<d::opcode>(Opcode::kCtrSet)
                             .set<d::event_valid>(1)
                             .set<d::event_counter>(kEvent);
  post(kOther, {set});
  bench_.drain();
  EXPECT_EQ(bench_.state(kOther).status, Status::kCounterWaited);
  testing::put<layout::event_watch::asked>(bench_->event_watch_i, kEvent);
  bench_.tick();
  EXPECT_TRUE(bench_->waited_o);
  bench_.bump(kEvent, 5);
  bench_.drain();
  EXPECT_FALSE(bench_->waited_o);
  post(kOther, {set});
  bench_.drain();
  EXPECT_EQ(bench_.state(kOther).count, 1U);
}

TEST_F(CrossChannel, WaitsInAQueueThatHaltsOnErrors) {
  make(kQueue, 8, 0, true);
  make(kOther, 8);
  post(kQueue, {wait(1), immediate(4), wait(2), immediate(0), immediate(5)});
  post(kOther, {immediate(6)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
  bench_.bump(kEvent, 1);
  bench_.drain();
  const auto state = bench_.state(kQueue);
  EXPECT_EQ(bench_.requests.size(), 2U);
  EXPECT_EQ(state.status, Status::kLengthZero);
  EXPECT_EQ(state.index, 3U);
  EXPECT_TRUE(state.halted);
}

TEST_F(CrossChannel, TellsWhenAWaitIsDone) {
  make(kQueue, 8);
  post(kQueue,
       {wait(1).set<d::done_event_valid>(1).set<d::done_event>(kEvent).set<d::interrupt_done>(1),
        immediate(4)});
  bench_.bump(kEvent, 1);
  bench_.drain();
  EXPECT_EQ(bench_.event_values[kEvent], 2U);
  EXPECT_EQ(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kDone)], 1U);
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(CrossChannel, HoldsTheQueueOfACalcUntilItIsDone) {
  make(kQueue, 8);
  make(kOther, 8);
  const Descriptor calc = Descriptor().set<d::opcode>(Opcode::kCalc);
  post(kQueue, {calc, immediate(4)});
  post(kOther, {calc, immediate(5)});
  bench_.calc_latency = 100;
  while (bench_.calcs.empty()) bench_.tick();
  bench_.ticks(90);
  EXPECT_TRUE(bench_.requests.empty());
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
  EXPECT_EQ(bench_.calcs.size(), 2U);
}

TEST_F(CrossChannel, BeginsACalcWhenAllBeforeItIsDone) {
  make(kQueue, 8);
  bench_.payload.latency = 200;
  post(kQueue, {put(0, 512), Descriptor().set<d::opcode>(Opcode::kCalc), immediate(4)});
  while (bench_.calcs.empty()) bench_.tick();
  EXPECT_EQ(bench_.state(kQueue).head, 1U);
  bench_.drain();
  EXPECT_EQ(bench_.state(kQueue).head, 3U);
}

// It does not ask what the bits of a status mean.
TEST_F(CrossChannel, GivesTheStatusOfACalcToItsQueue) {
  for (unsigned bit = 0; bit < 8; ++bit) {
    bench_.requests.clear();
    make(kQueue, 8);
    bench_.calc_status = static_cast<Status>(1U << bit);
    post(kQueue, {Descriptor().set<d::opcode>(Opcode::kCalc), immediate(4)});
    bench_.drain();
    EXPECT_EQ(bench_.state(kQueue).status, bench_.calc_status);
    EXPECT_EQ(bench_.requests.size(), 1U);
  }
}

// Every packet of a queue leaves in order, and none before the counts that stand before it.
TEST_F(CrossChannel, KeepsOrderAndCountsInRandomPrograms) {
  constexpr unsigned kQueues = 10;
  constexpr unsigned kEvents = 5;
  for (int round = 0; round < 15; ++round) {
    SCOPED_TRACE(round);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    for (unsigned e = 0; e < kEvents; ++e) fresh.around.events[e] = {true, kOwner};
    fresh.gated = random_.chance(50);
    fresh.fetch.latency = 1 + static_cast<unsigned>(random_.below(30));
    fresh.request_chance = 30 + static_cast<unsigned>(random_.below(70));
    fresh.operation_chance = 30 + static_cast<unsigned>(random_.below(70));
    fresh.calc_latency = static_cast<unsigned>(random_.below(60));
    struct Program {
      std::vector<Descriptor> descriptors;
      std::vector<std::array<std::uint32_t, kEvents>> thresholds;  // that hold before each
    };
    // Ten of all queues.
    std::array<unsigned, kProfile.injection_queues> numbers{};
    std::iota(numbers.begin(), numbers.end(), 0U);
    for (unsigned q = 0; q < kQueues; ++q)
      std::swap(numbers[q], numbers[q + random_.below(numbers.size() - q)]);
    std::map<unsigned, Program> programs;
    for (unsigned q = 0; q < kQueues; ++q) {
      const unsigned queue = numbers[q];
      Program& program = programs[queue];
      std::array<std::uint32_t, kEvents> reached{};
      const unsigned length = 1 + static_cast<unsigned>(random_.below(30));
      for (unsigned i = 0; i < length; ++i) {
        const auto event = static_cast<unsigned>(random_.below(kEvents));
        const auto kind = random_.below(10);
        if (kind < 4) {
          const auto value = reached[event] + static_cast<std::uint32_t>(random_.below(3));
          reached[event] = value;
          program.descriptors.push_back(wait(value, 0, event));
          if (random_.chance(20)) {
            program.descriptors.back().set<d::done_event_valid>(1).set<d::done_event>(200);
          }
        } else if (kind < 5) {
          program.descriptors.push_back(Descriptor().set<d::opcode>(Opcode::kCalc));
        } else {
          program.descriptors.push_back(random_.chance(70) ? immediate(1 + random_.below(16))
                                                           : put(random_.below(64), 600));
        }
        program.thresholds.push_back(reached);
      }
      fresh.make_queue(queue, 0x1000 + q * 0x1000, 64, QueueMode::kDoorbell, kOwner,
                       random_.chance(20));
      for (const Descriptor& descriptor : program.descriptors) fresh.put(queue, descriptor);
    }
    fresh.around.events[200] = {true, kOwner};
    for (unsigned q = 0; q < kQueues; ++q) ASSERT_EQ(fresh.doorbell(numbers[q]), Status::kOk);
    std::size_t seen = 0;
    std::map<unsigned, std::uint64_t> next;
    const auto check = [&] {
      for (; seen < fresh.requests.size(); ++seen) {
        const PacketTrailer trailer = fresh.requests[seen].packet.trailer;
        if (fresh.requests[seen].last == 0) return;  // still on its way
        const auto queue = static_cast<unsigned>(trailer.get<layout::packet_trailer::queue>());
        const auto index = trailer.get<layout::packet_trailer::index>();
        ASSERT_GE(index, next[queue]) << "queue " << queue;
        next[queue] = index;
        for (unsigned e = 0; e < kEvents; ++e) {
          ASSERT_GE(fresh.event_values[e], programs[queue].thresholds[index][e])
              << "queue " << queue << " index " << index << " event " << e;
        }
      }
    };
    for (unsigned step = 0; step < 200; ++step) {
      fresh.ticks(static_cast<unsigned>(random_.below(30)));
      check();
      fresh.bump(static_cast<unsigned>(random_.below(kEvents)), 1);
    }
    fresh.drain();
    check();
    for (const auto& [queue, program] : programs) {
      std::uint32_t waits_beyond = 0;
      for (unsigned e = 0; e < kEvents; ++e) {
        if (program.thresholds.back()[e] > fresh.event_values[e]) ++waits_beyond;
      }
      ASSERT_EQ(waits_beyond, 0U) << "the test bumps enough";
      const auto state = fresh.state(queue);
      ASSERT_EQ(state.head, program.descriptors.size()) << "queue " << queue;
      ASSERT_EQ(state.count, 0U) << name_of(state.status);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
