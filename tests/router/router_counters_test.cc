// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_counters.h"
#include "Vmu_router_counters/Vmu_router_counters___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/old_count.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

constexpr std::uint32_t kBase = 0x3E000;

struct Answer {
  std::uint64_t data;
  unsigned status;
};

class RouterCounters : public ::testing::Test {
 protected:
  Answer access(std::uint32_t address, bool write = false, bool page = false) {
    Record<layout::register_request::Layout> request;
    request.set<layout::register_request::address>(address)
        .set<layout::register_request::write>(write)
        .set<layout::register_request::page>(page);
    for (unsigned i = 0; i < 3; ++i) {
      counters_->register_request_i[i] =
          static_cast<std::uint32_t>(request.words()[i / 2] >> (i % 2 * 32));
    }
    counters_->register_valid_i = 1;
    counters_.wait_for(
        "the answer", [&] { return counters_->register_done_o != 0; }, 3);
    const Answer answer{
        counters_->register_response_o[0] | std::uint64_t{counters_->register_response_o[1]} << 32,
        counters_->register_response_o[2]};
    counters_.tick();
    counters_->register_valid_i = 0;
    counters_.settle();
    EXPECT_EQ(counters_->register_done_o, 0);
    return answer;
  }

  Clocked<Vmu_router_counters> counters_;
};

TEST_F(RouterCounters, ShowPacketsFlitsAndStallsByOutputAndClass) {
  for (unsigned cycle = 0; cycle < 300; ++cycle) {
    counters_->request_send_i = cycle < 210 ? 1 << 3 : 0;
    counters_->request_last_i = cycle < 210 && cycle % 34 == 33 ? 1 << 3 : 0;
    counters_->request_stall_i = cycle < 17 ? 1 << 0 : 0;
    counters_->reply_send_i = cycle < 250 ? 1 << 6 : 0;
    counters_->reply_last_i = cycle < 250 && cycle % 2 == 1 ? 1 << 6 : 0;
    counters_->reply_stall_i = cycle < 129 ? 1 << 5 : 0;
    counters_.tick();
  }
  const auto both = [](std::uint64_t value) { return value | value << 32; };
  EXPECT_EQ(access(kBase + 4 * (2 * 3)).data, both(6));
  EXPECT_EQ(access(kBase + 0x40 + 4 * (2 * 3)).data, both(210));
  EXPECT_EQ(access(kBase + 0x80).data, both(17));
  EXPECT_EQ(access(kBase + 4 * 13).data, both(125));
  EXPECT_EQ(access(kBase + 0x40 + 4 * 13).data, both(250));
  EXPECT_EQ(access(kBase + 0x80 + 4 * 11).data, both(129));
  EXPECT_EQ(access(kBase + 0x80 + 4 * 10).data, 0U);
  EXPECT_EQ(access(kBase).status, static_cast<unsigned>(Status::kOk));
}

TEST_F(RouterCounters, RefuseWritesPagesAndUnknownAddresses) {
  const auto unknown = static_cast<unsigned>(Status::kRegisterUnknown);
  counters_->request_send_i = 0x7f;
  counters_.tick();
  counters_->request_send_i = 0;
  for (const Answer& answer :
       {access(kBase + 0x40, true), access(kBase + 0x40, false, true), access(kBase + 0x38),
        access(kBase + 0xc0), access(kBase + 0x100), access(kBase + 0x42)}) {
    EXPECT_EQ(answer.status, unknown);
    EXPECT_EQ(answer.data, 0U);
  }
  EXPECT_EQ(access(kBase + 0x40).data & 0xffffffff, 1U);
}

TEST_F(RouterCounters, AnswerNothingThatIsAskedInAReset) {
  counters_->register_valid_i = 1;
  counters_.reset(1);
  EXPECT_FALSE(counters_->register_done_o);
  EXPECT_FALSE(counters_->busy_o);
}

