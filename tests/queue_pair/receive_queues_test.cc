// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>

#include "Vmu_receive_queues.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Buffer = Record<layout::receive_buffer::Layout>;
using Stored = Record<layout::message_stored::Layout>;
using Answer = Record<layout::send_answer::Layout>;
using End = Record<layout::queue_end::Layout>;
using Result = Record<layout::receive_result::Layout>;
namespace b = layout::receive_buffer;
namespace s = layout::message_stored;
constexpr unsigned kQueues = kProfile.injection_queues;

class ReceiveQueues : public ::testing::Test {
 protected:
  void configure(unsigned queue, bool receive = true) {
    dut_->configured_i = 1;
    dut_->configured_mode_i = receive;
    dut_->reset_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->configured_i = 0;
    dut_.settle();
  }
  void flush(unsigned queue) {
    dut_->reset_i = 1;
    dut_->reset_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->reset_i = 0;
    dut_.settle();
  }
  void stop(unsigned queue) {
    dut_->stop_i = 1;
    dut_->reset_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->stop_i = 0;
    dut_.settle();
  }
  void offer(unsigned queue, std::uint64_t address, std::uint64_t length) {
    drive(dut_->buffer_i,
          Buffer{}.set<b::queue>(queue).set<b::owner>(2).set<b::address>(address).set<b::length>(
              length));
    dut_->buffer_valid_i = 1;
    dut_.tick();
    dut_->buffer_valid_i = 0;
    dut_.settle();
  }
  void look(unsigned queue) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
  }
  void take(unsigned queue, std::uint32_t bytes, bool last, std::uint32_t word = 0) {
    look(queue);
    dut_->take_i = 1;
    dut_->take_end_i = last;
    dut_->take_bytes_i = bytes;
    dut_->take_word_i = word;
    dut_.tick();
    dut_->take_i = 0;
    dut_.settle();
  }
  void claim(unsigned queue) {
    look(queue);
    dut_->claim_i = 1;
    dut_.tick();
    dut_->claim_i = 0;
    dut_.settle();
  }
  void store(unsigned queue, std::uint32_t number, unsigned epoch, bool last, bool failed = false) {
    drive(dut_->stored_i, Stored{}
                              .set<s::queue>(queue)
                              .set<s::slot>(number & 1)
                              .set<s::epoch>(epoch)
                              .set<s::message_end>(last)
                              .set<s::failed>(failed));
    dut_->stored_valid_i = 1;
    dut_.tick();
    dut_->stored_valid_i = 0;
    dut_.settle();
  }
  std::optional<End> end() {
    if (!dut_->end_valid_o) return std::nullopt;
    const End end = sample_record<End>(dut_->end_o);
    dut_->end_ready_i = 1;
    dut_.tick();
    dut_->end_ready_i = 0;
    dut_.settle();
    return end;
  }
  std::optional<Answer> answer() {
    if (!dut_->answer_valid_o) return std::nullopt;
    const Answer answer = sample_record<Answer>(dut_->answer_o);
    dut_->answer_ready_i = 1;
    dut_.tick();
    dut_->answer_ready_i = 0;
    dut_.settle();
    return answer;
  }
  void expect_end(unsigned queue, Status status) {
    const auto ended = end();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->get<layout::queue_end::queue>(), queue);
    EXPECT_EQ(ended->get<layout::queue_end::status>(), status);
  }
  void expect_answer(unsigned queue, std::uint32_t number, Status status) {
    const auto told = answer();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->get<layout::send_answer::queue>(), queue);
    EXPECT_EQ(told->get<layout::send_answer::number>(), number);
    EXPECT_EQ(told->get<layout::send_answer::status>(), status);
  }
  // Of the message with that number.
  bool completing(unsigned queue, std::uint32_t number) {
    dut_->slot_i = number & 1;
    look(queue);
    return dut_->completing_o != 0;
  }
  bool failed(unsigned queue, std::uint32_t number) {
    dut_->slot_i = number & 1;
    look(queue);
    return dut_->failed_o != 0;
  }
  std::uint64_t address() { return sample_record<Buffer>(dut_->entry_o).get<b::address>(); }
  std::uint32_t expected(unsigned queue) {
    look(queue);
    return dut_->expected_o;
  }

  Random random_;
  Clocked<Vmu_receive_queues> dut_{random_.seed()};
};

