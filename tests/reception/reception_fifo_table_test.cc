// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/support/port_bits.h"
#include "tests/support/reception_fifo_table_bench.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST_F(ReceptionFifoTable, ReadsAsZeroAfterReset) {
  for (std::uint32_t fifo = 0; fifo < kFifos; ++fifo) {
    for (std::uint32_t offset = 0; offset < 0x38; offset += 8) {
      EXPECT_EQ(read(f::base(fifo) + offset), 0U);
    }
  }
  EXPECT_EQ(lookup(0, 1).status, Status::kFifoInvalid);
}

TEST_F(ReceptionFifoTable, HandsOutSlotsSideBySideAndCutsThemAtTheEnd) {
  make(5, 0x1000, 32, 1);
  EXPECT_EQ(lookup(5, 17).address, 0x1000U);
  publish(5, 17);
  EXPECT_EQ(move_head(0, 5, 17), Status::kOk);
  const Place place = lookup(5, 17);
  EXPECT_EQ(place.address, 0x1000U + 17 * 32);
  EXPECT_EQ(place.bytes, 15U * 32);
  EXPECT_TRUE(place.split);
  publish(5, 17);
  EXPECT_EQ(read(f::tail(5)), 34U);
  EXPECT_EQ(move_head(0, 5, 34), Status::kOk);
  EXPECT_EQ(lookup(5, 1).address, 0x1000U + 2 * 32);
}

