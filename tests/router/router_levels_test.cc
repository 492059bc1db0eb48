// SPDX-License-Identifier: Apache-2.0
// verilator: -GDEPTH=5 -GLOCAL_DEPTH=4
// model: Vmu_router_levels_reply mu_router_levels -GDEPTH=48 -GLOCAL_DEPTH=8
// model: Vmu_router_levels_request mu_router_levels -GDEPTH=204 -GLOCAL_DEPTH=8

#include <gtest/gtest.h>

#include <array>

#include "Vmu_router_levels.h"
#include "Vmu_router_levels_reply.h"
#include "Vmu_router_levels_request.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kInputs = 7;

template <typename M, unsigned depth, unsigned local>
struct Size {
  using Model = M;
  static constexpr unsigned kDepth = depth;
  static constexpr unsigned kLocal = local;
};
using Sizes = ::testing::Types<Size<Vmu_router_levels, 5, 4>, Size<Vmu_router_levels_reply, 48, 8>,
                               Size<Vmu_router_levels_request, 204, 8>>;

template <typename S>
class RouterLevels : public ::testing::Test {};
TYPED_TEST_SUITE(RouterLevels, Sizes);

TYPED_TEST(RouterLevels, KeepEachReadRegisterFullWhileItsBufferHoldsAFlit) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> levels(random.seed());
  std::array<unsigned, kInputs> stored{};  // in the memory
  std::array<bool, kInputs> full{};        // the read register
  unsigned wrote = 0;
  unsigned local_full = 0;
  for (int cycle = 0; cycle < 6000; ++cycle) {
    unsigned pop = 0;
    // Each buffer becomes full and empty again, in turn with its neighbours.
    const auto fills = [cycle](unsigned i) { return (static_cast<unsigned>(cycle) / 750 + i) % 2; };
    for (unsigned i = 0; i < kInputs; ++i)
      pop |= (full[i] && random.chance(fills(i) != 0 ? 30 : 90) ? 1U : 0U) << i;
    levels->wrote_i = static_cast<CData>(wrote);
    levels->pop_i = static_cast<CData>(pop);
    levels.settle();
    for (unsigned i = 0; i < kInputs; ++i) {
      const bool load = stored[i] != 0 && (!full[i] || (pop >> i & 1) != 0);
      ASSERT_EQ(levels->load_o >> i & 1, load) << "input " << i << " cycle " << cycle;
      ASSERT_EQ(levels->valid_o >> i & 1, full[i]);
    }
    const bool something = wrote != 0 || pop != 0 || levels->valid_o != 0;
    if (something) {
      ASSERT_TRUE(levels->busy_o);
    }
    const bool room = levels->local_room_o;
    ASSERT_EQ(room, stored[6] - (wrote >> 6 & 1U) < TypeParam::kLocal - 1) << "cycle " << cycle;
    local_full += !room;
    const unsigned load = levels->load_o;
    levels.tick();
    wrote = 0;
    for (unsigned i = 0; i < kInputs; ++i) {
      if ((pop >> i & 1) != 0) full[i] = false;
      if ((load >> i & 1) != 0) {
        full[i] = true;
        --stored[i];
      }
      const bool may = i < 6 ? stored[i] < TypeParam::kDepth : room;
      if (may && random.chance(fills(i) != 0 ? 80 : 20)) {
        ++stored[i];
        wrote |= 1U << i;
      }
      ASSERT_LE(stored[6], TypeParam::kLocal) << "local_room_o let one flit too many in";
    }
  }
  EXPECT_GT(local_full, 100U);
}

TYPED_TEST(RouterLevels, AreNotBusyWhenEverythingHasLeft) {
  Clocked<typename TypeParam::Model> levels;
  levels->wrote_i = 1;
  levels.tick();
  levels->wrote_i = 0;
  levels.settle();
  EXPECT_TRUE(levels->busy_o);
  levels->pop_i = 1;
  levels.tick();
  levels->pop_i = 0;
  levels.settle();
  EXPECT_FALSE(levels->busy_o);
}

TYPED_TEST(RouterLevels, AreBusyWithEachInput) {
  Clocked<typename TypeParam::Model> levels;
  for (unsigned input = 0; input < kInputs; ++input) {
    const auto bit = static_cast<CData>(1U << input);
    levels->wrote_i = bit;
    levels.settle();
    ASSERT_TRUE(levels->busy_o) << "input " << input;
    levels.tick();
    levels->wrote_i = 0;
    levels.settle();
    ASSERT_TRUE(levels->busy_o) << "in the read register of input " << input;
    levels->pop_i = bit;
    levels.tick();
    levels->pop_i = 0;
    levels.settle();
    ASSERT_FALSE(levels->busy_o) << "input " << input;
  }
}

TYPED_TEST(RouterLevels, HoldNothingAfterAReset) {
  Clocked<typename TypeParam::Model> levels;
  for (unsigned i = 0; i < TypeParam::kLocal; ++i) {
    levels->wrote_i = 0x7F;
    levels.tick();
  }
  levels->wrote_i = 0;
  levels.settle();
  ASSERT_FALSE(levels->local_room_o);
  levels.reset(1);
  EXPECT_EQ(levels->valid_o, 0);
  EXPECT_EQ(levels->load_o, 0);
  EXPECT_TRUE(levels->local_room_o);
  EXPECT_FALSE(levels->busy_o);
  // What was counted before is not counted now.
  levels->wrote_i = 0x7F;
  levels.tick();
  levels->wrote_i = 0;
  levels->pop_i = 0x7F;
  levels.tick();
  levels->pop_i = 0;
  levels.settle();
  EXPECT_EQ(levels->valid_o, 0);
  EXPECT_FALSE(levels->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
