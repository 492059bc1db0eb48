// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vmu_queue_turns.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// Wishes as bits, the first the most urgent; the last is a write of config.
constexpr unsigned kRegister = 0, kRetire = 1, kFetch = 8, kConfig = 9, kWishes = 10;

class QueueTurns : public ::testing::Test {
 protected:
  // Grants as bits in the same order; each wish names the queue of its own number.
  unsigned grants(unsigned wishes, bool idle = true, bool enable = true) {
    const auto has = [wishes](unsigned wish) { return (wishes >> wish & 1) != 0; };
    model_.enable_i = enable;
    model_.register_valid_i = has(kRegister) || has(kConfig);
    model_.register_config_i = !has(kRegister);
    model_.register_queue_i = has(kRegister) ? kRegister : kConfig;
    model_.idle_i = idle;
    CData* const valid[] = {&model_.retire_valid_i,       &model_.rewind_valid_i,
                            &model_.hold_valid_i,         &model_.enable_valid_i,
                            &model_.publish_valid_i,      &model_.get_reserve_valid_i,
                            &model_.push_reserve_valid_i, &model_.fetch_valid_i};
    CData* const queue[] = {&model_.retire_queue_i,       &model_.rewind_queue_i,
                            &model_.hold_queue_i,         &model_.enable_queue_i,
                            &model_.publish_queue_i,      &model_.get_reserve_queue_i,
                            &model_.push_reserve_queue_i, &model_.fetch_queue_i};
    for (unsigned i = 0; i < 8; ++i) {
      *valid[i] = has(kRetire + i);
      *queue[i] = static_cast<std::uint8_t>(kRetire + i);
    }
    model_.eval();
    return static_cast<unsigned>(model_.register_first_o) | model_.retire_o << 1 |
           model_.rewind_o << 2 | model_.hold_o << 3 | model_.enable_o << 4 |
           model_.publish_o << 5 | model_.get_reserve_o << 6 | model_.push_reserve_o << 7 |
           model_.fetch_o << 8 | model_.register_last_o << 9;
  }
  Vmu_queue_turns model_;
};

TEST_F(QueueTurns, GrantTheMostUrgentWishAndNameItsQueue) {
  for (unsigned wishes = 1; wishes < 1U << kWishes; ++wishes) {
    // A register access is one or the other.
    if ((wishes & 1) != 0 && (wishes >> kConfig & 1) != 0) continue;
    const unsigned granted = grants(wishes);
    ASSERT_EQ(granted, wishes & (~wishes + 1)) << wishes;
    ASSERT_EQ(model_.queue_o, std::countr_zero(granted)) << wishes;
  }
}

TEST_F(QueueTurns, LetAConfigWaitForItsQueueToBeIdle) {
  EXPECT_EQ(grants(1U << kConfig, false), 0U);
  EXPECT_EQ(grants(1U << kConfig | 1U << kFetch, false), 1U << kFetch);
}

TEST_F(QueueTurns, GrantNothingBeforeTheTableIsReady) {
  for (unsigned wish = 0; wish < kFetch; ++wish) {
    EXPECT_EQ(grants(1U << wish, true, false), 0U) << wish;
  }
}

TEST_F(QueueTurns, NameAnyQueue) {
  Random random;
  SCOPED_TRACE(random.replay());
  CData* const queue[] = {&model_.register_queue_i,    &model_.retire_queue_i,
                          &model_.rewind_queue_i,      &model_.hold_queue_i,
                          &model_.enable_queue_i,      &model_.publish_queue_i,
                          &model_.get_reserve_queue_i, &model_.push_reserve_queue_i,
                          &model_.fetch_queue_i,       &model_.register_queue_i};
  for (int i = 0; i < 2000; ++i) {
    const auto wish = static_cast<unsigned>(random.below(kWishes));
    const unsigned granted = grants(1U << wish | (random.chance(50) ? 1U << kFetch : 0U));
    for (CData* const port : queue) *port = static_cast<CData>(random.bits64());
    model_.eval();
    ASSERT_EQ(model_.queue_o, *queue[std::countr_zero(granted)]) << "wish " << wish;
  }
}

TEST_F(QueueTurns, GrantAConfigOnlyToARegisterAccessThatWritesOne) {
  grants(0);
  model_.register_config_i = 1;
  model_.eval();
  EXPECT_FALSE(model_.register_last_o);
  model_.register_config_i = 0;
  model_.eval();
  EXPECT_FALSE(model_.register_first_o);
  model_.register_valid_i = 1;
  model_.register_config_i = 0;
  model_.eval();
  EXPECT_FALSE(model_.register_last_o);
  EXPECT_TRUE(model_.register_first_o);
}

TEST_F(QueueTurns, LookAtTheTableForWhoIsGrantedAndForARegisterAccess) {
  for (const bool enable : {false, true}) {
    grants(0, true, enable);
    EXPECT_FALSE(model_.look_o);
    for (unsigned wish = 0; wish < kWishes; ++wish) {
      const bool accesses = wish == kRegister || wish == kConfig;
      grants(1U << wish, false, enable);
      EXPECT_EQ(model_.look_o, accesses || enable) << wish;
    }
  }
}

TEST_F(QueueTurns, GrantNoConfigAndNoFetchBeforeTheTableIsReady) {
  EXPECT_EQ(grants(1U << kConfig, true, false), 0U);
  EXPECT_EQ(grants(1U << kFetch, true, false), 0U);
}

}  // namespace
}  // namespace torusmu::testing
