// SPDX-License-Identifier: Apache-2.0
// The row goes from output to input, as in the table, or is that of any FIFO.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_reception_fifo_rules.h"
#include "tests/support/reception_fifo_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
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
    rules.lookup_i = rules.publish_i = rules.register_i = rules.reserve_i = rules.refuse_i = 0;
  }
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
    rules.slots_i = slots;
    switch (random.below(3)) {
      case 0: {
        const bool reply = random.chance(30);
        rules.lookup_i = 1;
        rules.reply_i = reply;
        stand(rules);
        const bool fits = reserved + slots - head <= 64 && (reply || !refusing);
        ASSERT_EQ(rules.answer_status_o,
                  static_cast<unsigned>(fits ? Status::kOk : Status::kFifoFull));
        ASSERT_EQ(rules.answer_refusing_o, refusing);
        ASSERT_EQ(rules.answer_address_o, 0x4000 + reserved % 64 * 32);
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

TEST_F(ReceptionFifoRules, AskTheBootBufferOfTheOwnerForEveryRequest) {
  write(f::config.offset, 8 | 2U << 4U);
  rules.slots_i = 17;
  for (unsigned i = 0; i < 64; ++i) {
    const bool reply = (i & 1U) != 0;
    const bool counted = (i & 2U) != 0;
    const bool stranger = (i & 4U) != 0;
    const bool room = (i & 8U) != 0;
    const bool act = (i & 16U) != 0;
    rules.lookup_i = 1;
    rules.reply_i = reply;
    rules.counted_i = counted;
    rules.on_behalf_i = 1;
    rules.client_i = stranger ? 1 : 2;
    rules.boot_room_i = room;
    stand(rules);
    const Status status = reply || counted ? Status::kFifoInvalid
                          : stranger       ? Status::kPermission
                          : room           ? Status::kOk
                                           : Status::kFifoFull;
    EXPECT_EQ(rules.answer_status_o, static_cast<unsigned>(status)) << i;
    EXPECT_EQ(rules.boot_lookup_o, !reply) << i;
    EXPECT_EQ(rules.boot_client_o, 2U);
    EXPECT_TRUE(rules.answer_refusing_o);  // nothing is held
    rules.reserve_i = act && status == Status::kOk;
    rules.refuse_i = act && status == Status::kFifoFull;
    stand(rules);
    EXPECT_FALSE(rules.write_pointers_o) << i;
    step();
  }
}

TEST_F(ReceptionFifoRules, CountRefusedPacketsUpToTheLargestNumber) {
  Bytes pointers(kPointersBytes);
  constexpr std::size_t kRefused = 12;  // where the count stands in the row
  std::fill_n(pointers.begin() + kRefused, 4, std::uint8_t{0xff});
  pointers[kRefused] = 0xfe;
  drive(rules.pointers_i, pointers);
  rules.slots_i = 65;
  for (int i = 0; i < 3; ++i) {
    rules.lookup_i = rules.refuse_i = 1;
    step();
    EXPECT_EQ(read(f::refused.offset), 0xffffffffU) << i;
  }
}

TEST_F(ReceptionFifoRules, SwitchInTheCycleOfAConfigWrite) {
  const auto config = [&](std::uint64_t data, bool elsewhere) {
    rules.boot_elsewhere_i = elsewhere;
    drive(rules.register_request_i, RegisterRequest{}
                                        .set<q::address>(f::config(0))
                                        .set<q::data>(data)
                                        .set<q::write>(1)
                                        .set<q::wide>(1));
    rules.register_i = 1;
    stand(rules);
    EXPECT_EQ(rules.boot_client_o, data >> 4U & 0xFU);
    const bool switches = rules.boot_switch_o != 0;
    EXPECT_EQ(switches, rules.status_o == 0);
    EXPECT_EQ(rules.boot_opens_o, (data & 8) != 0);
    EXPECT_EQ(rules.boot_drains_o, (data & 3) == 1);
    step();
    return switches;
  };
  EXPECT_TRUE(config(8 | 3U << 4U, false));
  EXPECT_FALSE(config(8 | 3U << 4U, true));
  EXPECT_FALSE(config(9 | 3U << 4U, false));
  EXPECT_TRUE(config(3 | 3U << 4U, false));
  EXPECT_TRUE(config(0, false));
  EXPECT_TRUE(config(1 | 3U << 4U, true));  // the buffer of another FIFO is of no account
  rules.slots_i = 1;
  rules.lookup_i = 1;
  rules.reply_i = rules.counted_i = rules.on_behalf_i = 0;
  stand(rules);
  EXPECT_EQ(rules.answer_status_o, 0U);
  EXPECT_FALSE(rules.boot_lookup_o);
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
        .boot_room = random_.chance(50)};
    elsewhere_ = random_.chance(20);
    drive_row();
    rules_.exists_i = exists_;
    rules_.slots_i = static_cast<std::uint8_t>(lookup_.slots);
    rules_.reply_i = lookup_.reply;
    rules_.counted_i = lookup_.counted;
    rules_.on_behalf_i = lookup_.on_behalf;
    rules_.client_i = static_cast<std::uint8_t>(lookup_.client);
    rules_.boot_room_i = lookup_.boot_room;
    rules_.boot_elsewhere_i = elsewhere_;
    rules_.lookup_i = rules_.publish_i = rules_.register_i = 0;
    rules_.reserve_i = rules_.refuse_i = 0;
  }
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
    const std::uint64_t data = request_.get<q::data>();
    ASSERT_EQ(rules_.answer_refusing_o, before.refusing || before.boot);
    ASSERT_EQ(rules_.answer_owner_o, before.owner);
    ASSERT_EQ(rules_.answer_second_address_o, before.base);
    ASSERT_EQ(rules_.boot_opens_o, data >> 3U & 1U);
    ASSERT_EQ(rules_.boot_drains_o, (data & 3U) == 1);
    ASSERT_EQ(rules_.boot_client_o, rules_.lookup_i ? before.owner : data >> 4U & 0xfU);
    ASSERT_EQ(rules_.publish_legal_o, lookup_.slots <= before.reserved - before.tail);
    if (!rules_.lookup_i) {
      ASSERT_FALSE(rules_.answer_status_o || rules_.boot_lookup_o);
    }
    if (!rules_.register_i) {
      ASSERT_FALSE(rules_.status_o || rules_.data_o || rules_.wait_o || rules_.boot_switch_o);
    }
    if (!rules_.publish_i) {
      ASSERT_FALSE(rules_.arrived_o || rules_.threshold_o);
    }
  }
  void look_up() {
    rules_.lookup_i = 1;
    stand(rules_);
    const ReceptionFifo before = fifo_;
    const Status status = exists_ ? fifo_.answer(lookup_) : Status::kFifoInvalid;
    ASSERT_EQ(static_cast<Status>(rules_.answer_status_o), status);
    ASSERT_EQ(rules_.boot_lookup_o, exists_ && fifo_.in_boot_buffer(lookup_));
    const FifoPlace place = fifo_.place(lookup_.slots);
    ASSERT_EQ(rules_.answer_address_o, place.address);
    ASSERT_EQ(rules_.answer_bytes_o, place.bytes);
    ASSERT_EQ(rules_.answer_split_o, place.second_bytes != 0);
    ASSERT_EQ(rules_.answer_second_bytes_o, place.second_bytes);
    const bool acts = random_.chance(80);
    rules_.reserve_i = acts && status == Status::kOk;
    rules_.refuse_i = acts && status == Status::kFifoFull;
    stand(rules_);
    const bool changes = (rules_.reserve_i || rules_.refuse_i) && !fifo_.boot;
    if (changes && rules_.reserve_i) fifo_.reserve(lookup_.slots);
    if (changes && rules_.refuse_i) fifo_.refuse(lookup_.reply);
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(false, changes));
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
    const FifoAccess access =
        exists_ ? fifo_.access(request_, elsewhere_) : FifoAccess{Status::kRegisterUnknown};
    ASSERT_EQ(static_cast<Status>(rules_.status_o), access.status);
    ASSERT_EQ(rules_.data_o, access.data);
    ASSERT_EQ(rules_.wait_o, access.waits);
    ASSERT_EQ(rules_.boot_switch_o, access.switches);
    ASSERT_NO_FATAL_FAILURE(compare_always(before));
    ASSERT_NO_FATAL_FAILURE(compare_rows(access.wrote_configuration, access.wrote_pointers));
  }

  Random random_;
  VerilatedContext context_;
  Vmu_reception_fifo_rules rules_;
  ReceptionFifo fifo_;
  FifoLookup lookup_;
  RegisterRequest request_;
  bool exists_ = false, elsewhere_ = false;
};

TEST_F(ReceptionFifoRulesAtRandom, DoToAnyRowWhatTheContractSays) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 40000; ++i) {
    drive_all();
    const auto operation = random_.below(7);
    if (operation < 2) {
      ASSERT_NO_FATAL_FAILURE(look_up()) << i;
    }
    if (operation == 2) {
      ASSERT_NO_FATAL_FAILURE(publish()) << i;
    }
    if (operation > 2 && operation < 6) {
      ASSERT_NO_FATAL_FAILURE(access()) << i;
    }
    if (operation == 6) {
      stand(rules_);
      ASSERT_NO_FATAL_FAILURE(compare_always(fifo_));
      ASSERT_NO_FATAL_FAILURE(compare_rows(false, false));
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
  }
}

}  // namespace
}  // namespace torusmu::testing
