// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// What holds for each of the queues: whose turn it is, what a flush takes away, and counts that
// are waited for, of any size.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/every_queue_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace w = layout::wait_operation;
namespace c = registers::injection_queue;

TEST_F(EveryQueue, GoesOnInTurnWhenAllHaveWaitedForTheSameCount) {
  unsigned last = 0;  // that has had its turn
  for (int round = 0; round < 12; ++round) {
    bench_.requests.clear();
    bench_.event_values[kEvent] = 0;
    const auto queues = shuffled();
    const std::vector<unsigned> some(queues.begin(), queues.begin() + 1 + below(kQueues));
    for (const unsigned queue : some) {
      make(queue);
      post(queue, {wait(1), immediate(4)});
    }
    bench_.drain();
    EXPECT_TRUE(bench_.requests.empty());
    bench_.bump(kEvent, 1);
    expect_rest();
    const auto got = queues_of(bench_.requests);
    expect_turns(got, some);
    const auto behind = [&](unsigned queue) { return round > 0 && queue > last; };
    if (std::any_of(some.begin(), some.end(), behind)) {
      EXPECT_GT(got.front(), last);
      EXPECT_TRUE(
          std::none_of(some.begin(), some.end(),
                       [&](unsigned queue) { return behind(queue) && queue < got.front(); }))
          << "after queue " << last;
    }
    last = got.back();
  }
}

TEST_F(EveryQueue, HasItsTurnWithCalcsAgainAndAgain) {
  for (int round = 0; round < 3; ++round) {
    const auto queues = shuffled();
    const std::vector<unsigned> some(queues.begin(), queues.begin() + 2 + below(kQueues - 1));
    bench_.calcs.clear();
    // The first runs until all others are due, each later one until the last is due again.
    bench_.calc_latency = 1500 * kTimes;
    for (const unsigned queue : some) {
      make(queue);
      post(queue, std::vector<Descriptor>(3, with(Opcode::kCalc)));
    }
    bench_.ticks(100);
    bench_.calc_latency = 80;
    expect_rest();
    std::vector<unsigned> got;
    for (const FetchedDescriptor& calc : bench_.calcs) {
      got.push_back(static_cast<unsigned>(calc.get<f::queue>()));
    }
    expect_turns(got, some, 3);
  }
}

// Two turns each. As many as run at once begin as they come; of the others none has its second turn
// before all have had their first.
void expect_turns_of_pipes(const std::vector<unsigned>& got, const std::vector<unsigned>& senders) {
  ASSERT_EQ(got.size(), 2 * senders.size());
  std::ptrdiff_t last_first = 0;
  for (const unsigned queue : senders) {
    ASSERT_EQ(std::count(got.begin(), got.end(), queue), 2) << queue;
    last_first = std::max(last_first, std::find(got.begin(), got.end(), queue) - got.begin());
  }
  for (const unsigned queue : senders) {
    const auto first = std::find(got.begin(), got.end(), queue);
    if (first - got.begin() < static_cast<std::ptrdiff_t>(kProfile.pipes)) continue;
    EXPECT_GT(std::find(first + 1, got.end(), queue) - got.begin(), last_first) << queue;
  }
}

TEST_F(EveryQueue, HasItsTurnWithPipesAgainAndAgain) {
  for (int round = 0; round < 4; ++round) {
    const auto queues = shuffled();
    const std::vector<unsigned> senders(queues.begin(), queues.begin() + kQueues / 2);
    bench_.requests.clear();
    bench_.buffers.clear();
    for (unsigned i = 0; i < kQueues / 2; ++i) {
      const unsigned in = queues[kQueues / 2 + i];
      make(senders[i]);
      make(in, QueueMode::kPiped);
      post(senders[i], {pipe(in), pipe(in)});
    }
    bench_.drain();
    for (std::size_t i = 0; i < 2 * senders.size(); ++i) {
      // Each that ends makes room for another.
      ASSERT_EQ(bench_.buffers.size(),
                std::min<std::size_t>(i + kProfile.pipes, 2 * senders.size()));
      bench_.end_receive(queue_of(bench_.buffers[i]), 8);
      bench_.drain();
      ASSERT_EQ(bench_.requests.size(), i + 1);
      const PacketTrailer trailer = bench_.requests[i].packet.trailer;
      bench_.answer(static_cast<unsigned>(trailer.get<t::queue>()),
                    static_cast<std::uint32_t>(trailer.get<t::sequence_number>()), Status::kOk,
                    kPeerNode);
      bench_.drain();
    }
    expect_rest();
    expect_turns_of_pipes(queues_of(bench_.requests), senders);
  }
}

