// SPDX-License-Identifier: Apache-2.0
// The proof tb/formal/mu_ring_proof.sv covers small rings; these are full-size ones, with indices
// about to wrap.
// model: Vmu_ring_pointers_notices mu_ring_pointers -GPOSITION_WIDTH=16

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_ring_pointers.h"
#include "Vmu_ring_pointers_notices.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned position_bits>
struct Size {
  using Model = M;
  static constexpr unsigned kPositionBits = position_bits;
};
// Reception FIFOs and rings of notices.
using Sizes = ::testing::Types<Size<Vmu_ring_pointers, 24>, Size<Vmu_ring_pointers_notices, 16>>;
template <typename S>
class RingPointers : public ::testing::Test {};
TYPED_TEST_SUITE(RingPointers, Sizes);

TYPED_TEST(RingPointers, AgreeWithArithmeticThatCannotWrap) {
  Random random;
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  typename TypeParam::Model ring(&context);
  unsigned fitted = 0;
  unsigned legal = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t size = std::uint64_t{1} << random.below(TypeParam::kPositionBits + 1);
    const std::uint64_t head =
        random.chance(50) ? 0xFFFFFFFF - random.below(50) : random.below(1ULL << 32);
    const std::uint64_t held = random.chance(50)
                                   ? size - random.below(std::min<std::uint64_t>(size, 20) + 1)
                                   : random.below(size + 1);
    const std::uint64_t published = random.below(held + 1);
    const std::uint64_t slots = random.chance(90) ? random.below(18) : random.below(256);
    const std::uint64_t moved = random.below(published + 3);
    ring.size_i = static_cast<std::uint32_t>(size);
    ring.head_i = static_cast<std::uint32_t>(head);
    ring.tail_i = static_cast<std::uint32_t>(head + published);
    ring.reserved_i = static_cast<std::uint32_t>(head + held);
    ring.slots_i = static_cast<std::uint8_t>(slots);
    ring.new_head_i = static_cast<std::uint32_t>(head + moved);
    ring.eval();
    ASSERT_EQ(ring.fits_o, held + slots <= size);
    if (ring.fits_o) {
      ++fitted;
      ASSERT_EQ(ring.reserved_o, (head + held + slots) & 0xFFFFFFFF);
    }
    ASSERT_EQ(ring.publish_legal_o, published + slots <= held);
    if (ring.publish_legal_o) {
      ASSERT_EQ(ring.tail_o, (head + published + slots) & 0xFFFFFFFF);
      ASSERT_EQ(ring.used_o, published + slots);
    }
    ASSERT_EQ(ring.head_legal_o, moved <= published);
    legal += ring.head_legal_o;
  }
  EXPECT_GT(fitted, 10000U);
  EXPECT_GT(legal, 10000U);
}

TYPED_TEST(RingPointers, TakeDifferencesOfAllTheirBits) {
  Random random;
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  typename TypeParam::Model ring(&context);
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t distance = 1U << bit;
    for (int i = 0; i < 100; ++i) {
      const auto head = static_cast<std::uint32_t>(random.bits64());
      const auto slots = static_cast<std::uint8_t>(random.below(256));
      const auto moved = distance - 1 + static_cast<std::uint32_t>(random.below(3));
      ring.head_i = head;
      ring.tail_i = head + distance;
      ring.reserved_i = head + 2 * distance;
      ring.new_head_i = head + moved;
      ring.slots_i = slots;
      ring.size_i = 1U << TypeParam::kPositionBits;
      ring.eval();
      ASSERT_EQ(ring.fits_o, std::uint64_t{2 * distance} + slots <= ring.size_i) << "bit " << bit;
      ASSERT_EQ(ring.publish_legal_o, slots <= distance) << "bit " << bit;
      ASSERT_EQ(ring.tail_o, head + distance + slots) << "bit " << bit;
      ASSERT_EQ(ring.used_o, distance + slots) << "bit " << bit;
      ASSERT_EQ(ring.head_legal_o, moved <= distance) << "bit " << bit;
      ASSERT_EQ(ring.reserved_o, head + 2 * distance + slots) << "bit " << bit;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
