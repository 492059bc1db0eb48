// SPDX-License-Identifier: Apache-2.0
// bgp:
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_unit_memory.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace q = layout::axi_request;
namespace r = layout::axi_response;
namespace block = registers::unit_memory;
using Request = Record<layout::register_request::Layout>;
using Response = Record<layout::register_response::Layout>;

constexpr std::uint32_t kWords = kProfile.unit_memory_words;

class UnitMemory : public ::testing::Test {
 protected:
  Response access(const Request& request) {
    memory_->register_valid_i = 1;
    drive(memory_->register_request_i, request);
    memory_.wait_for(
        "the access", [&] { return memory_->register_done_o != 0; }, 20);
    const auto response = sample_record<Response>(memory_->register_response_o);
    memory_.tick();
    memory_->register_valid_i = 0;
    memory_.settle();
    EXPECT_EQ(sample_record<Response>(memory_->register_response_o), Response());
    return response;
  }
  static Request request(std::uint32_t address) {
    return Request().set<layout::register_request::address>(address);
  }
  Status write(std::uint32_t word, std::uint64_t data, bool wide = true) {
    namespace f = layout::register_request;
    const Response response =
        access(request(block::word(word)).set<f::write>(1).set<f::wide>(wide).set<f::data>(data));
    EXPECT_EQ(response.get<layout::register_response::data>(), 0U);
    return response.get<layout::register_response::status>();
  }
  std::uint64_t read(std::uint32_t word) {
    const Response response = access(request(block::word(word)));
    EXPECT_EQ(response.get<layout::register_response::status>(), Status::kOk);
    return response.get<layout::register_response::data>();
  }
  // One beat of 32 bytes.
  std::array<std::uint8_t, 32> read_row(std::uint64_t address) {
    put<q::arvalid>(memory_->axi_request_i, 1);
    put<q::araddr>(memory_->axi_request_i, address);
    put<q::arsize>(memory_->axi_request_i, 5);
    put<q::arburst>(memory_->axi_request_i, 1);
    put<q::rready>(memory_->axi_request_i, 1);
    memory_.wait_for(
        "AR", [&] { return get<r::arready>(memory_->axi_response_o) != 0; }, 20);
    memory_.tick();
    put<q::arvalid>(memory_->axi_request_i, 0);
    memory_.wait_for(
        "R",
        [&] {
          EXPECT_TRUE(memory_->busy_o);
          return get<r::rvalid>(memory_->axi_response_o) != 0;
        },
        20);
    std::array<std::uint8_t, 32> row{};
    std::ranges::copy(get_bytes<r::rdata>(memory_->axi_response_o), row.begin());
    memory_.tick();
    return row;
  }

  Random random_;
  Clocked<Vmu_unit_memory> memory_;
};

TEST_F(UnitMemory, ShowsItsWordsAsRegisters) {
  SCOPED_TRACE(random_.replay());
  for (const std::uint32_t word : {0U, 1U, 3U, 4U, kWords / 2, kWords - 1}) {
    const std::uint64_t value = random_.bits64();
    EXPECT_EQ(write(word, value), Status::kOk);
    EXPECT_EQ(read(word), value);
    const auto row = read_row(std::uint64_t{word} / 4 * 32);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(row[word % 4 * 8 + i], value >> 8 * i & 0xFF);
  }
}

TEST_F(UnitMemory, RefusesWhatIsNoWordAndWritesOfHalfAWord) {
  EXPECT_EQ(write(0, 0x1111), Status::kOk);
  EXPECT_EQ(write(0, 0x2222, false), Status::kRegisterPartial);
  EXPECT_EQ(write(kWords, 1), Status::kRegisterUnknown);
  EXPECT_EQ(access(request(block::word(kWords))).get<layout::register_response::status>(),
            Status::kRegisterUnknown);
  EXPECT_EQ(access(request(block::word(0)).set<layout::register_request::page>(1))
                .get<layout::register_response::status>(),
            Status::kRegisterUnknown);
  // Any address that is further away by a power of two.
  for (std::uint32_t away = 8 * kWords; away < 1U << layout::register_request::address.width;
       away *= 2) {
    EXPECT_EQ(access(request(block::word(0) ^ away)).get<layout::register_response::status>(),
              Status::kRegisterUnknown)
        << away;
  }
  EXPECT_EQ(read(0), 0x1111U);
}

TEST_F(UnitMemory, IsAtRestBetweenAccesses) {
  EXPECT_FALSE(memory_->busy_o);
  memory_->register_valid_i = 1;
  drive(memory_->register_request_i, request(block::word(0)));
  memory_.settle();
  EXPECT_TRUE(memory_->busy_o);
  read(0);
  EXPECT_FALSE(memory_->busy_o);
  read_row(0);
  memory_.tick();
  EXPECT_FALSE(memory_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
