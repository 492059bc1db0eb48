// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_signal_link.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

TEST(SignalLink, ShowsEverySignalAfterItsLatency) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (unsigned latency = 1; latency <= 32; ++latency) {
    Clocked<Vmu_signal_link> link(random.seed() + latency);
    link->latency_i = static_cast<CData>(latency);
    link.reset();
    std::deque<unsigned> line(latency - 1, 0U);
    for (unsigned cycle = 0; cycle < 400; ++cycle) {
      // Alone, in crowds, and none for longer than the cable.
      const bool any = random.chance(cycle / 50 % 3 * 45 + 2);
      const unsigned in = any ? static_cast<unsigned>(random.below(1U << 16)) : 0;
      line.push_back(in);
      link->signals_i = static_cast<SData>(in);
      link.settle();
      ASSERT_EQ(link->signals_o, line.front()) << "latency " << latency << " cycle " << cycle;
      line.pop_front();
      link.tick();
    }
  }
}

TEST(SignalLink, SeesALatencyOfZeroAsAnError) {
  Clocked<Vmu_signal_link> link;
  link->latency_i = 0;
  EXPECT_THROW(link.tick(), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
