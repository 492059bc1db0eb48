// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/pipe_bench.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;

class Pipe : public PipeBench {
 protected:
  // Each of its buffers gets a message, and none is left.
  void fill_buffers(std::uint64_t length, std::uint64_t buffer_bytes = 100) {
    start(100, length, buffer_bytes);
    run(30);
    for (std::size_t i = 0; i < 20; ++i) {
      if (i < given.size()) receive(1);
      run(4);
    }
  }
  void take_away() {
    flush();
    run();
    forget();
  }
};

TEST_F(Pipe, RestsWhileThereIsNone) {
  run(5);
  EXPECT_FALSE(dut_->busy_o);
  EXPECT_FALSE(dut_->running_o);
  EXPECT_EQ(dones, 0U);
}

TEST_F(Pipe, GivesTwoBuffersBeforeAMessageComes) {
  start(10, 1000);
  run();
  ASSERT_EQ(given.size(), 2U);
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(given[i].get<b::address>(), kAddress + i * 100);
    EXPECT_EQ(given[i].get<b::length>(), 100U);
    EXPECT_EQ(given[i].get<b::queue>(), kReceiveQueue);
    EXPECT_EQ(given[i].get<b::owner>(), kOwner);
  }
  EXPECT_FALSE(dut_->busy_o) << "it waits for a message";
  EXPECT_TRUE(dut_->running_o);
}

TEST_F(Pipe, SendsAsManyBytesAsCameFromTheBufferOfTheMessage) {
  start(10, 1000);
  run();
  receive(70);
  run();
  expect_copy(0, false, 0, 70);
  EXPECT_EQ(begins, std::vector<bool>{false});
  EXPECT_EQ(given.size(), 3U) << "and the next buffer takes a message";
}

TEST_F(Pipe, GivesABufferAgainWhenItsSendIsAcknowledged) {
  start(10, 300);
  run();
  for (const std::uint32_t bytes : {10U, 20U, 30U}) {
    receive(bytes);
    run();
  }
  EXPECT_EQ(given.size(), 3U) << "all are full";
  expect_copy(0, false, 0, 10);
  EXPECT_EQ(copies.size(), 1U);
  end_send();
  run();
  ASSERT_EQ(given.size(), 4U);
  EXPECT_EQ(given[3].get<b::address>(), kAddress);
  expect_copy(1, false, 100, 20);
  end_send();
  run();
  EXPECT_EQ(given[4].get<b::address>(), kAddress + 100);
  expect_copy(2, false, 200, 30);
}

// Others are cut before it.
TEST_F(Pipe, SendsNothingBeforeItsTurn) {
  start(10, 1000);
  run();
  dut_->out_turn_i = 0;
  receive(70);
  run();
  EXPECT_TRUE(copies.empty());
  EXPECT_TRUE(dut_->out_valid_o && dut_->busy_o);
  dut_->out_turn_i = 1;
  run();
  expect_copy(0, false, 0, 70);
}

TEST_F(Pipe, SendsTheNextAheadOfTheAcknowledgement) {
  start(10, 1000);
  run();
  receive(10);
  run();
  receive(20);
  run();
  EXPECT_EQ(copies.size(), 1U) << "not all of the first has left";
  let_ahead = true;
  run();
  ASSERT_EQ(copies.size(), 2U);
  expect_copy(1, true, 100, 20);
  receive(30);
  run();
  EXPECT_EQ(copies.size(), 2U) << "two are under way at most";
  end_send();
  run();
  EXPECT_EQ(begins, (std::vector<bool>{false, true})) << "the second had gone out";
  ASSERT_EQ(copies.size(), 3U);
  expect_copy(2, true, 200, 30);
}

TEST_F(Pipe, SendsTheFirstAgainAndTheSecondBehindIt) {
  let_ahead = true;
  start(10, 1000);
  run();
  receive(10);
  receive(20);
  run();
  ASSERT_EQ(copies.size(), 2U);
  again();
  run();
  ASSERT_EQ(copies.size(), 4U);
  expect_copy(2, false, 0, 10);
  expect_copy(3, true, 100, 20);
}

TEST_F(Pipe, IsBusyAsSoonAsTheOnlySendIsToGoOutAgain) {
  start(1, 1000);
  run();
  receive(10);
  run();
  EXPECT_FALSE(dut_->busy_o) << "it waits for the acknowledgement";
  dut_->again_i = 1;
  dut_.tick();
  EXPECT_TRUE(dut_->busy_o) << "a copy goes out";
}

TEST_F(Pipe, SendsTheSecondAgainWhenItStandsFirst) {
  let_ahead = true;
  start(2, 1000);
  run();
  receive(10);
  receive(20);
  run();
  end_send();
  run();
  again();
  run();
  ASSERT_EQ(copies.size(), 3U);
  expect_copy(2, false, 100, 20);
}

