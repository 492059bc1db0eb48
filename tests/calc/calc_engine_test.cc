// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tb/reference_model/reduction.h"
#include "tests/support/calc_bench.h"
#include "tests/support/reduction_stimulus.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace c = layout::calc_operation;
namespace o = layout::operand;

constexpr unsigned kResult = 1, kFirst = 2, kSecond = 3, kList = 4, kForeign = 5, kOff = 6,
                   kBeyond = 7;

class CalcEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.set_region(kResult, region_entry(0x1'0000 + 5, 0x4000, kCalcOwner));
    bench_.set_region(kFirst, region_entry(0x2'0000 + 3, 0x8000, kCalcOwner));
    bench_.set_region(kSecond, region_entry(0x3'0000 - 8, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(0x100 + 1, 0x1000, kCalcOwner));
    bench_.set_region(kForeign, region_entry(0x8000, 0x1000, kCalcOwner + 1, true, true));
    bench_.set_region(kOff, region_entry(0x8000, 0x1000, kCalcOwner, true, true, false));
    bench_.set_region(kBeyond, region_entry(kCalcMemory - 0x100, 0x2000, kCalcOwner));
  }
  // Elements of all kinds, the interesting ones too, at every address.
  void fill(Reduction operation, Element element) {
    Bytes data;
    while (data.size() < kCalcMemory) {
      const auto [left, right] = beats(random_, operation, element);
      for (const model::Beat& beat : {left, right}) {
        for (unsigned i = 0; i < 32; ++i) {
          data.push_back(static_cast<std::uint8_t>(beat[i / 8] >> (i % 8 * 8)));
        }
      }
    }
    bench_.write(0, data);
  }
  static std::uint64_t bytes_of(Reduction operation, Element element) {
    return model::bits_of_element(element) / 8 * (model::has_pairs(operation) ? 2 : 1);
  }

  static Descriptor calc(Reduction operation, Element element, std::uint64_t length,
                         unsigned operands) {
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(operands)
        .set<d::reduction>(operation)
        .set<d::element>(element)
        .set<d::length>(length)
        .set<d::source_region>(kList)
        .set<d::header>(PacketHeader().set<h::target>(kResult));
  }
  // One or two adjacent vectors.
  static Descriptor direct(Reduction operation, Element element, std::uint64_t length,
                           unsigned operands = 2) {
    Descriptor descriptor = calc(operation, element, length, operands);
    descriptor.set<d::immediate_valid>(1);
    set_immediate(descriptor, CalcOperation()
                                  .set<c::left_region>(kFirst)
                                  .set<c::left_offset>(64)
                                  .set<c::right_region>(kSecond)
                                  .set<c::right_offset>(8));
    return descriptor;
  }
  static Operand adjacent(unsigned region, std::uint64_t offset, std::uint64_t element_bytes) {
    return Operand().set<o::region>(region).set<o::offset>(offset).set<o::stride>(element_bytes);
  }
  void write_list(const std::vector<Operand>& list, std::uint64_t offset = 0) {
    Bytes bytes;
    for (const Operand& operand : list) {
      const auto entry = operand.bytes();
      bytes.insert(bytes.end(), entry.begin(), entry.end());
    }
    bench_.write(0x101 + offset, bytes);
  }
  // One or more, of at most so many bits.
  std::uint64_t any_of_bits(unsigned bits) {
    return random_.chance(20) ? 1ULL << bits : 1 + random_.below(1ULL << bits);
  }
  std::int64_t any_stride(unsigned bits) {
    const auto stride = static_cast<std::int64_t>(any_of_bits(bits) >> random_.below(bits + 1));
    return random_.chance(50) ? stride : -stride;
  }
  Status status(const Descriptor& descriptor) { return bench_.run(descriptor).status; }

  // A random place for a vector of this shape, inside its region or, rarely, just beside it.
  Operand place(const Shape2d& shape, std::uint64_t element_bytes) {
    const auto columns = static_cast<std::int64_t>(shape.columns - 1) * shape.stride;
    const auto rows = static_cast<std::int64_t>(shape.rows - 1) * shape.row_stride;
    const std::int64_t lowest =
        std::min<std::int64_t>(columns, 0) + std::min<std::int64_t>(rows, 0);
    const std::int64_t highest = std::max<std::int64_t>(columns, 0) +
                                 std::max<std::int64_t>(rows, 0) +
                                 static_cast<std::int64_t>(element_bytes);
    const std::int64_t room = 0x8000 - highest + lowest;
    std::int64_t offset = -lowest;
    if (room > 0 && random_.chance(80)) {
      offset += static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(room) + 1));
    } else if (random_.chance(50)) {
      offset += room;
    }
    if (random_.chance(2)) offset += random_.chance(50) ? 1 : -1;
    return Operand()
        .set<o::region>(random_.chance(50) ? kFirst : kSecond)
        .set<o::offset>(static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0)))
        .set<o::stride>(stride_bits(shape.stride))
        .set<o::row_stride>(stride_bits(shape.row_stride));
  }
  std::int64_t random_stride(std::uint64_t element_bytes, std::int64_t most) {
    switch (random_.below(6)) {
      case 0:
        return 0;
      case 1:
        return -static_cast<std::int64_t>(element_bytes);
      case 2:
        return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * most + 1))) -
               most;
      default:
        return static_cast<std::int64_t>(element_bytes);
    }
  }
  // Any descriptor that is likely to pass.
  Descriptor random_calc(Reduction operation, Element element) {
    const std::uint64_t size = bytes_of(operation, element);
    const auto operands = static_cast<unsigned>(1 + random_.below(random_.chance(30) ? 16 : 4));
    const std::uint64_t most = (operands > 4 ? 768 : 2048) / size;
    const std::uint64_t rows = random_.chance(40) ? 1 + random_.below(12) : 0;
    const std::uint64_t columns = rows == 0
                                      ? 1 + random_.below(most)
                                      : 1 + random_.below(std::max<std::uint64_t>(most / rows, 1));
    const std::uint64_t length = columns * std::max<std::uint64_t>(rows, 1) * size;
    Descriptor descriptor = calc(operation, element, length, operands);
    const std::uint64_t result_offset = random_.below(0x4000 - length + 1);
    descriptor.set<d::header>(PacketHeader().set<h::target>(kResult).set<h::offset>(result_offset));
    if (operands <= 2 && rows == 0 && random_.chance(50)) {
      descriptor.set<d::immediate_valid>(1);
      set_immediate(descriptor, CalcOperation()
                                    .set<c::left_region>(kFirst)
                                    .set<c::left_offset>(random_.below(0x8000 - length + 1))
                                    .set<c::right_region>(random_.chance(20) ? kResult : kSecond)
                                    .set<c::right_offset>(result_offset));
      return descriptor;
    }
    std::vector<Operand> list;
    const auto in_place = random_.chance(20) ? random_.below(operands) : operands;
    for (unsigned n = 0; n < operands; ++n) {
      Shape2d shape{columns, std::max<std::uint64_t>(rows, 1), 0, 0};
      shape.stride = random_stride(size, static_cast<std::int64_t>(0x3000 / columns));
      shape.row_stride =
          random_.chance(30)
              ? shape.stride * static_cast<std::int64_t>(columns)
              : random_stride(size, rows == 0 ? 1 : 0x4000 / static_cast<std::int64_t>(rows));
      if (n == in_place) {
        list.push_back(adjacent(kResult, result_offset, size)
                           .set<o::row_stride>(rows == 0 ? 0 : columns * size));
      } else {
        list.push_back(place(shape, size));
      }
    }
    const std::uint64_t list_offset = random_.below(0x1000 - operands * 16 + 1);
    descriptor.set<d::source_offset>(list_offset);
    write_list(list, list_offset);
    set_immediate(descriptor, CalcOperation().set<c::row_elements>(rows == 0 ? 0 : columns));
    return descriptor;
  }

  Random random_;
  CalcBench bench_{random_};
};

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
                         ::testing::Combine(::testing::Range(0U, 12U), ::testing::Range(0U, 12U)));

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
  set_immediate(rows, CalcOperation().set<c::row_elements>(kColumns));
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

