// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
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
        "the answer", [&] { return counters_->register_done_o != 0; }, 2);
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

// A counter keeps the carry of its low seven bits until the one that its tally takes a cycle.
struct Tally {
  std::array<std::uint32_t, 7> counts{};
  std::array<bool, 7> carries{};
  bool busy() const { return std::find(carries.begin(), carries.end(), true) != carries.end(); }
  void tick(unsigned events) {
    const auto first = std::find(carries.begin(), carries.end(), true);
    if (first != carries.end()) *first = false;
    for (unsigned i = 0; i < 7; ++i) {
      if ((events >> i & 1) == 0) continue;
      if (++counts[i] % 128 == 0) carries[i] = true;
    }
  }
};

TEST_F(RouterCounters, CountEveryEventAndAnswerEveryRead) {
  Random random;
  SCOPED_TRACE(random.replay());
  auto& m = *counters_.operator->();
  CData* const events[] = {&m.request_last_i, &m.request_send_i, &m.request_stall_i,
                           &m.reply_last_i,   &m.reply_send_i,   &m.reply_stall_i};
  std::array<Tally, 6> tallies{};
  auto& root = *m.rootp;
#define TORUSMU_HIGH(tally) &root.mu_router_counters__DOT__u_##tally##__DOT__high
  VlUnpacked<IData, 8>* const high[] = {TORUSMU_HIGH(request_packets), TORUSMU_HIGH(request_flits),
                                        TORUSMU_HIGH(request_stalls),  TORUSMU_HIGH(reply_packets),
                                        TORUSMU_HIGH(reply_flits),     TORUSMU_HIGH(reply_stalls)};
#undef TORUSMU_HIGH
  bool done = false;
  std::uint32_t value = 0;
  bool known = false;
  std::uint32_t address = 0;
  Record<layout::register_request::Layout> request;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    const unsigned percent = cycle / 700 % 3 * 48;
    for (unsigned t = 0; t < 6; ++t) {
      *events[t] = static_cast<CData>(random.chance(percent) ? 0x7F : random.below(128));
      if (percent == 0) *events[t] = 0;
    }
    if (!m.register_valid_i) {
      address = kBase + static_cast<std::uint32_t>(random.below(64) * 4);
      if (random.chance(20)) address ^= 1U << random.below(20);
      const bool write = random.chance(5), page = random.chance(5);
      request.set<layout::register_request::address>(address);
      request.set<layout::register_request::write>(write);
      request.set<layout::register_request::page>(page);
      m.register_valid_i = random.chance(50);
      const std::uint32_t offset = address - kBase;
      known = offset < 0xC0 && address % 4 == 0 && (offset >> 3 & 7) != 7 && !write && !page;
    }
    for (unsigned i = 0; i < 3; ++i) {
      m.register_request_i[i] = static_cast<std::uint32_t>(request.words()[i / 2] >> (i % 2 * 32));
    }
    counters_.settle();
    ASSERT_EQ(m.register_done_o, done) << "cycle " << cycle;
    const auto status = known ? Status::kOk : Status::kRegisterUnknown;
    ASSERT_EQ(m.register_response_o[0], done && known ? value : 0) << "cycle " << cycle;
    ASSERT_EQ(m.register_response_o[1], done && known ? value : 0) << "cycle " << cycle;
    ASSERT_EQ(m.register_response_o[2], done ? static_cast<unsigned>(status) : 0);
    ASSERT_EQ(m.busy_o, done || tallies[0].busy() || tallies[1].busy() || tallies[2].busy());
    ASSERT_EQ(m.reply_busy_o, tallies[3].busy() || tallies[4].busy() || tallies[5].busy());
    const bool start = m.register_valid_i && !done;
    if (start && known) {
      const std::uint32_t offset = address - kBase;
      value = tallies[(offset >> 6) + (address & 4 ? 3 : 0)].counts[offset >> 3 & 7];
    }
    const bool quiet = percent == 0 && !m.busy_o && !m.reply_busy_o && !m.register_valid_i;
    if (quiet && random.chance(30)) {
      const std::uint64_t t = random.below(6), i = random.below(7);
      tallies[t].counts[i] = tallies[t].counts[i] % 128 + (old_count(random, 25) << 7U);
      (*high[t])[i] = tallies[t].counts[i] >> 7U;
    }
    counters_.tick();
    for (unsigned t = 0; t < 6; ++t) tallies[t].tick(*events[t]);
    if (done) m.register_valid_i = 0;
    done = start;
  }
}

}  // namespace
}  // namespace torusmu::testing
