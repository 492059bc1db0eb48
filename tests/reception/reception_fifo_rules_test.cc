// SPDX-License-Identifier: Apache-2.0
// The row goes from output to input, as in the table, or is that of any FIFO.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "Vmu_reception_fifo_rules.h"
#include "tests/support/reception_fifo_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
using FifoAnswer = Record<layout::fifo_answer::Layout>;
using BootStep = Record<layout::boot_step::Layout>;
using BootHeld = Record<layout::boot_held::Layout>;
namespace an = layout::fifo_answer;
namespace st = layout::boot_step;
namespace he = layout::boot_held;
namespace q = layout::register_request;
namespace f = registers::reception_fifo;

constexpr std::size_t kConfigurationBytes = 16;
constexpr std::size_t kPointersBytes = 24;

// What stands is summed up in a first cycle, and judged in a second.
void stand(Vmu_reception_fifo_rules& rules) {
  for (const int clock : {0, 1, 0}) {
    rules.clk_i = static_cast<CData>(clock);
    rules.eval();
  }
}

class ReceptionFifoRules : public ::testing::Test {
 protected:
  ReceptionFifoRules() : rules(&context) {
    drive(rules.configuration_i, Bytes(kConfigurationBytes));
    drive(rules.pointers_i, Bytes(kPointersBytes));
    rules.exists_i = 1;
    write(f::base.offset, 0x4000);
    write(f::size.offset, 64);
    write(f::config.offset, 1);
  }
  void step() {
    stand(rules);
    Bytes configuration = sample(rules.configuration_o, kConfigurationBytes);
    Bytes pointers = sample(rules.pointers_o, kPointersBytes);
    if (rules.write_configuration_o) drive(rules.configuration_i, configuration);
    if (rules.write_pointers_o) drive(rules.pointers_i, pointers);
    rules.lookup_valid_i = rules.publish_i = rules.register_i = rules.step_valid_i = 0;
    rules.reserve_i = rules.refuse_i = 0;
  }
  FifoAnswer answer() { return sample_record<FifoAnswer>(rules.answer_o); }
  void write(std::uint32_t offset, std::uint64_t data) {
    drive(rules.register_request_i, RegisterRequest{}
                                        .set<q::address>(f::base(0) + offset)
                                        .set<q::data>(data)
                                        .set<q::write>(1)
                                        .set<q::wide>(1));
    rules.register_i = 1;
    stand(rules);
    EXPECT_EQ(rules.status_o, 0);
    step();
  }
  std::uint64_t read(std::uint32_t offset) {
    drive(rules.register_request_i,
          RegisterRequest{}.set<q::address>(f::base(0) + offset).set<q::wide>(1));
    rules.register_i = 1;
    stand(rules);
    const std::uint64_t data = rules.data_o;
    step();
    return data;
  }
  bool move_head(std::uint32_t to) {
    drive(rules.register_request_i,
          RegisterRequest{}
              .set<q::address>(registers::client_page::fifo_index.in_block(0))
              .set<q::data>(to)
              .set<q::write>(1)
              .set<q::page>(1));
    rules.register_i = 1;
    stand(rules);
    const bool good = rules.status_o == 0;
    step();
    return good;
  }

  VerilatedContext context;
  Vmu_reception_fifo_rules rules;
};