TEST_F(ReceiveQueues, ExistOnceTheyAreConfigured) {
  look(4);
  EXPECT_FALSE(dut_->exists_o);
  configure(4);
  EXPECT_TRUE(dut_->exists_o);
  EXPECT_FALSE(dut_->buffer_o);
  EXPECT_EQ(dut_->expected_o, 0U);
  configure(4, false);
  EXPECT_FALSE(dut_->exists_o);
  look(200);
  EXPECT_FALSE(dut_->exists_o);
}

TEST_F(ReceiveQueues, OfferTheBufferOfAReceive) {
  configure(4);
  offer(4, 0x1234567890, 700);
  look(4);
  EXPECT_TRUE(dut_->buffer_o);
  const Buffer entry = sample_record<Buffer>(dut_->entry_o);
  EXPECT_EQ(entry.get<b::address>(), 0x1234567890U);
  EXPECT_EQ(entry.get<b::length>(), 700U);
  EXPECT_EQ(entry.get<b::owner>(), 2U);
}

TEST_F(ReceiveQueues, TellTheEndAndTheAnswerOnceAMessageIsInMemory) {
  configure(4);
  for (std::uint32_t n = 0; n < 5; ++n) {
    EXPECT_EQ(expected(4), n);
    offer(4, 0, 700);
    take(4, 512, false);
    EXPECT_EQ(dut_->received_o, 512U);
    EXPECT_EQ(expected(4), n);
    take(4, 600, true, 0xABCD0000 + n);
    EXPECT_EQ(expected(4), n + 1) << "all of it has been taken";
    EXPECT_EQ(dut_->received_o, 0U);
    EXPECT_TRUE(completing(4, n));
    EXPECT_FALSE(completing(4, n + 1));
    EXPECT_FALSE(dut_->buffer_o);
    EXPECT_FALSE(end() || answer());
    store(4, n, 0, true);
    EXPECT_FALSE(completing(4, n));
    expect_answer(4, n, Status::kOk);
    const Result told = sample_record<Result>(dut_->end_result_o);
    expect_end(4, Status::kOk);
    dut_->result_queue_i = 4;
    dut_.settle();
    const Result result = sample_record<Result>(dut_->result_o);
    for (const Result& one : {told, result}) {
      EXPECT_EQ(one.get<layout::receive_result::bytes>(), 600U);
      EXPECT_EQ(one.get<layout::receive_result::word>(), 0xABCD0000 + n);
    }
    EXPECT_FALSE(end() || answer());
  }
}

TEST_F(ReceiveQueues, GiveTheSecondBufferToTheMessageBehind) {
  configure(4);
  for (std::uint32_t n = 0; n < 6; n += 2) {
    offer(4, 0x1000, 700);
    offer(4, 0x2000, 700);
    look(4);
    EXPECT_EQ(address(), 0x1000U);
    take(4, 512, false);
    take(4, 700, true);
    EXPECT_TRUE(dut_->buffer_o) << "the message behind finds its buffer at once";
    EXPECT_EQ(address(), 0x2000U);
    EXPECT_EQ(dut_->received_o, 0U);
    take(4, 8, true);
    EXPECT_TRUE(completing(4, n) && completing(4, n + 1));
    for (const std::uint32_t m : {n, n + 1}) {
      store(4, m, 0, true);
      expect_answer(4, m, Status::kOk);
      expect_end(4, Status::kOk);
    }
  }
}

