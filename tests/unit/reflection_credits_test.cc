// SPDX-License-Identifier: Apache-2.0
//
// Which neighbour is chosen in whole machines is in injection_reflection_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "Vmu_reflection_credits.h"
#include "tests/support/clocked.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class ReflectionCredits : public ::testing::Test {
 protected:
  ReflectionCredits() : bus_(dut_) {
    dut_->strap_last_x_i = dut_->strap_last_y_i = dut_->strap_last_z_i = 2;
    dut_->strap_torus_i = 7;
    dut_->timeout_cycles_i = 0;
  }
  void give(unsigned direction, unsigned slots) {
    ASSERT_EQ(bus_.status(register_write(registers::reflection::credit(0) + 8 * direction, slots)),
              Status::kOk);
  }
  // Asks and takes; -1 without a credit.
  int take(unsigned preferred) {
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
    dut_.settle();
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
  dut_.tick();
  ASSERT_TRUE(dut_->query_valid_o);
  EXPECT_TRUE(dut_->busy_o);
  EXPECT_EQ(dut_->direction_o, 0);
  EXPECT_EQ(dut_->number_o, 0);
  dut_->query_taken_i = 1;
  dut_.tick();
  dut_->query_taken_i = 0;
  dut_.settle();
  EXPECT_FALSE(dut_->query_valid_o);
  EXPECT_EQ(dut_->wake_at_o, 1150U) << "now the other direction";
  give_back(2 ^ 1U, 0);
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
  dut_.tick();
  EXPECT_TRUE(dut_->query_valid_o);
  give_back(2, 0);
  EXPECT_FALSE(dut_->query_valid_o);
}

// The contract of the block, cycle by cycle.
class CreditsModel {
 public:
  static constexpr std::uint64_t kNever = (1ULL << 48) - 1;
  struct Direction {
    unsigned slots = 0;
    std::uint16_t sent = 0, returned = 0;
    std::uint64_t deadline = 0;
    bool outstanding = false, query = false;
    bool free() const { return static_cast<std::uint16_t>(sent - returned) < slots; }
  };
  std::array<Direction, 7> all;
  unsigned rotate = 0;
  std::array<unsigned, 3> own{}, last{};
  unsigned torus = 0;

  bool usable(unsigned d) const {
    if (all[d].slots == 0) return false;
    if (d == 6) return true;
    const unsigned axis = d / 2;
    const bool edge = own[axis] == (d % 2 == 0 ? last[axis] : 0);
    return last[axis] != 0 && ((torus >> axis & 1) != 0 || !edge);
  }
  bool neighbours() const {
    for (unsigned d = 0; d < 6; ++d) {
      if (usable(d)) return true;
    }
    return false;
  }
  int choice(unsigned preferred) const {
    if (usable(6) && all[6].free() && (preferred == 6 || !neighbours())) return 6;
    for (unsigned k = 0; k < 6; ++k) {
      const unsigned d = (k + (preferred < 6 ? preferred : rotate)) % 6;
      if (usable(d) && all[d].free()) return static_cast<int>(d);
    }
    return -1;
  }
  int query() const {
    for (unsigned d = 0; d < 7; ++d) {
      if (all[d].query) return static_cast<int>(d);
    }
    return -1;
  }
  std::uint64_t wake_at() const {
    std::uint64_t first = kNever;
    for (const Direction& d : all) {
      if (d.outstanding) first = std::min(first, d.deadline);
    }
    return first;
  }
  unsigned neighbour(unsigned d) const {
    std::array<unsigned, 3> at = own;
    if (d < 6) {
      unsigned& axis = at[d / 2];
      const unsigned end = last[d / 2];
      axis = d % 2 == 0 ? (axis == end ? 0 : axis + 1) : (axis == 0 ? end : axis - 1);
    }
    return at[0] | at[1] << 4 | at[2] << 8;
  }
};

