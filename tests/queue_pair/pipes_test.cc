// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128
// PIPEs that run at once: whose is what, and who waits for whom.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/queue_pair/pipes_fixture.h"

namespace torusmu::testing::pipes {
namespace {

TEST_F(Pipes, RunFourAtOnceAndTheNextWhenOneHasEnded) {
  constexpr unsigned kSend[] = {3, 9, 31, 0, 20}, kFrom[] = {30, 8, 1, 17, 18};
  for (int i = 0; i < 5; ++i) start(kSend[i], kFrom[i], i == 2 ? 1 : 100);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(buffers_of(kFrom[i]), i == 4 ? 0U : i == 2 ? 1U : 2U) << i;
  EXPECT_FALSE(dut_->busy_o) << "the fifth waits for an end";
  for (const Buffer& buffer : given) {
    const auto from = buffer.get<b::queue>();
    const unsigned queue = from == 30 ? 3 : from == 8 ? 9 : from == 1 ? 31 : 0;
    EXPECT_EQ(buffer.get<b::address>() / kAddress, 1U + queue);
    EXPECT_EQ(buffer.get<b::owner>(), descriptors_[queue].get<f::owner>());
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(receive(kFrom[i], 10 + i));
    run();
    EXPECT_EQ(begins.back(), kSend[i]);
    expect_out(i, kSend[i], 0, 10 + i);
  }
  EXPECT_FALSE(receive(kFrom[4], 5));
  EXPECT_FALSE(acknowledge(kSend[4]));
  for (int i = 3; i >= 0; --i) EXPECT_TRUE(acknowledge(kSend[i]));
  run();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(kSend[2]));
  EXPECT_EQ(buffers_of(kFrom[4]), 2U);
  EXPECT_TRUE(receive(kFrom[4], 5));
  run();
  expect_out(4, kSend[4], 0, 5);
}

TEST_F(Pipes, WaitWhileAnotherReceivesFromTheirQueue) {
  start(3, 30, 1);
  start(9, 30, 1);
  start(12, 8, 1);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_EQ(buffers_of(8), 1U) << "nobody else waits for that";
  EXPECT_FALSE(dut_->busy_o);
  finish(12, 8);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_FALSE(dut_->busy_o);
  finish(3, 30);
  EXPECT_EQ(buffers_of(30), 2U);
  finish(9, 30);
  EXPECT_EQ(ends.size(), 3U);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(Pipes, ThatReceiveNothingWaitForNoQueue) {
  start(3, 0, 1);
  start(9, 0, 0, true);
  start(12, 0, 0, true);
  EXPECT_EQ(begins, (std::vector<unsigned>{9, 12}));
  EXPECT_EQ(buffers_of(0), 1U);
}

TEST_F(Pipes, DoNotStartOnceTheyAreFlushed) {
  start(3, 30, 1);
  start(9, 30, 1);
  flush(9);
  finish(3, 30);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_EQ(ends.size(), 1U);
  // The queue holds another one later.
  held_.set(9);
  start(9, 30, 1);
  EXPECT_EQ(buffers_of(30), 2U);
}

TEST_F(Pipes, AreFlushedAlone) {
  start(3, 30);
  start(9, 8);
  flush(3);
  EXPECT_EQ(stops, (std::vector<unsigned>{30}));
  EXPECT_TRUE(ends.empty());
  EXPECT_FALSE(receive(30, 5));
  EXPECT_TRUE(receive(8, 5));
}

// Whoever is told has no time yet.
TEST_F(Pipes, EndThatWaitsIsTakenAwayByAFlushOfItsQueue) {
  for (const bool flushed : {false, true}) {
    dut_->end_ready_i = 0;
    held_.set();
    start(3, 30, 1);
    EXPECT_TRUE(receive(30, 7));
    run();
    EXPECT_TRUE(acknowledge(3));
    run();
    flush(9);
    EXPECT_TRUE(dut_->end_valid_o);
    EXPECT_TRUE(dut_->busy_o);
    if (flushed) flush(3);
    EXPECT_EQ(dut_->end_valid_o, !flushed);
    dut_->end_ready_i = 1;
    run();
    EXPECT_EQ(ends.size(), 1U) << "of the first round";
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(Pipes, EndsWaitForOneAnother) {
  dut_->end_ready_i = 0;
  constexpr unsigned kSend[] = {3, 9, 31}, kFrom[] = {30, 8, 1};
  for (int i = 0; i < 3; ++i) start(kSend[i], kFrom[i], 1);
  for (const unsigned from : kFrom) EXPECT_TRUE(receive(from, 7));
  run();
  for (const unsigned queue : kSend) EXPECT_TRUE(acknowledge(queue));
  run();
  dut_->end_ready_i = 1;
  run();
  ASSERT_EQ(ends.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ends[i], End().set<layout::queue_end::queue>(kSend[i]));
  }
}

TEST_F(Pipes, NeverEndOnceTheyAreFlushedWhenEverThatIs) {
  for (unsigned cycles = 0; cycles < 8; ++cycles) {
    held_.set();
    start(3, 30, 1);
    EXPECT_TRUE(receive(30, 7));
    run();
    EXPECT_TRUE(acknowledge(3));
    dut_->end_ready_i = 0;
    run(cycles);
    flush(3);
    dut_->end_ready_i = 1;
    run();
    EXPECT_TRUE(ends.empty()) << cycles;
    EXPECT_FALSE(dut_->busy_o) << cycles;
  }
}

TEST_F(Pipes, BufferThatIsGivenStandsUntilItIsTakenAndAnotherPipeIsNext) {
  constexpr unsigned kSend[] = {3, 9, 31, 0}, kFrom[] = {30, 8, 1, 17};
  dut_->buffer_ready_i = 0;
  for (int i = 0; i < 4; ++i) start(kSend[i], kFrom[i]);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(dut_->buffer_valid_o) << i;
    const Buffer shown = sample_record<Buffer>(dut_->buffer_o);
    run(5);
    EXPECT_EQ(sample_record<Buffer>(dut_->buffer_o), shown);
    dut_->buffer_ready_i = 1;
    tick();
    dut_->buffer_ready_i = 0;
    if (i != 0) {
      EXPECT_NE(given[i].get<b::queue>(), given[i - 1].get<b::queue>()) << i;
    }
    run(2);
  }
  EXPECT_FALSE(dut_->buffer_valid_o);
  for (const unsigned from : kFrom) EXPECT_EQ(buffers_of(from), 2U);
}

TEST_F(Pipes, EndAloneIfTheirReceiveQueueIsConfigured) {
  start(3, 30);
  start(9, 8);
  configure(8, true, true);
  tick();
  configure(0, false, false);
  run();
  EXPECT_EQ(stops, (std::vector<unsigned>{8}));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(9).set<layout::queue_end::status>(
                         Status::kFlushed));
}

TEST_F(Pipes, OnlyTheOneThatStartedFirstIsToldOfMessagesThatArrive) {
  start(3, 30, 1);
  start(9, 8, 1);
  EXPECT_EQ(watched(), 30U);
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>()
                              .set<layout::arriving_message::valid>(1)
                              .set<layout::arriving_message::bytes>(7));
  while (outs.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  EXPECT_EQ(begins, (std::vector<unsigned>{3}));
  EXPECT_TRUE(get<layout::send_hold::hold>(dut_->hold_o));
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>());
  EXPECT_TRUE(receive(30, 7));
  run();
  EXPECT_FALSE(get<layout::send_hold::hold>(dut_->hold_o));
  dut_->out_ready_i = 1;
  EXPECT_TRUE(acknowledge(3));
  run();
  EXPECT_EQ(watched(), std::nullopt) << "packets may be under way to the other";
  start(12, 1);
  EXPECT_EQ(watched(), 1U);
}