TEST_F(CalcEngine, RefusesReductionsThatAreNotDefined) {
  EXPECT_EQ(status(direct(Reduction::kBand, Element::kF32, 64)), Status::kReductionUndefined);
  EXPECT_EQ(status(direct(static_cast<Reduction>(12), Element::kI32, 64)),
            Status::kReductionUndefined);
  EXPECT_EQ(status(direct(Reduction::kSum, static_cast<Element>(12), 64)),
            Status::kReductionUndefined);
}

TEST_F(CalcEngine, RefusesNumbersAndShapesOfOperands) {
  write_list(std::vector<Operand>(16, adjacent(kFirst, 0, 4)));
  EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 0)), Status::kOperandsInvalid);
  EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 16)), Status::kOk);
  EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 17)), Status::kOperandsInvalid);
  EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 31)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 64, 3)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 64, 1)), Status::kOk);
  Descriptor rows = direct(Reduction::kSum, Element::kI32, 64);
  set_immediate(rows, CalcOperation().set<c::row_elements>(4));
  EXPECT_EQ(status(rows), Status::kOperandsInvalid);
  rows = calc(Reduction::kSum, Element::kI32, 64, 2);
  set_immediate(rows, CalcOperation().set<c::row_elements>(8));
  EXPECT_EQ(status(rows), Status::kOk);
  set_immediate(rows, CalcOperation().set<c::row_elements>(5));
  EXPECT_EQ(status(rows), Status::kOperandsInvalid);
  set_immediate(rows, CalcOperation().set<c::row_elements>(32));
  EXPECT_EQ(status(rows), Status::kOperandsInvalid);
}

