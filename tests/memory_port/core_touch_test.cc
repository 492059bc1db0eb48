// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_core_touch.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/touch_ranges_model.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Request = TouchRangesModel::Request;
using Response = TouchRangesModel::Response;
namespace request = layout::register_request;
namespace field = registers::core_access::report_field;

constexpr unsigned kRanges = kProfile.touch_ranges;

class CoreTouch : public ::testing::Test {
 protected:
  struct Range {
    std::uint64_t base = 0, length = 0;
    bool on_read = false, on_write = false;
    [[nodiscard]] bool touched(std::uint64_t address, std::uint64_t bytes) const {
      return length != 0 && address < base + length && base < address + bytes;
    }
  };
  struct Answer {
    Status status = Status::kOk;
    unsigned hits = 0;    // told before it
    unsigned cycles = 0;  // until it
  };

  void mark(unsigned r, const Range& range) {
    namespace row = layout::touch_row;
    ranges_.at(r) = range;
    Record<row::Layout> told;
    told.set<row::valid>(1).set<row::index>(r).set<row::base>(range.base);
    drive(core_->row_i, told.set<row::range_end>(range.base + range.length));
    core_.tick();
    drive(core_->row_i, Record<row::Layout>{});
    watch();
  }
  void watch() {
    unsigned reads = 0, writes = 0;
    for (unsigned r = 0; r < kRanges; ++r) {
      const bool some = ranges_.at(r).length != 0;
      reads |= unsigned{some && ranges_.at(r).on_read} << r;
      writes |= unsigned{some && ranges_.at(r).on_write} << r;
    }
    core_->on_read_i = static_cast<CData>(reads);
    core_->on_write_i = static_cast<CData>(writes);
  }
  static std::uint64_t report(std::uint64_t address, std::uint64_t bytes, bool write) {
    return insert(insert(insert(0, field::address, address), field::bytes, bytes), field::write,
                  write);
  }
  static Request to_report(std::uint64_t data) {
    return Request()
        .set<request::address>(registers::core_access::report())
        .set<request::write>(1)
        .set<request::wide>(1)
        .set<request::data>(data);
  }
  Answer access(const Request& wanted) {
    Answer answer;
    drive(core_->register_request_i, wanted);
    core_->register_valid_i = 1;
    core_.settle();
    while (!core_->register_done_o && answer.cycles < 100) {
      EXPECT_EQ(answer.hits & core_->hit_o, 0U) << "told twice";
      answer.hits |= core_->hit_o;
      EXPECT_EQ(sample_record<Response>(core_->register_response_o), Response{});
      core_.tick();
      EXPECT_TRUE(core_->busy_o);
      ++answer.cycles;
    }
    EXPECT_EQ(core_->hit_o, 0);
    answer.status = sample_record<Response>(core_->register_response_o)
                        .get<layout::register_response::status>();
    core_->register_valid_i = 0;
    core_.tick();
    EXPECT_FALSE(core_->register_done_o);
    EXPECT_FALSE(core_->busy_o);
    return answer;
  }
  unsigned expected(std::uint64_t address, std::uint64_t bytes, bool write) const {
    unsigned hits = 0;
    for (unsigned r = 0; r < kRanges; ++r) {
      const Range& range = ranges_.at(r);
      const bool fires = (write ? range.on_write : range.on_read) && range.touched(address, bytes);
      hits |= unsigned{fires} << r;
    }
    return hits;
  }

  Clocked<Vmu_core_touch> core_;
  std::array<Range, kRanges> ranges_{};
};

TEST_F(CoreTouch, TellsWhichRangesThatWatchWritesAreWritten) {
  mark(0, {.base = 100, .length = 10, .on_write = true});
  mark(1, {.base = 105, .length = 10, .on_write = true});
  mark(kRanges - 1, {.base = 100, .length = 100, .on_read = true});
  EXPECT_EQ(access(to_report(report(104, 1, true))).hits, 0b01U);
  EXPECT_EQ(access(to_report(report(104, 2, true))).hits, 0b11U);
  EXPECT_EQ(access(to_report(report(110, 1, true))).hits, 0b10U);
  EXPECT_EQ(access(to_report(report(115, 1, true))).hits, 0U);
  EXPECT_EQ(access(to_report(report(99, 1, true))).hits, 0U);
}

