// SPDX-License-Identifier: Apache-2.0
// verilator: -GCOUNT=5
// model: Vmu_arbiter_one mu_arbiter -GCOUNT=1
// model: Vmu_arbiter_two mu_arbiter -GCOUNT=2
// model: Vmu_arbiter_three mu_arbiter -GCOUNT=3
// model: Vmu_arbiter_sixteen mu_arbiter -GCOUNT=16

#include <gtest/gtest.h>

#include <array>

#include "Vmu_arbiter.h"
#include "Vmu_arbiter_one.h"
#include "Vmu_arbiter_sixteen.h"
#include "Vmu_arbiter_three.h"
#include "Vmu_arbiter_two.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kCount = 5;

template <typename Model, unsigned count>
void serve_in_turn() {
  Clocked<Model> arbiter;
  arbiter->request_i = (1U << count) - 1;
  arbiter->accept_i = 1;
  for (unsigned turn = 0; turn < 3 * count; ++turn) {
    arbiter.settle();
    EXPECT_EQ(arbiter->index_o, turn % count);
    EXPECT_EQ(arbiter->grant_o, 1U << (turn % count));
    arbiter.tick();
  }
}

TEST(Arbiter, ServesStandingRequestsInTurn) {
  serve_in_turn<Vmu_arbiter, kCount>();
  serve_in_turn<Vmu_arbiter_two, 2>();
  serve_in_turn<Vmu_arbiter_three, 3>();
  serve_in_turn<Vmu_arbiter_sixteen, 16>();
}

TEST(Arbiter, KeepsItsChoiceUntilAccepted) {
  Clocked<Vmu_arbiter> arbiter;
  arbiter->request_i = 0b01000;
  arbiter.tick();
  arbiter->request_i = 0b11111;
  for (int i = 0; i < 10; ++i) {
    arbiter.settle();
    EXPECT_EQ(arbiter->grant_o, 0b01000);
    arbiter.tick();
  }
  arbiter->accept_i = 1;
  arbiter.tick();
  EXPECT_EQ(arbiter->grant_o, 0b10000);
}

TEST(Arbiter, GrantsNobodyWhenNobodyAsks) {
  Clocked<Vmu_arbiter> arbiter;
  arbiter->accept_i = 1;
  arbiter.settle();
  EXPECT_FALSE(arbiter->valid_o);
  EXPECT_EQ(arbiter->grant_o, 0);
}

template <typename Model, unsigned count>
void bound_the_wait() {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> arbiter(random.seed());
  std::array<unsigned, count> lost{};
  for (int cycle = 0; cycle < 5000; ++cycle) {
    arbiter->request_i = static_cast<std::uint8_t>(arbiter->request_i | random.below(1U << count));
    arbiter->accept_i = random.chance(70);
    arbiter.settle();
    if (arbiter->accept_i && arbiter->valid_o) {
      for (unsigned i = 0; i < count; ++i) {
        const bool waits = ((arbiter->request_i >> i) & 1U) != 0 && i != arbiter->index_o;
        lost[i] = waits ? lost[i] + 1 : 0;
        ASSERT_LT(lost[i], count) << "requester " << i << " in cycle " << cycle;
      }
    }
    const unsigned done = arbiter->accept_i ? arbiter->grant_o : 0U;
    arbiter.tick();
    arbiter->request_i = static_cast<std::uint8_t>(arbiter->request_i & ~done);
  }
}

TEST(Arbiter, MakesNobodyWaitForMoreThanTheOthersOnce) {
  bound_the_wait<Vmu_arbiter, kCount>();
  bound_the_wait<Vmu_arbiter_two, 2>();
  bound_the_wait<Vmu_arbiter_three, 3>();
  bound_the_wait<Vmu_arbiter_sixteen, 16>();
}

TEST(Arbiter, OfOneGrantsItsOnlyRequester) {
  Clocked<Vmu_arbiter_one> arbiter;
  arbiter->request_i = 1;
  arbiter->accept_i = 1;
  for (int i = 0; i < 3; ++i) {
    arbiter.settle();
    EXPECT_TRUE(arbiter->valid_o && arbiter->grant_o == 1 && arbiter->index_o == 0);
    arbiter.tick();
  }
}