TEST_F(Pipe, BeginsNoSendWhileACopyIsBeingCut) {
  let_ahead = true;
  start(10, 1000);
  run();
  receive(10);
  run();
  receive(20);
  while (copies.size() < 2) tick();
  dut_->out_ready_i = 0;  // the packetiser cuts the second
  run();
  end_send();
  run();
  EXPECT_EQ(begins.size(), 1U) << "its later packets would have another number";
  dut_->out_ready_i = 1;
  run();
  EXPECT_EQ(begins.size(), 2U);
}

TEST_F(Pipe, EndsWhenTheLastMessageIsAcknowledged) {
  start(3, 1000);
  run();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ended);
    receive(10);
    run();
    end_send();
    run();
  }
  EXPECT_EQ(ended, Status::kOk);
  EXPECT_EQ(given.size(), 3U);
  EXPECT_EQ(stops, 0U);
  expect_idle();
}

TEST_F(Pipe, GivesNoMoreBuffersThanMessages) {
  start(1, 1000);
  run();
  EXPECT_EQ(given.size(), 1U);
}

TEST_F(Pipe, WorksWithOneBuffer) {
  start(3, 199);
  for (std::size_t i = 1; i <= 3; ++i) {
    run();
    ASSERT_EQ(given.size(), i);
    EXPECT_EQ(given.back().get<b::address>(), kAddress);
    receive(100);
    run();
    EXPECT_EQ(given.size(), i);
    end_send();
  }
  run();
  EXPECT_EQ(ended, Status::kOk);
}

TEST_F(Pipe, UsesAsManyBuffersAsFitAndSixteenAtMost) {
  const std::pair<std::uint64_t, std::size_t> lengths[] = {
      {100, 1}, {199, 1}, {200, 2}, {299, 2}, {300, 3}, {1599, 15}, {1600, 16}, {5000, 16}};
  for (const auto& [length, buffers] : lengths) {
    SCOPED_TRACE(length);
    fill_buffers(length);
    EXPECT_EQ(given.size(), buffers);
    take_away();
  }
}

TEST_F(Pipe, UsesOneMoreBufferFromTheByteOnThatItNeeds) {
  for (unsigned bit = 6; bit < 35; ++bit) {
    SCOPED_TRACE(bit);
    const std::uint64_t length = 1ULL << bit, buffer_bytes = length / 8 + 1;
    fill_buffers(length, buffer_bytes);
    EXPECT_EQ(given.size(), 7U);
    take_away();
    fill_buffers(8 * buffer_bytes, buffer_bytes);
    EXPECT_EQ(given.size(), 8U);
    take_away();
  }
}

TEST_F(Pipe, CountsBuffersOfTheLargestSize) {
  fill_buffers((1ULL << 37) - 1, 0xFFFFFFFF);
  EXPECT_EQ(given.size(), 16U);
  EXPECT_EQ(given.back().get<b::address>(), (kAddress + 15 * 0xFFFFFFFFULL) & ((1ULL << 40) - 1));
}

TEST_F(Pipe, EndsWithTheStatusOfASendThatFails) {
  start(10, 1000);
  run();
  receive(10);
  receive(20);
  run();
  end_send(Status::kLengthTooLong);
  run();
  EXPECT_EQ(copies.size(), 1U);
  EXPECT_EQ(stops, 1U) << "buffers that wait are taken away";
  EXPECT_EQ(ended, Status::kLengthTooLong);
  EXPECT_EQ(begins.size(), 1U);
  expect_idle();
}

TEST_F(Pipe, WaitsForTheSendsUnderWayAfterAFailure) {
  let_ahead = true;
  start(10, 1000);
  run();
  receive(10);
  receive(20);
  run();
  receive(0, Status::kMemoryError);
  EXPECT_FALSE(dut_->receives_o);
  run();
  EXPECT_EQ(stops, 1U);
  EXPECT_FALSE(ended);
  const std::size_t before = given.size();
  end_send();
  run();
  EXPECT_FALSE(ended);
  EXPECT_EQ(begins, (std::vector<bool>{false, true}));
  again();
  run();
  expect_copy(2, false, 100, 20);
  end_send(Status::kRetryExceeded);
  run();
  EXPECT_EQ(ended, Status::kMemoryError) << "the first failure";
  EXPECT_EQ(given.size(), before);
  expect_idle();
}

TEST_F(Pipe, BeginsNoSendAfterAFailure) {
  start(10, 1000);
  run();
  receive(10);
  run();
  receive(20);
  run();
  receive(0, Status::kMemoryError);
  end_send();
  run();
  EXPECT_EQ(begins.size(), 1U);
  EXPECT_EQ(ended, Status::kMemoryError);
}

