// SPDX-License-Identifier: Apache-2.0
// model: Vmu_queue_pairs mu_queue_pairs
// model: Vmu_pipes mu_pipes
// bgp: -GQUEUES=128
// What is a PIPE's and what is not, and who goes first: one rule of mu_queue_pairs at a time.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/port_bits.h"
#include "tests/support/queue_pairs_bench.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

namespace a = layout::send_answer;
namespace f = layout::fetched_descriptor;
namespace o = layout::pipe_operation;

// One thing at a time; what is not told otherwise is taken at once.
class QueuePairsRules : public QueuePairsBench {
 protected:
  static constexpr unsigned kQueue = 9, kFrom = 6, kOther = 3, kOwner = 5;
  static constexpr std::uint32_t kNode = 0x321, kIndex = 77;

  QueuePairsRules() {
    in_.out_ready = in_.end_ready = in_.again_ready = in_.pipe_end_ready = true;
    in_.receive_end_ready = true;
    in_.held.set();
    in_.retries = 3;
    in_.retry_cycles = 100;
    in_.peer = kNode;
  }
  void cycle(unsigned count = 1) {
    for (unsigned i = 0; i < count; ++i) {
      ASSERT_NO_FATAL_FAILURE(look());
      clock();
    }
  }
  void configure(unsigned queue, unsigned owner = kOwner, QueueMode mode = QueueMode::kPiped) {
    in_.configuring = in_.configured = true;
    in_.configure_queue = queue;
    in_.setup = Model::make_setup(owner, mode);
    cycle();
    in_.configuring = in_.configured = false;
  }
  // All its buffers are given before the first message comes.
  void start(unsigned queue = kQueue, unsigned from = kFrom, std::uint32_t messages = 3) {
    auto descriptor = draw<Fetched>().get<f::descriptor>();
    descriptor.set<layout::descriptor::length>(400).set<layout::descriptor::immediate>(
        Model::Operation{}
            .set<o::messages>(messages)
            .set<o::buffer_bytes>(100)
            .set<o::receive_queue>(from)
            .bytes());
    in_.pipe_data = draw<Fetched>().set<f::descriptor>(descriptor).set<f::owner>(kOwner);
    in_.due = {queue, random_.bits64() >> 24U};
    cycle();
    in_.due.reset();
    cycle(10);
  }
  void start_served(unsigned queue = kQueue, unsigned from = kFrom) {
    configure(from);
    start(queue, from);
    ASSERT_NO_FATAL_FAILURE(look());
    ASSERT_EQ(out_.watch, from);
  }
  void expect_refused(unsigned from) {
    in_.pipe_end_ready = false;
    start(kQueue, from);
    EXPECT_FALSE(out_.watch) << "from queue " << from;
    EXPECT_EQ(out_.pipe_end, QueuePairsModel::make_end(kQueue, Status::kQueueInvalid))
        << "from queue " << from;
    in_.pipe_end_ready = true;
    cycle();
  }
  void receive(unsigned from = kFrom, Status status = Status::kOk) {
    in_.receive_end = {QueuePairsModel::make_end(from, status), 70};
    cycle();
    in_.receive_end.reset();
  }
  // It is offered, and is taken.
  void expect_copy(bool ahead) {
    ASSERT_TRUE(out_.out);
    EXPECT_EQ(out_.out->get<f::ahead>() != 0, ahead);
    in_.out_ready = true;
    cycle();
    in_.out_ready = false;
  }
  void begin(unsigned queue, bool fence) {
    in_.begin = true;
    in_.fence = fence;
    in_.begin_queue = in_.number_queue = queue;
    in_.begin_node = kNode;
    in_.begin_index = kIndex;
    cycle();
    in_.begin = in_.fence = false;
    in_.left = true;
    cycle();
    in_.left = false;
    cycle();
  }
  // Of the first SEND of a queue, or of its FENCE.
  void answer(unsigned queue, bool fence, Status status = Status::kOk) {
    in_.answer = Answer{}
                     .set<a::queue>(queue)
                     .set<a::number>(fence ? kIndex : 0)
                     .set<a::status>(status)
                     .set<a::node>(kNode)
                     .set<a::fence>(fence);
    cycle();
    in_.answer.reset();
    cycle();
  }
  void expect_end(unsigned queue, Status status = Status::kOk) {
    ASSERT_NO_FATAL_FAILURE(look());
    EXPECT_EQ(out_.send_end, QueuePairsModel::make_end(queue, status));
    clock();
  }
  void expect_again(unsigned queue) {
    ASSERT_NO_FATAL_FAILURE(look());
    EXPECT_EQ(out_.again, queue);
    clock();
  }
};