TEST(Arbiter, ReportsAWithdrawnRequest) {
  Clocked<Vmu_arbiter> arbiter;
  arbiter->request_i = 0b00010;
  arbiter.tick();
  arbiter->request_i = 0b00100;
  EXPECT_THROW(arbiter.tick(), std::runtime_error);
}

template <typename Model, unsigned count>
void grant_the_first_behind() {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> arbiter(random.seed());
  unsigned behind = 0;  // the first number to look at
  int locked = -1;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (random.chance(1)) {
      arbiter->request_i = 0;
      arbiter.reset(1);
      behind = 0;
      locked = -1;
    }
    const unsigned requests =
        arbiter->request_i |
        (random.chance(40) ? 0 : static_cast<unsigned>(random.below(1U << count)));
    arbiter->request_i = static_cast<std::uint8_t>(requests);
    arbiter->accept_i = random.chance(cycle / 200 % 2 == 0 ? 30 : 90);
    arbiter.settle();
    ASSERT_EQ(arbiter->valid_o, requests != 0);
    int winner = locked;
    for (unsigned i = 0; winner < 0 && i < count; ++i) {
      const unsigned number = (behind + i) % count;
      if ((requests >> number & 1) != 0) winner = static_cast<int>(number);
    }
    ASSERT_EQ(arbiter->grant_o, winner < 0 ? 0 : 1 << winner) << "cycle " << cycle;
    ASSERT_EQ(arbiter->index_o, winner < 0 ? 0 : winner) << "cycle " << cycle;
    const bool done = arbiter->accept_i && winner >= 0;
    arbiter.tick();
    locked = done ? -1 : winner;
    if (done) {
      behind = static_cast<unsigned>(winner + 1) % count;
      arbiter->request_i = static_cast<std::uint8_t>(requests & ~(1U << winner));
    }
  }
}

TEST(Arbiter, GrantsTheFirstBehindTheLastWinner) {
  grant_the_first_behind<Vmu_arbiter, kCount>();
  grant_the_first_behind<Vmu_arbiter_two, 2>();
  grant_the_first_behind<Vmu_arbiter_three, 3>();
}

TEST(Arbiter, OfOneGrantsNothingUnasked) {
  Clocked<Vmu_arbiter_one> arbiter;
  for (const bool accept : {false, true}) {
    arbiter->accept_i = accept;
    arbiter->request_i = 0;
    arbiter.settle();
    EXPECT_FALSE(arbiter->valid_o || arbiter->grant_o || arbiter->index_o);
    arbiter->request_i = 1;
    arbiter.settle();
    EXPECT_TRUE(arbiter->valid_o && arbiter->grant_o == 1 && arbiter->index_o == 0);
    arbiter->accept_i = 1;
    arbiter.tick();
  }
}

TEST(Arbiter, OfOneKeepsItsChoiceUntilAccepted) {
  Clocked<Vmu_arbiter_one> arbiter;
  for (int round = 0; round < 3; ++round) {
    arbiter->request_i = 1;
    arbiter->accept_i = 0;
    for (int cycle = 0; cycle < 4; ++cycle) {
      arbiter.settle();
      EXPECT_TRUE(arbiter->valid_o && arbiter->grant_o == 1 && arbiter->index_o == 0);
      arbiter.tick();
    }
    arbiter->accept_i = 1;
    arbiter.tick();
    arbiter->request_i = 0;
    arbiter.settle();
    EXPECT_EQ(arbiter->grant_o, 0);
    arbiter.tick();
  }
}

template <typename Model>
void withdraw_in_a_reset(unsigned count) {
  for (unsigned number = 0; number < count; ++number) {
    Clocked<Model> arbiter;
    arbiter->request_i = static_cast<CData>(1U << number);
    arbiter.tick();
    arbiter->rst_ni = 0;
    arbiter->request_i = 0;
    arbiter.settle();
    EXPECT_FALSE(arbiter->valid_o || arbiter->grant_o || arbiter->index_o) << number;
  }
}

TEST(Arbiter, GrantsNothingToARequestThatAResetEnds) {
  withdraw_in_a_reset<Vmu_arbiter>(kCount);
  withdraw_in_a_reset<Vmu_arbiter_three>(3);
}
TEST(Arbiter, OfOneGrantsNothingToARequestThatAResetEnds) {
  withdraw_in_a_reset<Vmu_arbiter_one>(1);
}

}  // namespace
}  // namespace torusmu::testing
