// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/reception/notice_ring_fixture.h"

namespace torusmu::testing::notice_ring {
namespace {

TEST_F(NoticeRing, IsOffAfterReset) {
  for (std::uint8_t client = 0; client < kClients; ++client) {
    EXPECT_FALSE(lookup(client).room);
    EXPECT_EQ(read_page(client, page::notice_tail.offset), 1ULL << 32U);  // overflow: one was lost
    EXPECT_EQ(read(ring_registers::base(client)), 0U);
    EXPECT_EQ(read(ring_registers::size(client)), 0U);
  }
}

TEST_F(NoticeRing, HandsOutEntriesInTurnAndStartsAnewAtTheEnd) {
  ASSERT_EQ(write(ring_registers::base(1), 0x1004), Status::kOk);
  ASSERT_EQ(write(ring_registers::size(1), 4), Status::kOk);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Place place = lookup(1);
    EXPECT_TRUE(place.room);
    EXPECT_EQ(place.address, 0x1004 + i % 4 * 32);
    EXPECT_EQ(read_page(1, page::notice_tail.offset), i);
    publish(1);
    EXPECT_EQ(read_page(1, page::notice_tail.offset), i + 1);
    EXPECT_EQ(write_page(1, page::notice_head.offset, i + 1), Status::kOk);
    EXPECT_EQ(read_page(1, page::notice_head.offset), i + 1);
  }
}

TEST_F(NoticeRing, RemembersAnOverflowUntilTheHeadIsWritten) {
  ASSERT_EQ(write(ring_registers::size(2), 2), Status::kOk);
  EXPECT_TRUE(lookup(2).room);
  EXPECT_TRUE(lookup(2).room);
  EXPECT_FALSE(lookup(2).room);
  publish(2);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), (1ULL << 32U) + 1);
  EXPECT_EQ(read_page(1, page::notice_tail.offset), 0U);
  EXPECT_EQ(write_page(2, page::notice_head.offset, 1), Status::kOk);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), 1U);
  EXPECT_TRUE(lookup(2).room);
}

// Software has read the tail, and a notice is lost before it has told how far it has read.
TEST_F(NoticeRing, KeepsAnOverflowThatNoReadHasShown) {
  ASSERT_EQ(write(ring_registers::size(2), 1), Status::kOk);
  EXPECT_TRUE(lookup(2).room);
  publish(2);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), 1U);
  EXPECT_FALSE(lookup(2).room);
  EXPECT_EQ(write_page(2, page::notice_head.offset, 1), Status::kOk);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), (1ULL << 32U) + 1);
  EXPECT_EQ(write_page(2, page::notice_head.offset, 1), Status::kOk);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), 1U);
}

TEST_F(NoticeRing, KeepsASecondOverflowThatCameAfterTheFirstWasRead) {
  ASSERT_EQ(write(ring_registers::size(2), 1), Status::kOk);
  EXPECT_TRUE(lookup(2).room);
  publish(2);
  EXPECT_FALSE(lookup(2).room);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), (1ULL << 32U) + 1);
  EXPECT_FALSE(lookup(2).room);
  EXPECT_EQ(write_page(2, page::notice_head.offset, 1), Status::kOk);
  EXPECT_EQ(read_page(2, page::notice_tail.offset), (1ULL << 32U) + 1);
}

TEST_F(NoticeRing, CountsDiscardsOfEachClientWhetherTheyAreWantedOrNot) {
  ASSERT_EQ(write(ring_registers::size(1), 2), Status::kOk);
  for (const std::uint64_t wanted : {0, 1}) {
    ASSERT_EQ(write(ring_registers::config(1), wanted), Status::kOk);
    EXPECT_EQ(read(ring_registers::config(1)), wanted);
    EXPECT_EQ(discard(1), wanted != 0);
    EXPECT_EQ(discards(1), wanted + 1);
  }
  ASSERT_EQ(write(ring_registers::size(1), 4), Status::kOk);
  EXPECT_EQ(discards(1), 2U) << "the ring begins anew, the count does not";
  EXPECT_EQ(discards(0), 0U);
  EXPECT_EQ(write(ring_registers::config(1), 2), Status::kRegisterValue);
}

TEST_F(NoticeRing, RefusesBadRegisterAccesses) {
  ASSERT_EQ(write(ring_registers::size(0), 4), Status::kOk);
  lookup(0);
  EXPECT_EQ(write_page(0, page::notice_head.offset, 1), Status::kDoorbellRange);
  publish(0);
  EXPECT_EQ(write_page(0, page::notice_head.offset, 2), Status::kDoorbellRange);
  EXPECT_EQ(write_page(0, page::notice_head.offset, 1, false), Status::kRegisterPartial);
  EXPECT_EQ(write_page(0, page::notice_head.offset, 1ULL << 32U), Status::kRegisterValue);
  EXPECT_EQ(write_page(0, page::notice_tail.offset, 0), Status::kRegisterUnknown);
  EXPECT_EQ(write_page(0, page::page_status.offset, 0), Status::kRegisterUnknown);
  EXPECT_EQ(write(ring_registers::base(0) + 0x18, 0), Status::kRegisterUnknown);
  const std::uint32_t behind = ring_registers::kBase + kClients * ring_registers::kStride;
  EXPECT_EQ(write(behind, 0), Status::kRegisterUnknown);
  EXPECT_EQ(write(ring_registers::size(1), 65537), Status::kRegisterValue);
  EXPECT_EQ(write(ring_registers::size(1), 65536), Status::kOk);
  EXPECT_EQ(write(ring_registers::base(1), 1ULL << 40U), Status::kRegisterValue);
  EXPECT_EQ(write(ring_registers::base(1), (1ULL << 40U) - (1U << 21U) + 1),
            Status::kRegisterValue);
  EXPECT_EQ(write(ring_registers::base(1), (1ULL << 40U) - (1U << 21U)), Status::kOk);
  EXPECT_EQ(write(ring_registers::size(1), 0), Status::kOk);
  EXPECT_EQ(write(ring_registers::base(1), (1ULL << 40U) - 31), Status::kOk);
  EXPECT_EQ(write(ring_registers::size(1), 1), Status::kRegisterValue);
}

