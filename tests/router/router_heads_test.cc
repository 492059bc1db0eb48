// SPDX-License-Identifier: Apache-2.0
// model: Vmu_router_heads_twelve mu_router_heads -GPACKETS=12

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_router_heads.h"
#include "Vmu_router_heads_twelve.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kInputs = 7;

template <typename M, unsigned packets>
struct Size {
  using Model = M;
  static constexpr unsigned kPackets = packets;
};
using Sizes = ::testing::Types<Size<Vmu_router_heads, 6>, Size<Vmu_router_heads_twelve, 12>>;

template <typename S>
class RouterHeads : public ::testing::Test {};
TYPED_TEST_SUITE(RouterHeads, Sizes);

TYPED_TEST(RouterHeads, ShowTheWishOfTheOldestPacketOfEachInputAndNoOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> heads(random.seed());
  std::array<std::deque<unsigned>, kInputs> waiting;
  for (int cycle = 0; cycle < 5000; ++cycle) {
    unsigned take = 0;
    unsigned arrived = 0;
    std::uint64_t grant = 0;
    for (unsigned i = 0; i < kInputs; ++i) {
      if (!waiting[i].empty() && random.chance(30)) {
        take |= 1U << i;
        grant |= std::uint64_t{1} << (7 * waiting[i].front() + i);
        waiting[i].pop_front();
      }
      if (waiting[i].size() < TypeParam::kPackets && random.chance(30)) {
        arrived |= 1U << i;
        const auto port = static_cast<unsigned>(random.below(7));
        set_port_bits(heads->ports_i, 7 * i, 7, 1U << port);
        waiting[i].push_back(port);
      }
    }
    heads->take_i = static_cast<CData>(take);
    heads->grant_i = grant;
    heads->arrived_i = static_cast<CData>(arrived);
    heads.tick();
    heads->arrived_i = 0;
    heads->take_i = 0;
    heads.settle();
    std::uint64_t want = 0;
    unsigned there = 0;
    for (unsigned i = 0; i < kInputs; ++i) {
      if (waiting[i].empty()) continue;
      there |= 1U << i;
      want |= std::uint64_t{1} << (7 * waiting[i].front() + i);
    }
    ASSERT_EQ(heads->there_o, there) << "cycle " << cycle;
    ASSERT_EQ(heads->want_o, want) << "cycle " << cycle;
  }
}

TYPED_TEST(RouterHeads, ShowWishesUnderManyArrivalsAndGrantsAtOnce) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<typename TypeParam::Model> heads(random.seed());
  std::array<std::deque<unsigned>, kInputs> waiting;
  const auto wishes = [&waiting] {
    std::uint64_t want = 0;
    for (unsigned i = 0; i < kInputs; ++i) {
      if (!waiting[i].empty()) want |= std::uint64_t{1} << (7 * waiting[i].front() + i);
    }
    return want;
  };
  for (int cycle = 0; cycle < 40000; ++cycle) {
    if (random.chance(1)) {
      heads->arrived_i = heads->take_i = 0;
      heads->grant_i = 0;
      heads.reset(1);
      waiting = {};
    }
    const unsigned arrivals = cycle / 100 % 5 * 24, grants = cycle / 500 % 5 * 24;
    unsigned take = 0, arrived = 0, there = 0;
    std::array<unsigned, kInputs> ports{};
    std::uint64_t grant = 0;
    const std::uint64_t want = wishes();
    for (unsigned i = 0; i < kInputs; ++i) {
      there |= (waiting[i].empty() ? 0U : 1U) << i;
      if (!waiting[i].empty() && random.chance(grants)) take |= 1U << i;
      const unsigned left = static_cast<unsigned>(waiting[i].size()) - (take >> i & 1);
      if (left < TypeParam::kPackets && random.chance(arrivals)) arrived |= 1U << i;
      ports[i] = static_cast<unsigned>(random.below(7));
      set_port_bits(heads->ports_i, 7 * i, 7, 1U << ports[i]);
    }
    for (unsigned i = 0; i < kInputs; ++i) {
      if ((take >> i & 1) == 0) continue;
      grant |= std::uint64_t{1} << (7 * waiting[i].front() + i);
    }
    heads->take_i = static_cast<CData>(take);
    heads->grant_i = grant;
    heads->arrived_i = static_cast<CData>(arrived);
    heads.settle();
    ASSERT_EQ(heads->there_o, there) << "cycle " << cycle;
    ASSERT_EQ(heads->want_o, want) << "cycle " << cycle;
    heads.tick();
    for (unsigned i = 0; i < kInputs; ++i) {
      if ((take >> i & 1) != 0) waiting[i].pop_front();
      if ((arrived >> i & 1) != 0) waiting[i].push_back(ports[i]);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