// The first is acknowledged just when the buffers are taken away.
TEST_F(Pipe, SendsTheSecondFromItsOwnBufferAfterAFailure) {
  for (int delay = 0; delay < 6; ++delay) {
    SCOPED_TRACE(delay);
    let_ahead = true;
    start(10, 1000);
    run();
    receive(10);
    receive(20);
    run();
    copies.clear();
    receive(0, Status::kMemoryError);
    dut_->stop_ready_i = 0;
    for (int i = 0; i < 6; ++i) {
      if (i == delay) {
        end_send();
      } else {
        tick();
      }
      if (i == 3) dut_->stop_ready_i = 1;
    }
    run();
    again();
    run();
    expect_copy(0, false, 100, 20);
    end_send();
    run();
    EXPECT_EQ(ended, Status::kMemoryError);
    forget();
  }
}

TEST_F(Pipe, EndsFlushedIfTheReceiveQueueIsConfigured) {
  for (unsigned delay = 0; delay < 30; ++delay) {
    SCOPED_TRACE(delay);
    forget();
    start(10, 1600);
    run(delay);
    configure_receive_queue();
    run(30);
    EXPECT_EQ(ended, Status::kFlushed);
    EXPECT_LE(given.size(), 2U);
    expect_idle();
  }
}

TEST_F(Pipe, GoesWithoutAnEndWheneverItsQueueIsFlushed) {
  for (unsigned delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    forget();
    let_ahead = true;
    start(3, 400);
    for (unsigned i = 0; i < 60; ++i) {
      if (i == delay) {
        flush();
      } else if (i == 20 && delay > i) {
        receive(10);
      } else if (i == 22 && delay > i) {
        receive(20);
      } else if (i == 30 && delay > i) {
        end_send();
      } else if (i == 40 && delay > i) {
        receive(30, Status::kMemoryError);
      } else {
        tick();
      }
    }
    run();
    EXPECT_FALSE(ended);
    EXPECT_EQ(stops, delay > 40 ? 2U : 1U);
    EXPECT_FALSE(dut_->second_i);
    expect_idle();
  }
}

TEST_F(Pipe, EndsAtOnceIfItIsFlushedAsItStarts) {
  start(10, 1000, 100, false);
  run();
  EXPECT_TRUE(given.empty());
  EXPECT_FALSE(ended);
  expect_idle();
  dones = 0;
  dut_->flush_i = 1;
  dut_->configure_queue_i = kQueue;
  start(10, 1000);
  dut_->flush_i = 0;
  run();
  EXPECT_TRUE(given.empty());
  EXPECT_FALSE(ended);
  expect_idle();
}

TEST_F(Pipe, EndsWithQueueInvalidIfItsReceiveQueueMayNotBeUsedAnyMore) {
  piped = false;
  start(10, 1000);
  EXPECT_TRUE(dut_->running_o);
  EXPECT_FALSE(dut_->receives_o) << "what the queue receives is not for it";
  run();
  EXPECT_TRUE(given.empty());
  EXPECT_EQ(stops, 0U);
  EXPECT_EQ(ended, Status::kQueueInvalid);
  expect_idle();
}

TEST_F(Pipe, TakesNoNoticeOfOtherQueues) {
  start(10, 1000);
  run();
  dut_->flush_i = dut_->configured_i = 1;
  dut_->configure_queue_i = kQueue + 1;
  tick();
  dut_->flush_i = dut_->configured_i = 0;
  run();
  EXPECT_TRUE(dut_->running_o);
  EXPECT_EQ(stops, 0U);
  receive(5);
  run();
  EXPECT_EQ(copies.size(), 1U);
}

// Of one cycle: while it counts, while messages arrive, wait to go out and are cut, or it stops.
TEST_F(Pipe, IsIdleBehindAResetWhateverItDid) {
  for (unsigned delay = 0; delay < 60; ++delay) {
    SCOPED_TRACE(delay);
    forget();
    let_ahead = true;
    start(10, 1000);
    dut_->stop_ready_i = 0;
    for (unsigned i = 0; i < delay; ++i) {
      dut_->out_ready_i = i % 8 == 7;
      if (i == 15) {
        arrive(10);
      } else if (i == 35) {
        receive_arrived();
      } else if (i == 36) {
        receive(20);
      } else if (i == 50) {
        receive(0, Status::kMemoryError);
      } else {
        tick();
      }
    }
    dut_->arriving_valid_i = 0;
    dut_->out_ready_i = 0;
    dut_.reset(1);
    open = second = false;
    dut_->second_i = dut_->may_ahead_i = 0;
    dut_.settle();
    EXPECT_FALSE(dut_->running_o || dut_->busy_o || dut_->counting_o || holds() || spoils());
    EXPECT_FALSE(dut_->out_valid_o || dut_->begin_valid_o || dut_->buffer_valid_o);
    EXPECT_FALSE(dut_->stop_valid_o || dut_->end_valid_o);
    dut_->stop_ready_i = dut_->out_ready_i = 1;
    forget();
    start(1, 1000);
    run();
    EXPECT_EQ(given.size(), 1U);
    receive(70);
    run();
    expect_copy(0, false, 0, 70);
    end_send();
    run();
    EXPECT_EQ(ended, Status::kOk);
    expect_idle();
  }
}

