// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// The queue engine as software and the network see it: registers, doorbells, reservations, order.
// It runs together with the injection engine, which is what empties its queues.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace t = layout::packet_trailer;
namespace q = registers::injection_queue;
namespace page = registers::client_page;

class QueueEngine : public InjectionFixture {
 protected:
  Status status(const RegisterRequest& request) {
    const auto response = bench_.access(RegisterUnit::kQueue, request);
    const auto status = response.get<layout::register_response::status>();
    if (status != Status::kOk) {
      EXPECT_EQ(response.get<layout::register_response::data>(), 0U) << "a refused access reads 0";
    }
    return status;
  }
  static RegisterRequest set(std::uint32_t address, std::uint64_t data, bool wide = true) {
    return InjectionBench::request(address, true, data, wide);
  }
  static RegisterRequest get(std::uint32_t address) {
    return InjectionBench::request(address, false);
  }
  static RegisterRequest ring(std::uint64_t client, unsigned queue, std::uint32_t tail) {
    return InjectionBench::page_request(client, page::queue_index.in_block(queue), true, tail);
  }
};

TEST_F(QueueEngine, ReadsZeroAfterReset) {
  for (const unsigned queue : {0U, 17U, 31U}) {
    for (const std::uint32_t offset : {0x00U, 0x08U, 0x10U, 0x18U, 0x20U, 0x28U}) {
      EXPECT_EQ(bench_.read(RegisterUnit::kQueue, q::base(queue) + offset), 0U);
    }
  }
}

TEST_F(QueueEngine, ReadsBackWhatWasWritten) {
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    bench_.make_queue(queue, 0xFF00000000ULL + queue, 1U << queue % 25, QueueMode::kPush, queue % 4,
                      queue % 2 != 0);
  }
  for (unsigned queue = 0; queue < kProfile.injection_queues; ++queue) {
    const auto block = RegisterUnit::kQueue;
    EXPECT_EQ(bench_.read(block, q::base(queue)), 0xFF00000000ULL + queue);
    EXPECT_EQ(bench_.read(block, q::size(queue)), 1U << queue % 25);
    EXPECT_EQ(bench_.read(block, q::config(queue)), 2U | queue % 4 << 4 | queue % 2 << 8);
  }
}

TEST_F(QueueEngine, RefusesWhatARegisterDoesNotTake) {
  EXPECT_EQ(status(set(q::base(3), 1ULL << 40)), Status::kRegisterValue);
  EXPECT_EQ(status(set(q::base(3), (1ULL << 40) - 1)), Status::kOk);
  EXPECT_EQ(status(set(q::size(3), 0)), Status::kRegisterValue);
  EXPECT_EQ(status(set(q::config(3), 1)), Status::kRegisterValue) << "no size yet";
  for (const std::uint64_t size : {3U, 5U, 6U, 7U, (1U << 24) - 1, (1U << 24) + 1, 1U << 25})
    EXPECT_EQ(status(set(q::size(3), size)), Status::kRegisterValue) << size;
  EXPECT_EQ(status(set(q::size(3), 1U << 24)), Status::kOk);
  EXPECT_EQ(status(set(q::config(3), 1)), Status::kRegisterValue) << "past the address space";
  EXPECT_EQ(status(set(q::base(3), (1ULL << 40) - (1U << 30))), Status::kOk);
  EXPECT_EQ(status(set(q::config(3), 7)), Status::kRegisterValue);
  if (kProfile.clients < 16) {
    EXPECT_EQ(status(set(q::config(3), 1 | kProfile.clients << 4)), Status::kRegisterValue);
  }
  EXPECT_EQ(status(set(q::config(3), 1 | 1 << 3)), Status::kRegisterValue);
  EXPECT_EQ(status(set(q::config(3), 1 | 1 << 11)), Status::kRegisterValue);
  EXPECT_EQ(status(set(q::config(3), 4)), Status::kOk) << "a reflection queue";
  EXPECT_EQ(status(set(q::size(3), 4)), Status::kRegisterValue) << "in use";
  EXPECT_EQ(status(set(q::base(3), 4)), Status::kRegisterValue) << "in use";
  EXPECT_EQ(status(set(q::peer(3), 0)), Status::kRegisterValue) << "in use";
  EXPECT_EQ(status(set(q::size(7), 4)), Status::kOk);
  EXPECT_EQ(status(set(q::config(7), 4)), Status::kRegisterValue) << "reflection queues are 0..6";
  for (const std::uint32_t address : {q::head(3), q::tail(3), q::status(3), q::limit(3)}) {
    EXPECT_EQ(status(set(address, 0)), Status::kRegisterUnknown);
  }
  EXPECT_EQ(status(get(q::base(kProfile.injection_queues - 1) + q::kStride)),
            Status::kRegisterUnknown)
      << "past the last queue";
  EXPECT_EQ(status(set(q::base(4), 4, false)), Status::kRegisterPartial);
  EXPECT_EQ(status(get(q::size(3))), Status::kOk);
  EXPECT_EQ(bench_.read(RegisterUnit::kQueue, q::size(3)), 1U << 24) << "unchanged";
}

