// SPDX-License-Identifier: Apache-2.0
// model: Vmu_pipe mu_pipe
// bgp: -GQUEUES=128
// PIPEs with a list of buffers, which is read before any of them is given.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/pipe_bench.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;

class PipeListed : public PipeBench {
 protected:
  // The PIPE is about to have its list read.
  void start_listed(std::uint32_t messages, unsigned buffers) {
    forget();
    listed = true;
    start(messages, kEntryBytes * buffers, 0);
    run(2);
    expect_reading(buffers);
  }
  void expect_reading(unsigned buffers) {
    EXPECT_TRUE(get<layout::pipe_list_ask::read>(dut_->list_o));
    EXPECT_TRUE(dut_->busy_o && dut_->running_o);
    EXPECT_FALSE(dut_->buffer_valid_o || dut_->end_valid_o || dut_->stop_valid_o);
    const auto buffer = sample_record<Buffer>(dut_->buffer_o);
    EXPECT_EQ(buffer.get<b::address>(), kAddress) << "the list itself";
    EXPECT_EQ(buffer.get<b::length>(), kEntryBytes * buffers);
    EXPECT_EQ(buffer.get<b::owner>(), kOwner);
  }
  void read_list(std::uint64_t status = 0) {
    namespace e = layout::pipe_list_end;
    drive(dut_->list_i,
          Record<e::Layout>().set<e::valid>(1).set<e::status>(static_cast<Status>(status)));
    tick();
    drive(dut_->list_i, Record<e::Layout>());
    EXPECT_FALSE(get<layout::pipe_list_ask::read>(dut_->list_o)) << "once";
  }
  static constexpr unsigned kEntryBytes = 16;
};

TEST_F(PipeListed, GiveNoBufferBeforeTheListIsRead) {
  for (unsigned buffers = 1; buffers <= 16; ++buffers) {
    SCOPED_TRACE(buffers);
    start_listed(1, buffers);
    for (std::uint64_t i = random_.below(20); i > 0; --i) {
      tick();
      expect_reading(buffers);
    }
    read_list();
    EXPECT_TRUE(dut_->buffer_valid_o) << "at once";
    run();
    EXPECT_EQ(given.size(), 1U);
    receive(10);
    run();
    end_send();
    run();
    EXPECT_EQ(ended, Status::kOk);
    expect_idle();
  }
}

TEST_F(PipeListed, GoRoundTheirListAndSendFromTheBufferOfTheMessage) {
  for (unsigned buffers = 1; buffers <= 16; ++buffers) {
    SCOPED_TRACE(buffers);
    const auto messages = static_cast<std::uint32_t>(1 + random_.below(3U * buffers));
    start_listed(messages, buffers);
    read_list();
    for (std::uint32_t message = 0; message < messages; ++message) {
      run();
      ASSERT_GT(given.size(), message);
      EXPECT_EQ(given_numbers[message], message % buffers);
      EXPECT_EQ(given[message].get<b::queue>(), kReceiveQueue);
      EXPECT_EQ(given[message].get<b::owner>(), kOwner);
      EXPECT_TRUE(get<layout::pipe_list_ask::listed>(dut_->list_o));
      receive(100 + message);
      run();
      ASSERT_EQ(copies.size(), message + 1);
      EXPECT_EQ(copies[message].number, message % buffers);
      EXPECT_EQ(copies[message].length, 100 + message);
      EXPECT_TRUE(copies[message].listed);
      end_send();
    }
    run();
    EXPECT_EQ(given.size(), messages);
    EXPECT_EQ(ended, Status::kOk);
    expect_idle();
  }
}

// All wait for the acknowledgement of the first.
TEST_F(PipeListed, GiveEachBufferOfTheirListOnceBeforeTheFirstIsFree) {
  for (unsigned buffers = 1; buffers <= 16; ++buffers) {
    SCOPED_TRACE(buffers);
    start_listed(100, buffers);
    read_list();
    for (unsigned message = 0; message < buffers; ++message) {
      run(5);
      receive(1);
    }
    run();
    EXPECT_EQ(given.size(), buffers);
    end_send();
    run();
    ASSERT_EQ(given.size(), buffers + 1U);
    EXPECT_EQ(given_numbers.back(), 0U);
    flush();
    run();
  }
}

TEST_F(PipeListed, SendTheNextAheadFromItsOwnBuffer) {
  let_ahead = true;
  start_listed(10, 3);
  read_list();
  for (unsigned message = 0; message < 5; ++message) {
    run();
    receive(1);
    run();
    ASSERT_EQ(copies.size(), message + 1U);
    EXPECT_EQ(copies.back().ahead, message > 0);
    EXPECT_EQ(copies.back().number, message % 3);
    if (message > 0) end_send();
  }
}

TEST_F(PipeListed, EndWithTheStatusOfTheirListIfItIsNotOk) {
  for (unsigned i = 0; i < 40; ++i) {
    const std::uint64_t status = i < 8 ? 1ULL << i : 1 + random_.below(255);
    SCOPED_TRACE(status);
    start_listed(10, 1 + static_cast<unsigned>(random_.below(16)));
    read_list(status);
    EXPECT_FALSE(dut_->receives_o);
    run();
    EXPECT_EQ(static_cast<std::uint64_t>(ended.value()), status);
    EXPECT_TRUE(given.empty() && begins.empty());
    expect_idle();
  }
}

TEST_F(PipeListed, EndFlushedIfTheirReceiveQueueIsConfiguredWhileTheListIsRead) {
  for (unsigned delay = 0; delay < 5; ++delay) {
    SCOPED_TRACE(delay);
    start_listed(10, 3);
    run(delay);
    configure_receive_queue();
    EXPECT_FALSE(get<layout::pipe_list_ask::read>(dut_->list_o)) << "it is withdrawn";
    run();
    EXPECT_EQ(stops, 1U);
    EXPECT_EQ(ended, Status::kFlushed);
    EXPECT_TRUE(given.empty());
    expect_idle();
  }
}

TEST_F(PipeListed, GoWithoutAnEndIfTheyAreFlushedWhileTheListIsRead) {
  for (unsigned delay = 0; delay < 5; ++delay) {
    SCOPED_TRACE(delay);
    start_listed(10, 3);
    run(delay);
    flush();
    EXPECT_FALSE(get<layout::pipe_list_ask::read>(dut_->list_o)) << "it is withdrawn";
    run();
    EXPECT_EQ(stops, 1U);
    EXPECT_FALSE(ended);
    EXPECT_TRUE(given.empty());
    expect_idle();
  }
}

}  // namespace
}  // namespace torusmu::testing
