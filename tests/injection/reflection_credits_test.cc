// SPDX-License-Identifier: Apache-2.0
//
// Which neighbour is chosen in whole machines is in send_engine_reflection_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "Vmu_reflection_credits.h"
#include "tests/support/clocked.h"
#include "tests/support/credits_model.h"
#include "tests/support/old_count.h"
#include "tests/support/port_fields.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class ReflectionCredits : public ::testing::Test {
 protected:
  ReflectionCredits() : bus_(dut_) {
    dut_->straps_i = Straps{.last_x = 2, .last_y = 2, .last_z = 2, .torus = 7}.word();
    dut_->timeout_cycles_i = 0;
  }
  void give(unsigned direction, unsigned slots) {
    ASSERT_EQ(bus_.status(register_write(registers::reflection::credit(0) + 8 * direction, slots)),
              Status::kOk);
  }
  // Asks, once it is known what is free, and takes; -1 without a credit.
  int take(unsigned preferred) {
    if (dut_->settles_o) dut_.tick();
    dut_->ask_i = 1;
    dut_->preferred_i = static_cast<std::uint8_t>(preferred);
    dut_.settle();
    const int direction = dut_->available_o ? dut_->direction_o : -1;
    dut_->take_i = dut_->available_o;
    dut_.tick();
    dut_->take_i = dut_->ask_i = 0;
    dut_.settle();
    return direction;
  }
  void give_back(unsigned queue, unsigned number) {
    dut_->credit_return_valid_i = 1;
    dut_->credit_return_queue_i = static_cast<std::uint8_t>(queue);
    dut_->credit_return_number_i = static_cast<std::uint16_t>(number);
    dut_.tick();
    dut_->credit_return_valid_i = 0;
    dut_.tick();
    dut_.settle();
  }

  // One deadline a cycle is looked at.
  static constexpr unsigned kLookCycles = 8;
  void run_until_query() {
    for (unsigned i = 0; i < kLookCycles && !dut_->query_valid_o; ++i) dut_.tick();
  }
  // Lets the block look at all deadlines, at the time that it names for it.
  void look() {
    dut_->now_i = dut_->wake_at_o;
    dut_.tick();
    for (unsigned i = 0; i < kLookCycles && dut_->busy_o; ++i) dut_.tick();
  }

  // What is under way is overdue once: its query is of `number`. Another has the same time again.
  void expect_query(unsigned direction, unsigned number) {
    dut_->now_i = dut_->wake_at_o;
    run_until_query();
    ASSERT_TRUE(dut_->query_valid_o);
    EXPECT_EQ(dut_->direction_o, direction);
    EXPECT_EQ(dut_->number_o, number);
    dut_->query_taken_i = 1;
    dut_->now_i = 0;
    dut_.tick();
    dut_->query_taken_i = 0;
    dut_.settle();
    EXPECT_FALSE(dut_->query_valid_o);
  }

  Clocked<Vmu_reflection_credits> dut_;
  RegisterBus<Vmu_reflection_credits> bus_;
};

TEST_F(ReflectionCredits, HoldsTheWindowThroughRandomUse) {
  Random random;
  SCOPED_TRACE(random.replay());
  struct Model {
    std::uint16_t slots = 0, sent = 0, returned = 0;
  };
  std::array<Model, 7> models;
  unsigned taken = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random.chance(1)) {
      const auto direction = static_cast<unsigned>(random.below(7));
      const auto slots = static_cast<std::uint16_t>(random.below(5));
      give(direction, slots);
      models[direction] = {slots, 0, 0};
    }
    const auto preferred = static_cast<unsigned>(random.below(8));
    const bool neighbours = std::any_of(models.begin(), models.begin() + 6,
                                        [](const Model& m) { return m.slots != 0; });
    const auto free = [&models](unsigned n) {
      return static_cast<std::uint16_t>(models[n].sent - models[n].returned) < models[n].slots;
    };
    int wanted = -1;
    if (free(6) && (preferred == 6 || !neighbours)) wanted = 6;
    for (unsigned k = 0; k < 6 && wanted < 0 && preferred < 6; ++k) {
      if (free((preferred + k) % 6)) wanted = static_cast<int>((preferred + k) % 6);
    }
    const int chosen = take(preferred);
    if (preferred < 6 || wanted == 6) {
      ASSERT_EQ(chosen, wanted) << "step " << step;
    } else {
      bool any = false;
      for (unsigned n = 0; n < 6; ++n) any = any || free(n);
      ASSERT_EQ(chosen >= 0, any);
    }
    if (chosen >= 0) ++models[static_cast<unsigned>(chosen)].sent;
    taken += chosen >= 0;
    if (random.chance(60)) {
      const auto n = static_cast<unsigned>(random.below(7));
      Model& model = models[n];
      const auto number = static_cast<std::uint16_t>(model.returned + random.below(6) - 2);
      const auto ahead = static_cast<std::uint16_t>(number - model.returned);
      give_back(n == 6 ? 6 : n ^ 1U, number);
      const bool inside = ahead < static_cast<std::uint16_t>(model.sent - model.returned);
      ASSERT_EQ(dut_->credit_returned_o != 0, inside);
      if (inside) model.returned = static_cast<std::uint16_t>(number + 1);
    }
    if (step % 500 == 0) {
      for (unsigned n = 0; n < 7; ++n) {
        EXPECT_EQ(bus_.read(register_read(registers::reflection::credit(0) + 8 * n)),
                  models[n].slots | std::uint64_t{models[n].sent} << 16 |
                      std::uint64_t{models[n].returned} << 32);
      }
    }
  }
  EXPECT_GT(taken, 2000U);
}

