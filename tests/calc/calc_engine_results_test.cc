// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// Where the result of a CALC goes: chunks and what is left of them, at any place.

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

#include "tb/reference_model/reduction.h"
#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

namespace c = layout::calc_operation;
namespace s = layout::calc_shape;
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
  set_immediate(calc, CalcShape().set<s::row_elements>(kChunk / 4));
  for (unsigned bit = 12; bit < 37; ++bit) {
    for (const std::uint64_t more : {std::uint64_t{0}, kChunk}) {
      const CalcRun run = bench.run(calc.set<d::length>((1ULL << bit) + more));
      ASSERT_EQ(run.status, Status::kMemoryError) << bit;
      ASSERT_GT(run.writes, kRoom / kChunk) << bit;
    }
  }
}

// Results that are not one piece of memory.
class StridedResults : public ::testing::Test {
 protected:
  static constexpr unsigned kResult = 1, kOperand = 2, kList = 3;
  static constexpr std::uint64_t kBase = 0x1'0000, kLength = 0x1'0000;
  void SetUp() override {
    bench_.set_region(kResult, region_entry(kBase, kLength, kCalcOwner));
    bench_.set_region(kOperand, region_entry(0x2'0000, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(0x100, 0x100, kCalcOwner));
    bench_.write(0, random_bytes(random_, kCalcMemory));
  }
  // Of one operand, whose elements are adjacent.
  Descriptor copy(Reduction reduction, Element element, std::uint64_t row, std::uint64_t rows,
                  std::uint64_t offset, std::int64_t stride, std::int64_t row_stride) {
    const std::uint64_t size =
        model::bits_of_element(element) / 8 * (model::has_pairs(reduction) ? 2 : 1);
    namespace o = layout::operand;
    bench_.write(0x100, Operand()
                            .set<o::region>(kOperand)
                            .set<o::offset>(random_.below(0x4000))
                            .set<o::stride>(size)
                            .set<o::row_stride>(row * size)
                            .bytes());
    Descriptor calc =
        Descriptor()
            .set<d::opcode>(Opcode::kCalc)
            .set<d::operands>(1)
            .set<d::reduction>(reduction)
            .set<d::element>(element)
            .set<d::length>(row * rows * size)
            .set<d::source_region>(kList)
            .set<d::header>(PacketHeader().set<h::target>(kResult).set<h::offset>(offset));
    set_immediate(calc, CalcShape()
                            .set<s::result_stride>(stride_bits(stride))
                            .set<s::result_row_stride>(stride_bits(row_stride))
                            .set<s::row_elements>(row));
    return calc;
  }
  Status status(const Descriptor& descriptor) { return bench_.run(descriptor).status; }

  Random random_;
  CalcBench bench_{random_};
};

TEST_F(StridedResults, AreWrittenElementByElementOfEverySize) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {100U, 30U}) {
    bench_.timing.percent = percent;
    for (const auto& [reduction, element, size] : {std::tuple{Reduction::kMax, Element::kU8, 1U},
                                                   {Reduction::kMax, Element::kI16, 2U},
                                                   {Reduction::kMax, Element::kF32, 4U},
                                                   {Reduction::kMax, Element::kF64, 8U},
                                                   {Reduction::kMaxloc, Element::kI64, 16U},
                                                   {Reduction::kMinloc, Element::kI8, 2U}}) {
      for (const std::uint64_t elements : {1U, 2U, 3U, 31U, 33U, 100U}) {
        const CalcRun run = bench_.run(copy(reduction, element, elements, 1, 3, size + 5, 0));
        ASSERT_EQ(run.status, Status::kOk);
        ASSERT_EQ(run.writes, elements);
        ASSERT_FALSE(HasFailure()) << size << " bytes, " << elements << " elements";
      }
    }
  }
}

TEST_F(StridedResults, HaveRowsOfEveryLengthAtEveryAlignment) {
  SCOPED_TRACE(random_.replay());
  for (std::uint64_t row = 1; row < 80; row += row < 40 ? 1 : 13) {
    for (const std::int64_t gap : {0, 1, 9, -300}) {
      const auto row_stride = static_cast<std::int64_t>(row) + gap;
      const CalcRun run =
          bench_.run(copy(Reduction::kMax, Element::kU8, row, 7, 0x4000 + row, 0, row_stride));
      ASSERT_EQ(run.status, Status::kOk);
      ASSERT_FALSE(HasFailure()) << row << " bytes a row, " << row_stride << " apart";
    }
  }
}