TEST_F(ReceptionFifoTable, LeavesARowAloneWhenNobodyReservesOrRefuses) {
  make(1, 0, 32, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(lookup(1, 17, false, false).status, Status::kOk);
  EXPECT_EQ(lookup(1, 17).status, Status::kOk);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(lookup(1, 17, false, false).refusing);
  EXPECT_EQ(read(f::refused(1)), 0U);
}

TEST_F(ReceptionFifoTable, RefusesRequestsUntilAQuarterIsRead) {
  make(1, 0, 32, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(lookup(1, 8).status, Status::kOk);
  publish(1, 32);
  EXPECT_EQ(lookup(1, 1).status, Status::kFifoFull);
  EXPECT_EQ(move_head(0, 1, 7), Status::kOk);
  EXPECT_EQ(lookup(1, 1).status, Status::kFifoFull);
  EXPECT_EQ(lookup(1, 1, true).status, Status::kOk);  // replies have their room
  EXPECT_EQ(move_head(0, 1, 8), Status::kOk);
  EXPECT_EQ(lookup(1, 1).status, Status::kOk);
  EXPECT_EQ(read(f::refused(1)), 2U);
}

TEST_F(ReceptionFifoTable, TakesRepliesOnlyWhereAskedTo) {
  make(2, 0, 32, 3);
  EXPECT_EQ(lookup(2, 1).status, Status::kFifoInvalid);
  EXPECT_EQ(lookup(2, 1, true).status, Status::kOk);
}

TEST_F(ReceptionFifoTable, LetsOnlyTheOwnerBeServedOnBehalf) {
  make(2, 0, 32, 1 | 3U << 4U);
  asks.on_behalf = true;
  asks.client = 2;
  EXPECT_EQ(lookup(2, 1).status, Status::kPermission);
  asks.client = 3;
  EXPECT_EQ(lookup(2, 1).status, Status::kOk);
}

TEST_F(ReceptionFifoTable, KeepsTheHeadBetweenItsOldPlaceAndTheTail) {
  make(3, 0, 32, 1 | 2U << 4U);
  lookup(3, 5);
  EXPECT_EQ(move_head(2, 3, 1), Status::kDoorbellRange);  // reserved is not published
  publish(3, 5);
  EXPECT_EQ(move_head(2, 3, 6), Status::kDoorbellRange);
  EXPECT_EQ(move_head(1, 3, 2), Status::kFifoInvalid);
  EXPECT_EQ(move_head(2, 3, 3), Status::kOk);
  EXPECT_EQ(move_head(2, 3, 2), Status::kDoorbellRange);
  EXPECT_EQ(read(f::head(3)), 3U);
  EXPECT_EQ(move_head(2, kFifos, 0), Status::kRegisterUnknown);
}

TEST_F(ReceptionFifoTable, ResetsAFifoOnlyOnceEverythingReservedIsPublished) {
  make(4, 0x40, 32, 1);
  lookup(4, 7);
  begin(write_of(f::config(4), 1));
  for (int i = 0; i < 50; ++i) {
    table.tick();
    ASSERT_FALSE(table->register_done_o);
  }
  // Nothing new is handed out meanwhile.
  drive(table->lookup_i, FifoLookupRecord{}.set<lo::valid>(1));
  for (int i = 0; i < 6; ++i) {
    table.settle();
    EXPECT_FALSE(table->lookup_ready_o);
    table.tick();
  }
  drive(table->lookup_i, FifoLookupRecord{});
  publish(4, 7);
  table.wait_for("the config write", [&] { return table->register_done_o != 0; });
  end();
  EXPECT_EQ(read(f::tail(4)), 0U);
  EXPECT_EQ(lookup(4, 1).address, 0x40U);
}

TEST_F(ReceptionFifoTable, PulsesTheOwnersCausesAtThePublish) {
  make(6, 0, 32, 1 | 4U | 2U << 4U);
  EXPECT_EQ(write(f::threshold(6), 4), Status::kOk);
  lookup(6, 4);
  lookup(6, 1);
  publish(6, 4);
  EXPECT_EQ(bits_of(table->causes_o), bit(2 * 8 + static_cast<unsigned>(Cause::kArrived)));
  publish(6, 1);
  EXPECT_EQ(bits_of(table->causes_o),
            causes_of_client(2, 1U << static_cast<unsigned>(Cause::kArrived) |
                                    1U << static_cast<unsigned>(Cause::kFifoThreshold)));
  table.tick();
  EXPECT_EQ(bits_of(table->causes_o), 0U);
  EXPECT_FALSE(table->busy_o);
}

TEST_F(ReceptionFifoTable, KeepsBaseAndSizeWhileEnabledAndChecksThem) {
  make(7, 0x40, 32, 1);
  EXPECT_EQ(write(f::base(7), 0), Status::kRegisterValue);
  EXPECT_EQ(write(f::size(7), 64), Status::kRegisterValue);
  EXPECT_EQ(write(f::config(7), 0), Status::kOk);
  EXPECT_EQ(write(f::size(7), 16), Status::kRegisterValue);
  EXPECT_EQ(write(f::size(7), 1U << 25), Status::kRegisterValue);
  EXPECT_EQ(write(f::base(7), (1ULL << 40) - 32 * 32 + 1), Status::kOk);
  EXPECT_EQ(write(f::config(7), 1),
            Status::kRegisterValue);  // the ring would pass the end of memory
  EXPECT_EQ(write(f::base(7), (1ULL << 40) - 32 * 32), Status::kOk);
  EXPECT_EQ(write(f::config(7), 1), Status::kOk);
  EXPECT_EQ(write(f::head(7), 0), Status::kRegisterUnknown);
  EXPECT_EQ(write(f::base(7) + 0x38, 0), Status::kRegisterUnknown);
  EXPECT_EQ(write(f::kBase + kFifos * f::kStride, 0), Status::kRegisterUnknown);
}

// --- boot buffers: FIFO 3 keeps for FIFO 5, both of client 2
// ---------------------------------------

constexpr std::uint64_t kOwned = 2U << 4U;
constexpr std::uint64_t kKeeps = 0x101 | kOwned, kBoots = 8 | kOwned | 3U << 16U;

TEST_F(ReceptionFifoTable, KeepsRequestsInTheBootBufferUntilConfigIsWrittenAgain) {
  make(3, 0x8000, 64, kKeeps);
  make(5, 0x1000, 32, kBoots);
  EXPECT_EQ(read(f::config(5)), kBoots);
  const Place place = lookup(5, 17);
  EXPECT_EQ(place.status, Status::kOk);
  EXPECT_EQ(place.address, 0x8000U);
  EXPECT_EQ(place.fifo, 3U);
  EXPECT_TRUE(place.kept);
  EXPECT_EQ(lookup(5, 1, true).status, Status::kFifoInvalid);
  asks.counted = true;
  EXPECT_EQ(lookup(5, 1).status, Status::kFifoInvalid);
  asks.counted = false;
  publish(3, 17);
  EXPECT_EQ(read(f::tail(3)), 17U);
  EXPECT_EQ(read(f::tail(5)), 0U);
  EXPECT_EQ(lookup(3, 1).status, Status::kFifoInvalid) << "not for it directly";
  EXPECT_EQ(write(f::config(5), 1 | kOwned), Status::kOk);
  const Place later = lookup(5, 17);
  EXPECT_EQ(later.address, 0x1000U);
  EXPECT_EQ(later.fifo, 5U);
  EXPECT_FALSE(later.kept);
  EXPECT_EQ(bits_of(table->draining_o), 0U);
}

TEST_F(ReceptionFifoTable, IsNotConfiguredWhileSomethingIsOnItsWayIntoItsBootBuffer) {
  make(3, 0x8000, 64, kKeeps);
  make(5, 0x1000, 32, kBoots);
  lookup(5, 3);
  begin(write_of(f::config(5), 1 | kOwned));
  for (int i = 0; i < 20; ++i) {
    table.tick();
    ASSERT_FALSE(table->register_done_o);
  }
  publish(3, 3);
  table.wait_for("the config write", [&] { return table->register_done_o != 0; });
  end();
}

TEST_F(ReceptionFifoTable, KeepsWhatComesBehindWhileTheBootBufferIsMoved) {
  make(3, 0x8000, 64, kKeeps);
  make(5, 0x1000, 32, kBoots);
  lookup(5, 4);
  publish(3, 4);
  EXPECT_EQ(write(f::config(5), kBoots | 1), Status::kOk);
  EXPECT_EQ(bits_of(table->draining_o), bit(3));
  EXPECT_EQ(lookup(5, 2).fifo, 3U);
  publish(3, 2);
  EXPECT_EQ(move_head(2, 3, 1), Status::kDoorbellRange) << "it is the MU's";
  asks.moved = true;
  asks.keeper_owner = 2;
  EXPECT_EQ(lookup(5, 4).address, 0x1000U);
  asks.keeper_owner = 1;
  EXPECT_EQ(lookup(5, 4).status, Status::kFifoInvalid);
  asks.moved = false;
  EXPECT_EQ(step(3).get<he::slots>(), 6U);
  step(3, 4);
  EXPECT_EQ(step(3).get<he::address>(), 0x8000U + 4 * 32);
  step(3, 0, true);
  EXPECT_EQ(bits_of(table->draining_o), bit(3)) << "nobody has asked whether it is empty";
  EXPECT_TRUE(step(3).get<he::empty>());
  EXPECT_EQ(bits_of(table->draining_o), 0U);
  EXPECT_EQ(lookup(5, 2).fifo, 5U);
}

TEST_F(ReceptionFifoTable, MovesNothingOutOfAFifoThatKeepsNothing) {
  make(3, 0x8000, 64, 1 | kOwned);
  lookup(3, 4);
  publish(3, 4);
  make(5, 0x1000, 32, kBoots | 1);
  EXPECT_EQ(bits_of(table->draining_o), bit(3));
  EXPECT_EQ(lookup(5, 2).status, Status::kFifoInvalid);
  EXPECT_TRUE(step(3).get<he::empty>());
  EXPECT_EQ(bits_of(table->draining_o), 0U);
  EXPECT_EQ(read(f::head(3)), 0U);
}

TEST_F(ReceptionFifoTable, TellsTheBootDrainOfRoomAndOfConfigs) {
  make(3, 0x8000, 64, kKeeps);
  const auto told = [&](const RegisterRequest& request) {
    BootHeld seen;
    begin(request);
    while (!table->register_done_o) {
      if (held().get<he::room>() != 0) seen = held();
      table.tick();
    }
    end();
    return seen;
  };
  const BootHeld config = told(write_of(f::config(3), kKeeps));
  EXPECT_EQ(config.get<he::configured>(), 1U);
  EXPECT_EQ(config.get<he::fifo>(), 3U);
  EXPECT_EQ(told(write_of(f::threshold(3), 9)).get<he::room>(), 0U);
  const BootHeld head = told(RegisterRequest{}
                                 .set<q::address>(registers::client_page::fifo_index.in_block(3))
                                 .set<q::write>(1)
                                 .set<q::page>(1)
                                 .set<q::client>(2));
  EXPECT_EQ(head.get<he::room>(), 1U);
  EXPECT_EQ(head.get<he::configured>(), 0U);
}

TEST_F(ReceptionFifoTable, LosesNothingWhenAllSidesComeAtOnce) {
  Random random;
  SCOPED_TRACE(random.replay());
  make(0, 0, 1024, 1);
  std::uint32_t reserved = 0;
  std::uint32_t tail = 0;
  std::uint32_t head = 0;
  bool looks = false;       // the row is read
  bool answer_due = false;  // in this cycle
  std::uint32_t asked = 0;  // slots of the lookup that is answered
  std::uint32_t register_head = 0;
  bool register_open = false;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const std::uint32_t slots = 1 + static_cast<std::uint32_t>(random.below(17));
    const bool asked_for = random.chance(70);
    drive(table->lookup_i, FifoLookup{.slots = slots}.record().set<lo::valid>(asked_for));
    table->publish_valid_i = reserved != tail && random.chance(50);
    table->publish_slots_i =
        static_cast<std::uint8_t>(std::min<std::uint32_t>(reserved - tail, slots));
    if (!register_open && random.chance(30)) {
      register_open = true;
      register_head = head + static_cast<std::uint32_t>(random.below(tail - head + 1));
      begin(RegisterRequest{}
                .set<q::address>(registers::client_page::fifo_index.in_block(0))
                .set<q::data>(register_head)
                .set<q::write>(1)
                .set<q::page>(1));
    }
    table.settle();
    const bool fits = answer().get<an::status>() == Status::kOk;
    decide(answer_due && fits, false);
    if (answer_due) {
      ASSERT_EQ(fits, reserved + asked - head <= 1024) << "cycle " << cycle;
      if (fits) reserved += asked;
    }
    table.settle();
    const bool lookup_taken = asked_for && table->lookup_ready_o;
    if (lookup_taken) asked = slots;
    if (table->publish_valid_i && table->publish_ready_o) tail += table->publish_slots_i;
    const bool register_done = table->register_done_o != 0;
    if (register_done) register_open = false;
    table.tick();
    // A register write counts from the cycle before its answer on: no lookup is between the two.
    if (register_open && table->register_done_o) head = register_head;
    if (register_done) table->register_valid_i = 0;
    answer_due = looks;
    looks = lookup_taken;
  }
  drive(table->lookup_i, FifoLookupRecord{});
  table->publish_valid_i = 0;
  decide(false, false);
  if (register_open) {
    table.wait_for("the last register answer", [&] { return table->register_done_o != 0; });
    end();
  }
  table->register_valid_i = 0;
  table.tick();
  EXPECT_EQ(read(f::tail(0)), tail);
  EXPECT_GT(tail, 5000U);
}

}  // namespace
}  // namespace torusmu::testing
