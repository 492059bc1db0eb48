// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_table, asked one thing after the other.
#ifndef TESTS_SUPPORT_RECEPTION_FIFO_TABLE_BENCH_H_
#define TESTS_SUPPORT_RECEPTION_FIFO_TABLE_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_reception_fifo_table.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/reception_fifo_model.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
using FifoLookupRecord = Record<layout::fifo_lookup::Layout>;
using FifoAnswer = Record<layout::fifo_answer::Layout>;
using Outcome = Record<layout::ring_outcome::Layout>;
using BootStep = Record<layout::boot_step::Layout>;
using BootHeld = Record<layout::boot_held::Layout>;
namespace an = layout::fifo_answer;
namespace he = layout::boot_held;
namespace lo = layout::fifo_lookup;
namespace ou = layout::ring_outcome;
namespace st = layout::boot_step;
namespace q = layout::register_request;
namespace f = registers::reception_fifo;

struct Place {
  Status status = Status::kOk;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool split = false;
  bool refusing = false;
  std::uint64_t fifo = 0;  // whose slots they are
  bool kept = false;
};

inline constexpr std::uint32_t kFifos = kProfile.reception_fifos;

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
    asks.slots = slots;
    asks.reply = reply;
    drive(table->lookup_i, asks.record(fifo).set<lo::valid>(1));
    table.wait_for("a lookup to be taken", [&] { return table->lookup_ready_o != 0; });
    table.tick();
    drive(table->lookup_i, FifoLookupRecord{});
    table.tick();
    if (answer().get<an::redirect>() != 0) {
      table.tick();
      table.tick();
    }
    const FifoAnswer found = answer();
    const Place place{found.get<an::status>(),        found.get<an::address>(),
                      found.get<an::bytes>(),         found.get<an::split>() != 0,
                      found.get<an::refusing>() != 0, found.get<an::fifo>(),
                      found.get<an::kept>() != 0};
    decide(act && place.status == Status::kOk, act && place.status == Status::kFifoFull);
    table.tick();
    decide(false, false);
    table.settle();
    return place;
  }
  FifoAnswer answer() { return sample_record<FifoAnswer>(table->answer_o); }
  void decide(bool reserve, bool refuse) {
    drive(table->outcome_i, Outcome{}.set<ou::reserve>(reserve).set<ou::refuse>(refuse));
  }
  // What the boot drain asks for, and what it is told.
  BootHeld step(std::uint32_t fifo, unsigned slots = 0, bool discard = false) {
    drive(table->boot_step_i, BootStep{}
                                  .set<st::fifo>(fifo)
                                  .set<st::slots>(slots)
                                  .set<st::discard>(discard)
                                  .set<st::valid>(1));
    table.wait_for("a step to be taken", [&] { return held().get<he::ready>() != 0; });
    table.tick();
    drive(table->boot_step_i, BootStep{});
    table.tick();
    const BootHeld told = held();
    EXPECT_EQ(told.get<he::valid>(), 1U);
    table.tick();
    return told;
  }
  BootHeld held() { return sample_record<BootHeld>(table->boot_held_o); }
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
  FifoLookup asks;  // of the next lookup, but for slots and reply
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_FIFO_TABLE_BENCH_H_
