// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_link.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

struct Moment {
  bool valid;
  std::uint32_t word;
  unsigned credit;
};

TEST(Link, ShowsEveryFlitAndCreditAfterItsLatency) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (unsigned latency = 1; latency <= 32; ++latency) {
    Clocked<Vmu_link> link(random.seed() + latency);
    link->latency_i = static_cast<CData>(latency);
    link.reset();
    std::deque<Moment> line(latency - 1, Moment{});
    for (int cycle = 0; cycle < 500; ++cycle) {
      const unsigned percent = cycle / 60 % 3 * 50;
      const Moment in{random.chance(percent), static_cast<std::uint32_t>(random.bits64()),
                      random.chance(percent) ? static_cast<unsigned>(random.below(4)) : 0};
      line.push_back(in);
      link->valid_i = in.valid;
      link->head_i = in.word & 1;
      link->tail_i = in.word >> 1 & 1;
      link->reply_i = in.word >> 2 & 1;
      for (unsigned i = 0; i < 4; ++i) link->data_i[i] = in.word + i;
      link->credit_i = static_cast<CData>(in.credit);
      link.settle();
      const Moment out = line.front();
      line.pop_front();
      ASSERT_EQ(link->valid_o, out.valid) << "latency " << latency << " cycle " << cycle;
      ASSERT_EQ(link->credit_o, out.credit) << "latency " << latency << " cycle " << cycle;
      if (out.valid) {
        ASSERT_EQ(link->head_o, out.word & 1);
        ASSERT_EQ(link->tail_o, out.word >> 1 & 1);
        ASSERT_EQ(link->reply_o, out.word >> 2 & 1);
        for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(link->data_o[i], out.word + i);
      }
      link.tick();
    }
  }
}

TEST(Link, SeesALatencyOfZeroAsAnError) {
  Clocked<Vmu_link> link;
  link->latency_i = 0;
  EXPECT_THROW(link.tick(), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