TEST_F(ReflectionCredits, KeepTheirContractInEveryCycle) {
  Random random;
  SCOPED_TRACE(random.replay());
  CreditsModel model;
  std::uint64_t now = 0;
  bool done = false, told = false;
  std::uint64_t answer = 0;
  Status status = Status::kOk;
  RegisterRequest request;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (cycle % 1500 == 0) {
      dut_->register_valid_i = dut_->ask_i = dut_->take_i = dut_->query_taken_i = 0;
      dut_->credit_return_valid_i = 0;
      dut_.reset(1);
      model = {};
      done = told = false;
      for (unsigned axis = 0; axis < 3; ++axis) {
        model.last[axis] = static_cast<unsigned>(random.chance(20) ? 0 : random.below(16));
        model.own[axis] = static_cast<unsigned>(
            random.chance(40) ? model.last[axis] : random.below(model.last[axis] + 1));
        if (random.chance(30)) model.own[axis] = 0;
      }
      model.torus = static_cast<unsigned>(random.below(8));
      dut_->strap_x_i = static_cast<CData>(model.own[0]);
      dut_->strap_y_i = static_cast<CData>(model.own[1]);
      dut_->strap_z_i = static_cast<CData>(model.own[2]);
      dut_->strap_last_x_i = static_cast<CData>(model.last[0]);
      dut_->strap_last_y_i = static_cast<CData>(model.last[1]);
      dut_->strap_last_z_i = static_cast<CData>(model.last[2]);
      dut_->strap_torus_i = static_cast<CData>(model.torus);
      now = random.bits64() >> (16 + random.below(30));
    }
    now += random.below(3);
    if (random.chance(10) && model.wake_at() != CreditsModel::kNever)
      now = std::max(now, model.wake_at() - 1);
    const std::uint32_t timeout = random.chance(20) ? 0
                                  : random.chance(90)
                                      ? 1 + static_cast<std::uint32_t>(random.below(30))
                                      : 1U << random.below(32);
    const auto preferred = static_cast<unsigned>(random.below(8));
    const auto returning = static_cast<unsigned>(random.below(7));
    const CreditsModel::Direction& back = model.all[returning == 6 ? 6 : returning ^ 1];
    const auto number = static_cast<std::uint16_t>(
        random.chance(90) ? back.returned + random.below(5) - 1 : random.bits64());
    const unsigned queue = random.chance(95) ? returning : returning ^ 8U << random.below(5);
    dut_->now_i = now;
    dut_->timeout_cycles_i = timeout;
    dut_->ask_i = random.chance(70);
    dut_->preferred_i = static_cast<CData>(preferred);
    dut_->credit_return_valid_i = random.chance(40);
    dut_->credit_return_queue_i = static_cast<CData>(queue);
    dut_->credit_return_number_i = number;
    dut_->take_i = dut_->query_taken_i = 0;
    if (!dut_->register_valid_i && random.chance(6)) {
      std::uint32_t address =
          registers::reflection::credit(0) + 8 * static_cast<std::uint32_t>(random.below(7));
      if (random.chance(20)) address ^= 8U << random.below(17);
      const std::uint64_t data = random.chance(60)   ? random.below(6)
                                 : random.chance(50) ? random.below(256)
                                                     : 1ULL << random.below(64);
      request = register_write(address, data, random.chance(90) ? 8 : 4);
      if (random.chance(50)) request.set<layout::register_request::write>(0);
      if (random.chance(5)) request.set<layout::register_request::page>(1);
      drive(dut_->register_request_i, request);
      dut_->register_valid_i = 1;
    }
    dut_.settle();
    const int query = model.query();
    const bool asks = dut_->ask_i && query < 0;
    const int chosen = asks ? model.choice(preferred) : -1;
    ASSERT_EQ(dut_->query_valid_o, query >= 0) << "cycle " << cycle;
    ASSERT_EQ(dut_->available_o, chosen >= 0) << "cycle " << cycle;
    ASSERT_EQ(dut_->configured_o, asks && (model.usable(6) || model.neighbours()));
    const int named = query >= 0 ? query : chosen;
    if (named >= 0) {
      const auto d = static_cast<unsigned>(named);
      ASSERT_EQ(dut_->direction_o, d) << "cycle " << cycle;
      ASSERT_EQ(dut_->number_o, static_cast<std::uint16_t>(model.all[d].sent - (query >= 0)));
      ASSERT_EQ(dut_->neighbour_o, model.neighbour(d)) << "direction " << d;
    } else if (!dut_->ask_i) {
      ASSERT_EQ(dut_->neighbour_o, 0);
    }
    ASSERT_EQ(dut_->wake_at_o, model.wake_at()) << "cycle " << cycle;
    ASSERT_EQ(dut_->credit_returned_o, told) << "cycle " << cycle;
    ASSERT_EQ(dut_->busy_o, query >= 0 || told || done) << "cycle " << cycle;
    ASSERT_EQ(dut_->register_done_o, done);
    const auto response = sample_record<RegisterResponse>(dut_->register_response_o);
    ASSERT_EQ(response.get<layout::register_response::data>(), done ? answer : 0);
    ASSERT_EQ(response.get<layout::register_response::status>(), done ? status : Status::kOk);
    // What the coming edge does.
    const bool take = chosen >= 0 && random.chance(60), asked = query >= 0 && random.chance(30);
    dut_->take_i = take;
    dut_->query_taken_i = asked;
    const bool access = dut_->register_valid_i && !done;
    const auto address =
        static_cast<std::uint32_t>(request.get<layout::register_request::address>());
    const std::uint32_t offset = address - registers::reflection::credit(0);
    int written = -1;
    if (access) {
      const bool write = request.get<layout::register_request::write>() != 0;
      const std::uint64_t data = request.get<layout::register_request::data>();
      const bool known = offset < 56 && request.get<layout::register_request::page>() == 0;
      status = !known ? Status::kRegisterUnknown
               : write && request.get<layout::register_request::wide>() == 0
                   ? Status::kRegisterPartial
               : write && data >> 8 != 0 ? Status::kRegisterValue
                                         : Status::kOk;
      answer = 0;
      if (status == Status::kOk && write) written = static_cast<int>(offset / 8);
      if (status == Status::kOk && !write) {
        const CreditsModel::Direction& d = model.all[offset / 8];
        answer = d.slots | std::uint64_t{d.sent} << 16 | std::uint64_t{d.returned} << 32;
      }
    }
    const auto ahead = static_cast<std::uint16_t>(number - back.returned);
    const bool returns = dut_->credit_return_valid_i && queue == returning &&
                         ahead < static_cast<std::uint16_t>(back.sent - back.returned);
    const CreditsModel before = model;
    for (unsigned d = 0; d < 7; ++d) {
      const CreditsModel::Direction& old = before.all[d];
      CreditsModel::Direction& next = model.all[d];
      const bool taken = take && chosen == static_cast<int>(d);
      const bool queried = asked && query == static_cast<int>(d);
      const bool returned = returns && (returning == 6 ? 6 : returning ^ 1) == d;
      const bool wrote = written == static_cast<int>(d);
      if (taken) ++next.sent, next.outstanding = true;
      if (returned) {
        next.returned = static_cast<std::uint16_t>(number + 1);
        if (next.returned == next.sent) next.outstanding = false;
      }
      next.query = (old.query || (old.outstanding && now >= old.deadline)) && !queried &&
                   !returned && !wrote;
      if ((taken && !old.outstanding) || queried || returned || (wrote && !old.outstanding)) {
        next.deadline =
            timeout == 0 ? CreditsModel::kNever : (now + timeout) & CreditsModel::kNever;
      }
      if (wrote) {
        next.slots = static_cast<unsigned>(request.get<layout::register_request::data>());
        next.sent = next.returned = 0;
        next.outstanding = false;
      }
    }
    if (take && chosen < 6) model.rotate = static_cast<unsigned>(chosen + 1) % 6;
    told = returns || written >= 0;
    dut_.tick();
    if (done) dut_->register_valid_i = 0;
    done = access;
  }
}