TEST_F(QueueEngine, TakesDoorbellsOnlyFromTheOwnerAndOnlyInRange) {
  bench_.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
  EXPECT_EQ(status(ring(1, kQueue, 1)), Status::kDoorbellOwner);
  EXPECT_EQ(status(ring(kOwner, kQueue, 5)), Status::kDoorbellRange);
  EXPECT_EQ(status(ring(kOwner, kQueue, 0xFFFFFFFF)), Status::kDoorbellRange);
  EXPECT_EQ(status(InjectionBench::page_request(kOwner, page::queue_index.in_block(kQueue), true, 1,
                                                true)),
            Status::kRegisterPartial);
  EXPECT_EQ(status(InjectionBench::page_request(
                kOwner, page::queue_index.in_block(kProfile.injection_queues + 8), true, 1)),
            Status::kRegisterUnknown);
  EXPECT_EQ(status(InjectionBench::page_request(1, page::queue_index.in_block(kQueue), false)),
            Status::kDoorbellOwner);
  EXPECT_EQ(status(ring(kOwner, 9, 0)), Status::kDoorbellOwner) << "a queue that is off";
  bench_.drain();
  EXPECT_EQ(bench_.fetch.commands, 0U);
  bench_.make_queue(9, 0x4000, 4, QueueMode::kRemoteGet, kOwner);
  EXPECT_EQ(status(ring(kOwner, 9, 1)), Status::kDoorbellOwner) << "the MU owns its tail";
  for (int i = 0; i < 4; ++i) bench_.put(kQueue, immediate(3));
  EXPECT_EQ(status(ring(kOwner, kQueue, 4)), Status::kOk);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 4U);
  EXPECT_EQ(status(ring(kOwner, kQueue, 4)), Status::kOk) << "the same tail again";
  EXPECT_EQ(status(ring(kOwner, kQueue, 3)), Status::kDoorbellRange) << "backwards";
  const auto answer = bench_.access(
      RegisterUnit::kQueue,
      InjectionBench::page_request(kOwner, page::queue_index.in_block(kQueue), false));
  EXPECT_EQ(answer.get<layout::register_response::data>(), 0x0000000400000004ULL);
}

TEST_F(QueueEngine, RefusesReservationsThatItsModeOwnerOrRoomForbid) {
  bench_.make_queue(0, 0x4000, 4, QueueMode::kReflection, 1);
  bench_.make_queue(9, 0x5000, 8, QueueMode::kRemoteGet, 1);
  bench_.make_queue(10, 0x6000, 2, QueueMode::kPush, 1);
  const auto get_status = [this](unsigned queue, unsigned count, bool reflected) {
    return bench_.reserve(queue, count, reflected).get<layout::ring_slots::status>();
  };
  const auto push_status = [this](unsigned queue, unsigned client) {
    return bench_.reserve(queue, 1, false, true, client).get<layout::ring_slots::status>();
  };
  EXPECT_EQ(get_status(0, 1, false), Status::kQueueInvalid);
  EXPECT_EQ(get_status(9, 1, true), Status::kQueueInvalid);
  EXPECT_EQ(get_status(10, 1, false), Status::kQueueInvalid);
  EXPECT_EQ(get_status(11, 1, false), Status::kQueueInvalid);
  EXPECT_EQ(get_status(200, 1, false), Status::kQueueInvalid);
  EXPECT_EQ(push_status(9, 1), Status::kQueueInvalid);
  EXPECT_EQ(push_status(10, 2), Status::kDoorbellOwner);
  EXPECT_EQ(get_status(9, 5, false), Status::kOk);
  EXPECT_EQ(get_status(9, 4, false), Status::kQueueFull) << "all or nothing";
  const RingSlots last = bench_.reserve(9, 3, false);
  EXPECT_EQ(last.get<layout::ring_slots::status>(), Status::kOk);
  EXPECT_EQ(last.get<layout::ring_slots::position>(), 5U);
  EXPECT_EQ(last.get<layout::ring_slots::base>(), 0x5000U);
  EXPECT_EQ(last.get<layout::ring_slots::size>(), 8U);
  EXPECT_EQ(get_status(9, 1, false), Status::kQueueFull);
  EXPECT_EQ(push_status(10, 1), Status::kOk);
  EXPECT_EQ(push_status(10, 1), Status::kOk);
  EXPECT_EQ(push_status(10, 1), Status::kQueueFull);
}