TEST_F(ReceiveQueues, TakeABufferWhileTheMessageBeforeIsCompleting) {
  configure(4);
  offer(4, 0x1000, 700);
  for (std::uint32_t n = 0; n < 5; ++n) {
    take(4, 8, true);
    EXPECT_FALSE(dut_->buffer_o);
    offer(4, 0x2000 + n, 700);
    look(4);
    EXPECT_TRUE(dut_->buffer_o);
    EXPECT_EQ(address(), 0x2000U + n);
    store(4, n, 0, true);
    expect_answer(4, n, Status::kOk);
    expect_end(4, Status::kOk);
  }
}

TEST_F(ReceiveQueues, GiveABufferThatComesWithTheLastPacketToTheNextMessage) {
  configure(4);
  offer(4, 0x1000, 700);
  drive(dut_->buffer_i, Buffer{}.set<b::queue>(4).set<b::address>(0x2000).set<b::length>(9));
  dut_->buffer_valid_i = 1;
  take(4, 8, true);
  dut_->buffer_valid_i = 0;
  dut_.settle();
  EXPECT_TRUE(dut_->buffer_o);
  EXPECT_EQ(address(), 0x2000U);
}

// The ends of two messages of which none has been told yet.
TEST_F(ReceiveQueues, TellTheEndsOfAQueueInOrder) {
  configure(4);
  for (std::uint32_t n = 0; n < 7; n += 2) {
    if (n == 6) {  // once with the older one in the other slot
      offer(4, 0, 700);
      take(4, 1, true);
      store(4, n++, 0, true);
      EXPECT_TRUE(end() && answer());
    }
    for (const std::uint32_t m : {n, n + 1}) {
      offer(4, 0, 700);
      take(4, 100 + m, true, m);
    }
    store(4, n, 0, true);
    store(4, n + 1, 0, true);
    for (const std::uint32_t m : {n, n + 1}) {
      const Result result = sample_record<Result>(dut_->end_result_o);
      EXPECT_EQ(result.get<layout::receive_result::word>(), m);
      EXPECT_EQ(result.get<layout::receive_result::bytes>(), 100 + m);
      expect_end(4, Status::kOk);
    }
    EXPECT_FALSE(end());
    std::uint64_t answered = 0;
    for (int i = 0; i < 2; ++i) answered += answer()->get<layout::send_answer::number>();
    EXPECT_EQ(answered, n + n + 1);
    EXPECT_FALSE(answer());
  }
}

TEST_F(ReceiveQueues, ShowNoBufferOfASlotWhoseAnswerIsNotTold) {
  configure(4);
  offer(4, 0, 700);
  offer(4, 0, 700);
  take(4, 1, true);
  take(4, 1, true);
  store(4, 0, 0, true);
  expect_end(4, Status::kOk);
  offer(4, 0, 700);  // for message 2, in the slot of 0
  look(4);
  EXPECT_FALSE(dut_->buffer_o);
  EXPECT_FALSE(completing(4, 0));
  expect_answer(4, 0, Status::kOk);
  look(4);
  EXPECT_TRUE(dut_->buffer_o);
}

TEST_F(ReceiveQueues, UseUpTheNumberOfAMessageThatCouldNotBeStored) {
  configure(4);
  offer(4, 0, 700);
  take(4, 512, false);
  take(4, 700, true);
  store(4, 0, 0, false, true);
  EXPECT_FALSE(dut_->end_valid_o);
  store(4, 0, 0, true);
  expect_answer(4, 0, Status::kMemoryError);
  expect_end(4, Status::kMemoryError);
  EXPECT_EQ(expected(4), 1U);
  EXPECT_TRUE(failed(4, 0)) << "a late copy of it is told so";
  EXPECT_FALSE(failed(4, 1));
  // The next messages are not blamed.
  for (const std::uint32_t n : {1U, 2U}) {
    offer(4, 0, 700);
    EXPECT_TRUE(failed(4, 0));
    take(4, 8, false);
    take(4, 16, true);
    store(4, n, 0, true);
    expect_answer(4, n, Status::kOk);
    expect_end(4, Status::kOk);
  }
  EXPECT_FALSE(failed(4, 0)) << "the slot is that of message 2 now";
}

