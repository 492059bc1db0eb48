// SPDX-License-Identifier: Apache-2.0
// model: Vmu_cross_channel mu_cross_channel
// bgp:
// Cross-channel control alone, in sequences of its own and under everything at once, compared in
// each cycle with what the contract says.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "tests/support/cross_channel_bench.h"
#include "tests/support/cross_channel_model.h"
#include "tests/support/mood.h"
#include "tests/support/wide.h"

namespace torusmu::testing::cross_channel {
namespace {

constexpr std::array<std::array<Opcode, 2>, 6> kPairs = {{
    {Opcode::kWait, Opcode::kPut},
    {Opcode::kWait, Opcode::kCalc},
    {Opcode::kPipe, Opcode::kCalc},
    {Opcode::kSend, Opcode::kSend},
    {Opcode::kSend, Opcode::kFence},
    {Opcode::kReceive, Opcode::kReceive},
}};

class CrossChannelAtRandom : public CrossChannelBench {
 protected:
  Mood draw_mood() {
    return {
        .queues = chance(30) ? kQueues : 1 + below(4),
        .comes = 20 + draw_percent(random_) * 4 / 5,
        .same = draw_percent(random_),
        .ready = 20 + draw_percent(random_) * 4 / 5,
        .resumes = 10 + draw_percent(random_) * 4 / 5,
        .stops = 10 + draw_percent(random_) * 9 / 10,
        .shows = 10 + draw_percent(random_) * 9 / 10,
        .counts = draw_percent(random_),
        .reached = draw_percent(random_),
        .flushes = chance(50) ? 0U : 5U,
        .silent = chance(20) ? 0U : 80U,
        .paired = chance(60) ? 90U : 0U,
        .pair = kPairs.at(below(kPairs.size())),
        .neighbours = {.holds = chance(80) ? 90U : 10U,
                       .judged = chance(50) ? 100U : 40U,
                       .ends = 2 + draw_percent(random_) / 2,
                       .again = draw_percent(random_) / 2,
                       .ahead = draw_percent(random_),
                       .ok = chance(50) ? 90U : 40U},
        .cycles = chance(80) ? 200U : 1000U,
    };
  }
};

TEST_F(CrossChannelAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 300; ++i) {
    if (chance(20)) forget();
    ASSERT_NO_FATAL_FAILURE(run(draw_mood())) << "mood " << i;
  }
}

// One after the other, with two descriptors after each other of each kind.
TEST_F(CrossChannelAtRandom, KeepsItsContractInEveryQueue) {
  SCOPED_TRACE(random_.replay());
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    for (const auto& pair : kPairs) {
      const Mood mood = {.queues = 1,
                         .comes = 30,
                         .same = 100,
                         .flushes = 2,
                         .paired = 90,
                         .pair = pair,
                         .neighbours = {.holds = 95, .ends = 10, .again = 3, .ahead = 80},
                         .cycles = 250};
      in_queue_ = queue;
      ASSERT_NO_FATAL_FAILURE(run(mood, queue)) << "queue " << queue;
    }
  }
}

// They are filled with two descriptors each before any ends.
TEST_F(CrossChannelAtRandom, KeepsItsContractIfAllQueuesAreHeld) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 4; ++i) {
    for (const auto& pair : kPairs) {
      Mood mood = draw_mood();
      mood.queues = kQueues;
      mood.comes = mood.ready = mood.neighbours.judged = mood.neighbours.holds = 100;
      mood.resumes = mood.stops = mood.shows = mood.neighbours.ahead = mood.paired = 100;
      mood.same = mood.counts = mood.flushes = mood.neighbours.ends = mood.neighbours.again = 0;
      mood.pair = pair;
      mood.cycles = 500;
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "full " << i;
      mood.counts = mood.neighbours.ends = 20;
      mood.flushes = 3;
      mood.comes = 20;
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "empty " << i;
    }
  }
}

// One thing at a time, with nothing left to chance but what nobody looks at.
class CrossChannelAlone : public CrossChannelBench {
 protected:
  CrossChannelAlone() {
    mood_ = {.comes = 0,
             .goes = 0,
             .ready = 100,
             .resumes = 100,
             .stops = 100,
             .shows = 100,
             .counts = 0,
             .flushes = 0,
             .neighbours = {.holds = 0, .judged = 100, .ends = 0, .again = 0, .ahead = 0}};
  }
  static constexpr unsigned kOwner = 3, kCounter = 200;

