// SPDX-License-Identifier: Apache-2.0
// model: Vmu_pipe mu_pipe
// bgp: -GQUEUES=128
// PIPEs with origin or target: a buffer goes out in pieces, or is filled piece by piece.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/support/pipe_bench.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;

class PipePieces : public PipeBench {
 protected:
  // Each piece, one behind the other, until the last ends where the buffer ends.
  void expect_pieces(std::uint64_t length, std::uint64_t piece) {
    ASSERT_EQ(copies.size(), (length + piece - 1) / piece);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      ASSERT_EQ(copies[i].offset % (1ULL << 37), i * piece);
      ASSERT_EQ(copies[i].length, std::min(piece, length - i * piece)) << i;
    }
  }
  void expect_buffers(std::uint64_t length, std::uint64_t piece) {
    ASSERT_EQ(given.size(), (length + piece - 1) / piece);
    for (std::size_t i = 0; i < given.size(); ++i) {
      ASSERT_EQ(given[i].get<b::address>(), (kAddress + i * piece) & ((1ULL << 40) - 1));
      ASSERT_EQ(given[i].get<b::length>(), std::min(piece, length - i * piece)) << i;
    }
  }
  void send_all(std::uint64_t length, std::uint64_t piece) {
    forget();
    origin = true;
    start(0, length, piece);
    for (unsigned i = 0; !ended; ++i) {
      ASSERT_LT(i, 20000U);
      run(static_cast<unsigned>(1 + random_.below(8)));
      if (open && !copies.empty()) end_send();
    }
    EXPECT_EQ(ended, Status::kOk);
    EXPECT_TRUE(given.empty());
    EXPECT_EQ(stops, 0U);
    expect_pieces(length, piece);
    expect_idle();
  }
  void store_all(std::uint64_t length, std::uint64_t piece) {
    forget();
    target = true;
    start(0, length, piece);
    run(3);
    for (std::size_t received = 0; !ended; ++received) {
      run(static_cast<unsigned>(1 + random_.below(8)));
      ASSERT_GT(given.size(), received);
      ASSERT_LE(given.size(), received + 2) << "two wait at most";
      receive(1);
      run(2);
    }
    EXPECT_EQ(ended, Status::kOk);
    EXPECT_TRUE(copies.empty() && begins.empty());
    EXPECT_EQ(stops, 0U);
    expect_buffers(length, piece);
    expect_idle();
  }
};

TEST_F(PipePieces, GoOutOneBehindTheOther) {
  send_all(300, 100);
  send_all(350, 100);
  send_all(100, 100);
  send_all(101, 100);
  send_all(4000, 100);
}

TEST_F(PipePieces, OfAnySizeGoOut) {
  send_all((1ULL << 37) - 1, 0xFFFFFFFF);
  send_all((1ULL << 37) - 32, 0xFFFFFFFF);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t piece = 1 + (random_.bits64() >> (32 + random_.below(32)));
    send_all(piece + random_.below(20 * piece), piece);
  }
}

TEST_F(PipePieces, GoAheadOfTheAcknowledgement) {
  let_ahead = origin = true;
  start(0, 350);
  run();
  ASSERT_EQ(copies.size(), 2U) << "two are under way at most";
  expect_copy(0, false, 0, 100);
  expect_copy(1, true, 100, 100);
  end_send();
  run();
  expect_copy(2, true, 200, 100);
  again();
  run();
  expect_copy(3, false, 100, 100);
  expect_copy(4, true, 200, 100);
  end_send();
  run();
  expect_copy(5, true, 300, 50);
  EXPECT_FALSE(dut_->busy_o) << "it waits for acknowledgements";
}

TEST_F(PipePieces, AskForNoReceiveQueue) {
  origin = true;
  start(0, 350);
  run();
  EXPECT_FALSE(dut_->receives_o);
  // A queue of that number is configured, and something arrives somewhere.
  dut_->configured_i = 1;
  dut_->configure_queue_i = 0;
  dut_->arriving_valid_i = 1;
  tick();
  dut_->configured_i = 0;
  run();
  EXPECT_FALSE(ended);
  EXPECT_EQ(copies.size(), 1U);
  EXPECT_FALSE(holds() || spoils());
}

TEST_F(PipePieces, EndWithTheStatusOfASendThatFails) {
  origin = true;
  start(0, 350);
  run();
  end_send(Status::kLengthTooLong);
  run();
  EXPECT_EQ(ended, Status::kLengthTooLong);
  EXPECT_EQ(copies.size(), 1U);
  EXPECT_EQ(stops, 0U) << "there is no buffer to take away";
  expect_idle();
}

TEST_F(PipePieces, WaitForTheSecondAfterAFailure) {
  let_ahead = origin = true;
  start(0, 350);
  run();
  second = true;
  dut_->stop_ready_i = 0;
  end_send();
  run();
  end_send(Status::kRetryExceeded);
  run();
  EXPECT_EQ(ended, Status::kRetryExceeded);
  expect_idle();
}

TEST_F(PipePieces, AreFlushedWheneverTheirQueueIs) {
  for (unsigned delay = 0; delay < 30; ++delay) {
    SCOPED_TRACE(delay);
    forget();
    origin = let_ahead = true;
    dut_->stop_ready_i = 0;
    start(0, 350);
    run(delay);
    flush();
    run();
    EXPECT_FALSE(ended);
    EXPECT_EQ(stops, 0U);
    expect_idle();
  }
}

// Of one that is flushed as it begins most pieces have not gone out.
TEST_F(PipePieces, BeginWithTheFirstWheneverThePipeBeforeWasFlushed) {
  for (unsigned delay = 0; delay < 10; ++delay) {
    SCOPED_TRACE(delay);
    forget();
    origin = true;
    start(0, 2000);
    run(delay);
    flush();
    tick();
    tick();
    EXPECT_FALSE(dut_->running_o || dut_->busy_o);
    send_all(350, 100);
  }
}

TEST_F(PipePieces, AreStoredOneBehindTheOther) {
  store_all(300, 100);
  store_all(350, 100);
  store_all(100, 100);
  store_all(4001, 100);
  store_all((1ULL << 37) - 1, 0xFFFFFFFF);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t piece = 1 + (random_.bits64() >> (32 + random_.below(32)));
    store_all(piece + random_.below(20 * piece), piece);
  }
}

TEST_F(PipePieces, AreNotSentOnAsTheyArrive) {
  target = true;
  start(0, 350);
  run();
  arrive(100);
  run();
  receive_arrived();
  run();
  EXPECT_TRUE(copies.empty() && begins.empty());
  EXPECT_EQ(given.size(), 3U) << "one is done, two wait";
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(PipePieces, ThatCannotBeStoredEndIt) {
  target = true;
  start(0, 350);
  run();
  receive(100);
  receive(100, Status::kMemoryError);
  run();
  EXPECT_EQ(ended, Status::kMemoryError);
  EXPECT_EQ(stops, 1U);
  expect_idle();
}

TEST_F(PipePieces, AreNotStoredOnceTheReceiveQueueIsConfigured) {
  target = true;
  start(0, 350);
  run();
  configure_receive_queue();
  run();
  EXPECT_EQ(ended, Status::kFlushed);
  EXPECT_EQ(stops, 1U);
  expect_idle();
}

}  // namespace
}  // namespace torusmu::testing