TEST_F(CalcEngine, RefusesLengthsOfNoElementsOrPartsOfThem) {
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 0)), Status::kLengthZero);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 6)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kF64, 12)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMaxloc, Element::kI32, 12)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinloc, Element::kF64, 24)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinloc, Element::kF64, 32)), Status::kOk);
}

TEST_F(CalcEngine, RefusesReservedBits) {
  for (const unsigned byte : {5U, 11U}) {  // bits 45 and 93
    Descriptor descriptor = direct(Reduction::kSum, Element::kI32, 64);
    auto bytes = descriptor.get<d::immediate>();
    bytes[byte] = static_cast<std::uint8_t>(bytes[byte] | 0x20);
    descriptor.set<d::immediate>(bytes);
    EXPECT_EQ(status(descriptor), Status::kReservedBits);
  }
  write_list({adjacent(kFirst, 0, 4), adjacent(kOff, 0, 4)});
  auto entry = bench_.read(0x111, 16);
  entry[5] |= 0x80;  // bit 47 of the second
  bench_.write(0x111, entry);
  EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 2)), Status::kReservedBits);
}

TEST_F(CalcEngine, JudgesTheRegionsOfResultListAndOperands) {
  write_list(std::vector<Operand>(2, adjacent(kFirst, 0, 4)));
  const std::vector<std::pair<unsigned, Status>> wrong = {{200, Status::kRegionInvalid},
                                                          {kOff, Status::kRegionInvalid},
                                                          {kForeign, Status::kPermission}};
  for (const auto& [region, want] : wrong) {
    Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 64, 2);
    EXPECT_EQ(status(descriptor.set<d::header>(PacketHeader().set<h::target>(region))), want);
    descriptor = calc(Reduction::kSum, Element::kI32, 64, 2);
    EXPECT_EQ(status(descriptor.set<d::source_region>(region)), want);
    write_list({adjacent(kFirst, 0, 4), adjacent(region, 0, 4)});
    EXPECT_EQ(status(calc(Reduction::kSum, Element::kI32, 64, 2)), want);
    write_list(std::vector<Operand>(2, adjacent(kFirst, 0, 4)));
  }
}