TEST_F(ReceptionFifoRules, FollowAModelOfTheFifo) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t reserved = 0;
  std::uint32_t mark = 0;
  bool refusing = false;
  unsigned refusals = 0;
  unsigned ends = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto slots = static_cast<std::uint8_t>(1 + random.below(17));
    FifoLookup lookup{.slots = slots};
    drive(rules.lookup_i, lookup.record());
    switch (random.below(3)) {
      case 0: {
        const bool reply = random.chance(30);
        lookup.reply = reply;
        drive(rules.lookup_i, lookup.record());
        rules.lookup_valid_i = 1;
        stand(rules);
        const bool fits = reserved + slots - head <= 64 && (reply || !refusing);
        ASSERT_EQ(answer().get<an::status>(), fits ? Status::kOk : Status::kFifoFull);
        ASSERT_EQ(answer().get<an::refusing>(), refusing);
        ASSERT_EQ(answer().get<an::address>(), 0x4000 + reserved % 64 * 32);
        const bool act = random.chance(80);
        rules.reserve_i = act && fits;
        rules.refuse_i = act && !fits;
        step();
        if (act && fits) reserved += slots;
        if (act && !fits && !reply && !refusing) {
          refusing = true;
          mark = head;
          ++refusals;
        }
        break;
      }
      case 1: {
        rules.publish_i = 1;
        stand(rules);
        ASSERT_EQ(rules.publish_legal_o, slots <= reserved - tail);
        if (rules.publish_legal_o) {
          step();
          tail += slots;
        }
        rules.publish_i = 0;
        break;
      }
      default: {
        const std::uint32_t to = head + static_cast<std::uint32_t>(random.below(tail - head + 3));
        ASSERT_EQ(move_head(to), to - head <= tail - head);
        if (to - head <= tail - head) {
          head = to;
          if (refusing && (head - mark) * 4 >= 64) {
            refusing = false;
            ++ends;
          }
        }
        break;
      }
    }
  }
  EXPECT_GT(refusals, 100U);
  EXPECT_GT(ends, 100U);
}

// Requests for a process that is not there; with enable until its boot buffer is empty.
TEST_F(ReceptionFifoRules, SendRequestsToTheKeeper) {
  for (const bool enable : {false, true}) {
    write(f::config.offset, (enable ? 1U : 0U) | 8U | 2U << 4U | 5U << 16U);
    for (unsigned i = 0; i < 64; ++i) {
      const FifoLookup lookup{.slots = 17,
                              .reply = (i & 1U) != 0,
                              .counted = (i & 2U) != 0,
                              .on_behalf = true,
                              .client = (i & 4U) != 0 ? 1U : 2U,
                              .moved = (i & 16U) != 0,
                              .keeper_owner = (i & 32U) != 0 ? 1U : 2U};
      const bool draining = (i & 8U) != 0;
      drive(rules.lookup_i, lookup.record());
      rules.draining_i = draining;
      rules.lookup_valid_i = 1;
      stand(rules);
      const bool invalid = (!enable && (lookup.reply || lookup.counted)) ||
                           (lookup.moved && lookup.keeper_owner != 2);
      const bool redirects = !lookup.reply && !lookup.moved && (!enable || draining);
      const Status status = invalid               ? Status::kFifoInvalid
                            : lookup.client != 2  ? Status::kPermission
                            : redirects || enable ? Status::kOk
                                                  : Status::kFifoFull;
      EXPECT_EQ(answer().get<an::status>(), status) << i;
      EXPECT_EQ(answer().get<an::redirect>(), redirects && status == Status::kOk) << i;
      EXPECT_EQ(rules.keeper_o, 5U);
      step();
    }
  }
}

TEST_F(ReceptionFifoRules, KeepForTheOwnerAlone) {
  write(f::config.offset, 0x101 | 2U << 4U);
  drive(rules.lookup_i, FifoLookup{.slots = 17}.record());
  for (const bool kept : {false, true}) {
    for (const unsigned owner : {1U, 2U, 3U}) {
      rules.lookup_valid_i = 1;
      rules.kept_i = kept;
      rules.kept_for_i = static_cast<std::uint8_t>(owner);
      stand(rules);
      const bool good = kept && owner == 2;
      EXPECT_EQ(answer().get<an::status>(), good ? Status::kOk : Status::kFifoInvalid);
      EXPECT_EQ(answer().get<an::refusing>(), kept) << "nothing is held";
      EXPECT_EQ(answer().get<an::kept>(), kept);
      step();
    }
  }
}

