// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// What a CALC is refused for, and where operands, list and result may lie.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

TEST_F(CalcEngine, RefusesReductionsThatAreNotDefined) {
  EXPECT_EQ(status(direct(Reduction::kBand, Element::kF32, 64)), Status::kReductionUndefined);
  EXPECT_EQ(status(direct(static_cast<Reduction>(kReductions), Element::kI32, 64)),
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
  Descriptor rows = calc(Reduction::kSum, Element::kI32, 64, 2);
  set_immediate(rows, CalcShape().set<s::row_elements>(8));
  EXPECT_EQ(status(rows), Status::kOk);
  set_immediate(rows, CalcShape().set<s::row_elements>(5));
  EXPECT_EQ(status(rows), Status::kOperandsInvalid);
  set_immediate(rows, CalcShape().set<s::row_elements>(32));
  EXPECT_EQ(status(rows), Status::kOperandsInvalid);
}

TEST_F(CalcEngine, RefusesLengthsOfNoElementsOrPartsOfThem) {
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 0)), Status::kLengthZero);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kI32, 6)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kSum, Element::kF64, 12)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMaxloc, Element::kI32, 12)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinloc, Element::kF64, 24)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinloc, Element::kF64, 32)), Status::kOk);
  EXPECT_EQ(status(direct(Reduction::kMinmaxloc, Element::kF64, 48)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinmaxloc, Element::kF64, 64)), Status::kOk);
  EXPECT_EQ(status(direct(Reduction::kMinmaxloc, Element::kU8, 6)), Status::kOperandsInvalid);
  EXPECT_EQ(status(direct(Reduction::kMinmaxloc, Element::kU8, 4)), Status::kOk);
}

TEST_F(CalcEngine, RefusesReservedBits) {
  write_list(std::vector<Operand>(2, adjacent(kFirst, 0, 4)));
  for (const bool in_descriptor : {true, false}) {
    for (unsigned bit = 0; bit < 128; ++bit) {
      const bool reserved = bit == 46 || bit == 47 ||
                            (in_descriptor ? bit >= 93 : bit == 44 || (bit >= 88 && bit < 96));
      Descriptor descriptor = in_descriptor ? direct(Reduction::kSum, Element::kI32, 64)
                                            : calc(Reduction::kSum, Element::kI32, 64, 2);
      auto bytes = descriptor.get<d::immediate>();
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
      descriptor.set<d::immediate>(bytes);
      EXPECT_EQ(status(descriptor) == Status::kReservedBits, reserved) << in_descriptor << bit;
    }
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
  set_immediate(descriptor, CalcShape().set<s::row_elements>(6));
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
    set_immediate(descriptor, CalcShape().set<s::row_elements>(
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

}  // namespace
}  // namespace torusmu::testing::calc_engine