TEST_F(ReflectionCredits, CountAcrossTheWrapInEachDirection) {
  for (unsigned direction = 0; direction < 7; ++direction) give(direction, 255);
  dut_->ask_i = 1;
  for (unsigned direction = 0; direction < 7; ++direction) {
    dut_->preferred_i = static_cast<CData>(direction);
    dut_->credit_return_queue_i = static_cast<CData>(direction == 6 ? 6 : direction ^ 1U);
    for (std::uint32_t sent = 0; sent < 66000; ++sent) {
      // Of all that is under way the oldest comes back.
      dut_->credit_return_valid_i = sent >= 200;
      dut_->credit_return_number_i = static_cast<SData>(sent - 200);
      dut_->take_i = 0;
      dut_.settle();
      ASSERT_TRUE(dut_->available_o);
      ASSERT_EQ(dut_->direction_o, direction);
      ASSERT_EQ(dut_->number_o, sent & 0xFFFF);
      dut_->take_i = 1;
      dut_.tick();
    }
    dut_->take_i = dut_->credit_return_valid_i = 0;
    EXPECT_EQ(bus_.read(register_read(registers::reflection::credit(0) + 8 * direction)),
              255U | std::uint64_t{66000 & 0xFFFF} << 16 | std::uint64_t{65800 & 0xFFFF} << 32);
  }
}

}  // namespace
}  // namespace torusmu::testing