  Fetched descriptor_of(unsigned queue, Opcode opcode) {
    Descriptor descriptor;
    descriptor.set<d::opcode>(opcode).set<d::signal>(1);
    return Fetched{}.set<f::descriptor>(descriptor).set<f::queue>(queue).set<f::owner>(kOwner);
  }
  // For a count of descriptors or entries, or of event counter kCounter.
  Fetched wait_of(unsigned queue, std::optional<unsigned> source, std::uint32_t value,
                  bool relative = false) {
    Fetched fetched = descriptor_of(queue, Opcode::kWait);
    auto descriptor = fetched.get<f::descriptor>();
    const auto operand =
        Record<layout::wait_operation::Layout>{}.set<layout::wait_operation::value>(value);
    descriptor.set<d::immediate>(operand.bytes()).set<d::relative>(relative);
    auto header = descriptor.get<d::header>();
    header.set<layout::packet_header::target>(source.value_or(0));
    descriptor.set<d::header>(header).set<d::on_queue>(source.has_value());
    descriptor.set<d::event_counter>(source ? 0 : kCounter).set<d::event_valid>(!source);
    return fetched.set<f::descriptor>(descriptor);
  }
  static unsigned setup(QueueMode mode) { return kOwner << 3 | static_cast<unsigned>(mode); }
  // Takes it through the cycle in which it waits, is due, or offers its buffer; the queue that it
  // asks for answers before that.
  void attach(const Fetched& held, const Answer& answer = {.setup = setup(QueueMode::kDoorbell)}) {
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.held = held; }));
    in_.held.reset();
    if (held.get<f::again>() == 0) {
      ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.answer = answer; }));
    }
    ASSERT_EQ(model_.phase(), Phase::kSet);
    ASSERT_NO_FATAL_FAILURE(cycle());
  }
  void attach_waiting(const Fetched& held) {
    ASSERT_NO_FATAL_FAILURE(attach(held));
    ASSERT_TRUE(dut_->waiting_o);
    const auto behind = model_.threshold() - 1;
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.answer.head = in_.answer.tail = behind; }));
  }
  // And the cycle in which that is seen.
  void count_event(std::uint32_t value) {
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.event = Count{kCounter, value}; }));
    ASSERT_NO_FATAL_FAILURE(cycle());
  }
  // How what leaves within some cycles has gone.
  std::optional<Status> leaves() {
    for (int i = 0; i < 6; ++i) {
      cycle();
      if (HasFatalFailure()) return std::nullopt;
      if (out_.queues.out) return out_.queues.out->get<f::run_status>();
    }
    return std::nullopt;
  }
  // How all queues have gone.
  void expect_all_to_leave(unsigned flushed) {
    unsigned left = 0;
    for (int i = 0; i < 400 && (left < kQueues || in_.configure); ++i) {
      ASSERT_NO_FATAL_FAILURE(cycle());
      if (!out_.queues.out || !in_.out_ready) continue;
      const bool flushes = name_of(*out_.queues.out) == flushed;
      EXPECT_EQ(out_.queues.out->get<f::run_status>(), flushes ? Status::kFlushed : Status::kOk);
      ++left;
    }
    EXPECT_EQ(left, kQueues);
  }
  // Anew, when nothing of it is left.
  void configure(unsigned queue) {
    ASSERT_NO_FATAL_FAILURE(cycle([&] {
      in_.configure = queue;
      in_.configured = true;
    }));
    ASSERT_NO_FATAL_FAILURE(cycle());
  }
};

TEST_F(CrossChannelAlone, AWaitStandsThreeCyclesAfterItWasHeldAndLeavesThreeAfterItsCount) {
  ASSERT_NO_FATAL_FAILURE(attach(wait_of(kQueues - 1, std::nullopt, 7)));
  EXPECT_TRUE(dut_->waiting_o);
  ASSERT_NO_FATAL_FAILURE(count_event(6));
  EXPECT_TRUE(dut_->waiting_o);
  ASSERT_NO_FATAL_FAILURE(count_event(7));
  EXPECT_FALSE(dut_->waiting_o);
  ASSERT_NO_FATAL_FAILURE(cycle());
  EXPECT_FALSE(out_.queues.out);
  ASSERT_NO_FATAL_FAILURE(cycle());
  ASSERT_TRUE(out_.queues.out);
  EXPECT_EQ(out_.queues.out->get<f::run_status>(), Status::kOk);
}