TEST_F(ReceptionFifoRules, CountRefusedPacketsUpToTheLargestNumber) {
  Bytes pointers(kPointersBytes);
  constexpr std::size_t kRefused = 12;  // where the count stands in the row
  std::fill_n(pointers.begin() + kRefused, 4, std::uint8_t{0xff});
  pointers[kRefused] = 0xfe;
  drive(rules.pointers_i, pointers);
  drive(rules.lookup_i, FifoLookup{.slots = 65}.record());
  for (int i = 0; i < 3; ++i) {
    rules.lookup_valid_i = rules.refuse_i = 1;
    step();
    EXPECT_EQ(read(f::refused.offset), 0xffffffffU) << i;
  }
}

TEST_F(ReceptionFifoRules, TellOfAConfigWriteInItsCycle) {
  const auto configures = [&](std::uint64_t data, bool pending) {
    rules.pending_i = pending;
    drive(rules.register_request_i, RegisterRequest{}
                                        .set<q::address>(f::config(0))
                                        .set<q::data>(data)
                                        .set<q::write>(1)
                                        .set<q::wide>(1));
    rules.register_i = 1;
    stand(rules);
    const bool tells = rules.configures_o != 0;
    EXPECT_EQ(tells, rules.status_o == 0 && !rules.wait_o);
    step();
    return tells;
  };
  EXPECT_TRUE(configures(8 | 3U << 4U, true)) << "it had no boot";
  EXPECT_FALSE(configures(1, true)) << "what is on its way may be meant for it";
  EXPECT_FALSE(configures(0xb, false));
  EXPECT_TRUE(configures(1, false));
}

TEST_F(ReceptionFifoRules, FreeSlotsOfABootBufferAlone) {
  for (const std::uint64_t config : {0x101U, 1U}) {
    write(f::config.offset, config);
    drive(rules.lookup_i, FifoLookup{.slots = 9}.record());
    const bool keeps = (config & 0x100) != 0;
    rules.kept_i = keeps;
    rules.kept_for_i = 0;
    for (int i = 0; i < 2; ++i) {
      rules.lookup_valid_i = rules.reserve_i = 1;
      step();
    }
    rules.publish_i = 1;
    step();
    const auto ask = [&](unsigned slots, bool discard) {
      drive(rules.step_i, BootStep{}.set<st::slots>(slots).set<st::discard>(discard));
      rules.step_valid_i = 1;
      stand(rules);
      const auto held = sample_record<BootHeld>(rules.held_o);
      step();
      return held;
    };
    EXPECT_EQ(ask(0, false).get<he::slots>(), 9U);
    EXPECT_EQ(ask(4, false).get<he::empty>(), !keeps);
    EXPECT_EQ(read(f::head.offset), keeps ? 4U : 0U);
    if (keeps) {
      EXPECT_EQ(ask(0, false).get<he::address>(), 0x4000U + 4 * 32);
    }
    ask(0, true);
    EXPECT_EQ(read(f::head.offset), keeps ? 9U : 0U);
    EXPECT_EQ(ask(0, false).get<he::empty>(), !keeps) << "some are on their way";
    rules.publish_i = 1;
    step();
    ask(0, true);
    EXPECT_TRUE(ask(0, false).get<he::empty>());
    rules.kept_i = 0;
  }
}

// Rows of any FIFO, with noise on what the operation does not use.
class ReceptionFifoRulesAtRandom : public ::testing::Test {
 protected:
  ReceptionFifoRulesAtRandom() : rules_(&context_) {}

