// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_access_errors.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr unsigned kClients = kProfile.clients;
constexpr std::uint64_t kEvery = (1ULL << kClients) - 1;  // a bit a client
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
  // As a read of node.register_errors would show it.
  std::uint64_t register_errors() {
    block_.settle();
    return block_->register_errors_o;
  }
  // What a write of node.error_clear names.
  void clear(std::uint64_t pages, bool privileged) {
    block_->clear_i = static_cast<IData>(pages | std::uint64_t{privileged} << 16);
    block_.tick();
    block_->clear_i = 0;
    block_.settle();
  }

  Random random_;
  Clocked<Vmu_access_errors> block_{random_.seed()};
  RegisterBus<Vmu_access_errors> bus_{block_};
};

TEST_F(AccessErrors, CarriesTheSignatureAndNoErrorAfterReset) {
  for (unsigned client = 0; client < kClients; ++client) EXPECT_EQ(page_status(client), kSignature);
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
  EXPECT_EQ(bits_of(block_->causes_o), causes_of_client(3, 1U << 5));
  EXPECT_TRUE(block_->busy_o);
  for (int i = 0; i < 4; ++i) {
    block_.tick();
    EXPECT_EQ(bits_of(block_->causes_o), 0U);
    EXPECT_FALSE(block_->busy_o);
  }
  refuse(false, 0, 0x20000, Status::kRegisterUnknown);
  EXPECT_EQ(bits_of(block_->causes_o), 0U) << "nobody is told of a privileged mistake";
}

TEST_F(AccessErrors, ClearsOnlyWhatIsNamed) {
  for (unsigned client = 0; client < kClients; ++client)
    refuse(true, client, 0, Status::kRegisterUnknown);
  refuse(false, 0, 0x30000, Status::kRegisterUnknown);
  clear(0b0101, false);
  EXPECT_EQ(page_status(0), kSignature);
  EXPECT_NE(page_status(1), kSignature);
  EXPECT_EQ(page_status(2), kSignature);
  EXPECT_NE(page_status(3), kSignature);
  EXPECT_NE(register_errors(), 0U);
  clear(0, true);
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

TEST_F(AccessErrors, KeepsEveryBitOfTheFirstAndCountsEach) {
  SCOPED_TRACE(random_.replay());
  struct Kept {
    unsigned status = 0, count = 0;
    std::uint32_t address = 0;
  };
  std::array<Kept, kClients + 1> kept{};  // the clients, and the privileged space
  for (int step = 0; step < 20000; ++step) {
    if (random_.chance(97)) {
      const bool page = random_.chance(70);
      const auto client =
          static_cast<unsigned>(random_.chance(80) ? random_.below(kClients) : random_.below(16));
      const auto status = static_cast<unsigned>(1 + random_.below(255));
      const auto address = static_cast<std::uint32_t>(random_.below(1U << 20));
      refuse(page, client, address, static_cast<Status>(status));
      ASSERT_EQ(bits_of(block_->causes_o),
                page && client < kClients ? causes_of_client(client, 0x20) : 0U);
      ASSERT_EQ(block_->busy_o, page && client < kClients);
      if (page && client >= kClients) continue;
      Kept& here = kept[page ? client : kClients];
      if (here.count++ == 0) here.status = status, here.address = address;
    } else if (random_.chance(10)) {
      block_.reset(1);
      kept = {};
    } else {
      const auto named = static_cast<unsigned>(random_.below(kEvery + 1));
      const bool all = random_.chance(30);
      clear(named, all);
      for (unsigned i = 0; i < kClients; ++i) {
        if ((named >> i & 1) != 0) kept[i] = {};
      }
      if (all) kept[kClients] = {};
    }
    if (!random_.chance(20)) continue;
    for (unsigned i = 0; i < kClients; ++i) {
      ASSERT_EQ(page_status(i), kSignature | std::uint64_t{kept[i].status} << 32 |
                                    std::uint64_t{kept[i].count} << 40)
          << "client " << i << " step " << step;
    }
    ASSERT_EQ(register_errors(), kept[kClients].status | std::uint64_t{kept[kClients].count} << 8 |
                                     std::uint64_t{kept[kClients].address} << 24);
  }
}

TEST_F(AccessErrors, AnswersReadsOfThePageStatusOfClientsThatExistAndNothingElse) {
  for (unsigned client = 0; client < kClients; ++client)
    refuse(true, client, 0, Status::kRegisterValue);
  for (unsigned bit = 3; bit < 20; ++bit) {
    ASSERT_EQ(bus_.status(page_read(1, kPageStatus ^ 1U << bit)), Status::kRegisterUnknown) << bit;
  }
  for (unsigned client = kClients; client < 16; ++client) {
    ASSERT_EQ(bus_.status(page_read(client, kPageStatus)), Status::kRegisterUnknown) << client;
  }
  ASSERT_EQ(bus_.status(page_write(1, kPageStatus, 0xF)), Status::kRegisterUnknown);
  ASSERT_EQ(bus_.status(register_read(kPageStatus)), Status::kRegisterUnknown);
  ASSERT_EQ(bus_.status(page_read(1, kPageStatus).set<layout::register_request::data>(~0ULL)),
            Status::kOk);
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(extract(page_status(client), client_page::page_status_field::errors), 1U);
  }
}

TEST_F(AccessErrors, CountsToTheTopAndKeepsTheFirstHoweverLong) {
  const auto status = static_cast<std::uint64_t>(Status::kPermission);
  for (std::uint32_t count = 1; count <= 65536; ++count) {
    const Status cause = count == 1 ? Status::kPermission : Status::kRegisterValue;
    for (unsigned client = 0; client < kClients; ++client) refuse(true, client, 0, cause);
    refuse(false, 0, count == 1 ? 0x54321 : 0xabcde, cause);
    if ((count & (count - 1)) != 0 && (count & (count + 1)) != 0) continue;
    const std::uint64_t most = std::min(count, 65535U);
    for (int later = 0; later < 2; ++later) {
      for (unsigned client = 0; client < kClients; ++client) {
        ASSERT_EQ(page_status(client), kSignature | status << 32 | most << 40);
      }
      ASSERT_EQ(register_errors(), status | most << 8 | 0x54321ULL << 24);
      block_.tick();  // so that the second reads are an odd number of cycles behind the first
    }
  }
}

TEST_F(AccessErrors, PulsesNothingAfterAReset) {
  for (unsigned client = 0; client < kClients; ++client) {
    refuse(true, client, 0, Status::kPermission);
    EXPECT_TRUE(block_->busy_o) << client;
    block_.reset(1);
    EXPECT_EQ(bits_of(block_->causes_o), 0U) << client;
    EXPECT_FALSE(block_->busy_o) << client;
  }
}

TEST_F(AccessErrors, IsBusyWhileItAnswers) {
  bus_.present(page_read(1, kPageStatus));
  bus_.tick();
  block_.settle();
  EXPECT_TRUE(block_->busy_o) << "it answers";
  while (!bus_.idle()) bus_.tick();
  EXPECT_FALSE(block_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