// A ring may end where memory does, but no byte later.
TEST_F(NoticeRing, RefusesRingsThatEndBehindMemory) {
  constexpr std::uint64_t kSpace = 1ULL << 40;
  for (std::uint64_t size = 1; size <= 0x10000; size *= 2) {
    const std::uint64_t last = kSpace - size * 32;
    for (std::uint64_t behind = 1; behind < size * 32; behind *= 2) {
      ASSERT_EQ(write(ring_registers::size(3), 0), Status::kOk);
      ASSERT_EQ(write(ring_registers::base(3), last + behind), Status::kOk);
      EXPECT_EQ(write(ring_registers::size(3), size), Status::kRegisterValue)
          << size << " entries, " << behind << " bytes behind";
      ASSERT_EQ(write(ring_registers::base(3), last), Status::kOk);
      EXPECT_EQ(write(ring_registers::size(3), size), Status::kOk) << size;
      EXPECT_EQ(write(ring_registers::base(3), last + behind), Status::kRegisterValue)
          << size << " entries, " << behind << " bytes behind";
    }
  }
}

TEST_F(NoticeRing, RefusesASizeAboveTheMostInEachBit) {
  for (unsigned bit = 17; bit < 64; ++bit) {
    EXPECT_EQ(write(ring_registers::size(1), 1ULL << bit), Status::kRegisterValue) << bit;
    EXPECT_EQ(write(ring_registers::size(1), 1ULL << bit | 4), Status::kRegisterValue) << bit;
  }
}

TEST_F(NoticeRing, RefusesASizeThatIsNoPowerOfTwo) {
  for (unsigned high = 1; high <= 16; ++high) {
    for (unsigned low = 0; low < high; ++low) {
      const std::uint64_t size = 1ULL << high | 1ULL << low;
      EXPECT_EQ(write(ring_registers::size(1), size), Status::kRegisterValue) << size;
    }
    EXPECT_EQ(write(ring_registers::size(1), (2ULL << high) - 1), Status::kRegisterValue);
    EXPECT_EQ(write(ring_registers::size(1), 1ULL << high), Status::kOk);
  }
}

TEST_F(NoticeRing, KnowsNoRegistersOutsideOfItsBlock) {
  for (unsigned bit = 13; bit < 20; ++bit) {
    const std::uint32_t outside = (ring_registers::base(1) + (1U << bit)) & 0xfffffU;
    EXPECT_EQ(write(outside, 0x40), Status::kRegisterUnknown) << bit;
    EXPECT_EQ(read(ring_registers::base(1)), 0U) << bit;
  }
}

TEST_F(NoticeRing, KnowsNoRegistersOfClientsThatDoNotExist) {
  for (unsigned client = kClients; client < 256; ++client) {
    const std::uint32_t behind = ring_registers::kBase + client * ring_registers::kStride;
    ASSERT_EQ(write(behind, 0x40), Status::kRegisterUnknown) << client;
  }
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(read(ring_registers::base(client)), 0U) << client;
  }
}

TEST_F(NoticeRing, RefusesAHeadAboveTheLargestInEachBit) {
  for (unsigned bit = 32; bit < 64; ++bit) {
    EXPECT_EQ(write_page(1, page::notice_head.offset, 1ULL << bit), Status::kRegisterValue) << bit;
  }
}

TEST_F(NoticeRing, RefusesWritesOfHalfARegister) {
  for (const std::uint32_t address : {ring_registers::base(1), ring_registers::size(1)}) {
    EXPECT_EQ(status_of(access(
                  RegisterRequest{}.set<q::address>(address).set<q::data>(64).set<q::write>(1))),
              Status::kRegisterPartial);
    EXPECT_EQ(read(address), 0U);
  }
}

TEST_F(NoticeRing, IsResizedOnlyOnceEverythingReservedIsPublished) {
  ASSERT_EQ(write(ring_registers::size(3), 4), Status::kOk);
  lookup(3);
  drive(ring->register_request_i, RegisterRequest{}
                                      .set<q::address>(ring_registers::size(3))
                                      .set<q::data>(8)
                                      .set<q::write>(1)
                                      .set<q::wide>(1));
  ring->register_valid_i = 1;
  for (int i = 0; i < 50; ++i) {
    ring.tick();
    ASSERT_FALSE(ring->register_done_o);
  }
  publish(3);
  ring.wait_for("the size write", [&] { return ring->register_done_o != 0; });
  ring.tick();
  ring->register_valid_i = 0;
  EXPECT_EQ(read_page(3, page::notice_tail.offset), 0U);
  EXPECT_EQ(read(ring_registers::size(3)), 8U);
  EXPECT_FALSE(ring->busy_o);
}

TEST_F(NoticeRing, HasNoRoomForAClientThatDoesNotExist) {
  for (std::uint8_t client = 0; client < kClients; ++client) write(ring_registers::size(client), 4);
  for (std::uint8_t client = kClients; client < 16; ++client) EXPECT_FALSE(lookup(client).room);
  for (std::uint8_t client = 0; client < kClients; ++client) {
    EXPECT_EQ(read_page(client, page::notice_tail.offset), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing::notice_ring