// Everything around takes its time. Each message goes out from its buffer, and no buffer is given
// again before its message is acknowledged.
TEST_F(Pipe, SendsEveryMessageInOrderWhateverTheDelays) {
  unsigned early = 0;  // copies of messages that were not received yet
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const auto messages = static_cast<std::uint32_t>(1 + random_.below(40));
    const std::uint64_t buffers = 1 + random_.below(20);
    const std::uint64_t used = std::min<std::uint64_t>(buffers, 16);
    const unsigned chances[] = {10, 40, 70, 100};
    const auto chance = [&] { return chances[random_.below(4)]; };
    const unsigned give = chance(), come = chance(), take = chance(), reply = chance();
    forget();
    std::deque<std::uint32_t> lengths;  // of messages received and not acknowledged
    std::size_t received = 0, acknowledged = 0;
    std::uint32_t arriving = 0;  // bytes of the message that arrives
    unsigned cutting = 0;        // cycles for which the packetiser is busy with the last copy
    bool cuts_early = false;     // and its message has not been received
    bool first_left = false;     // all packets of a copy of the first
    bool second_left = false;
    start(messages, buffers * 100 + random_.below(100));
    for (unsigned i = 0; !ended; ++i) {
      ASSERT_LT(i, 100000U);
      dut_->out_ready_i = cutting == 0;
      dut_->buffer_ready_i = random_.chance(give);
      dut_->begin_ready_i = random_.chance(take);
      const bool comes = given.size() > received && random_.chance(come);
      if (comes && arriving == 0) arriving = static_cast<std::uint32_t>(1 + random_.below(100));
      dut_->receive_end_i = comes && random_.chance(50);
      dut_->receive_bytes_i = dut_->arriving_bytes_i = arriving;
      dut_->arriving_valid_i = arriving != 0 && !dut_->receive_end_i;
      dut_->again_i = dut_->again_i || (open && first_left && random_.chance(10));
      dut_->send_end_i = open && first_left && !dut_->again_i && random_.chance(reply);
      let_ahead = first_left && !dut_->again_i && cutting == 0;
      dut_.settle();
      const bool goes_again = dut_->again_i && dut_->again_ready_o;
      const bool held = holds();
      if (cutting > 0) {
        ASSERT_EQ(held, cuts_early) << "until it is received";
      }
      const std::size_t copies_before = copies.size(), begins_before = begins.size();
      tick();
      if (goes_again) dut_->again_i = first_left = 0;
      if (dut_->receive_end_i) {
        lengths.push_back(arriving);
        arriving = 0;
        cuts_early = false;
        ++received;
      }
      if (cutting > 0 && !held) {
        ASSERT_EQ(begins.size(), begins_before) << "it would change the number of the copy";
        if (--cutting == 0) (copies.back().ahead ? second_left : first_left) = true;
      }
      if (copies.size() != copies_before) {
        const Copy& copy = copies.back();
        ASSERT_EQ(copy.offset, (acknowledged + copy.ahead) % used * 100);
        cuts_early = lengths.size() == copy.ahead;
        ASSERT_EQ(copy.length, cuts_early ? arriving : lengths.at(copy.ahead));
        early += cuts_early ? 1 : 0;
        cutting = 1 + static_cast<unsigned>(random_.below(12));
      }
      if (dut_->send_end_i) {
        lengths.pop_front();
        ++acknowledged;
        first_left = false;
      }
      if (begins.size() != begins_before && begins.back()) {
        first_left = second_left;
        second_left = false;
      }
      ASSERT_LE(given.size(), acknowledged + used) << "buffers in use";
      ASSERT_LE(given.size(), received + 2) << "buffers that wait";
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      ASSERT_EQ(given[i].get<b::address>(), kAddress + i % used * 100);
    }
    ASSERT_EQ(given.size(), messages);
    ASSERT_EQ(acknowledged, messages);
    ASSERT_EQ(ended, Status::kOk);
    dut_->send_end_i = dut_->receive_end_i = dut_->arriving_valid_i = 0;
    dut_->out_ready_i = dut_->buffer_ready_i = dut_->begin_ready_i = 1;
    expect_idle();
  }
  EXPECT_GT(early, 100U);
}

}  // namespace
}  // namespace torusmu::testing
