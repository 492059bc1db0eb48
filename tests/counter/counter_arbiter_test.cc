// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_counter_arbiter.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class CounterArbiter : public ::testing::Test {
 protected:
  void ask(bool completion, bool injection, bool access) {
    arbiter_->completion_i = completion;
    arbiter_->injection_i = injection;
    arbiter_->access_i = access;
    arbiter_.settle();
  }

  Random random_;
  Clocked<Vmu_counter_arbiter> arbiter_{random_.seed()};
};

TEST_F(CounterArbiter, PutsHardwareBeforeSoftware) {
  ask(true, false, true);
  EXPECT_TRUE(arbiter_->completion_o);
  EXPECT_FALSE(arbiter_->access_o);
  ask(false, true, true);
  EXPECT_TRUE(arbiter_->injection_o);
  EXPECT_FALSE(arbiter_->access_o);
}

TEST_F(CounterArbiter, ChoosesSoftwareAtOnceWhenNobodyElseAsks) {
  ask(false, false, true);
  EXPECT_TRUE(arbiter_->access_o);
}

TEST_F(CounterArbiter, ChoosesSoftwareAfterFourLosses) {
  unsigned lost = 0;
  for (ask(true, true, true); !arbiter_->access_o; arbiter_.tick()) {
    ASSERT_LT(++lost, 5U);
  }
  EXPECT_EQ(lost, 4U);
}

TEST_F(CounterArbiter, GivesEachSourceOfHardwareItsTurn) {
  bool last_was_injection = true;
  ask(true, true, false);
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_NE(arbiter_->injection_o, last_was_injection) << "turn " << turn;
    last_was_injection = arbiter_->injection_o;
    arbiter_.tick();
  }
}

TEST_F(CounterArbiter, ChoosesExactlyOneOfThoseWhoAsk) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 5000; ++cycle) {
    const bool access_stands = arbiter_->access_i && !arbiter_->access_o;
    ask(random_.chance(60), random_.chance(60), access_stands || random_.chance(30));
    const int asked = arbiter_->completion_i + arbiter_->injection_i + arbiter_->access_i;
    const int chosen = arbiter_->completion_o + arbiter_->injection_o + arbiter_->access_o;
    ASSERT_EQ(chosen, asked == 0 ? 0 : 1);
    ASSERT_LE(arbiter_->completion_o, arbiter_->completion_i);
    ASSERT_LE(arbiter_->injection_o, arbiter_->injection_i);
    ASSERT_LE(arbiter_->access_o, arbiter_->access_i);
    arbiter_.tick();
  }
}

// The contract in so many words: turns of hardware, losses of software, both forgotten in reset.
TEST_F(CounterArbiter, RemembersTurnsAndLossesUntilReset) {
  SCOPED_TRACE(random_.replay());
  bool injection_next = false;
  unsigned losses = 0;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    ask(random_.chance(60), random_.chance(60), random_.chance(70));
    const bool hardware = arbiter_->completion_i || arbiter_->injection_i;
    const bool access = arbiter_->access_i && (losses == 4 || !hardware);
    const bool injection =
        arbiter_->injection_i && !access && (injection_next || !arbiter_->completion_i);
    const bool completion = arbiter_->completion_i && !access && !injection;
    ASSERT_EQ(arbiter_->access_o, access) << "cycle " << cycle;
    ASSERT_EQ(arbiter_->injection_o, injection) << "cycle " << cycle;
    ASSERT_EQ(arbiter_->completion_o, completion) << "cycle " << cycle;
    arbiter_->rst_ni = !random_.chance(2);
    if (completion) injection_next = true;
    if (injection) injection_next = false;
    losses = arbiter_->access_i && !access ? losses + 1 : 0;
    if (!arbiter_->rst_ni) {
      injection_next = false;
      losses = 0;
    }
    arbiter_.tick();
    arbiter_->rst_ni = 1;
  }
}

}  // namespace
}  // namespace torusmu::testing
