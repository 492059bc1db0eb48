// SPDX-License-Identifier: Apache-2.0
// model: Vmu_pipe mu_pipe
// bgp: -GQUEUES=128
// What mu_pipe makes of a PIPE with any operands: buffers anywhere, messages of any length.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/pipe_bench.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace o = layout::pipe_operation;

class PipeOperands : public PipeBench {
 protected:
  static constexpr std::uint64_t kSpace = 1ULL << 37;

  std::uint64_t some_bits(unsigned most) {
    return random_.chance(50) ? 1ULL << random_.below(most)
                              : random_.bits64() >> (64 - most + random_.below(most - 1));
  }
  // Any descriptor but for what is checked before: buffers of at least one byte, one of which fits.
  void start_any() {
    draw();
    start_drawn();
  }
  void draw(std::uint32_t messages = 0) {
    messages_ = messages;
    if (messages_ == 0) messages_ = static_cast<std::uint32_t>(some_bits(32) + random_.below(2));
    if (messages_ == 0) messages_ = 1;
    bytes_ = 1 + some_bits(31);
    if (random_.chance(20)) bytes_ = (1ULL << 32) - 1 - random_.below(1U << 27);
    fits_ = 1 + random_.below(18);
    queue_ = static_cast<unsigned>(random_.below(kProfile.injection_queues));
    receive_queue_ = static_cast<unsigned>(random_.below(256));
    address_ = random_.bits64() >> 24U;
    const std::uint64_t length = bytes_ * fits_ + random_.below(bytes_);
    fetched_ = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    const Descriptor any = fetched_.get<f::descriptor>();
    fetched_.set<f::descriptor>(Descriptor(any).set<d::length>(length).set<d::immediate>(
        Record<o::Layout>()
            .set<o::messages>(messages_)
            .set<o::buffer_bytes>(bytes_)
            .set<o::receive_queue>(receive_queue_)
            .bytes()));
  }
  void start_drawn(bool held = true) {
    drive(dut_->descriptor_i, fetched_);
    drive(dut_->start_i, turn_of(queue_, address_, held));
    dut_.tick();
    drive(dut_->start_i, Start().set<layout::pipe_start::address>(random_.bits64() >> 24U));
    if (fits_ > 16) fits_ = 16;
    dut_.settle();
  }
  std::uint64_t place(std::uint64_t message) const { return message % fits_ * bytes_; }
  void expect_buffer(std::uint64_t message) {
    for (unsigned i = 0; !dut_->buffer_valid_o; ++i) {
      ASSERT_LT(i, 30U) << "buffer of message " << message;
      ASSERT_FALSE(dut_->end_valid_o);
      dut_.tick();
    }
    ASSERT_EQ(sample_record<Buffer>(dut_->buffer_o),
              Buffer()
                  .set<b::queue>(receive_queue_)
                  .set<b::owner>(fetched_.get<f::owner>())
                  .set<b::address>((address_ + place(message)) % (1ULL << 40))
                  .set<b::length>(bytes_));
    ASSERT_TRUE(dut_->receives_o && !dut_->end_valid_o);
    ASSERT_TRUE(dut_->busy_o);
    dut_->buffer_ready_i = 1;
    dut_.tick();
    dut_->buffer_ready_i = 0;
    dut_.settle();
  }
  // What makes the PIPE a SEND of the message.
  void expect_out(std::uint64_t message, std::uint32_t length, bool ahead) {
    for (unsigned i = 0; !dut_->out_valid_o; ++i) {
      ASSERT_LT(i, 5U) << "message " << message;
      dut_.tick();
    }
    ASSERT_EQ(out<layout::pipe_copy::offset>(), place(message) % kSpace) << "message " << message;
    ASSERT_EQ(out<layout::pipe_copy::length>(), length) << "message " << message;
    ASSERT_EQ(out<layout::pipe_copy::ahead>() != 0, ahead) << "message " << message;
    ASSERT_FALSE(holds() || spoils()) << "nothing is being cut";
    ASSERT_TRUE(dut_->busy_o);
    dut_.tick();
    dut_->out_ready_i = 1;
    dut_.tick();
    ASSERT_FALSE(dut_->out_valid_o);
    ASSERT_TRUE(dut_->busy_o) << "it is being cut";
    dut_.tick();
    dut_->out_ready_i = 0;
  }
  std::uint32_t receive_any() {
    const auto bytes = static_cast<std::uint32_t>(random_.bits64());
    dut_->receive_end_i = 1;
    dut_->receive_bytes_i = bytes;
    dut_->receive_status_i = 0;
    dut_.tick();
    dut_->receive_end_i = 0;
    dut_.settle();
    return bytes;
  }
  void acknowledge() {
    dut_->send_end_i = 1;
    dut_->send_status_i = 0;
    dut_.tick();
    dut_->send_end_i = 0;
    dut_.settle();
  }
  void begin(bool sent) {
    ASSERT_TRUE(dut_->begin_valid_o && dut_->busy_o);
    ASSERT_EQ(dut_->second_i, sent);
    dut_->begin_ready_i = 1;
    dut_.tick();
    dut_->begin_ready_i = 0;
    dut_->second_i = 0;
    dut_.settle();
  }
  void pass_on(std::uint64_t message) {
    ASSERT_NO_FATAL_FAILURE(expect_buffer(message));
    receive_any();
    ASSERT_NO_FATAL_FAILURE(begin(false));
    dut_.tick();
    dut_.tick();
    acknowledge();
  }
  void expect_end() {
    ASSERT_FALSE(dut_->buffer_valid_o);
    const auto end = sample_record<End>(dut_->end_o);
    wait_a_little([&] {
      EXPECT_TRUE(dut_->end_valid_o && dut_->running_o && dut_->busy_o);
      EXPECT_EQ(sample_record<End>(dut_->end_o), end);
    });
    dut_->end_ready_i = 1;
    dut_.tick();
    ASSERT_FALSE(dut_->running_o || dut_->busy_o || dut_->end_valid_o);
    dut_->end_ready_i = 0;
  }
  // What is shown stands until it is taken.
  template <typename Stands>
  void wait_a_little(Stands stands) {
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      stands();
      dut_.tick();
    }
    stands();
  }
  // Takes the PIPE away, whatever it does.
  void flush_away() {
    dut_->flush_i = 1;
    dut_->configure_queue_i = static_cast<CData>(queue_ ^ 1U << random_.below(8));
    dut_.tick();
    EXPECT_FALSE(dut_->stop_valid_o) << "another queue is flushed";
    dut_->configure_queue_i = static_cast<CData>(queue_);
    dut_.tick();
    dut_->flush_i = 0;
    wait_a_little([this] { EXPECT_TRUE(dut_->stop_valid_o && dut_->busy_o && dut_->running_o); });
    dut_->stop_ready_i = dut_->out_ready_i = 1;
    dut_.tick();
    dut_.tick();
    dut_->stop_ready_i = dut_->out_ready_i = 0;
    dut_.tick();
    EXPECT_FALSE(dut_->running_o || dut_->busy_o);
  }
  void quiet() {
    dut_->buffer_ready_i = dut_->begin_ready_i = dut_->out_ready_i = 0;
    dut_->stop_ready_i = dut_->end_ready_i = 0;
    dut_->may_ahead_i = dut_->second_i = 0;
  }

  std::uint32_t messages_ = 0;
  std::uint64_t bytes_ = 0, fits_ = 0, address_ = 0;
  unsigned queue_ = 0, receive_queue_ = 0;
};

