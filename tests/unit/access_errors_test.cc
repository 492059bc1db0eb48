// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_access_errors.h"
#include "tests/support/clocked.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kPageStatus = client_page::page_status.in_block();

class AccessErrors : public ::testing::Test {
 protected:
  void refuse(bool page, unsigned client, std::uint32_t address, Status status) {
    block_->refused_valid_i = 1;
    block_->refused_page_i = page;
    block_->refused_client_i = static_cast<std::uint8_t>(client);
    block_->refused_address_i = address;
    block_->refused_status_i = static_cast<std::uint8_t>(status);
    block_.tick();
    block_->refused_valid_i = 0;
    block_.settle();
  }
  std::uint64_t page_status(unsigned client) { return bus_.read(page_read(client, kPageStatus)); }
  std::uint64_t register_errors() { return bus_.read(register_read(node::register_errors())); }

  Random random_;
  Clocked<Vmu_access_errors> block_{random_.seed()};
  RegisterBus<Vmu_access_errors> bus_{block_};
};

TEST_F(AccessErrors, CarriesTheSignatureAndNoErrorAfterReset) {
  for (unsigned client = 0; client < 4; ++client) EXPECT_EQ(page_status(client), kSignature);
  EXPECT_EQ(register_errors(), 0U);
}

TEST_F(AccessErrors, KeepsTheFirstStatusOfAPageAndCountsAll) {
  refuse(true, 2, 0x10, Status::kDoorbellRange);
  refuse(true, 2, 0x14, Status::kRegisterPartial);
  const std::uint64_t status = page_status(2);
  EXPECT_EQ(extract(status, client_page::page_status_field::signature), kSignature);
  EXPECT_EQ(static_cast<Status>(extract(status, client_page::page_status_field::status)),
            Status::kDoorbellRange);
  EXPECT_EQ(extract(status, client_page::page_status_field::errors), 2U);
  EXPECT_EQ(page_status(1), kSignature);
  EXPECT_EQ(register_errors(), 0U);
}

TEST_F(AccessErrors, KeepsStatusAndAddressOfTheFirstBadPrivilegedAccess) {
  refuse(false, 0, 0x3abcc, Status::kRegisterValue);
  refuse(false, 0, 0xfffff, Status::kRegisterUnknown);
  const std::uint64_t errors = register_errors();
  EXPECT_EQ(static_cast<Status>(extract(errors, node::register_errors_field::status)),
            Status::kRegisterValue);
  EXPECT_EQ(extract(errors, node::register_errors_field::count), 2U);
  EXPECT_EQ(extract(errors, node::register_errors_field::address), 0x3abccU);
  EXPECT_EQ(page_status(0), kSignature);
}

TEST_F(AccessErrors, PulsesErrorOfTheClientWhosePageWasMisused) {
  refuse(true, 3, 0x10, Status::kDoorbellOwner);
  EXPECT_EQ(block_->causes_o, 1U << (3 * 8 + 5));
  EXPECT_TRUE(block_->busy_o);
  block_.tick();
  EXPECT_EQ(block_->causes_o, 0U);
  EXPECT_FALSE(block_->busy_o);
  refuse(false, 0, 0x20000, Status::kRegisterUnknown);
  EXPECT_EQ(block_->causes_o, 0U) << "nobody is told of a privileged mistake";
}

TEST_F(AccessErrors, ClearsOnlyWhatIsNamed) {
  for (unsigned client = 0; client < 4; ++client) refuse(true, client, 0, Status::kRegisterUnknown);
  refuse(false, 0, 0x30000, Status::kRegisterUnknown);
  ASSERT_EQ(bus_.status(register_write(node::error_clear(), 0b0101)), Status::kOk);
  EXPECT_EQ(page_status(0), kSignature);
  EXPECT_NE(page_status(1), kSignature);
  EXPECT_EQ(page_status(2), kSignature);
  EXPECT_NE(page_status(3), kSignature);
  EXPECT_NE(register_errors(), 0U);
  ASSERT_EQ(bus_.status(register_write(node::error_clear(), 1ULL << 63)), Status::kOk);
  EXPECT_EQ(register_errors(), 0U);
  EXPECT_NE(page_status(1), kSignature);
  refuse(true, 0, 0, Status::kRegisterValue);
  EXPECT_EQ(static_cast<Status>(extract(page_status(0), client_page::page_status_field::status)),
            Status::kRegisterValue)
      << "after a clear the next one is the first";
}

TEST_F(AccessErrors, StopsCountingAtTheTop) {
  for (int i = 0; i < 65537; ++i) {
    refuse(true, 1, 0, Status::kRegisterUnknown);
    refuse(false, 1, 0x20000, Status::kRegisterUnknown);
  }
  EXPECT_EQ(extract(page_status(1), client_page::page_status_field::errors), 65535U);
  EXPECT_EQ(extract(register_errors(), node::register_errors_field::count), 65535U);
}

TEST_F(AccessErrors, RefusesWhatIsNotARegisterAndChangesNothing) {
  refuse(true, 1, 0, Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_write(1, kPageStatus, 0)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(node::register_errors(), 0)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(node::error_clear())), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(node::error_clear(), 2, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(register_write(node::error_clear(), 0x10)), Status::kRegisterValue)
      << "client 4 of 4";
  EXPECT_EQ(bus_.status(register_write(node::error_clear(), 1ULL << 62)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_read(node::error_clear() + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_read(4, kPageStatus)), Status::kRegisterUnknown);
  EXPECT_EQ(extract(page_status(1), client_page::page_status_field::errors), 1U);
}

}  // namespace
}  // namespace torusmu::testing
