// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_notice_ring.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
namespace q = layout::register_request;
namespace ring_registers = registers::notice_ring;
namespace page = registers::client_page;

class NoticeRing : public ::testing::Test {
 protected:
  RegisterResponse access(const RegisterRequest& request) {
    drive(ring->register_request_i, request);
    ring->register_valid_i = 1;
    ring.wait_for("a register answer", [&] { return ring->register_done_o != 0; });
    const auto response = sample_record<RegisterResponse>(ring->register_response_o);
    ring.tick();
    ring->register_valid_i = 0;
    ring.settle();
    return response;
  }
  static Status status_of(const RegisterResponse& response) {
    return response.get<layout::register_response::status>();
  }
  Status write(std::uint32_t address, std::uint64_t data) {
    return status_of(access(
        RegisterRequest{}.set<q::address>(address).set<q::data>(data).set<q::write>(1).set<q::wide>(
            1)));
  }
  Status write_page(std::uint8_t client, std::uint32_t offset, std::uint64_t data,
                    bool wide = true) {
    return status_of(access(RegisterRequest{}
                                .set<q::address>(offset)
                                .set<q::data>(data)
                                .set<q::write>(1)
                                .set<q::wide>(wide ? 1 : 0)
                                .set<q::page>(1)
                                .set<q::client>(client)));
  }
  std::uint64_t read_page(std::uint8_t client, std::uint32_t offset) {
    return access(RegisterRequest{}.set<q::address>(offset).set<q::page>(1).set<q::client>(client))
        .get<layout::register_response::data>();
  }
  std::uint64_t read(std::uint32_t address) {
    return access(RegisterRequest{}.set<q::address>(address))
        .get<layout::register_response::data>();
  }
  struct Place {
    bool room = false;
    std::uint64_t address = 0;
  };
  Place lookup(std::uint8_t client) {
    ring->lookup_valid_i = 1;
    ring->lookup_client_i = client;
    ring.wait_for("a lookup to be taken", [&] { return ring->lookup_ready_o != 0; });
    ring.tick();
    ring->lookup_valid_i = 0;
    ring.settle();
    const Place place{ring->answer_room_o != 0, ring->answer_address_o};
    ring->reserve_i = place.room;
    ring->refuse_i = !place.room;
    ring.tick();
    ring->reserve_i = 0;
    ring->refuse_i = 0;
    return place;
  }
  void publish(std::uint8_t client) {
    ring->publish_valid_i = 1;
    ring->publish_client_i = client;
    ring.wait_for("a publish to be taken", [&] { return ring->publish_ready_o != 0; });
    ring.tick();
    ring->publish_valid_i = 0;
    ring.tick();
  }

  Clocked<Vmu_notice_ring> ring;
};

TEST_F(NoticeRing, IsOffAfterReset) {
  for (std::uint8_t client = 0; client < 4; ++client) {
    EXPECT_FALSE(lookup(client).room);
    EXPECT_EQ(read_page(client, page::notice_tail.offset), 1ULL << 32U);  // overflow: one was lost
    EXPECT_EQ(read(ring_registers::base(client)), 0U);
    EXPECT_EQ(read(ring_registers::size(client)), 0U);
  }
}

TEST_F(NoticeRing, HandsOutEntriesInTurnAndStartsAnewAtTheEnd) {
  ASSERT_EQ(write(ring_registers::base(1), 0x1004), Status::kOk);
  ASSERT_EQ(write(ring_registers::size(1), 3), Status::kOk);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Place place = lookup(1);
    EXPECT_TRUE(place.room);
    EXPECT_EQ(place.address, 0x1004 + i % 3 * 32);
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
  EXPECT_EQ(write(ring_registers::base(0) + 0x10, 0), Status::kRegisterUnknown);
  EXPECT_EQ(write(ring_registers::base(4), 0), Status::kRegisterUnknown);
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
  for (std::uint8_t client = 0; client < 4; ++client) write(ring_registers::size(client), 4);
  for (std::uint8_t client = 4; client < 16; ++client) EXPECT_FALSE(lookup(client).room);
  for (std::uint8_t client = 0; client < 4; ++client) {
    EXPECT_EQ(read_page(client, page::notice_tail.offset), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