// What holds it, in all queues at once, and two behind it.
TEST_F(EveryQueue, LosesWhatHoldsItWhenItIsConfigured) {
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    const auto queues = shuffled();
    const unsigned in = queues[kQueues - 1];
    make(in, QueueMode::kPiped);
    // Longer than all that follows.
    bench_.limit<layout::node_limits::send_retry_cycles>(500 * kTimes);
    bench_.calc_latency = 4000 * kTimes;
    make(queues[0]);
    post(queues[0], {with(Opcode::kCalc)});
    while (bench_.calcs.empty()) bench_.tick();
    bench_.calcs.clear();
    bench_.requests.clear();
    bench_.buffers.clear();
    const std::vector<Descriptor> holders = {
        wait(1),  moving(Opcode::kSend, 600),  with(Opcode::kFence), with(Opcode::kCalc),
        pipe(in), moving(Opcode::kReceive, 77)};
    for (unsigned i = 1; i + 1 < kQueues; ++i) {
      Descriptor holder = holders[i % holders.size()];
      const bool receives = holder.get<d::opcode>() == Opcode::kReceive;
      make(queues[i], receives ? QueueMode::kReceive : QueueMode::kDoorbell);
      const Descriptor behind = receives ? moving(Opcode::kReceive, 78) : immediate(4);
      post(queues[i], {holder.set<d::signal>(1), behind, behind});
    }
    bench_.ticks(300 * kTimes);
    bench_.told = {};
    std::vector<unsigned> wanted, resets;  // queues; those that hold something of a pair
    const std::size_t sent = bench_.requests.size();
    const std::size_t offered = bench_.buffers.size();
    for (unsigned i = 1; i + 1 < kQueues; ++i) {
      const unsigned queue = queues[i];
      SCOPED_TRACE(queue);
      bench_.completions.entries.clear();
      ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::config(queue), 0), Status::kOk);
      const Opcode opcode = holders[i % holders.size()].get<d::opcode>();
      wanted.push_back(queue);
      if (opcode != Opcode::kWait && opcode != Opcode::kCalc) resets.push_back(queue);
      bench_.ticks(20);
      ASSERT_EQ(bench_.completions.entries.size(), 1U) << "of what held it alone";
      const CompletionEntry& entry = bench_.completions.entries[0];
      EXPECT_EQ(entry.get<e::status>(), Status::kFlushed);
      EXPECT_EQ(entry.get<e::queue>(), queue);
      EXPECT_EQ(bench_.state(queue).tail, 0U);
    }
    EXPECT_TRUE(bench_.calcs.empty());
    EXPECT_EQ(bench_.told.configured, wanted);
    EXPECT_EQ(bench_.told.resets, resets);
    EXPECT_TRUE(bench_.told.receives.empty());
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), sent);
    for (std::size_t i = offered; i < bench_.buffers.size(); ++i) {
      EXPECT_EQ(bench_.buffers[i].get<layout::receive_buffer::queue>(), in);
    }
    for (unsigned i = 1; i + 1 < kQueues; ++i) {
      make(queues[i]);
      post(queues[i], {wait(0), moving(Opcode::kSend, 8)});
    }
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), sent + kQueues - 2);
  }
}

TEST_F(EveryQueue, HasTwoSendsUnderWayAndRestsUntilTheyAreAnswered) {
  bench_.limit<layout::node_limits::send_retry_cycles>(20000);
  const Descriptor send = moving(Opcode::kSend, 8);
  const Descriptor fence = with(Opcode::kFence).set<d::header>(PacketHeader().set<h::dst_x>(1));
  for (const unsigned queue : shuffled()) {
    SCOPED_TRACE(queue);
    bench_.requests.clear();
    make(queue);
    post(queue, {send, send, fence, immediate(4)});
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), 2U);
    bench_.answer(queue, 0, Status::kOk, kPeerNode);
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), 3U) << "a FENCE goes ahead too";
    bench_.answer(queue, 1, Status::kPermission, kPeerNode);
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), 3U);
    bench_.answer(queue, 2, Status::kMemoryError, 1, true);
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), 4U);
    EXPECT_EQ(bench_.state(queue).count, 2U);
  }
}