TEST_F(ReflectionCredits, GivesAsManyAsADirectionHasSlots) {
  for (const unsigned slots : {1U, 2U, 7U, 64U, 127U, 128U, 200U, 255U}) {
    for (unsigned direction = 0; direction < 7; ++direction) {
      for (unsigned other = 0; other < 7; ++other) give(other, other == direction ? slots : 0);
      unsigned taken = 0;
      while (take(direction) >= 0 && taken < 300) ++taken;
      EXPECT_EQ(taken, slots) << "direction " << direction;
    }
  }
}

TEST_F(ReflectionCredits, IgnoresReturnsOfQueuesThatDoNotExist) {
  give(6, 2);
  EXPECT_EQ(take(6), 6);
  for (const unsigned queue : {7U, 14U, 255U}) {
    give_back(queue, 0);
    EXPECT_FALSE(dut_->credit_returned_o);
  }
  give_back(6, 0);
  EXPECT_TRUE(dut_->credit_returned_o);
}

TEST_F(ReflectionCredits, AsksForTheOldestSilenceOnly) {
  dut_->timeout_cycles_i = 100;
  give(0, 4);
  give(2, 4);
  dut_->now_i = 1000;
  take(0);
  dut_->now_i = 1050;
  take(2);
  EXPECT_EQ(dut_->wake_at_o, 1100U);
  dut_->now_i = 1099;
  dut_.tick();
  EXPECT_FALSE(dut_->query_valid_o);
  EXPECT_FALSE(dut_->busy_o);
  dut_->now_i = 1100;
  run_until_query();
  ASSERT_TRUE(dut_->query_valid_o);
  EXPECT_TRUE(dut_->busy_o);
  EXPECT_EQ(dut_->direction_o, 0);
  EXPECT_EQ(dut_->number_o, 0);
  dut_->query_taken_i = 1;
  dut_.tick();
  dut_->query_taken_i = 0;
  dut_.settle();
  EXPECT_FALSE(dut_->query_valid_o);
  for (unsigned i = 0; i < kLookCycles && dut_->busy_o; ++i) dut_.tick();
  EXPECT_FALSE(dut_->busy_o);
  EXPECT_EQ(dut_->wake_at_o, 1150U) << "now the other direction";
  give_back(2 ^ 1U, 0);
  EXPECT_EQ(dut_->wake_at_o, 1150U) << "of one that counts no more";
  look();
  EXPECT_FALSE(dut_->busy_o);
  EXPECT_EQ(dut_->wake_at_o, 1200U);
  give_back(0 ^ 1U, 0);
  EXPECT_EQ(dut_->wake_at_o, (1ULL << 48) - 1);
}

TEST_F(ReflectionCredits, TakesBackAQuestionThatWasAnsweredInTheMeantime) {
  dut_->timeout_cycles_i = 100;
  give(3, 4);
  dut_->now_i = 10;
  take(3);
  dut_->now_i = 110;
  run_until_query();
  EXPECT_TRUE(dut_->query_valid_o);
  give_back(2, 0);
  EXPECT_FALSE(dut_->query_valid_o);
}