TEST_F(ReceiveQueues, BlameTheMessageBehindForNothing) {
  configure(4);
  offer(4, 0, 700);
  offer(4, 0, 700);
  take(4, 8, true);
  take(4, 512, false);
  store(4, 0, 0, true, true);
  take(4, 600, true);
  store(4, 1, 0, false);
  store(4, 1, 0, true);
  std::uint32_t statuses[2];
  for (int i = 0; i < 2; ++i) {
    const Answer told = *answer();
    statuses[told.get<layout::send_answer::number>()] =
        static_cast<std::uint32_t>(told.get<layout::send_answer::status>());
  }
  EXPECT_EQ(static_cast<Status>(statuses[0]), Status::kMemoryError);
  EXPECT_EQ(static_cast<Status>(statuses[1]), Status::kOk);
  expect_end(4, Status::kMemoryError);
  expect_end(4, Status::kOk);
}

TEST_F(ReceiveQueues, BlameAMessageThatBeginsAnewForItsFirstCopy) {
  configure(4);
  offer(4, 0, 700);
  take(4, 512, false);
  store(4, 0, 0, false, true);
  take(4, 512, false);
  take(4, 600, true);
  store(4, 0, 0, true);
  expect_answer(4, 0, Status::kMemoryError);
}

TEST_F(ReceiveQueues, BeginWithNumberZeroOnceTheyAreConfigured) {
  configure(4);
  for (std::uint32_t n = 0; n < 5; ++n) {
    offer(4, 0, 700);
    take(4, 8, true);
    store(4, n, 0, true);
    expect_end(4, Status::kOk);
    expect_answer(4, n, Status::kOk);
  }
  configure(4);
  EXPECT_EQ(expected(4), 0U);
  offer(4, 0, 700);
  EXPECT_TRUE(dut_->buffer_o) << "slots begin with the number zero again";
}

TEST_F(ReceiveQueues, ForgetWhatIsFlushedAndWhatIsStoredOfItLater) {
  configure(4);
  offer(4, 0, 700);
  take(4, 700, true);
  flush(4);
  configure(4);
  offer(4, 0, 700);
  take(4, 300, true);
  store(4, 0, 0, true);
  EXPECT_FALSE(dut_->end_valid_o) << "of the message before the flush";
  look(4);
  EXPECT_EQ(dut_->epoch_o, 1U);
  EXPECT_TRUE(completing(4, 0));
  store(4, 0, 1, true);
  EXPECT_TRUE(end());
}

TEST_F(ReceiveQueues, ForgetBothMessagesUnderWay) {
  for (const bool begun : {false, true}) {
    configure(4);
    look(4);
    const unsigned epoch = dut_->epoch_o;
    offer(4, 0, 700);
    offer(4, 0, 700);
    take(4, 8, true);
    take(4, 512, !begun);
    flush(4);
    EXPECT_FALSE(dut_->buffer_o);
    EXPECT_FALSE(completing(4, 0) || completing(4, 1));
    store(4, 0, epoch, true);
    store(4, 1, epoch, true);
    EXPECT_FALSE(dut_->end_valid_o || dut_->answer_valid_o);
    EXPECT_EQ(expected(4), begun ? 1U : 2U) << "numbers go on until the queue is configured";
    EXPECT_EQ(dut_->received_o, 0U);
    EXPECT_EQ(dut_->epoch_o, (epoch + 1) % 4);
  }
}