TEST_F(CrossChannelAlone, ARelativeWaitGoesOnFromTheLastOneUntilItsQueueIsConfigured) {
  for (const std::uint32_t value : {100U, 103U}) {
    ASSERT_NO_FATAL_FAILURE(attach(wait_of(0, std::nullopt, value == 100 ? 100 : 3, true)));
    ASSERT_NO_FATAL_FAILURE(count_event(value - 1));
    EXPECT_TRUE(dut_->waiting_o) << value;
    ASSERT_NO_FATAL_FAILURE(count_event(value));
    EXPECT_EQ(leaves(), Status::kOk);
  }
  ASSERT_NO_FATAL_FAILURE(configure(0));
  ASSERT_NO_FATAL_FAILURE(attach(wait_of(0, std::nullopt, 3, true)));
  ASSERT_NO_FATAL_FAILURE(count_event(3));
  EXPECT_FALSE(dut_->waiting_o);
}

TEST_F(CrossChannelAlone, ACalcBeginsWhenAllBeforeItAreDone) {
  const Fetched calc = descriptor_of(9, Opcode::kCalc).set<f::index>(0xFFFFFFFF);
  ASSERT_NO_FATAL_FAILURE(attach_waiting(calc));
  for (const Count& count : {Count{8, 0}, Count{9, 0xFFFFFFFE}}) {
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.done = count; }));
    EXPECT_TRUE(dut_->waiting_o) << count.index;
  }
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.done = Count{9, 0xFFFFFFFF}; }));
  ASSERT_NO_FATAL_FAILURE(cycle());
  ASSERT_NO_FATAL_FAILURE(cycle());
  ASSERT_TRUE(dut_->calc_valid_o);
  EXPECT_EQ(sample_record<Fetched>(dut_->calc_data_o), calc);
}

TEST_F(CrossChannelAlone, AWaitForAQueueNeedsOneOfItsOwnClient) {
  const unsigned mine = setup(QueueMode::kReceive), off = setup(QueueMode::kOff);
  for (const unsigned foreign : {off, mine ^ 1U << 3, mine ^ 1U << 6}) {
    ASSERT_NO_FATAL_FAILURE(attach(wait_of(2, 30, 1), {.setup = foreign}));
    EXPECT_FALSE(dut_->waiting_o) << foreign;
    EXPECT_EQ(leaves(), Status::kQueueInvalid) << foreign;
  }
  ASSERT_NO_FATAL_FAILURE(attach(wait_of(2, 30, 1), {.setup = mine}));
  EXPECT_TRUE(dut_->waiting_o);
}

TEST_F(CrossChannelAlone, AWaitForEntriesNeedsACompletionQueueOfItsOwnClient) {
  const Fetched wait = wait_of(2, kEntries + 5, 1);
  for (const Answer& foreign : {Answer{.setup = setup(QueueMode::kDoorbell), .owner = kOwner},
                                Answer{.enable = true, .owner = kOwner ^ 8}}) {
    ASSERT_NO_FATAL_FAILURE(attach(wait, foreign));
    EXPECT_EQ(leaves(), Status::kQueueInvalid) << foreign.owner;
  }
  ASSERT_NO_FATAL_FAILURE(attach(wait, {.enable = true, .owner = kOwner}));
  EXPECT_TRUE(dut_->waiting_o);
}

TEST_F(CrossChannelAlone, APipeNeedsAPipedQueueOfItsOwnClient) {
  const Fetched pipe = descriptor_of(17, Opcode::kPipe);
  const unsigned mine = setup(QueueMode::kPiped);
  for (unsigned bit = 0; bit < 7; ++bit) {
    const unsigned foreign = mine ^ 1U << bit;
    ASSERT_NO_FATAL_FAILURE(attach(pipe, {.setup = foreign}));
    EXPECT_FALSE(out_.pipe_due) << foreign;
    EXPECT_EQ(leaves(), Status::kQueueInvalid) << foreign;
  }
  ASSERT_NO_FATAL_FAILURE(attach(pipe, {.setup = mine}));
  EXPECT_TRUE(out_.pipe_due);
}

