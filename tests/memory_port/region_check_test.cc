// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_region_check.h"
#include "tests/support/region.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kLocalRead = 0;
constexpr unsigned kRemoteWrite = 1;
constexpr unsigned kRemoteRead = 2;
constexpr unsigned kOnBehalf = 3;
constexpr std::uint64_t kMemoryEnd = 1ULL << 40;

class RegionCheck : public ::testing::Test {
 protected:
  Status check(const RegionEntry& entry, std::uint64_t offset, std::uint64_t bytes, unsigned access,
               unsigned client = 0) {
    drive(check_.entry_i, entry);
    check_.offset_i = offset;
    check_.bytes_i = bytes;
    check_.access_i = static_cast<std::uint8_t>(access);
    check_.client_i = static_cast<std::uint8_t>(client);
    check_.eval();
    return static_cast<Status>(check_.status_o);
  }

  Vmu_region_check check_;
};

TEST_F(RegionCheck, GivesTheAddressOfTheFirstByte) {
  ASSERT_EQ(check(region_entry(0x12345, 0x1000, 2), 0x321, 8, kLocalRead, 2), Status::kOk);
  EXPECT_EQ(check_.address_o, 0x12345U + 0x321U);
}

TEST_F(RegionCheck, TestsEnableThenPermissionThenBounds) {
  const auto off = region_entry(0, 16, 1, true, true, false);
  EXPECT_EQ(check(off, 99, 99, kRemoteWrite), Status::kRegionInvalid);
  const auto closed = region_entry(0, 16, 1);
  EXPECT_EQ(check(closed, 99, 99, kRemoteWrite), Status::kPermission);
  EXPECT_EQ(check(closed, 99, 99, kLocalRead, 1), Status::kRegionBounds);
}

TEST_F(RegionCheck, LetsTheOwnerReadLocallyAndOnBehalfWhateverThePermissions) {
  for (const unsigned access : {kLocalRead, kOnBehalf}) {
    EXPECT_EQ(check(region_entry(0, 16, 3), 0, 16, access, 3), Status::kOk);
    EXPECT_EQ(check(region_entry(0, 16, 3, true, true), 0, 16, access, 2), Status::kPermission);
  }
}

TEST_F(RegionCheck, LetsPacketsWriteAndGettersReadByPermissionAlone) {
  EXPECT_EQ(check(region_entry(0, 16, 3, true, false), 0, 16, kRemoteWrite, 1), Status::kOk);
  EXPECT_EQ(check(region_entry(0, 16, 3, false, true), 0, 16, kRemoteWrite, 3),
            Status::kPermission);
  EXPECT_EQ(check(region_entry(0, 16, 3, false, true), 0, 16, kRemoteRead, 1), Status::kOk);
  EXPECT_EQ(check(region_entry(0, 16, 3, true, false), 0, 16, kRemoteRead, 3), Status::kPermission);
}

TEST_F(RegionCheck, StopsAtTheRegionsEndFromBothSides) {
  const auto entry = region_entry(0x1000, 100, 0);
  EXPECT_EQ(check(entry, 99, 1, kLocalRead), Status::kOk);
  EXPECT_EQ(check(entry, 99, 2, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, 100, 1, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, 0, 100, kLocalRead), Status::kOk);
  EXPECT_EQ(check(entry, 0, 101, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, 100, 0, kLocalRead), Status::kOk);
}

TEST_F(RegionCheck, DoesNotWrapWhenOffsetAndLengthOverflow) {
  const auto entry = region_entry(0, 100, 0);
  const std::uint64_t largest_offset = (1ULL << 37) - 1;
  EXPECT_EQ(check(entry, largest_offset, 2, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, largest_offset, (1ULL << 38) - 1, kLocalRead), Status::kRegionBounds);
  // Sum of exactly 2^38, and sums that leave small numbers when cut to 37 or 38 bits.
  EXPECT_EQ(check(entry, 10, (1ULL << 38) - 10, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, largest_offset, 11, kLocalRead), Status::kRegionBounds);
}

TEST_F(RegionCheck, StopsAtTheEndOfARegionThatEndsWithMemory) {
  const auto entry = region_entry(kMemoryEnd - 64, 64, 0);
  EXPECT_EQ(check(entry, 0, 64, kLocalRead), Status::kOk);
  EXPECT_EQ(check_.address_o, kMemoryEnd - 64);
  EXPECT_EQ(check(entry, 0, 65, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, 64, 1, kLocalRead), Status::kRegionBounds);
  EXPECT_EQ(check(entry, 100, 1, kLocalRead), Status::kRegionBounds);
}

TEST_F(RegionCheck, AgreesWithWideArithmeticOnRandomAccesses) {
  Random random;
  SCOPED_TRACE(random.replay());
  unsigned accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    const unsigned scale = static_cast<unsigned>(random.below(30));
    const auto some = [&](unsigned bits) {
      return random.bits64() >> (64 - bits) >> (random.chance(70) ? scale : 0);
    };
    const std::uint64_t base = random.chance(50) ? some(40) : kMemoryEnd - 1 - some(37);
    const std::uint64_t length = std::min(some(38), kMemoryEnd - base);
    const std::uint64_t offset = some(37);
    // Often within one byte of the end.
    const std::uint64_t bytes = random.chance(50) || offset > length
                                    ? some(38)
                                    : length - offset + random.below(3) - (length > offset ? 1 : 0);
    const bool enable = random.chance(90);
    const bool may_write = random.chance(80);
    const bool may_read = random.chance(80);
    const auto owner = static_cast<unsigned>(random.below(4));
    const unsigned client = random.chance(80) ? owner : static_cast<unsigned>(random.below(4));
    const auto access = static_cast<unsigned>(random.below(4));
    const bool permitted = access == kRemoteWrite  ? may_write
                           : access == kRemoteRead ? may_read
                                                   : owner == client;
    const std::uint64_t cut = bytes & ((1ULL << 38) - 1);
    const bool inside = offset + cut <= length;
    const Status expected = !enable      ? Status::kRegionInvalid
                            : !permitted ? Status::kPermission
                            : !inside    ? Status::kRegionBounds
                                         : Status::kOk;
    ASSERT_EQ(check(region_entry(base, length, owner, may_write, may_read, enable), offset, cut,
                    access, client),
              expected)
        << "base " << base << " length " << length << " offset " << offset << " bytes " << cut;
    if (expected != Status::kOk) continue;
    ++accepted;
    ASSERT_EQ(check_.address_o, (base + offset) % kMemoryEnd) << "no bytes may lie at its end, too";
  }
  EXPECT_GT(accepted, 5000U);
}

TEST_F(RegionCheck, SeesEveryBitOfHowFarAnAccessLeadsBehindARegion) {
  for (unsigned bit = 0; bit < 38; ++bit) {
    const auto entry = region_entry(kMemoryEnd - 1, 1, 0);
    EXPECT_EQ(check(entry, 0, 1 + (1ULL << bit), kLocalRead), Status::kRegionBounds) << bit;
  }
}

TEST_F(RegionCheck, TellsAllOwnersApart) {
  for (unsigned owner = 0; owner < 16; ++owner) {
    for (unsigned client = 0; client < 16; ++client) {
      EXPECT_EQ(check(region_entry(0, 16, owner), 0, 16, kLocalRead, client),
                owner == client ? Status::kOk : Status::kPermission)
          << owner << " " << client;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
