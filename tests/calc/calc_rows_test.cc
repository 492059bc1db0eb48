// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_calc_rows.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class CalcRows : public ::testing::Test {
 protected:
  void judge(std::uint64_t elements, std::uint32_t row) {
    rows_->elements_i = elements;
    rows_->row_i = row;
    rows_->start_i = 1;
    rows_.tick();
    rows_->start_i = 0;
    rows_->elements_i = random_.bits64() >> 29;
    rows_->row_i = static_cast<std::uint32_t>(random_.bits64());
    int cycles = 0;
    for (rows_.settle(); rows_->busy_o && cycles < 99; rows_.tick()) ++cycles;
    EXPECT_EQ(cycles, 37);
    ASSERT_EQ(rows_->rows_o, elements / row) << elements << " by " << row;
    ASSERT_EQ(rows_->exact_o, elements % row == 0) << elements << " by " << row;
  }

  // Rows of any size, as many as may be or fewer, and often without a rest.
  void judge_any() {
    const std::uint64_t row =
        std::max<std::uint64_t>((random_.bits64() >> 32) >> random_.below(32), 1);
    constexpr std::uint64_t kMost = (1ULL << 37) - 1;
    std::uint64_t rows = random_.below(kMost / row + 1);
    if (random_.chance(50)) rows >>= random_.below(37);
    const std::uint64_t rest = random_.chance(50) ? 0 : random_.below(row);
    judge(std::min(rows * row + rest, kMost), static_cast<std::uint32_t>(row));
  }
  void expect_the_result_stands() {
    const std::uint64_t rows = rows_->rows_o;
    const bool exact = rows_->exact_o;
    for (int cycle = 0; cycle < 5; ++cycle) {
      rows_.tick();
      ASSERT_FALSE(rows_->busy_o);
      ASSERT_EQ(rows_->rows_o, rows);
      ASSERT_EQ(rows_->exact_o, exact);
    }
  }

  Random random_;
  Clocked<Vmu_calc_rows> rows_{random_.seed()};
};

TEST_F(CalcRows, CountsRowsAndSeesWhatIsLeft) {
  judge(12, 4);
  judge(13, 4);
  judge(3, 4);
  judge(1, 1);
  judge((1ULL << 37) - 1, 1);
  judge((1ULL << 37) - 1, 0xFFFFFFFF);
  judge(8 * 0xFFFFFFFFULL, 0xFFFFFFFF);
}

TEST_F(CalcRows, AgreesWithTheProcessor) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) judge_any();
}

TEST_F(CalcRows, KeepsTheResultUntilTheNextStart) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 200 && !HasFatalFailure(); ++i) {
    judge_any();
    expect_the_result_stands();
  }
}

TEST_F(CalcRows, IsNotBusyAfterAReset) {
  for (int after = 0; after < 37; ++after) {
    rows_->start_i = 1;
    rows_.tick();
    rows_->start_i = 0;
    for (int cycle = 0; cycle < after; ++cycle) rows_.tick();
    ASSERT_TRUE(rows_->busy_o);
    rows_.reset(1);
    ASSERT_FALSE(rows_->busy_o) << after;
  }
}

TEST_F(CalcRows, BeginsAnewWhenStartedWhileBusy) {
  for (int after = 1; after < 37; ++after) {
    rows_->elements_i = (1ULL << 37) - 1;
    rows_->row_i = 3;
    rows_->start_i = 1;
    rows_.tick();
    rows_->start_i = 0;
    for (int cycle = 1; cycle < after; ++cycle) rows_.tick();
    judge(1000003, 17);
  }
}

TEST_F(CalcRows, SeesEveryBitThatIsLeft) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    judge(1ULL << bit, bit == 0 ? 2 : (1U << bit) + 1);
    expect_the_result_stands();
    // What is left of a row of a power of two would become nothing, were it doubled.
    judge((1ULL << 20) + 1, 4);
    expect_the_result_stands();
  }
}

}  // namespace
}  // namespace torusmu::testing