  void drive_row() {
    drive(rules_.configuration_i, fifo_.configuration());
    drive(rules_.pointers_i, fifo_.pointers());
    drive(rules_.register_request_i, request_);
  }
  void drive_all() {
    fifo_ = ReceptionFifo::any(random_);
    fifo_.owner = static_cast<unsigned>(random_.below(16));
    exists_ = random_.chance(90);
    request_ = fifo_.draw(random_, static_cast<std::uint32_t>(random_.below(8)));
    lookup_ = {
        .slots = static_cast<unsigned>(random_.chance(90) ? random_.below(18) : 17),
        .reply = random_.chance(30),
        .counted = random_.chance(20),
        .on_behalf = random_.chance(40),
        .client = static_cast<unsigned>(random_.chance(80) ? fifo_.owner : random_.below(16)),
        .moved = random_.chance(20),
        .keeper_owner = static_cast<unsigned>(random_.chance(70) ? fifo_.owner : random_.below(16)),
        .kept = random_.chance(fifo_.keeps ? 70 : 5),
        .kept_for = static_cast<unsigned>(random_.chance(70) ? fifo_.owner : random_.below(16)),
        .draining = random_.chance(30)};
    if (lookup_.moved) lookup_.reply = false;
    pending_ = random_.chance(20);
    step_ = BootStep{}.set<st::slots>(random_.chance(50) ? 0 : random_.below(18));
    step_.set<st::discard>(step_.get<st::slots>() == 0 && random_.chance(30));
    drive_row();
    rules_.exists_i = exists_;
    drive(rules_.lookup_i, lookup_.record(static_cast<unsigned>(random_.below(256))));
    drive(rules_.step_i, step_);
    rules_.kept_i = lookup_.kept;
    rules_.kept_for_i = static_cast<std::uint8_t>(lookup_.kept_for);
    rules_.draining_i = lookup_.draining;
    rules_.pending_i = pending_;
    rules_.lookup_valid_i = rules_.publish_i = rules_.register_i = rules_.step_valid_i = 0;
    rules_.reserve_i = rules_.refuse_i = 0;
  }
  FifoAnswer answer() { return sample_record<FifoAnswer>(rules_.answer_o); }
  void compare_rows(bool configuration, bool pointers) {
    ASSERT_EQ(rules_.write_configuration_o, configuration);
    ASSERT_EQ(rules_.write_pointers_o, pointers);
    if (configuration) {
      ASSERT_EQ(sample(rules_.configuration_o, 16), fifo_.configuration());
    }
    if (pointers) {
      ASSERT_EQ(sample(rules_.pointers_o, 24), fifo_.pointers());
    }
  }
  void compare_always(const ReceptionFifo& before) {
    ASSERT_EQ(answer().get<an::refusing>(), before.refusing || lookup_.kept);
    ASSERT_EQ(answer().get<an::owner>(), before.owner);
    ASSERT_EQ(answer().get<an::kept>(), lookup_.kept);
    ASSERT_EQ(answer().get<an::second_address>(), before.base);
    ASSERT_EQ(rules_.keeper_o, before.keeper);
    ASSERT_EQ(rules_.keeps_o, before.keeps);
    ASSERT_EQ(rules_.publish_legal_o, lookup_.slots <= before.reserved - before.tail);
    if (!rules_.lookup_valid_i) {
      ASSERT_TRUE(answer().get<an::status>() == Status::kOk && !answer().get<an::redirect>());
    }
    if (!rules_.register_i) {
      ASSERT_FALSE(rules_.status_o || rules_.data_o || rules_.wait_o || rules_.configures_o ||
                   rules_.moves_head_o);
    }
    if (!rules_.publish_i) {
      ASSERT_FALSE(rules_.arrived_o || rules_.threshold_o);
    }
  }
  void compare_place(const FifoPlace& place, std::uint64_t address, std::uint64_t bytes) {
    ASSERT_EQ(address, place.address);
    ASSERT_EQ(bytes, place.bytes);
  }
  void look_up() {
    rules_.lookup_valid_i = 1;
    stand(rules_);
    const ReceptionFifo before = fifo_;
    // Whoever redirects it has looked whether the keeper exists.
    const bool there = exists_ && (lookup_.kept || fifo_.may_ask(lookup_));
    const Status status = there ? fifo_.answer(lookup_) : Status::kFifoInvalid;
    ASSERT_EQ(answer().get<an::status>(), status);
    ASSERT_EQ(answer().get<an::redirect>(), there && fifo_.redirects(lookup_));
    const FifoPlace place = fifo_.place(lookup_.slots);
    ASSERT_NO_FATAL_FAILURE(
        compare_place(place, answer().get<an::address>(), answer().get<an::bytes>()));
    ASSERT_EQ(answer().get<an::split>(), place.second_bytes != 0);
    ASSERT_EQ(answer().get<an::second_bytes>(), place.second_bytes);
    const bool acts = random_.chance(80) && !answer().get<an::redirect>();
    rules_.reserve_i = acts && status == Status::kOk;
    rules_.refuse_i = acts && status == Status::kFifoFull;
    stand(rules_);
    if (rules_.reserve_i) fifo_.reserve(lookup_.slots);
    if (rules_.refuse_i) fifo_.refuse(lookup_.reply);
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(false, rules_.reserve_i || rules_.refuse_i));
  }
  void free_slots() {
    const std::uint32_t in_memory = fifo_.tail - fifo_.head;
    const bool keeps = exists_ && fifo_.is_keeper();
    rules_.step_valid_i = 1;
    stand(rules_);
    const ReceptionFifo before = fifo_;
    const auto held = sample_record<BootHeld>(rules_.held_o);
    const auto slots = static_cast<unsigned>(step_.get<st::slots>());
    ASSERT_EQ(rules_.step_legal_o, keeps ? slots <= in_memory : slots == 0);
    ASSERT_EQ(held.get<he::slots>(), std::min<std::uint32_t>(in_memory, 31));
    ASSERT_EQ(held.get<he::empty>(), !keeps || before.head == before.reserved);
    ASSERT_EQ(held.get<he::owner>(), before.owner);
    ASSERT_EQ(held.get<he::base>(), before.base);
    if (keeps) {
      ReceptionFifo oldest = before;
      oldest.reserved = before.head;
      ASSERT_NO_FATAL_FAILURE(
          compare_place(oldest.place(17), held.get<he::address>(), held.get<he::bytes>()));
      fifo_.free(slots, step_.get<st::discard>() != 0);
    } else {
      ASSERT_EQ(held.get<he::address>(), 0U);
      ASSERT_EQ(held.get<he::bytes>(), 0U);
    }
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(false, keeps));
  }
  void publish() {
    rules_.publish_i = 1;
    stand(rules_);
    const ReceptionFifo before = fifo_;
    const bool threshold = fifo_.publish(lookup_.slots);
    ASSERT_EQ(rules_.arrived_o, exists_ && before.interrupt);
    ASSERT_EQ(rules_.threshold_o, exists_ && threshold);
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(false, exists_));
  }
  void access() {
    rules_.register_i = 1;
    stand(rules_);
    const ReceptionFifo before = fifo_;
    const FifoAccess access = exists_ ? fifo_.access(request_, lookup_.draining, pending_)
                                      : FifoAccess{Status::kRegisterUnknown};
    ASSERT_EQ(static_cast<Status>(rules_.status_o), access.status);
    ASSERT_EQ(rules_.data_o, access.data);
    ASSERT_EQ(rules_.wait_o, access.waits);
    ASSERT_EQ(rules_.configures_o, access.configures);
    ASSERT_EQ(rules_.moves_head_o, access.moves_head);
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(access.wrote_configuration, access.wrote_pointers));
  }

  // Without an operation what the last one has found stands, and no row is shown.
  void rest() {
    const auto found = [this] {
      rules_.eval();
      const auto held = sample_record<BootHeld>(rules_.held_o);
      return std::tuple(answer().get<an::address>(), answer().get<an::bytes>(),
                        answer().get<an::second_bytes>(), answer().get<an::split>(),
                        held.get<he::slots>(), held.get<he::empty>());
    };
    const auto before = found();
    stand(rules_);
    ASSERT_EQ(found(), before);
    ASSERT_EQ(sample(rules_.pointers_o, kPointersBytes), Bytes(kPointersBytes));
    ASSERT_NO_FATAL_FAILURE(compare_always(fifo_));
    ASSERT_NO_FATAL_FAILURE(compare_rows(false, false));
  }

  Random random_;
  VerilatedContext context_;
  Vmu_reception_fifo_rules rules_;
  ReceptionFifo fifo_;
  FifoLookup lookup_;
  RegisterRequest request_;
  BootStep step_;
  bool exists_ = false, pending_ = false;
};

