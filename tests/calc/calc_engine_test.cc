// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

class CalcEngineRandom : public CalcEngine,
                         public ::testing::WithParamInterface<std::tuple<unsigned, unsigned>> {};

TEST_P(CalcEngineRandom, LeavesInMemoryWhatTheReferenceNodeLeaves) {
  SCOPED_TRACE(random_.replay());
  const auto operation = static_cast<Reduction>(std::get<0>(GetParam()));
  const auto element = static_cast<Element>(std::get<1>(GetParam()));
  if (!model::is_defined(operation, element)) {
    EXPECT_EQ(status(direct(operation, element, 64)), Status::kReductionUndefined);
    return;
  }
  fill(operation, element);
  unsigned passed = 0;
  for (const unsigned percent : {100U, 70U, 25U}) {
    for (const unsigned latency : {1U, 12U, 60U}) {
      bench_.timing = {percent, latency, static_cast<unsigned>(random_.below(40))};
      passed += status(random_calc(operation, element)) == Status::kOk;
      ASSERT_FALSE(HasFailure()) << "percent " << percent << " latency " << latency;
    }
  }
  EXPECT_GT(passed, 3U);
}
INSTANTIATE_TEST_SUITE_P(All, CalcEngineRandom,
                         ::testing::Combine(::testing::Range(0U, kReductions),
                                            ::testing::Range(0U, kElements)));

TEST_F(CalcEngine, TakesEveryLengthAndAlignment) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kSum, Element::kI8);
  for (std::uint64_t elements = 1; elements <= 1200; elements += elements < 40 ? 1 : 93) {
    for (unsigned offset = 0; offset < 33; offset += 4) {
      Descriptor descriptor = direct(Reduction::kSum, Element::kI8, elements);
      descriptor.set<d::header>(
          PacketHeader().set<h::target>(kResult).set<h::offset>(32 - offset + elements % 4));
      set_immediate(descriptor, CalcOperation()
                                    .set<c::left_region>(kFirst)
                                    .set<c::left_offset>(offset + 1)
                                    .set<c::right_region>(kSecond)
                                    .set<c::right_offset>(elements));
      ASSERT_TRUE(status(descriptor) == Status::kOk && !HasFailure()) << elements << ", " << offset;
    }
  }
}

TEST_F(CalcEngine, LosesNothingThatItHasReadWhileNoWriteIsTaken) {
  SCOPED_TRACE(random_.replay());
  bench_.timing = {100, 1, 12, 3000};
  for (const auto& [operation, element] :
       {std::pair{Reduction::kMax, Element::kI32}, std::pair{Reduction::kSum, Element::kF64},
        std::pair{Reduction::kProd, Element::kF64}}) {
    fill(operation, element);
    for (const unsigned operands : {1U, 2U}) {
      // Aligned, so that every read is of whole beats.
      Descriptor descriptor = direct(operation, element, 0x2000, operands);
      set_immediate(descriptor, CalcOperation()
                                    .set<c::left_region>(kFirst)
                                    .set<c::left_offset>(0x200 - 3)
                                    .set<c::right_region>(kSecond)
                                    .set<c::right_offset>(0x200 + 8));
      EXPECT_EQ(status(descriptor), Status::kOk);
    }
  }
  // Rows of one beat each fill the last place.
  constexpr std::uint64_t kColumns = 8;
  write_list({adjacent(kFirst, 0x200 - 3, 4).set<o::row_stride>(64)});
  Descriptor rows = calc(Reduction::kMax, Element::kI32, 0x1000, 1);
  set_immediate(rows, CalcShape().set<s::row_elements>(kColumns));
  EXPECT_EQ(status(rows), Status::kOk);
}

