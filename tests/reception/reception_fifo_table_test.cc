// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "Vmu_reception_fifo_table.h"
#include "Vmu_reception_fifo_table/Vmu_reception_fifo_table___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/reception_fifo_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

TORUSMU_WRITTEN_INSIDE(Vmu_reception_fifo_table)

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
namespace q = layout::register_request;
namespace f = registers::reception_fifo;

struct Place {
  Status status = Status::kOk;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool split = false;
  bool refusing = false;
};

constexpr std::uint32_t kFifos = kProfile.reception_fifos;

class ReceptionFifoTable : public ::testing::Test {
 protected:
  void make(std::uint32_t fifo, std::uint64_t base, std::uint32_t slots, std::uint64_t config) {
    EXPECT_EQ(write(f::base(fifo), base), Status::kOk);
    EXPECT_EQ(write(f::size(fifo), slots), Status::kOk);
    EXPECT_EQ(write(f::config(fifo), config), Status::kOk);
  }
  RegisterResponse access(const RegisterRequest& request) {
    begin(request);
    table.wait_for("a register answer", [&] { return table->register_done_o != 0; });
    const auto response = sample_record<RegisterResponse>(table->register_response_o);
    end();
    return response;
  }
  void begin(const RegisterRequest& request) {
    drive(table->register_request_i, request);
    table->register_valid_i = 1;
  }
  void end() {
    table.tick();
    table->register_valid_i = 0;
    table.settle();
    EXPECT_EQ(sample_record<RegisterResponse>(table->register_response_o), RegisterResponse{});
  }
  static RegisterRequest write_of(std::uint32_t address, std::uint64_t data) {
    return RegisterRequest{}
        .set<q::address>(address)
        .set<q::data>(data)
        .set<q::write>(1)
        .set<q::wide>(1);
  }
  Status write(std::uint32_t address, std::uint64_t data) {
    return access(write_of(address, data)).get<layout::register_response::status>();
  }
  std::uint64_t read(std::uint32_t address) {
    return access(RegisterRequest{}.set<q::address>(address))
        .get<layout::register_response::data>();
  }
  Status move_head(std::uint8_t client, std::uint32_t fifo, std::uint32_t head) {
    return access(RegisterRequest{}
                      .set<q::address>(registers::client_page::fifo_index.in_block(fifo))
                      .set<q::data>(head)
                      .set<q::write>(1)
                      .set<q::page>(1)
                      .set<q::client>(client))
        .get<layout::register_response::status>();
  }
  // Looks up, and reserves or refuses as asked for.
  Place lookup(std::uint32_t fifo, std::uint8_t slots, bool reply = false, bool act = true) {
    table->lookup_valid_i = 1;
    table->lookup_fifo_i = static_cast<std::uint8_t>(fifo);
    table->lookup_slots_i = slots;
    table->lookup_reply_i = reply;
    table.wait_for("a lookup to be taken", [&] { return table->lookup_ready_o != 0; });
    table.tick();
    table->lookup_valid_i = 0;
    table.tick();
    const Place place{static_cast<Status>(table->answer_status_o), table->answer_address_o,
                      table->answer_bytes_o, table->answer_split_o != 0,
                      table->answer_refusing_o != 0};
    table->reserve_i = act && place.status == Status::kOk;
    table->refuse_i = act && place.status == Status::kFifoFull;
    table.tick();
    table->reserve_i = 0;
    table->refuse_i = 0;
    table.settle();
    return place;
  }
  void publish(std::uint32_t fifo, std::uint8_t slots) {
    table->publish_valid_i = 1;
    table->publish_target_i = static_cast<std::uint8_t>(fifo);
    table->publish_slots_i = slots;
    table.wait_for("a publish to be taken", [&] { return table->publish_ready_o != 0; });
    table.tick();
    table->publish_valid_i = 0;
    table.tick();
    table.tick();
  }

  Clocked<Vmu_reception_fifo_table> table;
};

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
  table->lookup_on_behalf_i = 1;
  table->lookup_client_i = 2;
  EXPECT_EQ(lookup(2, 1).status, Status::kPermission);
  table->lookup_client_i = 3;
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
  table->lookup_valid_i = 1;  // nothing new is handed out meanwhile
  for (int i = 0; i < 6; ++i) {
    table.settle();
    EXPECT_FALSE(table->lookup_ready_o);
    table.tick();
  }
  table->lookup_valid_i = 0;
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