// One after the other: buffer, message, SEND, acknowledgement.
TEST_F(PipeOperands, SendEachMessageFromItsBufferWithTheFieldsOfThePipe) {
  for (int round = 0; round < 300; ++round) {
    quiet();
    start_any();
    const std::uint64_t count = std::min<std::uint64_t>(messages_, 1 + random_.below(fits_ + 2));
    for (std::uint64_t message = 0; message < count; ++message) {
      ASSERT_NO_FATAL_FAILURE(expect_buffer(message)) << "round " << round;
      const std::uint32_t bytes = receive_any();
      ASSERT_NO_FATAL_FAILURE(begin(false));
      ASSERT_NO_FATAL_FAILURE(expect_out(message, bytes, false)) << "round " << round;
      acknowledge();
    }
    ASSERT_EQ(dut_->end_valid_o, count == messages_) << "round " << round;
    ASSERT_EQ(dut_->buffer_valid_o, count != messages_) << "round " << round;
    if (count == messages_) {
      ASSERT_EQ(sample_record<End>(dut_->end_o), End().set<layout::queue_end::queue>(queue_));
      ASSERT_NO_FATAL_FAILURE(expect_end());
    } else {
      ASSERT_NO_FATAL_FAILURE(flush_away());
    }
  }
}

TEST_F(PipeOperands, EndAfterExactlyAsManyMessages) {
  std::vector<std::uint32_t> numbers{8191, 8192, 8200};
  for (int i = 0; i < 40; ++i)
    numbers.push_back(static_cast<std::uint32_t>(1 + random_.below(600)));
  for (const std::uint32_t number : numbers) {
    quiet();
    draw(number);
    start_drawn();
    dut_->out_ready_i = 1;
    for (std::uint32_t message = 0; message < number; ++message) {
      ASSERT_NO_FATAL_FAILURE(pass_on(message)) << message << " of " << number;
    }
    ASSERT_NO_FATAL_FAILURE(expect_end()) << number;
  }
}