TEST_F(CalcEngine, IsDoneOnceMemoryHasAcceptedEveryChunk) {
  fill(Reduction::kMax, Element::kI32);
  bench_.timing = {80, 1, 400};
  for (unsigned chunks = 1; chunks <= 16; ++chunks) {
    const CalcRun run = bench_.run(direct(Reduction::kMax, Element::kI32, chunks * 512, 1));
    EXPECT_GT(run.cycles, chunks * 16 + 400) << chunks << " chunks";
  }
}

TEST_F(CalcEngine, ReducesByRisingOperand) {
  // (1e16 + 1) + -1e16 is 0 in doubles; 1e16 + -1e16 + 1 is 1.
  const std::vector<double> values = {1e16, 1.0, -1e16, 3.0};
  std::vector<Operand> list;
  for (std::size_t n = 0; n < values.size(); ++n) {
    Bytes bytes(8);
    std::memcpy(bytes.data(), &values[n], 8);
    bench_.write(0x2'0003 + n * 8, bytes);
    list.push_back(adjacent(kFirst, n * 8, 8));
  }
  write_list(list);
  ASSERT_EQ(status(calc(Reduction::kSum, Element::kF64, 8, 4)), Status::kOk);
  double result = 0;
  std::memcpy(&result, bench_.read(0x1'0005, 8).data(), 8);
  EXPECT_EQ(result, 3.0);
}

TEST_F(CalcEngine, ReadsABeatACycle) {
  for (const auto& [operation, element] :
       {std::pair{Reduction::kSum, Element::kI32}, std::pair{Reduction::kBand, Element::kU64},
        std::pair{Reduction::kSum, Element::kF64}, std::pair{Reduction::kMax, Element::kF64},
        std::pair{Reduction::kMin, Element::kF64}}) {
    fill(operation, element);
    const CalcRun run = bench_.run(direct(operation, element, 8192));
    EXPECT_EQ(run.beats, 512U);
    EXPECT_EQ(run.read_cycles, run.beats) << name_of(operation) << " " << name_of(element);
    // The check, the first read, and the last chunk's way through the ALU into memory.
    EXPECT_LE(run.cycles, run.beats + 93);
    EXPECT_EQ(run.reads, 32U);
    EXPECT_EQ(run.writes, 16U);
  }
}

TEST_F(CalcEngine, ReadsABeatACycleFromSixteenOperands) {
  fill(Reduction::kSum, Element::kF64);
  std::vector<Operand> list;
  for (unsigned n = 0; n < 16; ++n) list.push_back(adjacent(kFirst, 512 * n, 8));
  write_list(list);
  const CalcRun run = bench_.run(calc(Reduction::kSum, Element::kF64, 2048, 16));
  EXPECT_EQ(run.beats, 16 * 64U);
  EXPECT_EQ(run.read_cycles, run.beats);
}

TEST_F(CalcEngine, MultipliesAnElementOfEachLaneInFourCycles) {
  for (const Element element : {Element::kF64, Element::kF32, Element::kU8}) {
    const unsigned passes = 256 / model::bits_of_element(element) / kSim.calc_lanes;
    fill(Reduction::kProd, element);
    const std::uint64_t cycles = bench_.run(direct(Reduction::kProd, element, 4096)).cycles;
    EXPECT_TRUE(cycles >= 128U * passes * 4 && cycles <= 128U * passes * 4 + 120) << cycles;
  }
}

TEST_F(CalcEngine, FindsItsVectorsWhereverMemoryBegins) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kPages = 1ULL << 28;
  const std::uint64_t page = kPages / 8 + random_.below(kPages / 8 * 6);
  // Between them they have every bit of an address at both values.
  for (const std::uint64_t first : {page, kPages - 1 - page}) {
    CalcBench fresh(random_, first << 12);
    for (const unsigned region : {kResult, kFirst, kList}) {
      fresh.set_region(region, region_entry(0x8000 * region, 0x8000, kCalcOwner));
    }
    fresh.write(0x8000 * kFirst, random_bytes(random_, 0x8000));
    for (unsigned n = 0; n < 16; ++n) {
      // The second half backwards, and rows that do not end with a chunk.
      const Operand operand =
          n < 8 ? adjacent(kFirst, 0x700 * n, 4).set<o::row_stride>(404)
                : adjacent(kFirst, 0x700 * n + 0x700, 4).set<o::row_stride>(stride_bits(-404));
      fresh.write(0x8000 * kList + 16 * n, operand.bytes());
    }
    Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 1200, 16);
    set_immediate(descriptor, CalcShape().set<s::row_elements>(100));
    EXPECT_EQ(fresh.run(descriptor).status, Status::kOk);
  }
}

TEST_F(CalcEngine, GoesOnInARowOfAnyLength) {
  SCOPED_TRACE(random_.replay());
  constexpr unsigned kFrom = 8, kTo = 9;
  // Two chunks from the end of memory; what began its row again would never come to the end.
  bench_.set_region(kFrom, region_entry(kCalcMemory - 1024, kLargestRegion, kCalcOwner));
  bench_.set_region(kTo, region_entry(0x1'0000, kLargestRegion, kCalcOwner));
  write_list({adjacent(kFrom, 0, 1)});
  for (unsigned bits = 10; bits < 37; ++bits) {
    const std::uint64_t elements = (1ULL << bits) + 512;
    Descriptor descriptor = calc(Reduction::kSum, Element::kU8, elements, 1);
    descriptor.set<d::header>(PacketHeader().set<h::target>(kTo));
    set_immediate(descriptor, CalcShape().set<s::row_elements>(bits < 32 ? elements : 0));
    const CalcRun run = bench_.run(descriptor);
    EXPECT_EQ(run.status, Status::kMemoryError) << bits;
    EXPECT_LE(run.writes, 2U) << bits;
  }
}

TEST_F(CalcEngine, LetsTheNextDescriptorWait) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kSum, Element::kI32);
  const Descriptor second = direct(Reduction::kMax, Element::kI32, 100);
  bench_.offered = second;
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 1200)), Status::kOk);
  bench_.offered.reset();
  EXPECT_EQ(status(second), Status::kOk);
}

