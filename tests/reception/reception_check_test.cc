// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_reception_check.h"
#include "tests/support/reception_check_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace r = layout::region_entry;
using Case = ReceptionCase;

// What stands is looked up in a first cycle, and judged in a second.
void eval(Vmu_reception_check& check, const Case& given) {
  check.end_i = given.header.get<h::offset>() + given.header.get<h::bytes>();
  for (const int clock : {0, 1, 0}) {
    check.clk_i = static_cast<CData>(clock);
    check.eval();
  }
}

TEST(ReceptionCheck, GivesTheFirstReasonThatApplies) {
  Random random;
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  Vmu_reception_check check(&context);
  std::array<unsigned, 32> seen{};
  for (int i = 0; i < 300000; ++i) {
    Case given;
    const std::uint64_t length = random.below(2000);
    given.header.set<h::kind>(static_cast<Kind>(1 + random.below(6)))
        .set<h::bytes>(random.chance(30) ? 64 * random.below(9) : random.below(513))
        .set<h::offset>(random.chance(80) ? random.below(2000) : random.bits64() >> 27)
        .set<h::client>(random.below(4))
        .set<h::on_behalf>(random.below(2));
    given.trailer.set<t::counter_valid>(random.below(2)).set<t::event_valid>(random.below(2));
    given.region
        .set<r::base>(random.chance(80) ? random.bits64() >> 24
                                        : (1ULL << 40) - random.below(2000) - 1)
        .set<r::length>(random.chance(80) ? length : random.below((1ULL << 37) + 1))
        .set<r::enable>(random.chance(80) ? 1 : 0)
        .set<r::remote_write>(random.chance(60) ? 1 : 0)
        .set<r::owner>(random.below(4));
    given.region = in_memory(given.region);
    const auto owner = static_cast<std::uint8_t>(random.below(4));
    given.fifo_owner = owner;
    given.counter_enable = random.chance(80);
    given.event_enable = random.chance(80);
    given.counter_owner = random.chance(70) ? owner : static_cast<std::uint8_t>(random.below(4));
    given.event_owner = random.chance(70) ? owner : static_cast<std::uint8_t>(random.below(4));
    constexpr Status kFifoAnswers[] = {Status::kOk, Status::kFifoFull, Status::kFifoInvalid,
                                       Status::kPermission};
    given.fifo_status = kFifoAnswers[random.below(4)];
    check.valid_i = 1;
    drive(check.header_i, given.header);
    drive(check.trailer_i, given.trailer);
    drive(check.entry_i, given.region);
    check.counter_enable_i = given.counter_enable;
    check.counter_owner_i = given.counter_owner;
    check.event_enable_i = given.event_enable;
    check.event_owner_i = given.event_owner;
    check.fifo_status_i = static_cast<std::uint8_t>(given.fifo_status);
    check.fifo_owner_i = given.fifo_owner;
    eval(check, given);
    const Status status = given.status();
    ASSERT_EQ(check.status_o, static_cast<unsigned>(status));
    ++seen[static_cast<std::size_t>(status)];
    if (status == Status::kOk && given.header.get<h::kind>() == Kind::kPut) {
      ASSERT_EQ(check.address_o, given.address());
      ASSERT_EQ(check.owner_o, given.owner());
    }
  }
  for (const Status status : {Status::kOk, Status::kPacketKind, Status::kRegionInvalid,
                              Status::kPermission, Status::kRegionBounds, Status::kCounterInvalid,
                              Status::kFifoInvalid, Status::kFifoFull, Status::kOpcodeForbidden}) {
    EXPECT_GT(seen[static_cast<std::size_t>(status)], 300U) << name_of(status);
  }
}

TEST(ReceptionCheck, JudgesEveryKindOwnerAndStatus) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_reception_check check;
  for (int i = 0; i < 100000; ++i) {
    Case given;
    const auto kind = static_cast<Kind>(random.below(16));
    const auto one_of = [&random](std::uint64_t wanted, unsigned bits) {
      return random.chance(60) ? wanted : wanted ^ 1ULL << random.below(bits);
    };
    const bool reply = random.chance(30);
    const std::uint64_t bytes = random.chance(40)   ? 0
                                : random.chance(50) ? 64 * (1 + random.below(8))
                                                    : 1ULL << random.below(10);
    const std::uint64_t region_owner = random.below(16), fifo_owner = random.below(16);
    const std::uint64_t send_owner = random.below(16);
    const std::uint64_t owner = kind == Kind::kFifo   ? fifo_owner
                                : kind == Kind::kSend ? send_owner
                                                      : region_owner;
    given.header.set<h::kind>(kind).set<h::bytes>(bytes).set<h::reply>(reply);
    given.header.set<h::offset>(random.below(2000)).set<h::client>(one_of(region_owner, 4));
    given.header.set<h::on_behalf>(random.below(2));
    given.trailer.set<t::counter_valid>(random.below(2)).set<t::event_valid>(random.below(2));
    given.region.set<r::base>(random.bits64() >> 25).set<r::length>(random.below(4000));
    given.region.set<r::enable>(random.chance(80)).set<r::remote_write>(random.chance(60));
    given.region.set<r::owner>(region_owner);
    given.counter_enable = random.chance(80);
    given.event_enable = random.chance(80);
    given.counter_owner = static_cast<std::uint8_t>(one_of(owner, 4));
    given.event_owner = static_cast<std::uint8_t>(one_of(owner, 4));
    given.fifo_owner = static_cast<std::uint8_t>(fifo_owner);
    const std::uint64_t full = static_cast<std::uint64_t>(Status::kFifoFull);
    given.fifo_status = static_cast<Status>(random.chance(50) ? one_of(0, 8) : one_of(full, 8));
    given.send_status = static_cast<Status>(random.below(256));
    given.send_owner = static_cast<std::uint8_t>(send_owner);
    check.valid_i = random.chance(90);
    drive(check.header_i, given.header);
    drive(check.trailer_i, given.trailer);
    drive(check.entry_i, given.region);
    check.counter_enable_i = given.counter_enable;
    check.counter_owner_i = given.counter_owner;
    check.event_enable_i = given.event_enable;
    check.event_owner_i = given.event_owner;
    check.fifo_status_i = static_cast<CData>(given.fifo_status);
    check.fifo_owner_i = given.fifo_owner;
    check.send_status_i = static_cast<CData>(given.send_status);
    check.send_owner_i = given.send_owner;
    eval(check, given);
    const Status wanted = check.valid_i ? given.status() : Status::kOk;
    ASSERT_EQ(static_cast<Status>(check.status_o), wanted) << "kind " << static_cast<int>(kind);
    ASSERT_EQ(check.good_o, wanted == Status::kOk);
    ASSERT_EQ(check.full_o, kind == Kind::kFifo && wanted == Status::kFifoFull);
    if (check.valid_i) {
      ASSERT_EQ(check.owner_o, given.owner());
      ASSERT_EQ(check.counters_good_o, given.counters_good());
    }
    if (check.valid_i && wanted == Status::kOk && (kind == Kind::kPut || kind == Kind::kFence) &&
        !reply) {
      ASSERT_EQ(check.address_o, given.address());
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