TEST_F(ReceptionFifoTable, LeavesRequestsToTheBootBufferUntilConfigIsWrittenAgain) {
  EXPECT_EQ(write(f::config(5), 8 | 3U << 4U), Status::kOk);
  EXPECT_EQ(read(f::config(5)), 8U | 3U << 4U);
  EXPECT_EQ(write(f::base(5), 0x1000), Status::kOk);
  EXPECT_EQ(write(f::size(5), 32), Status::kOk);
  EXPECT_EQ(write(f::threshold(5), 3), Status::kOk);
  table->boot_room_i = 1;
  EXPECT_EQ(lookup(5, 17).status, Status::kOk);
  EXPECT_EQ(lookup(5, 1, true).status, Status::kFifoInvalid);
  table->lookup_counted_i = 1;
  EXPECT_EQ(lookup(5, 1).status, Status::kFifoInvalid);
  table->lookup_counted_i = 0;
  table->boot_room_i = 0;
  const Place place = lookup(5, 17);
  EXPECT_EQ(place.status, Status::kFifoFull);
  EXPECT_TRUE(place.refusing);
  EXPECT_EQ(read(f::tail(5)), 0U);
  EXPECT_EQ(read(f::refused(5)), 0U);
  EXPECT_EQ(write(f::config(5), 1 | 3U << 4U), Status::kOk);
  EXPECT_EQ(lookup(5, 17).address, 0x1000U);
}

TEST_F(ReceptionFifoTable, TellsTheBootBuffersOfEveryLookupAndSwitchOnce) {
  unsigned switches = 0;
  begin(write_of(f::config(6), 8 | 2U << 4U));
  while (!table->register_done_o) {
    if (table->boot_switch_o) {
      ++switches;
      EXPECT_TRUE(table->boot_opens_o);
      EXPECT_FALSE(table->boot_drains_o);
      EXPECT_EQ(table->boot_client_o, 2U);
      EXPECT_EQ(table->boot_fifo_o, 6U);
    }
    ASSERT_FALSE(table->boot_lookup_o);
    table.tick();
  }
  end();
  EXPECT_EQ(switches, 1U);
  table->lookup_valid_i = 1;
  table->lookup_fifo_i = 6;
  table->lookup_slots_i = 9;
  table.tick();
  table->lookup_valid_i = 0;
  table.settle();
  EXPECT_TRUE(table->boot_lookup_o);
  EXPECT_EQ(table->boot_client_o, 2U);
  EXPECT_EQ(table->boot_slots_o, 9U);
  table.tick();
  EXPECT_TRUE(table->boot_lookup_o);  // of the answer
  table.tick();
  EXPECT_FALSE(table->boot_lookup_o);
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
    table->lookup_valid_i = random.chance(70);
    table->lookup_slots_i = static_cast<std::uint8_t>(slots);
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
    table->reserve_i = answer_due && table->answer_status_o == 0;
    if (answer_due) {
      ASSERT_EQ(table->answer_status_o == 0, reserved + asked - head <= 1024) << "cycle " << cycle;
      if (table->reserve_i) reserved += asked;
    }
    table.settle();
    const bool lookup_taken = table->lookup_valid_i && table->lookup_ready_o;
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
  table->lookup_valid_i = 0;
  table->publish_valid_i = 0;
  table->reserve_i = 0;
  if (register_open) {
    table.wait_for("the last register answer", [&] { return table->register_done_o != 0; });
    end();
  }
  table->register_valid_i = 0;
  table.tick();
  EXPECT_EQ(read(f::tail(0)), tail);
  EXPECT_GT(tail, 5000U);
}

// All sides at once, on FIFOs that may have been in use for long.
class ReceptionFifoTableAtRandom : public ReceptionFifoTable {
 protected:
  enum class Doing { kNothing, kLookup, kPublish, kRegister };
  // A row of the memory of configurations, or of pointers, that was written since reset.
  struct Row {
    ReceptionFifo fifo;
    bool has_configuration = false, has_pointers = false;
  };

