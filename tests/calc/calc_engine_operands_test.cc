// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
// What says where the operands of a CALC lie and whose they are, a bit at a time: status and memory
// as of the reference node.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

namespace c = layout::calc_operation;
namespace s = layout::calc_shape;
namespace d = layout::descriptor;
namespace o = layout::operand;

constexpr unsigned kResult = 4, kFirst = 5, kSecond = 6, kList = 7;
constexpr std::uint64_t kListAt = 0x108;
constexpr std::uint64_t kLength = 64;

class CalcEntries : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.set_region(kResult, region_entry(0x1'0000, 0x4000, kCalcOwner));
    bench_.set_region(kFirst, region_entry(0x2'0000, 0x8000, kCalcOwner));
    bench_.set_region(kSecond, region_entry(0x3'0000, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(kListAt, 0x1000, kCalcOwner));
    bench_.write(0x2'0000, random_bytes(random_, 0x2'0000 - 0x8000));
  }
  void write_list(std::uint64_t address, const std::array<Operand, 2>& list) {
    for (const Operand& operand : list) {
      bench_.write(address, operand.bytes());
      address += Operand::kBytes;
    }
  }
  static Descriptor sum() {
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(2)
        .set<d::reduction>(Reduction::kSum)
        .set<d::element>(Element::kI32)
        .set<d::length>(kLength)
        .set<d::source_region>(kList)
        .set<d::header>(PacketHeader().set<layout::packet_header::target>(kResult));
  }

  // Of any number of adjacent elements. Where no memory is, what passes ends at its first read.
  void judge_by_the_last(const Operand& operand, unsigned row_elements) {
    constexpr std::uint64_t kNowhere = 2 * kCalcMemory;
    bench_.set_region(kResult, region_entry(kNowhere, kLargestRegion, kCalcOwner));
    write_list(kListAt, {operand});
    for (unsigned bits = 1; bits < 35; ++bits) {
      SCOPED_TRACE(bits);
      for (const std::uint64_t elements : {1ULL << bits, (1ULL << bits) + 1}) {
        Descriptor descriptor = sum().set<d::operands>(1).set<d::length>(4 * elements);
        set_immediate(descriptor, CalcShape().set<s::row_elements>(row_elements));
        bench_.set_region(kFirst, region_entry(kNowhere, 4 * elements, kCalcOwner));
        EXPECT_EQ(bench_.run(descriptor).status, Status::kMemoryError);
        bench_.set_region(kFirst, region_entry(kNowhere, 4 * elements - 1, kCalcOwner));
        EXPECT_EQ(bench_.run(descriptor).status, Status::kRegionBounds);
      }
    }
  }

  Random random_;
  CalcBench bench_{random_};
};

TEST_F(CalcEntries, OfTheListAreJudgedByEachOfTheirBits) {
  SCOPED_TRACE(random_.replay());
  Bytes list;
  for (const unsigned region : {kFirst, kSecond}) {
    const auto entry =
        Operand().set<o::region>(region).set<o::offset>(0x120).set<o::stride>(4).bytes();
    list.insert(list.end(), entry.begin(), entry.end());
  }
  bench_.write(kListAt, list);
  ASSERT_EQ(bench_.run(sum()).status, Status::kOk);
  for (unsigned bit = 0; bit < 8 * list.size(); ++bit) {
    SCOPED_TRACE(bit);
    Bytes other = list;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1U << bit % 8);
    bench_.write(kListAt, other);
    bench_.run(sum());
  }
}

TEST_F(CalcEntries, OfTheDescriptorAreJudgedByEachOfTheirBits) {
  SCOPED_TRACE(random_.replay());
  Descriptor descriptor = sum().set<d::immediate_valid>(1);
  set_immediate(descriptor, CalcOperation()
                                .set<c::left_region>(kFirst)
                                .set<c::left_offset>(0x120)
                                .set<c::right_region>(kSecond)
                                .set<c::right_offset>(0x120));
  ASSERT_EQ(bench_.run(descriptor).status, Status::kOk);
  for (unsigned bit = 0; bit < 128; ++bit) {
    SCOPED_TRACE(bit);
    Descriptor other = descriptor;
    auto bytes = other.get<d::immediate>();
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    other.set<d::immediate>(bytes);
    bench_.run(other);
  }
}

TEST_F(CalcEntries, MayNameAnyRegion) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kBytes = 128;
  const auto base = [](unsigned region) { return 0x2'0000 + region * kBytes; };
  for (unsigned region = 0; region < 256; ++region) {
    bench_.set_region(region, region_entry(base(region), kBytes, kCalcOwner));
  }
  for (unsigned region = 0; region < 256; ++region) {
    SCOPED_TRACE(region);
    // Each of the four is every region once.
    const unsigned list = region ^ 0xFF, left = region ^ 0x0F, right = region ^ 0xF0;
    Descriptor descriptor = sum().set<d::source_region>(list);
    descriptor.set<d::header>(PacketHeader().set<layout::packet_header::target>(region));
    const auto rows = Operand().set<o::offset>(8).set<o::stride>(4).set<o::row_stride>(40);
    write_list(base(list),
               {Operand(rows).set<o::region>(left), Operand(rows).set<o::region>(right)});
    set_immediate(descriptor, CalcShape().set<s::row_elements>(8));
    EXPECT_EQ(bench_.run(descriptor).status, Status::kOk);
    descriptor.set<d::immediate_valid>(1);
    set_immediate(descriptor,
                  CalcOperation().set<c::left_region>(left).set<c::right_region>(right));
    EXPECT_EQ(bench_.run(descriptor).status, Status::kOk);
  }
}

TEST_F(CalcEntries, MayNameRegionsOfTheOwnerAloneWhoeverThatIs) {
  SCOPED_TRACE(random_.replay());
  write_list(kListAt, {Operand().set<o::region>(kFirst).set<o::stride>(4),
                       Operand().set<o::region>(kSecond).set<o::stride>(4)});
  for (unsigned owner = 0; owner < 16; ++owner) {
    const auto belongs_to = [this](unsigned whose) {
      bench_.set_region(kResult, region_entry(0x1'0000, 0x4000, whose));
      bench_.set_region(kFirst, region_entry(0x2'0000, 0x8000, whose));
      bench_.set_region(kSecond, region_entry(0x3'0000, 0x8000, whose));
      bench_.set_region(kList, region_entry(kListAt, 0x1000, whose));
    };
    bench_.owner = owner;
    belongs_to(owner);
    EXPECT_EQ(bench_.run(sum()).status, Status::kOk) << owner;
    for (unsigned bit = 0; bit < 4; ++bit) {
      belongs_to(owner ^ 1U << bit);
      EXPECT_EQ(bench_.run(sum()).status, Status::kPermission) << owner << " without bit " << bit;
    }
  }
}

TEST_F(CalcEntries, AreJudgedByTheLastRowHoweverManyThereAre) {
  SCOPED_TRACE(random_.replay());
  judge_by_the_last(Operand().set<o::region>(kFirst).set<o::stride>(4).set<o::row_stride>(4), 1);
}

TEST_F(CalcEntries, AreJudgedByTheLastColumnHoweverManyThereAre) {
  SCOPED_TRACE(random_.replay());
  judge_by_the_last(Operand().set<o::region>(kFirst).set<o::stride>(4), 0);
}

// Of two columns or two rows, either way; what is out of reach must not come round.
TEST_F(CalcEntries, ReachAsFarAsTheirStridesLead) {
  SCOPED_TRACE(random_.replay());
  Descriptor descriptor = sum().set<d::operands>(1).set<d::reduction>(Reduction::kMaxloc);
  descriptor.set<d::element>(Element::kF64).set<d::length>(4 * 16);
  set_immediate(descriptor, CalcShape().set<s::row_elements>(2));
  const auto run = [&](std::uint64_t stride, std::uint64_t row_stride) {
    write_list(kListAt, {Operand()
                             .set<o::region>(kFirst)
                             .set<o::offset>(0x1000)
                             .set<o::stride>(stride)
                             .set<o::row_stride>(row_stride)});
    return bench_.run(descriptor).status;
  };
  EXPECT_EQ(run(16, 32), Status::kOk);
  for (const std::uint64_t length : {std::uint64_t{0x2000}, kLargestRegion}) {
    bench_.set_region(kFirst, region_entry(0x2'0000, length, kCalcOwner));
    for (unsigned bit = 3; bit < 40; ++bit) {
      SCOPED_TRACE(bit);
      const std::uint64_t far = 1ULL << bit, nearly = far - 8, back = stride_bits(-8) - far + 8;
      for (const auto& [stride, row_stride] : {std::pair{far, std::uint64_t{16}},
                                               {far + 16, std::uint64_t{16}},
                                               {std::uint64_t{16}, far},
                                               {far, far},
                                               {nearly, nearly},
                                               {back, std::uint64_t{16}},
                                               {std::uint64_t{16}, back},
                                               {back, back},
                                               {far, back}}) {
        run(stride, row_stride);
      }
    }
  }
}

TEST_F(CalcEntries, OfTheDescriptorAreTwoAtMost) {
  SCOPED_TRACE(random_.replay());
  Descriptor descriptor = sum().set<d::immediate_valid>(1);
  set_immediate(descriptor,
                CalcOperation().set<c::left_region>(kFirst).set<c::right_region>(kSecond));
  for (unsigned operands = 0; operands < 32; ++operands) {
    const Status status = bench_.run(descriptor.set<d::operands>(operands)).status;
    EXPECT_EQ(status, operands == 1 || operands == 2 ? Status::kOk : Status::kOperandsInvalid)
        << operands;
  }
}

TEST_F(CalcEntries, OfTheDescriptorMayBeOfAnySize) {
  SCOPED_TRACE(random_.replay());
  Descriptor descriptor = sum().set<d::immediate_valid>(1);
  set_immediate(descriptor,
                CalcOperation().set<c::left_region>(kFirst).set<c::right_region>(kSecond));
  for (const Reduction reduction : {Reduction::kMax, Reduction::kMaxloc}) {
    for (const Element element : {Element::kI8, Element::kF16, Element::kI64, Element::kF32}) {
      descriptor.set<d::reduction>(reduction).set<d::element>(element);
      bench_.set_region(kFirst, region_entry(0x2'0000, kLength, kCalcOwner));
      EXPECT_EQ(bench_.run(descriptor).status, Status::kOk) << name_of(element);
      bench_.set_region(kFirst, region_entry(0x2'0000, kLength - 1, kCalcOwner));
      EXPECT_EQ(bench_.run(descriptor).status, Status::kRegionBounds) << name_of(element);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