TEST_F(QueueEngine, FetchesNothingThatIsOnlyReserved) {
  bench_.make_queue(9, 0x5000, 8, QueueMode::kRemoteGet, kOwner);
  bench_.reserve(9, 3, false);
  bench_.ticks(50);
  EXPECT_EQ(bench_.fetch.commands, 0U);
  for (unsigned i = 0; i < 3; ++i) bench_.put(9, stamped(immediate(4)));
  bench_.publish(9, 3);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 3U);
}

TEST_F(QueueEngine, SaysWhetherAReflectionQueueIsEmpty) {
  bench_.make_queue(2, 0x4000, 4, QueueMode::kReflection, 1);
  bench_.make_queue(9, 0x5000, 4, QueueMode::kRemoteGet, 1);
  const auto empty = [this](unsigned queue) {
    testing::put<layout::reception_requests::get, layout::get_reserve::queue>(
        bench_->reception_requests_i, queue);
    bench_.tick();
    return testing::get<layout::queue_answer::empty>(bench_->queue_answer_o) != 0;
  };
  EXPECT_TRUE(empty(2));
  EXPECT_FALSE(empty(9)) << "no reflection queue";
  EXPECT_FALSE(empty(3));
  EXPECT_FALSE(empty(255));
  bench_.reserve(2, 1, true);
  EXPECT_FALSE(empty(2)) << "a reserved slot counts";
  bench_.put(2, stamped(immediate(4)));
  bench_.publish(2, 1);
  EXPECT_FALSE(empty(2));
  bench_.drain();
  EXPECT_TRUE(empty(2));
}

TEST_F(QueueEngine, ConfiguresOnlyOnceNothingOfTheQueueIsInFlight) {
  bench_.fetch.latency = 80;
  bench_.payload.latency = 80;
  for (const unsigned wait : {0U, 1U, 2U, 5U, 30U, 90U, 150U, 200U}) {
    SCOPED_TRACE(wait);
    bench_.requests.clear();
    bench_.make_queue(kQueue, kRing, 16, QueueMode::kDoorbell, kOwner);
    for (int i = 0; i < 12; ++i) bench_.put(kQueue, put(0, 600));
    bench_.doorbell(kQueue);
    bench_.ticks(wait);
    ASSERT_EQ(bench_.write(RegisterUnit::kQueue, q::config(kQueue), 0), Status::kOk);
    const std::uint64_t fetched = bench_.fetch.commands;
    const auto state = bench_.state(kQueue);
    EXPECT_EQ(state.head, 0U);
    EXPECT_EQ(state.tail, 0U);
    bench_.drain();
    EXPECT_EQ(bench_.fetch.commands, fetched) << "nothing is fetched afterwards";
    std::uint64_t next = 0;
    for (const SentPacket& sent : bench_.requests) {
      EXPECT_EQ(sent.packet.trailer.get<t::index>(), next);
      next += sent.packet.trailer.get<t::last>();
    }
    EXPECT_LT(next, 12U) << "flushed, not finished";
  }
}

TEST_F(QueueEngine, RefusesABadConfigAtOnceHoweverBusyTheQueueIs) {
  bench_.request_chance = 0;
  bench_.make_queue(kQueue, kRing, 16, QueueMode::kDoorbell, kOwner);
  for (int i = 0; i < 16; ++i) bench_.put(kQueue, put(0, 512));
  bench_.doorbell(kQueue);
  bench_.ticks(200);
  for (const std::uint64_t bad :
       {std::uint64_t{7}, std::uint64_t{1} << 9, std::uint64_t{kProfile.clients < 16 ? 0x41 : 9}}) {
    const auto response = bench_.access(RegisterUnit::kQueue, set(q::config(kQueue), bad), 10);
    EXPECT_EQ(response.get<layout::register_response::status>(), Status::kRegisterValue);
  }
  EXPECT_EQ(bench_.access(RegisterUnit::kQueue, set(q::config(kQueue), 0, false), 10)
                .get<layout::register_response::status>(),
            Status::kRegisterPartial);
  bench_.request_chance = 100;
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 16U);
}

TEST_F(QueueEngine, ConfiguresOnlyOnceReservedSlotsArePublished) {
  bench_.make_queue(9, 0x5000, 8, QueueMode::kRemoteGet, kOwner);
  bench_.reserve(9, 2, false);
  drive(bench_->register_request_i, set(q::config(9), 0));
  bench_->register_valid_i = 1;
  bench_.ticks(100);
  EXPECT_FALSE(bench_->register_done_o);
  EXPECT_EQ(bench_.reserve(9, 1, false).get<layout::ring_slots::status>(), Status::kQueueInvalid)
      << "no more while it is being configured";
  for (unsigned i = 0; i < 2; ++i) bench_.put(9, stamped(immediate(4)));
  bench_.publish(9, 2);
  for (int i = 0; i < 200 && !bench_->register_done_o; ++i) bench_.tick();
  EXPECT_TRUE(bench_->register_done_o);
  bench_.tick();
  bench_->register_valid_i = 0;
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
}