TEST_F(EveryQueue, SendsTheNextAheadOfALongSendToo) {
  bench_.limit<layout::node_limits::send_retry_cycles>(20000);
  for (const unsigned queue : shuffled()) {
    SCOPED_TRACE(queue);
    bench_.requests.clear();
    make(queue);
    post(queue, {moving(Opcode::kSend, 8 * 512), moving(Opcode::kSend, 8)});
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 9U);
  }
}

TEST_F(EveryQueue, SendsAgainWhatWasRefusedAndNothingOfOthers) {
  bench_.limit<layout::node_limits::send_retry_cycles>(1000 * kTimes);
  constexpr unsigned kAtATime = 4;  // after eight ticks all others would go out again
  const auto queues = shuffled();
  for (unsigned i = 0; i < kQueues / kTimes; ++i) {
    if (i % kAtATime == 0) {
      for (const unsigned queue : queues) {
        make(queue);
        post(queue, {moving(Opcode::kSend, 8), moving(Opcode::kSend, 8)});
      }
      bench_.drain();
    }
    bench_.requests.clear();
    bench_.answer(queues[i], 0, Status::kReceiveDisabled, kPeerNode);
    bench_.ticks(1000 * kTimes + 10);
    bench_.drain();
    EXPECT_EQ(queues_of(bench_.requests), (std::vector{queues[i], queues[i]}))
        << "the second follows the first";
  }
}

TEST_F(EveryQueue, SendsNothingAheadThatMayNot) {
  bench_.limit<layout::node_limits::send_retry_cycles>(20000);
  namespace p = c::peer_field;
  const std::uint64_t connected = peer_;
  const std::uint64_t dynamic = insert(peer_, p::dynamic, 1);
  const auto send = [](unsigned x) {
    return moving(Opcode::kSend, 8).set<d::header>(PacketHeader().set<h::dst_x>(x));
  };
  for (const unsigned queue : shuffled()) {
    SCOPED_TRACE(queue);
    bench_.requests.clear();
    peer_ = dynamic;
    make(queue);
    post(queue, {send(1), send(2), send(3)});
    for (unsigned n = 1; n <= 3; ++n) {
      expect_rest();
      ASSERT_EQ(bench_.requests.size(), n);
      const PacketTrailer trailer = bench_.requests.back().packet.trailer;
      bench_.answer(queue, static_cast<std::uint32_t>(trailer.get<t::sequence_number>()),
                    Status::kOk, n);
    }
    peer_ = connected;
    make(queue);
    post(queue, {send(0), immediate(4), send(0), with(Opcode::kNop), send(0)});
    for (const unsigned n : {4U, 6U, 7U}) {
      expect_rest();
      ASSERT_EQ(bench_.requests.size(), n);
      const PacketTrailer trailer = bench_.requests.back().packet.trailer;
      bench_.answer(queue, static_cast<std::uint32_t>(trailer.get<t::sequence_number>()),
                    Status::kOk, kPeerNode);
    }
    bench_.drain();
    EXPECT_EQ(bench_.state(queue).head, 5U);
  }
}

TEST_F(EveryQueue, OffersTwoBuffersAndRestsUntilTheyAreFilled) {
  for (const unsigned queue : shuffled()) {
    SCOPED_TRACE(queue);
    bench_.buffers.clear();
    make(queue, QueueMode::kReceive);
    post(queue, std::vector<Descriptor>(4, moving(Opcode::kReceive, 77)));
    for (std::size_t done = 0; done < 4; ++done) {
      expect_rest();
      EXPECT_EQ(bench_.buffers.size(), std::min<std::size_t>(done + 2, 4));
      bench_.end_receive(queue, 8, done % 2 == 0 ? Status::kOk : Status::kMemoryError);
    }
    expect_rest();
    EXPECT_EQ(bench_.state(queue).head, 4U);
    EXPECT_EQ(bench_.state(queue).count, 2U);
  }
}

// The clocks stand still until the count changes.
TEST_F(EveryQueue, WakesForACountThatItAloneWaitsFor) {
  bench_.around.events[kEvent] = {true, kOwner};
  for (const unsigned queue : shuffled()) {
    SCOPED_TRACE(queue);
    const unsigned other = (queue + 1 + below(kQueues - 1)) % kQueues;
    bench_.requests.clear();
    bench_.completions.entries.clear();
    bench_.event_values[kEvent] = 0;
    make(queue);
    make(other);
    post(queue, {wait(1), immediate(4), wait(2).set<d::signal>(1), immediate(5),
                 wait_for_queue(other, 1), with(Opcode::kCalc), immediate(6)});
    for (std::size_t n = 0; n < 3; ++n) {
      expect_rest();
      EXPECT_EQ(bench_.requests.size(), n);
      EXPECT_EQ(bench_.completions.entries.size(), n == 2 ? 1U : 0U);
      if (n < 2) bench_.bump(kEvent, 1);
    }
    post(other, {with(Opcode::kNop)});
    expect_rest();
    EXPECT_EQ(bench_.requests.size(), 3U);
    EXPECT_EQ(bench_.state(queue).head, 7U);
  }
}

TEST_F(EveryQueue, TellsReceiveQueuesThatItIsConfiguredAsOne) {
  for (const unsigned queue : shuffled()) {
    for (const QueueMode mode : {QueueMode::kReceive, QueueMode::kPiped, QueueMode::kDoorbell}) {
      bench_.told = {};
      make(queue, mode);
      EXPECT_EQ(bench_.told.configured, (std::vector<unsigned>{queue, queue, queue}));
      EXPECT_EQ(bench_.told.receives.size(), mode == QueueMode::kDoorbell ? 0U : 1U);
    }
  }
}

// Far into a ring that has wrapped often: what is dropped behind a WAIT, or sent back for want of a
// credit, is fetched again from where it lies.
TEST_F(EveryQueue, GoesBackToAnyPlaceOfItsRing) {
  constexpr std::uint32_t kSlots = 1U << 24;
  const Descriptor reflecting =
      moving(Opcode::kGet, 64).set<d::reflect>(1).set<d::header>(PacketHeader().set<h::target>(0));
  for (const unsigned queue : shuffled()) {
    const auto index = static_cast<std::uint32_t>(random_.bits64());
    bench_.requests.clear();
    bench_.event_values[kEvent] = 0;
    ASSERT_EQ(bench_.write(RegisterUnit::kReflection, registers::reflection::credit(), 1),
              Status::kOk);
    bench_.make_old_queue(queue, kRing, kSlots, index, QueueMode::kDoorbell, kOwner);
    post(queue, {wait(1), immediate(1), immediate(2), reflecting, reflecting, immediate(5)});
    bench_.drain();
    EXPECT_TRUE(bench_.requests.empty());
    bench_.bump(kEvent, 1);
    bench_.drain();
    ASSERT_EQ(bench_.requests.size(), 3U) << "there is one credit";
    bench_.return_credit(1, 0);
    expect_rest();
    ASSERT_EQ(bench_.requests.size(), 5U);
    for (std::uint32_t i = 0; i < 5; ++i) {
      const PacketTrailer trailer = bench_.requests[i].packet.trailer;
      EXPECT_EQ(trailer.get<t::index>(), static_cast<std::uint32_t>(index + 1 + i));
    }
    bench_.make_queue(queue, kRing, 1, QueueMode::kOff);
  }
}

TEST_F(EveryQueue, WaitsForAnyNumberOfDescriptorsOfAnother) {
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const auto queues = shuffled();
    const auto first = static_cast<std::uint32_t>(random_.bits64());
    bench_.requests.clear();
    make(queues[0]);
    make(queues[1]);
    bench_.make_old(queues[1], first, 0);
    const unsigned done = below(3), more = 1 + below(3);
    if (done > 0) post(queues[1], std::vector<Descriptor>(done, with(Opcode::kNop)));
    bench_.drain();
    post(queues[0], {wait_for_queue(queues[1], first + done + more), immediate(4)});
    expect_rest();
    EXPECT_TRUE(bench_.requests.empty());
    if (more > 1) {
      post(queues[1], std::vector<Descriptor>(more - 1, with(Opcode::kNop)));
      bench_.drain();
      EXPECT_TRUE(bench_.requests.empty());
    }
    post(queues[1], {with(Opcode::kNop)});
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 1U);
  }
}