TEST_F(CalcEngine, ReportsEveryErrorOfTheMemory) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kSum, Element::kI32);
  for (const unsigned percent : {100U, 50U}) {
    bench_.timing.percent = percent;
    // The list, an operand, the result: the first 0x100 bytes of region kBeyond exist.
    Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 2048, 2);
    write_list({adjacent(kFirst, 0, 4), adjacent(kSecond, 0, 4)});
    EXPECT_EQ(status(descriptor), Status::kOk);
    const Descriptor unread =
        Descriptor(descriptor).set<d::source_region>(kBeyond).set<d::source_offset>(0x100 - 16);
    EXPECT_EQ(bench_.run(unread).writes, 0U) << "nobody knows its operands";
    EXPECT_EQ(status(unread), Status::kMemoryError);
    for (const std::uint64_t bytes : {4ULL, 256ULL, 1024ULL, 4096ULL}) {
      descriptor.set<d::length>(bytes);
      for (const unsigned wrong : {0U, 1U}) {
        std::vector<Operand> list = {adjacent(kFirst, 0, 4), adjacent(kSecond, 0, 4)};
        list[wrong] = adjacent(kBeyond, 0x100 - bytes / 2 % 0x100, 4);
        write_list(list);
        EXPECT_EQ(status(descriptor), Status::kMemoryError);
      }
      write_list({adjacent(kFirst, 0, 4), adjacent(kSecond, 0, 4)});
      const CalcRun run = bench_.run(
          Descriptor(descriptor)
              .set<d::header>(PacketHeader().set<h::target>(kBeyond).set<h::offset>(0x100)));
      EXPECT_EQ(run.status, Status::kMemoryError);
      // It does not go on to the end, and the next CALC is a new one.
      EXPECT_LE(run.writes, 8U);
      EXPECT_EQ(status(descriptor), Status::kOk);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing::calc_engine
