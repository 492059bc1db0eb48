// SPDX-License-Identifier: Apache-2.0
// bgp:
//
// The send engine as a whole. What the reflection credits do is in send_engine_reflection_test.cc.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;

class SendEngine : public InjectionFixture {
 protected:
  static Descriptor wait(unsigned event, std::uint32_t value) {
    return Descriptor()
        .set<d::opcode>(Opcode::kWait)
        .set<d::event_valid>(1)
        .set<d::event_counter>(event)
        .set<d::immediate>(WaitOperation().set<layout::wait_operation::value>(value).bytes());
  }
};

TEST_F(SendEngine, SendsEveryLengthOfAnImmediatePut) {
  std::vector<Descriptor> descriptors;
  for (std::uint64_t length = 1; length <= 16; ++length) descriptors.push_back(immediate(length));
  run_and_compare(descriptors);
}

TEST_F(SendEngine, CutsEveryLengthIntoPackets) {
  std::vector<Descriptor> descriptors;
  for (const std::uint64_t length : {1, 31, 32, 33, 511, 512, 513, 1024, 4096 + 7}) {
    for (const std::uint64_t offset : {0, 1, 31, 32, 63, 4095}) {
      descriptors.push_back(put(offset, length));
    }
  }
  run_and_compare(descriptors);
}

TEST_F(SendEngine, CutsEveryLengthAndAlignmentWhetherTheRouterWaitsOrNot) {
  for (const unsigned chance : {100U, 8U}) {
    bench_.request_chance = chance;
    std::vector<Descriptor> descriptors;
    for (const Opcode opcode : {Opcode::kPut, Opcode::kFifo}) {
      descriptors.push_back(immediate(9).set<d::opcode>(opcode));
      for (const std::uint64_t length : {11, 300, 512, 1024, 1300}) {
        for (const std::uint64_t offset : {0, 5})
          descriptors.push_back(put(offset, length).set<d::opcode>(opcode));
      }
    }
    for (const std::uint64_t length : {64, 512}) {
      for (const std::uint64_t offset : {0, 5})
        descriptors.push_back(put(offset, length).set<d::opcode>(Opcode::kGet));
    }
    if (chance == 100) {
      for (const Descriptor& each : descriptors) {
        forget();
        run_and_compare({each});
      }
    } else {
      forget();
      run_and_compare(descriptors);
    }
  }
}

TEST_F(SendEngine, RunsEveryOpcode) {
  run_and_compare({
      immediate(5).set<d::opcode>(Opcode::kFifo),
      put(100, 1000).set<d::opcode>(Opcode::kFifo).set<d::interrupt_target>(1),
      put(0, 512).set<d::opcode>(Opcode::kGet),
      put(7, 64).set<d::opcode>(Opcode::kGet),
      Descriptor().set<d::opcode>(Opcode::kNop),
      Descriptor().set<d::opcode>(Opcode::kNop).set<d::done_event_valid>(1).set<d::done_event>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrAdd).set<d::event_valid>(1).set<d::event_counter>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrSet).set<d::event_valid>(1).set<d::event_counter>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrAdd).set<d::counter_valid>(1).set<d::counter>(7),
      immediate(0).set<d::opcode>(Opcode::kCtrSet).set<d::counter_valid>(1).set<d::counter>(7),
  });
}

TEST_F(SendEngine, PassesOnWhatTheTargetCounts) {
  run_and_compare({immediate(3)
                       .set<d::counter_valid>(1)
                       .set<d::counter>(0xA5)
                       .set<d::event_valid>(1)
                       .set<d::event_counter>(0x5A)
                       .set<d::interrupt_target>(1),
                   put(3, 700).set<d::event_valid>(1).set<d::event_counter>(0xFF)});
}

TEST_F(SendEngine, CountsWhatItHasReadAndTellsWhenItIsDone) {
  const auto counted = [](Descriptor descriptor) {
    return descriptor.set<d::injection_counter_valid>(1)
        .set<d::injection_counter>(7)
        .set<d::done_event_valid>(1)
        .set<d::done_event>(9)
        .set<d::interrupt_done>(1);
  };
  run_and_compare({counted(put(5, 1300)), counted(immediate(9)), counted(put(0, 1))});
  EXPECT_EQ(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kDone)], 3U);
}