TEST_F(CrossChannelAlone, APipeThatReceivesNothingNeedsNoQueue) {
  auto operation = PipeOperation().set<layout::pipe_operation::origin>(1);
  Fetched pipe = descriptor_of(17, Opcode::kPipe);
  pipe.set<f::descriptor>(pipe.get<f::descriptor>().set<d::immediate>(operation.bytes()));
  ASSERT_NO_FATAL_FAILURE(attach(pipe, {.setup = setup(QueueMode::kOff)}));
  EXPECT_TRUE(out_.pipe_due);
}

TEST_F(CrossChannelAlone, AFlushGivesWayToARefusal) {
  ASSERT_NO_FATAL_FAILURE(attach_waiting(wait_of(0, 1, 10)));
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.held = wait_of(kQueues - 1, 1, 10); }));
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.answer.setup = setup(QueueMode::kOff); }));
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.configure = 0; }));
  EXPECT_TRUE(dut_->waiting_o);
  ASSERT_NO_FATAL_FAILURE(cycle());
  EXPECT_FALSE(dut_->waiting_o) << "in the next cycle";
  EXPECT_EQ(leaves(), Status::kQueueInvalid);
  EXPECT_EQ(leaves(), Status::kFlushed);
}

TEST_F(CrossChannelAlone, AFlushGoesBeforeACountThatIsReachedWithIt) {
  ASSERT_NO_FATAL_FAILURE(attach_waiting(wait_of(12, 1, 10)));
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.done = Count{1, 10}; }));
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.configure = 12; }));
  EXPECT_EQ(leaves(), Status::kFlushed);
}

TEST_F(CrossChannelAlone, AFlushEndsItsQueueWhileTheCountOfAllOthersIsReached) {
  for (unsigned flushed = 0; flushed < kQueues; ++flushed) {
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      const auto source = queue == flushed ? std::optional(1U) : std::nullopt;
      ASSERT_NO_FATAL_FAILURE(attach_waiting(wait_of(queue, source, 7)));
    }
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.event = Count{kCounter, 7}; }));
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.configure = flushed; }));
    EXPECT_FALSE(dut_->waiting_o) << flushed;
    ASSERT_NO_FATAL_FAILURE(expect_all_to_leave(flushed));
  }
}

TEST_F(CrossChannelAlone, AFlushWaitsUntilAReceiveIsAttached) {
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.held = descriptor_of(kQueues - 1, Opcode::kReceive); }));
  mood_.stops = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.configure = kQueues - 1; }));
    EXPECT_FALSE(out_.flush_pair) << i;
  }
  mood_.stops = 100;
  ASSERT_NO_FATAL_FAILURE(cycle());
  ASSERT_NO_FATAL_FAILURE(cycle());
  EXPECT_TRUE(out_.buffer);
  EXPECT_FALSE(out_.flush_pair);
  ASSERT_NO_FATAL_FAILURE(cycle());
  EXPECT_TRUE(out_.flush_pair);
  EXPECT_EQ(leaves(), Status::kFlushed);
}

TEST_F(CrossChannelAlone, AReceiveIsNotAheadAnyMoreOnceTheFirstHasEnded) {
  const Fetched receive = descriptor_of(0, Opcode::kReceive);
  ASSERT_NO_FATAL_FAILURE(attach(receive));
  EXPECT_TRUE(out_.buffer);
  mood_.neighbours.ends = 100;
  Fetched ahead = receive;
  ahead.set<f::again>(1).set<f::ahead>(1);
  ASSERT_NO_FATAL_FAILURE(attach(ahead));
  EXPECT_FALSE(out_.buffer);
}

TEST_F(CrossChannelAlone, EntriesAreCountedAfterDescriptorsAndAfterTheCountThatIsShown) {
  ASSERT_NO_FATAL_FAILURE(attach(wait_of(1, 2, 10)));
  ASSERT_NO_FATAL_FAILURE(cycle([&] {
    in_.entries = Count{0, 1};
    in_.done = Count{30, 1};
  }));
  EXPECT_FALSE(out_.entries_ready) << "descriptors";
  ASSERT_NO_FATAL_FAILURE(cycle([&] { in_.answer.head = 9; }));
  EXPECT_FALSE(out_.entries_ready) << "shown";
  ASSERT_NO_FATAL_FAILURE(cycle());
  EXPECT_TRUE(out_.entries_ready);
}

}  // namespace
}  // namespace torusmu::testing::cross_channel