// The registers against plain sums, under all events at once or a few, with accesses as close as
// the bus has them; now and then high parts become those of a machine that has counted for long.
TEST_F(RouterCounters, CountEveryEventAndAnswerEveryRead) {
  Random random;
  SCOPED_TRACE(random.replay());
  auto& m = *counters_.operator->();
  CData* const events[] = {&m.request_last_i, &m.reply_last_i,    &m.request_send_i,
                           &m.reply_send_i,   &m.request_stall_i, &m.reply_stall_i};
  std::array<std::array<std::uint32_t, 7>, 6> counts{},
      before{};  // before: without the last cycle's events
  auto& high = m.rootp->mu_router_counters__DOT__high;
  unsigned step = 0;     // 1: a request was seen in the cycle before; 2: it is answered
  unsigned counted = 0;  // cycles with events, of which 42 give each counter its high part
  bool events_last = false;
  std::uint32_t value = 0;
  bool known = false;
  std::uint32_t address = 0;
  Record<layout::register_request::Layout> request;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    const unsigned percent = cycle / 700 % 3 * 48;
    for (CData* event : events) {
      *event = static_cast<CData>(random.chance(percent) ? 0x7F : random.below(128));
      if (percent == 0) *event = 0;
    }
    if (!m.register_valid_i) {
      address = kBase + static_cast<std::uint32_t>(random.below(64) * 4);
      if (random.chance(20)) address ^= 1U << random.below(20);
      const bool write = random.chance(5), page = random.chance(5);
      request.set<layout::register_request::address>(address);
      request.set<layout::register_request::write>(write);
      request.set<layout::register_request::page>(page);
      m.register_valid_i = random.chance(cycle / 2100 % 2 == 0 ? 100 : 50);
      const std::uint32_t offset = address - kBase;
      known = offset < 0xC0 && address % 4 == 0 && (offset >> 3 & 7) != 7 && !write && !page;
    }
    for (unsigned i = 0; i < 3; ++i) {
      m.register_request_i[i] = static_cast<std::uint32_t>(request.words()[i / 2] >> (i % 2 * 32));
    }
    counters_.settle();
    ASSERT_EQ(m.register_done_o, step == 2) << "cycle " << cycle;
    const auto status = known ? Status::kOk : Status::kRegisterUnknown;
    ASSERT_EQ(m.register_response_o[0], step == 2 && known ? value : 0) << "cycle " << cycle;
    ASSERT_EQ(m.register_response_o[1], step == 2 && known ? value : 0) << "cycle " << cycle;
    ASSERT_EQ(m.register_response_o[2], step == 2 ? static_cast<unsigned>(status) : 0);
    if (step != 0 || events_last) {
      ASSERT_TRUE(m.busy_o) << "cycle " << cycle;
    }
    const bool start = m.register_valid_i && step == 0;
    if (start && known) {
      const std::uint32_t offset = address - kBase;
      value = before[(offset >> 6) * 2 + (offset >> 2 & 1)][offset >> 3 & 7];
    }
    const bool quiet = percent == 0 && !m.busy_o && !m.register_valid_i;
    if (quiet && counted >= 42 && random.chance(30)) {
      const std::uint64_t kind = random.below(6), i = random.below(7);
      // A carry that waits stays one.
      const std::uint32_t row = static_cast<std::uint32_t>(kind * 8 + i);
      const std::uint32_t carry = (counts[kind][i] / 128 - high[row]) & 0x1FFFFFF;
      ASSERT_LE(carry, 1U) << "cycle " << cycle;
      high[row] = old_count(random, 25);
      counts[kind][i] = ((high[row] + carry) << 7U) + counts[kind][i] % 128;
      before = counts;
    }
    counters_.tick();
    before = counts;
    events_last = false;
    for (unsigned kind = 0; kind < 6; ++kind) {
      for (unsigned i = 0; i < 7; ++i) counts[kind][i] += *events[kind] >> i & 1U;
      events_last |= *events[kind] != 0;
    }
    counted += events_last;
    if (step == 2) m.register_valid_i = 0;
    step = step != 0 ? (step + 1) % 3 : start;
  }
}

TEST_F(RouterCounters, ComeToRestThreeCyclesAfterTheLastEvent) {
  counters_->request_stall_i = 0x7F;
  for (int cycle = 0; cycle < 1000; ++cycle) counters_.tick();
  EXPECT_TRUE(counters_->busy_o);
  counters_->request_stall_i = 0;
  for (int cycle = 0; cycle < 3; ++cycle) counters_.tick();
  EXPECT_FALSE(counters_->busy_o);
}

TEST_F(RouterCounters, CountFromZeroAfterAReset) {
  for (const unsigned cycles : {5U, 41U, 42U, 5000U}) {
    counters_->request_send_i = counters_->reply_stall_i = 0x7F;
    for (unsigned cycle = 0; cycle < cycles; ++cycle) counters_.tick();
    counters_->request_send_i = counters_->reply_stall_i = 0;
    counters_.reset(1);
    EXPECT_FALSE(counters_->busy_o);
    for (unsigned i = 0; i < 7; ++i) {
      EXPECT_EQ(access(kBase + 0x40 + 8 * i).data, 0U) << i;
      EXPECT_EQ(access(kBase + 0x84 + 8 * i).data, 0U) << i;
    }
  }
}

TEST_F(RouterCounters, CarryFarIntoTheHighParts) {
  auto& m = *counters_.operator->();
  CData* const events[] = {&m.request_last_i, &m.reply_last_i,    &m.request_send_i,
                           &m.reply_send_i,   &m.request_stall_i, &m.reply_stall_i};
  for (CData* event : events) *event = 0x7F;
  for (std::uint32_t count = 0; count < 1U << 14; ++count) counters_.tick();
  for (CData* event : events) *event = 0;
  counters_.tick();
  for (std::uint32_t offset = 0; offset < 0xC0; offset += 4) {
    if ((offset >> 3 & 7) == 7) continue;
    EXPECT_EQ(access(kBase + offset).data, (1ULL << 14) * 0x100000001) << offset;
  }
}

}  // namespace
}  // namespace torusmu::testing