TEST_F(ReceptionFifoRulesAtRandom, DoToAnyRowWhatTheContractSays) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 40000; ++i) {
    drive_all();
    const auto operation = random_.below(8);
    if (operation < 2) {
      ASSERT_NO_FATAL_FAILURE(look_up()) << i;
    }
    if (operation == 2) {
      ASSERT_NO_FATAL_FAILURE(publish()) << i;
    }
    if (operation > 2 && operation < 6) {
      ASSERT_NO_FATAL_FAILURE(access()) << i;
    }
    if (operation == 7) {
      ASSERT_NO_FATAL_FAILURE(free_slots()) << i;
    }
    if (operation == 6) {
      ASSERT_NO_FATAL_FAILURE(rest()) << i;
    }
  }
}

// Indices are compared in all their bits, though no FIFO is so long that the upper ones matter.
TEST_F(ReceptionFifoRulesAtRandom, TellIndicesApartThatDifferInOneBit) {
  SCOPED_TRACE(random_.replay());
  const auto head_write = RegisterRequest{}
                              .set<q::address>(registers::client_page::fifo_index.in_block(0))
                              .set<q::page>(1)
                              .set<q::write>(1);
  const auto config_write =
      RegisterRequest{}.set<q::address>(f::config(0)).set<q::write>(1).set<q::wide>(1);
  const auto threshold_read = RegisterRequest{}.set<q::address>(f::threshold(0));
  for (unsigned i = 0; i < 64; ++i) {
    SCOPED_TRACE(i);
    const auto index = static_cast<std::uint32_t>(random_.bits64());
    const std::uint32_t bit = i < 32 ? 1U << i : 0;
    const ReceptionFifo full{.size = ReceptionFifo::kMostSlots,
                             .threshold = 5,
                             .enable = true,
                             .head = index,
                             .tail = index,
                             .reserved = index ^ bit,
                             .mark = index,
                             .refusing = true};
    const auto set = [&](const RegisterRequest& request) {
      drive_all();
      rules_.exists_i = exists_ = true;
      fifo_ = full;
      request_ = request;
    };
    set(config_write);
    drive_row();
    ASSERT_NO_FATAL_FAILURE(access());
    for (const std::uint32_t moved : {0U, bit}) {  // since it began to refuse
      set(RegisterRequest(head_write).set<q::data>(index));
      fifo_.mark = index - moved;
      if (moved != 0) fifo_.reserved = index + 1;
      drive_row();
      ASSERT_NO_FATAL_FAILURE(access());
    }
    set(threshold_read);
    fifo_.threshold = bit & 0x1ffffff;
    drive_row();
    ASSERT_NO_FATAL_FAILURE(access());
    set(config_write);
    fifo_.tail = index + bit - lookup_.slots;
    drive_row();
    ASSERT_NO_FATAL_FAILURE(publish());
    set(config_write);
    fifo_.keeps = true;
    fifo_.tail = fifo_.reserved = index + bit;
    drive_row();
    ASSERT_NO_FATAL_FAILURE(free_slots());
  }
}

TEST_F(ReceptionFifoRulesAtRandom, EnableNoRingThatEndsBehindTheAddressSpace) {
  SCOPED_TRACE(random_.replay());
  for (std::uint64_t size = 32; size <= ReceptionFifo::kMostSlots; size *= 2) {
    for (std::uint64_t beyond = 0; beyond < size * 32; beyond = std::max(beyond * 2, 1UL)) {
      drive_all();
      rules_.exists_i = exists_ = true;
      fifo_ = {};
      fifo_.size = static_cast<std::uint32_t>(size);
      fifo_.base = (1ULL << 40) - size * 32 + beyond;
      request_ = RegisterRequest{}
                     .set<q::address>(f::config(0))
                     .set<q::data>(1)
                     .set<q::write>(1)
                     .set<q::wide>(1);
      drive_row();
      ASSERT_NO_FATAL_FAILURE(access()) << size << " slots, " << beyond << " bytes beyond";
      EXPECT_EQ(fifo_.enable, beyond == 0);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
