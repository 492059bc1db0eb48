// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_touch_match.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kRanges = 8;

struct Range {
  std::uint64_t base;
  std::uint64_t length;
};

class TouchMatch : public ::testing::Test {
 protected:
  using Row = Record<layout::touch_row::Layout>;

  void put_row(unsigned r, const Range& range) {
    namespace row = layout::touch_row;
    Row told;
    told.set<row::valid>(1).set<row::index>(r).set<row::base>(range.base);
    drive(match_->row_i, told.set<row::range_end>(range.base + range.length));
    match_.tick();
    drive(match_->row_i, Row{});
  }
  // A range without a byte is never enabled.
  unsigned hits(std::uint64_t address, unsigned bytes, const std::array<Range, kRanges>& ranges,
                unsigned enable = 0xFF) {
    for (unsigned r = 0; r < kRanges; ++r) {
      put_row(r, ranges[r]);
      if (ranges[r].length == 0) enable &= ~(1U << r);
    }
    return compare(address, bytes, enable);
  }
  // Takes what is compared after some cycles.
  unsigned compare(std::uint64_t address, unsigned bytes, unsigned enable) {
    EXPECT_TRUE(match_->ready_o);
    match_->valid_i = 1;
    match_->address_i = address;
    match_->bytes_i = static_cast<std::uint16_t>(bytes);
    match_->enable_i = static_cast<std::uint8_t>(enable);
    match_->taken_i = 0;
    match_.tick();
    match_->valid_i = 0;
    match_->enable_i = static_cast<std::uint8_t>(random_.bits64());
    match_->address_i = random_.bits64() >> 24;
    const auto rows = static_cast<unsigned>(std::popcount(bytes == 0 ? 0 : enable));
    for (unsigned cycle = 0; cycle < (rows == 0 ? 0 : rows + 1); ++cycle) {
      EXPECT_FALSE(match_->done_o || match_->ready_o) << "cycle " << cycle << " of " << rows;
      match_.tick();
    }
    const unsigned seen = match_->hit_o;
    for (auto left = random_.below(3); left != 0; --left) match_.tick();
    EXPECT_TRUE(match_->done_o && !match_->ready_o);
    EXPECT_EQ(match_->hit_o, seen) << "until it is taken";
    match_->taken_i = 1;
    match_.tick();
    match_->taken_i = 0;
    match_.settle();
    EXPECT_TRUE(match_->ready_o && !match_->done_o);
    return seen;
  }

  Random random_;
  Clocked<Vmu_touch_match> match_{random_.seed()};
};

TEST_F(TouchMatch, FindsEveryOverlapOfSmallIntervals) {
  for (unsigned address = 0; address < 12; ++address) {
    for (unsigned bytes = 0; bytes < 6; ++bytes) {
      for (unsigned base = 0; base < 12; ++base) {
        std::array<Range, kRanges> ranges{};
        unsigned want = 0;
        for (unsigned length = 0; length < kRanges; ++length) {
          ranges[length] = {base, length};
          for (unsigned byte = address; byte < address + bytes; ++byte) {
            if (byte >= base && byte < base + length) want |= 1U << length;
          }
        }
        ASSERT_EQ(hits(address, bytes, ranges), want)
            << "address " << address << " bytes " << bytes << " base " << base;
      }
    }
  }
}

TEST_F(TouchMatch, DoesNotWrapAtTheTopOfMemory) {
  const std::uint64_t top = 1ULL << 40;
  const std::array<Range, kRanges> ranges{Range{top - 16, top}, Range{0, 16}, Range{0, top},
                                          Range{top - 1, 1}};
  EXPECT_EQ(hits(top - 8, 32, ranges), 0b1101U);
  EXPECT_EQ(hits(0, 8, ranges), 0b0110U);
}

TEST_F(TouchMatch, AgreesWithWideArithmeticAtRandom) {
  Random random;
  SCOPED_TRACE(random.replay());
  unsigned seen = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t top = random.chance(50) ? 1ULL << 40 : 4096;
    const std::uint64_t address = random.below(top);
    const auto bytes = static_cast<unsigned>(random.below(600));
    const auto enable = static_cast<unsigned>(random.below(256));
    std::array<Range, kRanges> ranges;
    unsigned want = 0;
    for (unsigned r = 0; r < kRanges; ++r) {
      ranges[r] = {random.below(top), random.below(random.chance(50) ? 600 : top + 1)};
      const bool overlap = bytes != 0 && ranges[r].length != 0 &&
                           address < ranges[r].base + ranges[r].length &&
                           ranges[r].base < address + bytes;
      want |= static_cast<unsigned>(overlap) << r;
    }
    want &= enable;
    ASSERT_EQ(hits(address, bytes, ranges, enable), want);
    seen += want != 0;
  }
  EXPECT_GT(seen, 1000U);
}

TEST_F(TouchMatch, IsExactAtBothEndsOfATransferAnywhereInMemory) {
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t top = 1ULL << 40;
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t address = random.below(top);
    const auto bytes = 1 + static_cast<unsigned>(random.below(1023));
    std::array<Range, kRanges> ranges;
    unsigned want = 0;
    for (unsigned r = 0; r < kRanges; ++r) {
      // Ends, or begins, one byte before the transfer's own end, at it, or one after it.
      const std::uint64_t length = random.below(1 + (top >> random.below(40)));
      const std::uint64_t end = address + random.below(3);
      const std::uint64_t behind = address + bytes - 1 + random.below(3);
      const bool before = end >= length && (behind >= top || random.chance(50));
      ranges[r] = {before ? end - length : std::min(behind, top - 1), length};
      const bool overlap =
          length != 0 && address < ranges[r].base + length && ranges[r].base < address + bytes;
      want |= static_cast<unsigned>(overlap) << r;
    }
    ASSERT_EQ(hits(address, bytes, ranges), want);
  }
}

TEST_F(TouchMatch, FindsARangeOfAnyPowerOfTwo) {
  for (unsigned bit = 0; bit <= 40; ++bit) {
    std::array<Range, kRanges> ranges;
    ranges.fill({0, 1ULL << bit});
    EXPECT_EQ(hits(0, 1, ranges), 0xFFU) << "length 2^" << bit;
  }
  for (unsigned bit = 0; bit < 10; ++bit) {
    std::array<Range, kRanges> ranges;
    ranges.fill({1000, 24});
    EXPECT_EQ(hits(1000, 1U << bit, ranges), 0xFFU) << "2^" << bit << " bytes";
  }
}

TEST_F(TouchMatch, ComparesWithTheRowAsItWasOrIsWhenItChanges) {
  put_row(0, {0, 16});
  put_row(1, {64, 16});
  for (int round = 0; round < 8; ++round) {
    match_->valid_i = 1;
    match_->address_i = 0;
    match_->bytes_i = 8;
    match_->enable_i = 0b11;
    match_.tick();
    match_->valid_i = 0;
    for (int i = 0; i < round; ++i) match_.tick();
    put_row(0, {64, 16});  // and no other is touched
    for (int i = 0; i < 8; ++i) match_.tick();
    ASSERT_TRUE(match_->done_o);
    EXPECT_EQ(match_->hit_o & 0b10U, 0U);
    if (round > 2) {
      EXPECT_EQ(match_->hit_o, 0b01U) << "it had been looked at, cycle " << round;
    }
    match_->taken_i = 1;
    match_.tick();
    match_->taken_i = 0;
    put_row(0, {0, 16});
  }
}

}  // namespace
}  // namespace torusmu::testing
