// SPDX-License-Identifier: Apache-2.0
// bgp:
// model: Vmu_reception_fifo_table mu_reception_fifo_table
// All sides of mu_reception_fifo_table at once, judged in each cycle by the contract.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_reception_fifo_table/Vmu_reception_fifo_table___024root.h"
#include "tests/support/port_bits.h"
#include "tests/support/reception_fifo_table_bench.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_reception_fifo_table)

namespace torusmu::testing {
namespace {

// All sides at once, on FIFOs that may have been in use for long.
class ReceptionFifoTableAtRandom : public ReceptionFifoTable {
 protected:
  static constexpr std::size_t kMostOnTheirWay = 31;  // into boot buffers
  enum class Doing { kNothing, kLookup, kPublish, kRegister, kStep };
  // A row of the memory of configurations, or of pointers, that was written since reset.
  struct Row {
    ReceptionFifo fifo;
    bool has_configuration = false, has_pointers = false;
    std::deque<unsigned> on_their_way;  // slots of each packet into a boot buffer
  };

  bool exists() const { return fifo_ < kFifos; }
  void make_old(unsigned fifo) {
    Row& row = rows_[fifo];
    if (!row.has_configuration || !row.has_pointers) return;
    if (!row.on_their_way.empty()) return;
    row.fifo = ReceptionFifo::any(random_);
    if (row.fifo.keeps) row.fifo.tail = row.fifo.reserved;
    if (random_.chance(60)) find_keeper(row.fifo);
    show(fifo);
  }
  // A FIFO that is kept for: a boot buffer of its owner becomes its keeper, and has room.
  void find_keeper(ReceptionFifo& fifo) {
    const auto keeper = static_cast<unsigned>(random_.below(kFifos));
    Row& row = rows_[keeper];
    if (&row.fifo == &fifo || !row.has_configuration || !row.has_pointers) return;
    if (!row.on_their_way.empty()) return;
    fifo.boot = true;
    fifo.enable = random_.chance(30);
    fifo.keeps = fifo.reply_only = false;
    fifo.keeper = keeper;
    row.fifo = ReceptionFifo::any(random_);
    row.fifo.keeps = row.fifo.enable = true;
    row.fifo.boot = row.fifo.reply_only = row.fifo.refusing = false;
    row.fifo.owner = fifo.owner;
    row.fifo.tail = row.fifo.reserved = row.fifo.head;
    show(keeper);
  }
  void show(unsigned fifo) {
    drive(table->rootp->mu_reception_fifo_table__DOT__u_configurations__DOT__mem[fifo],
          rows_[fifo].fifo.configuration());
    drive(table->rootp->mu_reception_fifo_table__DOT__u_pointers__DOT__mem[fifo],
          rows_[fifo].fifo.pointers());
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
    // One whose boot buffer is to be moved.
    if (random_.chance(8))
      request_ = write_of(
          f::config(at), 9U | random_.below(kProfile.clients) << 4U | random_.below(kFifos) << 16U);
    if (random_.chance(15))
      request_.set<q::address>((request_.get<q::address>() + (1U << random_.below(20))) & 0xfffffU);
    if (random_.chance(5))
      request_.set<q::address>(request_.get<q::address>() ^ 1U << random_.below(20));
    if (random_.chance(3)) request_.set<q::page>(1 - request_.get<q::page>());
    drive(table->register_request_i, request_);
  }
  void drive_publish() {
    auto target = static_cast<unsigned>(random_.below(kFifos));
    for (int i = 0; empties_ && i < 20 && rows_[target].on_their_way.empty(); ++i)
      target = static_cast<unsigned>(random_.below(kFifos));
    const Row& row = rows_[target];
    const std::uint32_t due = row.fifo.reserved - row.fifo.tail;
    table->publish_valid_i = doing_ == Doing::kNothing && due != 0 && random_.chance(others_);
    table->publish_target_i =
        static_cast<std::uint8_t>(table->publish_valid_i ? target : random_.below(256));
    table->publish_slots_i =
        static_cast<std::uint8_t>(1 + random_.below(std::min<std::uint32_t>(due + !due, 255)));
    if (table->publish_valid_i && !row.on_their_way.empty())
      table->publish_slots_i = static_cast<std::uint8_t>(row.on_their_way.front());
  }
  // What is freed is in memory when the step is taken.
  void drive_step() {
    const bool now = doing_ == Doing::kNothing && !table->publish_valid_i;
    const auto fifo =
        static_cast<std::uint32_t>(random_.chance(90) ? random_.below(kFifos) : random_.below(256));
    std::uint32_t most = 0;
    if (now && fifo < kFifos && rows_[fifo].fifo.is_keeper())
      most = std::min(rows_[fifo].fifo.tail - rows_[fifo].fifo.head, 17U);
    const auto slots = static_cast<unsigned>(random_.chance(50) ? 0 : random_.below(most + 1ULL));
    step_ = BootStep{}
                .set<st::fifo>(fifo)
                .set<st::slots>(slots)
                .set<st::discard>(slots == 0 && random_.chance(10))
                .set<st::valid>(random_.chance(others_ / 2));
    drive(table->boot_step_i, step_);
  }
  bool redirects() const { return exists() && rows_[fifo_].fifo.redirects(asked_); }
  void drive_all() {
    const Status status = exists() ? rows_[fifo_].fifo.answer(asked_) : Status::kFifoInvalid;
    const bool acts = acts_ && doing_ == Doing::kLookup && !redirects() && random_.chance(80) &&
                      !(asked_.kept && pending() == kMostOnTheirWay);
    reserves_ = acts && status == Status::kOk;
    refuses_ = acts && status == Status::kFifoFull;
    decide(reserves_, refuses_);
    lookup_ = {
        .slots = static_cast<unsigned>(1 + random_.below(17)),
        .reply = random_.chance(30),
        .counted = random_.chance(20),
        .on_behalf = random_.chance(40),
        .client = static_cast<unsigned>(random_.below(random_.chance(80) ? kProfile.clients : 16)),
        .moved = random_.chance(15),
        .keeper_owner =
            static_cast<unsigned>(random_.below(random_.chance(80) ? kProfile.clients : 16))};
    if (lookup_.moved) lookup_.reply = false;
    lookup_fifo_ =
        static_cast<std::uint32_t>(random_.chance(90) ? random_.below(kFifos) : random_.below(256));
    for (int i = 0; i < 4 && lookup_fifo_ < kFifos && !rows_[lookup_fifo_].fifo.boot; ++i)
      lookup_fifo_ = static_cast<std::uint32_t>(random_.below(kFifos));
    lookup_valid_ = random_.chance(60);
    drive(table->lookup_i, lookup_.record(lookup_fifo_).set<lo::valid>(lookup_valid_));
    drive_publish();
    drive_step();
    if (done_ || table->register_valid_i) return;
    table->register_valid_i = random_.chance(others_);
    draw_request();
  }
  void compare() {
    const bool idle = doing_ == Doing::kNothing;
    ASSERT_EQ(table->busy_o, !idle || done_ || causes_.any());
    ASSERT_EQ(bits_of(table->causes_o), causes_);
    if (part_ == 0) {
      ASSERT_EQ(table->part_o >> 8, 0U);
    } else {
      ASSERT_EQ(table->part_o, part_);
    }
    ASSERT_EQ(table->publish_ready_o, idle);
    const bool starts_step = idle && !table->publish_valid_i && step_.get<st::valid>() != 0;
    const bool starts_register =
        idle && !table->publish_valid_i && !starts_step && table->register_valid_i && !done_;
    ASSERT_EQ(table->lookup_ready_o,
              idle && !table->publish_valid_i && !starts_step && !starts_register);
    ASSERT_EQ(held().get<he::ready>(), starts_step);
    ASSERT_EQ(held().get<he::valid>(), acts_ && doing_ == Doing::kStep);
    ASSERT_EQ(bits_of(table->draining_o), draining_);
    ASSERT_EQ(table->register_done_o, done_);
    const auto response = sample_record<RegisterResponse>(table->register_response_o);
    ASSERT_EQ(response.get<layout::register_response::status>(),
              done_ ? access_.status : Status::kOk);
    ASSERT_EQ(response.get<layout::register_response::data>(), done_ ? access_.data : 0);
    if (acts_ && doing_ == Doing::kLookup) {
      ASSERT_NO_FATAL_FAILURE(compare_answer());
    }
    if (acts_ && doing_ == Doing::kStep && exists()) {
      const ReceptionFifo& fifo = rows_[fifo_].fifo;
      ASSERT_EQ(held().get<he::slots>(), std::min<std::uint32_t>(fifo.tail - fifo.head, 31));
      ASSERT_EQ(held().get<he::empty>(), !fifo.is_keeper() || fifo.head == fifo.reserved);
      ASSERT_EQ(held().get<he::owner>(), fifo.owner);
    }
  }
  void compare_answer() {
    if (!exists()) {
      ASSERT_EQ(answer().get<an::status>(), Status::kFifoInvalid);
      return;
    }
    const ReceptionFifo& fifo = rows_[fifo_].fifo;
    const Status status = fifo.answer(asked_);
    ASSERT_EQ(answer().get<an::status>(), status);
    ASSERT_EQ(answer().get<an::redirect>(), redirects());
    ASSERT_EQ(answer().get<an::fifo>(), fifo_);
    ASSERT_EQ(answer().get<an::kept>(), asked_.kept);
    ASSERT_EQ(answer().get<an::refusing>(), fifo.refusing || asked_.kept);
    ASSERT_EQ(answer().get<an::owner>(), fifo.owner);
    if (status != Status::kOk || redirects()) return;
    const FifoPlace place = fifo.place(asked_.slots);
    ASSERT_EQ(answer().get<an::address>(), place.address);
    ASSERT_EQ(answer().get<an::bytes>(), place.bytes);
    ASSERT_EQ(answer().get<an::split>(), place.second_bytes != 0);
    ASSERT_EQ(answer().get<an::second_bytes>(), place.second_bytes);
    ASSERT_EQ(answer().get<an::second_address>(), fifo.base);
  }
  // What the coming edge does to the row that is at work.
  void finish() {
    causes_.reset();
    part_ = 0;
    done_ = false;
    access_ = {};
    if (!acts_) return;
    if (doing_ == Doing::kPublish) finish_publish();
    if (doing_ == Doing::kLookup && exists()) finish_lookup();
    if (doing_ == Doing::kStep && exists()) finish_step();
    if (doing_ == Doing::kRegister) {
      access_ = {Status::kRegisterUnknown};
      if (exists()) access_ = rows_[fifo_].fifo.access(request_, draining_[fifo_], pending() != 0);
      if (access_.wrote_configuration) rows_[fifo_].has_configuration = true;
      if (access_.wrote_pointers) rows_[fifo_].has_pointers = true;
      done_ = !access_.waits;
    }
  }
  void finish_publish() {
    Row& row = rows_[fifo_];
    const auto raise = [&](Cause cause) {
      causes_.set(8 * row.fifo.owner + static_cast<unsigned>(cause));
    };
    if (row.fifo.interrupt) {
      raise(Cause::kArrived);
      part_ = 1U << 8 | row.fifo.owner << 4 | fifo_ % 16;
    }
    if (row.fifo.publish(asked_.slots)) raise(Cause::kFifoThreshold);
    row.has_pointers = true;
    if (!row.on_their_way.empty()) row.on_their_way.pop_front();
  }
  void finish_lookup() {
    Row& row = rows_[fifo_];
    goes_on_ = row.fifo.redirects(asked_);
    if (goes_on_) {
      asked_.kept = true;
      asked_.kept_for = row.fifo.owner;
      fifo_ = row.fifo.keeper;
      return;
    }
    if (reserves_ || refuses_) row.has_pointers = true;
    if (reserves_) row.fifo.reserve(asked_.slots);
    if (refuses_) row.fifo.refuse(asked_.reply);
    if (!reserves_ || !asked_.kept) return;
    ++kept_;
    row.on_their_way.push_back(asked_.slots);
  }
  void finish_step() {
    ReceptionFifo& fifo = rows_[fifo_].fifo;
    const bool looks = asked_.slots == 0 && !discards_;
    if (looks && (!fifo.is_keeper() || fifo.head == fifo.reserved)) draining_.reset(fifo_);
    if (fifo.is_keeper()) rows_[fifo_].has_pointers = true;
    fifo.free(asked_.slots, discards_);
  }
  std::size_t pending() const {
    std::size_t packets = 0;
    for (const Row& row : rows_) packets += row.on_their_way.size();
    return packets;
  }
  void compare_events() {
    ASSERT_EQ(held().get<he::configured>(), access_.configures);
    ASSERT_EQ(held().get<he::room>(), access_.configures || access_.moves_head);
    if (!access_.configures) return;
    ASSERT_EQ(held().get<he::fifo>(), fifo_);
    draining_.reset(fifo_);
    const ReceptionFifo& fifo = rows_[fifo_].fifo;
    if (fifo.enable && fifo.boot) draining_.set(fifo.keeper);
  }
  void start(bool was_idle, bool was_done) {
    acts_ = !was_idle && !acts_;
    if (acts_ || goes_on_) {
      goes_on_ = false;
      note_draining();
      return;
    }
    doing_ = Doing::kNothing;
    if (!was_idle) return;
    if (table->publish_valid_i) {
      doing_ = Doing::kPublish;
      fifo_ = table->publish_target_i;
      asked_.slots = table->publish_slots_i;
    } else if (step_.get<st::valid>() != 0) {
      doing_ = Doing::kStep;
      fifo_ = static_cast<std::uint32_t>(step_.get<st::fifo>());
      asked_.slots = static_cast<unsigned>(step_.get<st::slots>());
      discards_ = step_.get<st::discard>() != 0;
    } else if (table->register_valid_i && !was_done) {
      doing_ = Doing::kRegister;
      fifo_ = fifo_of(request_);
    } else if (lookup_valid_) {
      doing_ = Doing::kLookup;
      fifo_ = lookup_fifo_;
      asked_ = lookup_;
    }
    note_draining();
  }
  void note_draining() { asked_.draining = exists() && draining_[rows_[fifo_].fifo.keeper]; }
  void cycle() {
    drive_all();
    table.settle();
    ASSERT_NO_FATAL_FAILURE(compare());
    const bool was_idle = doing_ == Doing::kNothing;
    const bool was_done = done_;
    finish();
    ASSERT_NO_FATAL_FAILURE(compare_events());
    start(was_idle, was_done);
    table.tick();
    if (was_done) table->register_valid_i = 0;
  }
  void forget() {
    table->publish_valid_i = 0;
    decide(false, false);
    drive(table->boot_step_i, BootStep{});
    table.reset(1);
    table->register_valid_i = 0;
    rows_ = {};
    doing_ = Doing::kNothing;
    acts_ = false;
    done_ = false;
    causes_.reset();
    part_ = 0;
    draining_.reset();
    goes_on_ = false;
    access_ = {};
    if (random_.chance(30)) return;
    // Every row has been written.
    drive(table->lookup_i, FifoLookup{}.record());
    for (unsigned fifo = 0; fifo < kFifos; ++fifo) {
      ASSERT_EQ(write(f::config(fifo), 0), Status::kOk);
      rows_[fifo].has_configuration = rows_[fifo].has_pointers = true;
    }
  }

