// SPDX-License-Identifier: Apache-2.0
// model: Vmu_injection_block tb/mu_injection_block.sv
//
// What holds for each of the queues: whose turn it is, what a flush takes away, and counts that
// are waited for, of any size.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace w = layout::wait_operation;
namespace c = registers::injection_queue;
using Block = InjectionBench::Block;

constexpr unsigned kQueues = 32;
constexpr unsigned kEvent = 9;
constexpr unsigned kCompletions = 5;  // a completion queue
constexpr std::uint32_t kPeerNode = 0x101;

class EveryQueue : public InjectionFixture {
 protected:
  EveryQueue() {
    namespace p = c::peer_field;
    bench_->send_retry_cycles_i = 500;
    bench_->send_retries_i = 255;
    bench_.make_completion_queue(kCompletions, 1024, kOwner);
    peer_ = insert(0, p::x, kPeerNode & 15) | insert(0, p::z, kPeerNode >> 8) |
            insert(0, p::queue, 3) | insert(0, p::connected, 1) |
            insert(0, p::completion_valid, 1) | insert(0, p::completion_queue, kCompletions);
  }
  void make(unsigned queue, QueueMode mode = QueueMode::kDoorbell) {
    ASSERT_EQ(bench_.write(Block::kQueue, c::config(queue), 0), Status::kOk);
    ASSERT_EQ(bench_.write(Block::kQueue, c::peer(queue), peer_), Status::kOk);
    bench_.make_queue(queue, 0x40000 + queue * 0x400, 16, mode, kOwner);
  }
  void post(unsigned queue, const std::vector<Descriptor>& descriptors) {
    for (const Descriptor& descriptor : descriptors) bench_.put(queue, descriptor);
    ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
  }
  static Descriptor with(Opcode opcode) { return Descriptor().set<d::opcode>(opcode); }
  static Descriptor wait(std::uint32_t value) {
    return with(Opcode::kWait)
        .set<d::event_valid>(1)
        .set<d::event_counter>(kEvent)
        .set<d::immediate>(WaitOperation().set<w::value>(value).bytes());
  }
  static Descriptor wait_for_queue(unsigned queue, std::uint32_t value) {
    return with(Opcode::kWait)
        .set<d::on_queue>(1)
        .set<d::header>(PacketHeader().set<h::target>(queue))
        .set<d::immediate>(WaitOperation().set<w::value>(value).bytes());
  }
  static Descriptor moving(Opcode opcode, std::uint64_t length) {
    return with(opcode).set<d::source_region>(5).set<d::length>(length);
  }
  static Descriptor pipe(unsigned in) {
    return moving(Opcode::kPipe, 512)
        .set<d::immediate>(PipeOperation()
                               .set<layout::pipe_operation::messages>(1)
                               .set<layout::pipe_operation::buffer_bytes>(512)
                               .set<layout::pipe_operation::receive_queue>(in)
                               .bytes());
  }
  // Queues in a random order.
  std::vector<unsigned> shuffled() {
    std::vector<unsigned> queues(kQueues);
    std::iota(queues.begin(), queues.end(), 0U);
    for (unsigned i = 0; i < kQueues; ++i) std::swap(queues[i], queues[i + below(kQueues - i)]);
    return queues;
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  // Each of `wanted` once, those behind the first one first.
  static void expect_turns(const std::vector<unsigned>& got, std::vector<unsigned> wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    std::sort(wanted.begin(), wanted.end());
    std::rotate(wanted.begin(), std::find(wanted.begin(), wanted.end(), got.front()), wanted.end());
    EXPECT_EQ(got, wanted);
  }
  void expect_rest() {
    bench_.drain();
    EXPECT_FALSE(bench_->queue_active_o);
    EXPECT_FALSE(bench_->cross_active_o);
    EXPECT_FALSE(bench_->injection_active_o);
    EXPECT_FALSE(bench_->reply_active_o);
    EXPECT_FALSE(bench_->packet_active_o);
  }

  std::uint64_t peer_ = 0;  // register
};

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
    std::vector<unsigned> got;
    for (const SentPacket& sent : bench_.requests) {
      got.push_back(static_cast<unsigned>(PacketTrailer(sent.packet.trailer).get<t::queue>()));
    }
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

TEST_F(EveryQueue, HasItsTurnWithCalcs) {
  for (int round = 0; round < 4; ++round) {
    const auto queues = shuffled();
    const std::vector<unsigned> some(queues.begin(), queues.begin() + 1 + below(kQueues));
    bench_.calcs.clear();
    // The first runs until all others are due.
    bench_.calc_latency = 1500;
    for (const unsigned queue : some) {
      make(queue);
      post(queue, {with(Opcode::kCalc), immediate(4)});
    }
    bench_.ticks(100);
    bench_.calc_latency = 1;
    expect_rest();
    std::vector<unsigned> got;
    for (const FetchedDescriptor& calc : bench_.calcs) {
      got.push_back(static_cast<unsigned>(calc.get<f::queue>()));
    }
    expect_turns(got, some);
  }
}

TEST_F(EveryQueue, HasItsTurnWithPipes) {
  for (int round = 0; round < 4; ++round) {
    const auto queues = shuffled();
    const std::vector<unsigned> senders(queues.begin(), queues.begin() + kQueues / 2);
    bench_.requests.clear();
    bench_.buffers.clear();
    for (unsigned i = 0; i < kQueues / 2; ++i) {
      const unsigned in = queues[kQueues / 2 + i];
      make(senders[i]);
      make(in, QueueMode::kPiped);
      post(senders[i], {pipe(in)});
    }
    bench_.drain();
    for (std::size_t i = 0; i < senders.size(); ++i) {
      ASSERT_EQ(bench_.buffers.size(), i + 1);
      bench_.end_receive(
          static_cast<unsigned>(bench_.buffers[i].get<layout::receive_buffer::queue>()), 8);
      bench_.drain();
      ASSERT_EQ(bench_.requests.size(), i + 1);
      const PacketTrailer trailer = bench_.requests[i].packet.trailer;
      bench_.answer(static_cast<unsigned>(trailer.get<t::queue>()), 0, Status::kOk, kPeerNode);
      bench_.drain();
    }
    expect_rest();
    std::vector<unsigned> got;
    for (const SentPacket& sent : bench_.requests) {
      got.push_back(static_cast<unsigned>(PacketTrailer(sent.packet.trailer).get<t::queue>()));
    }
    expect_turns(got, senders);
  }
}

// What holds it, in all queues at once, and two behind it.
TEST_F(EveryQueue, LosesWhatHoldsItWhenItIsConfigured) {
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    const auto queues = shuffled();
    const unsigned in = queues[kQueues - 1];
    make(in, QueueMode::kPiped);
    bench_.calc_latency = 4000;  // longer than all that follows
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
    bench_.ticks(300);
    bench_.told = {};
    std::vector<unsigned> wanted, resets;  // queues; those that hold something of a pair
    const std::size_t sent = bench_.requests.size();
    const std::size_t offered = bench_.buffers.size();
    for (unsigned i = 1; i + 1 < kQueues; ++i) {
      const unsigned queue = queues[i];
      SCOPED_TRACE(queue);
      bench_.completions.entries.clear();
      ASSERT_EQ(bench_.write(Block::kQueue, c::config(queue), 0), Status::kOk);
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
    ASSERT_EQ(bench_.write(Block::kReflection, registers::reflection::credit(), 1), Status::kOk);
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

}  // namespace
}  // namespace torusmu::testing
