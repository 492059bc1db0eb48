// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_queue_table.h"
#include "Vmu_queue_table/Vmu_queue_table___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

class QueueTable : public ::testing::Test {
 protected:
  QueueTable() {
    dut_->look_i = 1;
    dut_.wait_for(
        "the walk after reset", [this] { return dut_->ready_o != 0; }, 40);
  }
  void apply(CData& operation) {
    operation = 1;
    dut_.tick();
    operation = 0;
    dut_.settle();
  }
  void configure(unsigned queue, QueueMode mode, unsigned owner, bool halts) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_->value_i = 8;
    apply(dut_->write_size_i);
    dut_->value_i = static_cast<unsigned>(mode) | owner << 4 | (halts ? 1U << 8 : 0U);
    apply(dut_->write_config_i);
  }
  void doorbell(std::uint32_t tail) {
    dut_->index_i = tail;
    apply(dut_->doorbell_i);
  }
  void retire(std::uint32_t index, Status status) {
    dut_->index_i = index;
    dut_->status_i = static_cast<std::uint8_t>(status);
    apply(dut_->retire_i);
  }

  Clocked<Vmu_queue_table> dut_;
};

TEST_F(QueueTable, IsAllZeroAfterTheWalk) {
  for (unsigned queue = 0; queue < 32; ++queue) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    EXPECT_EQ(dut_->head_o | dut_->fetch_index_o | dut_->published_o | dut_->reserved_o, 0U);
    EXPECT_EQ(dut_->base_o, 0U);
    EXPECT_EQ(dut_->size_o | dut_->fetch_position_o | dut_->reserve_position_o, 0U);
    EXPECT_EQ(dut_->setup_o, 0);
    EXPECT_EQ(dut_->errors_o, 0U);
    EXPECT_FALSE(dut_->halted_o);
  }
}

TEST_F(QueueTable, KeepsTheFirstErrorAndCountsTheRest) {
  configure(5, QueueMode::kDoorbell, 3, false);
  doorbell(4);
  for (int i = 0; i < 4; ++i) apply(dut_->fetch_i);
  retire(0, Status::kOk);
  EXPECT_EQ(dut_->errors_o, 0U);
  EXPECT_EQ(dut_->causes_o, 0U);
  retire(1, Status::kPermission);
  EXPECT_EQ(dut_->causes_o, 1U << (3 * 8 + static_cast<unsigned>(Cause::kError)));
  retire(2, Status::kLengthZero);
  retire(3, Status::kOk);
  EXPECT_EQ(dut_->errors_o,
            std::uint64_t{1} << 24 | 2U << 8 | static_cast<unsigned>(Status::kPermission));
  EXPECT_EQ(dut_->head_o, 4U);
  EXPECT_FALSE(dut_->halted_o);
}

TEST_F(QueueTable, CountsNoMoreErrorsThanItsCountHolds) {
  configure(5, QueueMode::kDoorbell, 3, false);
  for (std::uint32_t i = 0; i < 0x10002; ++i) {
    doorbell(i + 1);
    apply(dut_->fetch_i);
    retire(i, Status::kLengthZero);
    if (i < 0xffff) {
      ASSERT_EQ(dut_->errors_o >> 8, i + 1) << "and the first one has index 0";
    }
  }
  EXPECT_EQ(dut_->errors_o >> 8, 0xffffU);
}