TEST_F(CalcEngine, JudgesTheLastByteOfResultListAndOperands) {
  write_list(std::vector<Operand>(2, adjacent(kFirst, 0, 4)));
  write_list(std::vector<Operand>(2, adjacent(kFirst, 0, 4)), 0x1000 - 32);
  Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 64, 2);
  const auto result_at = [](std::uint64_t offset) {
    return PacketHeader().set<h::target>(kResult).set<h::offset>(offset);
  };
  EXPECT_EQ(status(descriptor.set<d::header>(result_at(0x4000 - 64))), Status::kOk);
  EXPECT_EQ(status(descriptor.set<d::header>(result_at(0x4000 - 63))), Status::kRegionBounds);
  EXPECT_EQ(status(descriptor.set<d::header>(result_at((1ULL << 37) - 1))), Status::kRegionBounds);
  descriptor.set<d::header>(result_at(0));
  EXPECT_EQ(status(descriptor.set<d::source_offset>(0x1000 - 32)), Status::kOk);
  EXPECT_EQ(status(descriptor.set<d::source_offset>(0x1000 - 31)), Status::kRegionBounds);
  descriptor.set<d::source_offset>(0);
  const auto with = [&](std::uint64_t offset, std::int64_t stride) {
    write_list(
        {adjacent(kSecond, 0, 4), adjacent(kFirst, offset, 4).set<o::stride>(stride_bits(stride))});
    return status(descriptor);
  };
  EXPECT_EQ(with(0x8000 - 64, 4), Status::kOk);
  EXPECT_EQ(with(0x8000 - 63, 4), Status::kRegionBounds);
  EXPECT_EQ(with(0x8000 - 4, 0), Status::kOk);
  EXPECT_EQ(with(0x8000 - 3, 0), Status::kRegionBounds);
  EXPECT_EQ(with(15 * 7, -7), Status::kOk);
  EXPECT_EQ(with(15 * 7 - 1, -7), Status::kRegionBounds);
  EXPECT_EQ(with(0, 2184), Status::kOk) << "15 steps of 2184 and 4 bytes are 32764";
  EXPECT_EQ(with(4, 2184), Status::kOk);
  EXPECT_EQ(with(5, 2184), Status::kRegionBounds);
  // Sums that wrap in 37, 38 and 40 bits.
  for (unsigned bits = 33; bits < 40; ++bits) {
    EXPECT_EQ(with(0, 1LL << bits), Status::kRegionBounds) << bits;
    EXPECT_EQ(with(0x1000, -(1LL << bits)), Status::kRegionBounds) << bits;
    EXPECT_EQ(with((1ULL << 37) - 1, -(1LL << bits)), Status::kRegionBounds) << bits;
  }
}

TEST_F(CalcEngine, JudgesBothStridesTogether) {
  Descriptor descriptor = calc(Reduction::kSum, Element::kI64, 4 * 6 * 8, 1);
  set_immediate(descriptor, CalcOperation().set<c::row_elements>(6));
  const auto with = [&](std::uint64_t offset, std::int64_t stride, std::int64_t row_stride) {
    write_list({Operand()
                    .set<o::region>(kFirst)
                    .set<o::offset>(offset)
                    .set<o::stride>(stride_bits(stride))
                    .set<o::row_stride>(stride_bits(row_stride))});
    return status(descriptor);
  };
  EXPECT_EQ(with(0x8000 - 5 * 8 - 3 * 100 - 8, 8, 100), Status::kOk);
  EXPECT_EQ(with(0x8000 - 5 * 8 - 3 * 100 - 7, 8, 100), Status::kRegionBounds);
  EXPECT_EQ(with(5 * 12 + 3 * 100, -12, -100), Status::kOk);
  EXPECT_EQ(with(5 * 12 + 3 * 100 - 1, -12, -100), Status::kRegionBounds);
  EXPECT_EQ(with(3 * 100, 12, -100), Status::kOk);
  EXPECT_EQ(with(3 * 100 - 1, 12, -100), Status::kRegionBounds);
  EXPECT_EQ(with(0, 0, 0), Status::kOk);
  // Each alone would fit into some region.
  EXPECT_EQ(with(1ULL << 36, (1LL << 35) + 1, -(1LL << 34)), Status::kRegionBounds);
}