TEST_F(EveryQueue, WaitsForAnyNumberOfEntries) {
  const Descriptor told = with(Opcode::kNop).set<d::signal>(1);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const auto queues = shuffled();
    const auto tail = static_cast<std::uint32_t>(random_.bits64());
    const unsigned entries_of = below(16);
    bench_.requests.clear();
    bench_.make_completion_queue(entries_of, 1024, kOwner);
    bench_.make_old_completion_queue(entries_of, tail);
    namespace p = c::peer_field;
    peer_ = insert(peer_, p::completion_queue, entries_of);
    make(queues[0]);
    make(queues[1]);
    const unsigned done = below(3), more = 1 + below(3);
    if (done > 0) post(queues[1], std::vector<Descriptor>(done, told));
    bench_.drain();
    post(queues[0], {wait_for_queue(128 + entries_of, tail + done + more), immediate(4)});
    expect_rest();
    EXPECT_TRUE(bench_.requests.empty());
    if (more > 1) {
      post(queues[1], std::vector<Descriptor>(more - 1, told));
      bench_.drain();
      EXPECT_TRUE(bench_.requests.empty());
    }
    post(queues[1], {told});
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), 1U);
  }
}

TEST_F(EveryQueue, TellsThatAMessageMayHaveBeenDelivered) {
  for (const unsigned queue : shuffled()) {
    make(queue);
    post(queue, {moving(Opcode::kSend, 8)});
    bench_.ticks(100);
    bench_.answer(queue, 0, Status::kDeliveryUnknown, kPeerNode);
    bench_.drain();
    EXPECT_EQ(bench_.state(queue).status, Status::kDeliveryUnknown);
  }
}

TEST_F(EveryQueue, RaisesItsOwnersCauseForEntriesOfACompletionQueueThatAsksForIt) {
  namespace q = registers::completion_queue;
  for (unsigned owner = 0; owner < kProfile.clients; ++owner) {
    forget();
    bench_.make_completion_queue(kCompletions, 1024, owner);
    const std::uint64_t config = bench_.read(RegisterUnit::kCompletion, q::config(kCompletions));
    ASSERT_EQ(bench_.write(RegisterUnit::kCompletion, q::config(kCompletions),
                           insert(config, q::config_field::interrupt, 1)),
              Status::kOk);
    make(bench_, 7, QueueMode::kDoorbell, owner);
    post(7, {with(Opcode::kNop).set<d::signal>(1), with(Opcode::kNop),
             with(Opcode::kNop).set<d::signal>(1)});
    bench_.drain();
    std::array<unsigned, 8 * kProfile.clients> wanted{};
    wanted[owner * 8 + static_cast<unsigned>(Cause::kCompletion)] = 2;
    EXPECT_EQ(bench_.causes, wanted);
  }
}

// Nothing else was configured since reset.
TEST_F(EveryQueue, TakesTheBuffersOfAPipeWhicheverElseThereIs) {
  for (unsigned in = 0; in < kQueues; ++in) {
    SCOPED_TRACE(in);
    InjectionBench fresh(random_);
    fresh.around.regions = bench_.around.regions;
    const unsigned out = (in + 1 + below(kQueues - 1)) % kQueues;
    make(fresh, in, QueueMode::kPiped);
    make(fresh, out);
    fresh.put(out, pipe(in));
    ASSERT_EQ(fresh.doorbell(out), Status::kOk);
    fresh.drain();
    ASSERT_EQ(fresh.buffers.size(), 1U);
    EXPECT_EQ(queue_of(fresh.buffers[0]), in);
    ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::config(in), 0), Status::kOk);
    fresh.drain();
    EXPECT_EQ(fresh.state(out).status, Status::kFlushed);
  }
}

// The MU asks for its clock when the first of two has waited long enough: a FENCE for its answer, a
// reflection for its credit.
class Wakes : public EveryQueue {
 protected:
  struct Waits {
    bool fence, reflection;
  };
  std::uint64_t at(std::uint64_t seed, unsigned retry, unsigned timeout, Waits waits) {
    Random same(seed);
    InjectionBench fresh(same);
    fresh.around.regions = bench_.around.regions;
    fresh.limit<layout::node_limits::send_retry_cycles>(retry);
    fresh.limit<layout::node_limits::send_retries>(255);
    fresh.limit<layout::node_limits::credit_timeout_cycles>(timeout);
    fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 2);
    make(fresh, 3);
    make(fresh, 4);
    const Descriptor get = moving(Opcode::kGet, 64).set<d::reflect>(1);
    if (waits.reflection) post_at(fresh, 1000, 3, get);
    if (waits.fence) post_at(fresh, 1300, 4, with(Opcode::kFence).set<d::header>(elsewhere()));
    while (fresh.cycle() < 1600) fresh.tick();
    return fresh.activity<layout::send_activity::wake_at>();
  }

 private:
  static PacketHeader elsewhere() { return PacketHeader().set<layout::packet_header::dst_x>(1); }
  static void post_at(InjectionBench& bench, std::uint64_t cycle, unsigned queue,
                      const Descriptor& descriptor) {
    while (bench.cycle() < cycle) bench.tick();
    bench.put(queue, descriptor);
    ASSERT_EQ(bench.doorbell(queue), Status::kOk);
  }
};