TEST_F(SendEngine, KnowsNothingOfAQueueWhoseNumberIsTooLarge) {
  constexpr unsigned kReflecting = 3, kPushed = 9;
  bench_.make_queue(kReflecting, kRing, 4, QueueMode::kReflection, kOwner);
  bench_.make_queue(kPushed, kRing + 0x400, 4, QueueMode::kPush, kOwner);
  const auto is_empty = [this](unsigned queue) {
    testing::put<layout::reception_requests::get, layout::get_reserve::queue>(
        bench_->reception_requests_i, queue);
    bench_.tick();
    return testing::get<layout::queue_answer::empty>(bench_->queue_answer_o) != 0;
  };
  const auto reserved = [this](unsigned queue, bool push) {
    return bench_.reserve(queue, 1, !push, push, kOwner).get<layout::ring_slots::status>();
  };
  for (unsigned bit = kProfile.injection_queues; bit < 256; bit *= 2) {
    EXPECT_FALSE(is_empty(kReflecting + bit)) << bit;
    EXPECT_NE(reserved(kReflecting + bit, false), Status::kOk) << bit;
    EXPECT_NE(reserved(kPushed + bit, true), Status::kOk) << bit;
  }
  EXPECT_TRUE(is_empty(kReflecting));
  EXPECT_EQ(reserved(kReflecting, false), Status::kOk);
  EXPECT_EQ(reserved(kPushed, true), Status::kOk);
}

TEST_F(SendEngine, RunsThroughRingsOfEverySmallSize) {
  for (const std::uint32_t size : {1, 2, 4, 8}) {
    SCOPED_TRACE(size);
    InjectionBench fresh(random_);
    for (unsigned i = 0; i < 12; ++i) {
      if (i == 0) fresh.make_queue(kQueue, kRing + 7, size, QueueMode::kDoorbell, kOwner);
      const Descriptor descriptor = immediate(1 + i);
      fresh.wait_for_room(kQueue, i, size);
      fresh.put(kQueue, descriptor);
      ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    }
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), 12U);
    for (unsigned i = 0; i < 12; ++i) {
      EXPECT_EQ(fresh.requests[i].packet.payload.size(), i + 1);
      EXPECT_EQ(fresh.requests[i].packet.trailer.get<layout::packet_trailer::index>(), i);
    }
  }
}

TEST_F(SendEngine, GoesOnWhereAQueueStandsThatHasRunForLong) {
  constexpr std::uint32_t kSlots = 1U << 24;
  const auto any_index = static_cast<std::uint32_t>(random_.bits64()) | 1U << 23;
  // Between them they have had every bit of index and lap at both values.
  for (const std::uint32_t index : {any_index - 64, ~any_index}) {
    for (const QueueMode mode : {QueueMode::kDoorbell, QueueMode::kPush}) {
      SCOPED_TRACE(index);
      forget();
      bench_.make_old_queue(kQueue, kRing, kSlots, index, mode, kOwner);
      run_in_queue({immediate(5), put(3, 700), put(7, 64).set<d::opcode>(Opcode::kGet),
                    immediate(9).set<d::length>(17), Descriptor().set<d::opcode>(Opcode::kNop),
                    immediate(2).set<d::opcode>(Opcode::kFifo)},
                   kSlots, mode, false, index);
    }
  }
}

TEST_F(SendEngine, KeepsTheRateOfALinkWithPutsOf512Bytes) {
  std::vector<Descriptor> descriptors;
  for (std::uint64_t i = 0; i < 40; ++i) descriptors.push_back(put(i * 512, 512));
  bench_.payload.latency = 14;
  bench_.fetch.latency = 14;
  run_and_compare(descriptors);
  for (std::size_t i = 10; i < 40; ++i) {
    EXPECT_EQ(bench_.requests[i].first - bench_.requests[i - 1].first, 34U) << "packet " << i;
  }
}

TEST_F(SendEngine, KeepsTheRateOfALinkWithinALongPutEvenFromSlowMemory) {
  for (const unsigned latency : {10U, 40U, 70U}) {
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.payload.latency = latency;
    fresh.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
    fresh.put(kQueue, put(3, 20 * 512));
    fresh.doorbell(kQueue);
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), 20U);
    for (std::size_t i = 3; i < 20; ++i) {
      EXPECT_EQ(fresh.requests[i].first - fresh.requests[i - 1].first, 34U)
          << "latency " << latency;
    }
  }
}

TEST_F(SendEngine, SendsAPacketOnlyWithItsLastByteInTheBuffer) {
  bench_.payload.beat_chance = 20;
  bench_.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
  bench_.put(kQueue, put(0, 512));
  bench_.doorbell(kQueue);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 1U);
  EXPECT_GT(bench_.requests[0].first, bench_.payload.last_beat);
  EXPECT_EQ(bench_.requests[0].last - bench_.requests[0].first, 33U) << "no gap once it has begun";
}

TEST_F(SendEngine, MeetsItsLatenciesWhenIdle) {
  bench_.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
  bench_.put(kQueue, immediate(8));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_LE(bench_.fetch.last_command - bench_.doorbell_cycle[kQueue], 9U);
  // One cycle to the descriptor, seven from there to the first flit.
  EXPECT_LE(bench_.requests[0].first - bench_.fetch.last_beat, 1U + 7U);

  bench_.put(kQueue, put(0, 64));
  bench_.doorbell(kQueue);
  bench_.drain();
  const std::uint64_t round_trip = bench_.payload.last_beat - bench_.payload.last_command;
  EXPECT_LE(bench_.requests[1].first - bench_.fetch.last_beat, 1U + 7U + round_trip);
}

