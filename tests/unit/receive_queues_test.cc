// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "Vmu_receive_queues.h"
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
  void store(unsigned queue, unsigned epoch, bool last, bool failed = false) {
    drive(
        dut_->stored_i,
        Stored{}.set<s::queue>(queue).set<s::epoch>(epoch).set<s::message_end>(last).set<s::failed>(
            failed));
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
  for (std::uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(expected(4), n);
    offer(4, 0, 700);
    take(4, 512, false);
    EXPECT_EQ(dut_->received_o, 512U);
    EXPECT_FALSE(dut_->completing_o);
    take(4, 600, true, 0xABCD0000 + n);
    EXPECT_TRUE(dut_->completing_o);
    EXPECT_FALSE(dut_->buffer_o);
    EXPECT_EQ(expected(4), n) << "not in memory yet";
    EXPECT_FALSE(end() || answer());
    store(4, 0, true);
    EXPECT_FALSE(dut_->completing_o);
    dut_->result_queue_i = 4;
    dut_.settle();
    const Result result = sample_record<Result>(dut_->result_o);
    EXPECT_EQ(result.get<layout::receive_result::bytes>(), 600U);
    EXPECT_EQ(result.get<layout::receive_result::word>(), 0xABCD0000 + n);
    const auto told = answer();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->get<layout::send_answer::number>(), n);
    EXPECT_EQ(told->get<layout::send_answer::status>(), Status::kOk);
    const auto ended = end();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->get<layout::queue_end::queue>(), 4U);
    EXPECT_EQ(ended->get<layout::queue_end::status>(), Status::kOk);
    EXPECT_FALSE(end() || answer());
  }
}

TEST_F(ReceiveQueues, KeepTheNumberOfAMessageThatCouldNotBeStored) {
  configure(4);
  offer(4, 0, 700);
  take(4, 512, false);
  take(4, 700, true);
  store(4, 0, false, true);
  EXPECT_FALSE(dut_->end_valid_o);
  store(4, 0, true);
  const auto told = answer();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->get<layout::send_answer::number>(), 0U);
  EXPECT_EQ(told->get<layout::send_answer::status>(), Status::kMemoryError);
  EXPECT_EQ(end()->get<layout::queue_end::status>(), Status::kMemoryError);
  EXPECT_EQ(expected(4), 0U);
  // The next message is not blamed.
  offer(4, 0, 700);
  take(4, 8, true);
  store(4, 0, true);
  EXPECT_EQ(answer()->get<layout::send_answer::status>(), Status::kOk);
}

TEST_F(ReceiveQueues, ForgetWhatIsFlushedAndWhatIsStoredOfItLater) {
  configure(4);
  offer(4, 0, 700);
  take(4, 700, true);
  flush(4);
  configure(4);
  offer(4, 0, 700);
  take(4, 300, true);
  store(4, 0, true);
  EXPECT_FALSE(dut_->end_valid_o) << "of the message before the flush";
  look(4);
  EXPECT_EQ(dut_->epoch_o, 1U);
  EXPECT_TRUE(dut_->completing_o);
  store(4, 1, true);
  EXPECT_TRUE(end());
}

TEST_F(ReceiveQueues, TellTheEndsOfSeveralQueues) {
  for (const unsigned queue : {3U, 8U, 31U}) {
    configure(queue);
    offer(queue, 0, 16);
    take(queue, 16, true);
  }
  for (const unsigned queue : {31U, 3U, 8U}) store(queue, 0, true);
  std::uint32_t ends = 0;
  std::uint32_t answers = 0;
  for (int i = 0; i < 3; ++i) {
    ends |= 1U << end()->get<layout::queue_end::queue>();
    answers |= 1U << answer()->get<layout::send_answer::queue>();
  }
  EXPECT_EQ(ends, 1U << 3 | 1U << 8 | 1U << 31);
  EXPECT_EQ(answers, ends);
  EXPECT_FALSE(dut_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
