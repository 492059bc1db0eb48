// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
// What says where the operands of a CALC lie, a bit at a time: status and memory as of the
// reference node.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

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
  namespace c = layout::calc_operation;
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

}  // namespace
}  // namespace torusmu::testing