TEST_F(StridedResults, AreWrittenABeatAtATimeWhereElementsAreAdjacent) {
  const CalcRun run = bench_.run(copy(Reduction::kMax, Element::kF64, 8, 10, 0, 0, 1000));
  EXPECT_EQ(run.status, Status::kOk);
  EXPECT_EQ(run.writes, 20U);
  EXPECT_EQ(bench_.run(copy(Reduction::kMax, Element::kF64, 80, 1, 0, 8, 0)).writes, 20U);
}

TEST_F(StridedResults, MayRunBackwards) {
  SCOPED_TRACE(random_.replay());
  EXPECT_EQ(status(copy(Reduction::kMax, Element::kF32, 50, 6, 0x8000, -4, -400)), Status::kOk);
  EXPECT_EQ(status(copy(Reduction::kMax, Element::kF32, 50, 6, 0x8000, 400, -4)), Status::kOk);
}

// Else a result of a few bytes would keep the engine busy for as long as it says it is long.
TEST_F(StridedResults, ReachOverTheirLengthAtLeast) {
  SCOPED_TRACE(random_.replay());
  const auto at = [&](std::int64_t stride, std::int64_t row_stride) {
    return status(copy(Reduction::kMax, Element::kF32, 5, 6, 0x8000, stride, row_stride));
  };
  EXPECT_EQ(at(4, 0), Status::kOperandsInvalid) << "all rows at one place";
  EXPECT_EQ(at(4, 20), Status::kOk);
  EXPECT_EQ(at(4, 19), Status::kOperandsInvalid) << "115 bytes for 120";
  EXPECT_EQ(at(4, -19), Status::kOperandsInvalid);
  EXPECT_EQ(at(-24, 4), Status::kOk) << "120 bytes";
  EXPECT_EQ(at(-23, 4), Status::kOperandsInvalid);
  EXPECT_EQ(at(3, 104), Status::kOk) << "elements on one another, of which the last stays";
}

TEST_F(StridedResults, TakeManyChunks) {
  SCOPED_TRACE(random_.replay());
  for (const std::uint64_t row : {1U, 16U, 17U, 250U}) {
    EXPECT_EQ(status(copy(Reduction::kMax, Element::kF64, row, 1000 / row, 1, 16, row * 16 + 8)),
              Status::kOk);
  }
}

TEST_F(StridedResults, MustLieInTheirRegionWithEveryElement) {
  SCOPED_TRACE(random_.replay());
  constexpr std::int64_t kFar = std::int64_t{1} << 36;
  const auto at = [&](std::uint64_t offset, std::int64_t stride, std::int64_t row_stride) {
    return status(copy(Reduction::kMax, Element::kF64, 6, 4, offset, stride, row_stride));
  };
  EXPECT_EQ(at(kLength - 5 * 12 - 3 * 100 - 8, 12, 100), Status::kOk);
  EXPECT_EQ(at(kLength - 5 * 12 - 3 * 100 - 7, 12, 100), Status::kRegionBounds);
  EXPECT_EQ(at(kLength - 5 * 8 - 3 * 100 - 8, 0, 100), Status::kOk);
  EXPECT_EQ(at(kLength - 5 * 8 - 3 * 100 - 7, 0, 100), Status::kRegionBounds);
  EXPECT_EQ(at(5 * 12 + 3 * 100, -12, -100), Status::kOk);
  EXPECT_EQ(at(5 * 12 + 3 * 100 - 1, -12, -100), Status::kRegionBounds);
  EXPECT_EQ(at(3 * 100, 12, -100), Status::kOk);
  EXPECT_EQ(at(3 * 100 - 1, 12, -100), Status::kRegionBounds);
  for (unsigned bit = 14; bit < 39; ++bit) {
    EXPECT_EQ(at(0x1000, std::int64_t{1} << bit, 0), Status::kRegionBounds) << bit;
    EXPECT_EQ(at(0x1000, 0, -(std::int64_t{1} << bit)), Status::kRegionBounds) << bit;
  }
  EXPECT_EQ(at(kFar, kFar, -kFar), Status::kRegionBounds);
}

TEST_F(StridedResults, EndWithTheErrorOfTheMemory) {
  bench_.set_region(kResult, region_entry(kCalcMemory - 0x100, 0x8000, kCalcOwner));
  const CalcRun run = bench_.run(copy(Reduction::kMax, Element::kF64, 500, 1, 0, 16, 0));
  EXPECT_EQ(run.status, Status::kMemoryError);
  EXPECT_LE(run.writes, 50U) << "it does not go on to the end";
  EXPECT_EQ(status(copy(Reduction::kMax, Element::kF64, 10, 1, 0, 16, 0)), Status::kOk);
}

}  // namespace
}  // namespace torusmu::testing
