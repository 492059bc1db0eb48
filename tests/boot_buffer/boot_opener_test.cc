// SPDX-License-Identifier: Apache-2.0
// bgp:
// mu_boot_opener between the register bus and a FIFO table that takes its time: which registers of
// which FIFOs it writes, in which order, and when it answers.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "Vmu_boot_opener.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
namespace e = registers::boot::expected_field;
namespace f = registers::reception_fifo;
namespace fc = registers::reception_fifo::config_field;
namespace q = layout::register_request;
namespace r = layout::register_response;

constexpr std::uint32_t kFirst = kProfile.reception_fifos - kProfile.clients;
constexpr std::uint64_t kMemory = std::uint64_t{8} * kProfile.unit_memory_words;
constexpr std::uint64_t kBase = (std::uint64_t{1} << 40) - kMemory;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // addresses, data

std::uint64_t expected(std::uint64_t clients, std::uint64_t fifos, std::uint64_t slots) {
  return insert(insert(insert(0, e::clients, clients), e::fifos, fifos), e::slots, slots);
}

bool has_room(std::uint64_t value) {
  const std::uint64_t clients = extract(value, e::clients), fifos = extract(value, e::fifos);
  const std::uint64_t slots = extract(value, e::slots);
  if (value != expected(clients, fifos, slots) || clients >> kProfile.clients != 0) return false;
  if (slots != 0 && !std::has_single_bit(slots)) return false;
  const auto highest = static_cast<std::uint64_t>(std::bit_width(clients));
  return clients == 0 || (fifos != 0 && highest * fifos <= kFirst && slots >= 32 &&
                          highest * slots * 32 <= kMemory);
}

Writes writes_for(std::uint64_t value) {
  Writes writes;
  for (std::uint32_t client = 0; client < kProfile.clients; ++client) {
    if ((extract(value, e::clients) >> client & 1) == 0) continue;
    const std::uint32_t keeper = kFirst + client;
    const std::uint64_t owner = insert(0, fc::owner, client);
    writes.emplace_back(f::config(keeper), 0);
    writes.emplace_back(f::base(keeper), kBase + client * extract(value, e::slots) * 32);
    writes.emplace_back(f::size(keeper), extract(value, e::slots));
    writes.emplace_back(f::config(keeper), insert(insert(owner, fc::enable, 1), fc::keeps, 1));
    const auto fifos = static_cast<std::uint32_t>(extract(value, e::fifos));
    for (std::uint32_t i = 0; i < fifos; ++i) {
      writes.emplace_back(f::config(client * fifos + i),
                          insert(insert(owner, fc::boot, 1), fc::keeper, keeper));
    }
  }
  return writes;
}

class BootOpener : public ::testing::Test {
 protected:
  RegisterResponse access(const RegisterRequest& request) {
    written_.clear();
    drive(opener_->register_request_i, request);
    opener_->register_valid_i = 1;
    EXPECT_FALSE(opener_->fifo_valid_o);
    std::optional<RegisterRequest> stands;  // what is asked of the table and not done
    while (!opener_->register_done_o) {
      const auto asked = sample_record<RegisterRequest>(opener_->fifo_request_o);
      if (stands) {
        EXPECT_EQ(asked, *stands);
      }
      opener_->fifo_done_i = opener_->fifo_valid_o && random_.chance(30);
      stands.reset();
      if (opener_->fifo_done_i) {
        note(asked);
      } else if (opener_->fifo_valid_o) {
        stands = asked;
      } else {
        EXPECT_EQ(asked, RegisterRequest{});
      }
      opener_.tick();
      opener_->fifo_done_i = 0;
      opener_.settle();
      EXPECT_TRUE(opener_->busy_o);
    }
    EXPECT_FALSE(opener_->fifo_valid_o);
    const auto response = sample_record<RegisterResponse>(opener_->register_response_o);
    if (response.get<r::status>() != Status::kOk) {
      EXPECT_EQ(response.get<r::data>(), 0U);
    }
    opener_.tick();
    opener_->register_valid_i = 0;
    opener_.tick();
    EXPECT_FALSE(opener_->busy_o);
    EXPECT_EQ(sample_record<RegisterResponse>(opener_->register_response_o), RegisterResponse{});
    return response;
  }
  void note(const RegisterRequest& request) {
    written_.emplace_back(request.get<q::address>(), request.get<q::data>());
    EXPECT_EQ(request, RegisterRequest{}
                           .set<q::address>(request.get<q::address>())
                           .set<q::data>(request.get<q::data>())
                           .set<q::write>(1)
                           .set<q::wide>(1));
  }
  RegisterResponse write(std::uint64_t value) {
    return access(RegisterRequest{}
                      .set<q::address>(registers::boot::expected())
                      .set<q::data>(value)
                      .set<q::write>(1)
                      .set<q::wide>(1));
  }
  std::uint64_t read() {
    const auto response = access(RegisterRequest{}
                                     .set<q::address>(registers::boot::expected())
                                     .set<q::data>(random_.bits64()));
    EXPECT_EQ(response.get<r::status>(), Status::kOk);
    return response.get<r::data>();
  }