TEST_F(CoreTouch, TellsReadsToThoseThatWatchReads) {
  mark(0, {.base = 100, .length = 10, .on_write = true});
  mark(kRanges - 1, {.base = 100, .length = 100, .on_read = true});
  EXPECT_EQ(access(to_report(report(104, 1, false))).hits, 1U << (kRanges - 1));
}

TEST_F(CoreTouch, AnswersThreeCyclesLaterAndOneMoreForEachRangeThatWatches) {
  EXPECT_EQ(access(to_report(report(0, 1, true))).cycles, 2U);
  for (unsigned r = 0; r < kRanges; ++r) {
    mark(r, {.base = 0, .length = 1, .on_write = true});
    EXPECT_EQ(access(to_report(report(0, 1, true))).cycles, 4 + r);
    EXPECT_EQ(access(to_report(report(0, 1, false))).cycles, 2U) << "nobody watches reads";
  }
}

TEST_F(CoreTouch, RefusesWhatIsNoAccess) {
  mark(0, {.base = 0, .length = 1ULL << 40, .on_read = true, .on_write = true});
  const auto refused = [&](const Request& wanted, Status why) {
    const Answer answer = access(wanted);
    EXPECT_EQ(answer.status, why);
    EXPECT_EQ(answer.hits, 0U);
    EXPECT_EQ(answer.cycles, 1U);
  };
  refused(to_report(report(0, 0, true)), Status::kRegisterValue);
  refused(to_report(report(0, 513, true)), Status::kRegisterValue);
  refused(to_report(report(0, 1, true) | 1ULL << 50), Status::kRegisterValue);
  refused(to_report(report(0, 1, true) | 1ULL << 62), Status::kRegisterValue);
  refused(to_report(report(0, 1, true)).set<request::wide>(0), Status::kRegisterPartial);
  refused(to_report(0).set<request::write>(0), Status::kRegisterUnknown);
  refused(to_report(report(0, 1, true)).set<request::address>(registers::core_access::report() + 8),
          Status::kRegisterUnknown);
  refused(to_report(report(0, 1, true)).set<request::page>(1), Status::kRegisterUnknown);
  EXPECT_EQ(access(to_report(report(0, 512, true))).hits, 1U);
}

TEST_F(CoreTouch, WatchesTheWholeAddressSpace) {
  constexpr std::uint64_t kTop = 1ULL << 40;
  mark(0, {.base = kTop - 1, .length = 1, .on_write = true});
  mark(1, {.base = 0, .length = 1, .on_write = true});
  EXPECT_EQ(access(to_report(report(kTop - 512, 512, true))).hits, 0b01U);
  EXPECT_EQ(access(to_report(report(kTop - 1, 512, true))).hits, 0b01U) << "nothing wraps";
  EXPECT_EQ(access(to_report(report(kTop - 2, 1, true))).hits, 0U);
}

TEST_F(CoreTouch, TellsAtRandomExactlyWhatIsTouched) {
  Random random;
  SCOPED_TRACE(random.replay());
  unsigned told = 0;
  for (int i = 0; i < 20000; ++i) {
    if (random.chance(20)) {
      mark(static_cast<unsigned>(random.below(kRanges)), {.base = random.below(300),
                                                          .length = random.below(60),
                                                          .on_read = random.chance(50),
                                                          .on_write = random.chance(50)});
    }
    if (random.chance(1)) {
      core_.reset(1);
      ranges_ = {};
      watch();
    }
    const std::uint64_t address = random.below(400), bytes = 1 + random.below(30);
    const bool write = random.chance(50);
    const Answer answer = access(to_report(report(address, bytes, write)));
    ASSERT_EQ(answer.status, Status::kOk);
    ASSERT_EQ(answer.hits, expected(address, bytes, write)) << address << " " << bytes;
    told |= answer.hits;
  }
  EXPECT_EQ(told, (1U << kRanges) - 1);
}

}  // namespace
}  // namespace torusmu::testing
