// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "Vmu_register_decode.h"
#include "tests/support/register_bus.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kClients = 4;

// Bits of select_o.
enum Block : unsigned {
  kQueue,
  kFifo,
  kCounters,
  kRegions,
  kTouch,
  kNotice,
  kPerformance,
  kReflection,
  kInterrupt,
  kEntries,
  kBoot,
  kPush,
  kNode,
  kErrors
};

// Who has each register: the one place beside the RTL that says so.
Block block_of(std::string_view block, std::string_view name) {
  static const std::map<std::string, Block, std::less<>> page = {{"queue_index", kQueue},
                                                                 {"fifo_index", kFifo},
                                                                 {"push_data", kPush},
                                                                 {"push_queue", kPush},
                                                                 {"push_status", kPush},
                                                                 {"interrupt_cause", kInterrupt},
                                                                 {"interrupt_enable", kInterrupt},
                                                                 {"notice_tail", kNotice},
                                                                 {"notice_head", kNotice},
                                                                 {"page_status", kErrors},
                                                                 {"touch_hits", kTouch},
                                                                 {"completion_index", kEntries},
                                                                 {"event_counter", kCounters},
                                                                 {"byte_counter", kCounters}};
  static const std::map<std::string, Block, std::less<>> privileged = {
      {"injection_queue", kQueue},
      {"reception_fifo", kFifo},
      {"completion_queue", kEntries},
      {"byte_counter_config", kCounters},
      {"event_counter_config", kCounters},
      {"region", kRegions},
      {"touch_range", kTouch},
      {"notice_ring", kNotice},
      {"performance", kPerformance},
      {"reflection", kReflection},
      {"boot_buffer", kBoot}};
  if (block == "client_page") return page.find(name)->second;
  if (block == "node") {
    return name == "register_errors" || name == "error_clear" ? kErrors : kNode;
  }
  return privileged.find(block)->second;
}

class RegisterDecode : public ::testing::Test {
 protected:
  void decode(bool write, std::uint32_t address, unsigned strobe = 0xff,
              std::uint64_t data = 0x1122334455667788) {
    decode_.valid_i = 1;
    decode_.write_i = write;
    decode_.address_i = address;
    decode_.strobe_i = static_cast<std::uint8_t>(strobe);
    decode_.data_i = data;
    decode_.eval();
    request_ = sample_record<RegisterRequest>(decode_.request_o);
  }
  Status status() const { return static_cast<Status>(decode_.status_o); }

  Vmu_register_decode decode_;
  RegisterRequest request_;
};

TEST_F(RegisterDecode, SendsEveryRegisterOfTheMapToTheBlockThatHasIt) {
  for (const auto& line : registers::detail::kRegisters) {
    const auto* block =
        std::find_if(std::begin(registers::detail::kBlocks), std::end(registers::detail::kBlocks),
                     [&](const auto& b) { return b.name == line.block; });
    const bool page = line.block == "client_page";
    const unsigned blocks = page ? kClients : block->copies;
    for (unsigned number = 0; number < blocks; ++number) {
      for (unsigned copy = 0; copy < line.copies; ++copy) {
        const std::uint32_t offset = line.offset + copy * line.bytes;
        const std::uint32_t address = block->base + number * block->stride + offset;
        decode(false, address);
        ASSERT_EQ(decode_.select_o, 1U << block_of(line.block, line.name))
            << line.block << "." << line.name << " at " << std::hex << address;
        ASSERT_EQ(status(), Status::kOk);
        ASSERT_EQ(request_.get<layout::register_request::page>(), page);
        ASSERT_EQ(request_.get<layout::register_request::client>(), page ? number : 0U);
        ASSERT_EQ(request_.get<layout::register_request::address>(), page ? offset : address);
      }
    }
  }
}

TEST_F(RegisterDecode, SelectsOneBlockOrSaysUnknownAtEveryAddress) {
  for (std::uint32_t address = 0; address < registers::kSpaceBytes; address += 4) {
    decode(false, address);
    if (decode_.select_o == 0) {
      ASSERT_EQ(status(), Status::kRegisterUnknown) << std::hex << address;
    } else {
      ASSERT_EQ(decode_.select_o & (decode_.select_o - 1), 0) << std::hex << address;
      ASSERT_EQ(status(), Status::kOk);
    }
  }
}

TEST_F(RegisterDecode, KnowsNoPageOfAClientThatDoesNotExist) {
  for (std::uint32_t address = kClients * 0x1000; address < 0x20000; address += 8) {
    decode(false, address);
    ASSERT_EQ(decode_.select_o, 0U) << std::hex << address;
    ASSERT_EQ(status(), Status::kRegisterUnknown);
    ASSERT_EQ(request_.get<layout::register_request::page>(), 0U);
    ASSERT_EQ(request_.get<layout::register_request::address>(), address);
  }
  for (const std::uint32_t address : {0x21000U, 0x2fff8U, 0x41000U, 0xffff8U}) {
    decode(false, address);
    EXPECT_EQ(decode_.select_o, 0U) << std::hex << address;
  }
}

TEST_F(RegisterDecode, TakesWholeAlignedWordsOnlyAndLaysThemAtBitZero) {
  const std::uint32_t address = 0x1010;
  for (unsigned strobe = 0; strobe < 256; ++strobe) {
    for (unsigned low = 0; low < 8; ++low) {
      decode(true, address + low, strobe);
      const bool legal = (strobe == 0xff && low == 0) || (strobe == 0x0f && low == 0) ||
                         (strobe == 0xf0 && low <= 4);
      ASSERT_EQ(status(), legal ? Status::kOk : Status::kRegisterPartial) << strobe << " " << low;
      if (!legal) {
        ASSERT_EQ(decode_.select_o, 0U);
        continue;
      }
      ASSERT_EQ(request_.get<layout::register_request::wide>(), strobe == 0xff);
      ASSERT_EQ(request_.get<layout::register_request::address>(), strobe == 0xf0 ? 0x14U : 0x10U);
      ASSERT_EQ(request_.get<layout::register_request::data>(), strobe == 0xff ? 0x1122334455667788U
                                                                : strobe == 0xf0 ? 0x11223344U
                                                                                 : 0x55667788U);
    }
  }
}

TEST_F(RegisterDecode, ReadsWithoutDataAndWithoutLookingAtStrobes) {
  for (const unsigned strobe : {0U, 0x10U, 0xffU}) {
    decode(false, 0x2213, strobe);
    EXPECT_EQ(status(), Status::kOk);
    EXPECT_EQ(request_.get<layout::register_request::data>(), 0U);
    EXPECT_EQ(request_.get<layout::register_request::write>(), 0U);
    EXPECT_EQ(request_.get<layout::register_request::address>(), 0x210U);
    decode(false, 0x2217, strobe);
    EXPECT_EQ(request_.get<layout::register_request::address>(), 0x214U);
  }
}

TEST_F(RegisterDecode, IsSilentWithoutAnAccess) {
  decode(true, 0x1000);
  decode_.valid_i = 0;
  decode_.eval();
  EXPECT_EQ(decode_.select_o, 0U);
  EXPECT_EQ(decode_.status_o, 0U);
  EXPECT_EQ(sample_record<RegisterRequest>(decode_.request_o), RegisterRequest());
}

}  // namespace
}  // namespace torusmu::testing