  Random random_;
  std::array<Row, kFifos> rows_;
  Doing doing_ = Doing::kNothing;
  bool empties_ = false;  // what is on its way into boot buffers arrives
  unsigned others_ = 0;   // percent of cycles with something else than lookups
  bool acts_ = false;     // in its second cycle
  bool goes_on_ = false;  // with the keeper of its FIFO
  std::uint32_t fifo_ = 0;
  FifoLookup asked_;
  FifoLookup lookup_;  // that stands at the ports
  std::uint32_t lookup_fifo_ = 0;
  bool lookup_valid_ = false, reserves_ = false, refuses_ = false;
  BootStep step_;
  bool discards_ = false;
  PortBits draining_;
  RegisterRequest request_;
  FifoAccess access_;
  bool done_ = false;
  PortBits causes_;
  unsigned part_ = 0;     // which FIFO has raised ARRIVED
  unsigned kept_ = 0;     // packets, by boot buffers
  std::size_t most_ = 0;  // of them on their way at once
};

TEST_F(ReceptionFifoTableAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 100000; ++i) {
    if (i % 4000 == 0) {
      ASSERT_NO_FATAL_FAILURE(forget());
    }
    if (doing_ == Doing::kNothing && random_.chance(3))
      make_old(static_cast<unsigned>(random_.below(kFifos)));
    empties_ = i / 1000 % 2 == 1;
    others_ = empties_ ? 40 : 3;
    ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
    most_ = std::max(most_, pending());
  }
  EXPECT_GE(most_, 16U);
  EXPECT_GT(kept_, 200U);
}

}  // namespace
}  // namespace torusmu::testing