TEST_F(QueueEngine, RunsPushedDescriptors) {
  run_and_compare({immediate(4), put(9, 700), Descriptor().set<d::opcode>(Opcode::kNop), put(0, 0),
                   immediate(16)},
                  2, QueueMode::kPush);
}

// Many queues of all modes under random traffic, latencies and back-pressure; each queue's packets
// must be those of its descriptors in order.
TEST_F(QueueEngine, KeepsEveryQueueInOrderUnderRandomTraffic) {
  for (unsigned round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    const auto chance = [this] { return static_cast<unsigned>(25 + random_.below(76)); };
    fresh.fetch.latency = static_cast<unsigned>(1 + random_.below(40));
    fresh.payload.latency = static_cast<unsigned>(1 + random_.below(40));
    fresh.fetch.command_chance = chance();
    fresh.fetch.beat_chance = chance();
    fresh.payload.command_chance = chance();
    fresh.payload.beat_chance = chance();
    fresh.request_chance = chance();
    fresh.reply_chance = chance();
    fresh.operation_chance = chance();
    struct Expected {
      std::deque<Packet> packets;
      std::uint64_t posted = 0;
      std::uint64_t errors = 0;
    };
    std::map<unsigned, Expected> expected;
    std::size_t packets = 0, notices = 0, operations = 0;
    const std::array<QueueMode, 8> modes = {QueueMode::kReflection, QueueMode::kReflection,
                                            QueueMode::kDoorbell,   QueueMode::kDoorbell,
                                            QueueMode::kDoorbell,   QueueMode::kPush,
                                            QueueMode::kRemoteGet,  QueueMode::kRemoteGet};
    for (unsigned queue = 0; queue < modes.size(); ++queue) {
      fresh.make_queue(queue, 0x1000 * (queue + 1) + random_.below(64), 1U << random_.below(5),
                       modes[queue], kOwner);
    }
    for (int step = 0; step < 300; ++step) {
      const auto queue = static_cast<unsigned>(random_.below(modes.size()));
      auto& ring = fresh.rings[queue];
      Descriptor descriptor = random_.chance(40)
                                  ? immediate(1 + random_.below(16))
                                  : put(random_.below(5000), 1 + random_.below(1500));
      if (random_.chance(10)) descriptor.set<d::length>(0);
      if (random_.chance(20)) descriptor.set<d::opcode>(Opcode::kFifo);
      if (random_.chance(10)) descriptor.set<d::opcode>(Opcode::kNop);
      if (ring.mode == QueueMode::kDoorbell && random_.chance(50)) {
        descriptor.set<d::done_event_valid>(1).set<d::done_event>(9);
      }
      if (ring.mode == QueueMode::kReflection || ring.mode == QueueMode::kRemoteGet) {
        descriptor = stamped(descriptor);
      }
      const Outcome outcome = expected_outcome(fresh.around, descriptor,
                                               {ring.mode, kOwner, queue, expected[queue].posted});
      if (ring.mode == QueueMode::kDoorbell) {
        if (ring.tail - fresh.state(queue).head >= ring.size) continue;
        fresh.put(queue, descriptor);
        ASSERT_EQ(fresh.doorbell(queue), Status::kOk);
      } else if (fresh.deliver(queue, descriptor) != Status::kOk) {
        continue;
      }
      Expected& mine = expected[queue];
      ++mine.posted;
      mine.errors += outcome.status != Status::kOk;
      mine.packets.insert(mine.packets.end(), outcome.packets.begin(), outcome.packets.end());
      packets += outcome.packets.size();
      notices += outcome.notice.has_value();
      operations += outcome.operations.size();
      fresh.ticks(static_cast<unsigned>(random_.below(40)));
    }
    fresh.drain();
    std::size_t notices_seen = 0;
    std::vector<SentPacket> all = fresh.requests;
    all.insert(all.end(), fresh.replies.begin(), fresh.replies.end());
    for (const SentPacket& sent : all) {
      if (sent.packet.header.get<layout::packet_header::kind>() == Kind::kNotice) {
        ++notices_seen;
        continue;
      }
      Expected& mine = expected[static_cast<unsigned>(sent.packet.trailer.get<t::queue>())];
      ASSERT_FALSE(mine.packets.empty());
      ASSERT_EQ(sent.packet.bytes(), mine.packets.front().bytes());
      mine.packets.pop_front();
    }
    EXPECT_EQ(all.size(), packets + notices);
    EXPECT_EQ(notices_seen, notices);
    EXPECT_EQ(fresh.operations.size(), operations);
    for (const auto& [queue, mine] : expected) {
      EXPECT_EQ(fresh.state(queue).head, mine.posted);
      EXPECT_EQ(fresh.state(queue).count, mine.errors);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