TEST_F(QueueTable, GoesOnFromAnyIndexPlaceAndLap) {
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t any = random.bits64();
  for (const std::uint64_t bits : {any, ~any}) {
    const auto index = static_cast<std::uint32_t>(bits);
    const auto lap = static_cast<std::uint32_t>(bits >> 32);
    const std::uint32_t place = lap & 0xfffffe;
    configure(5, QueueMode::kDoorbell, 3, false);
    dut_->value_i = bits >> 24;
    apply(dut_->write_base_i);
    EXPECT_EQ(dut_->base_o, bits >> 24);
    dut_->value_i = 1U << 24;
    apply(dut_->write_size_i);
    auto& state = *dut_->rootp;
    state.mu_queue_table__DOT__head_mem[5] = state.mu_queue_table__DOT__fetch_index_mem[5] = index;
    state.mu_queue_table__DOT__published_mem[5] = index;
    state.mu_queue_table__DOT__reserved_mem[5] = index;
    state.mu_queue_table__DOT__fetch_position_mem[5] = place;
    state.mu_queue_table__DOT__reserve_position_mem[5] = place;
    state.mu_queue_table__DOT__fetch_lap_mem[5] = lap;
    doorbell(index + 3);
    EXPECT_EQ(dut_->published_o, index + 3);
    apply(dut_->fetch_i);
    EXPECT_EQ(dut_->fetch_index_o, index + 1);
    EXPECT_EQ(dut_->fetch_position_o, place + 1);
    EXPECT_EQ(dut_->fetch_lap_o, lap);
    dut_->index_i = index;
    dut_->position_i = place;
    dut_->lap_i = lap;
    apply(dut_->rewind_i);
    EXPECT_EQ(dut_->fetch_index_o, index);
    EXPECT_EQ(dut_->fetch_position_o, place);
    EXPECT_EQ(dut_->fetch_lap_o, lap);
    apply(dut_->fetch_i);
    retire(index, Status::kPermission);
    EXPECT_EQ(dut_->head_o, index + 1);
    EXPECT_EQ(dut_->errors_o >> 24, index);
  }
}

TEST_F(QueueTable, MovesTheLimitOfAManagedQueueAnyWayAheadButNotBack) {
  constexpr std::uint64_t kManaged = 1U << 10, kHalf = 1U << 31;
  dut_->queue_i = 7;
  dut_->client_i = 3;
  dut_->value_i = static_cast<unsigned>(QueueMode::kDoorbell) | 3U << 4 | kManaged;
  apply(dut_->write_config_i);
  std::uint32_t limit = 0;
  for (const std::uint64_t step : {kHalf - 1, kHalf - 1, std::uint64_t{0x2aaaaaab}}) {
    limit += static_cast<std::uint32_t>(step);
    dut_->index_i = limit;
    apply(dut_->enable_i);
    EXPECT_EQ(dut_->limit_o, limit);
    dut_->index_i = limit - 1;
    apply(dut_->enable_i);
    EXPECT_EQ(dut_->limit_o, limit);
  }
}

TEST_F(QueueTable, HaltsAtAnErrorAndStartsAfreshWithAConfig) {
  configure(5, QueueMode::kDoorbell, 0, true);
  doorbell(4);
  for (int i = 0; i < 3; ++i) apply(dut_->fetch_i);
  dut_->index_i = 0;
  dut_->status_i = static_cast<std::uint8_t>(Status::kPermission);
  dut_->retire_i = 1;
  dut_.settle();
  EXPECT_TRUE(dut_->halts_o);
  EXPECT_FALSE(dut_->work_o) << "nothing more to fetch";
  dut_.tick();
  dut_->retire_i = 0;
  dut_.settle();
  EXPECT_TRUE(dut_->halted_o);
  EXPECT_EQ(dut_->fetch_index_o, 1U) << "what was fetched behind it is forgotten";
  configure(5, QueueMode::kDoorbell, 0, true);
  EXPECT_FALSE(dut_->halted_o);
  EXPECT_EQ(dut_->head_o | dut_->published_o, 0U);
  EXPECT_EQ(dut_->errors_o, 0U);
}

TEST_F(QueueTable, KnowsAnEmptyReflectionQueue) {
  configure(2, QueueMode::kReflection, 0, false);
  configure(9, QueueMode::kRemoteGet, 0, false);
  dut_->empty_queue_i = 2;
  dut_.settle();
  EXPECT_TRUE(dut_->empty_o);
  dut_->empty_queue_i = 9;
  dut_.settle();
  EXPECT_FALSE(dut_->empty_o);
  dut_->queue_i = dut_->empty_queue_i = 2;
  dut_->count_i = 1;
  apply(dut_->reserve_i);
  EXPECT_FALSE(dut_->empty_o);
}

}  // namespace
}  // namespace torusmu::testing
