// SPDX-License-Identifier: Apache-2.0
// verilator: -GBIT_CYCLES=5
#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_uart_sender.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kBit = 5;

TEST(UartSender, SendsStartBitThenTheLowestBitFirstThenAStopBit) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_uart_sender> sender(random.seed());
  for (int i = 0; i < 300; ++i) {
    const auto byte = static_cast<std::uint8_t>(random.bits64());
    ASSERT_TRUE(sender->in_ready_o);
    ASSERT_TRUE(sender->line_o) << "between bytes";
    sender->in_valid_i = 1;
    sender->in_data_i = byte;
    sender.tick();
    sender->in_valid_i = random.chance(50);  // not taken before the byte is out
    sender->in_data_i = static_cast<std::uint8_t>(~byte);
    const unsigned frame = 0x200U | static_cast<unsigned>(byte) << 1;
    for (unsigned cycle = 0; cycle < 10 * kBit; ++cycle) {
      ASSERT_FALSE(sender->in_ready_o) << "cycle " << cycle;
      ASSERT_EQ(sender->line_o, frame >> cycle / kBit & 1) << "cycle " << cycle;
      sender.tick();
    }
    sender->in_valid_i = 0;
    sender.settle();
    for (auto gap = random.below(20); gap > 0; --gap) {
      ASSERT_TRUE(sender->line_o);
      sender.tick();
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