// The packetiser has not begun to cut it, or waits for the rest of the message.
TEST_F(Pipes, SpoilWhatHasGoneOutEarlyUntilItIsCutThoughTheOnlyOneIsFlushed) {
  start(3, 30, 1);
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>()
                              .set<layout::arriving_message::valid>(1)
                              .set<layout::arriving_message::bytes>(7));
  while (outs.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  ASSERT_TRUE(get<layout::send_hold::hold>(dut_->hold_o));
  flush(3);
  run(100);
  EXPECT_TRUE(get<layout::send_hold::spoil>(dut_->hold_o)) << "what it would send never came";
  EXPECT_TRUE(dut_->busy_o);
  dut_->out_ready_i = 1;
  tick();
  tick();
  EXPECT_EQ(get<layout::send_hold::spoil>(dut_->hold_o), 0U);
}

TEST_F(Pipes, SendInTurn) {
  constexpr unsigned kSend[] = {3, 9, 12}, kFrom[] = {30, 8, 1};
  for (int i = 0; i < 3; ++i) start(kSend[i], kFrom[i]);
  dut_->out_ready_i = 0;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(receive(kFrom[i], 1));
  run();
  EXPECT_TRUE(dut_->out_valid_o);
  for (std::size_t sent = 1; sent <= 6; ++sent) {
    while (outs.size() < sent) {
      dut_->out_ready_i = 1;
      tick();
    }
    dut_->out_ready_i = 0;
    run();
    const auto queue = static_cast<unsigned>(outs.back().get<f::queue>());
    dut_->out_ready_i = 0;
    // It has another one at once.
    EXPECT_TRUE(acknowledge(queue));
    EXPECT_TRUE(receive(queue == 3 ? 30 : queue == 9 ? 8 : 1, 1));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(outs[i].get<f::queue>(), kSend[i % 3]) << i;
  }
}

