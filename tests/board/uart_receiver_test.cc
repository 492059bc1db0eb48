// SPDX-License-Identifier: Apache-2.0
// verilator: -GBIT_CYCLES=40
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vmu_uart_receiver.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class UartReceiver : public ::testing::Test {
 protected:
  UartReceiver() : receiver_(random_.seed()) {
    receiver_->line_i = 1;
    receiver_.reset(4);
  }
  void line(bool level, unsigned cycles) {
    receiver_->line_i = level;
    for (unsigned i = 0; i < cycles; ++i) {
      receiver_.tick();
      if (receiver_->valid_o) shown_.push_back(receiver_->data_o);
    }
  }
  void send(std::uint8_t byte, unsigned bit_cycles, bool stop = true) {
    line(false, bit_cycles);
    for (unsigned i = 0; i < 8; ++i) line(byte >> i & 1, bit_cycles);
    line(stop, bit_cycles);
  }

  Random random_;
  Clocked<Vmu_uart_receiver> receiver_;
  std::vector<std::uint8_t> shown_;
};

TEST_F(UartReceiver, ShowsEachByteOnceAlsoFromSendersAFortiethOff) {
  SCOPED_TRACE(random_.replay());
  std::vector<std::uint8_t> sent;
  for (int i = 0; i < 300; ++i) {
    sent.push_back(static_cast<std::uint8_t>(random_.bits64()));
    send(sent.back(), 39 + static_cast<unsigned>(random_.below(3)));
    if (random_.chance(30)) line(true, static_cast<unsigned>(random_.below(100)));
  }
  line(true, 80);
  EXPECT_EQ(shown_, sent);
}

TEST_F(UartReceiver, TakesAStartBitShorterThanHalfABitForNoise) {
  line(false, 15);
  line(true, 300);
  EXPECT_TRUE(shown_.empty());
  send(0xa5, 40);
  line(true, 40);
  EXPECT_EQ(shown_, std::vector<std::uint8_t>{0xa5});
}

TEST_F(UartReceiver, DropsAByteWithoutAStopBitAndShowsTheNext) {
  send(0x55, 40, false);
  line(false, 666);
  line(true, 90);
  EXPECT_TRUE(shown_.empty());
  send(0x5a, 40);
  line(true, 40);
  EXPECT_EQ(shown_, std::vector<std::uint8_t>{0x5a});
}

}  // namespace
}  // namespace torusmu::testing