// The block and its contract side by side, under anything that may come in a cycle.
class ReflectionContract : public ReflectionCredits {
 protected:
  void begin_anew() {
    dut_->register_valid_i = dut_->ask_i = dut_->take_i = dut_->query_taken_i = 0;
    dut_->credit_return_valid_i = 0;
    dut_.reset(1);
    model_ = {};
    done_ = told_ = taken_ = false;
    comes_ = -1;
    for (unsigned axis = 0; axis < 3; ++axis) draw_place(axis);
    model_.torus = below(8);
    dut_->straps_i = Straps{model_.own[0],  model_.own[1],  model_.own[2], model_.last[0],
                            model_.last[1], model_.last[2], model_.torus}
                         .word();
    edge_.now = random_.chance(50) ? random_.bits64() >> (16 + random_.below(30))
                                   : near_a_carry(random_, 44 + below(4), below(300), 50);
    const bool alone = random_.chance(20);  // one direction has slots
    const unsigned chosen = below(7);
    for (unsigned d = 0; d < 7; ++d) {
      model_.all[d].slots = alone && d != chosen ? 0 : draw_slots();
      give(d, model_.all[d].slots);
    }
    dut_.tick();
  }
  void offer() {
    pass_time();
    dut_->ask_i = random_.chance(70);
    dut_->preferred_i = static_cast<CData>(below(8));
    dut_->take_i = dut_->query_taken_i = 0;
    offer_return();
    if (!dut_->register_valid_i && random_.chance(6)) offer_access();
    dut_.settle();
  }
  // What the block says to this, and to the edge before.
  void compare() {
    ASSERT_TRUE(model_.shows(dut_->query_valid_o ? dut_->direction_o : -1));
    ASSERT_FALSE(model_.forgotten());
    const int query = model_.query(), chosen = choice();
    ASSERT_EQ(dut_->settles_o, told_ || taken_);
    if (!dut_->settles_o) {
      ASSERT_EQ(dut_->available_o, chosen >= 0);
      ASSERT_EQ(dut_->configured_o,
                dut_->ask_i && query < 0 && (model_.usable(6) || model_.neighbours()));
    }
    if (query >= 0 || (chosen >= 0 && !dut_->settles_o)) {
      const auto d = static_cast<unsigned>(std::max(query, chosen));
      ASSERT_EQ(dut_->direction_o, d);
      ASSERT_EQ(dut_->number_o, static_cast<std::uint16_t>(model_.all[d].sent - (query >= 0)));
      ASSERT_EQ(dut_->neighbour_o, model_.neighbour(d)) << "direction " << d;
    } else if (!dut_->ask_i) {
      ASSERT_EQ(dut_->neighbour_o, 0);
    }
    const bool must = query >= 0 || told_ || taken_ || done_ ||
                      comes_ >= 0;  // be busy; else it may look at deadlines
    ASSERT_TRUE(dut_->busy_o || !must);
    looked_ = dut_->busy_o && !must && dut_->wake_at_o > edge_.now ? looked_ + 1 : 0;
    ASSERT_LT(looked_, 100U);
    if (model_.wake_at() == CreditsModel::kNever && !model_.any_outstanding()) {
      ASSERT_EQ(dut_->wake_at_o, CreditsModel::kNever);
    }
    if (!dut_->busy_o) {
      ASSERT_LE(dut_->wake_at_o, model_.wake_at());
      ASSERT_TRUE(dut_->wake_at_o == CreditsModel::kNever ||
                  model_.deadlines.contains(dut_->wake_at_o));
    }
    ASSERT_EQ(dut_->credit_returned_o, told_);
    ASSERT_EQ(dut_->register_done_o, done_);
    const auto response = sample_record<RegisterResponse>(dut_->register_response_o);
    ASSERT_EQ(response.get<layout::register_response::data>(), done_ ? answer_ : 0);
    ASSERT_EQ(response.get<layout::register_response::status>(), done_ ? status_ : Status::kOk);
  }
  void tick() {
    const int chosen = choice();
    edge_.taken = chosen >= 0 && !dut_->settles_o && random_.chance(60) ? chosen : -1;
    edge_.queried = random_.chance(30) ? model_.query() : -1;
    dut_->take_i = edge_.taken >= 0;
    dut_->query_taken_i = edge_.queried >= 0;
    const bool access = dut_->register_valid_i && !done_;
    edge_.written = access ? answer_access() : -1;
    edge_.returned = comes_;
    edge_.number = number_of_comes_;
    model_.pass(edge_);
    comes_ = offered_ != edge_.written ? offered_ : -1;
    number_of_comes_ = number_;
    told_ = edge_.returned >= 0 || edge_.written >= 0;
    taken_ = edge_.taken >= 0;
    dut_.tick();
    if (done_) dut_->register_valid_i = 0;
    done_ = access;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_.below(n)); }
  // Of the node along an axis, and of the last node there.
  void draw_place(unsigned axis) {
    const unsigned last = random_.chance(20) ? 0 : random_.chance(40) ? 1U << below(4) : below(16);
    const unsigned near = last ^ 1U << below(4);
    model_.last[axis] = last;
    model_.own[axis] = random_.chance(30)                   ? 0
                       : random_.chance(30)                 ? last
                       : random_.chance(50) && near <= last ? near
                                                            : below(last + 1);
  }
  unsigned draw_slots() {
    return random_.chance(60) ? below(6) : random_.chance(50) ? 1U << below(8) : below(256);
  }
  int choice() { return dut_->ask_i && model_.query() < 0 ? model_.choice(dut_->preferred_i) : -1; }
  void pass_time() {
    edge_.now += random_.below(3);
    if (random_.chance(10) && model_.wake_at() != CreditsModel::kNever) {
      edge_.now = std::max(edge_.now, model_.wake_at() - 1);
    }
    edge_.timeout = random_.chance(20)   ? 0
                    : random_.chance(90) ? 1 + below(30)
                                         : 1U << random_.below(32);
    dut_->now_i = edge_.now;
    dut_->timeout_cycles_i = edge_.timeout;
  }
  // Of a number near what is owed, from the queue of a reflector or one that is none.
  void offer_return() {
    const unsigned reflector = below(7), direction = reflector == 6 ? 6 : reflector ^ 1;
    CreditsModel::Direction owed = model_.all[direction];
    if (comes_ == static_cast<int>(direction))
      owed.returned = static_cast<std::uint16_t>(number_of_comes_ + 1);
    number_ = static_cast<std::uint16_t>(owed.returned + random_.below(5) - 1 +
                                         (random_.chance(20) ? 1U << below(16) : 0));
    const unsigned queue = random_.chance(95) ? reflector : reflector ^ 8U << random_.below(5);
    dut_->credit_return_valid_i = random_.chance(40);
    dut_->credit_return_queue_i = static_cast<CData>(queue);
    dut_->credit_return_number_i = number_;
    const bool counts = dut_->credit_return_valid_i && queue == reflector && owed.owes(number_);
    offered_ = counts ? static_cast<int>(direction) : -1;
  }
  void offer_access() {
    std::uint32_t address = registers::reflection::credit(0) + 8 * below(7);
    if (random_.chance(20)) address ^= 8U << random_.below(17);
    const std::uint64_t data = random_.chance(60)   ? random_.below(6)
                               : random_.chance(50) ? random_.below(256)
                                                    : 1ULL << random_.below(64);
    request_ = register_write(address, data, random_.chance(90) ? 8 : 4);
    if (random_.chance(50)) request_.set<layout::register_request::write>(0);
    if (random_.chance(5)) request_.set<layout::register_request::page>(1);
    drive(dut_->register_request_i, request_);
    dut_->register_valid_i = 1;
  }
  // The direction whose slots are written, -1 for none.
  int answer_access() {
    namespace r = layout::register_request;
    const auto address = static_cast<std::uint32_t>(request_.get<r::address>());
    const std::uint32_t offset = address - registers::reflection::credit(0);
    const bool write = request_.get<r::write>() != 0;
    const std::uint64_t data = request_.get<r::data>();
    status_ = offset >= 56 || request_.get<r::page>() != 0 ? Status::kRegisterUnknown
              : write && request_.get<r::wide>() == 0      ? Status::kRegisterPartial
              : write && data >> 8 != 0                    ? Status::kRegisterValue
                                                           : Status::kOk;
    answer_ = 0;
    if (status_ != Status::kOk) return -1;
    edge_.slots = static_cast<unsigned>(data);
    if (write) return static_cast<int>(offset / 8);
    const CreditsModel::Direction& d = model_.all[offset / 8];
    answer_ = d.slots | std::uint64_t{d.sent} << 16 | std::uint64_t{d.returned} << 32;
    return -1;
  }

 protected:
  Random random_;

 private:
  CreditsModel model_;
  CreditsModel::Edge edge_;
  RegisterRequest request_;
  bool done_ = false, told_ = false, taken_ = false;  // an access; a credit came back; left
  unsigned looked_ = 0;                               // cycles for which it has looked at deadlines
  int offered_ = -1, comes_ = -1;  // directions of a return that counts: offered now; told next
  std::uint16_t number_ = 0, number_of_comes_ = 0;  // theirs
  std::uint64_t answer_ = 0;
  Status status_ = Status::kOk;
};