TEST_F(SendEngine, RunsReflectionsWhileRequestsAreBlocked) {
  bench_.make_queue(kQueue, kRing, 16, QueueMode::kDoorbell, kOwner);
  bench_.make_queue(3, 0x4000, 16, QueueMode::kReflection, 1);
  bench_.request_chance = 0;
  for (int i = 0; i < 12; ++i) bench_.put(kQueue, put(0, 512));
  bench_.doorbell(kQueue);
  bench_.ticks(400);
  std::vector<Packet> wanted;
  for (unsigned i = 0; i < 30; ++i) {
    const Descriptor completion = stamped(immediate(1 + i % 16)).set<d::reflection_number>(500 + i);
    ASSERT_EQ(bench_.deliver(3, completion), Status::kOk);
    bench_.ticks(40);
    wanted.push_back(expected_outcome(bench_.around, completion, {QueueMode::kReflection, 1, 3, i})
                         .packets.at(0));
  }
  compare("completions", bench_.replies, wanted);
  EXPECT_TRUE(bench_.requests.empty());
  bench_.request_chance = 100;
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 12U);
}

// The ends of both classes meet while the queue engine has no turn for them.
TEST_F(SendEngine, RetiresOfBothClassesThoughTheyEndAtOnce) {
  constexpr unsigned kReflections = 6;
  bench_.make_queue(kQueue, kRing, 256, QueueMode::kDoorbell, kOwner, /*halts=*/true);
  bench_.make_queue(kReflections, 0x6000, 64, QueueMode::kReflection, 1);
  const Descriptor nop = Descriptor().set<d::opcode>(Opcode::kNop);
  for (unsigned i = 0; i < 200; ++i) bench_.put(kQueue, nop);
  ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
  for (unsigned i = 0; i < 40; ++i) {
    ASSERT_EQ(bench_.deliver(kReflections, nop), Status::kOk);
  }
  bench_.drain();
  EXPECT_EQ(bench_.state(kQueue).head, 200U);
  EXPECT_EQ(bench_.state(kReflections).head, 40U);
}

TEST_F(SendEngine, TellsOfAReflectionThatCannotBeFetched) {
  for (const unsigned queue : {0U, 5U, 6U}) {
    bench_.make_queue(queue, 0x6000, 16, QueueMode::kReflection, 1);
    bench_.bad_page = 6;
    ASSERT_EQ(bench_.deliver(queue, stamped(immediate(8))), Status::kOk);
    bench_.drain();
    EXPECT_EQ(bench_.state(queue).status, Status::kMemoryError);
    EXPECT_EQ(bench_.state(queue).head, 1U);
  }
}

TEST_F(SendEngine, SendsANoticeOfReceptionThoughItRests) {
  model::Packet notice =
      expected_notice(bench_.around, stamped(immediate(8)), origin(5), Status::kCounterInvalid);
  for (unsigned i = 0; i < 3; ++i) {
    bench_.drain();
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_reply>());
    notice.header.set<layout::packet_header::word>(random_.below(1ULL << 32));
    notice.seal();
    bench_.notify(notice);
    bench_.ticks(20);
    ASSERT_EQ(bench_.replies.size(), i + 1);
    EXPECT_EQ(bench_.replies[i].packet.bytes(), notice.bytes());
  }
}

TEST_F(SendEngine, AnswersAReflectionSoon) {
  bench_.make_queue(3, 0x4000, 16, QueueMode::kReflection, 1);
  ASSERT_EQ(bench_.deliver(3, stamped(immediate(8))), Status::kOk);
  const std::uint64_t published = bench_.cycle();
  bench_.drain();
  EXPECT_LE(bench_.fetch.last_command - published, 5U);
  EXPECT_LE(bench_.replies.at(0).first - bench_.fetch.last_beat, 1U + 7U);
}

TEST_F(SendEngine, SharesTheEngineFairlyAmongQueues) {
  for (unsigned queue = 8; queue < 12; ++queue) {
    bench_.make_queue(queue, 0x1000 * queue, 16, QueueMode::kDoorbell, kOwner);
    for (int i = 0; i < 16; ++i) bench_.put(queue, put(0, 512));
  }
  for (unsigned queue = 8; queue < 12; ++queue) bench_.doorbell(queue);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 64U);
  for (std::size_t i = 8; i + 4 <= 60; i += 4) {
    unsigned seen = 0;
    for (std::size_t k = i; k < i + 4; ++k) {
      seen |= 1U << bench_.requests[k].packet.trailer.get<layout::packet_trailer::queue>();
    }
    EXPECT_EQ(seen, 0xF00U) << "packet " << i;
  }
}