  Random random_;
  Clocked<Vmu_boot_opener> opener_;
  Writes written_;
};

TEST_F(BootOpener, ExpectsNobodyAfterReset) { EXPECT_EQ(read(), 0U); }

TEST_F(BootOpener, SetsUpABufferAndTheFifosOfEachClientThatIsNamed) {
  SCOPED_TRACE(random_.replay());
  std::uint64_t value = 0;
  unsigned opened = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t most = kMemory / 32;
    std::uint64_t next =
        expected(random_.below(1ULL << kProfile.clients), random_.below(kFirst + 2),
                 random_.chance(80) ? 32ULL << random_.below(6) : random_.below(2 * most));
    if (random_.chance(60)) next = insert(next, e::fifos, 1 + random_.below(3));
    if (random_.chance(40))
      next = insert(next, e::clients, 1ULL << random_.below(kProfile.clients));
    // Who expects nobody may name any number of FIFOs and slots.
    if (random_.chance(10))
      next =
          expected(0, random_.below(1ULL << e::fifos.width), 1ULL << random_.below(e::slots.width));
    if (random_.chance(5)) next ^= 1ULL << random_.below(64);
    const bool good = has_room(next);
    EXPECT_EQ(write(next).get<r::status>(), good ? Status::kOk : Status::kRegisterValue)
        << std::hex << next;
    ASSERT_EQ(written_, good ? writes_for(next) : Writes{}) << std::hex << next;
    if (good) value = next;
    ++(good ? opened : refused);
    ASSERT_EQ(read(), value);
    ASSERT_TRUE(written_.empty());
  }
  EXPECT_GT(opened, 300U);
  EXPECT_GT(refused, 300U);
}

TEST_F(BootOpener, TakesAllTheRoomThereIsAndNotMore) {
  const std::uint64_t slots = kMemory / 32;
  EXPECT_EQ(write(expected(1, kFirst, slots)).get<r::status>(), Status::kOk);
  EXPECT_EQ(write(expected(1, kFirst + 1, slots)).get<r::status>(), Status::kRegisterValue);
  EXPECT_EQ(write(expected(1, 1, 2 * slots)).get<r::status>(), Status::kRegisterValue);
  const std::uint64_t all = (1ULL << kProfile.clients) - 1, each = slots / kProfile.clients;
  EXPECT_EQ(write(expected(all, kFirst / kProfile.clients, each)).get<r::status>(), Status::kOk);
  EXPECT_EQ(write(expected(all, 1, 2 * each)).get<r::status>(), Status::kRegisterValue);
  EXPECT_EQ(write(expected(all, kFirst / kProfile.clients + 1, each)).get<r::status>(),
            Status::kRegisterValue);
}

TEST_F(BootOpener, HasNoOtherRegister) {
  for (const std::uint32_t offset : {8U, 0x10U, 0x1000U}) {
    const auto response =
        access(RegisterRequest{}.set<q::address>(registers::boot::expected() + offset));
    EXPECT_EQ(response.get<r::status>(), Status::kRegisterUnknown);
  }
  const auto narrow =
      access(RegisterRequest{}.set<q::address>(registers::boot::expected()).set<q::write>(1));
  EXPECT_EQ(narrow.get<r::status>(), Status::kRegisterPartial);
}

}  // namespace
}  // namespace torusmu::testing
