// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_register_decode.h"
#include "sim/machine/profile.h"
#include "tests/support/register_bus.h"
#include "tests/support/register_units.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kClients = kProfile.clients;

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
        ASSERT_EQ(decode_.select_o, 1U << unit_bit(unit_of(line.block, line.name)))
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
  for (const std::uint32_t address : {0x21000U, 0x2fff8U, 0x43000U, 0xffff8U}) {
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

// The register at an offset of a client page, or the last one before it.
const auto& page_register(std::uint32_t offset) {
  const registers::detail::RegisterLine* found = nullptr;
  for (const auto& line : registers::detail::kRegisters) {
    if (line.block == "client_page" && line.offset <= offset) found = &line;
  }
  return *found;
}

TEST_F(RegisterDecode, GivesAUnitWhatLiesUpToTheNextRegisterOfAPageAndElsewhereWholePages) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (std::uint32_t address = 0; address < registers::kSpaceBytes; address += 4) {
    unsigned wanted = 0;
    if (address < kClients * 0x1000) {
      const auto& line = page_register(address & 0xfff);
      wanted = 1U << unit_bit(unit_of(line.block, line.name));
    } else {
      for (const auto& line : registers::detail::kRegisters) {
        if (line.block == "client_page") continue;
        const auto* block = std::begin(registers::detail::kBlocks);
        while (block->name != line.block) ++block;
        const std::uint32_t end = block->base + block->stride * block->copies;
        if (address >= block->base && address < ((end + 0xfff) & ~0xfffU))
          wanted = 1U << unit_bit(unit_of(line.block, line.name));
      }
    }
    // A read of any byte reads the word that it is in.
    decode(false, address + static_cast<std::uint32_t>(random.below(4)));
    ASSERT_EQ(decode_.select_o, wanted) << std::hex << address;
  }
}

TEST_F(RegisterDecode, PassesAnyDataToAnyAddress) {
  Random random;
  SCOPED_TRACE(random.replay());
  using request = RegisterRequest;
  namespace r = layout::register_request;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t data = random.bits64();
    const auto address = static_cast<std::uint32_t>(
        random.chance(50) ? random.below(kClients * 0x1000) : random.below(1U << 20));
    const unsigned strobe = random.chance(30) ? 0xF0 : random.chance(50) ? 0xFF : 0x0F;
    const bool write = random.chance(80);
    decode(write, address, strobe, data);
    const bool page = address < kClients * 0x1000;
    const std::uint32_t word = write ? (strobe == 0xF0 ? 4 : 0) : address & 4;
    ASSERT_EQ(request_, request()
                            .set<r::write>(write)
                            .set<r::wide>(write && strobe == 0xFF)
                            .set<r::page>(page)
                            .set<r::client>(page ? address >> 12 : 0)
                            .set<r::address>((address & (page ? 0xff8U : 0xffff8U)) | word)
                            .set<r::data>(!write           ? 0
                                          : strobe == 0xFF ? data
                                          : strobe == 0xF0 ? data >> 32
                                                           : data & 0xFFFFFFFF))
        << std::hex << address;
  }
}

}  // namespace
}  // namespace torusmu::testing
