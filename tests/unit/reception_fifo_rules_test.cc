// SPDX-License-Identifier: Apache-2.0
// The row is a black box here: it starts as zeros and goes from output to input, as in the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_reception_fifo_rules.h"
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

class ReceptionFifoRules : public ::testing::Test {
 protected:
  ReceptionFifoRules() : rules(&context) {
    drive(rules.configuration_i, Bytes(kConfigurationBytes));
    drive(rules.pointers_i, Bytes(kPointersBytes));
    rules.exists_i = 1;
    write(f::base.offset, 0x4000);
    write(f::size.offset, 50);
    write(f::config.offset, 1);
  }
  void step() {
    rules.eval();
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
    rules.eval();
    EXPECT_EQ(rules.status_o, 0);
    step();
  }
  std::uint64_t read(std::uint32_t offset) {
    drive(rules.register_request_i,
          RegisterRequest{}.set<q::address>(f::base(0) + offset).set<q::wide>(1));
    rules.register_i = 1;
    rules.eval();
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
    rules.eval();
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
        rules.eval();
        const bool fits = reserved + slots - head <= 50 && (reply || !refusing);
        ASSERT_EQ(rules.answer_status_o,
                  static_cast<unsigned>(fits ? Status::kOk : Status::kFifoFull));
        ASSERT_EQ(rules.answer_refusing_o, refusing);
        ASSERT_EQ(rules.answer_address_o, 0x4000 + reserved % 50 * 32);
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
        rules.eval();
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
          if (refusing && ((head - mark) * 4 >= 50 || head == reserved)) {
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
    rules.eval();
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
    rules.eval();
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
  rules.slots_i = 51;
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
    rules.eval();
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
  rules.eval();
  EXPECT_EQ(rules.answer_status_o, 0U);
  EXPECT_FALSE(rules.boot_lookup_o);
}

}  // namespace
}  // namespace torusmu::testing