// Two under way: the second goes ahead from its own buffer, and stands first later.
TEST_F(PipeOperands, SendTheSecondAheadFromItsBufferWithTheFieldsOfThePipe) {
  for (int round = 0; round < 300; ++round) {
    quiet();
    do {
      if (dut_->running_o) flush_away();
      start_any();
    } while (fits_ < 2 || messages_ < 3);
    ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
    ASSERT_NO_FATAL_FAILURE(expect_buffer(1));
    ASSERT_FALSE(dut_->buffer_valid_o) << "two at a time";
    const std::uint32_t first = receive_any();
    ASSERT_NO_FATAL_FAILURE(begin(false));
    ASSERT_NO_FATAL_FAILURE(expect_out(0, first, false)) << "round " << round;
    const std::uint32_t behind = receive_any();
    dut_->may_ahead_i = 1;
    dut_.settle();
    ASSERT_TRUE(dut_->busy_o);
    dut_.tick();
    dut_->may_ahead_i = 0;
    ASSERT_NO_FATAL_FAILURE(expect_out(1, behind, true)) << "round " << round;
    dut_->second_i = 1;
    dut_.settle();
    acknowledge();
    ASSERT_NO_FATAL_FAILURE(begin(true));
    dut_->again_i = 1;
    dut_.settle();
    ASSERT_TRUE(dut_->again_ready_o);
    dut_.tick();
    ASSERT_TRUE(dut_->busy_o);
    dut_->again_i = 0;
    ASSERT_NO_FATAL_FAILURE(expect_out(1, behind, false)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(flush_away());
  }
}

TEST_F(PipeOperands, GoAheadHoweverManyMessagesWaitForTheFirst) {
  for (std::uint64_t waiting = 2; waiting <= 16; ++waiting) {
    quiet();
    do draw(100);
    while (fits_ < 16);
    start_drawn();
    std::vector<std::uint32_t> bytes;
    for (std::uint64_t message = 0; message < waiting; ++message) {
      ASSERT_NO_FATAL_FAILURE(expect_buffer(message)) << waiting;
      bytes.push_back(receive_any());
    }
    ASSERT_NO_FATAL_FAILURE(begin(false));
    ASSERT_NO_FATAL_FAILURE(expect_out(0, bytes[0], false)) << waiting;
    dut_->may_ahead_i = 1;
    dut_.tick();
    dut_->may_ahead_i = 0;
    ASSERT_NO_FATAL_FAILURE(expect_out(1, bytes[1], true)) << waiting;
    ASSERT_NO_FATAL_FAILURE(flush_away());
  }
}

TEST_F(PipeOperands, GoAheadOfNothingThatHasNotBegun) {
  quiet();
  do draw(100);
  while (fits_ < 2);
  start_drawn();
  dut_->may_ahead_i = 1;
  ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
  receive_any();
  ASSERT_NO_FATAL_FAILURE(expect_buffer(1));
  receive_any();
  for (int i = 0; i < 5; ++i) {
    ASSERT_FALSE(dut_->out_valid_o);
    dut_.tick();
  }
  dut_->may_ahead_i = 0;
  ASSERT_NO_FATAL_FAILURE(begin(false));
}

// A message that arrives goes out with the bytes that it will have.
TEST_F(PipeOperands, SendAMessageThatArrivesWithAllItsBytes) {
  for (int round = 0; round < 100; ++round) {
    quiet();
    start_any();
    ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
    const auto bytes = static_cast<std::uint32_t>(some_bits(32));
    dut_->arriving_valid_i = 1;
    dut_->arriving_bytes_i = bytes;
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(begin(false));
    dut_->arriving_bytes_i = ~bytes;
    ASSERT_NO_FATAL_FAILURE(expect_out(0, bytes, false)) << "round " << round;
    dut_->arriving_valid_i = 0;
    ASSERT_NO_FATAL_FAILURE(flush_away());
  }
}

// The first failure ends it, whatever its status; what is told of other queues does not.
TEST_F(PipeOperands, EndWithAnyStatusThatIsNotOk) {
  for (int round = 0; round < 300; ++round) {
    quiet();
    start_any();
    ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
    dut_->configured_i = 1;
    dut_->configure_queue_i = static_cast<CData>(receive_queue_ ^ 1U << random_.below(8));
    dut_.tick();
    dut_->configured_i = 0;
    ASSERT_TRUE(dut_->receives_o && !dut_->stop_valid_o) << "another queue is configured";
    std::uint64_t status = random_.chance(50) ? 1ULL << random_.below(8) : 1 + random_.below(255);
    switch (random_.below(3)) {
      case 0:
        status = static_cast<std::uint64_t>(Status::kFlushed);
        dut_->configured_i = 1;
        dut_->configure_queue_i = static_cast<CData>(receive_queue_);
        break;
      case 1:
        dut_->receive_end_i = 1;
        dut_->receive_status_i = static_cast<CData>(status);
        break;
      default: {
        const std::uint32_t bytes = receive_any();
        ASSERT_NO_FATAL_FAILURE(begin(false));
        ASSERT_NO_FATAL_FAILURE(expect_out(0, bytes, false));
        dut_->send_end_i = 1;
        dut_->send_status_i = static_cast<CData>(status);
      }
    }
    dut_.tick();
    dut_->configured_i = dut_->receive_end_i = dut_->send_end_i = 0;
    dut_.settle();
    wait_a_little([this] {
      EXPECT_TRUE(dut_->running_o && dut_->busy_o && dut_->stop_valid_o && !dut_->receives_o);
      EXPECT_FALSE(dut_->end_valid_o);
    });
    dut_->stop_ready_i = 1;
    dut_.tick();
    dut_->stop_ready_i = 0;
    ASSERT_TRUE(dut_->end_valid_o);
    ASSERT_EQ(sample_record<End>(dut_->end_o),
              End().set<layout::queue_end::queue>(queue_).set<layout::queue_end::status>(
                  static_cast<Status>(status)));
    ASSERT_NO_FATAL_FAILURE(expect_end()) << "round " << round;
  }
}

TEST_F(PipeOperands, AreFlushedAsTheyStartOnlyByTheirOwnQueue) {
  for (int round = 0; round < 100; ++round) {
    quiet();
    draw();
    const bool own = random_.chance(30);
    dut_->flush_i = 1;
    dut_->configure_queue_i = static_cast<CData>(own ? queue_ : queue_ ^ 1U << random_.below(8));
    start_drawn();
    dut_->flush_i = 0;
    dut_.settle();
    ASSERT_EQ(dut_->stop_valid_o, own) << "round " << round;
    if (!own) {
      ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
      ASSERT_NO_FATAL_FAILURE(flush_away());
    }
    dut_->stop_ready_i = 1;
    dut_.tick();
    dut_.tick();
    ASSERT_FALSE(dut_->running_o || dut_->busy_o);
  }
}

// The receive queue may be another's by now.
TEST_F(PipeOperands, TakeNothingBackIfTheyWereFlushedBeforeTheyStart) {
  for (int round = 0; round < 100; ++round) {
    quiet();
    draw();
    piped = random_.chance(50);
    dut_->flush_i = random_.chance(50);
    dut_->configure_queue_i = static_cast<CData>(queue_);
    start_drawn(false);
    dut_->flush_i = 0;
    for (int i = 0; i < 3; ++i) {
      ASSERT_FALSE(dut_->stop_valid_o || dut_->buffer_valid_o || dut_->end_valid_o);
      dut_.tick();
    }
    ASSERT_FALSE(dut_->running_o || dut_->busy_o);
  }
}

TEST_F(PipeOperands, TakeNothingBackIfTheirReceiveQueueMayNotBeUsedAtTheStart) {
  quiet();
  draw();
  piped = false;
  start_drawn();
  EXPECT_FALSE(dut_->stop_valid_o || dut_->buffer_valid_o);
  EXPECT_TRUE(dut_->end_valid_o);
  EXPECT_EQ(sample_record<End>(dut_->end_o).get<layout::queue_end::status>(),
            Status::kQueueInvalid);
}

TEST_F(PipeOperands, FailWhileTheyCountTheirBuffers) {
  quiet();
  start_any();
  dut_->configured_i = 1;
  dut_->configure_queue_i = static_cast<CData>(receive_queue_);
  dut_.tick();
  dut_->configured_i = 0;
  dut_.settle();
  EXPECT_TRUE(dut_->stop_valid_o && dut_->running_o);
  EXPECT_FALSE(dut_->receives_o || dut_->buffer_valid_o);
}

TEST_F(PipeOperands, SpoilACopyOnlyOnceItHasGoneOut) {
  quiet();
  start_any();
  ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
  dut_->arriving_valid_i = 1;
  dut_.settle();
  ASSERT_NO_FATAL_FAILURE(begin(false));
  dut_->arriving_valid_i = 0;
  dut_->receive_end_i = 1;
  dut_->receive_status_i = 9;
  dut_.tick();
  dut_->receive_end_i = 0;
  for (int i = 0; i < 3; ++i) {
    dut_.tick();
    ASSERT_TRUE(dut_->out_valid_o);
    EXPECT_FALSE(spoils() || holds());
  }
  dut_->out_ready_i = 1;
  dut_.tick();
  dut_->out_ready_i = 0;
  for (int i = 0; i < 3; ++i) {
    dut_.tick();
    EXPECT_TRUE(spoils() && !dut_->out_valid_o);
  }
  dut_->out_ready_i = 1;
  dut_.tick();
  EXPECT_FALSE(spoils());
}

// A message that goes out as it arrives cannot be stored. The SEND fails, and should that get lost,
// it fails again.
TEST_F(PipeOperands, SpoilACopyAgainWhateverTheStatusOfTheFailure) {
  for (unsigned bit = 0; bit < 8; ++bit) {
    quiet();
    start_any();
    ASSERT_NO_FATAL_FAILURE(expect_buffer(0));
    dut_->arriving_valid_i = 1;
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(begin(false));
    dut_->out_ready_i = 1;
    dut_.tick();
    dut_->out_ready_i = dut_->arriving_valid_i = 0;
    dut_->receive_end_i = 1;
    dut_->receive_status_i = static_cast<CData>(1U << bit);
    dut_.tick();
    dut_->receive_end_i = 0;
    dut_->stop_ready_i = 1;
    dut_.tick();
    dut_->stop_ready_i = 0;
    dut_->again_i = 1;
    dut_.settle();
    EXPECT_TRUE(spoils() && !dut_->again_ready_o) << "it is being cut";
    dut_->out_ready_i = 1;
    dut_.tick();
    EXPECT_TRUE(!spoils() && dut_->again_ready_o) << bit;
    dut_.tick();
    dut_->again_i = 0;
    EXPECT_TRUE(dut_->out_valid_o);
    dut_.tick();
    dut_->out_ready_i = 0;
    EXPECT_TRUE(spoils()) << bit;
    ASSERT_NO_FATAL_FAILURE(flush_away());
  }
}

}  // namespace
}  // namespace torusmu::testing