// The count that a WAIT begins with is shown by an addition of zero, of any counter.
TEST_F(SendEngine, FindsACountOfAnyEventCounterThatWasReachedBefore) {
  bench_.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
  for (unsigned event = 0; event < 256; ++event) {
    SCOPED_TRACE(event);
    bench_.around.events[event] = {true, kOwner};
    bench_.bump(event, 3);
    bench_.drain();
    bench_.put(kQueue, wait(event, 3));
    ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
    bench_.drain();
    ASSERT_EQ(bench_.state(kQueue).head, event + 1);
  }
}

TEST_F(SendEngine, LetsCrossChannelControlRestWhileDescriptorsWaitForTheRouter) {
  bench_.make_queue(kQueue, kRing, 64, QueueMode::kDoorbell, kOwner);
  bench_.request_chance = 0;
  for (unsigned i = 0; i < 64; ++i) bench_.put(kQueue, immediate(8));
  ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
  bench_.ticks(500);
  for (unsigned i = 0; i < 10; ++i) {
    bench_.tick();
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_cross>());
  }
  bench_.request_chance = 100;
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 64U);
}

TEST_F(SendEngine, WakesCrossChannelControlForACountOnlyWhileAQueueWaits) {
  bench_.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner);
  bench_.bump(9, 1);
  bench_.tick();
  EXPECT_FALSE(bench_.activity<layout::send_activity::active_cross>());
  bench_.put(kQueue, wait(9, 3));
  ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
  bench_.drain();
  bench_.bump(9, 1);
  bench_.tick();
  EXPECT_TRUE(bench_.activity<layout::send_activity::active_cross>());
}

// The fast engine does not clock a block that says it rests. Twice the same random work, once so:
// every flit must leave in the same cycle.
TEST_F(SendEngine, NeedsNoClockWhileItRests) {
  for (unsigned round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    const std::uint64_t seed = random_.bits64();
    std::vector<std::pair<std::uint64_t, Bytes>> flits[2];
    std::array<unsigned, 8 * kProfile.clients> causes[2] = {};
    std::vector<CounterOperation> operations[2];
    for (const bool gated : {false, true}) {
      Random same(seed);
      InjectionBench fresh(same);
      fresh.gated = gated;
      fresh.limit<layout::node_limits::credit_timeout_cycles>(150);
      fresh.around.regions = bench_.around.regions;
      fresh.around.counters = bench_.around.counters;
      fresh.around.events = bench_.around.events;
      fresh.request_chance = 70;
      fresh.fetch.command_chance = 50;
      fresh.bad_page = (kBuffer + 0x1000) >> 12;
      fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 2);
      for (unsigned queue = 8; queue < 12; ++queue) {
        fresh.make_queue(queue, 0x1000 * queue, 8,
                         queue == 11 ? QueueMode::kRemoteGet : QueueMode::kDoorbell, kOwner);
      }
      std::mt19937_64 work(seed);
      for (unsigned step = 0; step < 120; ++step) {
        const unsigned queue = 8 + static_cast<unsigned>(work() % 4);
        Descriptor descriptor = put(work() % 5000, 1 + work() % 700)
                                    .set<d::sequence_number>(step)
                                    .set<d::injection_counter_valid>(queue != 11 && work() % 2)
                                    .set<d::injection_counter>(7);
        if (queue == 11) {
          fresh.deliver(queue, stamped(descriptor));
        } else if (fresh.rings[queue].tail - fresh.state(queue).head < 8) {
          if (work() % 4 == 0) {
            descriptor.set<d::opcode>(Opcode::kGet)
                .set<d::length>(64)
                .set<d::reflect>(1)
                .set<d::header>(PacketHeader());
          }
          fresh.put(queue, descriptor);
          fresh.doorbell(queue);
        }
        fresh.ticks(static_cast<unsigned>(work() % 120));
        if (work() % 4 == 0) fresh.return_credit(1, static_cast<std::uint16_t>(work() % 8));
      }
      fresh.ticks(1000);
      causes[gated] = fresh.causes;
      operations[gated] = fresh.operations;
      for (const auto* stream : {&fresh.requests, &fresh.replies}) {
        for (const SentPacket& sent : *stream) {
          flits[gated].emplace_back(sent.first, sent.packet.bytes());
        }
      }
    }
    EXPECT_EQ(flits[0], flits[1]);
    EXPECT_EQ(causes[0], causes[1]) << "pulses are one cycle long";
    EXPECT_EQ(operations[0], operations[1]);
    EXPECT_GT(flits[0].size(), 80U);
  }
}

}  // namespace
}  // namespace torusmu::testing
