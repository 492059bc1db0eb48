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

TEST(Link, CarriesALoneFlitOrCreditAllTheWay) {
  for (unsigned latency = 1; latency <= 32; ++latency) {
    Clocked<Vmu_link> link(latency);
    link->latency_i = static_cast<CData>(latency);
    link.reset();
    for (unsigned what = 1; what < 8; ++what) {
      for (unsigned cycle = 0; cycle < 2 * latency; ++cycle) {
        link->valid_i = cycle == 0 && (what & 4) != 0;
        link->credit_i = cycle == 0 ? what & 3 : 0;
        link.settle();
        const unsigned seen = cycle + 1 == latency ? what : 0;
        ASSERT_EQ(link->valid_o << 2 | link->credit_o, seen) << latency << " cycle " << cycle;
        link.tick();
      }
    }
  }
}

TEST(Link, ShowsZeroWithoutAFlit) {
  for (const unsigned latency : {1U, 2U}) {
    Clocked<Vmu_link> link;
    link->latency_i = static_cast<CData>(latency);
    link.reset();
    link->head_i = link->tail_i = link->reply_i = 1;
    for (auto& word : link->data_i.m_storage) word = ~0U;
    link.settle();
    EXPECT_EQ(link->head_o | link->tail_o | link->reply_o, 0);
    for (const auto& word : link->data_o.m_storage) EXPECT_EQ(word, 0U);
  }
}

TEST(Link, MayChangeItsLatencyWhileItIsEmpty) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_link> link(random.seed());
  link->latency_i = 1;
  link.reset();
  for (int run = 0; run < 200; ++run) {
    const auto latency = static_cast<unsigned>(random.chance(40) ? 1 : 1 + random.below(32));
    const auto flits = static_cast<unsigned>(random.below(4));
    const auto first = static_cast<std::uint32_t>(random.bits64());
    link->latency_i = static_cast<CData>(latency);
    for (unsigned cycle = 0; cycle < flits + 33; ++cycle) {
      link->valid_i = cycle < flits;
      link->data_i[0] = first + cycle;
      link.settle();
      const bool arrives = cycle + 1 >= latency && cycle + 1 < latency + flits;
      ASSERT_EQ(link->valid_o, arrives) << "run " << run << " latency " << latency;
      if (arrives) {
        ASSERT_EQ(link->data_o[0], first + cycle + 1 - latency);
      }
      link.tick();
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