TEST_F(ReceiveQueues, ForgetEndsAndAnswersThatAreNotTold) {
  configure(4);
  offer(4, 0, 700);
  take(4, 8, true);
  store(4, 0, 0, true, true);
  flush(4);
  EXPECT_FALSE(dut_->end_valid_o || dut_->answer_valid_o);
  EXPECT_FALSE(failed(4, 0));
}

TEST_F(ReceiveQueues, KeepTheirAnswersWhenTheyAreStopped) {
  configure(4);
  offer(4, 0, 700);
  offer(4, 0, 700);
  take(4, 8, true);
  take(4, 512, false);
  store(4, 0, 0, true, true);
  stop(4);
  EXPECT_FALSE(dut_->end_valid_o) << "who gave the buffer does not wait for it";
  expect_answer(4, 0, Status::kMemoryError);
  EXPECT_TRUE(failed(4, 0));
  EXPECT_FALSE(dut_->buffer_o);
  EXPECT_EQ(dut_->received_o, 0U);
  EXPECT_EQ(dut_->epoch_o, 1U);
  EXPECT_EQ(expected(4), 1U);
}

TEST_F(ReceiveQueues, ForgetAPacketThatIsTakenAsTheyAreReset) {
  configure(4);
  offer(4, 0, 700);
  dut_->reset_i = 1;
  dut_->reset_queue_i = 4;
  take(4, 512, false);
  dut_->reset_i = 0;
  dut_.settle();
  EXPECT_EQ(dut_->received_o, 0U);
  EXPECT_FALSE(dut_->buffer_o);
  EXPECT_EQ(dut_->epoch_o, 1U);
}

// A message of a dynamically connected queue takes the buffer with its first packet.
TEST_F(ReceiveQueues, TellTheEndOfABufferThatIsClaimedAtOnceAndNoAnswer) {
  configure(4);
  for (std::uint32_t n = 0; n < 4; n += 2) {
    offer(4, 0x1000, 700);
    offer(4, 0x2000, 700);
    claim(4);
    EXPECT_EQ(expected(4), n + 1);
    EXPECT_TRUE(dut_->buffer_o) << "that of the RECEIVE behind it";
    EXPECT_EQ(address(), 0x2000U);
    EXPECT_FALSE(completing(4, n) || failed(4, n));
    claim(4);
    EXPECT_FALSE(dut_->buffer_o);
    for (int i = 0; i < 2; ++i) expect_end(4, Status::kOk);
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(ReceiveQueues, CountNothingStoredThatHasAContext) {
  configure(4);
  offer(4, 0, 700);
  take(4, 8, true);
  drive(dut_->stored_i, Stored().set<s::queue>(4).set<s::message_end>(1).set<s::dynamic>(1));
  dut_->stored_valid_i = 1;
  dut_.tick();
  dut_->stored_valid_i = 0;
  dut_.settle();
  EXPECT_TRUE(completing(4, 0));
  EXPECT_FALSE(end() || answer());
}

// Each waits together with all behind it: behind that which came first the queue of the lowest
// number is next, in it the older message.
TEST_F(ReceiveQueues, TellTheEndsAndAnswersOfAllQueuesInTheirOrder) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    configure(queue);
    for (int message = 0; message < 2; ++message) {
      offer(queue, 0, 16);
      take(queue, 16, true);
    }
  }
  for (unsigned queue = kQueues; queue-- > 0;)
    for (const std::uint32_t number : {0U, 1U}) store(queue, number, 0, true);
  const unsigned last = kQueues - 1;  // which came first
  for (unsigned end = 0; end < 2 * kQueues; ++end)
    ASSERT_NO_FATAL_FAILURE(expect_end(end < 2 ? last : end / 2 - 1, Status::kOk));
  expect_answer(last, 0, Status::kOk);
  for (unsigned slot = 0; slot < 2 * last; ++slot)
    ASSERT_NO_FATAL_FAILURE(expect_answer(slot / 2, slot % 2, Status::kOk)) << slot;
  expect_answer(last, 1, Status::kOk);
  EXPECT_FALSE(dut_->busy_o);
}