// Regions where no memory is: what passes ends at its first read.
TEST_F(CalcEngine, JudgesVectorsOfAnySize) {
  SCOPED_TRACE(random_.replay());
  constexpr unsigned kWhole = 8, kVector = 9;
  constexpr std::uint64_t kNowhere = 2 * kCalcMemory;
  bench_.set_region(kWhole, region_entry(kNowhere, kLargestRegion, kCalcOwner));
  unsigned passed = 0;
  for (int round = 0; round < 600; ++round) {
    const Element element = random_.chance(50) ? Element::kI8 : Element::kI64;
    const std::uint64_t size = bytes_of(Reduction::kSum, element);
    const unsigned most = size == 1 ? 37 : 34;  // bits of a number of elements
    const auto column_bits = static_cast<unsigned>(random_.chance(20) ? most - 1 - random_.below(3)
                                                                      : random_.below(most));
    const auto row_bits =
        column_bits < 32 ? static_cast<unsigned>(random_.below(most - column_bits)) : 0;
    const auto columns = static_cast<std::int64_t>(any_of_bits(column_bits));
    const auto rows = static_cast<std::int64_t>(any_of_bits(row_bits));
    const std::int64_t stride = any_stride(37 - column_bits);
    const std::int64_t row_stride = any_stride(37 - row_bits);
    const auto [down, up] = reach((columns - 1) * stride, (rows - 1) * row_stride);
    const std::uint64_t room = random_.chance(50) ? 1 : kLargestRegion >> random_.below(37);
    const std::uint64_t offset =
        (down + random_.below(room) - (down > 0 && random_.chance(20))) % kLargestRegion;
    const std::uint64_t end = offset + up + size - random_.chance(40);
    bench_.set_region(kVector, region_entry(kNowhere, std::min(end, kLargestRegion), kCalcOwner));
    const auto length = static_cast<std::uint64_t>(columns * rows) * size;
    Descriptor descriptor = calc(Reduction::kSum, element, length, 1);
    descriptor.set<d::header>(PacketHeader().set<h::target>(kWhole).set<h::offset>(
        random_.below(kLargestRegion - length + 1 + random_.chance(10))));
    set_immediate(descriptor, CalcOperation().set<c::row_elements>(
                                  static_cast<std::uint64_t>(rows > 1 ? columns : 0)));
    write_list({Operand()
                    .set<o::region>(kVector)
                    .set<o::offset>(offset)
                    .set<o::stride>(stride_bits(stride))
                    .set<o::row_stride>(stride_bits(row_stride))});
    passed += status(descriptor) == Status::kMemoryError;
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(passed, 100U);
}

TEST_F(CalcEngine, JudgesOffsetsOfAnySize) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kNowhere = 2 * kCalcMemory, kBytes = 64;
  const std::array<unsigned, 4> regions = {8, 9, 10, 11};  // left, right, list, result
  unsigned in_bounds = 0;
  for (int round = 0; round < 300; ++round) {
    std::array<std::uint64_t, 4> offsets{};
    const std::uint64_t which = random_.below(4);  // the one that may not fit
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint64_t bytes = i == 2 ? 32 : kBytes;
      offsets[i] =
          std::min(random_.below(kLargestRegion >> random_.below(37)), kLargestRegion - bytes);
      const std::uint64_t end = offsets[i] + bytes - (i == which && random_.chance(50));
      bench_.set_region(regions[i], region_entry(kNowhere, end, kCalcOwner));
    }
    Descriptor descriptor = direct(Reduction::kSum, Element::kI32, kBytes);
    set_immediate(descriptor, CalcOperation()
                                  .set<c::left_region>(regions[0])
                                  .set<c::left_offset>(offsets[0])
                                  .set<c::right_region>(regions[1])
                                  .set<c::right_offset>(offsets[1]));
    if (which == 2) descriptor.set<d::immediate_valid>(0).set<d::immediate>({});
    descriptor.set<d::source_region>(regions[2]).set<d::source_offset>(offsets[2]);
    descriptor.set<d::header>(PacketHeader().set<h::target>(regions[3]).set<h::offset>(offsets[3]));
    in_bounds += status(descriptor) == Status::kMemoryError;  // there is no memory
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(in_bounds, 50U);
  EXPECT_LT(in_bounds, 250U);
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
    set_immediate(descriptor, CalcOperation().set<c::row_elements>(100));
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
    set_immediate(descriptor, CalcOperation().set<c::row_elements>(bits < 32 ? elements : 0));
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
}  // namespace torusmu::testing