TEST_F(Wakes, AtTheEarlierOfTwoTimes) {
  unsigned fences_first = 0, reflections_first = 0;
  for (unsigned round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const std::uint64_t seed = random_.bits64();
    const unsigned retry = 1000 + below(3000), timeout = retry + 240 + below(128);
    const std::uint64_t fence = at(seed, retry, timeout, {true, false});
    const std::uint64_t reflection = at(seed, retry, timeout, {false, true});
    ASSERT_EQ(at(seed, retry, timeout, {true, true}), std::min(fence, reflection));
    fences_first += fence < reflection;
    reflections_first += reflection < fence;
  }
  EXPECT_GT(fences_first, 5U);
  EXPECT_GT(reflections_first, 5U);
}

// Twice the same random work, once with clocks that stand still where they may: every flit must
// leave in the same cycle.
class StandsStill : public EveryQueue {
 protected:
  struct Seen {
    std::vector<std::pair<std::uint64_t, Bytes>> flits;
    std::vector<CounterOperation> operations;
    std::array<unsigned, 8 * kProfile.clients> causes;
    std::uint64_t wake_at;
    bool operator==(const Seen&) const = default;
  };
  unsigned stood_ = 0;  // how often the clock of the queues stood when a step was over
  static constexpr unsigned kFirst = 8, kSome = 6;  // queues

  Seen run(std::uint64_t seed, bool gated) {
    Random same(seed);
    InjectionBench fresh(same);
    fresh.around.regions = bench_.around.regions;
    fresh.gated = gated;
    fresh.request_chance = 70;
    std::mt19937_64 work(seed);
    fresh.limit<layout::node_limits::credit_timeout_cycles>(100 +
                                                            static_cast<unsigned>(work() % 3000));
    fresh.limit<layout::node_limits::send_retry_cycles>(10 + static_cast<unsigned>(work() % 300));
    fresh.limit<layout::node_limits::send_retries>(3);
    fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 2);
    for (unsigned queue = kFirst; queue < kFirst + kSome; ++queue) make(fresh, queue);
    for (unsigned step = 0; step < 60; ++step) {
      const auto queue = kFirst + static_cast<unsigned>(work() % kSome);
      post_any(fresh, queue, work());
      fresh.ticks(static_cast<unsigned>(work() % 120));
      stood_ += fresh.queue_stood();
      const Status status = work() % 3 == 0 ? Status::kReceiveDisabled : Status::kOk;
      const auto number = static_cast<std::uint32_t>(work() % 6);
      fresh.answer(queue, number, status, work() % 2 == 0 ? kPeerNode : 1, work() % 3 == 0);
      if (work() % 4 == 0) fresh.return_credit(1, static_cast<std::uint16_t>(work() % 8));
    }
    fresh.ticks(1000);
    Seen seen{{}, fresh.operations, fresh.causes, fresh.wake_at()};
    for (const SentPacket& sent : fresh.requests) {
      seen.flits.emplace_back(sent.first, sent.packet.bytes());
    }
    return seen;
  }
  static void post_any(InjectionBench& bench, unsigned queue, std::uint64_t choice) {
    if (bench.rings[queue].tail - bench.state(queue).head >= 16) return;
    const PacketHeader image = PacketHeader().set<h::dst_x>(1);
    const Descriptor any[] = {moving(Opcode::kSend, 8),
                              moving(Opcode::kSend, 600),
                              with(Opcode::kFence).set<d::header>(image),
                              moving(Opcode::kGet, 64).set<d::reflect>(1),
                              moving(Opcode::kPut, 100),
                              with(Opcode::kNop)};
    bench.put(queue, any[choice % 6]);
    bench.doorbell(queue);
  }
};

TEST_F(StandsStill, UntilATickOrATimeoutIsDue) {
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    const std::uint64_t seed = random_.bits64();
    const Seen running = run(seed, false);
    EXPECT_EQ(run(seed, true), running);
    EXPECT_GT(running.flits.size(), 10U);
  }
  EXPECT_GT(stood_, 10U);
}

}  // namespace
}  // namespace torusmu::testing