TEST_F(ReflectionContract, HoldsInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 100000 && !HasFatalFailure(); ++cycle) {
    SCOPED_TRACE(cycle);
    if (cycle % 250 == 0) begin_anew();
    offer();
    compare();
    tick();
  }
}

// Deadlines of two directions that differ in one of the upper bits of time, the later one full of
// ones.
TEST_F(ReflectionCredits, WakesAtTheEarlierOfTwoDeadlinesWhateverBitTellsThemApart) {
  constexpr std::uint32_t kTimeout = 1000;
  dut_->timeout_cycles_i = kTimeout;
  for (unsigned direction = 0; direction < 7; ++direction) give(direction, 255);
  std::array<unsigned, 7> sent{};
  const auto take_until = [&](unsigned direction, std::uint64_t deadline) {
    dut_->now_i = deadline - kTimeout;
    ASSERT_EQ(take(direction), static_cast<int>(direction));
    ++sent[direction];
  };
  const auto give_all_back = [&](unsigned direction) {
    give_back(direction == 6 ? 6 : direction ^ 1U, sent[direction] - 1);
  };
  for (unsigned bit = 40; bit < 48; ++bit) {
    const std::uint64_t late = CreditsModel::kNever - 1, early = late ^ 1ULL << bit;
    const std::uint64_t almost_never = CreditsModel::kNever ^ 1ULL << bit;
    for (unsigned first = 0; first < 7; ++first) {
      take_until(first, almost_never);
      EXPECT_EQ(dut_->wake_at_o, almost_never) << "bit " << bit << " of direction " << first;
      give_all_back(first);
      for (unsigned other = 0; other < 7; ++other) {
        if (other == first) continue;
        take_until(other, late);
        take_until(first, early);
        EXPECT_EQ(dut_->wake_at_o, early) << "bit " << bit << ": " << first << " before " << other;
        give_all_back(first);
        look();
        EXPECT_EQ(dut_->wake_at_o, late);
        give_all_back(other);
      }
    }
  }
}