TEST_F(QueuePairsRules, ServeAPipeFromEachReceiveQueueThatItsClientHasConfigured) {
  for (unsigned from = 0; from < kQueues; ++from) {
    SCOPED_TRACE(from);
    ASSERT_NO_FATAL_FAILURE(start_served((from + 1) % kQueues, from));
    in_.out_ready = false;
    receive(from);
    cycle(3);
    ASSERT_TRUE(out_.out);
    EXPECT_EQ(out_.out->get<f::descriptor>().get<layout::descriptor::length>(), 70U);
    in_.out_ready = true;
    reset();
  }
}

TEST_F(QueuePairsRules, RefuseReceiveQueuesThatNobodyHasConfiguredSinceTheReset) {
  for (unsigned only = 0; only < kQueues; ++only) {
    for (unsigned from = 0; from < kQueues; ++from) configure(from);
    reset();
    configure(only);
    for (unsigned from = 0; from < kQueues; ++from) {
      if (from == only) continue;
      ASSERT_NO_FATAL_FAILURE(expect_refused(from));
    }
  }
}

TEST_F(QueuePairsRules, RefuseAReceiveQueueOfAnotherClientOrModeOrOneThatIsDynamic) {
  for (unsigned bit = 0; bit < 4; ++bit) {
    configure(kFrom, kOwner ^ 1U << bit);
    ASSERT_NO_FATAL_FAILURE(expect_refused(kFrom));
  }
  for (const QueueMode mode : {QueueMode::kOff, QueueMode::kDoorbell, QueueMode::kReceive}) {
    configure(kFrom, kOwner, mode);
    ASSERT_NO_FATAL_FAILURE(expect_refused(kFrom));
  }
  configure(kFrom);
  in_.dynamic = bit(kFrom);
  ASSERT_NO_FATAL_FAILURE(expect_refused(kFrom));
  in_.dynamic = ~in_.dynamic;
  start();
  EXPECT_EQ(out_.watch, kFrom);
}

TEST_F(QueuePairsRules, RefuseEachReceiveQueueThatHasBeenPipedBefore) {
  for (unsigned from = 0; from < kQueues; ++from) {
    configure(from);
    configure(from, kOwner, QueueMode::kReceive);
    ASSERT_NO_FATAL_FAILURE(expect_refused(from));
  }
}

TEST_F(QueuePairsRules, SendWhatAPipeHasBeforeMessagesThatAreDoneAndTheseBeforeOthers) {
  ASSERT_NO_FATAL_FAILURE(start_served());
  in_.out_ready = false;
  receive();
  in_.in = draw<Fetched>();
  in_.message = draw<Message>();
  cycle(3);
  EXPECT_EQ(out_.out->get<f::again>(), 1U) << "the SEND of the PIPE";
  in_.out_ready = true;
  cycle();
  EXPECT_FALSE(out_.message_ready || out_.in_ready);
  cycle();
  EXPECT_EQ(out_.out->get<f::detached>(), 1U);
  EXPECT_TRUE(out_.message_ready);
  EXPECT_FALSE(out_.in_ready);
  in_.message.reset();
  cycle();
  EXPECT_EQ(out_.out, in_.in);
  EXPECT_TRUE(out_.in_ready);
}

TEST_F(QueuePairsRules, SendTheNextMessageOfAPipeAheadInEachQueue) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    SCOPED_TRACE(queue);
    const unsigned from = (queue + 1) % kQueues;
    ASSERT_NO_FATAL_FAILURE(start_served(queue, from));
    in_.out_ready = false;
    receive(from);
    receive(from);
    cycle(3);
    expect_copy(false);
    in_.number_queue = queue;
    in_.left = true;
    cycle();
    in_.left = false;
    cycle(4);
    expect_copy(true);
    in_.number_ahead = in_.ahead = true;
    cycle();
    in_.number_ahead = in_.ahead = false;
    in_.out_ready = true;
    cycle(2);
    EXPECT_EQ(out_.under_way, bit(queue));
    answer(queue, false);
    cycle(4);
    EXPECT_EQ(out_.under_way, 0U) << "it is the first now";
    EXPECT_TRUE(model_.requests().queue(queue).first);
    reset();
  }
}

