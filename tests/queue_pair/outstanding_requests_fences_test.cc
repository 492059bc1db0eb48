// SPDX-License-Identifier: Apache-2.0
// model: Vmu_outstanding_requests mu_outstanding_requests
// bgp: -GQUEUES=128
//
// FENCEs.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/outstanding_requests_bench.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;

class Fences : public OutstandingRequestsBench {
 protected:
  // Behind a SEND that holds its queue.
  void go_ahead(unsigned queue, std::uint32_t index) {
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_->begin_index_i = index;
    dut_->begin_node_i = kNode;
    dut_->ahead_fence_i = dut_->number_ahead_i = 1;
    dut_.settle();
    EXPECT_TRUE(dut_->ahead_good_o);
    dut_->ahead_i = 1;
    dut_.tick();
    dut_->ahead_i = dut_->ahead_fence_i = dut_->number_ahead_i = 0;
    step();
  }
  // The SEND that holds the queue.
  void begin_send(unsigned queue) { begin(queue); }
  void end_send(unsigned queue) {
    answer(OutstandingRequestsBench::make(queue, 0, Status::kOk));
    expect_end(queue, Status::kOk);
  }
  static Answer make(unsigned queue, std::uint32_t index, Status status = Status::kOk,
                     std::uint32_t node = kNode) {
    return OutstandingRequestsBench::make(queue, index, status, node)
        .set<layout::send_answer::fence>(1);
  }
};

TEST_F(Fences, EndsOneThatIsAnswered) {
  begin_fence(7, 12);
  EXPECT_FALSE(end());
  answer(make(7, 12));
  expect_end(7, Status::kOk);
  EXPECT_FALSE(end());
}

TEST_F(Fences, EndsOneWithTheStatusThatItIsRefusedWith) {
  begin_fence(kQueues - 1, 5);
  answer(make(kQueues - 1, 5, Status::kRegionInvalid));
  expect_end(kQueues - 1, Status::kRegionInvalid);
}

TEST_F(Fences, TakesNoAnswerOfAnotherQueueIndexOrNode) {
  begin_fence(3, 9);
  for (unsigned bit = 0; bit < 32; ++bit) answer(make(3, 9 ^ 1U << bit));
  for (unsigned bit = 0; bit < 8; ++bit) answer(make(3 ^ 1U << bit, 9));
  for (unsigned bit = 0; bit < 12; ++bit) answer(make(3, 9, Status::kOk, kNode ^ 1U << bit));
  EXPECT_FALSE(end());
  answer(make(3, 9));
  expect_end(3, Status::kOk);
}

TEST_F(Fences, TakesNoLateAnswer) {
  begin_fence(3, 9);
  answer(make(3, 9));
  expect_end(3, Status::kOk);
  begin_fence(3, 10);
  answer(make(3, 9));
  EXPECT_FALSE(end());
  answer(make(3, 10));
  expect_end(3, Status::kOk);
}

TEST_F(Fences, TakesAFailureWhateverNodeItIsSaidToComeFrom) {
  begin_fence(3, 9);
  failure(make(3, 9, Status::kCounterInvalid, 0));
  expect_end(3, Status::kCounterInvalid);
}

TEST_F(Fences, SendsOneWithoutAnAnswerAgainAtTheEighthTick) {
  begin_fence(5, 1);
  for (int i = 0; i < 3; ++i) {
    expect_silent_ticks(7);
    EXPECT_EQ(tick(), 5U);
  }
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, GivesUpAfterAllRetries) {
  begin_fence(5, 1);
  for (int i = 0; i < 3; ++i) {
    expect_silent_ticks(7);
    EXPECT_EQ(tick(), 5U);
  }
  expect_silent_ticks(7);
  dut_->end_ready_i = 0;
  EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  expect_end(5, Status::kRetryExceeded);
}

TEST_F(Fences, KeepsOneOfEachQueue) {
  for (unsigned queue = 0; queue < kQueues; ++queue) begin_fence(queue, 100 + queue, queue);
  for (unsigned queue = kQueues; queue-- > 0;) {
    answer(make(queue, 100 + queue, Status::kOk, queue));
    expect_end(queue, Status::kOk);
  }
}

TEST_F(Fences, ForgetsOneThatIsCancelled) {
  begin_fence(5, 1);
  cancel(5);
  answer(make(5, 1));
  EXPECT_FALSE(end());
  begin_fence(5, 0);
  answer(make(5, 0));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, TellsWhatOneThatWentAheadWasAnsweredWhenItBegins) {
  begin_send(5);
  go_ahead(5, 1);
  EXPECT_EQ(bits_of(dut_->under_way_o), bit(5));
  answer(make(5, 2));
  answer(make(5, 1, Status::kRegionBounds));
  EXPECT_FALSE(end());
  EXPECT_TRUE(may_ahead(5)) << "it goes out once more if the SEND does";
  go_ahead(5, 1);
  end_send(5);
  EXPECT_FALSE(end());
  begin_fence(5, 1);
  EXPECT_EQ(bits_of(dut_->under_way_o), 0U);
  expect_end(5, Status::kRegionBounds);
}

TEST_F(Fences, AwaitsTheAnswerOfOneThatWentAhead) {
  begin_send(5);
  go_ahead(5, 1);
  go_ahead(5, 1);
  end_send(5);
  begin_fence(5, 1);
  EXPECT_FALSE(end());
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, StaysAheadOfASendThatFails) {
  begin_send(5);
  go_ahead(5, 1);
  answer(OutstandingRequestsBench::make(5, 0, Status::kLengthTooLong));
  expect_end(5, Status::kLengthTooLong);
  EXPECT_TRUE(is_second(5));
  begin_fence(5, 1);
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, UsesUpNoNumber) {
  begin_send(5);
  end_send(5);
  begin_fence(5, 1);
  answer(make(5, 1, Status::kRegionInvalid));
  expect_end(5, Status::kRegionInvalid);
  EXPECT_FALSE(broken(5));
  begin(5);
  EXPECT_EQ(number(5), 1U);
}

TEST_F(Fences, CountsNoTicksOfOneThatHasNotBegun) {
  begin_send(5);
  go_ahead(5, 1);
  expect_silent_ticks(5);
  end_send(5);
  begin_fence(5, 1);
  expect_silent_ticks(7);
  EXPECT_EQ(tick(), 5U);
}

TEST_F(Fences, ForgetsOneThatWentAheadAndIsCancelled) {
  begin_send(5);
  go_ahead(5, 1);
  answer(make(5, 1));
  cancel(5);
  EXPECT_EQ(bits_of(dut_->under_way_o), 0U);
  begin_fence(5, 1);
  EXPECT_FALSE(end());
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, WaitsForWhoTakesItsEnd) {
  dut_->end_ready_i = 0;
  begin_fence(5, 1);
  answer(make(5, 1));
  for (int i = 0; i < 10; ++i) dut_.tick();
  EXPECT_TRUE(dut_->end_valid_o);
  EXPECT_TRUE(dut_->busy_o);
  dut_->end_ready_i = 1;
  expect_end(5, Status::kOk);
}

TEST_F(Fences, CountsTheRetriesOfEachQueueToTheLast) {
  SCOPED_TRACE(random_.replay());
  dut_->retry_cycles_i = 0;
  dut_->retries_i = 255;
  dut_->again_ready_i = 0;
  for (unsigned queue = 0; queue < kQueues; ++queue) begin_fence(queue, queue);
  std::array<unsigned, kQueues> times{};
  unsigned ended = 0;
  // All queues wait at once, and take turns in each of the 255 rounds.
  constexpr unsigned kCyclesAQueue = 12'500;
  for (unsigned cycle = 0; cycle < kCyclesAQueue * kQueues && ended < kQueues; ++cycle) {
    dut_->again_ready_i = random_.chance(80);
    dut_.settle();
    if (dut_->again_valid_o && dut_->again_ready_i) ++times[dut_->again_queue_o];
    if (dut_->end_valid_o) {
      const End told = sample_record<End>(dut_->end_o);
      const auto queue = static_cast<unsigned>(told.get<layout::queue_end::queue>());
      ASSERT_EQ(told.get<layout::queue_end::status>(), Status::kRetryExceeded);
      ASSERT_EQ(times.at(queue), 255U) << "queue " << queue;
      ++ended;
    }
    dut_->now_i = dut_->now_i + 1;
    dut_.tick();
  }
  EXPECT_EQ(ended, kQueues);
}

}  // namespace
}  // namespace torusmu::testing