// Of two with a list each gives its own buffers, in turn, and sends from them.
TEST_F(Pipes, GiveAndSendTheBuffersOfTheirLists) {
  constexpr unsigned kBuffers = 3;
  start_listed(3, 30, kBuffers);
  EXPECT_EQ(buffers_of(30), 0U) << "the list has not been read";
  start(9, 8);
  EXPECT_EQ(buffers_of(8), 2U) << "another does not wait for that";
  play_list(3, kBuffers);
  start_listed(12, 1, kBuffers);
  play_list(12, kBuffers);
  for (unsigned i = 0; i < 2 * kBuffers; ++i) {
    for (const unsigned queue : {3U, 12U}) {
      const unsigned from = queue == 3 ? 30 : 1;
      const Buffer buffer = of(from).at(i);
      const unsigned number = i % kBuffers;
      EXPECT_EQ(buffer.get<b::address>(), address_of(queue) + offset_in_list(queue, number));
      EXPECT_EQ(buffer.get<b::length>(), bytes_in_list(queue, number));
      EXPECT_EQ(buffer.get<b::owner>(), descriptors_[queue].get<f::owner>());
      EXPECT_TRUE(receive(from, 1 + i));
      run();
      const Fetched out = outs.back();
      EXPECT_EQ(out.get<f::queue>(), queue);
      EXPECT_EQ(out.get<f::descriptor>().get<d::source_region>(), region_in_list(queue));
      EXPECT_EQ(out.get<f::descriptor>().get<d::source_offset>(), offset_in_list(queue, number));
      EXPECT_EQ(out.get<f::descriptor>().get<d::length>(), 1U + i);
      EXPECT_TRUE(acknowledge(queue));
      run();
    }
  }
  EXPECT_EQ(buffers_of(8), 2U);
}

TEST_F(Pipes, EndWithWhatIsWrongWithTheirList) {
  start_listed(3, 30, 2);
  play_list(3, 2, 1);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(3).set<layout::queue_end::status>(
                         Status::kPermission));
  EXPECT_TRUE(given.empty());
  EXPECT_FALSE(dut_->busy_o);
}

// Another takes its queue, and its place, while the memory still reads the list.
TEST_F(Pipes, AreFlushedWhileTheirListIsRead) {
  start_listed(3, 30, 4);
  answers_.set<a::ready>(1);
  tick();
  answers_.set<a::ready>(0);
  flush(3);
  EXPECT_TRUE(dut_->busy_o);
  held_.set(3);
  start_listed(3, 30, 2);
  beat(0, 3, false);
  beat(0, 3, true);
  play_list(3, 2);
  EXPECT_EQ(buffers_of(30), 2U);
  EXPECT_TRUE(ends.empty());
}

TEST_F(Pipes, GoOutAgainByThemselves) {
  start(3, 30);
  start(9, 8);
  EXPECT_TRUE(receive(8, 5));
  run();
  dut_->again_valid_i = 1;
  dut_->again_queue_i = 20;
  dut_.settle();
  EXPECT_FALSE(dut_->again_mine_o);
  dut_->again_queue_i = 9;
  dut_.settle();
  EXPECT_TRUE(dut_->again_mine_o && dut_->again_ready_o);
  tick();
  dut_->again_valid_i = 0;
  run();
  ASSERT_EQ(outs.size(), 2U);
  expect_out(1, 9, 0, 5);
}

}  // namespace
}  // namespace torusmu::testing::pipes
