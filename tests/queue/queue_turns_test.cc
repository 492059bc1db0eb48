// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_queue_turns.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

// Requests as bits, those of QueueTurn, the first the most urgent.
constexpr auto kFirst = static_cast<unsigned>(QueueTurn::kAccess);
constexpr auto kFetch = static_cast<unsigned>(QueueTurn::kFetch);
constexpr auto kLast = static_cast<unsigned>(QueueTurn::kConfigure);
constexpr unsigned kAll = (2U << kLast) - (1U << kFirst);
// What may be refused, and is judged by the row before it is updated.
constexpr bool is_judged(unsigned turn) {
  return turn == kFirst || turn == kLast || turn == static_cast<unsigned>(QueueTurn::kGetReserve) ||
         turn == static_cast<unsigned>(QueueTurn::kPushReserve);
}

class QueueTurns : public ::testing::Test {
 protected:
  QueueTurns() { dut_->enable_i = 1; }
  CData& valid(unsigned turn) {
    auto& m = *dut_.operator->();
    CData* const ports[] = {&m.access_valid_i,  &m.retire_valid_i,      &m.rewind_valid_i,
                            &m.resume_valid_i,  &m.hold_valid_i,        &m.enable_valid_i,
                            &m.publish_valid_i, &m.get_reserve_valid_i, &m.push_reserve_valid_i,
                            &m.fetch_valid_i,   &m.configure_valid_i};
    return *ports[turn - kFirst];
  }
  CData& queue(unsigned turn) {
    auto& m = *dut_.operator->();
    CData* const ports[] = {&m.access_queue_i,  &m.retire_queue_i,      &m.rewind_queue_i,
                            &m.resume_queue_i,  &m.hold_queue_i,        &m.enable_queue_i,
                            &m.publish_queue_i, &m.get_reserve_queue_i, &m.push_reserve_queue_i,
                            &m.fetch_queue_i,   &m.access_queue_i};
    return *ports[turn - kFirst];
  }
  void ask(unsigned requests) {
    for (unsigned turn = kFirst; turn <= kLast; ++turn) valid(turn) = requests >> turn & 1;
  }
  Clocked<Vmu_queue_turns> dut_;
};

TEST_F(QueueTurns, TakeARequestEveryTwoOrThreeCyclesTheMostUrgentFirst) {
  for (unsigned turn = kFirst; turn < kLast; ++turn) queue(turn) = static_cast<CData>(10 * turn);
  for (unsigned requests = 0; requests <= kAll; requests += 1U << kFirst) {
    ask(requests);
    dut_.tick();
    for (unsigned left = requests; left != 0; left &= left - 1) {
      const auto turn = static_cast<unsigned>(std::countr_zero(left));
      ASSERT_TRUE(dut_->read_o && !dut_->update_o) << requests;
      ASSERT_EQ(dut_->turn_o, turn) << requests;
      ASSERT_EQ(dut_->queue_o, queue(turn)) << requests;
      ASSERT_EQ(dut_->taken_o, 0);
      if (turn == kFetch) valid(turn) = 0;
      dut_.tick();
      if (is_judged(turn)) {
        ASSERT_TRUE(dut_->look_o && !dut_->update_o && !dut_->read_o) << requests;
        ASSERT_EQ(dut_->taken_o, 0);
        dut_.tick();
      }
      ASSERT_TRUE(dut_->update_o && !dut_->read_o && !dut_->look_o) << requests;
      ASSERT_EQ(dut_->taken_o, turn);
      dut_.tick();
      valid(turn) = 0;
    }
    ASSERT_FALSE(dut_->read_o || dut_->update_o || dut_->busy_o);
  }
}

TEST_F(QueueTurns, ChooseNobodyBeforeTheTableIsReady) {
  dut_->enable_i = 0;
  ask(kAll);
  dut_.tick();
  EXPECT_FALSE(dut_->busy_o);
  dut_->enable_i = 1;
  dut_.tick();
  EXPECT_TRUE(dut_->busy_o);
}

TEST_F(QueueTurns, LetAConfigThatCouldNotBeWrittenAskAgain) {
  ask(1U << kLast);
  for (int i = 0; i < 10; ++i) {
    dut_.tick();
    EXPECT_TRUE(dut_->read_o);
    dut_.tick();
    EXPECT_TRUE(dut_->look_o);
    dut_.tick();
    EXPECT_TRUE(dut_->update_o);
    dut_.tick();
    EXPECT_FALSE(dut_->busy_o) << "others first";
  }
}

TEST_F(QueueTurns, KeepTheirContractInEveryCycle) {
  Random random;
  SCOPED_TRACE(random.replay());
  enum { kIdle, kRead, kLook, kUpdate } state = kIdle;
  unsigned asks = 0, turn = 0;
  std::uint8_t named = 0;
  unsigned percent = 50;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (cycle % 200 == 0) percent = static_cast<unsigned>(random.below(101));
    if (random.below(500) == 0) {
      dut_.reset(1);
      state = kIdle;
    }
    // One that asks stands, but for a fetch; one that does not names anything.
    for (unsigned i = kFirst; i <= kLast; ++i) {
      if (i != kFetch && (asks >> i & 1) != 0) continue;
      asks = (asks & ~(1U << i)) | (random.below(1100) < percent ? 1U : 0U) << i;
      if (i != kLast && !(i == kFirst && (asks >> kLast & 1) != 0))
        queue(i) = static_cast<CData>(random.bits64());
    }
    ask(asks);
    dut_->enable_i = random.chance(95);
    dut_.settle();
    ASSERT_EQ(dut_->busy_o, state != kIdle) << "cycle " << cycle;
    ASSERT_EQ(dut_->read_o, state == kRead) << "cycle " << cycle;
    ASSERT_EQ(dut_->look_o, state == kLook) << "cycle " << cycle;
    ASSERT_EQ(dut_->update_o, state == kUpdate) << "cycle " << cycle;
    ASSERT_EQ(dut_->taken_o, state == kUpdate ? turn : 0) << "cycle " << cycle;
    if (state != kIdle) {
      ASSERT_EQ(dut_->turn_o, turn) << "cycle " << cycle;
      ASSERT_EQ(dut_->queue_o, named) << "cycle " << cycle;
    }
    dut_.tick();
    // Whoever had its turn may ask for the next one in the next cycle.
    const unsigned ends = state == kUpdate && turn != kFetch ? 1U << turn : 0;
    const unsigned others = dut_->enable_i && state != kRead && state != kLook ? asks & ~ends : 0;
    state = state == kRead && is_judged(turn)  ? kLook
            : state == kRead || state == kLook ? kUpdate
                                               : kIdle;
    if (others != 0) {
      state = kRead;
      turn = static_cast<unsigned>(std::countr_zero(others));
      named = queue(turn);
    }
    asks &= ~ends;
  }
}

}  // namespace
}  // namespace torusmu::testing