  bool exists() const { return fifo_ < kFifos; }
  void make_old(unsigned fifo) {
    Row& row = rows_[fifo];
    if (!row.has_configuration || !row.has_pointers) return;
    row.fifo = ReceptionFifo::any(random_);
    drive(table->rootp->mu_reception_fifo_table__DOT__u_configurations__DOT__mem[fifo],
          row.fifo.configuration());
    drive(table->rootp->mu_reception_fifo_table__DOT__u_pointers__DOT__mem[fifo],
          row.fifo.pointers());
    settle_inside(table->rootp);
  }
  static std::uint32_t fifo_of(const RegisterRequest& request) {
    const auto address = static_cast<std::uint32_t>(request.get<q::address>());
    if (request.get<q::page>() != 0)
      return ((address - registers::client_page::fifo_index.in_block(0)) & 0xfffffU) / 4;
    return ((address - f::base(0)) & 0xfffffU) / 64;
  }
  void draw_request() {
    const auto at = static_cast<std::uint32_t>(random_.below(kFifos));
    request_ = rows_[at].fifo.draw(random_, at);
    if (random_.chance(15))
      request_.set<q::address>((request_.get<q::address>() + (1U << random_.below(20))) & 0xfffffU);
    if (random_.chance(5))
      request_.set<q::address>(request_.get<q::address>() ^ 1U << random_.below(20));
    if (random_.chance(3)) request_.set<q::page>(1 - request_.get<q::page>());
    drive(table->register_request_i, request_);
  }
  void drive_all() {
    table->boot_room_i = random_.chance(50);
    table->boot_elsewhere_i = random_.chance(20);
    if (!acts_) asked_.boot_room = table->boot_room_i;  // in the cycle of the sums
    if (!acts_) elsewhere_ = table->boot_elsewhere_i;
    const Status answer = exists() ? rows_[fifo_].fifo.answer(asked_) : Status::kFifoInvalid;
    const bool acts = acts_ && doing_ == Doing::kLookup && random_.chance(80);
    table->reserve_i = acts && answer == Status::kOk;
    table->refuse_i = acts && answer == Status::kFifoFull;
    table->lookup_valid_i = random_.chance(60);
    table->lookup_fifo_i =
        static_cast<std::uint8_t>(random_.chance(90) ? random_.below(kFifos) : random_.below(256));
    table->lookup_reply_i = random_.chance(30);
    table->lookup_slots_i = static_cast<std::uint8_t>(random_.below(18));
    // What the boot buffer answers is no business of the table.
    const bool boot = table->lookup_fifo_i < kFifos && rows_[table->lookup_fifo_i].fifo.boot;
    if (boot && !table->lookup_reply_i)
      table->lookup_slots_i = static_cast<std::uint8_t>(random_.below(256));
    table->lookup_counted_i = random_.chance(20);
    table->lookup_on_behalf_i = random_.chance(40);
    table->lookup_client_i =
        static_cast<std::uint8_t>(random_.below(random_.chance(80) ? kProfile.clients : 16));
    const auto target = static_cast<unsigned>(random_.below(kFifos));
    const std::uint32_t due = rows_[target].fifo.reserved - rows_[target].fifo.tail;
    table->publish_valid_i = doing_ == Doing::kNothing && due != 0 && random_.chance(30);
    table->publish_target_i =
        static_cast<std::uint8_t>(table->publish_valid_i ? target : random_.below(256));
    table->publish_slots_i =
        static_cast<std::uint8_t>(1 + random_.below(std::min<std::uint32_t>(due + !due, 255)));
    if (done_ || table->register_valid_i) return;
    table->register_valid_i = random_.chance(50);
    draw_request();
  }
  void compare() {
    const bool idle = doing_ == Doing::kNothing;
    ASSERT_EQ(table->busy_o, !idle || done_ || causes_.any());
    ASSERT_EQ(bits_of(table->causes_o), causes_);
    ASSERT_EQ(table->publish_ready_o, idle);
    const bool starts_register =
        idle && !table->publish_valid_i && table->register_valid_i && !done_;
    ASSERT_EQ(table->lookup_ready_o, idle && !table->publish_valid_i && !starts_register);
    ASSERT_EQ(table->register_done_o, done_);
    const auto response = sample_record<RegisterResponse>(table->register_response_o);
    ASSERT_EQ(response.get<layout::register_response::status>(),
              done_ ? access_.status : Status::kOk);
    ASSERT_EQ(response.get<layout::register_response::data>(), done_ ? access_.data : 0);
    const bool buffered =
        doing_ == Doing::kLookup && exists() && rows_[fifo_].fifo.in_boot_buffer(asked_);
    ASSERT_EQ(table->boot_lookup_o, buffered);
    if (buffered) {
      ASSERT_EQ(table->boot_client_o, rows_[fifo_].fifo.owner);
      ASSERT_EQ(table->boot_fifo_o, fifo_);
      ASSERT_EQ(table->boot_slots_o, asked_.slots);
    }
    if (acts_ && doing_ == Doing::kLookup) {
      ASSERT_NO_FATAL_FAILURE(compare_answer());
    }
  }
  void compare_answer() {
    if (!exists()) {
      ASSERT_EQ(static_cast<Status>(table->answer_status_o), Status::kFifoInvalid);
      return;
    }
    const ReceptionFifo& fifo = rows_[fifo_].fifo;
    const Status status = fifo.answer(asked_);
    ASSERT_EQ(static_cast<Status>(table->answer_status_o), status);
    ASSERT_EQ(table->answer_refusing_o, fifo.refusing || fifo.boot);
    ASSERT_EQ(table->answer_owner_o, fifo.owner);
    if (status != Status::kOk || fifo.boot) return;
    const FifoPlace place = fifo.place(asked_.slots);
    ASSERT_EQ(table->answer_address_o, place.address);
    ASSERT_EQ(table->answer_bytes_o, place.bytes);
    ASSERT_EQ(table->answer_split_o, place.second_bytes != 0);
    ASSERT_EQ(table->answer_second_bytes_o, place.second_bytes);
    ASSERT_EQ(table->answer_second_address_o, fifo.base);
  }
  // What the coming edge does to the row that is at work.
  void finish() {
    causes_.reset();
    done_ = false;
    access_ = {};
    if (!acts_) return;
    if (doing_ == Doing::kPublish) {
      ReceptionFifo& fifo = rows_[fifo_].fifo;
      const auto raise = [&](Cause cause) {
        causes_.set(8 * fifo.owner + static_cast<unsigned>(cause));
      };
      if (fifo.interrupt) raise(Cause::kArrived);
      if (fifo.publish(asked_.slots)) raise(Cause::kFifoThreshold);
      rows_[fifo_].has_pointers = true;
    } else if (doing_ == Doing::kLookup && exists() && !rows_[fifo_].fifo.boot) {
      if (table->reserve_i) rows_[fifo_].fifo.reserve(asked_.slots);
      if (table->refuse_i) rows_[fifo_].fifo.refuse(asked_.reply);
      if (table->reserve_i || table->refuse_i) rows_[fifo_].has_pointers = true;
    } else if (doing_ == Doing::kRegister) {
      access_ = {Status::kRegisterUnknown};
      if (exists()) access_ = rows_[fifo_].fifo.access(request_, elsewhere_);
      if (access_.wrote_configuration) rows_[fifo_].has_configuration = true;
      if (access_.wrote_pointers) rows_[fifo_].has_pointers = true;
      done_ = !access_.waits;
    }
  }
  void compare_switch() {
    ASSERT_EQ(table->boot_switch_o, access_.switches);
    if (!access_.switches) return;
    const std::uint64_t data = request_.get<q::data>();
    ASSERT_EQ(table->boot_opens_o, data >> 3U & 1U);
    ASSERT_EQ(table->boot_drains_o, (data & 3U) == 1);
    ASSERT_EQ(table->boot_client_o, data >> 4U & 0xfU);
    ASSERT_EQ(table->boot_fifo_o, fifo_);
  }
  void start(bool was_idle, bool was_done) {
    acts_ = !was_idle && !acts_;
    if (acts_) return;
    doing_ = Doing::kNothing;
    if (!was_idle) return;
    if (table->publish_valid_i) {
      doing_ = Doing::kPublish;
      fifo_ = table->publish_target_i;
      asked_.slots = table->publish_slots_i;
    } else if (table->register_valid_i && !was_done) {
      doing_ = Doing::kRegister;
      fifo_ = fifo_of(request_);
    } else if (table->lookup_valid_i) {
      doing_ = Doing::kLookup;
      fifo_ = table->lookup_fifo_i;
      asked_ = {.slots = table->lookup_slots_i,
                .reply = table->lookup_reply_i != 0,
                .counted = table->lookup_counted_i != 0,
                .on_behalf = table->lookup_on_behalf_i != 0,
                .client = table->lookup_client_i};
    }
  }
  void cycle() {
    drive_all();
    table.settle();
    ASSERT_NO_FATAL_FAILURE(compare());
    const bool was_idle = doing_ == Doing::kNothing;
    const bool was_done = done_;
    finish();
    ASSERT_NO_FATAL_FAILURE(compare_switch());
    start(was_idle, was_done);
    table.tick();
    if (was_done) table->register_valid_i = 0;
  }
  void forget() {
    table->reserve_i = table->refuse_i = table->publish_valid_i = 0;
    table.reset(1);
    table->register_valid_i = 0;
    rows_ = {};
    doing_ = Doing::kNothing;
    acts_ = false;
    done_ = false;
    causes_.reset();
    access_ = {};
  }

  Random random_;
  std::array<Row, kFifos> rows_;
  Doing doing_ = Doing::kNothing;
  bool acts_ = false;  // in its second cycle
  bool elsewhere_ = false;
  std::uint32_t fifo_ = 0;
  FifoLookup asked_;
  RegisterRequest request_;
  FifoAccess access_;
  bool done_ = false;
  PortBits causes_;
};

TEST_F(ReceptionFifoTableAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 60000; ++i) {
    if (random_.below(4000) == 0) forget();
    if (doing_ == Doing::kNothing && random_.chance(3))
      make_old(static_cast<unsigned>(random_.below(kFifos)));
    ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing
