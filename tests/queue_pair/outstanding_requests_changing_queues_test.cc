// SPDX-License-Identifier: Apache-2.0
// model: Vmu_outstanding_requests mu_outstanding_requests
// bgp: -GQUEUES=128
//
// SENDs of dynamically connected queues.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/outstanding_requests_bench.h"
#include "tests/support/port_bits.h"

namespace torusmu::testing {
namespace {

class DynamicSends : public OutstandingRequestsBench {
 protected:
  DynamicSends() {
    drive_bits(dut_->dynamic_i, bit(5) | bit(6));
    dut_->begin_node_i = kNode;
  }
};

TEST_F(DynamicSends, TakeTheAnswerOfTheNodeThatEachGoesTo) {
  for (const std::uint32_t node : {kNode ^ 0x111, kNode ^ 0x800}) {
    dut_->begin_node_i = static_cast<std::uint16_t>(node);
    begin(5);
    dut_->begin_node_i = kNode;
    begin(6);
    answer(make(5, number(5), Status::kOk, kNode));
    EXPECT_FALSE(end());
    answer(make(5, number(5), Status::kOk, node));
    expect_end(5, Status::kOk);
    answer(make(6, number(6), Status::kOk, kNode));
    expect_end(6, Status::kOk);
  }
  dut_->begin_node_i = kNode ^ 0x111;
  begin(4);
  answer(make(4, 0, Status::kOk, kNode ^ 0x111));
  EXPECT_FALSE(end()) << "this queue has a peer";
}

TEST_F(DynamicSends, HaveTheNextNumberWhateverBecomesOfThem) {
  std::uint32_t next = 0;
  for (const Status status : {Status::kOk, Status::kLengthTooLong, Status::kMemoryError,
                              Status::kCounterInvalid, Status::kQueueInvalid}) {
    begin(5);
    EXPECT_EQ(number(5), next);
    answer(make(5, next++, status));
    expect_end(5, status);
  }
  begin(5);
  failure(make(5, next++, Status::kMemoryError, 1));
  expect_end(5, Status::kMemoryError);
  begin(6);
  EXPECT_EQ(number(6), 0U) << "each queue has numbers of its own";
  begin(5);
  EXPECT_EQ(number(5), next);
}

TEST_F(DynamicSends, KeepTheirNumbersWhenTheQueueIsConfigured) {
  configure(5);
  begin(5);
  EXPECT_EQ(number(5), 0U);
  cancel(5);
  configure(5);
  begin(5);
  EXPECT_EQ(number(5), 1U) << "a copy of the first may be on its way";
  answer(make(5, 0, Status::kOk));
  EXPECT_FALSE(end());
  answer(make(5, 1, Status::kOk));
  expect_end(5, Status::kOk);
  configure(5);
  begin(5);
  EXPECT_EQ(number(5), 2U);
}

TEST_F(DynamicSends, BeginAnewOnceTheQueueHasAPeerOfItsOwn) {
  begin(5);
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  configure(5);
  drive_bits(dut_->dynamic_i, 0);
  configure(5);
  begin(5);
  EXPECT_EQ(number(5), 0U);
}

TEST_F(DynamicSends, LetNoneGoAhead) {
  begin(5);
  EXPECT_FALSE(may_ahead(5));
  dut_->number_queue_i = 5;
  dut_.settle();
  EXPECT_FALSE(dut_->ahead_good_o);
  begin(4);
  EXPECT_TRUE(may_ahead(4));
}

TEST_F(DynamicSends, NeverBreakTheQueue) {
  std::uint32_t next = 0;
  begin(5);
  for (int i = 0; i < 3; ++i) {
    answer(make(5, next, Status::kReceiveDisabled));
    EXPECT_EQ(tick(), 5U);
  }
  answer(make(5, next++, Status::kReceiveDisabled));
  dut_->end_ready_i = 0;
  EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  expect_end(5, Status::kRetryExceeded);
  EXPECT_FALSE(broken(5));
  begin(5);
  failure(make(5, next++, Status::kMemoryError, 1));
  expect_end(5, Status::kMemoryError);
  EXPECT_FALSE(broken(5)) << "half sent";
  begin(5);
  for (int i = 0; i < 8; ++i) tick();
  answer(make(5, next++, Status::kLengthTooLong));
  expect_end(5, Status::kLengthTooLong);
  EXPECT_FALSE(broken(5)) << "it went out twice";
  begin(5);
  EXPECT_EQ(number(5), next);
}

TEST_F(DynamicSends, AreDoubtfulWhileACopyBeforeIsNotRefused) {
  dut_->retries_i = 4;
  begin(5);
  EXPECT_FALSE(doubtful(5));
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_EQ(tick(), 5U);
  EXPECT_FALSE(doubtful(5)) << "nothing of the first copy was taken";
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(tick());
  EXPECT_EQ(tick(), 5U);
  EXPECT_TRUE(doubtful(5));
  EXPECT_FALSE(doubtful(6));
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_EQ(tick(), 5U);
  EXPECT_TRUE(doubtful(5)) << "one of the two copies before may have been";
  answer(make(5, 0, Status::kReceiveDisabled));
  answer(make(5, 0, Status::kDeliveryUnknown));
  EXPECT_EQ(tick(), 5U);
  EXPECT_FALSE(doubtful(5)) << "all have been refused";
  answer(make(5, 0, Status::kOk));
  expect_end(5, Status::kOk);
  begin(5);
  EXPECT_FALSE(doubtful(5)) << "that is another";
}

TEST_F(DynamicSends, EndWithDeliveryUnknownIfThatWasSaidLast) {
  dut_->retries_i = 1;
  begin(5);
  answer(make(5, 0, Status::kReceiveDisabled));
  EXPECT_EQ(tick(), 5U);
  answer(make(5, 0, Status::kDeliveryUnknown));
  dut_->end_ready_i = 0;
  EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  expect_end(5, Status::kDeliveryUnknown);
}

TEST_F(DynamicSends, KeepTheirDoubtWhileACopyIsCut) {
  begin(5, false);
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(tick());
  EXPECT_FALSE(doubtful(5));
}

}  // namespace
}  // namespace torusmu::testing