TEST_F(QueuePairsRules, TellOneEndAfterTheOther) {
  begin(kQueue, false);
  begin(kOther, true);
  in_.end_ready = false;
  answer(kQueue, false);
  answer(kOther, true, Status::kRegionBounds);
  cycle(3);
  in_.end_ready = true;
  expect_end(kQueue);
  cycle(3);
  expect_end(kOther, Status::kRegionBounds);
  ASSERT_NO_FATAL_FAILURE(look());
  EXPECT_FALSE(out_.send_end);
}

TEST_F(QueuePairsRules, SendTheLowestQueueAgainFirst) {
  begin(kQueue, false);
  begin(kOther, true);
  in_.again_ready = false;
  for (int ticks = 0; ticks < 8; ++ticks) {
    in_.now += in_.retry_cycles + 10;
    cycle(10);
  }
  in_.again_ready = true;
  expect_again(kOther);
  cycle(3);
  expect_again(kQueue);
}

TEST_F(QueuePairsRules, SleepUntilTheTickOfSendsAndFences) {
  for (const bool fence_first : {true, false}) {
    begin(kQueue, fence_first);
    const std::uint64_t first = in_.now + in_.retry_cycles;
    in_.now += 50;
    begin(kOther, !fence_first);
    cycle(2);
    EXPECT_EQ(out_.wake_at, first);
    EXPECT_FALSE(out_.busy);
    reset();
  }
}

TEST_F(QueuePairsRules, KeepWhatIsToldOfAPipesSendFromOthers) {
  ASSERT_NO_FATAL_FAILURE(start_served());
  in_.end_ready = false;
  begin(kOther, true);
  receive();
  cycle(3);
  answer(kQueue, false);
  answer(kOther, true);
  cycle(3);
  EXPECT_EQ(out_.send_end, QueuePairsModel::make_end(kOther, Status::kOk));
  EXPECT_FALSE(model_.requests().queue(kQueue).first) << "the PIPE has taken its end";
}

TEST_F(QueuePairsRules, TakeTheEndsOfAPipesReceiveQueueAndNoOthers) {
  ASSERT_NO_FATAL_FAILURE(start_served());
  in_.receive_end_ready = false;
  for (unsigned bit = 0; bit < 8; ++bit) {
    receive(kFrom ^ 1U << bit);
    EXPECT_TRUE(out_.receive_end);
    EXPECT_FALSE(out_.receive_end_ready);
  }
  receive();
  EXPECT_FALSE(out_.receive_end);
  EXPECT_TRUE(out_.receive_end_ready);
}

TEST_F(QueuePairsRules, GiveBuffersOfReceivesBeforeThoseOfAPipe) {
  configure(kFrom);
  in_.buffer = draw<Buffer>();
  start();
  EXPECT_EQ(out_.buffer, in_.buffer);
  in_.buffer.reset();
  cycle();
  ASSERT_TRUE(out_.buffer) << "it has waited";
  EXPECT_EQ(out_.buffer->get<layout::receive_buffer::queue>(), kFrom);
}

TEST_F(QueuePairsRules, StopTheReceiveQueueOfAPipeWhenNoOtherIsReset) {
  ASSERT_NO_FATAL_FAILURE(start_served());
  receive(kFrom, Status::kMemoryError);
  in_.configuring = in_.flush = true;
  in_.configure_queue = kOther;
  cycle(3);
  EXPECT_FALSE(out_.stop);
  EXPECT_EQ(out_.reset_queue, kOther);
  in_.flush = false;
  configure(kOther);
  EXPECT_FALSE(out_.stop);
  cycle();
  EXPECT_TRUE(out_.stop);
  EXPECT_EQ(out_.reset_queue, kFrom);
}

TEST_F(QueuePairsRules, StartNoPipeWhoseQueueHasBeenFlushedMeanwhile) {
  configure(kOther);
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    SCOPED_TRACE(queue);
    if (queue == kOther) continue;
    in_.held = ~bit(queue);
    start(queue, kOther);
    EXPECT_FALSE(out_.watch);
    EXPECT_FALSE(out_.busy);
  }
}

TEST_F(QueuePairsRules, StartNoPipeInTheCycleInWhichItsReceiveQueueIsConfigured) {
  for (unsigned late = 0; late < 5; ++late) {
    SCOPED_TRACE(late);
    configure(kFrom);
    in_.due = {kQueue, 0};
    in_.pipe_end_ready = false;
    cycle();
    in_.due.reset();
    cycle(late);
    configure(kFrom, kOwner, QueueMode::kReceive);
    cycle(5);
    EXPECT_FALSE(out_.watch);
    EXPECT_TRUE(out_.pipe_end);
    in_.pipe_end_ready = true;
    cycle();
  }
}

}  // namespace
}  // namespace torusmu::testing
