// SPDX-License-Identifier: Apache-2.0
// The data register of the instruction REGISTER_ACCESS.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_tap_access.h"
#include "tests/debug/jtag_probe.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using enum TapAnswer;

class Register {
 public:
  Clocked<Vmu_tap_access>& model() { return model_; }
  void pulse(CData& pin) {
    pin = 1;
    model_.tick();
    pin = 0;
    model_.settle();
  }
  AccessResult shift(TapOperation operation, std::uint32_t address = 0, std::uint64_t data = 0) {
    Bits out;
    for (const bool bit : bits_of_access(operation, address, data)) {
      model_->bit_i = bit;
      model_.settle();
      out.push_back(model_->bit_o);
      pulse(model_->shift_i);
    }
    return result_of(out);
  }
  AccessResult scan(TapOperation operation, std::uint32_t address = 0, std::uint64_t data = 0) {
    pulse(model_->capture_i);
    const AccessResult result = shift(operation, address, data);
    pulse(model_->update_i);
    return result;
  }
  void take() { pulse(model_->access_ready_i); }
  void answer(bool error, std::uint64_t data) {
    model_->response_error_i = error;
    model_->response_data_i = data;
    pulse(model_->response_valid_i);
  }

 private:
  Clocked<Vmu_tap_access> model_;
};

TEST(TapAccess, ReadsAndHandsTheDataOutInTheNextScan) {
  Register reg;
  EXPECT_EQ(reg.scan(TapOperation::kRead, 0x12340), (AccessResult{kOk, 0, 0}));
  EXPECT_EQ(reg.model()->access_valid_o, 1);
  EXPECT_EQ(reg.model()->access_write_o, 0);
  EXPECT_EQ(reg.model()->access_address_o, 0x12340U);
  reg.take();
  reg.answer(false, 0x0123'4567'89ab'cdef);
  const AccessResult result{kOk, 0x12340, 0x0123'4567'89ab'cdef};
  EXPECT_EQ(reg.scan(TapOperation::kNone), result);
  EXPECT_EQ(reg.model()->access_valid_o, 0) << "NONE asks for nothing";
  EXPECT_EQ(reg.scan(TapOperation::kNone), result) << "and the result stays";
}

TEST(TapAccess, WritesEightBytesOrFourInTheirHalf) {
  struct Case {
    TapOperation operation;
    std::uint32_t address;
    std::uint64_t data;
    unsigned strobe;
  };
  for (const Case& want : {Case{TapOperation::kWrite8, 0x00ff8, 0x1122'3344'5566'7788, 0xff},
                           Case{TapOperation::kWrite4, 0x00ff8, 0x5566'7788'5566'7788, 0x0f},
                           Case{TapOperation::kWrite4, 0x00ffc, 0x5566'7788'5566'7788, 0xf0}}) {
    Register reg;
    reg.scan(want.operation, want.address, 0x1122'3344'5566'7788);
    EXPECT_EQ(reg.model()->access_valid_o, 1);
    EXPECT_EQ(reg.model()->access_write_o, 1);
    EXPECT_EQ(reg.model()->access_address_o, want.address);
    EXPECT_EQ(reg.model()->access_data_o, want.data);
    EXPECT_EQ(reg.model()->access_strobe_o, want.strobe);
    reg.take();
    reg.answer(false, 99);
    EXPECT_EQ(reg.scan(TapOperation::kNone),
              (AccessResult{kOk, want.address, 0x1122'3344'5566'7788}));
  }
}

TEST(TapAccess, OffersUntilItIsTaken) {
  Register reg;
  reg.scan(TapOperation::kWrite8, 8, 5);
  for (unsigned i = 0; i < 20; ++i) {
    EXPECT_EQ(reg.model()->access_valid_o, 1);
    reg.model().tick();
  }
  reg.take();
  EXPECT_EQ(reg.model()->access_valid_o, 0);
}

TEST(TapAccess, ReportsARefusalUntilTheNextAccess) {
  Register reg;
  reg.scan(TapOperation::kRead, 0x10);
  reg.take();
  reg.answer(true, 0);
  EXPECT_EQ(reg.scan(TapOperation::kNone).answer, kRefused);
  EXPECT_EQ(reg.scan(TapOperation::kRead, 0x20).answer, kRefused);
  reg.take();
  reg.answer(false, 7);
  EXPECT_EQ(reg.scan(TapOperation::kNone), (AccessResult{kOk, 0x20, 7}));
}

TEST(TapAccess, IsBusyUntilTheAccessIsAnswered) {
  Register reg;
  reg.scan(TapOperation::kRead, 0x10);
  EXPECT_EQ(reg.scan(TapOperation::kWrite8, 0x20, 1).answer, kBusy) << "not taken";
  reg.take();
  EXPECT_EQ(reg.scan(TapOperation::kWrite8, 0x20, 1).answer, kBusy) << "not answered";
  EXPECT_EQ(reg.model()->access_valid_o, 0) << "and nothing has started";
  reg.answer(false, 7);
  EXPECT_EQ(reg.model()->access_valid_o, 0);
  EXPECT_EQ(reg.scan(TapOperation::kNone), (AccessResult{kOk, 0x10, 7}));
}

TEST(TapAccess, IgnoresWhatABusyScanBringsThoughItEndsAfterTheAccess) {
  Register reg;
  reg.scan(TapOperation::kRead, 0x10);
  reg.take();
  reg.pulse(reg.model()->capture_i);
  reg.answer(false, 7);
  EXPECT_EQ(reg.shift(TapOperation::kWrite8, 0x20, 1).answer, kBusy);
  reg.pulse(reg.model()->update_i);
  EXPECT_EQ(reg.model()->access_valid_o, 0);
  EXPECT_EQ(reg.scan(TapOperation::kNone), (AccessResult{kOk, 0x10, 7})) << "nothing is lost";
}

TEST(TapAccess, CarriesRandomAccessesAtAnyPace) {
  Random random;
  SCOPED_TRACE(random.replay());
  Register reg;
  AccessResult last{kOk, 0, 0};
  for (unsigned i = 0; i < 300; ++i) {
    const auto operation = static_cast<TapOperation>(random.below(4));
    const auto address = static_cast<std::uint32_t>(random.below(1U << 20));
    const std::uint64_t data = random.bits64();
    ASSERT_EQ(reg.scan(operation, address, data), last) << i;
    ASSERT_EQ(reg.model()->access_valid_o, operation != TapOperation::kNone);
    if (operation == TapOperation::kNone) continue;
    ASSERT_EQ(reg.model()->access_address_o, address);
    ASSERT_EQ(reg.model()->access_write_o, operation != TapOperation::kRead);
    for (std::uint64_t wait = random.below(5); wait != 0; --wait) reg.model().tick();
    reg.take();
    for (std::uint64_t wait = random.below(5); wait != 0; --wait) reg.model().tick();
    const std::uint64_t answer = random.bits64();
    const bool refused = random.chance(20);
    reg.answer(refused, answer);
    last = {refused ? kRefused : kOk, address, operation == TapOperation::kRead ? answer : data};
  }
}

}  // namespace
}  // namespace torusmu::testing
