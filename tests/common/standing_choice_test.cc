// SPDX-License-Identifier: Apache-2.0
// verilator: -GCOUNT=5
// model: Vmu_standing_choice_sim mu_standing_choice -GCOUNT=32

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "Vmu_standing_choice.h"
#include "Vmu_standing_choice_sim.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(StandingChoice, IsNobodyWhileNobodyAsks) {
  Clocked<Vmu_standing_choice> dut;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(dut->valid_o);
    dut.tick();
  }
}

TEST(StandingChoice, StaysAsLongAsItAsks) {
  Clocked<Vmu_standing_choice> dut;
  dut->ask_i = 0b01000;
  dut.tick();
  dut->ask_i = 0b11111;
  for (int i = 0; i < 10; ++i) {
    dut.tick();
    EXPECT_TRUE(dut->valid_o);
    EXPECT_EQ(dut->choice_o, 3);
  }
  dut->ask_i = 0b10111;
  dut.settle();
  EXPECT_FALSE(dut->valid_o) << "it asks no more";
  dut.tick();
  EXPECT_TRUE(dut->valid_o);
  EXPECT_EQ(dut->choice_o, 4) << "the next behind it";
}

TEST(StandingChoice, GoesRoundThoseThatAsk) {
  Clocked<Vmu_standing_choice> dut;
  std::vector<unsigned> order;
  dut->ask_i = 0b10110;
  for (int i = 0; i < 6; ++i) {
    dut.tick();
    order.push_back(dut->choice_o);
    const auto chosen = static_cast<CData>(1U << dut->choice_o);
    dut->ask_i = static_cast<CData>(dut->ask_i & ~chosen);
    dut.tick();
    dut->ask_i = static_cast<CData>(dut->ask_i | chosen);
    dut.settle();
    ASSERT_TRUE(dut->valid_o);
    dut->ask_i = static_cast<CData>(dut->ask_i & ~(1U << dut->choice_o));
    order.push_back(dut->choice_o);
    dut.tick();
    dut->ask_i = 0;
    dut.tick();
    dut->ask_i = 0b10110;
  }
  for (std::size_t i = 1; i < order.size(); ++i) EXPECT_NE(order[i], order[i - 1]);
}

template <typename Model, unsigned count>
void choose_as_the_contract_says(Random& random) {
  Clocked<Model> dut(random.seed());
  std::optional<unsigned> choice;
  unsigned next = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (random.below(500) == 0) {
      dut.reset(1);
      choice.reset();
      next = 0;
    }
    const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
    const auto drawn =
        random.bits64() & (random.chance(30) ? random.bits64() & random.bits64() : ones);
    dut->ask_i = static_cast<std::remove_reference_t<decltype(dut->ask_i)>>(
        random.chance(10) ? 0 : drawn & ones);
    dut.settle();
    const std::uint64_t asks = dut->ask_i;
    const bool valid = choice && (asks >> *choice & 1) != 0;
    ASSERT_EQ(dut->valid_o, valid) << "cycle " << cycle;
    if (valid) {
      ASSERT_EQ(dut->choice_o, *choice) << "cycle " << cycle;
    } else {
      choice.reset();
      for (unsigned i = 0; i < count && !choice; ++i) {
        const unsigned at = (next + i) % count;
        if ((asks >> at & 1) != 0) choice = at;
      }
      if (choice) next = *choice + 1;
    }
    dut.tick();
  }
}

TEST(StandingChoice, IsTheNextThatAsksBehindTheOneBefore) {
  Random random;
  SCOPED_TRACE(random.replay());
  choose_as_the_contract_says<Vmu_standing_choice, 5>(random);
  choose_as_the_contract_says<Vmu_standing_choice_sim, 32>(random);
}

}  // namespace
}  // namespace torusmu::testing
