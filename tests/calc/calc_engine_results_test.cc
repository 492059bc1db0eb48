// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// Where the result of a CALC goes: chunks and what is left of them, at any place.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

namespace c = layout::calc_operation;
namespace d = layout::descriptor;
namespace h = layout::packet_header;

TEST(CalcResults, AreWrittenAtEveryLengthAndAlignmentWhetherMemoryWaitsOrNot) {
  constexpr unsigned kResult = 1, kOperand = 2;
  Random random;
  SCOPED_TRACE(random.replay());
  CalcBench bench(random);
  bench.set_region(kResult, region_entry(0x10000, 0x4000, kCalcOwner));
  bench.set_region(kOperand, region_entry(0x20000, 0x4000, kCalcOwner));
  bench.write(0, random_bytes(random, kCalcMemory));
  Descriptor calc = Descriptor()
                        .set<d::opcode>(Opcode::kCalc)
                        .set<d::immediate_valid>(1)
                        .set<d::operands>(2)
                        .set<d::reduction>(Reduction::kBxor)
                        .set<d::element>(Element::kI32);
  set_immediate(calc, CalcOperation()
                          .set<c::left_region>(kOperand)
                          .set<c::left_offset>(64)
                          .set<c::right_region>(kOperand)
                          .set<c::right_offset>(0x1003));
  for (const unsigned percent : {100U, 10U}) {
    bench.timing.percent = percent;
    for (const std::uint64_t length : {4, 16, 20, 64, 508, 512, 516, 1024, 1536, 2044}) {
      for (const std::uint64_t offset : {0, 1, 4, 16, 31}) {
        calc.set<d::length>(length).set<d::header>(
            PacketHeader().set<h::target>(kResult).set<h::offset>(offset));
        const CalcRun run = bench.run(calc);  // compares the memory with the model's
        ASSERT_EQ(run.status, Status::kOk);
        ASSERT_EQ(run.writes, (length + 511) / 512);
        ASSERT_FALSE(HasFailure()) << length << " bytes at " << offset << ", " << percent << " %";
      }
    }
  }
}

// Their lengths are 2^n and some more, for each n up to 2 MiB.
TEST(CalcResults, OfManyChunksEndWhereTheirLengthSays) {
  constexpr unsigned kResult = 1, kOperand = 2;
  constexpr std::uint64_t kHalf = 4 << 20;
  Random random;
  SCOPED_TRACE(random.replay());
  CalcBench bench(random, 0, 2 * kHalf);
  bench.set_region(kResult, region_entry(kHalf, kHalf, kCalcOwner));
  bench.set_region(kOperand, region_entry(0, kHalf, kCalcOwner));
  bench.write(0, random_bytes(random, kHalf));
  Descriptor calc = Descriptor()
                        .set<d::opcode>(Opcode::kCalc)
                        .set<d::immediate_valid>(1)
                        .set<d::operands>(1)
                        .set<d::reduction>(Reduction::kBxor)
                        .set<d::element>(Element::kI32)
                        .set<d::header>(PacketHeader().set<h::target>(kResult));
  set_immediate(calc, CalcOperation().set<c::left_region>(kOperand));
  for (unsigned bits = 11; bits <= 21; ++bits) {
    const std::uint64_t length = (1ULL << bits) + 0x2AC;
    const CalcRun run = bench.run(calc.set<d::length>(length));
    ASSERT_EQ(run.status, Status::kOk);
    ASSERT_EQ(run.writes, (length + 511) / 512);
    ASSERT_FALSE(HasFailure()) << length << " bytes";
  }
}

// Their operand is one row of 512 bytes again and again.
TEST(CalcResults, OfAnyLengthAreWrittenUntilMemoryEnds) {
  constexpr unsigned kResult = 1, kOperand = 2, kList = 3;
  constexpr std::uint64_t kChunk = 512, kRoom = 4 * kChunk;
  Random random;
  SCOPED_TRACE(random.replay());
  CalcBench bench(random);
  bench.set_region(kResult, region_entry(kCalcMemory - kRoom, kLargestRegion, kCalcOwner));
  bench.set_region(kOperand, region_entry(0x1000, kChunk, kCalcOwner));
  bench.set_region(kList, region_entry(0, 16, kCalcOwner));
  bench.write(0x1000, random_bytes(random, kChunk));
  bench.write(
      0, Operand().set<layout::operand::region>(kOperand).set<layout::operand::stride>(4).bytes());
  Descriptor calc = Descriptor()
                        .set<d::opcode>(Opcode::kCalc)
                        .set<d::operands>(1)
                        .set<d::reduction>(Reduction::kBxor)
                        .set<d::element>(Element::kI32)
                        .set<d::source_region>(kList)
                        .set<d::header>(PacketHeader().set<h::target>(kResult));
  set_immediate(calc, CalcOperation().set<c::row_elements>(kChunk / 4));
  for (unsigned bit = 12; bit < 37; ++bit) {
    for (const std::uint64_t more : {std::uint64_t{0}, kChunk}) {
      const CalcRun run = bench.run(calc.set<d::length>((1ULL << bit) + more));
      ASSERT_EQ(run.status, Status::kMemoryError) << bit;
      ASSERT_GT(run.writes, kRoom / kChunk) << bit;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