TEST_F(ReflectionCredits, CountAcrossTheWrapInEachDirection) {
  Random random;
  SCOPED_TRACE(random.replay());
  constexpr std::uint32_t kTimeout = 1000, kAsks = 0xFF00, kLast = 66000;
  for (unsigned direction = 0; direction < 7; ++direction) give(direction, 255);
  dut_->timeout_cycles_i = kTimeout;
  dut_->ask_i = 1;
  for (unsigned direction = 0; direction < 7; ++direction) {
    const unsigned queue = direction == 6 ? 6 : direction ^ 1U;
    std::uint32_t back = 0;  // so many have come back
    bool asked = false;
    dut_->preferred_i = static_cast<CData>(direction);
    for (std::uint32_t sent = 0; sent < kLast; ++sent) {
      dut_->take_i = dut_->credit_return_valid_i = 0;
      dut_.settle();
      if (random.below(64) == 0) {
        // Of what is under way some or all comes back, or something that is not.
        const auto ahead =
            static_cast<std::uint32_t>(random.chance(30) ? sent - back - 1 : random.below(260) - 2);
        give_back(queue, back + ahead);
        const bool counts = (ahead & 0xFFFF) < sent - back;
        ASSERT_EQ(dut_->credit_returned_o != 0, counts);
        if (counts) back += ahead + 1;
        ASSERT_EQ(dut_->wake_at_o, back == sent ? CreditsModel::kNever : kTimeout);
      }
      if (!asked && sent >= kAsks && back != sent) {
        asked = true;
        expect_query(direction, sent - 1);
        give_back(queue, sent - 1);
        back = sent;
      }
      while (dut_->settles_o) dut_.tick();
      // With many under way the oldest comes back as another leaves.
      const bool many = sent - back == 200;
      dut_->credit_return_valid_i = many;
      dut_->credit_return_queue_i = static_cast<CData>(queue);
      dut_->credit_return_number_i = static_cast<SData>(back);
      dut_.settle();
      ASSERT_TRUE(dut_->available_o);
      ASSERT_EQ(dut_->direction_o, direction);
      ASSERT_EQ(dut_->number_o, sent & 0xFFFF);
      dut_->take_i = 1;
      dut_.tick();
      if (!many) continue;
      ++back;
      dut_->take_i = dut_->credit_return_valid_i = 0;
      dut_.tick();
    }
    EXPECT_TRUE(asked);
    dut_->take_i = dut_->credit_return_valid_i = 0;
    EXPECT_EQ(bus_.read(register_read(registers::reflection::credit(0) + 8 * direction)),
              255U | std::uint64_t{kLast & 0xFFFF} << 16 | std::uint64_t{back & 0xFFFF} << 32);
    give_back(queue, kLast - 1);
  }
}

}  // namespace
}  // namespace torusmu::testing