// Three queues, all that may happen in any order; what is told is compared with a plain account.
TEST_F(ReceiveQueues, KeepAccountOfEveryMessageUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  struct Message {
    std::uint32_t number;
    std::uint32_t word;
    bool failed = false;
  };
  struct Queue {
    unsigned buffers = 0;  // given, and no packet of their message has been the last
    std::uint32_t expected = 0;
    bool begun = false;
    std::deque<Message> taken;   // to be stored
    std::deque<Message> stored;  // their end is to be told
    std::map<std::uint32_t, bool> answers;
  };
  std::map<unsigned, Queue> queues = {{0, {}}, {7, {}}, {kQueues - 1, {}}};
  for (const auto& [number, queue] : queues) configure(number);
  unsigned messages = 0;
  for (int i = 0; i < 200000; ++i) {
    auto it = queues.begin();
    std::advance(it, random_.below(3));
    const unsigned number = it->first;
    Queue& queue = it->second;
    look(number);
    ASSERT_EQ(dut_->expected_o, queue.expected);
    const bool answer_pending = queue.answers.contains(queue.expected - 2);
    ASSERT_EQ(dut_->buffer_o != 0, queue.buffers > 0 && !answer_pending);
    const auto sort = random_.below(6);
    if (sort == 0 && queue.buffers + queue.taken.size() + queue.stored.size() < 2) {
      offer(number, 0, 700);
      ++queue.buffers;
    } else if (sort == 1 && dut_->buffer_o) {
      const bool last = random_.chance(50);
      const auto word = static_cast<std::uint32_t>(random_.bits64());
      take(number, 8, last, word);
      queue.begun = !last;
      if (last) {
        queue.taken.push_back({queue.expected++, word});
        --queue.buffers;
      }
    } else if (sort == 2 && !queue.taken.empty()) {
      Message message = queue.taken.front();
      const bool last = random_.chance(70);
      const bool failed = random_.chance(10);
      store(number, message.number, dut_->epoch_o, last, failed);
      queue.taken.front().failed = message.failed = message.failed || failed;
      if (last) {
        queue.taken.pop_front();
        queue.stored.push_back(message);
        queue.answers[message.number] = message.failed;
      }
    } else if (sort == 3 && dut_->end_valid_o) {
      const auto result = sample_record<Result>(dut_->end_result_o);
      const End told = *end();
      Queue& of = queues.at(static_cast<unsigned>(told.get<layout::queue_end::queue>()));
      ASSERT_FALSE(of.stored.empty());
      const Message message = of.stored.front();
      of.stored.pop_front();
      ASSERT_EQ(result.get<layout::receive_result::word>(), message.word);
      ASSERT_EQ(told.get<layout::queue_end::status>(),
                message.failed ? Status::kMemoryError : Status::kOk);
      ++messages;
    } else if (sort == 4 && dut_->answer_valid_o) {
      const Answer told = *answer();
      Queue& of = queues.at(static_cast<unsigned>(told.get<layout::send_answer::queue>()));
      const auto found =
          of.answers.find(static_cast<std::uint32_t>(told.get<layout::send_answer::number>()));
      ASSERT_NE(found, of.answers.end());
      ASSERT_EQ(told.get<layout::send_answer::status>(),
                found->second ? Status::kMemoryError : Status::kOk);
      of.answers.erase(found);
    } else if (sort == 5 && random_.chance(2)) {
      const auto how = random_.below(3);
      how == 0 ? configure(number) : how == 1 ? flush(number) : stop(number);
      const std::uint32_t next = how == 0 ? 0 : queue.expected;
      const auto answers = queue.answers;
      queue = {};
      if (how == 2) queue.answers = answers;
      queue.expected = next;
    }
  }
  EXPECT_GT(messages, 5000U);
}

}  // namespace
}  // namespace torusmu::testing
