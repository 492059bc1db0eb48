// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=8 -GSTEPS=4
// model: Vmu_multiplier_64 mu_multiplier -GWIDTH=64 -GSTEPS=4
// model: Vmu_multiplier_32 mu_multiplier -GWIDTH=32 -GSTEPS=4

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>

#include "Vmu_multiplier.h"
#include "Vmu_multiplier_32.h"
#include "Vmu_multiplier_64.h"
#include "tests/support/clocked.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

using Product = unsigned __int128;

Product value(std::uint64_t port) { return port; }
template <std::size_t Words>
Product value(const VlWide<Words>& port) {
  Product product = 0;
  for (std::size_t word = 0; word < Words; ++word) product |= Product{port[word]} << (word * 32);
  return product;
}

TEST(Multiplier, MultipliesEveryPairOfEightBits) {
  Clocked<Vmu_multiplier> multiplier;
  multiplier->enable_i = 1;
  multiplier->start_i = 1;
  unsigned asked = 0;
  unsigned given = 0;
  bool summed = false;
  bool due = false;
  while (asked < 65536) {
    multiplier->left_i = static_cast<std::uint8_t>(asked >> 8);
    multiplier->right_i = static_cast<std::uint8_t>(asked);
    multiplier->start_i = 0;
    multiplier.settle();
    if (due) {
      ASSERT_EQ(multiplier->product_o, (given >> 8) * (given & 255));
      ++given;
    }
    due = summed;
    summed = multiplier->last_o;
    if (multiplier->ready_o) {
      multiplier->start_i = 1;
      ++asked;
    }
    multiplier.tick();
  }
}

TEST(Multiplier, StandsStillWhileNotEnabled) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_multiplier_64> multiplier(random.seed());
  std::deque<Operands> inside;
  bool summed = false;
  bool due = false;
  for (unsigned done = 0; done < 20000;) {
    const Operands operands = integer_operands(random, 64);
    multiplier->enable_i = random.chance(70);
    multiplier->start_i = 0;
    multiplier->left_i = operands.first;
    multiplier->right_i = operands.second;
    multiplier.settle();
    if (due) {
      ASSERT_TRUE(value(multiplier->product_o) ==
                  Product{inside.front().first} * inside.front().second);
    }
    if (multiplier->enable_i) {
      if (due) {
        inside.pop_front();
        ++done;
      }
      due = summed;
      summed = multiplier->last_o;
      if (multiplier->ready_o && random.chance(80)) {
        multiplier->start_i = 1;
        inside.push_back(operands);
      }
    }
    multiplier.tick();
  }
}

template <typename Model, unsigned kBits>
void compare_every_cycle() {
  constexpr unsigned kSteps = 4;
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> multiplier(random.seed());
  unsigned to_do = 0;   // slices to multiply
  unsigned to_sum = 0;  // and to sum, a cycle later
  Product asked = 0;
  Product multiplied = 0;
  std::optional<Product> product;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const bool pauses = cycle / 500 % 2 != 0;
    multiplier->enable_i = !pauses || random.chance(20);
    const Operands operands = integer_operands(random, kBits);
    set(multiplier->left_i, operands.first);
    set(multiplier->right_i, operands.second);
    multiplier->start_i = to_do <= 1 && random.chance(50);
    multiplier.settle();
    ASSERT_EQ(multiplier->ready_o, to_do <= 1);
    ASSERT_EQ(multiplier->last_o, to_do == 1);
    if (product) {
      ASSERT_TRUE(value(multiplier->product_o) == *product);
    }
    if (multiplier->enable_i) {
      if (to_sum == 1) product = multiplied;
      if (to_sum > 1) product.reset();
      to_sum = to_do;
      multiplied = asked;
      if (to_do != 0) --to_do;
      if (multiplier->start_i) {
        asked = Product{multiplier->left_i} * multiplier->right_i;
        to_do = kSteps;
      }
    }
    multiplier.tick();
  }
}

TEST(Multiplier, IsReadyAndHasItsProductInTheCyclesThatItSays) {
  compare_every_cycle<Vmu_multiplier, 8>();
}

TEST(Multiplier, IsReadyAndHasItsProductOf32BitsInTheCyclesThatItSays) {
  compare_every_cycle<Vmu_multiplier_32, 32>();
}

TEST(Multiplier, IsReadyAndHasItsProductOf64BitsInTheCyclesThatItSays) {
  compare_every_cycle<Vmu_multiplier_64, 64>();
}

TEST(Multiplier, TakesOperandsEveryFourCycles) {
  Clocked<Vmu_multiplier> multiplier;
  multiplier->enable_i = 1;
  unsigned taken = 0;
  for (int cycle = 0; cycle < 400; ++cycle) {
    multiplier->start_i = 0;
    multiplier.settle();
    multiplier->start_i = multiplier->ready_o;
    taken += multiplier->ready_o;
    multiplier.tick();
  }
  EXPECT_EQ(taken, 100U);
}

}  // namespace
}  // namespace torusmu::testing
